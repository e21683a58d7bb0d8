"""Which splits are searched, and by which engine.

A table with few possible splits goes to the engine over binary columns, which has the stronger bounds. A table with
continuous columns of many values goes to the sweep engine, which searches all their thresholds without making them
columns. Chosen cuts (quantiles, given thresholds) are binary columns again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Literal

from treewright.binarize import Cuts, auto_cuts, count_splits, given_cuts, midpoints, quantiles
from treewright.errors import InputError
from treewright.problem import Problem
from treewright.tree import ColumnKind

__all__ = ["Thresholds", "cuts_for"]

Thresholds = Literal["auto", "all"] | int | Mapping[str, Sequence[float]]

FEW_SPLITS = 128  # of continuous columns, as binary columns; beyond, thresholds are swept


def cuts_for(problem: Problem, thresholds: Thresholds, engine: str = "automatic") -> Cuts | None:
    """Return the splits to search, or None for all thresholds by the sweep engine.

    Parameters
    ----------
    problem : Problem
    thresholds : "auto", "all", int or mapping
        As in `treewright.search.solve`.
    engine : {"automatic", "cuts", "sweep"}, default="automatic"

    Raises
    ------
    InputError
        `thresholds` is none of these, or the engine cannot search them.
    """
    table, weight = problem.table, problem.sample_weight
    if isinstance(thresholds, str) and thresholds in ("auto", "all"):
        if engine == "sweep" or (engine == "automatic" and _has_many_thresholds(problem)):
            return None
        return (
            auto_cuts(table, sample_weight=weight)
            if thresholds == "auto"
            else midpoints(table, sample_weight=weight)
        )
    if engine == "sweep":
        raise InputError(f'engine="sweep" searches all thresholds; thresholds={thresholds!r} asks for fewer.')
    if isinstance(thresholds, Mapping):
        return given_cuts(table, thresholds, sample_weight=weight)
    if isinstance(thresholds, Integral) and not isinstance(thresholds, bool):
        return quantiles(table, int(thresholds), sample_weight=weight)
    raise InputError(
        f'thresholds={thresholds!r}; give "auto", "all", a number of bins, or a mapping from column name to '
        "thresholds."
    )


def _has_many_thresholds(problem: Problem) -> bool:
    """Whether thresholds of continuous columns are many, and most of what can be split."""
    if all(column.kind is not ColumnKind.CONTINUOUS for column in problem.table.columns):
        return False
    continuous, others = count_splits(problem.table)
    return continuous > max(FEW_SPLITS, others)
