"""Thresholds from a sample, before the rows are read: then a value is one byte on disk, the code of its bin.

Any thresholds that were fixed beforehand do for the proof, which is over trees that use them; so the sample need not be
perfectly random. Sources that cannot be read in places give none: their thresholds come from the first shard.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.binarize import quantiles
from treewright.sources import Coding, Roles, SchemaBuilder, Source
from treewright.table import Table
from treewright.tree import Column, ColumnKind, ThresholdSplit

__all__ = ["SAMPLE_ROWS", "Sampled", "quantiles_of", "sampled_thresholds", "values_of_bins"]

SAMPLE_ROWS = 100_000
MOST_BORDERS = 254  # that one byte can number


@dataclass(frozen=True, eq=False)
class Sampled:
    """Thresholds of the columns of numbers.

    Parameters
    ----------
    thresholds : dict of str to tuple of float
        Ascending; also of columns that hold 0 and 1 in the sample, which may hold more.
    codings : dict of str to Coding
        Of the columns that are read as bins.
    n_rows : int
        Of the sample.
    """

    thresholds: dict[str, tuple[float, ...]]
    codings: dict[str, Coding]
    n_rows: int


def values_of_bins(borders: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a value of each bin between ascending borders: each border itself, which ends a bin, and a number above.

    Parameters
    ----------
    borders : ndarray of shape (n_borders,), float64
    """
    return np.append(borders, np.nextafter(borders[-1], np.inf) if len(borders) else 0.0)


def _bins(borders: NDArray[np.float64]) -> Coding:
    def code(numbers: NDArray[np.float64]) -> NDArray[np.uint8]:
        codes = np.empty(len(numbers), dtype=np.uint8)
        core.code_values(np.ascontiguousarray(numbers), borders, codes)
        return codes

    return Coding(code, values_of_bins(borders))


def quantiles_of(
    columns: tuple[Column, ...], X: NDArray[np.float64], n_bins: int
) -> dict[str, tuple[float, ...]]:
    """Return the quantiles of all columns of numbers.

    Parameters
    ----------
    columns : tuple of Column
    X : ndarray of shape (n_rows, n_columns)
    n_bins : int
    """
    found: dict[str, set[float]] = {c.name: set() for c in columns if c.kind is ColumnKind.CONTINUOUS}
    for split in quantiles(Table(columns, X), n_bins).splits:
        name = columns[split.column].name
        if isinstance(split, ThresholdSplit) and np.isfinite(split.threshold) and name in found:
            found[name].add(split.threshold)
    return {name: tuple(sorted(values)) for name, values in found.items()}


def sampled_thresholds(source: Source, roles: Roles, thresholds: Any, seed: int) -> Sampled | None:
    """Return the quantiles of a sample; None where other thresholds were asked for, or none can be drawn.

    Parameters
    ----------
    source : Source
    roles : Roles
    thresholds : "all", int or mapping
    seed : int
    """
    draw = getattr(source, "sample", None)
    if draw is None or isinstance(thresholds, (str, Mapping)):
        return None
    builder = SchemaBuilder()
    parts = [builder.encode(piece) for piece in draw(roles, SAMPLE_ROWS, np.random.default_rng([seed, 1]))]
    if not parts:
        return None
    X = np.asfortranarray(np.stack([np.concatenate(own) for own in zip(*parts, strict=True)], axis=1))
    schema = builder.finish()
    schema.recode(X)
    numbers = tuple(
        replace(c, kind=ColumnKind.CONTINUOUS, categories=()) if c.kind is ColumnKind.BINARY else c
        for c in schema.columns
    )
    found = quantiles_of(numbers, X, int(thresholds))
    # A column that is 0 and 1, or of one value, in the sample may hold anything elsewhere: its values are kept.
    codings = {
        column.name: _bins(np.array(found[column.name]))
        for column in schema.columns
        if column.kind is ColumnKind.CONTINUOUS and 0 < len(found[column.name]) <= MOST_BORDERS
    }
    return Sampled(found, codings, len(X))
