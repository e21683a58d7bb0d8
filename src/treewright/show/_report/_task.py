"""What the page asks of a task: everything that depends on whether leaves say classes, numbers, actions or hazards.

The page, its picture, form, certificate, audit and styles are the same for all tasks. What a leaf says, how often or
how far it is off, and in which words, comes from one `Task`: `_classes` and `_probabilities`, `_numbers`, `_actions`,
`_times`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.convert import Terms
from treewright.result import SolveResult
from treewright.show._report._cells import Grid, Titled
from treewright.show._report._curves import Curves
from treewright.show._report._rows import Rows
from treewright.show._report._rules import Condition, rule_words
from treewright.show._words import percent
from treewright.table import Settings
from treewright.tree import Tree, all_leaf_conditions

__all__ = ["MOST_LEAVES", "Card", "Context", "Group", "LeafRows", "Task", "share_of_loss"]

MOST_LEAVES = 1000  # listed as rules

Group = tuple[str, NDArray[np.bool_]]  # its name, and which rows are in it


@dataclass(frozen=True, slots=True)
class Card:
    """One figure at the top of the page."""

    title: str
    value: str
    small: str


@dataclass(frozen=True)
class Context:
    """What is known of the tree.

    Parameters
    ----------
    tree : Tree
        In its own words.
    said : Tree
        The same in the words of people.
    result : SolveResult or None
    terms : Terms or None
    train : Rows
    test : Rows or None
    settings : Settings
    digits : int or None
    target : str or None
    """

    tree: Tree
    said: Tree
    result: SolveResult | None
    terms: Terms | None
    train: Rows
    test: Rows | None
    settings: Settings
    digits: int | None
    target: str | None

    @property
    def seen(self) -> Rows:
        """The rows that are believed: test rows, or training rows without any."""
        return self.train if self.test is None else self.test

    @property
    def kind_of_rows(self) -> str:
        """What `seen` are called."""
        return "training" if self.test is None else "test"

    @property
    def optimistic(self) -> str:
        """A sentence behind figures of training rows; empty for test rows."""
        if self.test is not None:
            return ""
        return " These are the rows that the tree was chosen on, so these figures are optimistic."

    @property
    def optimistic_leaves(self) -> str:
        """A sentence behind tables of leaves, which show intervals of training rows beside those of test rows."""
        return " On training rows these are optimistic, because the tree was chosen on them."

    def option(self, name: str) -> Any:
        """Return an option of the search, as the result or else the question holds it."""
        own = self.result.options.get(name) if self.result is not None else None
        return own if own is not None else getattr(self.terms, name, None)


@dataclass(frozen=True, eq=False)
class LeafRows:
    """One leaf, and which rows come to it.

    Parameters
    ----------
    number : int
        From 1, left to right, as the page names it.
    node : int
    rule : tuple of Condition, or None
        None if no row can get there.
    train : ndarray of int
        Positions of its training rows.
    test : ndarray of int, or None
        Of its test rows; None without any.
    """

    number: int
    node: int
    rule: tuple[Condition, ...] | None
    train: NDArray[np.int64]
    test: NDArray[np.int64] | None

    @property
    def seen(self) -> NDArray[np.int64]:
        """Its test rows, or training rows without any."""
        return self.train if self.test is None else self.test


class Task(ABC):
    """What a report says of one kind of tree."""

    legend_name = "Colours of the answers"
    bar_words = ""
    finds = "the answer, the reasons for it, and the nearest change"
    answer_name = "answer"
    button = "Ask"
    verifier = "verify"  # in treewright.verify
    promise = "how far it is off"
    holds = "means and counts"
    errors_title = "How far it is off, and for whom"
    errors_link = "Errors"
    reason_words = (
        "Each question on the path changes the mean of the training rows that remain. The questions about one column "
        "are one reason; its weight is by how much they raised or lowered that mean, and the reason with the largest "
        "weight comes first. What a line in the leaf adds for a column is a reason of its own."
    )
    curves_drawn: Curves | None = None
    costs_shown: NDArray[np.float64] | None = None  # of each action, where actions cost something
    leaf_unit = ""  # of the numbers that leaves predict
    left_words = "Share of the loss of a single leaf that is left"
    not_proven = "the figures on test rows, with their intervals, are the evidence for that"

    def __init__(self, context: Context) -> None:
        self.context = context

    @staticmethod
    @abstractmethod
    def read(tree: Tree, given: Any, n_rows: int, name: str) -> NDArray[Any]:
        """Return what was seen of each row, checked; `name` is what messages call it."""

    @property
    def legend(self) -> list[str]:
        """Words for the colours of the leaves, in their order; none where they have one colour."""
        return []

    @abstractmethod
    def cards(self) -> list[Card]:
        """Return the figures at the top."""

    @abstractmethod
    def leaf_tables(self, leaves: Sequence[LeafRows]) -> list[Titled]:
        """Return what is known of each leaf; the first table has the rules and the ids of the leaves."""

    @abstractmethod
    def error_tables(self) -> list[Titled]:
        """Return how often or how far the tree is off."""

    @abstractmethod
    def group_tables(self, title: str, groups: Sequence[Group]) -> list[Titled]:
        """Return the same for groups of `Context.seen`."""

    @abstractmethod
    def form_words(self) -> dict[str, Any]:
        """Return what the page's program says around an answer."""

    @abstractmethod
    def says(self, leaf: LeafRows) -> dict[str, Any]:
        """Return what the page's program has to know of a leaf."""

    @abstractmethod
    def scores(self) -> NDArray[np.float64]:
        """Return what reasons are weighed by, shape (node_count, n_answers): the more, the more for an answer."""

    @abstractmethod
    def left(self, tree: Tree, rows: Rows) -> float:
        """Return what the frontier draws: the loss of a tree on some rows, the smaller the better."""

    def on_frontier(self, tree: Tree) -> Tree:
        """Return a tree as the frontier draws it."""
        return tree

    def is_front_of(self, result: SolveResult) -> bool:
        """Whether a result is of this tree's loss, so that the frontier's proofs are of what is drawn."""
        own = self.context.result
        return own is None or own.options.get("criterion") == result.options.get("criterion")

    def comparison(self, others: Mapping[str, Tree], fit_models: bool) -> Grid | None:
        """Return this tree beside others on the same rows; None if there is none."""
        return None

    def extra_rules(self) -> list[str]:
        """Return what was settled before the search, beyond limits and the penalty of a leaf."""
        return []

    def warnings(self) -> list[str]:
        """Return what a reader has to know before believing a number of the page."""
        return []

    def left_words_of(self, left: float, n_rows: int) -> tuple[str, str]:
        """Return what `left` finds in words, and what stands below; `n_rows` it was found on."""
        return share_of_loss(left), ""

    @property
    def left_of_own(self) -> str:
        """What the report's tree loses on the training rows, as the end of a sentence."""
        said, _ = self.left_words_of(
            self.left(self.on_frontier(self.context.tree), self.context.train), len(self.context.train)
        )
        return f"leaves {said} on the training rows"

    @cached_property
    def leaves(self) -> list[LeafRows]:
        """All leaves of the tree from left to right."""
        said, train, test = self.context.said, self.context.train, self.context.test
        on_train, on_test = rows_by_node(said, train), None if test is None else rows_by_node(said, test)
        return [
            LeafRows(
                number,
                node,
                rule_words(said, conditions, self.context.digits),
                on_train[node],
                None if on_test is None else on_test[node],
            )
            for number, (node, conditions) in enumerate(all_leaf_conditions(said), start=1)
        ]

    @property
    def listed(self) -> list[LeafRows]:
        """All leaves, or those with the most rows if there are too many for a page."""
        if len(self.leaves) <= MOST_LEAVES:
            return self.leaves
        kept = sorted(self.leaves, key=lambda leaf: -len(leaf.train))[:MOST_LEAVES]
        return sorted(kept, key=lambda leaf: leaf.number)


def share_of_loss(left: float) -> str:
    """Return a share of a loss in percent; it can be above 100%."""
    if not math.isfinite(left):
        return "infinite"
    return percent(left) if 0 <= left <= 1 else f"{100 * left:,.1f}%"


def rows_by_node(tree: Tree, rows: Rows) -> list[NDArray[np.int64]]:
    """Return the positions of the rows that end in each node, ascending; none in inner nodes."""
    leaf = tree.apply(rows.X)
    order = np.argsort(leaf, kind="stable")
    return np.split(order, np.cumsum(np.bincount(leaf, minlength=tree.node_count))[:-1])
