"""What `treewright reborn` keeps of the tree that was found: leaves merged, columns as the table has them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright.result import BornAgainResult
    from treewright.tree import Column

__all__ = ["merged", "with_columns"]


def merged(result: BornAgainResult) -> BornAgainResult:
    """The result with sibling leaves of one class merged: all decisions stay, the proof was of them apart."""
    from treewright.bornagain import smaller_result
    from treewright.tree import merge_equal_leaves

    tree = merge_equal_leaves(result.tree)
    if tree.n_leaves == result.tree.n_leaves:
        return result
    n_apart = result.tree.n_leaves
    apart = f"Sibling leaves of one class were merged, which changes no decision; apart they were {n_apart}."
    return smaller_result(result, tree, apart)


def with_columns(result: BornAgainResult, columns: tuple[Column, ...]) -> BornAgainResult:
    """Let the tree speak of the table's columns (0/1, true/false), so that it reads such files again."""
    kinds = tuple(
        replace(column, has_missing=own.has_missing)
        for column, own in zip(columns, result.tree.columns, strict=True)
    )
    return replace(result, tree=replace(result.tree, columns=kinds))
