"""For which rows the tree on top explains the answer of a hybrid tree, and for which a leaf model overrules it.

A path of the tree explains an answer only where the hybrid tree gives the answer of its leaf (the limitation
that section 5 of Nemecek et al. names). So it is counted, row by row and leaf by leaf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Tree, path_in_words, percent_at_least

__all__ = ["HybridReport", "LeafReport"]

WIDEST_RULE = 60  # characters of a rule in the printed table


@dataclass(frozen=True)
class LeafReport:
    """One leaf of the tree on top.

    Parameters
    ----------
    leaf : int
        Node of the tree.
    rule : str
        The path to it in words.
    says : object
        The label of the leaf, which is what the rule explains.
    treatment : str
        What predicts: "kept" (the tree), "one class", "shared" (the model of all rows), "simple" or "model".
    n_rows : int
        Rows of the report in this leaf.
    n_overruled : int
        The rows among them that get another label than the leaf's.
    top_accuracy, accuracy : float or None
        Share of right rows, by weight, by the leaf's label and by the hybrid tree; None without labels, rows or weight.

    Examples
    --------
    >>> from treewright.leaf_accuracy import LeafReport
    >>> LeafReport(1, "age <= 35", "no", "kept", n_rows=20, n_overruled=0, top_accuracy=1.0, accuracy=1.0).rule
    'age <= 35'
    """

    leaf: int
    rule: str
    says: Any
    treatment: str
    n_rows: int
    n_overruled: int
    top_accuracy: float | None
    accuracy: float | None


@dataclass(frozen=True, eq=False)
class HybridReport:
    """Rows that keep the explanation of the tree on top, and rows on which a leaf model overrules it.

    Parameters
    ----------
    tree : Tree
        The tree on top.
    treatments : mapping from int to str
        What predicts in each leaf.
    leaf : ndarray of shape (n_rows,), int64
        Leaf of each row.
    explained : ndarray of shape (n_rows,)
        Label of that leaf.
    predicted : ndarray of shape (n_rows,)
        Label that the hybrid tree predicts.
    y : ndarray of shape (n_rows,), or None
        True labels, if they are known.
    sample_weight : ndarray of shape (n_rows,), or None, default=None
        Weights of the rows in all shares; numbers of rows are not weighted.

    Examples
    --------
    >>> from treewright import HybridTreeClassifier
    >>> from treewright.datasets import iris
    >>> data = iris()
    >>> report = HybridTreeClassifier(tune=None, random_state=0).fit(data.table.X, data.y).report(data.table.X, data.y)
    >>> report.accuracy >= report.top_accuracy
    True
    """

    tree: Tree
    treatments: Mapping[int, str]
    leaf: NDArray[np.int64]
    explained: NDArray[Any]
    predicted: NDArray[Any]
    y: NDArray[Any] | None = None
    sample_weight: NDArray[np.float64] | None = None

    @cached_property
    def overruled(self) -> NDArray[np.bool_]:
        """Whether each row gets another label than that of its leaf, shape (n_rows,)."""
        return np.asarray(self.explained != self.predicted, dtype=np.bool_)

    @property
    def n_overruled(self) -> int:
        """Number of rows that are overruled."""
        return int(self.overruled.sum())

    @property
    def share_explained(self) -> float:
        """Share of rows, by weight, that keep the explanation of the tree."""
        return float(1 - np.average(self.overruled, weights=self.sample_weight))

    @property
    def top_accuracy(self) -> float | None:
        """Share of rows, by weight, for which the tree alone is right; None without labels."""
        return _share(self.explained, self.y, self.sample_weight)

    @property
    def accuracy(self) -> float | None:
        """Share of rows, by weight, for which the hybrid tree is right; None without labels."""
        return _share(self.predicted, self.y, self.sample_weight)

    @cached_property
    def leaves(self) -> tuple[LeafReport, ...]:
        """One entry for each leaf, from left to right."""
        assert self.tree.classes is not None  # the top is a classification tree
        entries = []
        for leaf in np.flatnonzero(self.tree.is_leaf).tolist():
            here = self.leaf == leaf
            truth = None if self.y is None else self.y[here]
            weight = None if self.sample_weight is None else self.sample_weight[here]
            rule = ", ".join(path_in_words(self.tree, leaf, 6))
            entries.append(
                LeafReport(
                    leaf=leaf,
                    rule=rule or "all rows",
                    says=self.tree.classes.tolist()[self.tree.prediction[leaf]],
                    treatment=str(self.treatments[leaf]),
                    n_rows=int(here.sum()),
                    n_overruled=int(self.overruled[here].sum()),
                    top_accuracy=_share(self.explained[here], truth, weight),
                    accuracy=_share(self.predicted[here], truth, weight),
                )
            )
        return tuple(entries)

    def records(self) -> list[dict[str, Any]]:
        """Return one dictionary per leaf; `pandas.DataFrame` and `polars.DataFrame` take the list."""
        return [dict(vars(entry)) for entry in self.leaves]

    def sentence(self) -> str:
        """Return in plain words how often the tree explains the answer.

        Returns
        -------
        str
        """
        n_rows = len(self.leaf)
        of_weight = "" if self.sample_weight is None else " of the weight"
        text = (
            f"The tree explains the answer for {n_rows - self.n_overruled:,} of {n_rows:,} rows "
            f"({percent_at_least(self.share_explained)}{of_weight}); on {self.n_overruled:,} a leaf model overrules it."
        )
        if self.top_accuracy is not None and self.accuracy is not None:
            text += (
                f" Right: the tree alone {100 * self.top_accuracy:.2f}%, the hybrid tree "
                f"{100 * self.accuracy:.2f}%."
            )
        return text

    def __str__(self) -> str:
        header = ["leaf", "says", "who answers", "rows", "overruled"]
        if self.y is not None:
            header += ["tree right", "hybrid right"]
        table = [[*header, "rule"]]
        for place, entry in enumerate(self.leaves, start=1):  # leaves have the numbers of reports and rules
            share = f" ({100 * entry.n_overruled / entry.n_rows:.1f}%)" if entry.n_rows else ""
            line = [str(place), str(entry.says), entry.treatment, f"{entry.n_rows:,}"]
            line.append(f"{entry.n_overruled:,}{share}")
            if self.y is not None:
                line += [
                    "-" if value is None else f"{100 * value:.1f}%"
                    for value in (entry.top_accuracy, entry.accuracy)
                ]
            rule = entry.rule if len(entry.rule) <= WIDEST_RULE else entry.rule[: WIDEST_RULE - 3] + "..."
            table.append([*line, rule])
        widths = [max(len(row[j]) for row in table) for j in range(len(table[0]))]
        left = {1, 2, len(widths) - 1}
        lines = [
            "  ".join(
                cell.ljust(w) if j in left else cell.rjust(w)
                for j, (cell, w) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        ]
        return "\n".join([*lines, "", self.sentence()])


def _share(
    labels: NDArray[Any], truth: NDArray[Any] | None, weight: NDArray[np.float64] | None
) -> float | None:
    if truth is None or len(truth) == 0 or (weight is not None and not weight.any()):
        return None
    return float(np.average(labels == truth, weights=weight))
