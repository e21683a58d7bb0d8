"""What must hold for a set of near-optimal trees: compared with a list of all trees, in whole numbers.

Which splits are told apart is the library's to say, for two of them may send all rows of a tiny table the same way.
That they are the table's splits, each of them, is compared with a generator of its own.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

from attack.case import Case
from attack.checks import Mismatch
from attack.near_oracle import StatedSet, TooManyTrees, Trees
from attack.splits import left_sets
from treewright.near_optimal import solve_near_optimal
from treewright.search import Limits

__all__ = ["near_answers", "stopped_answers"]

NEAR = 1e-9
TINY = 1e-15
SOME_STOPS = ({"step_limit": 1}, {"step_limit": 3}, {"memory_limit": 3000}, {"memory_limit": 30000})


def near_answers(case: Case) -> Iterator[Mismatch]:
    """Compare the set with the list of all trees: numbers, order, places, rules, votes, and its file.

    The same set is made over ranked columns, which tables of so few thresholds are not otherwise, and compared too.
    """
    yield from _answers(case, case.run())
    with patch("treewright.search._choose_engine._has_many_thresholds", lambda *given: (True, "asked")):
        ranked = case.run(thresholds="all")
    yield from (Mismatch(f"{m.law}, over ranked columns", m.words) for m in _answers(case, ranked))
    yield from stopped_answers(case, SOME_STOPS)


def stopped_answers(case: Case, stops: Iterable[dict[str, int]]) -> Iterator[Mismatch]:
    """Compare what limits of steps and memory leave of the set with the list of all trees, up to its own bound.

    The steps are those of the search for the optimum: without its proof the set is made all the same, if it can be.
    """
    for stop in stops:

        def solve(*given: Any, limits: Limits, stop: dict[str, int] = stop, **how: Any) -> Any:
            return solve_near_optimal(*given, limits=replace(limits, **stop), **how)

        with patch("treewright.near_optimal._make.solve_near_optimal", solve):
            found = case.run()
            if not _is_told(found):
                yield Mismatch("a stopped set that does not say so", f"{stop}: {found.sentence()}")
            yield from (
                Mismatch(f"{m.law}, stopped", f"{stop}: {m.words}")
                for m in _answers(case, found, questions=False, limited=True)
            )


def _is_told(found: Any) -> bool:
    """Whether status, reason and sentence say the same."""
    if found.stop_reason is None:
        return bool(found.status_ == "complete")
    return found.stop_reason.value in found.status_ and found.status_ in found.sentence()


def _answers(case: Case, found: Any, *, questions: bool = True, limited: bool = False) -> Iterator[Mismatch]:
    stated = StatedSet(case)
    problem, splits = found.graph.problem, list(found.graph.split_matrix.splits)
    lefts = [sum(1 << i for i, goes in enumerate(s.goes_left(problem.table.X)) if goes) for s in splits]
    trees = Trees(stated, lefts)
    offered = {min(left, trees.everything ^ left) for left in lefts} - {0}
    table = set(left_sets(case, stated.kept))
    most = len(stated.kept) - stated.min_samples_leaf
    usable = {left for left in table if stated.min_samples_leaf <= left.bit_count() <= most}
    if not (usable <= offered <= table):
        yield Mismatch("other splits than the table's", f"{len(offered)} sets of rows; {found.sentence()}")
        return
    try:
        every = trees.all()
    except TooManyTrees:
        return
    best = trees.optimum()
    yield from _bound(case, found, stated, best, limited)
    budget = Fraction(found.membership.budget) * found.graph.unit * stated.unit
    if found.rounding_:
        yield from _rounded(found, stated, every)
        return
    inside = {tree: (cost, leaves) for tree, leaves, cost in every if cost <= budget}
    numbers = {split: number for number, split in enumerate(splits)}
    words = f"{found.sentence()} The oracle has {len(inside)} trees."
    if found.n_trees_ != len(inside) or len(found) != len(inside):
        yield Mismatch("another number of trees", words)
        return
    sizes = Counter(inside.values())
    told = [(s.n_leaves, s.n_trees) for s in found.table()]
    known = sorted((cost, n, count) for (cost, n), count in sizes.items())
    far = (
        abs(s.objective - cost / stated.unit) for s, (cost, _, _) in zip(found.table(), known, strict=False)
    )
    if told != [(n, count) for _, n, count in known] or max(far, default=0.0) > NEAR:
        yield Mismatch("another table of sizes", f"{words} {found.table()}")
    listed = list(found)
    nested = [_nested(tree, numbers) for tree in listed]
    if sorted(map(repr, nested)) != sorted(map(repr, inside)):
        yield Mismatch("other trees", words)
        return
    if [inside[tree] for tree in nested] != sorted(inside.values()):
        yield Mismatch("trees out of order", words)
    if not listed:
        return
    for place in {0, len(listed) // 2, len(listed) - 1}:
        if found.rank(listed[place]) != place or _nested(found[place], numbers) != nested[place]:
            yield Mismatch("a tree is not at its place", f"place {place}; {words}")
        claim = found.result(place)
        if abs(claim.objective - inside[nested[place]][0] / stated.unit) > NEAR:
            yield Mismatch("the objective is not the tree's", f"place {place}: {claim.objective!r}; {words}")
        if claim.lower_bound > best / stated.unit + NEAR:
            yield Mismatch("the lower bound is above the optimum", claim.sentence())
    if not questions:
        return
    yield from _votes(found, trees, nested, words)
    yield from _gaps(case, found, trees, nested, words)
    yield from _rules(case, found, nested, inside, numbers, words)
    yield from _through_a_file(found, words)


def _bound(case: Case, found: Any, stated: StatedSet, best: int, limited: bool) -> Iterator[Mismatch]:
    """The set is complete up to what was asked, or says that it is not."""
    options = case.options
    optimum = Fraction(best, stated.unit)
    if "max_objective" in options:
        asked = Fraction(repr(options["max_objective"]))
    elif "slack" in options:
        asked = optimum + Fraction(repr(options["slack"]))
    else:
        asked = optimum * (1 + Fraction(repr(options.get("epsilon", 0.05))))
    near = NEAR + 2 * found.rounding_
    limited = limited or "time_limit" in options or "memory_limit" in options
    if found.stop_reason is None:
        if abs(found.bound_ - float(asked)) > near:
            yield Mismatch("another bound", f"{found.bound_!r} instead of {float(asked)!r}")
    elif not limited:
        yield Mismatch("not complete though there is no limit", found.sentence())
    elif (
        found.membership.budget >= 0
        and found.bound_ > float(asked) + near
        and found.best.objective <= optimum
    ):
        yield Mismatch("a bound beyond what was asked", found.sentence())
    exact = found.stop_reason is None and not found.rounding_ and bool(found)
    if exact and found.best.status.name != "OPTIMAL":
        yield Mismatch("not proven by a complete set that has trees", found.sentence())
    own = near + (0 if exact else found.best.rounding)  # the search may have fewer bits than the set
    if found.best.status.name == "OPTIMAL" and abs(found.best.objective - float(optimum)) > own:
        yield Mismatch("false optimal", f"{found.sentence()} The oracle: {float(optimum)!r}")


def _rounded(found: Any, stated: StatedSet, every: list[Any]) -> Iterator[Mismatch]:
    """Real weights: no tree up to the bound is missing, and none is far above it; labels of equal cost may change."""
    if found.membership.budget < 0 or found.graph.empty:  # a run that was stopped
        return
    bound, least = found.bound_ * (1 - TINY), min(cost for *_, cost in every) / stated.unit
    most = (found.bound_ + found.rounding_) * (1 + TINY) + TINY
    wanted = found.best.status.name == "OPTIMAL" and least <= bound
    if wanted and (not found or abs(found.table()[0].objective - least) > found.rounding_ + TINY):
        yield Mismatch("the best tree is not in the rounded set", found.sentence())
    if found.graph.any_label:  # else which label is the cheapest may be a matter of rounding
        fewest, largest = (sum(cost / stated.unit <= limit for *_, cost in every) for limit in (bound, most))
        if not fewest <= found.n_trees_ <= largest:
            yield Mismatch(
                "a tree is missing from the rounded set, or far beyond its bound",
                f"{found.sentence()} The oracle has {fewest} to {largest} trees.",
            )


def _gaps(case: Case, found: Any, trees: Trees, nested: list[Any], words: str) -> Iterator[Mismatch]:
    """The range of the gap between every other row and the rest, and the best tree with a small one."""
    stated = trees.stated
    n, last = len(stated.kept), len(stated.classes) - 1
    if n < 2:
        return
    group = [i % 2 == 0 for i in range(n)]
    totals = [
        sum(w for w, here in zip(stated.weights, group, strict=True) if here is side)
        for side in (True, False)
    ]
    gaps = []
    for tree in nested:
        said = [Fraction(0), Fraction(0)]
        for row in range(n):
            if trees.label(tree, row) == last:
                said[0 if group[row] else 1] += stated.weights[row]
        gaps.append(said[0] / totals[0] - said[1] / totals[1])
    whole = [False] * case.n_rows
    for row, place in enumerate(stated.kept):
        whole[place] = group[row]
    given = whole if found.graph.problem.rows is not None else group
    extent = found.gap_range(given, label=stated.classes[-1])
    if max(abs(extent.least.value - min(gaps)), abs(extent.most.value - max(gaps))) > NEAR:
        yield Mismatch(
            "another range of the gap", f"{extent.least.value!r} to {extent.most.value!r}; {words}"
        )
    limit = sorted(map(abs, gaps))[len(gaps) // 2]
    tree, _, _ = found.best_with_gap(given, float(limit), label=stated.classes[-1])
    places = [place for place, gap in enumerate(gaps) if abs(gap) <= limit]
    nearly = [place for place, gap in enumerate(gaps) if abs(gap) <= limit + Fraction(1, 2**39)]
    if tree is None:
        if any(abs(gap) <= Fraction(repr(float(limit))) for gap in gaps):
            yield Mismatch("no tree with a small gap though there is one", words)
        return
    if found.rank(tree) not in nearly:
        yield Mismatch("a tree whose gap is larger than was asked", f"{float(limit)!r}; {words}")
    elif found.result(found.rank(tree)).objective > found.result(places[0]).objective + NEAR and abs(
        gaps[places[0]]
    ) <= Fraction(repr(float(limit))):
        yield Mismatch("not the best tree with a small gap", f"{float(limit)!r}; {words}")


def _votes(found: Any, trees: Trees, nested: list[Any], words: str) -> Iterator[Mismatch]:
    share, reachable = found.vote_share(), found.reachable_labels()
    for row in range(len(trees.row_costs)):
        votes = Counter(trees.label(tree, row) for tree in nested)
        for label in range(len(trees.row_costs[0])):
            if abs(share[row, label] - votes[label] / len(nested)) > NEAR:
                yield Mismatch("another share of votes", f"row {row}, label {label}; {words}")
                return
            if bool(reachable[row, label]) != (votes[label] > 0):
                yield Mismatch("another set of labels within reach", f"row {row}, label {label}; {words}")
                return


def _rules(
    case: Case,
    found: Any,
    nested: list[Any],
    inside: dict[Any, tuple[int, int]],
    numbers: dict[Any, int],
    words: str,
) -> Iterator[Mismatch]:
    column = {number: case.names[split.column] for split, number in numbers.items()}

    def asked(tree: Any) -> set[str]:
        return {column[tree[0]]} | asked(tree[1]) | asked(tree[2]) if isinstance(tree, tuple) else set()

    name, middle = case.names[len(nested) % len(case.names)], len(nested) // 2
    fewest = inside[nested[middle]][1]
    kept = {
        "without": ({"without": name}, lambda tree: name not in asked(tree)),
        "only": ({"only": name}, lambda tree: asked(tree) <= {name}),
        "uses": ({"uses": name}, lambda tree: name in asked(tree)),
        "root": ({"root": name}, lambda tree: isinstance(tree, tuple) and column[tree[0]] == name),
        "max_leaves": ({"max_leaves": fewest}, lambda tree: inside[tree][1] <= fewest),
        "max_objective": (
            {"max_objective": found.result(middle).objective},
            lambda tree: inside[tree][0] <= inside[nested[middle]][0],
        ),
        "like": ({"like": found[middle]}, lambda tree: _begins_like(tree, nested[middle])),
    }
    for rule, (arguments, holds) in kept.items():
        smaller = found.where(**arguments)
        wanted = [tree for tree in nested if holds(tree)]
        if smaller.n_trees_ != len(wanted):
            yield Mismatch(f"another number of trees by the rule {rule}", f"{smaller.n_trees_}; {words}")
        elif sorted(repr(_nested(tree, numbers)) for tree in smaller) != sorted(map(repr, wanted)):
            yield Mismatch(f"other trees by the rule {rule}", words)
    uses = found.columns(n_jobs=1 + len(nested) % 3, time_limit=3600)
    if uses != found.columns():
        yield Mismatch("other columns in threads", f"{uses}; {words}")
    for use in uses:
        if abs(use.share - sum(use.name in asked(tree) for tree in nested) / len(nested)) > NEAR:
            yield Mismatch("another share of a column", f"{use}; {words}")


def _through_a_file(found: Any, words: str) -> Iterator[Mismatch]:
    """Some sets are written and read again."""
    from treewright.near_optimal import load_near_optimal, save_near_optimal

    if found.n_trees_ % 5:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set"
        save_near_optimal(path, found)
        read = load_near_optimal(path)
    if (
        read.n_trees_ != found.n_trees_
        or read.sentence() != found.sentence()
        or read.table() != found.table()
    ):
        yield Mismatch("another set after a way through a file", f"{words} Read: {read.sentence()}")


def _nested(tree: Any, numbers: dict[Any, int], node: int = 0) -> Any:
    """A tree of the library as `Trees` writes it."""
    split = tree.splits[node]
    if split is None:
        return int(tree.prediction[node])
    sides = (_nested(tree, numbers, int(child[node])) for child in (tree.children_left, tree.children_right))
    return (numbers[split], *sides)


def _begins_like(tree: Any, other: Any) -> bool:
    if not isinstance(other, tuple):
        return True
    return (
        isinstance(tree, tuple)
        and tree[0] == other[0]
        and all(_begins_like(tree[k], other[k]) for k in (1, 2))
    )
