"""Refuse trees that cannot be compared with an ensemble box by box."""

from __future__ import annotations

from treewright.errors import InputError
from treewright.tree import ThresholdSplit, Tree

__all__ = ["refuse_other_columns"]


def refuse_other_columns(tree: Tree, n_features: int) -> None:
    """Raise InputError if a tree has other columns than the ensemble, or splits that are not threshold splits."""
    if len(tree.columns) != n_features:
        raise InputError(
            f"The tree has {len(tree.columns)} columns and the ensemble {n_features}; they were not made for the same "
            "table."
        )
    other = [split for split in tree.splits if split is not None and not isinstance(split, ThresholdSplit)]
    if other:
        raise InputError(
            f"The tree has the split {other[0]}; only threshold splits can be compared with an ensemble."
        )
