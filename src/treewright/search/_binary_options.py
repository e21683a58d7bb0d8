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
        The search engine: binary searches over binary columns, ranked over all thresholds of ranked
        columns, and automatic chooses one of them. The ranked engine has switches of its own
        (`RankedOptions`) and uses none of the following.
    equivalent_points : bool, default=True
        Merge rows that are equal in all columns, and count the errors that no tree can avoid on them in
        advance (Hu et al. 2019, Theorem B.2).
    lookahead : bool, default=True
        Use that a tree of k leaves costs at least k leaf penalties (Lemma 3.2, Theorems 3.3 to 3.5).
    two_leaves : bool, default=True
        Compute the best tree of two leaves of each child exactly, and bound the child by it instead of by
        its leaf.
    budgets : bool, default=True
        Stop a subproblem as soon as it can no longer improve its parent (hierarchical bound, Theorem 3.1).
    similar_support : bool, default=True
        Bound a set of rows by a solved set that differs from it in few rows (after Theorem F.1).
    few_rows : bool, default=True
        Bound a set of rows by a few of its rows that are proven to cost as much as three to five leaves.
    cache : bool, default=True
        Solve each set of rows only once, whatever the order of the splits that select it (Corollary E.1).
    greedy_start : bool, default=True
        Start with a greedy tree, so that good trees are known early.
    lattice : bool, default=True
        If the depth is unlimited and branch and bound does not finish early, solve the problem by a dense
        dynamic program over groups of columns, provided that it is small enough.
    row_prices : bool, default=True
        Compute a dual bound for every set of rows by cutting planes (``treewright/search/_prices.py``) if a
        problem is not solved with twice `plain_steps` subproblems. Used only without a depth limit, or with
        one of 7 or more.
    shared_losses : bool, default=True
        While row prices are certified, bound the loss of all conjunctions that extend a given one by
        dividing the gain of each row among the literals that exclude it.
    kernel : {"automatic", "rows", "columns"}, default="automatic"
        How pair matrices are counted: by rows, by columns, or by the automatic choice.
    plain_steps : int, default=20_000
        Number of subproblems of the plain search, after which the phases for hard problems begin.
    alone_steps : int, default=2_000
        Number of subproblems after which further threads (``Limits(n_jobs=...)``) begin. From then on the
        result is the first of equally good trees, whatever the number of threads. Only one thread searches
        if row prices may be needed or the number of leaves is limited.
    lattice_states : int, default=40_000_000
        Largest number of subsets for which `lattice` tries the dense program: about 25 million per second,
        with 16 bytes each for two classes.

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
