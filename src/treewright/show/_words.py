"""The words of a node, shared by all pictures: its condition, and what a leaf says."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.show._printable import printable
from treewright.show._values import MINUS, reward_words, value_words
from treewright.tree import Tree, TreeKind, relation, subject

__all__ = [
    "LeafWords",
    "condition",
    "leaf_words",
    "percent",
    "printable",
    "question",
    "short_condition",
    "typeset",
]

# A number below 0 that a value is compared with; "= -9" may be a word of the data.
NEGATIVE = re.compile(r"^([≤>] )-(?=[0-9.])")


@dataclass(frozen=True, slots=True)
class LeafWords:
    """What a leaf says.

    Parameters
    ----------
    label : str
        Predicted class or action, the mean of a regression leaf, or the hazard ratio of a survival leaf.
    share : str
        Share of the training weight that has this class ("97.9%"); empty for regression, and without rows.
    rows : str
        Number of training rows ("328 rows"); empty where the tree was made without rows.
    weighted : bool
        Whether the rows of the tree had weights, so that shares are not of rows; the same for all leaves of a tree.
    reward : str
        Of a policy leaf: the mean reward of its action ("mean reward 3.2"); empty for other trees.
    """

    label: str
    share: str
    rows: str
    weighted: bool = False
    reward: str = ""

    @property
    def support(self) -> str:
        """Share (of a policy leaf: mean reward) and rows in one phrase."""
        if self.reward:
            return f"{self.reward}, {self.rows}"
        if not self.share:
            return self.rows
        return f"{self.share} of weight, {self.rows}" if self.weighted else f"{self.share} of {self.rows}"


def leaf_words(
    tree: Tree,
    node: int,
    digits: int | None = None,
    costs: NDArray[np.float64] | None = None,
    *,
    plain: bool = True,
) -> LeafWords:
    """Return what `node` says as a leaf.

    Rewards have the `costs` of all actions taken off, where these are given; numbers have typographic signs unless
    they have to be `plain`, as in what programs read.
    """
    count = int(tree.n_node_samples[node])
    rows = "1 row" if count == 1 else f"{count:,} rows"
    if tree.n_node_samples[0] == 0:  # an ensemble's tree that was made without rows
        rows = ""
    if tree.kind is TreeKind.SURVIVAL:
        return LeafWords(f"hazard ratio {value_words(tree, node, digits, plain=plain)}", "", rows)
    if tree.classes is None:
        return LeafWords(value_words(tree, node, digits, plain=plain), "", rows)
    chosen = int(tree.prediction[node])
    if tree.kind is TreeKind.POLICY:
        after = "" if costs is None else "after costs "
        mean = reward_words(tree, node, digits, costs, plain=plain) if count > 0 else ""
        reward = f"mean reward {after}{mean}" if mean else ""
        return LeafWords(printable(str(tree.classes[chosen])), "", rows, reward=reward)
    share = percent(_share(tree, node, chosen)) if count > 0 and tree.value[node].any() else ""
    return LeafWords(printable(str(tree.classes[chosen])), share, rows, tree.is_weighted)


def _share(tree: Tree, node: int, chosen: int) -> float:
    """Return the share of a class; 1 only if no other has any weight, however little."""
    share = float(tree.value[node, chosen]) / float(tree.value[node].sum())
    return share if share < 1 or np.count_nonzero(tree.value[node]) == 1 else float(np.nextafter(1.0, 0.0))


def condition(tree: Tree, node: int, goes_left: bool, digits: int | None) -> str:
    """Return the whole condition of one side of an inner node: ``age <= 42``."""
    return f"{question(tree, node, digits)} {short_condition(tree, node, goes_left, digits)}"


def question(tree: Tree, node: int, digits: int | None, *, plain: bool = True) -> str:
    """Return what an inner node asks about: ``age``; sums have typographic signs, if not `plain`."""
    split = tree.splits[node]
    assert split is not None  # callers pass inner nodes
    return printable(subject(split, tree.columns, digits, plain=plain))


def short_condition(tree: Tree, node: int, goes_left: bool, digits: int | None) -> str:
    """Return the condition of one side without its subject: ``<= 42``; of values known here, nothing about missing."""
    split = tree.splits[node]
    assert split is not None  # callers pass inner nodes
    return printable(relation(split, tree.columns, goes_left, digits, tree.known_columns[node]))


def typeset(words: str) -> str:
    """Write the relation at the start of a short condition, and the number behind it, with mathematical signs."""
    for plain, sign in (("<= ", "≤ "), ("!= ", "≠ ")):
        if words.startswith(plain):
            words = sign + words.removeprefix(plain)
    return NEGATIVE.sub(rf"\g<1>{MINUS}", words)


def percent(share: float) -> str:
    """One decimal; 100% and 0% only if exact."""
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    return f"{min(max(100 * share, 0.1), 99.9):.1f}%"
