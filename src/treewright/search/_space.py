"""The splits that a search offers to its trees, in the form that its engine reads.

``thresholds="auto"`` has one meaning for every method: all splits, as long as those that the engine must hold one by
one are no more than `MOST_SPLITS` and fit into the limits of the run; beyond, equally many of each column, thresholds
at quantiles and the most frequent categories. An engine over binary columns holds every split; one over ranked columns
holds only those of categories, so it offers all thresholds. Whatever is left out is said in the scope and in the notes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from treewright._numbers import is_whole
from treewright.binarize import (
    CandidateSplits,
    SplitMatrix,
    auto_splits,
    even_level,
    fewer_notes,
    given_splits,
    midpoints,
    quantiles,
    scope_of_all,
)
from treewright.errors import InputError
from treewright.problem import PolicyProblem, Problem
from treewright.search._limits import Limits
from treewright.table import Table

__all__ = [
    "MOST_SPLITS",
    "RankedSpace",
    "Thresholds",
    "binary_space",
    "check_binary_memory",
    "check_ranked_memory",
    "check_thresholds",
    "ranked_space",
]

Thresholds = Literal["auto", "all"] | int | Mapping[str, Sequence[float]]

MOST_SPLITS = 512  # that "auto" holds one by one

ALL_CATEGORIES = "all single categories"  # in the scope of all splits

LEAST_MEMORY = 2**26  # bytes that are always granted to the splits
LEAST_SECONDS = 0.05  # likewise
SHARE = 0.5  # of the limits that making the splits may take


@dataclass(frozen=True)
class Cell:
    """What one split costs for each row while it is made and held.

    Parameters
    ----------
    n_bytes : float
    seconds : float
    """

    n_bytes: float
    seconds: float


# Measured on 10**5 and 10**6 rows, rounded up: the bits of a split, and their copies while equal rows are merged; ranks
# in Python and in the engine, the sorted rows, and their copies in nodes.
BINARY_CELL = Cell(0.6, 3e-9)
RANKED_CELL = Cell(24.0, 4e-8)


@dataclass(frozen=True, eq=False)
class RankedSpace:
    """Splits for an engine over ranked columns: all thresholds, and categories.

    Parameters
    ----------
    candidates : sequence of CandidateSplits
        Everything that they offer is searched.
    scope : str
    notes : tuple of str

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import choose_engine
    >>> from treewright.table import table_from
    >>> choose_engine(make_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=2), "all").space.scope
    'all thresholds'
    """

    candidates: Sequence[CandidateSplits]
    scope: str
    notes: tuple[str, ...]


def check_thresholds(thresholds: object) -> None:
    """Refuse what is no choice of thresholds.

    Raises
    ------
    InputError
        `thresholds` is neither "auto", "all", an integer of at least 2, nor a mapping.
    """
    if isinstance(thresholds, str) and thresholds in ("auto", "all"):
        return
    if isinstance(thresholds, Mapping) or (is_whole(thresholds) and int(thresholds) >= 2):
        return
    raise InputError(
        f'thresholds={thresholds!r}; give "auto", "all", a number of bins (2 or more), or a mapping from column '
        "name to thresholds."
    )


def binary_space(
    problem: Problem | PolicyProblem,
    thresholds: Thresholds,
    candidates: Sequence[CandidateSplits],
    limits: Limits,
    who: str,
) -> SplitMatrix:
    """Return the splits that `thresholds` asks for as binary columns.

    Parameters
    ----------
    problem : Problem or PolicyProblem
    thresholds : "auto", "all", int or mapping
    candidates : sequence of CandidateSplits
        Of the problem's table.
    limits : Limits
    who : str
        The search that takes them, for a note where "auto" offers fewer than all.

    Raises
    ------
    InputError
        `thresholds` does not fit the table, or its splits do not fit into the memory limit.
    """
    table = problem.table
    if thresholds == "all":
        check_binary_memory(table, candidates, limits)
        return midpoints(table, candidates=candidates)
    room = _room(table, limits, BINARY_CELL)
    if thresholds == "auto":
        n_all = sum(offered.n_splits() for offered in candidates)
        most = min(MOST_SPLITS, room)
        split_matrix = auto_splits(table, most, candidates=candidates)
        if len(split_matrix.splits) < n_all:
            why = f'thresholds="auto" offers at most {most:,} of {n_all:,} splits to {who}.'
            split_matrix = replace(
                split_matrix, notes=(*split_matrix.notes, f"{why} {_advice(most < MOST_SPLITS)}")
            )
        return split_matrix
    kept, level = _fewer_categories(candidates, room)
    if isinstance(thresholds, Mapping):
        split_matrix = given_splits(table, thresholds, candidates=kept)
    else:
        assert not isinstance(thresholds, str)  # check_thresholds
        split_matrix = quantiles(table, int(thresholds), candidates=kept)
    if level is None:
        return split_matrix
    notes = _category_notes(
        table, candidates, level, f"The limits of the run leave room for {room:,} splits."
    )
    return replace(
        split_matrix,
        scope=_scope(split_matrix.scope, level),
        notes=(*split_matrix.notes, *notes),
    )


def check_binary_memory(table: Table, candidates: Sequence[CandidateSplits], limits: Limits) -> None:
    """Refuse "all" where the splits, held one by one, do not fit into the memory limit.

    Raises
    ------
    InputError
    """
    _check_memory(sum(offered.n_splits() for offered in candidates), table, limits, BINARY_CELL)


def ranked_space(
    problem: Problem,
    thresholds: Literal["auto", "all"],
    candidates: Sequence[CandidateSplits],
    limits: Limits,
) -> RankedSpace:
    """Return all thresholds, and all categories or those that "auto" keeps.

    Parameters
    ----------
    problem : Problem
    thresholds : "auto" or "all"
    candidates : sequence of CandidateSplits
    limits : Limits

    Raises
    ------
    InputError
        All categories were asked for and do not fit into the memory limit.
    """
    table = problem.table
    if thresholds == "all":
        held = sum(offered.n_splits() for offered in candidates if offered.gaps is None)
        _check_memory(held, table, limits, RANKED_CELL)
        return RankedSpace(candidates, scope_of_all(table), table.notes)
    most = min(MOST_SPLITS, _room(table, limits, RANKED_CELL))
    kept, level = _fewer_categories(candidates, most)
    if level is None:
        return RankedSpace(candidates, scope_of_all(table), table.notes)
    notes = _category_notes(
        table, candidates, level, f'thresholds="auto" offers at most {most:,} splits of categories.'
    )
    return RankedSpace(kept, _scope(scope_of_all(table), level), (*table.notes, *notes))


def check_ranked_memory(table: Table, candidates: Sequence[CandidateSplits], limits: Limits) -> None:
    """Refuse categories that, each a column of ranks, do not fit into the memory limit.

    Raises
    ------
    InputError
    """
    text = [offered for offered in candidates if offered.gaps is None]
    n_splits = sum(offered.n_splits() for offered in text)
    need, granted = RANKED_CELL.n_bytes * n_splits * table.n_rows, limits.native()["memory_limit"]
    if need > max(LEAST_MEMORY, granted):
        most = max(text, key=lambda offered: offered.n_splits())
        name = table.columns[most.position].name
        raise InputError(
            f"Each value of a text column is a split: {n_splits:,} of them need about {need / 2**20:,.0f} MiB on "
            f"{table.n_rows:,} rows; memory_limit is {granted / 2**20:,.0f} MiB. Leave out text columns of many "
            f"values, such as {name!r:.60} with {most.n_splits():,}, or raise memory_limit."
        )


def _scope(scope: str, level: int) -> str:
    """Say in the scope that no more than `level` categories of a column were searched."""
    if ALL_CATEGORIES in scope:
        most = f"{level} most frequent {'categories' if level > 1 else 'category'}"
        return scope.replace(ALL_CATEGORIES, f"the {most} of a column")
    return f"{scope}, of categories the {level} most frequent of a column"


def _room(table: Table, limits: Limits, cell: Cell) -> int:
    """Return how many splits may be made and held one by one within a share of the limits, 1 or more."""
    n_rows = max(1, table.n_rows)
    splits = max(LEAST_MEMORY, SHARE * limits.native()["memory_limit"]) / (cell.n_bytes * n_rows)
    if limits.time_limit is not None:
        splits = min(splits, max(LEAST_SECONDS, SHARE * float(limits.time_limit)) / (cell.seconds * n_rows))
    return max(1, int(splits))


def _check_memory(n_splits: int, table: Table, limits: Limits, cell: Cell) -> None:
    """Refuse "all" where holding the splits alone exceeds the memory limit."""
    need, granted = cell.n_bytes * n_splits * table.n_rows, limits.native()["memory_limit"]
    if need > max(LEAST_MEMORY, granted):
        raise InputError(
            f'thresholds="all" offers {n_splits:,} splits, which need about {need / 2**20:,.0f} MiB on '
            f'{table.n_rows:,} rows; memory_limit is {granted / 2**20:,.0f} MiB. Use thresholds="auto", leave out '
            "text columns of many values, or raise memory_limit."
        )


def _fewer_categories(
    candidates: Sequence[CandidateSplits], most: int
) -> tuple[Sequence[CandidateSplits], int | None]:
    """Keep the heaviest categories, so many of each column that they have at most `most` splits; None: all of them."""
    text = [offered for offered in candidates if offered.gaps is None]
    if sum(offered.n_splits() for offered in text) <= most:
        return candidates, None
    level = even_level(text, most)
    return [offered.heaviest(level) if offered.gaps is None else offered for offered in candidates], level


def _category_notes(
    table: Table, candidates: Sequence[CandidateSplits], level: int, why: str
) -> tuple[str, ...]:
    levels = [level if offered.gaps is None else offered.n_choices for offered in candidates]
    return (*fewer_notes(table, candidates, levels), f"{why} {_advice(True)}")


def _advice(limited: bool) -> str:
    more = (
        "Leave out columns that only number the rows, raise time_limit or memory_limit, or give"
        if limited
        else "Give"
    )
    return (
        f'{more} thresholds="all" to search every split, or choose them: a number of quantiles, or a mapping.'
    )
