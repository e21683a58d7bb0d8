"""How a fitted tree estimator shows itself in a notebook: as its tree.

scikit-learn draws a box of parameters for every estimator; before `fit`, and where there is no tree, that stays.
IPython asks for `_repr_mimebundle_`, other tools for `_repr_html_`. Under ``sklearn.set_config(display="text")``
neither offers HTML, which scikit-learn's own code decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator

from treewright.tree import Tree

__all__ = ["TreeDisplay"]


class TreeDisplay(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that end with a tree."""

    def _shown_tree(self) -> tuple[Tree, str] | None:
        """The tree to show and what is to be said below it; None before `fit`, and if there is none."""
        tree, result = getattr(self, "tree_", None), getattr(self, "result_", None)
        if tree is None:
            return None
        return tree, "" if result is None or result.tree is not tree else result.sentence()

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
