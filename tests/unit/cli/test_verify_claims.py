"""`treewright verify`: changed files whose claims were once believed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tampered_files import Made, made, run
from treewright.convert import from_json, load_model
from treewright.errors import ModelFileError
from treewright.result import SolveStatus


@cache
def one_of(kind: str, folder: Path) -> Made:
    return next(iter(made(folder, 0, (kind,))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("claims")


def put(*place: Any, value: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for key in place[:-1]:
            content = content[key]
        content[place[-1]] = value

    return change


CLAIM = "certificate"
CHANGES: list[tuple[str, int, Callable[[Any], None]]] = [
    ("classes", 1, put(CLAIM, "scope", value="over accuracy")),
    ("classes", 1, put(CLAIM, "options", "method", value="regression")),
    ("survival", 2, put(CLAIM, "terms", "objective", value="policy")),
    ("near values", 1, put(CLAIM, "options", "tolerance", value=2.5)),
    ("near values", 1, put(CLAIM, "options", "share", value=0.11)),
    ("near values", 1, put(CLAIM, "options", "max_leaves", value=15)),
    ("near values", 1, put(CLAIM, "options", "max_depth", value=3)),
    ("near values", 1, put(CLAIM, "options", "splits", value="the given thresholds")),
    ("near values", 1, put("nodes", 0, "value", value=[1.0])),
    ("shards", 1, put(CLAIM, "scope", value="over accuracy")),
    ("shards", 1, put(CLAIM, "stats", "shards_lost", value=2)),
    ("shards", 1, put(CLAIM, "options", "min_leaf_accuracy", value=0.9)),
    (
        "shards",
        1,
        put(CLAIM, "notes", value=["Proven of shallower trees: no tree of depth at most 9 is better."]),
    ),
    ("born again", 2, put(CLAIM, "options", "method", value=None)),
    ("born again", 2, put(CLAIM, "options", "objective", value="active")),
    ("born again", 2, put(CLAIM, "options", "domain", value=None)),
    ("born again, domain", 1, put(CLAIM, "options", "domain", "ranges", "x0", value=[0.0, 4.0])),
    ("born again, domain", 1, put(CLAIM, "options", "domain", "ranges", "x0", value=[0.0, "inf"])),
    ("born again, domain", 1, put(CLAIM, "options", "domain", "integers", value=["x1"])),
    ("born again, domain", 2, put(CLAIM, "options", "domain", "one_hot", value=[["x0", "x9"]])),
    ("born again, domain", 2, put(CLAIM, "options", "domain", "one_hot", value="x0")),
    ("born again, domain", 2, put(CLAIM, "options", "domain", "ranges", "x0", value=[0.0])),
    ("born again, domain", 2, put(CLAIM, "options", "domain", value=[])),
    ("born again, domain", 2, lambda content: content[CLAIM]["options"].pop("domain")),
    ("born again, numbers", 2, put(CLAIM, "options", "domain", value=None)),
    ("born again, numbers, domain", 1, put(CLAIM, "scope", value="all rows without missing values")),
    ("born again, numbers, domain", 1, put(CLAIM, "options", "domain", "ranges", "a", value=[0.0, 2.0])),
    ("born again, numbers, domain", 1, put(CLAIM, "options", "domain", "ranges", value={})),
    ("born again, numbers, domain", 1, put(CLAIM, "options", "domain", "one_hot", value=[["a", "b"]])),
    ("born again, numbers, domain", 1, put(CLAIM, "stats", "rows_apart", 0, value=[[0, 2.5]])),
    ("born again, numbers, domain", 2, put(CLAIM, "options", "domain", "integers", value=["z"])),
    ("born again, numbers, domain", 2, lambda content: content[CLAIM]["options"].pop("domain")),
    ("latent", 1, put(CLAIM, "lower_bound", value=0.05)),
    ("near-optimal set", 1, put("limits", "min_samples_leaf", value=2)),
    ("near-optimal set", 1, put("unit", value="1/59")),
    ("near-optimal set", 1, put("least", value="1")),
    ("near-optimal set", 1, put("budget", value="60")),
    ("near-optimal set", 1, put("rules", value=["without 'a'"])),
    ("near-optimal set", 1, put("scope", value="all thresholds")),
    ("near-optimal set of all splits", 1, put("rules", value=[])),
    ("near-optimal set of all splits", 1, put("rules", value=["without 'w'"])),
]


HOSTILE = [None, "x", [], {}, float("inf"), float("nan"), 1e308, -1e308, 10**300, True, -1]
SAID = [
    "rows",
    "rows_asked",
    "shards",
    "shards_lost",
    "leaves_lower_bound",
    "mean_reward",
    "upper_bound",
    "tolerance",
]


@pytest.mark.parametrize("kind", ["classes", "policy", "shards", "near values", "worst leaf"])
def test_a_sentence_of_anything_can_be_said(kind: str, folder: Path) -> None:
    file = folder / "changed.json"
    file.write_text(json.dumps(one_of(kind, folder).content), encoding="utf-8")
    result = load_model(file).result
    assert result is not None
    for value in HOSTILE:
        for status in SolveStatus:
            for name in SAID:
                stats, options = {**result.stats, name: value}, {**result.options, name: value}
                assert replace(result, status=status, stats=stats, options=options).sentence()
            for name in ("objective", "lower_bound", "loss"):
                number: Any = value if isinstance(value, float) else 1e300
                assert replace(result, status=status, **{name: number}).sentence()


def test_numbers_beyond_float64_are_no_statistics(folder: Path) -> None:
    changed = copy.deepcopy(one_of("policy", folder).content)
    changed[CLAIM]["stats"]["mean_reward"] = 10**400
    with pytest.raises(ModelFileError, match=r"certificate\.stats\.mean_reward"):
        from_json(json.dumps(changed))


@pytest.mark.parametrize(("kind", "status", "change"), CHANGES)
def test_is_refused(kind: str, status: int, change: Callable[[Any], None], folder: Path) -> None:
    one, file = one_of(kind, folder), folder / "changed.json"
    changed = copy.deepcopy(one.content)
    change(changed)
    file.write_text(json.dumps(changed), encoding="utf-8")
    said = run("verify", str(file), *one.against)
    assert (said[0], said[2]) == (status, None), said


def test_a_set_that_lacks_a_split(folder: Path) -> None:
    """Another category in place of one: then trees with that one are not in the set."""
    one, file = one_of("near-optimal set", folder), folder / "changed.json"
    changed = copy.deepcopy(one.content)
    nodes = changed["splits"]["nodes"]
    by_word = [node["split"] for node in nodes if node["split"] and node["split"]["kind"] == "category"]
    by_word[0]["left"] = by_word[1]["left"]
    file.write_text(json.dumps(changed), encoding="utf-8")
    status, printed, error = run("verify", str(file), *one.against)
    assert status in (1, 2), printed
    assert error is None


def test_a_file_without_its_question_says_so(folder: Path) -> None:
    one, file = one_of("near values", folder), folder / "changed.json"
    changed = copy.deepcopy(one.content)
    changed["certificate"]["terms"] = None
    file.write_text(json.dumps(changed), encoding="utf-8")
    status, printed, _ = run("verify", str(file), *one.against, "--target", "yhat")
    assert status == 0, printed
    assert "does not hold the question" in printed


def test_columns_that_the_data_lack_are_named(folder: Path) -> None:
    """The tree does not ask about them, so they are not needed; but none of them is "as claimed"."""
    one, file = one_of("classes", folder), folder / "changed.json"
    changed = copy.deepcopy(one.content)
    asked = {node["split"]["column"] for node in changed["nodes"] if node["split"]}
    place = next(k for k in range(len(changed["columns"])) if k not in asked)
    changed["columns"][place]["name"] = "of no table"
    file.write_text(json.dumps(changed), encoding="utf-8")
    status, printed, _ = run("verify", str(file), *one.against)
    assert status == 0, printed
    assert "all but 'of no table'" in printed


def test_without_a_certificate_only_the_decisions_are_checked(folder: Path) -> None:
    one, file = one_of("born again", folder), folder / "changed.json"
    file.write_text(json.dumps(one.content | {CLAIM: None}), encoding="utf-8")
    status, printed, _ = run("verify", str(file), *one.against)
    assert status == 0, printed
    assert "holds no certificate" in printed
