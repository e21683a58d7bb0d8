"""Options that another command has, and files whose names are those of another kind, are answered in words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from treewright.cli import app
from treewright.cli._command import IN_PYTHON, INSTEAD, WRITES

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, re.sub(r"\s+", " ", done.output)


def options_of(name: str) -> set[str]:
    return {text for own in COMMANDS[name].params for text in (*own.opts, *own.secondary_opts)}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("near-optimal", "x.csv", "--task", "regression"), "near-optimal finds trees of classes only"),
        (("frontier", "x.csv", "--event", "died"), "`treewright fit --task survival --event COLUMN`"),
        (("frontier", "x.csv", "--reward", "a=b"), "`treewright fit --task policy --reward COLUMN`"),
        (("fit", "x.csv", "--epsilon", "1"), "It is an option of `treewright near-optimal`."),
        (("fit", "x.csv", "--proba"), "It is an option of `treewright predict`."),
        (
            ("report", "m.json", "x.csv", "--task", "policy"),
            "The model file says what `treewright fit --task` was",
        ),
        (("fit", "x.csv", "--n-jobs", "2"), "Here it is --jobs."),
    ],
)
def test_an_option_of_another_command_is_named_with_it(words: tuple[str, ...], told: str) -> None:
    code, output = run(*words)
    assert code == 2
    assert "No such option: " in output
    assert told in output
    assert "Possible" not in output


def test_similar_names_of_the_command_are_proposed() -> None:
    assert "--max-depth" in run("fit", "x.csv", "--depth", 2)[1]
    code, output = run("fit", "x.csv", "--classweight", "balanced")
    assert code == 2
    assert "--class-weight" in output


def test_tables_speak_of_what_is_there() -> None:
    for command, option in INSTEAD:
        assert option not in options_of(command)
        assert any(option in options_of(name) for name in COMMANDS)
    for text in INSTEAD.values():
        for name, option in re.findall(r"`treewright (\S+) (--[a-z-]+)", text):
            assert option in options_of(name)
    every = set().union(*(options_of(name) for name in COMMANDS))
    assert set(IN_PYTHON.values()) <= every
    assert not set(IN_PYTHON) & every
    assert {name for name in COMMANDS if "--out" in options_of(name)} - set(WRITES) == {"export", "show"}


INPUTS = {
    "predict": ["m.json"], "extend": ["m.json"], "report": ["m.json"], "audit": ["m.json", "-g", "a"],
    "query": [], "choose": [],
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_a_file_name_of_another_kind_is_refused_before_anything_is_read(name: str, tmp_path: Path) -> None:
    own = WRITES[name].rsplit(maxsplit=1)[-1].lower()
    wrong = tmp_path / ("x.csv" if own != "csv" else "x.json")
    given = INPUTS.get(name, ["-t", "y"])
    code, output = run(name, *given, "no.csv", "--out", wrong)
    assert code == 2
    assert f"ends in {wrong.suffix}." in output
    assert f"Name a file that ends in .{own}" in output
    assert not wrong.exists()
    assert "ends in" not in run(name, *given, "no.csv", "--out", tmp_path / f"x.{own}")[1]


def test_other_files_to_write_are_looked_at_too(tmp_path: Path) -> None:
    assert "this writes CSV" in run("frontier", "no.csv", "-t", "y", "--table", tmp_path / "x.json")[1]
    assert "Name a file that ends in .json" in run("reborn", "no.csv", "--forest-out", tmp_path / "x.csv")[1]
    assert "treewright show" in run("fit", "no.csv", "-t", "y", "--out", tmp_path / "x.png")[1]
    for verb, option, value, wrong in (
        ("export", "--to", "sql", "x.py"),
        ("show", "--format", "png", "x.svg"),
    ):
        code, output = run(verb, "no.json", option, value, "--out", tmp_path / wrong)
        assert code == 2
        assert f"{option} {value}, but the name" in output
