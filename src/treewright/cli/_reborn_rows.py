"""Where `treewright reborn` gets model and rows: a forest trained on a table, or a model file and a table beside."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.cli._output import note
from treewright.cli._stop import ending_at_once
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Ensemble, NumberEnsemble
    from treewright.table import CsvTable, Reading, Table
    from treewright.tree import Column

__all__ = ["Decider", "bin_numbers", "edges_of", "in_units", "load_with", "rows_for", "train_on"]


@dataclass(frozen=True)
class Decider:
    """The model whose decisions are wanted.

    Parameters
    ----------
    ensemble : Ensemble
    X : array of shape (n_rows, n_features), or None
        Rows in its columns.
    columns : tuple of Column or None
        Of the table that it was trained on.
    reading : Reading or None
        How that table was read.
    """

    ensemble: Ensemble
    X: NDArray[np.float64] | None
    columns: tuple[Column, ...] | None = None
    reading: Reading | None = None


def load_with(source: Path, table: Table | None) -> Decider:
    """Load a model file; missing values have to be routed if the table beside it has some."""
    from treewright.convert import Ensemble

    has_missing = table is not None and any(column.has_missing for column in table.columns)
    ensemble = Ensemble.load(source, missing="route" if has_missing else "refuse")
    return Decider(ensemble, None if table is None else rows_for(ensemble, table))


def train_on(csv: CsvTable, trees: int, depth: int, bins: int, seed: int) -> Decider:
    """Train a forest on a table; rows with missing values follow the forest's own rule for them."""
    import numpy as np

    from treewright.convert import Ensemble
    from treewright.estimators import make_forest

    assert csv.target is not None  # a target was named
    _check_numeric(csv.table.columns)
    if csv.target.dtype.kind == "f":
        raise InputError(
            "The column of labels holds numbers that are not whole. Add --task regression for a tree near a regression "
            "forest; or name another column, --target."
        )
    if len(np.unique(csv.target)) < 2:
        raise InputError("The column of labels holds one label only; there is nothing to decide.")
    edges = edges_of(csv.table, bins) if bins else None
    X = csv.table.X if edges is None else bin_numbers(csv.table.X, edges)
    unfitted = make_forest(trees, depth, seed)
    forest = ending_at_once(lambda: unfitted.fit(X, csv.target))
    ensemble = Ensemble.from_model(forest, missing="route" if np.isnan(X).any() else "refuse")
    if edges is not None:
        ensemble = in_units(ensemble, edges)
    ensemble = replace(ensemble, feature_names=csv.table.names)
    return Decider(ensemble, csv.table.X, csv.table.columns, csv.reading)


def edges_of(table: Table, bins: int) -> list[NDArray[np.float64]]:
    """The thresholds between the quantile bins of each column, ascending."""
    import numpy as np

    from treewright.binarize import quantiles
    from treewright.tree import ThresholdSplit

    if bins < 2:
        raise InputError(f"--bins {bins}; give 2 or more, or 0 to leave the columns as they are.")
    edges: list[list[float]] = [[] for _ in table.columns]
    for split in quantiles(table, bins).splits:
        if isinstance(split, ThresholdSplit) and math.isfinite(split.threshold):
            edges[split.column].append(split.threshold)
    return [np.unique(np.asarray(own, dtype=np.float64)) for own in edges]


def bin_numbers(X: NDArray[np.float64], edges: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Number the bins of each column from 0: bin i holds ``edges[i - 1] < x <= edges[i]``."""
    import numpy as np

    numbers = [np.searchsorted(own, x, side="left") for own, x in zip(edges, X.T, strict=True)]
    return np.where(np.isnan(X), np.nan, np.column_stack(numbers))


def in_units(ensemble: Ensemble, edges: list[NDArray[np.float64]]) -> Ensemble:
    """Let an ensemble over bin numbers speak of the columns: ``number <= t`` is ``x <= edges[floor(t)]``."""
    import numpy as np

    trees = []
    for tree in ensemble.trees:
        threshold = tree.threshold.copy()
        for f, own in enumerate(edges):
            here = (tree.feature == f) & np.isfinite(threshold)
            threshold[here] = own[np.floor(threshold[here]).astype(np.int64)]
        trees.append(replace(tree, threshold=threshold))
    return replace(ensemble, trees=tuple(trees))


def rows_for(ensemble: Ensemble | NumberEnsemble, table: Table) -> NDArray[np.float64]:
    """Columns of the model by name or, where the model has no such names, the first ones in order."""
    names = table.names
    if set(ensemble.feature_names) <= set(names):
        places = [names.index(name) for name in ensemble.feature_names]
    elif len(names) >= ensemble.n_features:
        places = list(range(ensemble.n_features))
        note("The rows have other column names than the model: their first columns are taken, in order.")
    else:
        raise InputError(
            f"The rows have {len(names)} columns, the model {ensemble.n_features}; give the columns that it "
            "was trained on, in order."
        )
    _check_numeric([table.columns[place] for place in places])
    return table.X[:, places]


def _check_numeric(columns: tuple[Column, ...] | list[Column]) -> None:
    from treewright.tree import ColumnKind

    words = [column.name for column in columns if column.kind is ColumnKind.CATEGORICAL]
    if words:
        raise InputError(
            f"The column {words[0]!r} holds text, and the ensembles read here take numbers. Leave it out with "
            "--ignore, or give one 0/1 column per category."
        )
