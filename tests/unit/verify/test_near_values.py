"""The checker of trees near a model's numbers: true claims hold, each changed one is found."""

from dataclasses import replace

import numpy as np
import pytest

from treewright.bornagain import distil_values
from treewright.errors import InputError
from treewright.result import SolveStatus, StopReason
from treewright.table import table_from
from treewright.verify import verify_near_values
from treewright.verify._near_values import fewest_outside


def random_result(seed, **more):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    columns = {
        "a": rng.integers(0, 5, n).astype(float),
        "b": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
    }
    X = np.column_stack(list(columns.values()))
    numbers = rng.choice([rng.integers(0, 6, n) / 3, rng.normal(size=n), 10.0 ** rng.uniform(-8, 8, n)])
    asked = {
        "tolerance": float(rng.choice([0, 0.5, 1])),
        "share": float(rng.choice([0, 0.2, 0.4])),
        "max_depth": int(rng.integers(0, 4)),
        "max_leaves": int(rng.integers(1, 7)),
    }
    return distil_values(numbers, X, **(asked | more)), numbers, table_from(X)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_claimed_holds(seed):
    for more in ({}, {"step_limit": 1}, {"step_limit": 4}):
        result, numbers, table = random_result(seed, **more)
        report = verify_near_values(numbers, table, result)
        assert report.ok, report


X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]])
NUMBERS = np.array([0.0, 0.1, 5.0, 5.2, 9.0, 9.4])


@pytest.fixture(scope="module")
def honest():
    result = distil_values(NUMBERS, X, tolerance=0.5, max_depth=2, max_leaves=4)
    assert result.status is SolveStatus.OPTIMAL
    assert result.tree.n_leaves == 3
    return result


def with_stats(result, **changes):
    return replace(result, stats={**result.stats, **changes})


def with_options(result, **changes):
    return replace(result, options={**result.options, **changes})


CHANGES = {
    "fields of the certificate": lambda r: with_stats(r, rows_alike=None),
    "rows": lambda r: with_stats(r, rows=7),
    "rows that are near": lambda r: with_stats(r, rows_alike=5),
    "rows that were asked": lambda r: with_options(r, share=0.5),
    "loss": lambda r: replace(r, loss=0.1),
    "scope": lambda r: replace(r, scope="all rows"),
    "objective": lambda r: replace(r, objective=2.0),
    "leaves": lambda r: with_stats(r, leaves=2),
    "max_depth": lambda r: with_options(r, max_depth=1),
    "max_leaves": lambda r: with_options(r, max_leaves=2),
    "splits": lambda r: with_options(r, splits="all thresholds and all single categories against the rest"),
    "leaves_lower_bound": lambda r: with_stats(r, leaves_lower_bound=4),
    "lower_bound": lambda r: replace(r, lower_bound=2.0),
    "status": lambda r: replace(r, stop_reason=StopReason.TIME_LIMIT),
    "structure": lambda r: replace(r, tree=replace(r.tree, children_left=r.tree.children_left[::-1].copy())),
    "columns": lambda r: replace(r, tree=replace(r.tree, columns=r.tree.columns[::-1])),
    "rows of the nodes": lambda r: replace(r, tree=replace(r.tree, n_node_samples=r.tree.n_node_samples + 1)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_changed_claim_is_found(honest, name):
    table = table_from(X)
    assert verify_near_values(NUMBERS, table, honest).ok
    report = verify_near_values(NUMBERS, table, CHANGES[name](honest))
    assert name in {check.name for check in report.failed}, report


def test_numbers_of_leaves_are_counted(honest):
    moved = replace(honest, tree=replace(honest.tree, value=honest.tree.value + 0.4))
    failed = {check.name for check in verify_near_values(NUMBERS, table_from(X), moved).failed}
    assert {"rows that are near", "loss", "scope"} <= failed


def test_a_part_that_is_as_near_refutes_the_size(honest):
    """The same tree of three leaves, for a tolerance that two leaves keep to."""
    wide = with_options(honest, tolerance=2.7)
    failed = {check.name for check in verify_near_values(NUMBERS, table_from(X), wide).failed}
    assert failed == {"leaves_lower_bound", "status"}
    stopped = replace(wide, status=SolveStatus.FEASIBLE, stop_reason=StopReason.TIME_LIMIT)
    failed = {check.name for check in verify_near_values(NUMBERS, table_from(X), stopped).failed}
    assert failed == {"leaves_lower_bound"}
    true = replace(with_stats(stopped, leaves_lower_bound=2), lower_bound=2.0)
    assert verify_near_values(NUMBERS, table_from(X), true).ok


def test_other_numbers_in_the_leaves_refute_the_share(honest):
    """As many leaves that say other numbers are near on more rows."""
    value = honest.tree.value.copy()
    value[np.flatnonzero(honest.tree.is_leaf)[0]] += 100
    worse = replace(honest, tree=replace(honest.tree, value=value), loss=1 / 3, scope="")
    worse = with_stats(with_options(worse, share=0.4), rows_alike=4, rows_asked=4)
    worse = replace(worse, scope="4 of the 6 rows that it was made from")
    failed = {check.name for check in verify_near_values(NUMBERS, table_from(X), worse).failed}
    assert "status" in failed


def test_parts_are_the_leaf_the_sides_and_the_split(honest):
    tree = honest.tree
    assert fewest_outside(tree, X, NUMBERS, 0.5) == [4, 2, 0]
    assert fewest_outside(tree, X, NUMBERS, 10.0) == [0, 0, 0]


def test_what_is_no_such_tree(honest):
    table = table_from(X)
    with pytest.raises(InputError, match="finite numbers"):
        verify_near_values(NUMBERS[1:], table, honest)
    with pytest.raises(InputError, match="not of a tree near"):
        verify_near_values(NUMBERS, table, with_options(honest, objective="rows"))
