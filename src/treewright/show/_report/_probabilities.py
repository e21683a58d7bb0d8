"""The report of a probability tree: also how far the shares of its leaves are from what happened."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.show._report._cells import Grid, Row, Titled, estimate_cells, heads, number, rate_cell, words
from treewright.show._report._classes import MOST_BY_LABEL, ClassTask
from treewright.show._report._counts import Count
from treewright.show._report._estimates import mean_of_rows
from treewright.show._report._rows import Rows
from treewright.show._report._task import LeafRows, Task
from treewright.show._words import leaf_words, percent
from treewright.tree import Tree

__all__ = ["ProbabilityTask"]

SCORES = {"brier": "Brier score", "log_loss": "log loss"}


class ProbabilityTask(ClassTask):
    """A tree whose leaves say how frequent each class is."""

    verifier = "verify_probability"
    not_proven = "the scores on test rows, with their intervals, are the evidence for that"
    finds = "the decision with its share, the reasons for it, and the nearest change that would flip it"

    @property
    def left_words(self) -> str:  # type: ignore[override]  # the frontier draws what the tree was made for
        """What `left` is."""
        return f"Share of the {SCORES[self.criterion]} of a single leaf that is left"

    @property
    def criterion(self) -> str:
        """The score that the tree was made for."""
        asked = self.context.option("criterion") or self.context.option("objective")
        return asked if asked in SCORES else "brier"

    def error_tables(self) -> list[Titled]:
        """Return the scores of the shares first, then those shares beside what happened, then mistakes."""
        by_label, *rest = super().error_tables()
        return [self._scores(), self._calibration(), Titled("Decisions", "", by_label.grid), *rest]

    def _scores(self) -> Titled:
        parts = [("training rows", self.context.train)]
        parts += [] if self.context.test is None else [("test rows", self.context.test)]
        columns, head = [], []
        for criterion, name in SCORES.items():
            own = [mean_of_rows(self._losses(rows, self._shares(rows), criterion)) for _, rows in parts]
            single = [
                mean_of_rows(self._losses(rows, self._shares(rows, root=True), criterion))
                for _, rows in parts
            ]
            columns.append((estimate_cells(own, name), estimate_cells(single, f"{name} of a single leaf")))
            head += [name, f"{name} of a single leaf"]
        lines = tuple(
            Row(
                words(kind),
                (
                    number(f"{int((rows.y >= 0).sum()):,}", "rows"),
                    *(cell for own, single in columns for cell in (own[k], single[k])),
                ),
            )
            for k, (kind, rows) in enumerate(parts)
        )
        caption = (
            "How far the shares of the leaves are from what happened; 0 is perfect. The Brier score adds up the "
            "squares over all classes (0 to 2). Rows with a label that the tree does not know are left out."
            f"{self._if_infinite(parts)}{self.context.optimistic}"
        )
        return Titled("", "", Grid(caption, heads("Counted on", "#Rows", *head), lines, "rates stack"))

    def _if_infinite(self, parts: list[tuple[str, Rows]]) -> str:
        """A sentence on a log loss that is infinite; empty if none is."""
        lost = [self._losses(rows, self._shares(rows), "log_loss") for _, rows in parts]
        n = sum(int(np.isinf(of_rows).sum()) for of_rows in lost)
        if not n:
            return ""
        rows = "row has" if n == 1 else "rows have"
        return f" The log loss is infinite because {n:,} {rows} a class that the leaf gives no share."

    def _calibration(self) -> Titled:
        context, tree = self.context, self.context.tree
        labels = list(enumerate(self.legend))
        shown = labels[1:] if len(labels) == 2 else labels[:MOST_BY_LABEL]
        lines = []
        for leaf in self.listed:
            cells = [number(f"{len(leaf.seen):,}", f"{context.kind_of_rows} rows")]
            for k, label in shown:
                cells.append(number(percent(float(tree.node_shares[leaf.node, k])), f"said of {label}"))
                cells.append(rate_cell(Count.of(context.seen.y[leaf.seen] == k), f"seen of {label}"))
            decision = leaf_words(context.said, leaf.node, context.digits).label
            lines.append(Row(words(str(leaf.number)), (words(decision, "decision"), *cells)))
        head = ["Leaf", "Decision", f"#{context.kind_of_rows} rows"]
        for _, label in shown:
            head += [f"#{label}: said", "seen"]
        caption = (
            f"The share that a leaf says of each class, and the share of the {context.kind_of_rows} rows there that "
            "have it."
            + ("" if context.test is not None else " Both are of the same rows, unless these had weights.")
        )
        return Titled("What leaves say, and what happened", "", Grid(caption, heads(*head), tuple(lines)))

    def _shares(self, rows: Rows, tree: Tree | None = None, *, root: bool = False) -> NDArray[np.float64]:
        own = tree or self.context.tree
        leaf = np.zeros(len(rows), dtype=np.int64) if root else own.apply(rows.X)
        return own.node_shares[leaf]

    def _losses(self, rows: Rows, shares: NDArray[np.float64], criterion: str) -> NDArray[np.float64]:
        known = rows.y >= 0
        shares, y = shares[known], rows.y[known]
        if criterion == "log_loss":
            with np.errstate(divide="ignore"):
                return np.asarray(-np.log(shares[np.arange(len(y)), y]))
        return np.asarray(((shares - np.eye(shares.shape[1])[y]) ** 2).sum(axis=1))

    def left(self, tree: Tree, rows: Rows) -> float:
        """Return the score of a tree as a share of that of the shares of all training rows."""
        lost = self._losses(rows, self._shares(rows, tree), self.criterion).sum()
        single = self._losses(rows, self._shares(rows, root=True), self.criterion).sum()
        return float(lost / single) if single > 0 else 0.0

    def left_words_of(self, left: float, n_rows: int) -> tuple[str, str]:
        """Return the share of the score."""
        return Task.left_words_of(self, left, n_rows)

    @property
    def left_of_own(self) -> str:
        """The score of the report's tree."""
        said, _ = self.left_words_of(
            self.left(self.context.tree, self.context.train), len(self.context.train)
        )
        return f"leaves {said} on the training rows"

    def says(self, leaf: LeafRows) -> dict[str, Any]:
        """Return the class of a leaf with its share, and how often it was right."""
        said = super().says(leaf)
        share = float(self.context.tree.node_shares[leaf.node, said["answer"]])
        return {**said, "says": f"{said['says']} ({percent(share)})"}
