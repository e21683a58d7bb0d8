"""Which engine answers a question, over which splits, and why: the only place that decides.

A table with few possible splits goes to the search over binary columns ("binary"), which has the stronger bounds. A
table with continuous columns of many values goes to the search over ranked columns ("ranked"), which looks at all their
thresholds without making them columns. Chosen thresholds (quantiles, a mapping) are binary columns again. Guessed
lower bounds exist over binary columns alone, and a frontier stays there as long as all splits can be held one by one;
leaf accuracy has an engine of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright._garbage import without_collections
from treewright.binarize import CandidateSplits, SplitMatrix, Worth, candidates_of, count_splits, scope_of_all
from treewright.errors import InputError
from treewright.problem import PolicyProblem, Problem
from treewright.result import SolveResult
from treewright.search._limits import Limits
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._single_split import FEW_SPLITS, UNRANKED, ends_unranked
from treewright.search._space import (
    MOST_SPLITS,
    RankedSpace,
    Thresholds,
    binary_space,
    check_binary_memory,
    check_thresholds,
    ranked_space,
)
from treewright.table import Table
from treewright.tree import ColumnKind

__all__ = ["Choice", "Method", "choose_engine", "choose_for_actions", "unranked_choice"]

Method = Literal["tree", "guessed bounds", "frontier", "leaf accuracy", "near-optimal"]

FRONTIER_OPTIONS = ("equivalent_points", "budgets", "cache", "greedy_start", "kernel")

WHO = {
    "tree": "the search over binary columns",
    "guessed bounds": "a search with guessed lower bounds, which takes binary columns only",
    "frontier": "the search for a frontier over binary columns",
    "near-optimal": "a set of near-optimal trees",
    "leaf accuracy": "the search for leaf accuracy, whose time grows with the square of their number",
}
ONLY_BINARY = {
    "guessed bounds": "only the search over binary columns knows guessed lower bounds",
    "near-optimal": 'a set is made over binary columns unless thresholds="all" offers many',
}


@dataclass(frozen=True, eq=False)
class Choice:
    """The engine, the splits that it searches, and why this one.

    Parameters
    ----------
    engine : {"binary", "ranked", "leaf-accuracy"}
    space : SplitMatrix or RankedSpace
        Binary columns for "binary", ranked columns for "ranked", either for "leaf-accuracy".
    why : str
        In words that complete "this engine was chosen because ...".

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import choose_engine
    >>> from treewright.table import table_from
    >>> choose_engine(make_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=2), "auto").why
    'the table has 2 thresholds of continuous columns and 0 other splits: at most 128 thresholds, so binary columns'
    """

    engine: Literal["binary", "ranked", "leaf-accuracy"]
    space: SplitMatrix | RankedSpace
    why: str

    def sign(self, result: SolveResult) -> SolveResult:
        """Return the result with the engine and the reason in its statistics.

        Parameters
        ----------
        result : SolveResult

        Returns
        -------
        SolveResult
            With ``engine`` and ``engine_reason`` in `stats`.
        """
        return replace(result, stats={**result.stats, "engine": self.engine, "engine_reason": self.why})


@without_collections()
def choose_engine(
    problem: Problem,
    thresholds: SplitMatrix | Thresholds,
    options: BinaryOptions | RankedOptions | None = None,
    *,
    method: Method = "tree",
    limits: Limits | None = None,
) -> Choice:
    """Choose the engine and make the splits that it searches.

    Parameters
    ----------
    problem : Problem
    thresholds : "auto", "all", int, mapping or SplitMatrix
        As in `treewright.search.solve`.
    options : BinaryOptions, RankedOptions or None, default=None
        May name the engine; every switch that differs from its default must be one that the engine has.
    method : {"tree", "guessed bounds", "frontier", "leaf accuracy", "near-optimal"}, default="tree"
        What is searched for.
    limits : Limits, default=None
        They also apply to making the splits.

    Returns
    -------
    Choice

    Raises
    ------
    InputError
        `thresholds` cannot be used with this table, or the engine cannot search them, or cannot use the options.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import choose_engine
    >>> from treewright.table import table_from
    >>> choose_engine(make_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=2), "auto").engine
    'binary'
    """
    asked = _asked_engine(options)
    if not isinstance(thresholds, SplitMatrix):
        check_thresholds(thresholds)
    if asked == "ranked":
        if method not in ("tree", "frontier"):
            raise InputError(f'engine="ranked" cannot be used for {WHO[method]}; leave it out.')
        if isinstance(thresholds, SplitMatrix) or thresholds not in ("auto", "all"):
            given = "splits" if isinstance(thresholds, SplitMatrix) else f"thresholds={thresholds!r}"
            raise InputError(f'engine="ranked" searches all thresholds; {given} asks for fewer.')
    limits = limits or Limits()
    if isinstance(thresholds, SplitMatrix):
        choice = Choice(_over_binary(method), thresholds, "the splits were given")
    else:
        unranked = thresholds in ("auto", "all") and method in ("tree", "frontier")
        if unranked and ends_unranked(problem, limits, options) is not None:
            choice = unranked_choice(problem.table)
        else:
            choice = _choose(problem, thresholds, asked, method, limits)
    _refuse_unused(options, choice, method)
    return choice


def _choose(problem: Problem, thresholds: Thresholds, asked: str, method: Method, limits: Limits) -> Choice:
    # Quantiles, or as many splits as an engine without ranked columns holds.
    few = isinstance(thresholds, Integral) or (thresholds == "auto" and method not in ("tree", "frontier"))
    chosen = isinstance(thresholds, Mapping)
    candidates = candidates_of(
        problem.table, problem.sample_weight, _worth(problem, method), few=few, chosen=chosen
    )
    engine = _over_binary(method)
    if thresholds not in ("auto", "all"):
        split_matrix = binary_space(problem, thresholds, candidates, limits, WHO[method])
        return Choice(
            engine, split_matrix, "thresholds were chosen, and chosen thresholds are binary columns"
        )
    many, counted = _has_many_thresholds(problem, candidates)
    if method == "tree" and (asked == "ranked" or (asked == "automatic" and many)):
        assert thresholds in ("auto", "all")
        space = ranked_space(problem, thresholds, candidates, limits)
        return Choice("ranked", space, counted if asked == "automatic" else "search_options ask for it")
    if method == "frontier":
        return _for_frontier(problem, thresholds, candidates, asked, limits)
    if method == "near-optimal" and many and thresholds == "all":
        check_binary_memory(problem.table, candidates, limits)  # the splits of the trees are held one by one
        return Choice("ranked", ranked_space(problem, "all", candidates, limits), counted)
    if method == "leaf accuracy":
        why = "it is the only one that knows the accuracy of single leaves"
        if thresholds == "all":
            return Choice(engine, ranked_space(problem, "all", candidates, limits), why)
        return Choice(engine, binary_space(problem, thresholds, candidates, limits, WHO[method]), why)
    if method == "tree":
        why = counted if asked == "automatic" else "search_options ask for it"
        return Choice(engine, binary_space(problem, thresholds, candidates, limits, WHO[method]), why)
    who = WHO[method]
    if many and thresholds == "auto":
        without = "without guessed lower bounds" if method == "guessed bounds" else "for a single tree"
        who = f"{who} (the search {without} looks at all thresholds)"
    split_matrix = binary_space(problem, thresholds, candidates, limits, who)
    return Choice(engine, split_matrix, ONLY_BINARY[method])


def _for_frontier(
    problem: Problem,
    thresholds: Thresholds,
    candidates: Sequence[CandidateSplits],
    asked: str,
    limits: Limits,
) -> Choice:
    """Choose for a frontier: one search over binary columns finds all points, as long as it can hold all splits."""
    assert thresholds in ("auto", "all")
    many, counted = _has_many_thresholds(problem, candidates)
    n_splits = sum(offered.n_splits() for offered in candidates)
    if asked == "ranked" or (asked == "automatic" and many and n_splits > MOST_SPLITS):
        why = counted if asked == "automatic" else "search_options ask for it"
        return Choice("ranked", ranked_space(problem, thresholds, candidates, limits), why)
    why = f"the table has {n_splits:,} splits: few enough for one search over binary columns"
    if n_splits > MOST_SPLITS:
        why = counted if asked == "automatic" else "search_options ask for it"
    return Choice("binary", binary_space(problem, thresholds, candidates, limits, WHO["frontier"]), why)


def choose_for_actions(
    problem: PolicyProblem,
    regret: NDArray[np.float64],
    options: BinaryOptions | RankedOptions | None,
    limits: Limits,
) -> Choice:
    """Choose the engine for a policy tree; both look at all thresholds.

    Parameters
    ----------
    problem : PolicyProblem
    regret : ndarray of shape (n_rows, n_actions)
        What each row can lose by each action.
    options : BinaryOptions, RankedOptions or None
        May name the engine.
    limits : Limits
    """
    table = problem.table
    worth = Worth(
        regret.max(axis=1),
        leaf_penalty=problem.cost_complexity * float(regret.sum(axis=0).min()),
        min_rows=problem.min_samples_leaf,
    )
    candidates = candidates_of(table, problem.sample_weight, worth)
    asked = _asked_engine(options)
    many, why = _has_many_thresholds(problem, candidates)
    n_splits = sum(offered.n_splits() for offered in candidates)
    if not many and n_splits > MOST_SPLITS:
        many, why = True, f"the table has {n_splits:,} splits: too many for binary columns"
    if asked != "automatic":
        many, why = asked == "ranked", "search_options ask for it"
    if many:
        choice = Choice("ranked", RankedSpace(candidates, scope_of_all(table), table.notes), why)
    else:
        choice = Choice("binary", binary_space(problem, "all", candidates, limits, WHO["tree"]), why)
    _refuse_unused(options, choice, "tree")
    return choice


def unranked_choice(table: Table) -> Choice:
    """Return the choice of a run whose limits end before the columns are ranked.

    No candidates are named; a search that ranks the columns after all takes every split of the table.
    """
    return Choice("ranked", RankedSpace((), scope_of_all(table), table.notes), UNRANKED["engine_reason"])


def _over_binary(method: Method) -> Literal["binary", "leaf-accuracy"]:
    return "leaf-accuracy" if method == "leaf accuracy" else "binary"


def _worth(problem: Problem, method: Method) -> Worth:
    """Return what a split must separate: by the leaf penalty only where the objective is a sum over rows."""
    if method not in ("tree", "guessed bounds"):
        return Worth(None, min_rows=problem.min_samples_leaf)
    span = problem.costs.max(axis=1) - problem.costs.min(axis=1)
    return Worth(
        problem.sample_weight * span[problem.y],
        leaf_penalty=problem.cost_complexity * problem.total_weight,
        min_rows=problem.min_samples_leaf,
    )


def _has_many_thresholds(
    problem: Problem | PolicyProblem, candidates: Sequence[CandidateSplits]
) -> tuple[bool, str]:
    """Say whether thresholds of continuous columns are many and most of what can be split, and how many there are."""
    if all(column.kind is not ColumnKind.CONTINUOUS for column in problem.table.columns):
        return False, "no column is continuous"
    continuous, others = count_splits(problem.table, candidates)
    categories = sum(offered.n_splits() for offered in candidates if offered.gaps is None)
    others += min(categories, MOST_SPLITS) - categories  # "auto" holds no more
    many = continuous > max(FEW_SPLITS, others)
    words = f"the table has {continuous:,} thresholds of continuous columns and {others:,} other splits"
    if many:
        return True, f"{words}: too many for binary columns"
    few = f"at most {FEW_SPLITS} thresholds" if continuous <= FEW_SPLITS else "most of them no thresholds"
    return False, f"{words}: {few}, so binary columns"


def _asked_engine(options: BinaryOptions | RankedOptions | None) -> str:
    if options is None:
        return "automatic"
    return "ranked" if isinstance(options, RankedOptions) else options.engine


def _refuse_unused(options: BinaryOptions | RankedOptions | None, choice: Choice, method: Method) -> None:
    """Refuse switches that were set and that the chosen engine does not have."""
    if options is None or isinstance(options, RankedOptions):  # these chose their engine
        return
    if choice.engine == "binary" and method != "frontier":
        return  # it has them all
    over_binary = method == "frontier" and choice.engine == "binary"
    used = FRONTIER_OPTIONS if over_binary else ()
    unused = [
        f"{field.name}={getattr(options, field.name)!r}"
        for field in fields(options)
        if field.name != "engine" and field.name not in used
        if getattr(options, field.name) != field.default
    ]
    if not unused:
        return
    if over_binary:
        raise InputError(
            f"search_options set {', '.join(unused)}, which {WHO['frontier']} does not use; it has "
            f"{', '.join(FRONTIER_OPTIONS)}. Leave the others out."
        )
    raise InputError(
        f"search_options set {', '.join(unused)}, which the search over ranked columns does not have; it was chosen "
        f'because {choice.why}. Give treewright.search.RankedOptions, or BinaryOptions(engine="binary", ...) for the '
        "search over binary columns."
    )
