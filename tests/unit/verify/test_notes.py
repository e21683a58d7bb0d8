"""Notes are told with the certificate: none may claim what no method claims."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from treewright.binarize import auto_splits
from treewright.problem import make_problem
from treewright.result import note_of_rounding, shallow_note
from treewright.search import solve
from treewright.search._result import LEAVES_NOT_PROVEN, refute
from treewright.table import table_from
from treewright.verify import verify


@pytest.fixture(scope="module")
def asked():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(30, 2)).astype(float)
    problem = make_problem(table_from(X), (X[:, 0] > 2) ^ (rng.random(30) < 0.2), max_depth=2)
    return problem, solve(problem)


@pytest.mark.parametrize(
    "note",
    [
        "No tree is better.",
        "It is proven that this is the smallest tree.",
        "This tree is optimal on all rows.",
        "There is a proof that no other tree of any depth has fewer leaves.",
        LEAVES_NOT_PROVEN.replace("not ", ""),
        "Proven by everyone in floating point.",
        "The search without the guess did not end first; no tree is below 0.900000.",
        "Theorem 4.1: the objective of the optimum is at most 0.010000 = 0.000000 (loss of the reference) + 0.01 x 1.",
    ],
)
def test_a_claim_that_no_method_makes_is_noticed(asked, note):
    problem, result = asked
    assert not verify(problem, replace(result, notes=(note,))).ok


def test_what_methods_say_is_taken(asked):
    problem, result = asked
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refuted = refute("no objective below 0.5", "0.4")
    notes = (
        LEAVES_NOT_PROVEN,
        refuted,
        note_of_rounding("The weights and costs", 1e-7),
        "Proven by HiGHS 1.15.1 in floating point, to its tolerance of 1e-06.",
        "HiGHS 1.15.1 claims an objective of 0.100000, but no tree it found has one below 0.200000 on the data: its "
        "tolerances made it miscount rows. The objective reported here is recomputed from the tree.",
        "The search without the guess did not end first; no tree is below 0.010000.",
        "Theorem 4.1: the objective of the optimum is at most 0.906239 = 0.044944 (loss of the reference) + 0.43 x 2.",
        "No thresholds were given for 'proven optimal': not split.",
        "Column 'no tree is better' is read as numbers with a decimal comma.",
        "The reference is right on 90.00% of the training weight.",
        "That is no better than a single leaf: its guesses are poor. Give a better reference.",
    )
    report = verify(problem, replace(result, notes=notes))
    assert report.ok, str(report)
    assert shallow_note({}, 2, 0.1).startswith("Proven of shallower trees")


def test_the_name_of_a_column_claims_nothing():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(600, 2)), columns=["proof of income", "optimal dose"])
    problem = make_problem(table_from(X), rng.random(600) < 0.5, max_depth=2)
    result = solve(problem, auto_splits(problem.table, max_splits=100))
    assert any("proof of income" in note for note in result.notes)
    assert verify(problem, result).ok
    lie = "It is proven that no tree is better: proof of income, optimal dose."
    assert not verify(problem, replace(result, notes=(lie,))).ok
