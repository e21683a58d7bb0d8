"""What is meant by "a tree" in all functions of this package: a tree, a result, or a fitted estimator."""

from __future__ import annotations

from typing import Any

from treewright.errors import InputError
from treewright.result import SolveResult
from treewright.tree import Tree

__all__ = ["TreeLike", "result_of", "tree_of", "tree_with_rows"]

TreeLike = Any  # whatever `tree_of` takes


def tree_of(model: Any) -> Tree:
    """Return the tree of a model.

    Parameters
    ----------
    model : Tree, SolveResult, fitted estimator, grid search or pipeline
        Of a grid search the best estimator counts, of a pipeline the last step.

    Raises
    ------
    InputError
        It has no tree, or is not fitted.
    """
    if isinstance(model, Tree):
        return model
    for inner in ("tree", "tree_"):  # of a result; of an estimator
        found = getattr(model, inner, None)
        if isinstance(found, Tree):
            return found
    for inner in ("best_estimator_", "_final_estimator"):  # of a grid search; of a pipeline
        found = getattr(model, inner, None)
        if found is not None and not isinstance(found, str):
            return tree_of(found)
    if hasattr(model, "harden"):  # a latent tree, whose soft model decides a little differently
        return tree_of(model.harden())
    kind = type(model).__name__
    if hasattr(model, "fit") and hasattr(model, "get_params"):
        if type(model).__module__.startswith("treewright."):
            raise InputError(f"This {kind} has no tree yet; call its fit(X, y) first.")
        raise InputError(
            f"A {kind} has no treewright tree. A fitted tree of scikit-learn becomes one by "
            "treewright.convert.from_sklearn(model)."
        )
    raise InputError(f"Got a {kind}; give a Tree, a result, or a fitted estimator of treewright.")


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
            f"Got a {type(model).__name__}; give a SolveResult, or a fitted estimator that has a result_."
        )
    return found
