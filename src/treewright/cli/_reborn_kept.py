"""What `treewright reborn` keeps of the tree that was found: columns as the table has them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright.result import BornAgainResult
    from treewright.tree import Column

__all__ = ["with_columns"]


def with_columns(result: BornAgainResult, columns: tuple[Column, ...]) -> BornAgainResult:
    """Let the tree speak of the table's columns (0/1, true/false), so that it reads such files again."""
    kinds = tuple(
        replace(column, has_missing=own.has_missing)
        for column, own in zip(columns, result.tree.columns, strict=True)
    )
    return replace(result, tree=replace(result.tree, columns=kinds))
