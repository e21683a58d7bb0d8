"""Trees that come with rows, and certificates; what is meant by "a tree" is said in `treewright.convert`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import kind_of
from treewright.convert import TreeLike, tree_of
from treewright.errors import InputError
from treewright.result import SolveResult
from treewright.tree import Tree, TreeKind

__all__ = ["TreeLike", "costs_of_actions", "result_of", "tree_of", "tree_with_rows"]


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


def costs_of_actions(model: Any) -> NDArray[np.float64] | None:
    """Return what each action of a policy tree costs, for the mean rewards of its leaves.

    None for other trees, without costs, and for a tree alone, which does not know what it was fitted with.
    """
    if tree_of(model).kind is not TreeKind.POLICY:
        return None
    inner = getattr(model, "best_estimator_", model)
    inner = getattr(inner, "_final_estimator", inner)
    costs = getattr(getattr(inner, "result_", inner), "options", {}).get("action_costs")
    return None if costs is None else np.asarray(costs, dtype=np.float64)
