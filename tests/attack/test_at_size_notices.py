"""The attack at size notices defects that are planted: in each way of asking again, each kind, each comparison.

A planted defect answers a question as if it allowed shallower trees, so that the answer is a false optimum with all
that belongs to it. It shows only in the questions that one relation asks: where rows are in another order, where two
threads search.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attack.at_size import laws
from attack.at_size.case import drawn
from attack.at_size.draw import KINDS
from attack.at_size.laws import ORACLE, RELATIONS, VERIFIER, breaks, the_others
from attack.at_size.question import Answer, Question, ask, limited_to
from attack.at_size.verified import MAKERS

N = 120
Shows = Callable[[Question, Question], bool]  # the question of a relation, and the one before it
MOST_SEEDS = 20  # of a relation that chooses among several ways
MOST_CASES = 40  # that are drawn until a defect is seen


def tied(kind: str = "classes", **options: Any) -> Question:
    """Three blocks of rows in order, told by one column; another of noise. No tree of one split is the best."""
    block = np.repeat(np.arange(3), N // 3)
    noise = np.random.default_rng(0).permutation(N) // 12
    X = pd.DataFrame({"x0": noise.astype(float), "x1": (block * 5 + np.arange(N) % 3).astype(float)})
    targets: dict[str, Any] = {
        "two": block % 2,
        "three": block,
        "numbers": np.array([1.0, 7.0, 2.0])[block] + noise % 2,
        "rewards": np.eye(3)[block] * 4 + (noise % 2)[:, None] * np.array([0.0, 1.0, 0.0]),
        "times": np.column_stack([np.ones(N), np.array([3.0, 90.0, 20.0])[block] + noise]),
        "costs": np.column_stack([block, 3 * (1 - np.eye(3))[block]]),
    }
    of_kind = {"f1": "two", "roc": "two", "policy": "rewards", "survival": "times", "row costs": "costs"}
    of_kind |= dict.fromkeys(("regression", "regression front"), "numbers")
    given: dict[str, Any] = {"max_depth": 2}
    if kind in ("classes", "f1", "row costs", "regression", "probability", "policy", "survival"):
        given["cost_complexity"] = 0.0
    if kind in ("classes", "leaf", "near", "front", "f1", "roc"):
        given["thresholds"] = "all"
    given |= {
        "f1": {"objective": "f1"},
        "near": {"cost_complexity": 0.001, "epsilon": 0.01, "redundant_splits": False},
        "front": {"max_leaves": 3},
        "regression front": {"max_leaves": 3},
        "leaf": {"criterion": "accuracy", "min_samples_leaf": 5},
        "probability": {"criterion": "brier"},
    }.get(kind, {})
    return Question(kind, X, targets[of_kind.get(kind, "three")], None, given | options)


def shallower(question: Question) -> Question:
    return question.having(max_depth=1) if question.kind != "leaf" else question.having(max_depth=0)


def planted(shows: Callable[[Question], bool]) -> Callable[[Question], Answer]:
    """The library with a defect that shows in some questions."""
    return lambda question: ask(shallower(question) if shows(question) else question)


def level_is_lower(question: Question, before: Question) -> bool:
    from treewright._native import core

    return bool(core.simd() != core.detected_simd())


WEIGHTED = {"weight": np.resize([1.0, 2.0], N)}
EQUAL_ROWS = tied().but(X=tied().X // 5)
# A question that the relation applies to, and where the defect shows.
PLANTED: dict[str, tuple[Question, Shows]] = {
    "rows in another order": (tied(), lambda q, before: not np.array_equal(q.y, before.y)),
    "columns in another order": (tied(), lambda q, before: list(q.X) != list(before.X)),
    "columns stretched": (tied(), lambda q, before: not q.X.equals(before.X)),
    "labels renamed": (tied(), lambda q, before: q.y[0] != before.y[0]),
    "a column more": (tied(), lambda q, before: q.X.shape[1] > before.X.shape[1]),
    "rows repeated": (tied(), lambda q, before: q.n_rows > before.n_rows),
    "equal rows merged": (EQUAL_ROWS, lambda q, before: q.n_rows < before.n_rows),
    "rows of no weight": (tied(), lambda q, before: bool((q.weights == 0).any())),
    "weights in another unit": (tied().but(**WEIGHTED), lambda q, before: q.weights[0] != before.weights[0]),
    "targets in another unit": (tied("regression"), lambda q, before: bool((q.y != before.y).any())),
    "two threads": (tied(), lambda q, before: q.options.get("n_jobs") == 2),
    "another instruction set": (tied(), level_is_lower),
    "switches": (tied(), lambda q, before: "search_options" in q.options),
    "stopped": (tied(), lambda q, before: "step_limit" in q.options),
    "the other engine": (tied(), lambda q, before: "engine" in q.options.get("search_options", {})),
    "thresholds by name": (tied(), lambda q, before: isinstance(q.options.get("thresholds"), dict)),
    "splits as columns": (tied(), lambda q, before: "s0" in q.X),
    "the point of a front": (tied(max_leaf_nodes=3), lambda q, before: q.kind == "front"),
    "a limit of leaves": (tied(), lambda q, before: "max_leaf_nodes" in q.options),
    "the least of a set": (tied("near"), lambda q, before: q.kind == "classes"),
    "every leaf right on none": (tied(), lambda q, before: "min_leaf_accuracy" in q.options),
    "costs row by row": (tied(), lambda q, before: q.kind in ("row costs", "policy")),
    "zeros and ones": (tied("probability"), lambda q, before: q.kind == "regression"),
    "the half quantile": (tied("regression", criterion="absolute_error"), lambda q, before: "quantile" in q.options),
}  # fmt: skip


def test_every_relation_has_a_defect() -> None:
    assert set(PLANTED) == set(RELATIONS)


@pytest.mark.parametrize("law", RELATIONS)
def test_a_defect_that_shows_when_asked_otherwise_is_noticed(
    law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, shows = PLANTED[law]
    answer = ask(question)
    assert answer.proven
    for seed in range(MOST_SEEDS):
        if any(shown(other, shows, question) for other in the_others(law, question, seed)):
            break
    assert breaks(law, question, answer, seed) == []
    monkeypatch.setattr(laws, "ask", planted(lambda asked: shows(asked, question)))
    found = breaks(law, question, answer, seed)
    assert found
    assert {mismatch.law.removeprefix(f"{law}: ") for mismatch in found} <= set(COMPARISONS)


def shown(other: Any, shows: Shows, question: Question) -> bool:
    if not other.level:
        return shows(other.question, question)
    with limited_to(other.level):
        return shows(other.question, question)


def changed(**of: Any) -> Callable[[Answer], Answer]:
    return lambda answer: replace(answer, **of)


def moved(by: float, **of: Any) -> Callable[[Answer], Answer]:
    """An optimum that is not one."""
    return lambda answer: replace(answer, values=(answer.value + by,), bounds=(answer.value + by,), **of)


STOPPED = {"proven": False, "stopped": True}
# What `laws` says of two answers, and how the other one has to be false.
COMPARISONS: dict[str, list[Callable[[Answer], Answer]]] = {
    "no proof, and nothing stopped it": [changed(proven=False, stopped=False)],
    "a bound above what was found": [
        lambda answer: replace(answer, values=(1.0,), bounds=(answer.value + 1e-3,), **STOPPED)
    ],
    "another optimum": [moved(1e-3), moved(-1e-3)],
    "another number of leaves": [changed(leaves=2)],
    "better than the optimum": [
        lambda answer: replace(answer, values=(answer.value - 1e-3,), bounds=(answer.value - 1.0,), **STOPPED)
    ],
}


def test_every_comparison_can_fail() -> None:
    said = re.findall(r'yield "([^"]+)"', inspect.getsource(laws._differ))
    assert set(said) == set(COMPARISONS)
    question = tied()
    answer = ask(question)
    for words, defects in COMPARISONS.items():
        for defect in defects:
            found = dict(laws._differ(answer, defect(answer)))
            assert words in found
            assert words in dict(laws._differ(defect(answer), answer)) or words == "better than the optimum"
    assert not dict(laws._differ(answer, answer))


@pytest.mark.parametrize("kind", KINDS)
def test_a_false_optimum_of_every_kind_is_noticed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    question = tied(kind)
    answer, false = ask(question), ask(shallower(question))
    assert answer.proven
    law = "rows in another order"
    assert breaks(law, question, answer, 0) == []
    monkeypatch.setattr(laws, "ask", planted(lambda asked: not np.array_equal(asked.y, question.y)))
    assert breaks(law, question, answer, 0)
    if kind in MAKERS:
        assert breaks(VERIFIER, question, answer, 0) == []
        assert breaks(VERIFIER, question, false, 0)


ASKED_OF_THE_ORACLE = [
    tied(),
    tied(costs=[[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [1.0, 1.0, 0.0]]),
    tied("row costs"),
    tied("policy"),
    tied("survival"),
    tied("probability"),
    tied("probability", criterion="log_loss"),
    *(tied("regression", criterion=c) for c in ("squared_error", "poisson", "gamma")),
]


@pytest.mark.parametrize(
    "question", ASKED_OF_THE_ORACLE, ids=lambda q: f"{q.kind} {q.options.get('criterion', '')}"
)
def test_the_oracle_notices_both_ways(question: Question) -> None:
    answer = ask(question)
    assert breaks(ORACLE, question, answer, 0) == []
    false = ask(shallower(question))
    assert [m.law for m in breaks(ORACLE, question, false, 0) or []] == ["oracle: worse than the best tree"]
    shallow = shallower(question)
    assert breaks(ORACLE, shallow, false, 0) == []
    assert [m.law for m in breaks(ORACLE, shallow, answer, 0) or []] == ["oracle: better than any tree"]


def labels_exchanged(arguments: dict[str, Any]) -> dict[str, Any]:
    """Rows behind the first 255 have the labels of others."""
    y = arguments["y"].copy()
    y[255:] = y[255:][::-1]
    return arguments | {"y": y}


def targets_exchanged(arguments: dict[str, Any]) -> dict[str, Any]:
    """The same for numbers."""
    weighted = arguments["weighted"].copy()
    weighted[..., 255:] = weighted[..., 255:][..., ::-1]
    return arguments | {"weighted": weighted}


def a_column_unseen(arguments: dict[str, Any]) -> dict[str, Any]:
    """Of more than 255 rows the last column is never split: the answer agrees with itself."""
    rank = arguments["rank"].copy()
    if rank.shape[1] > 255:
        rank[-1] = 0
    return arguments | {"rank": rank}


@pytest.mark.parametrize(
    ("function", "defect"),
    [
        ("RankedProblem", labels_exchanged),
        ("squared_error_solve", targets_exchanged),
        ("squared_error_solve", a_column_unseen),
    ],
)  # fmt: skip
def test_a_defect_of_an_engine_at_size_is_found(
    function: str, defect: Callable[[dict[str, Any]], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In cases that are drawn, where nothing is known of it."""
    from treewright._native import core

    whole = getattr(core, function)
    monkeypatch.setattr(core, function, lambda **arguments: whole(**defect(arguments)))
    for number in range(MOST_CASES):
        case = drawn(3, 0, number)
        mismatches = case.attacked().mismatches
        if mismatches:
            break
    assert mismatches
    monkeypatch.setattr(core, function, whole)
    assert not case.attacked().mismatches
