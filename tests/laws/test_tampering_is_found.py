"""Law: whatever field of a model file is changed, a check fails, or the sentence says no more than is true."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tampering import Case, cases, untold_lies
from treewright.result import LeafAccuracyResult
from treewright.verify import verify

NAMES = [
    "optimal",
    "optimal without limits",
    "stopped",
    "ranked",
    "point 2 of a front",
    "point 4 of a front",
    "leaf accuracy, accuracy",
    "leaf accuracy, lower_bound",
    "with a least leaf accuracy",
    "chosen among near-optimal trees",
    "guided",
    "program, oct",
    "program, leaf_accuracy",
    "born again, depth",
    "born again, leaves",
    "born again, depth-leaves",
]
ABOUT_TABLES = [name for name in NAMES if "born again" not in name]


@cache
def made() -> dict[str, Case]:
    """The cases by name, made once."""
    return {case.name: case for case in cases(0)}


def test_there_is_a_case_of_each_method() -> None:
    assert list(made()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_no_lie_is_left_untold(name: str) -> None:
    assert untold_lies(made()[name]) == []


GARBAGE: list[Any] = [None, "three", b"x", [], {}, object(), float("nan"), float("inf"), 1j, (1,), -(10**400)]
FIELDS = ("status", "objective", "lower_bound", "loss", "scope", "stop_reason", "stats", "options", "notes")


@pytest.mark.parametrize("method", ABOUT_TABLES)
def test_verify_reports_and_never_raises(method: str) -> None:
    case = made()[method]
    says_more = isinstance(case.result, LeafAccuracyResult) or case.problem.max_depth is not None
    for name in FIELDS:
        for value in GARBAGE:
            report = verify(
                case.problem, replace(case.result, **{name: value}), min_leaf_accuracy=case.min_leaf_accuracy
            )
            allowed = (name, value) in (("stop_reason", None), ("scope", "three"))
            allowed |= value == {} and (name == "stats" or not says_more)
            assert report.ok == allowed or allowed, (name, value)


@pytest.mark.parametrize(
    "name", ["criterion", "confidence", "min_leaf_accuracy", "max_depth", "min_samples_leaf"]
)
def test_hostile_options_are_reported(name: str) -> None:
    for case in (made()[method] for method in ABOUT_TABLES):
        of_leaves = isinstance(case.result, LeafAccuracyResult)
        if name == "criterion" and not of_leaves:
            continue  # its sentence has no such word
        if name == "confidence" and case.result.options.get("criterion") != "lower_bound":
            continue
        for value in GARBAGE[1:]:
            result = replace(case.result, options={**case.result.options, name: value})
            assert not verify(case.problem, result, min_leaf_accuracy=case.min_leaf_accuracy).ok, (
                case.name,
                value,
            )
            result.sentence()


def test_limits_that_are_left_out_are_missed() -> None:
    """Without them the sentence would speak of all trees."""
    case = made()["optimal"]
    for name in ("max_depth", "min_samples_leaf"):
        options = {key: value for key, value in case.result.options.items() if key != name}
        report = verify(case.problem, replace(case.result, options=options))
        assert [check.name for check in report.failed] == ["question"]
    assert [check.name for check in verify(case.problem, replace(case.result, options={})).failed] == [
        "question"
    ]
