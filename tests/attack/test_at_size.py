"""A fixed slice of the attack at size, and that its laws notice a false answer; ``make attack-at-size`` goes on."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attack.at_size import laws
from attack.at_size.case import MOST_CELLS, Sized, drawn, shown
from attack.at_size.changes import Other
from attack.at_size.draw import KINDS, random_question
from attack.at_size.laws import RELATIONS, breaks
from attack.at_size.oracle import best_objective
from attack.at_size.question import Question, ask
from attack.at_size.splits import all_splits

CASES = 7  # of each seed: half a second to a second of the processor each


@pytest.mark.parametrize("seed", range(4))
def test_no_case_breaks_a_law(seed):
    broken: Counter[str] = Counter()
    scripts, refused = [], 0
    for number in range(CASES):
        case = drawn(seed, 0, number)
        outcome = case.attacked()
        refused += bool(outcome.refused)
        for mismatch in outcome.mismatches:
            broken[mismatch.law] += 1
            scripts.append(shown(case, mismatch.law, seconds=5.0))
    assert not broken, f"{dict(broken)}\n\n" + "\n\n".join(scripts)
    assert refused < CASES / 2, "most cases must be answered, or the slice tests nothing"


def test_every_kind_and_relation_is_drawn():
    questions = [random_question(np.random.default_rng([1, number])) for number in range(250)]
    assert {question.kind for question in questions} == set(KINDS)
    small = [question for question in questions if question.n_rows < 600]
    for name, relation in RELATIONS.items():
        applies = sum(relation(np.random.default_rng(0), question) is not None for question in small)
        assert applies, f"{name} applies to none of {len(small)} questions"


def tied(n_classes: int = 3) -> Question:
    """Rows in the order of their labels, one column at random, one that is tied but for three rows."""
    n = 100 * n_classes
    X = pd.DataFrame(
        {"x0": np.random.default_rng(0).permutation(n).astype(float), "x1": np.arange(n) >= n - 3.0}
    )
    y = np.repeat(np.arange(n_classes), 100)
    return Question(
        "classes", X.astype(float), y, None, {"max_depth": 2, "cost_complexity": 0.0, "thresholds": "all"}
    )


@pytest.mark.parametrize("by", [-1e-3, 1e-3])
@pytest.mark.parametrize("law", ["rows in another order", "the other engine", "oracle"])
def test_a_false_optimum_is_noticed(law, by):
    question = tied()
    true = ask(question)
    assert breaks(law, question, true, 0) == []
    false = replace(true, values=(true.value + by,), bounds=(true.value + by,))
    assert breaks(law, question, false, 0)


def test_a_bound_above_the_optimum_is_noticed():
    question = tied()
    true = ask(question)
    stopped = replace(
        true, values=(true.value + 0.1,), bounds=(true.value + 0.01,), proven=False, stopped=True
    )
    assert [m.law for m in breaks("columns stretched", question, stopped, 0) or []] == [
        "columns stretched: a bound above what was found"
    ]
    unproven = replace(stopped, bounds=(0.0,), stopped=False)
    assert breaks("columns stretched", question, unproven, 0)


def test_a_refuted_proof_is_a_mismatch(monkeypatch):
    from treewright.errors import RefutedProofWarning
    from treewright.search._result import refute

    def refuted(other: Other) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RefutedProofWarning)
            refute("no objective below .4", ".3")

    monkeypatch.setattr(laws, "answered", refuted)
    question = tied()
    found = breaks("columns stretched", question, ask(question), 0)
    assert found is not None
    assert [m.law for m in found] == ["columns stretched: RefutedProofWarning"]


def test_splits_with_missing_values_and_words():
    X = pd.DataFrame(
        {
            "x": [1.0, 2.0, np.nan, 2.0],
            "t": pd.Categorical(["a", "c", "b", None], ["a", "b", "c"], ordered=True),
        }
    )
    divisions = {frozenset((tuple(s), tuple(~s))) for s in all_splits(X).T}
    wanted = [
        "1000",
        "1010",
        "0010",
        "1011",
        "0001",
    ]  # x at most 1, or missing; missing; t at most b, without and with gaps; ...
    for word in wanted:
        left = np.array([letter == "1" for letter in word])
        assert frozenset((tuple(left), tuple(~left))) in divisions


def test_the_oracle_of_depth_two_is_above_that_of_no_split_and_below_depth_one():
    """And knows exclusive or, which no single split tells."""
    x = np.tile([0.0, 0.0, 1.0, 1.0], 25)
    z = np.tile([0.0, 1.0], 50)
    question = Question(
        "classes",
        pd.DataFrame({"x": x, "z": z}),
        (x != z).astype(int),
        None,
        {"max_depth": 1, "cost_complexity": 0.01, "thresholds": "all"},
    )
    assert best_objective(question) == pytest.approx(0.51)
    assert best_objective(question.having(max_depth=2)) == pytest.approx(0.04)
    assert best_objective(question.having(max_depth=2, min_samples_leaf=26)) == pytest.approx(0.51)


def test_a_case_is_made_small_and_its_script_runs(monkeypatch, capsys):
    """Whatever breaks the law in a few hundred rows is shown as a script without the attack's own code."""
    case = next(
        c for c in (drawn(8, 0, k) for k in range(50)) if c.method == "classes" and c.question.n_rows < 600
    )
    monkeypatch.setattr(
        Sized, "breaks", lambda self, law: [laws.Mismatch(law, "seen")] if self.question.n_rows > 9 else []
    )
    text = shown(case, "columns stretched: another optimum")
    assert "attack" not in text
    assert text.count(".fit(X, y") == 2
    exec(text, {})
    assert capsys.readouterr().out.count("Proven optimal") == 2


def test_a_large_case_is_shown_by_how_it_is_drawn():
    case = next(c for c in (drawn(9, 0, k) for k in range(50)) if c.question.X.size > 4 * MOST_CELLS)
    part = case.cut("rows", 0, 2)
    assert part.question.n_rows == case.question.n_rows - case.question.n_rows // 2
    assert f"Sized(9, 0, {case.number}).cut('rows', 0, 2).breaks('oracle')" in part.script("oracle: worse")
