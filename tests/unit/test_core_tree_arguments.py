"""The compiled core, called directly with trees, ensembles and codes that it cannot use: an error, never a crash."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright._native import core


def splits(**other: Any) -> core.SplitList:
    arguments = {
        "kind": np.array([1, 0, 0], dtype=np.uint8),
        "column": np.array([0, -1, -1], dtype=np.int32),
        "threshold": np.array([0.5, 0.0, 0.0]),
        "missing_left": np.zeros(3, dtype=np.bool_),
        "category_end": np.zeros(3, dtype=np.int64),
        "categories": np.zeros(0),
    } | other
    return core.SplitList(**arguments)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": np.array([1, 0, 3], dtype=np.uint8)},
        {"kind": np.array([1, 0, 1], dtype=np.uint8), "column": np.array([0, -1, 0], dtype=np.int32)},
        {"kind": np.zeros(3, dtype=np.uint8)},
        {"column": np.array([-1, -1, -1], dtype=np.int32)},
        {"column": np.array([0], dtype=np.int32)},
        {"category_end": np.array([1, 1, 1], dtype=np.int64)},
        {"category_end": np.array([1, 0, 1], dtype=np.int64), "categories": np.zeros(1)},
    ],
    ids=str,
)
def test_splits_of_no_tree(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"splits|kind"):
        splits(**wrong)


def prune(call: str = "cheapest_pruning", **other: Any) -> Any:
    arguments = {
        "splits": splits(),
        "X": np.array([[0.0], [1.0], [1.0]]),
        "y": np.array([0, 1, 1], dtype=np.int32),
        "weight": np.ones(3, dtype=np.int64),
        "costs": np.array([[0, 1], [1, 0]], dtype=np.int64),
        "unit": (0, 1),
        "leaf": (0, 0),
        "seconds": 1.0,
    } | ({"least": 0.0} if call == "cheapest_pruning" else {"z": 0.0, "scale": 1.0})
    return getattr(core, call)(**(arguments | other))


@pytest.mark.parametrize("call", ["cheapest_pruning", "best_worst_leaf"])
@pytest.mark.parametrize(
    "wrong",
    [
        {"y": np.array([0, 10**9, 0], dtype=np.int32)},
        {"y": np.array([0, -1, 0], dtype=np.int32)},
        {"y": np.array([0, 1], dtype=np.int32)},
        {"X": np.zeros((3, 0))},
        {"weight": np.array([1, -1, 1], dtype=np.int64)},
        {"weight": np.full(3, 2**62, dtype=np.int64)},
        {"costs": np.zeros((0, 0), dtype=np.int64)},
        {"costs": np.zeros((2, 1), dtype=np.int64)},
        {"costs": np.array([[0, -1], [1, 0]], dtype=np.int64)},
        {"unit": (0, 0)},
        {"unit": (2**62, 0)},
        {"leaf": (-1, 0)},
        {"leaf": (2**62, 0)},
        {"seconds": float("nan")},
    ],
    ids=str,
)
def test_wrong_prunings(call: str, wrong: dict[str, Any]) -> None:
    source, leaves = prune(call)
    assert (source.tolist(), leaves) == ([0, -1, -1], 2)
    with pytest.raises(ValueError, match=r"rows|y must|splits|weight|costs|n_classes|unit or leaf|seconds"):
        prune(call, **wrong)


def test_wrong_counts() -> None:
    rows = (np.array([[0.0], [1.0]]), np.array([0, 1], dtype=np.int32), np.ones(2))
    left, right, count, weight = core.tree_counts(splits(), *rows, 2)
    assert (left.tolist(), right.tolist(), count.tolist()) == ([1, -1, -1], [2, -1, -1], [2, 1, 1])
    assert weight.tolist() == [[1, 1], [1, 0], [0, 1]]
    for n_classes in (0, 1, 2**40):
        with pytest.raises(ValueError, match=r"n_classes|y must"):
            core.tree_counts(splits(), *rows, n_classes)


@pytest.mark.parametrize(
    "wrong",
    [
        {"codes": np.array([[0, 3], [1, 0], [0, 0]], dtype=np.uint8)},
        {"codes": np.zeros((3, 1), dtype=np.uint8)},
        {"label": np.array([0, 2], dtype=np.uint8)},
        {"sizes": np.array([2, 0, 1], dtype=np.uint32)},
        {"sizes": np.array([2, 2], dtype=np.uint32)},
        {"n_classes": 0},
        {"triples": np.array([[0, 1, 3]], dtype=np.uint32)},
        {"triples": np.array([[0, 1]], dtype=np.uint32)},
        {"cells": np.zeros(7, dtype=np.uint32)},
    ],
)
def test_codes_that_cannot_be_counted_are_refused(wrong: dict[str, Any]) -> None:
    arguments = {
        "codes": np.array([[0, 1], [1, 0], [0, 0]], dtype=np.uint8),
        "label": np.array([0, 1], dtype=np.uint8),
        "sizes": np.array([2, 2, 1], dtype=np.uint32),
        "n_classes": 2,
        "triples": np.array([[0, 1, 2]], dtype=np.uint32),
        "cells": np.zeros(8, dtype=np.uint32),
    }
    core.count_codes(**arguments)
    assert arguments["cells"].sum() == 2
    with pytest.raises(ValueError, match=r"count_codes|sizes"):
        core.count_codes(**(arguments | wrong))


@pytest.mark.parametrize("thresholds", [[1.0, 0.0], [0.0, 0.0], [np.inf], [np.nan], np.arange(255.0)])
def test_thresholds_that_do_not_ascend_are_refused(thresholds: Any) -> None:
    with pytest.raises(ValueError, match="code_values"):
        core.code_values(np.zeros(2), np.array(thresholds, dtype=np.float64), np.zeros(2, dtype=np.uint8))


MISSING = np.zeros(3, dtype=np.bool_)
VALUES = np.array([[0.0, 2.0, np.nan], [5.0, 5.0, 5.0]])


def test_thresholds_are_searched_and_sent_to_bits_by_column() -> None:
    ranks, bits = np.empty((2, 3), dtype=np.uint32), np.empty((3, 1), dtype=np.uint8)
    thresholds = {"thresholds": np.array([1.0, np.inf, 5.0]), "begin": np.array([0, 2, 3], dtype=np.uint64)}
    core.rank_by_thresholds(
        VALUES, np.array([0, 1], dtype=np.uint32), **thresholds, missing_lowest=MISSING[:2], ranks=ranks
    )
    assert ranks.tolist() == [[0, 1, 2], [0, 0, 0]]
    core.write_threshold_bits(
        VALUES,
        np.array([0, 0, 1], dtype=np.uint32),
        np.array([np.inf, 1.0, 4.0]),
        np.array([False, True, False]),
        bits,
    )
    assert bits.tolist() == [[0b100], [0b010], [0b111]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"column": np.array([0, 2], dtype=np.uint32)},
        {"column": np.array([0], dtype=np.uint32)},
        {"begin": np.array([0, 2, 4], dtype=np.uint64)},
        {"begin": np.array([0, 4, 3], dtype=np.uint64)},
        {"begin": np.array([1, 2, 3], dtype=np.uint64)},
        {"thresholds": np.array([1.0, 0.0, 5.0])},
        {"thresholds": np.array([1.0, 2.0, np.nan])},
        {"missing_lowest": MISSING},
        {"ranks": np.zeros((2, 2), dtype=np.uint32)},
        {"ranks": np.zeros((1, 3), dtype=np.uint32)},
    ],
)
def test_groups_of_thresholds_that_cannot_be_ranked_are_refused(wrong: dict[str, Any]) -> None:
    arguments = {
        "values": VALUES,
        "column": np.array([0, 1], dtype=np.uint32),
        "begin": np.array([0, 2, 3], dtype=np.uint64),
        "thresholds": np.array([1.0, 3.0, 5.0]),
        "missing_lowest": MISSING[:2],
        "ranks": np.zeros((2, 3), dtype=np.uint32),
    }
    core.rank_by_thresholds(**arguments)
    with pytest.raises(ValueError, match="rank_by_thresholds"):
        core.rank_by_thresholds(**(arguments | wrong))


@pytest.mark.parametrize(
    "wrong",
    [
        {"column": np.array([0, 2], dtype=np.uint32)},
        {"threshold": np.array([1.0, np.nan])},
        {"threshold": np.array([1.0])},
        {"missing_left": MISSING},
        {"bits": np.zeros((2, 2), dtype=np.uint8)},
        {"bits": np.zeros((3, 1), dtype=np.uint8)},
    ],
)
def test_thresholds_that_cannot_be_sent_to_bits_are_refused(wrong: dict[str, Any]) -> None:
    arguments = {
        "values": VALUES,
        "column": np.array([0, 1], dtype=np.uint32),
        "threshold": np.array([1.0, 4.0]),
        "missing_left": MISSING[:2],
        "bits": np.zeros((2, 1), dtype=np.uint8),
    }
    core.write_threshold_bits(**arguments)
    with pytest.raises(ValueError, match="write_threshold_bits"):
        core.write_threshold_bits(**(arguments | wrong))


def ensemble(**other: Any) -> core.BornAgainEnsemble:
    arguments = {
        "feature": np.array([0, -1, -1], dtype=np.int32),
        "plane": np.array([0, 0, 0], dtype=np.int32),
        "left": np.array([1, -1, -1], dtype=np.int32),
        "right": np.array([2, -1, -1], dtype=np.int32),
        "missing_left": np.zeros(3, dtype=np.uint8),
        "values": np.array([0.0, 1.0, -1.0]),
        "roots": np.array([0], dtype=np.int32),
        "n_cells": np.array([2], dtype=np.int32),
        "missing": np.zeros(1, dtype=np.uint8),
        "bias": np.zeros(1),
        "n_classes": 2,
        "link": 1,
        "single": False,
        "exact": True,
        "divisor": 1.0,
        "cutoff": 0.0,
    } | other
    return core.bornagain_ensemble(**arguments)


@pytest.mark.parametrize(
    "wrong",
    [
        {"plane": np.array([5, 0, 0], dtype=np.int32)},
        {"plane": np.array([-1, 0, 0], dtype=np.int32)},
        {"feature": np.array([7, -1, -1], dtype=np.int32)},
        {"left": np.array([0, -1, -1], dtype=np.int32)},
        {"roots": np.array([3], dtype=np.int32)},
        {"n_cells": np.array([0], dtype=np.int32)},
        {"n_cells": np.array([2**31 - 1], dtype=np.int32)},
        {"divisor": 0.0},
        {"divisor": float("nan")},
        {"link": 9},
    ],
    ids=str,
)
def test_ensembles(wrong: dict[str, Any]) -> None:
    ensemble()
    with pytest.raises(ValueError, match=r"ensemble|n_cells"):
        ensemble(**wrong)
    with pytest.raises(ValueError, match="label"):
        core.bornagain_find_other(ensemble(), [0], [1], 300)
    with pytest.raises(ValueError, match="goal"):
        core.bornagain_exact(ensemble(), 17, 1, 1.0, 10, 2**20, None)


@pytest.mark.parametrize(
    "wrong", [{"samples": 0}, {"max_leaves": -1e300}, {"max_leaves": float("nan")}], ids=str
)
def test_questions_to_the_heuristic(wrong: dict[str, Any]) -> None:
    """Of no samples it looked at the first label; the others are no numbers of leaves."""
    asked = {
        "exact_boxes": 0.0,
        "grid_cells": 0.0,
        "samples": 10,
        "max_leaves": np.inf,
        "seed": 0,
        "descents": 0,
        "threads": 1,
        "time_limit": 10.0,
        "step_limit": 10**6,
        "memory_limit": 2**24,
        "report": None,
    }
    assert core.bornagain_hybrid(ensemble(), **asked)["complete"]
    with pytest.raises(ValueError, match=next(iter(wrong))):
        core.bornagain_hybrid(ensemble(), **(asked | wrong))


def test_no_rows_have_no_split() -> None:
    arguments = {"n_classes": 2, "costs": np.array([0.0, 1.0, 1.0, 0.0]), "min_leaf": 1}
    rows = (np.array([0, 1], dtype=np.int32), np.ones(2))
    assert core.best_of_packed_splits(np.array([[2]], dtype=np.uint8), *rows, **arguments) == 0
    none = (np.zeros(0, dtype=np.int32), np.zeros(0))
    assert core.best_of_packed_splits(np.zeros((1, 0), dtype=np.uint8), *none, **arguments) is None
