"""Closed streams, narrow terminals, readers that leave, Ctrl-C and SIGTERM: of the real program."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from treewright.cli._stop import ending_at_once, listening
from treewright.convert import load_model

PROGRAM = f'{sys.executable} -c "from treewright.cli import main; main()"'

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a POSIX shell and its signals")


def shell(command, **environment):
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace("treewright", PROGRAM)],
        capture_output=True,
        check=False,
        timeout=120,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    with open(folder / "d.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [["größe", "y"], *[[k, "écru" if k < 2000 else "blanc"] for k in range(4000)]]
        )
    done = shell(f"treewright fit {folder}/d.csv -t y -o {folder}/m.json")
    assert done.returncode == 0, done.stderr
    return folder


def no_traceback(done):
    assert b"Traceback" not in done.stderr
    assert b"Error" not in done.stdout


class TestClosedStreams:
    def test_fit_without_standard_error_writes_and_shows(self, files, tmp_path):
        done = shell(f"treewright fit {files}/d.csv -t y -o {tmp_path}/m.json 2>&-")
        assert done.returncode == 0
        assert load_model(tmp_path / "m.json").tree.n_leaves == 2
        assert b"Proven optimal" in done.stdout

    def test_fit_without_any_stream_writes(self, files, tmp_path):
        done = shell(f"treewright fit {files}/d.csv -t y -o {tmp_path}/m.json >&- 2>&- <&-")
        assert done.returncode == 0
        assert load_model(tmp_path / "m.json").tree.n_leaves == 2

    @pytest.mark.parametrize(
        "verb", ["show {}/m.json", "predict {}/m.json {}/d.csv", "export {}/m.json --to sql --table t"]
    )
    def test_what_cannot_be_shown_is_an_error(self, files, verb):
        done = shell(f"treewright {verb.replace('{}', str(files))} >&-")
        assert done.returncode == 2
        assert b"standard output is closed" in done.stderr
        no_traceback(done)

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    @pytest.mark.parametrize("verb", ["show {}/m.json", "predict {}/m.json {}/d.csv"])
    def test_a_full_disk_is_an_error(self, files, verb):
        done = shell(f"treewright {verb.replace('{}', str(files))} >/dev/full")
        assert done.returncode == 2
        assert b"Error: No space left on device." in done.stderr
        no_traceback(done)


class TestNarrowTerminals:
    @pytest.mark.parametrize(
        "verb", ["show {}/m.json", "show {}/m.json --format dot", "export {}/m.json --to rules"]
    )
    def test_ascii(self, files, verb):
        done = shell(f"treewright {verb.replace('{}', str(files))}", PYTHONIOENCODING="ascii")
        assert done.returncode == 0
        no_traceback(done)

    def test_data_is_utf_8_whatever_the_terminal_says(self, files):
        for encoding in ("ascii", "latin-1", "utf-8"):
            done = shell(f"treewright predict {files}/m.json {files}/d.csv", PYTHONIOENCODING=encoding)
            assert done.returncode == 0
            assert done.stdout.decode("utf-8").splitlines()[1] == "écru"


@pytest.mark.parametrize(
    "verb",
    [
        "fit {}/d.csv -t y",
        "show {}/m.json",
        "predict {}/m.json {}/d.csv",
        "verify {}/m.json {}/d.csv",
        "export {}/m.json --to python",
        "frontier {}/d.csv -t y --max-leaves 3",
        "near-optimal {}/d.csv -t y --max-depth 2",
        "fit --help",
        "--help",
    ],
)
def test_a_reader_that_leaves_at_once_is_no_error(files, verb):
    done = shell(f"{{ treewright {verb.replace('{}', str(files))}; echo code $? >&2; }} | true")
    no_traceback(done)
    assert b"code 0" in done.stderr or verb.endswith("--help")
    assert b"BrokenPipe" not in done.stderr


def test_a_reader_that_leaves_changes_no_exit_code(tmp_path):
    with open(tmp_path / "hard.csv", "w", newline="") as file:
        rows = [[k * k % 97, k * 31 % 89, k * k * k % 7 % 2] for k in range(400)]
        csv.writer(file).writerows([["a", "b", "y"], *rows])
    fit = f"treewright fit {tmp_path}/hard.csv -t y --step-limit 1 -c 0.001 --max-depth 9 --require-proof"
    done = shell(f"{{ {fit}; echo code $? >&2; }} | true")
    assert b"code 1" in done.stderr
    no_traceback(done)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("late", ["typer", "polars"])
def test_a_signal_while_libraries_load_is_one_line(files, tmp_path, number, code, late):
    """A module that sends the signal while it is imported stands for a hand that is quick."""
    (tmp_path / f"{late}.py").write_text(
        f"import os, time\nos.kill(os.getpid(), {int(number)})\ntime.sleep(20)\nraise RuntimeError('too late')\n"
    )
    done = shell(
        f"treewright fit {files}/d.csv -t y -o {tmp_path}/m.json",
        PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    )
    assert done.returncode == code
    no_traceback(done)
    word = b"Interrupted" if number == signal.SIGINT else b"Terminated"
    assert done.stderr.count(word) == 1
    assert not (tmp_path / "m.json").exists()


BUSY = """
import hashlib, os, signal, sys, threading
import treewright.estimators as estimators
from treewright.cli import main

class Busy:
    def fit(self, X, y):
        threading.Timer(0.2, os.kill, (os.getpid(), {number})).start()
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # minutes, without a step of Python

estimators.make_forest = estimators.make_regression_forest = lambda *_: Busy()
main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("task", [["--target", "y"], ["--target", "x", "--task", "regression"]])
def test_a_library_without_a_clock_is_left_at_once(tmp_path, number, code, task):
    (tmp_path / "d.csv").write_text(
        "x,y\n" + "".join(f"{k}.5,{k % 2}\n" for k in range(50)), encoding="utf-8"
    )
    command = [
        sys.executable,
        "-c",
        BUSY.format(number=int(number)),
        "reborn",
        "d.csv",
        *task,
        "--out",
        "m.json",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert done.returncode == code
    no_traceback(done)
    word = b"Interrupted" if number == signal.SIGINT else b"Terminated"
    assert done.stderr.count(word + b"; nothing was written.") == 1
    assert not (tmp_path / "m.json").exists()


def test_what_a_library_raises_comes_through():
    assert ending_at_once(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        ending_at_once(lambda: 1 // 0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_that_a_library_caught_ends_what_follows():
    """Where a library that was being loaded made something else of the exception, the work is not begun."""
    with listening():
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            ending_at_once(lambda: pytest.fail("it was begun"))
