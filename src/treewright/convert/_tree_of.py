"""What is meant by "a tree" in functions that show or export one: a tree, a result, or a fitted estimator."""

from __future__ import annotations

from typing import Any

from treewright.errors import InputError
from treewright.result import SolveResult
from treewright.tree import Tree

__all__ = ["TreeLike", "answering_tree", "saved_tree", "tree_of"]

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
        if type(model).__module__.startswith("treewright.") and any(
            name.endswith("_") and not name.startswith("_") for name in vars(model)
        ):
            raise InputError(f"A {kind} holds no tree that could be shown or written.")
        if type(model).__module__.startswith("treewright."):
            raise InputError(f"This {kind} has no tree yet; call its fit(X, y) first.")
        raise InputError(
            f"A {kind} has no treewright tree. A fitted tree of scikit-learn becomes one by "
            "treewright.convert.from_sklearn(model)."
        )
    raise InputError(f"Got a {kind}; give a Tree, a result, or a fitted estimator of treewright.")


def answering_tree(model: Any) -> Tree:
    """Return the tree of a model that answers as this tree does, so that an export answers as the model.

    Raises
    ------
    InputError
        As in `tree_of`; or the model answers otherwise than its tree: models in the leaves of a hybrid, the soft
        splits of a latent tree, a pipeline that changes rows first.
    """
    own = getattr(model, "best_estimator_", model)
    if hasattr(own, "_final_estimator"):
        raise InputError(
            "The tree of a pipeline speaks of the columns after the steps before it; give pipeline[-1], and send rows "
            "through pipeline[:-1].transform first."
        )
    if hasattr(own, "extensions_"):
        raise InputError(
            "In some leaves of a hybrid tree models answer, which cannot be written as one tree; give model.tree_ for "
            "the tree on top, whose answers differ there."
        )
    if hasattr(own, "harden") and not isinstance(own, Tree):
        raise InputError(
            "A latent tree answers a little otherwise than its hardened tree; give model.harden().tree to write that "
            "one."
        )
    return tree_of(model)


def saved_tree(model: Any) -> SolveResult | Tree:
    """Return what a model file holds of a fitted estimator: its result if that is of its tree, else the tree."""
    tree = answering_tree(model)
    result = getattr(getattr(model, "best_estimator_", model), "result_", None)
    return result if isinstance(result, SolveResult) and result.tree is tree else tree
