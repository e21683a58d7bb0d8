"""The line that says what goes on before a search has a bar: for files of any size, and what follows reading."""

from __future__ import annotations

import io
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import treewright._busy as module
from treewright import OptimalTreeClassifier
from treewright._busy import busy, clear_line
from treewright.cli._output import note
from treewright.cli._read_csv import read_csv, say_what_was_read
from treewright.search import Progress, progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    streams = SimpleNamespace(
        stderr=shown, stdout=shown
    )  # pytest sets those of `sys` anew for each phase of a test
    monkeypatch.setattr(module, "sys", streams)
    monkeypatch.setattr("treewright.cli._output.sys", streams)
    monkeypatch.setattr(module, "FIRST", 0.02)
    monkeypatch.setattr(module, "EVERY", 0.02)
    return shown


def wait_for(terminal: Terminal, text: str) -> None:
    until = time.monotonic() + 20
    while text not in terminal.getvalue():
        assert time.monotonic() < until, terminal.getvalue()[-200:]
        time.sleep(0.005)


def test_it_counts_and_goes(terminal: Terminal) -> None:
    with busy("Reading a.csv"):
        wait_for(terminal, "\rReading a.csv ... 0 s")
    assert terminal.getvalue().endswith("\r" + " " * len("Reading a.csv ... 0 s") + "\r")


def test_what_is_over_at_once_is_not_said(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST", 60.0)
    with busy("Reading a.csv"):
        pass
    assert terminal.getvalue() == ""


def test_nothing_is_shown_where_nobody_watches(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Terminal, "isatty", lambda self: False)
    with busy("Reading a.csv"):
        time.sleep(0.1)
    assert terminal.getvalue() == ""


def test_it_goes_when_the_work_fails(terminal: Terminal) -> None:
    def fail() -> None:
        with busy("Reading a.csv"):
            wait_for(terminal, "Reading")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert terminal.getvalue().endswith(" \r")


def test_a_note_takes_its_place(terminal: Terminal) -> None:
    with busy("Reading a.csv"):
        wait_for(terminal, "Reading")
        note("Note: something.")
    assert " \rNote: something.\n" in terminal.getvalue()
    clear_line()  # nothing stands there now


def slowly(monkeypatch: pytest.MonkeyPatch, terminal: Terminal, name: str, text: str) -> None:
    """Make a function of the library wait until a text is shown."""
    import treewright.table as table

    original = getattr(table, name)

    def waiting(*given: object, **named: object) -> object:
        wait_for(terminal, text)
        return original(*given, **named)

    monkeypatch.setattr(table, name, waiting)


@pytest.mark.parametrize("rows", [3, 200_000])
def test_reading_and_looking_are_said_for_a_file_of_any_size(
    rows: int, tmp_path: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data.csv"
    data.write_text("a,y\n" + "1.25,0\n2.50,1\n" * rows, encoding="utf-8")
    said = "Reading data.csv ... 0 s" if rows == 3 else "Reading data.csv (3 MB) ... "
    slowly(monkeypatch, terminal, "load_csv", said)
    slowly(monkeypatch, terminal, "look_at", "Looking at the columns ... ")
    csv = read_csv(data, target="y")
    say_what_was_read(csv, data, "y", None)
    assert said in terminal.getvalue()


def test_ranking_is_said_until_the_search_reports(terminal: Terminal) -> None:
    with progress_bar(True, 10.0) as report:
        assert report is not None
        wait_for(terminal, "\rPreparing the search ... 0 s")
    assert terminal.getvalue().endswith(" \r")


def test_a_fit_ends_with_no_line_left(terminal: Terminal) -> None:
    X = np.random.default_rng(0).normal(size=(2000, 4))
    OptimalTreeClassifier(max_depth=2, progress=True).fit(X, (X[:, 0] > 0).astype(int))
    assert module._shown == 0


def test_a_distance_is_told_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    """A bound of 0 on it would look like a gap of 100%."""
    with progress_bar(True, 10.0, lambda state: f"within {state.objective:g} everywhere") as report:
        assert report is not None
        report(Progress(1.0, 2.5, 0.0, 10, 0))
    told = capsys.readouterr().err
    assert "within 2.5 everywhere" in told
    assert "gap" not in told
