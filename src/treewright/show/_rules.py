"""A tree as decision rules: one per leaf, each column asked once, as text or as a data frame.

The conditions of a path on one column are merged (``40 < age <= 60``); see `treewright.tree.all_leaf_conditions`.
Leaves that no row can reach have no rule. Exactly one rule holds for each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.show._tree_of import TreeLike, costs_of_actions, tree_of
from treewright.show._words import leaf_words, printable
from treewright.table import to_frame
from treewright.tree import all_leaf_conditions

__all__ = ["Rule", "rules", "rules_frame", "to_rules"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One leaf as a rule.

    Parameters
    ----------
    leaf : int
        Number of the node.
    conditions : tuple of str
        All must hold; empty if the tree is one leaf.
    prediction : object
        Label, action of a policy tree, or value of a regression tree (of a leaf with a line its mean; `label` has the
        largest terms).
    share : float
        Share of the training weight in the leaf that has this label; NaN for trees of other kinds and without weight.
    n_rows : int
        Training rows in the leaf.
    support : str
        Share and rows in words; empty where the tree was made without rows.
    label : str
        Label or value in words, with the digits that were asked for.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import rules
    >>> rule = rules(OptimalTreeClassifier().fit([[20], [30], [40]], ["no", "no", "yes"]).tree_)[0]
    >>> rule.label, rule.share
    ('no', 1.0)
    """

    leaf: int
    conditions: tuple[str, ...]
    prediction: Any
    share: float
    n_rows: int
    support: str
    label: str

    def __str__(self) -> str:
        then = f"then {self.label}" + (f"  ({self.support})" if self.support else "")
        return f"if {' and '.join(self.conditions)}\n    {then}" if self.conditions else f"always {then[5:]}"


def rules(tree: TreeLike, *, digits: int | None = None) -> tuple[Rule, ...]:
    """Return the decision rules of a tree.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
    digits : int or None, default=None
        Significant digits of thresholds; None writes every digit that matters.

    Returns
    -------
    tuple of Rule
        From the left leaf to the right one.

    Raises
    ------
    InputError
        `digits` is below 1.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import rules
    >>> tree = OptimalTreeClassifier().fit([[20], [30], [40]], ["no", "no", "yes"]).tree_
    >>> [(rule.conditions, rule.prediction, rule.n_rows) for rule in rules(tree)]
    [(('x0 <= 35',), 'no', 2), (('x0 > 35',), 'yes', 1)]
    """
    check_arguments(rules, locals(), "digits")
    if digits is not None and digits < 1:
        raise InputError(f"digits={digits}; give at least 1, or None for all digits.")
    costs, tree = costs_of_actions(tree), tree_of(tree)
    found = []
    for leaf, conditions in all_leaf_conditions(tree):
        if conditions is None:
            continue
        share = float("nan")
        if tree.classes is None:
            values = [float(value) for value in tree.value[leaf]]
            prediction: Any = values[0] if len(values) == 1 else tuple(values)
        else:
            chosen = int(tree.prediction[leaf])
            prediction = tree.classes[chosen]
            prediction = prediction.item() if hasattr(prediction, "item") else prediction
            total = float(tree.value[leaf].sum()) if tree.predicts_classes else 0.0
            share = float(tree.value[leaf, chosen]) / total if total > 0 else share
        words = tuple(printable(condition.words(tree.columns, digits)) for condition in conditions)
        count = int(tree.n_node_samples[leaf])
        said = leaf_words(tree, leaf, digits, costs)
        found.append(Rule(leaf, words, prediction, share, count, said.support, said.label))
    return tuple(found)


def to_rules(tree: TreeLike, *, digits: int | None = 6) -> str:
    """Return a tree as decision rules in words.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
    digits : int or None, default=6
        Significant digits of thresholds; None writes every digit that matters.

    Returns
    -------
    str
        Two lines a rule, without a newline at the end. Control characters in names are written as escapes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier(cost_complexity=0.02).fit(X[["petal width (cm)"]], y)
    >>> print(to_rules(model.tree_))
    if petal width (cm) <= 0.8
        then 0  (100% of 50 rows)
    if 0.8 < petal width (cm) <= 1.65
        then 1  (92.3% of 52 rows)
    if petal width (cm) > 1.65
        then 2  (95.8% of 48 rows)
    """
    check_arguments(to_rules, locals(), "digits")
    return "\n".join(str(rule) for rule in rules(tree, digits=digits))


def rules_frame(
    tree: TreeLike, *, digits: int | None = None, backend: Literal["polars", "pandas", "pyarrow"] = "polars"
) -> Any:
    """Return the decision rules of a tree as a data frame.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
    digits : int or None, default=None
        Significant digits of thresholds; None writes every digit that matters.
    backend : {"polars", "pandas", "pyarrow"}, default="polars"

    Returns
    -------
    data frame
        One row a rule: ``leaf``, ``rule`` (the conditions joined by "and"), ``prediction``, ``share``,
        ``n_rows``.

    Raises
    ------
    InputError
        `digits` is below 1, or `backend` is another word.
    MissingDependencyError
        The library of the frame is not installed.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import rules_frame
    >>> rules_frame(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_).shape[0]
    2
    """
    check_arguments(rules_frame, locals(), "digits")
    found = rules(tree, digits=digits)
    columns: dict[str, list[Any]] = {
        "leaf": [rule.leaf for rule in found],
        "rule": [" and ".join(rule.conditions) for rule in found],
        "prediction": [rule.prediction for rule in found],
        "share": [rule.share for rule in found],
        "n_rows": [rule.n_rows for rule in found],
    }
    return to_frame(columns, backend)
