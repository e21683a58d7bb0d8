"""Every option of every verb answers a wrong value with a line that names it, never with a traceback."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from treewright.cli import app

FIT = ["--max-depth", "1", "--thresholds", "3"]
VERBS = {
    "look": ["rows.csv"],
    "fit": ["rows.csv", "-t", "owner", *FIT],
    "frontier": ["rows.csv", "-t", "owner", *FIT, "--max-leaves", "3"],
    "near-optimal": ["rows.csv", "-t", "owner", *FIT],
    "query": ["set.json"],
    "choose": ["set.json", "--out", "choose.html"],
    "predict": ["model.json", "rows.csv", "--out", "predicted.csv"],
    "show": ["model.json"],
    "report": ["model.json", "rows.csv", "--no-models", "--out", "report.html"],
    "audit": ["model.json", "rows.csv", "--group", "b"],
    "verify": ["model.json", "rows.csv"],
    "export": ["model.json", "--to", "python"],
}
# Verbs of which only tracebacks and accepted numbers are looked for: `extend` fits models, with few folds unless a
# wrong number of them is given behind, and `reborn` stops at its file, which has no ensemble.
LATER = {
    "extend": ["model.json", "rows.csv", "--folds", "2"],
    "reborn": ["model.json", "--out", "tree.json"],
}
WRONG = {
    int: ("nonsense", "-1", "9" * 25),
    float: ("nonsense", "nan", "-1"),
    Path: ("no/such/file", "."),
    str: ("nonsense",),
}
UNUSED = {"--time-limit"}  # of `report`, looked at where --frontier asks for it
NOT_IN_RANGE = ("nonsense", "nan")  # of numbers: nothing to guess at


def options(verb: str) -> Iterator[tuple[str, type]]:
    """The options of a verb that take a value, each with the type that it is turned into."""
    callback = next(c.callback for c in app.registered_commands if (c.name or name_of(c.callback)) == verb)
    for name, parameter in inspect.signature(callback, eval_str=True).parameters.items():
        kind, *more = typing.get_args(parameter.annotation)
        told = next(
            each for each in more if isinstance(each, (typer.models.OptionInfo, typer.models.ArgumentInfo))
        )
        if isinstance(told, typer.models.OptionInfo):
            long = [each for each in told.param_decls or () if each.startswith("--")]
            for plain_kind in plain(kind):
                if plain_kind is not bool:
                    yield (long[0].split("/")[0] if long else f"--{name.replace('_', '-')}"), plain_kind


def name_of(function: Any) -> str:
    return str(function.__name__).strip("_").replace("_", "-")


def plain(kind: Any) -> list[type]:
    """The one type in a hint such as ``list[str] | None``."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) in (typing.Union, list):
        return [inner for part in typing.get_args(kind) if part is not type(None) for inner in plain(part)]
    return [kind if kind in WRONG or kind is bool else str]


@cache
def runner() -> CliRunner:
    return CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wrong")
    rows = [f"{20 + k % 50},{'yn'[k % 2]},{k % 50 + (k % 2)},{k % 7}" for k in range(60)]
    (path / "rows.csv").write_text("\n".join(["age,owner,paid,b", *rows]) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        for verb, out in (("fit", "model.json"), ("near-optimal", "set.json")):
            assert runner().invoke(app, [verb, *VERBS[verb], "--out", out]).exit_code == 0
    return path


@pytest.mark.parametrize("verb", [*VERBS, *LATER])
def test_wrong_values_of_options_are_named(verb: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    base = {**VERBS, **LATER}[verb]
    assert runner().invoke(app, [verb, *base]).exit_code in ((0,) if verb in VERBS else (0, 2))
    wrong = []
    for option, kind in options(verb):
        for value in WRONG[kind]:
            done = runner().invoke(app, [verb, *base, option, value])
            said = re.sub(r"\s+", " ", done.output)
            what = f"{option} {value!r}: "
            if not isinstance(done.exception, (SystemExit, type(None))):
                wrong.append(f"{what}{type(done.exception).__name__} {done.exception}")
            elif done.exit_code == 2 and verb in VERBS and not (option in said or (value and value in said)):
                wrong.append(f"{what}{said[-200:]}")
            elif (
                done.exit_code == 0
                and kind in (int, float)
                and value in NOT_IN_RANGE
                and option not in UNUSED
            ):
                wrong.append(f"{what}accepted")
    assert not wrong, "\n".join(wrong)
