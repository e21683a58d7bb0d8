"""How a fitted tree estimator shows itself in a notebook: as its tree.

scikit-learn draws a box of parameters for every estimator; before `fit`, and where there is no tree, that stays.
IPython asks for `_repr_mimebundle_`, other tools for `_repr_html_`. Under ``sklearn.set_config(display="text")``
neither offers HTML, which scikit-learn's own code decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator

from treewright.result import SolveResult, SolveStatus, why_stopped_at_one_leaf
from treewright.tree import Tree

__all__ = ["TreeDisplay"]


class TreeDisplay(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that end with a tree."""

    def _shown_tree(self) -> tuple[Tree | SolveResult, str] | None:
        """The tree to show, or the result that has it, and the sentence below; None before `fit`, and without a tree.

        A result knows what the actions of a policy cost.
        """
        tree, result = getattr(self, "tree_", None), getattr(self, "result_", None)
        if tree is None:
            return None
        if result is None or result.tree is not tree:
            return tree, ""
        return result, " ".join(filter(None, [result.sentence(), self._why_a_single_leaf()]))

    def _why_a_single_leaf(self) -> str:
        """Say why the tree is a single leaf that makes mistakes; "" of all other trees."""
        result, penalty = self.result_, getattr(self, "cost_complexity", 0)
        if getattr(self, "max_depth", None) == 0:
            return ""
        proven = result.status is SolveStatus.OPTIMAL and result.loss > 0
        if result.tree.n_leaves > 1 or not proven or not penalty:
            return why_stopped_at_one_leaf(result)
        said = (
            f"The best tree is a single leaf: no tree within the limits gains more than cost_complexity={penalty:g} "
            "for each of its further leaves. A smaller cost_complexity may bring more leaves."
        )
        if getattr(self, "class_weight", 0) is None and getattr(self, "objective", "accuracy") == "accuracy":
            said += ' If the rarer label matters more: class_weight="balanced".'
        return said

    def _tree_html(self) -> str | None:
        shown = self._shown_tree()
        if shown is None:
            return None
        from treewright.show import notebook_html  # here, for few fits are looked at in a notebook

        return notebook_html(shown[0], sentence=shown[1], parameters=repr(self))

    @property
    def _repr_html_(self) -> Callable[[], str]:
        inherited: Callable[[], str] = super()._repr_html_  # an AttributeError if HTML is switched off
        return lambda: self._tree_html() or inherited()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        html = self._tree_html() if "text/html" in bundle else None
        return bundle if html is None else bundle | {"text/html": html}
