"""A fixed slice of the attack on the command line, what it draws, and that its laws notice a verb that errs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from attack.case import Case
from attack.command_line import (
    audit_checks,
    checks,
    choose_checks,
    export_checks,
    extend_checks,
    latent_fit_checks,
    look_checks,
    near_checks,
    program,
    reborn_checks,
    reborn_file_checks,
    report_checks,
    show_checks,
)
from attack.command_line.checks import attacked
from attack.command_line.command import Command, Form
from attack.command_line.draw import METHODS, drawn
from attack.command_line.model_files import OF_CLASSES, OF_NUMBERS
from attack.command_line.script import shown
from attack.command_line.words import file_option_words, rule_words
from treewright.convert import load_model as from_file
from treewright.show._report import _choose as choose
from treewright.show._report._page import render_page as page

DRAWN = 2000  # commands whose options are looked at
COMMANDS = 140  # of each seed: a tenth of a second of the processor each

ASKING = (
    audit_checks,
    checks,
    choose_checks,
    export_checks,
    extend_checks,
    look_checks,
    near_checks,
    reborn_checks,
    reborn_file_checks,
    report_checks,
    show_checks,
)
Slice = tuple[dict[str, set[str]], Counter[str], list[str], int]

OTHER_VERBS = {"demo": "has no options of a question"}
OF_FILES = {
    "encoding": "tests/unit/table/test_encodings.py",
    "decimal": "of one column; tests/unit/table/test_reading.py",
    "day-first": "dates; tests/unit/table/test_reading.py",
    "ascii": "how a tree is drawn",
    "progress": "a bar in a terminal",
}
READING = {"separator", "missing", "decimal-comma"}  # of a file, whatever verb reads it
NOT_DRAWN: dict[str, dict[str, str]] = {
    "fit": OF_FILES | {
        "backend": "where shards are searched: tests/unit/shards",
        "spill-folder": "where rows lie meanwhile",
    },
    "frontier": OF_FILES,
    "near-optimal": OF_FILES,
    "query": {},
    "reborn": OF_FILES | {
        "forest-out": "of regression forests that are trained; tests/unit/cli/test_reborn_numbers.py",
        "bins": "of the program alone; tests/unit/cli/test_reborn.py",
        "time-limit": "stops of ensembles are drawn in Python",
    },
    "export": {},
    "show": {
        "orientation": "how a picture is laid out; tests/unit/show/test_matplotlib.py",
        "dpi": "of a picture; tests/unit/cli/test_cli.py",
    },
    "report": OF_FILES | {"time-limit": "of its frontier"},
    "audit": OF_FILES,
    "choose": {},
    "look": OF_FILES | {
        "categorical": "in the file of settings",
    },
    "extend": OF_FILES | {
        "time-limit": "ends where the clock says",
        "spreadsheet-safe": "how text is written; tests/unit/cli/test_cli.py",
    },
    "predict": OF_FILES | {
        "spreadsheet-safe": "how text is written; tests/unit/cli/test_cli.py",
    },
    "verify": OF_FILES | {
        "target": "of files that do not say it; tests/unit/cli/test_cli.py",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def part() -> Slice:
    """Run the slice; its options by verb, the laws that were broken, scripts, how many commands were refused."""
    given: dict[str, set[str]] = {}

    def recorded(words: list[str]) -> program.Said:
        names = {word[2:].partition("=")[0] for word in words if word.startswith("--")}
        given.setdefault(words[0], set()).update(names)
        return program.run(words)

    broken: Counter[str] = Counter()
    scripts, refused = [], 0
    with pytest.MonkeyPatch.context() as patch:
        for module in ASKING:
            patch.setattr(module, "run", recorded)
        for number in range(COMMANDS):
            command = drawn(0, 0, number)
            outcome = attacked(command)
            refused += bool(outcome.refused)
            for mismatch in outcome.mismatches:
                law = f"{mismatch.law} ({command.method})"
                broken[law] += 1
                if broken[law] == 1:
                    scripts.append(shown(command, mismatch.law, seconds=10.0))
    for number in range(COMMANDS, DRAWN):
        command = drawn(0, 0, number)
        verb, *words = command.words()
        if "file" in command.asked:
            words = file_option_words(command)
            given["verify"] |= {"ensemble"} if reborn_file_checks.is_verified(command) else set()
        asked = {verb: words, "query": rule_words(command.asked.get("later", {}))}
        asked["look"] = [word for word in words if word.startswith(look_checks.ROLES)]
        asked["choose"] = [f"--{name}=" for name in command.asked.get("choose", {})]
        asked["report"] = [f"--{name}=" for name in command.asked.get("report", {})]
        asked["export"] = command.asked.get("export", {}).get("more", [])
        for verb, words in asked.items():
            given[verb] |= {word[2:].partition("=")[0] for word in words}
    return given, broken, scripts, refused


def test_no_command_breaks_a_law(part: Slice) -> None:
    _, broken, scripts, refused = part
    assert not broken, f"{dict(broken)}\n\n" + "\n\n".join(scripts)
    assert refused < COMMANDS / 10, "most commands must be answered, or the slice tests nothing"


def test_every_verb_is_attacked_or_has_a_reason(part: Slice) -> None:
    given, *_ = part
    assert set(program.verbs()) == set(given) | set(OTHER_VERBS)
    assert not set(given) & set(OTHER_VERBS)


@pytest.mark.parametrize("verb", NOT_DRAWN)
def test_every_option_of_a_verb_is_given(verb: str, part: Slice) -> None:
    given, *_ = part
    reasons = NOT_DRAWN[verb]
    missing = {
        names[0]
        for names in program.options_of(verb)
        if not set(names) & (given[verb] | READING & given["fit"] | set(reasons))
    }
    assert not missing, f"{verb}: {sorted(missing)} is never drawn; add it to the draws, or a reason"
    known = {name for names in program.options_of(verb) for name in names}
    assert set(reasons) <= known | set(OF_FILES), f"{verb}: a reason for an option that is not there"
    stale = set(reasons) & given[verb]
    assert not stale, f"{verb}: {sorted(stale)} is drawn; take its reason out"


def test_every_method_is_drawn() -> None:
    names = {"min_leaf_accuracy": "optimal", "simple lines": "regression", "deviance": "regression"}
    assert {drawn(1, 0, number).method for number in range(400)} == {
        names.get(name, name) for name in METHODS
    }


def some(method: str = "optimal", **options: Any) -> Command:
    """A small table on which depth, weights and rules make a difference."""
    columns = {"c": [0, 1, 2, 3, 4, 5, 6, 7], "d": ["a", "b", "a", "b", "a", "b", "a", "b"]}
    if method == "optimal":
        options = {"cost_complexity": 0.01} | options
    y = ["no", "yes", "no", "no", "yes", "yes", "no", "yes"]
    return Command(Case(method, columns, y, None, options), Form())


def test_a_table_without_a_fault_breaks_no_law() -> None:
    assert attacked(some(max_depth=1)).mismatches == []
    assert attacked(some("near", max_depth=2)).mismatches == []


@pytest.mark.parametrize(
    ("module", "written", "command"),
    [
        (checks, "fit_words", some(max_depth=1)),
        (checks, "fit_words", some(costs=[[0.0, 1.0], [9.0, 0.0]], max_depth=1)),
        (checks, "frontier_words", some("frontier", max_leaves=6, min_samples_leaf=3).but(asked={"leaves": 2})),
        (near_checks, "near_words", some("near", max_depth=2, epsilon=1.0)),
        (near_checks, "rule_words", some("near", max_depth=2, epsilon=1.0).but(asked={"rules": {"without": ["c"]}})),
        (near_checks, "rule_words", some("near", max_depth=2, epsilon=1.0).but(asked={"later": {"root": ["d"]}})),
    ],
)  # fmt: skip
def test_a_verb_that_loses_its_options_is_noticed(
    module: Any, written: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert attacked(command).mismatches == []
    whole = getattr(module, written)
    kept = ("--target", "--max-leaves")

    def lossy(*given: Any) -> list[str]:
        return [word for word in whole(*given) if word.startswith(kept)]

    monkeypatch.setattr(module, written, lossy)
    assert attacked(command).mismatches


def test_a_crash_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*given: Any) -> Any:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("treewright.cli._fit_classes.tree_text", crash)
    assert [m.law for m in attacked(some()).mismatches] == ["the program crashes"]


def swapped(path: Any) -> Any:
    """A model file read with its labels the wrong way round."""
    content = from_file(path)
    return replace(content, tree=replace(content.tree, classes=content.tree.classes[::-1]))


@pytest.mark.parametrize(
    ("verb", "asked"),
    [*(("export", {"to": form}) for form in export_checks.ENDINGS), ("audit", {"groups": ["d"]}), ("report", {}),
     ("extend", {"tune": "none", "rows": True})],
)  # fmt: skip
def test_a_verb_that_reads_another_model_is_noticed(
    verb: str, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = some(max_depth=2).but(asked={verb: asked})
    assert attacked(command).mismatches == []
    quiet = some(max_depth=2)
    monkeypatch.setattr("treewright.convert.load_model", swapped)
    before = {m.law for m in attacked(quiet).mismatches}  # of `verify` and `predict`
    assert {m.law for m in attacked(command).mismatches} - before


@pytest.mark.parametrize(
    ("words", "law"),
    [("undefined", "report says what is no number"), ("</body></html><script>", "report is not whole")],
)
def test_a_broken_page_is_noticed(words: str, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **named: Any) -> str:
        return page(*given, **named).replace("Right on", words)

    monkeypatch.setattr("treewright.show._report._report.render_page", broken)
    assert law in [m.law for m in attacked(some(max_depth=1).but(asked={"report": {}})).mismatches]


def test_another_picture_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    command = some(max_depth=1).but(asked={"show": {"digits": 3}})
    assert attacked(command).mismatches == []
    monkeypatch.setattr("treewright.cli._show.tree_text", lambda *given, **named: "├─ c <= 1")
    assert [m.law for m in attacked(command).mismatches] == ["show draws another tree"]


def test_a_page_of_another_set_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    command = some("near", max_depth=2, epsilon=1.0).but(asked={"choose": {}})
    assert attacked(command).mismatches == []
    page_data = choose._data

    def fewer(*given: Any) -> dict[str, Any]:
        data = page_data(*given)
        data["groups"][0] = []
        return data

    monkeypatch.setattr(choose, "_data", fewer)
    assert "choose counts other trees" in [m.law for m in attacked(command).mismatches]


def test_settings_that_leave_no_column_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    case = some().case.but(columns={"c": [1] * 8})
    command = Command(case, Form(), {"look": {}})
    assert attacked(command).mismatches == []
    monkeypatch.setattr("treewright.cli._look.without_settled", lambda seen, kept: seen)
    assert [m.law for m in attacked(command).mismatches] == ["look cannot read what it wrote"]


def test_another_seed_of_a_latent_tree_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    columns = {"c": [0, 1, 2, 3, 4, 5, 6, 7], "e": [3, 1, 4, 1, 5, 9, 2, 6]}
    case = Case("latent", columns, some().case.y, None, {"depth": 2, "epochs": 2, "random_state": 3})
    command = Command(case, Form())
    assert attacked(command).mismatches == []
    whole = latent_fit_checks.latent_words
    monkeypatch.setattr(latent_fit_checks, "latent_words", lambda command: [*whole(command), "--seed=4"])
    assert any("another" in m.law for m in attacked(command).mismatches)


@pytest.mark.parametrize(
    ("kind", "method"),
    [(kind, "reborn") for kind in OF_CLASSES] + [(kind, "near values") for kind in OF_NUMBERS],
)
def test_a_model_file_that_is_read_wrongly_is_noticed(
    kind: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"c": [0, 1, 2, 3, 4, 5, 6, 7], "d": [1, 5, 2, 8, 0, 3, 3, 1]}
    y: list[Any] = some().case.y if method == "reborn" else [0.0, 0.0, 1.0, 1.0, 4.0, 4.0, 9.0, 9.0]
    file = {"kind": kind, "rows": True} | ({} if method == "reborn" else {"within": 0.1})
    command = Command(Case(method, columns, y, None, {}), Form(), {"file": file})
    assert attacked(command).mismatches == []
    whole = reborn_file_checks.model_file

    def another(*given: Any, **named: Any) -> Any:
        model = whole(*given, **named)
        return replace(model, says=lambda rows: model.says(rows[::-1]))

    monkeypatch.setattr(reborn_file_checks, "model_file", another)
    assert attacked(command).mismatches
