"""Processes of the nursery behave as programs do, forked or not."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from nursery import FORKS, Nursery, Process

CASES = """
import json, signal, sys, time

def tell():
    print(json.dumps({
        "arguments": sys.argv[1:],
        "imported": "colorsys" in sys.modules,
        "read": sys.stdin.read(),
        "ctrl-c": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    }))
    raise SystemExit(3)

def fail():
    raise ValueError("no such thing")

def compute():
    print("begin", flush=True)
    while time.process_time() < 60:
        pass
"""
WITH_A_THREAD = "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="starts processes as POSIX systems do")


@pytest.fixture(params=["forked", "a thread", "fresh"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nursery]:
    """A nursery that forks, one that must not because it has a second thread, and one that never does."""
    (tmp_path / "nursery_cases.py").write_text(CASES)
    (tmp_path / "nursery_thread.py").write_text(WITH_A_THREAD)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    modules = ["colorsys", "no_such_module", *(["nursery_thread"] if kind == "a thread" else [])]
    made = Nursery(*modules, forks=FORKS and kind != "fresh")
    yield made
    made.close()


def started(place: Nursery, folder: Path, name: str, *arguments: str) -> Process:
    (folder / "in").write_text("some words")
    with open(folder / "in") as stdin, open(folder / "out", "w") as out, open(folder / "err", "w") as err:
        streams = {"stdin": stdin.fileno(), "stdout": out.fileno(), "stderr": err.fileno()}
        return place.start(f"nursery_cases:{name}", *arguments, **streams)


def test_a_case_gets_arguments_and_streams_and_tells_its_exit_code(
    place: Nursery, kind: str, tmp_path: Path
) -> None:
    process = started(place, tmp_path, "tell", "one", "two")
    code, seconds = process.wait()
    assert process.wait() == (code, seconds)
    assert code == 3, (tmp_path / "err").read_text()
    assert seconds < 5.0
    said = json.loads((tmp_path / "out").read_text())
    assert process.forked == said["imported"] == (FORKS and kind == "forked")
    assert (said["arguments"], said["read"], said["ctrl-c"]) == (["one", "two"], "some words", True)


def test_an_error_is_told_as_a_program_tells_it(place: Nursery, tmp_path: Path) -> None:
    assert started(place, tmp_path, "fail").wait()[0] == 1
    assert (tmp_path / "err").read_text().endswith("ValueError: no such thing\n")


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_signal_ends_one_case_and_no_other(place: Nursery, tmp_path: Path, number: str) -> None:
    (tmp_path / "other").mkdir()
    other = started(place, tmp_path / "other", "compute")
    process = started(place, tmp_path, "compute")
    while "begin" not in (tmp_path / "out").read_text():
        assert not (tmp_path / "err").read_text()
    process.send_signal(getattr(signal, number))
    assert process.wait()[0] == -getattr(signal, number)
    assert started(place, tmp_path, "tell").wait()[0] == 3
    other.kill()
    assert other.wait()[0] == -signal.SIGKILL
