"""Check where missing values go at the splits whose side no training row decides, without any code of the searches.

A missing value goes to the side of more training weight: of the rows at the split or, if the whole column is complete,
of all rows. Equal weights go left. Three kinds of trees promise nothing: in a near-optimal set and in a fit on shards
the side is as a search found it, and latent trees are trained. For these, and for a tree without a certificate, the
report says that this was not checked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of
from treewright.result import SolveResult
from treewright.table import Table
from treewright.tree import CategorySplit, ThresholdSplit, Tree
from treewright.verify._chosen_note import is_of_set
from treewright.verify._facts import is_whole
from treewright.verify._report import Check
from treewright.verify._route import goes_right

__all__ = ["missing_checks", "unchecked_of"]

EQUAL = 1e-9  # relative difference of two sums of weights that rounding may make of equal ones
THRESHOLDS = "Not checked: where a threshold lies between two neighbouring values of the training rows."
SIDES = "Not checked: to which side of a split missing values go if no training row there has one, for {}."
OTHER_METHODS = {
    "latent": "latent trees are trained",
    "shards": "trees on shards have the side that the search of a shard found",
}

Rows = NDArray[np.int64]


def unchecked_of(claim: SolveResult | Tree) -> tuple[str, ...]:
    """Return sentences about what training rows do not decide of the splits of a tree, as far as it is not checked."""
    tree = claim.tree if isinstance(claim, SolveResult) else claim
    why = _why_any_side(claim)
    splits = [split for split in tree.splits if split is not None]
    said = [THRESHOLDS] if any(np.isfinite(getattr(split, "threshold", np.inf)) for split in splits) else []
    return (*said, SIDES.format(why)) if splits and why else tuple(said)


def _why_any_side(claim: SolveResult | Tree) -> str:
    """Return why missing values may go to any side that no training row decides; "" if the side is promised."""
    if not isinstance(claim, SolveResult):
        return "a tree without a certificate may have any"
    if any(is_of_set(note) for note in claim.notes):
        return "trees of a near-optimal set have the side that the search found"
    return OTHER_METHODS.get(str(claim.options.get("method")), "")


def missing_checks(
    table: Table, claim: SolveResult, sample_weight: NDArray[np.float64], rows: Sequence[Rows]
) -> tuple[Check, ...]:
    """Return the checks of what a result's tree says of missing values where the routes of the rows do not show it.

    Parameters
    ----------
    table : Table
        Training rows.
    claim : SolveResult
        The structure and the splits of its tree must have been checked.
    sample_weight : ndarray of shape (n_rows,)
    rows : sequence of ndarray
        For each node the rows that pass it.

    Returns
    -------
    tuple of Check
        None for a tree that may have any side.
    """
    if _why_any_side(claim):
        return ()
    lacks = np.asarray(np.isnan(table.X).any(axis=0))
    return _check_of_columns(claim.tree, lacks), _check_of_sides(
        table.X, claim.tree, sample_weight, rows, lacks
    )


def _check_of_columns(tree: Tree, lacks: NDArray[np.bool_]) -> Check:
    """Check which of the columns that the tree asks about may be missing."""
    fault = next(
        (
            f"{tree.columns[column].name!r:.60} has {'some' if lacks[column] else 'none'}"
            for column in sorted(tree.asked)
            if tree.columns[column].has_missing != bool(lacks[column])
        ),
        "",
    )
    said = f"in {sum(tree.columns[column].has_missing for column in tree.asked)} of the tree's columns"
    hint = "The rows have missing values in other columns than the tree says." if fault else ""
    return Check("missing values", not fault, said, fault or "as claimed", hint)


def _check_of_sides(
    X: NDArray[np.float64],
    tree: Tree,
    sample_weight: NDArray[np.float64],
    rows: Sequence[Rows],
    lacks: NDArray[np.bool_],
) -> Check:
    """Check the side of missing values at each split that no row with one reaches."""
    n_open, fault = 0, ""
    everything = np.arange(len(X))
    near = 0.0 if is_whole(sample_weight) else EQUAL
    for node, split in enumerate(tree.splits):
        if not isinstance(split, ThresholdSplit | CategorySplit):
            continue
        here = rows[node] if lacks[split.column] else everything
        if len(here) == 0 or np.isnan(X[here, split.column]).any():
            continue
        n_open += 1
        right = goes_right(split, X, here)
        left_weight, right_weight = (float(sample_weight[here[side]].sum()) for side in (~right, right))
        could_be_left = left_weight >= right_weight * (1 - near)
        could_be_right = right_weight > left_weight * (1 - near)
        if not (could_be_left if split.missing_left else could_be_right):
            fault = fault or f"node {node}: {left_weight:.9g} left, {right_weight:.9g} right"
    said = f"more weight, at {count_of(n_open, 'split')}"
    hint = (
        "No training row decides this side, so it must be the one of more training weight." if fault else ""
    )
    return Check("side of missing values", not fault, said, fault or "as claimed", hint)
