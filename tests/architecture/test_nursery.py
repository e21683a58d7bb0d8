"""Processes of the nursery behave as programs do, forked or not."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nursery import FORKS, Nursery, Process

CASES = """
import json, os, signal, sys, time

def tell():
    print(json.dumps({
        "arguments": sys.argv[1:],
        "imported": "colorsys" in sys.modules,
        "read": sys.stdin.read(),
        "ctrl-c": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
        "place": [os.environ.get("OF_THE_TEST"), os.environ.get("GONE"), os.getcwd()],
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
    monkeypatch.setenv("GONE", "before the nursery began")
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


def test_a_case_has_environment_and_folder_of_its_caller(
    place: Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    assert started(place, tmp_path, "tell").wait()[0] == 3  # the nursery runs
    monkeypatch.setenv("OF_THE_TEST", "ä")
    monkeypatch.delenv("GONE")
    monkeypatch.chdir(tmp_path / "folder")
    assert started(place, tmp_path, "tell").wait()[0] == 3
    assert json.loads((tmp_path / "out").read_text())["place"] == ["ä", None, str(tmp_path / "folder")]


def test_a_case_that_hangs_is_killed_and_fails_its_test(place: Nursery, tmp_path: Path) -> None:
    process = started(place, tmp_path, "compute")
    with pytest.raises(
        AssertionError, match=rf"compute \(process {process.pid}\) had not ended after 0.2 sec"
    ):
        process.wait(0.2)
    assert process.wait()[0] == -signal.SIGKILL
    assert started(place, tmp_path, "tell").wait()[0] == 3


def test_others_are_started_while_one_is_waited_for(place: Nursery, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    process = started(place, tmp_path / "other", "compute")
    waiting = threading.Thread(target=process.wait, daemon=True)
    waiting.start()
    assert started(place, tmp_path, "tell").wait()[0] == 3
    assert waiting.is_alive()
    process.send_signal(signal.SIGKILL)
    waiting.join(60)
    assert process.wait()[0] == -signal.SIGKILL


@pytest.mark.skipif(not FORKS, reason="no forks")
@pytest.mark.parametrize("kind", ["forked"])
def test_ctrl_c_right_after_the_fork_ends_the_case_as_a_program_and_not_the_nursery(
    place: Nursery, tmp_path: Path
) -> None:
    assert place._program is not None
    assert started(place, tmp_path, "tell").wait()[0] == 3  # it has begun
    for _ in range(20):
        process = started(place, tmp_path, "compute")
        os.kill(place._program.pid, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        assert process.wait()[0] == -signal.SIGINT
        assert "KeyboardInterrupt" in (tmp_path / "err").read_text()
    assert place._program.poll() is None
