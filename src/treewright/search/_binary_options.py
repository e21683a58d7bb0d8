"""Written by tools/write_options.py from binary_options.def; change that file instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treewright.search._switches import Switches

__all__ = ["BinaryOptions"]


@dataclass(frozen=True)
class BinaryOptions(Switches):
    """Which bounds and techniques the search over binary columns uses.

    Parameters
    ----------
    engine : {"automatic", "binary", "ranked"}, default="automatic"
        Which engine searches: over binary columns, or over all thresholds of ranked columns, which has
        switches of its own (`RankedOptions`) and none of the following.
    equivalent_points : bool, default=True
        Merge equal rows and charge their unavoidable errors at once (Hu et al. 2019, Theorem B.2).
    lookahead : bool, default=True
        Trees of k leaves cost at least k leaf penalties (Lemma 3.2, Theorems 3.3 to 3.5).
    two_leaves : bool, default=True
        Bound a child by its exact best tree of two leaves instead of by its leaf.
    budgets : bool, default=True
        Stop a subproblem once it cannot improve its parent (hierarchical bound, Theorem 3.1).
    similar_support : bool, default=True
        Bound a subset by a solved one that differs in few rows (after Theorem F.1).
    few_rows : bool, default=True
        Bound a subset by few of its rows that are known to cost as much as three to five leaves.
    cache : bool, default=True
        Solve a set of rows once, whatever the order of the splits that select it (Corollary E.1).
    greedy_start : bool, default=True
        Begin with a greedy tree, for early incumbents.
    lattice : bool, default=True
        Solve problems of unlimited depth that branch and bound does not finish at once by a dense program
        over column groups, where it is small enough.
    row_prices : bool, default=True
        For problems that twice `plain_steps` subproblems do not solve: a dual bound for every subset, found
        with cutting planes (``treewright/search/_prices.py``). Used with a depth limit of 6 or more, or
        none.
    shared_losses : bool, default=True
        While row prices are certified, bound what all conjunctions inside one lose by dividing the gain of
        each row among the literals that exclude it.
    kernel : {"automatic", "rows", "columns"}, default="automatic"
        How pair matrices are counted.
    plain_steps : int, default=20_000
        Subproblems of the plain search before the phases for hard problems begin.
    alone_steps : int, default=2_000
        Subproblems after which threads (``Limits(n_jobs=...)``) begin, and from which on the answer is the
        first of equal trees, whatever their number. Where row prices may be needed, or leaves are limited,
        one thread searches.
    lattice_states : int, default=40_000_000
        Subsets of the largest dense program that is tried: about 25 million a second, with 16 bytes each
        (two classes).

    Examples
    --------
    >>> from treewright.search import BinaryOptions
    >>> BinaryOptions(cache=False).cache
    False
    """

    SETTINGS: ClassVar[tuple[str, ...]] = ("engine", "equivalent_points", "row_prices", "shared_losses")
    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {
        "engine": ("automatic", "binary", "ranked"),
        "kernel": ("automatic", "rows", "columns"),
    }

    engine: str = "automatic"
    equivalent_points: bool = True
    lookahead: bool = True
    two_leaves: bool = True
    budgets: bool = True
    similar_support: bool = True
    few_rows: bool = True
    cache: bool = True
    greedy_start: bool = True
    lattice: bool = True
    row_prices: bool = True
    shared_losses: bool = True
    kernel: str = "automatic"
    plain_steps: int = 20_000
    alone_steps: int = 2_000
    lattice_states: int = 40_000_000
