"""The ensemble as the compiled core sees it: thresholds become planes, and planes become thresholds again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.convert import LINKS, Ensemble, float32_below, without_known_questions
from treewright.errors import InputError
from treewright.search import engine_answer
from treewright.tree import Column, ColumnKind, ThresholdSplit, Tree

__all__ = ["DEFAULT_MEMORY", "HUGE", "Engine"]

DEFAULT_MEMORY = 4 * 2**30
HUGE = 2**62  # no limit
GRID_CELLS = 3e5  # the heuristic labels all cells of a region with at most so many


class Engine:
    """An ensemble in cells: plane p of a column lies between cell p and cell p + 1.

    Parameters
    ----------
    ensemble : Ensemble

    Raises
    ------
    InputError
        If the ensemble has no trees or no columns, or more than 255 classes.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        if not ensemble.trees or ensemble.n_features < 1:
            raise InputError("The ensemble has no trees or no columns; fit it on data first.")
        if not 2 <= ensemble.n_classes <= 255:
            raise InputError(
                f"Born-again trees need 2 to 255 classes; the {ensemble.source} has {ensemble.n_classes}."
            )
        self.ensemble = ensemble
        assert ensemble.missing is not None  # set in __post_init__
        missing = ensemble.missing
        # The plane below the cell "missing" is the threshold inf: x <= inf asks whether the value is known.
        self.thresholds = tuple(
            np.append(t, np.inf) if missing[f] else t for f, t in enumerate(ensemble.thresholds)
        )
        self.trees = tuple(without_known_questions(tree, missing) for tree in ensemble.trees)
        sizes = [len(tree.feature) for tree in self.trees]
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        feature = np.concatenate([tree.feature for tree in self.trees])
        threshold = np.concatenate([tree.threshold for tree in self.trees])
        plane = np.zeros(len(feature), dtype=np.int32)
        for f, planes in enumerate(self.thresholds):
            here = feature == f
            plane[here] = np.searchsorted(planes, threshold[here], side="right") - 1
        inner = feature >= 0
        offset = np.repeat(first, sizes)
        left = np.concatenate([tree.left for tree in self.trees])
        right = np.concatenate([tree.right for tree in self.trees])
        value = np.concatenate([tree.value for tree in self.trees])
        value[inner] = 0.0
        self.native = core.bornagain_ensemble(
            feature=np.where(inner, feature, -1).astype(np.int32),
            plane=plane,
            left=np.where(inner, left + offset, 0).astype(np.int32),
            right=np.where(inner, right + offset, 0).astype(np.int32),
            missing_left=np.concatenate([tree.missing_left for tree in self.trees]).astype(np.uint8),
            values=np.ascontiguousarray(value, dtype=np.float64).ravel(),
            roots=first,
            n_cells=np.array([len(t) + 1 for t in self.thresholds], dtype=np.int32),
            missing=missing.astype(np.uint8),
            bias=np.ascontiguousarray(ensemble.bias, dtype=np.float64),
            n_classes=ensemble.n_classes,
            link=LINKS.index(ensemble.link),
            single=ensemble.single,
            exact=ensemble.is_exact,
            divisor=float(ensemble.divisor),
            cutoff=float(ensemble.cut),
        )

    @property
    def n_cells(self) -> list[int]:
        """Cells of each column, the missing cell included."""
        return [len(t) + 1 for t in self.thresholds]

    def cells(self, X: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the cell of each row of encoded `X` (n_rows, n_features)."""
        answer = np.empty(X.shape, dtype=np.int32)
        for f, planes in enumerate(self.thresholds):
            # NaN is ordered after inf, so a missing value lands in the last cell, which means "missing".
            answer[:, f] = np.searchsorted(planes, X[:, f], side="left")
        return answer

    def points(self, cells: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return one row inside each cell: the threshold that closes it, or a number beyond the last one.

        Of an ensemble for rows of float32 numbers it is the largest of these in the cell.
        """
        rows = np.empty(cells.shape, dtype=np.float64)
        for f, planes in enumerate(self.thresholds):
            finite = planes[np.isfinite(planes)]
            if self.ensemble.inputs == "float32":
                finite = float32_below(finite)
            beyond = finite[-1] + max(1.0, abs(finite[-1])) if len(finite) else 0.0
            if self.ensemble.domain is not None:
                beyond = self.ensemble.domain.clip(f, beyond)
            closing = np.append(finite, beyond)
            if len(planes) > len(finite):
                closing = np.append(closing, np.nan)
            rows[:, f] = closing[cells[:, f]]
        return rows

    def tree(self, nodes: Sequence[tuple[int, int, int]], rows: NDArray[np.float64] | None = None) -> Tree:
        """Make a Tree from native nodes (feature, plane, label), depth-first.

        Parameters
        ----------
        nodes : sequence of (int, int, int)
        rows : ndarray of shape (n_rows, n_features), optional
            Encoded rows to count in the nodes; the values are then the ensemble's classes of these rows.
            Without rows the nodes count none, and the value of a leaf is 1 for its own class.
        """
        ensemble = self.ensemble
        assert ensemble.missing is not None  # set in __post_init__
        columns = tuple(
            Column(name, ColumnKind.CONTINUOUS, has_missing=bool(ensemble.missing[f]))
            for f, name in enumerate(ensemble.feature_names)
        )
        n = len(nodes)
        splits: list[ThresholdSplit | None] = []
        left = np.full(n, -1, dtype=np.int32)
        right = np.full(n, -1, dtype=np.int32)
        prediction = np.zeros(n, dtype=np.int32)
        open_nodes: list[int] = []
        for i, (feature, plane, label) in enumerate(nodes):
            if open_nodes:
                parent = open_nodes.pop()
                (left if left[parent] < 0 else right)[parent] = i
            if feature >= 0:
                splits.append(ThresholdSplit(int(feature), float(self.thresholds[feature][plane])))
                open_nodes += [i, i]
            else:
                splits.append(None)
                prediction[i] = label
        value = np.zeros((n, ensemble.n_classes))
        leaf = np.array([split is None for split in splits])
        count = np.zeros(n, dtype=np.int64)
        if rows is None:
            value[leaf, prediction[leaf]] = 1.0
        else:
            shell = Tree(
                columns, ensemble.classes, tuple(splits), left, right, prediction.copy(), value.copy(), count
            )
            at = shell.apply(rows)
            count = np.bincount(at, minlength=n)
            value[np.arange(n), prediction] = count
            value[leaf & (count == 0), prediction[leaf & (count == 0)]] = (
                1e-300  # keeps predict_proba defined
            )
        for i in range(n - 1, -1, -1):  # children come after their parent
            if not leaf[i]:
                value[i] = value[left[i]] + value[right[i]]
                count[i] = count[left[i]] + count[right[i]]
                prediction[i] = np.argmax(value[i])
        return Tree(
            columns, ensemble.classes, tuple(splits), left, right, prediction, value, count.astype(np.int64)
        )

    def exact(
        self, goal: int, threads: int, time_limit: float, step_limit: int, memory_limit: int, report: Any
    ) -> dict[str, Any]:
        """Run the dynamic program; see `treewright.bornagain.solve`."""
        return engine_answer(
            core.bornagain_exact, self.native, goal, threads, time_limit, step_limit, memory_limit, report
        )

    def find_other(self, lo: NDArray[np.int64], hi: NDArray[np.int64], label: int) -> list[int] | None:
        """Return a cell of the box lo..hi that is not of class `label`, or None if there is none."""
        found: Any = core.bornagain_find_other(self.native, lo.tolist(), hi.tolist(), label)
        return None if found is None else list(found)

    def forecast(self, cell_limit: float, time_limit: float) -> dict[str, Any]:
        """Count cells, and boxes where there are at most `cell_limit` cells and the time is enough.

        Raises
        ------
        KeyboardInterrupt
            At Ctrl-C: there is no tree yet.
        """
        counts = dict(core.bornagain_forecast(self.native, cell_limit, time_limit))
        if counts.get("stop") == core.Stop.INTERRUPT:
            raise KeyboardInterrupt
        return counts

    def hybrid(
        self,
        *,
        max_leaves: float = np.inf,
        descents: int = 0,
        threads: int = 1,
        time_limit: float = np.inf,
        memory_limit: int = DEFAULT_MEMORY,
        samples: int = 1000,
        exact_boxes: float = 1e7,
        seed: int = 0,
        report: Any = None,
    ) -> dict[str, Any]:
        """Build the heuristic's tree, or estimate its leaves from random `descents` if there are any."""
        return engine_answer(
            core.bornagain_hybrid,
            self.native,
            exact_boxes,
            GRID_CELLS,
            samples,
            max_leaves,
            seed,
            descents,
            threads,
            time_limit,
            HUGE,
            memory_limit,
            report,
        )
