"""Trees that come with rows, and certificates; what is meant by "a tree" is said in `treewright.convert`."""

from __future__ import annotations

from typing import Any

from treewright._plural import kind_of
from treewright.convert import TreeLike, tree_of
from treewright.errors import InputError
from treewright.result import SolveResult
from treewright.tree import Tree

__all__ = ["TreeLike", "result_of", "tree_of", "tree_with_rows"]


def tree_with_rows(model: Any) -> Tree:
    """Return the tree of a model whose rows come beside it: not of a pipeline, which changes them first.

    Raises
    ------
    InputError
        As in `tree_of`, or the model is a pipeline.
    """
    if hasattr(getattr(model, "best_estimator_", model), "_final_estimator"):
        raise InputError(
            "The tree of a pipeline speaks of the columns after the steps before it; give pipeline[-1] as the model, "
            "and pipeline[:-1].transform(X) as the rows."
        )
    return tree_of(model)


def result_of(model: Any) -> SolveResult:
    """Return the certificate of a fitted estimator.

    Raises
    ------
    InputError
        It has none.
    """
    found = getattr(model, "result_", model)
    if not isinstance(found, SolveResult):
        raise InputError(
            f"Got {kind_of(model)}; give a SolveResult, or a fitted estimator that has a result_."
        )
    return found
