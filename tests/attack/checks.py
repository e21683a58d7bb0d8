"""What must hold for the library's answer to a case: compared with the oracle and with a walk of the model file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from attack.case import Case
from attack.exact import Stated
from attack.oracle import AS_GOOD, Answer, Oracle
from attack.probes import probe_rows
from attack.walker import Walker
from treewright.result import SolveResult

__all__ = [
    "HONEST",
    "LIMITS",
    "Found",
    "Mismatch",
    "answers",
    "check_result",
    "limited",
    "not_worse_than_simple",
    "predicts_alike",
    "says_rounded",
]

HONEST = Fraction(1, 2**48)  # of float64 sums of a few numbers; a share of what is compared
ROUNDED = Fraction(1, 10**12)  # where the statement of the problem is rounded: real weights, balanced
SMALL_SUM = (
    2**29
)  # of whole weights times costs, which every engine takes as they are; larger ones may be rounded
ROUNDED_UNTOLD = Fraction(1, 10**4)  # of an objective, that rounding may leave open before a note tells it
LIMITS = ("time_limit", "step_limit", "memory_limit")


@dataclass(frozen=True)
class Mismatch:
    """A law that an answer breaks: `law` is its name, `words` what was seen."""

    law: str
    words: str


@dataclass(frozen=True)
class Found:
    """One tree of the library with its claims, as the model file tells it."""

    case: Case
    result: Any

    @cached_property
    def stated(self) -> Stated:
        return Stated(self.case)

    @cached_property
    def walker(self) -> Walker:
        from treewright.convert import to_json

        return Walker(to_json(self.result))

    @cached_property
    def groups(self) -> dict[int, list[int]]:
        """Positions among the kept rows in each leaf."""
        rows = self.case.rows
        return self.walker.leaves([rows[i] for i in self.stated.kept])

    @cached_property
    def loss(self) -> Fraction:
        classes = self.stated.classes
        return self.stated.loss(
            [(rows, classes.index(self.walker.label(leaf))) for leaf, rows in self.groups.items()]
        )

    @cached_property
    def objective(self) -> Fraction:
        return self.loss + self.stated.leaf_penalty * len(self.groups)

    @cached_property
    def tolerance(self) -> Fraction:
        return ROUNDED if self.stated.is_rounded else HONEST

    @property
    def proven(self) -> bool:
        return self.result.status.name == "OPTIMAL"


def limited(case: Case) -> bool:
    """Whether the case has a limit that may end the search before the proof."""
    return any(case.options.get(name) is not None for name in LIMITS)


def answers(case: Case) -> Iterator[Mismatch]:
    """Compare the answer of an exact search for the smallest objective with the oracle's."""
    from treewright.errors import SolverError

    oracle = Oracle(case, offered(case))
    least = case.options.get("min_leaf_accuracy")
    if least is None:
        best = oracle.optimum()
    else:
        as_good = AS_GOOD if oracle.stated.has_real_weights else 1
        best = oracle.cheapest_with(Fraction(repr(float(least))) * as_good)
    try:
        model = case.run()
    except SolverError as error:
        if best is not None and not limited(case):
            yield Mismatch("no tree though there is one", f"{error}; the oracle has {_words(best)}")
        return
    found = Found(case, model.result_)
    if best is None:
        yield Mismatch("a tree though there is none", found.result.sentence())
        return
    yield from check_result(found, best)
    yield from predicts_alike(case, model, found)
    if not found.proven:
        yield from not_worse_than_simple(found, oracle)


def check_result(found: Found, best: Answer) -> Iterator[Mismatch]:
    """Compare a tree of the search for the smallest objective, and what is claimed about it, with the optimum."""
    result, stated = found.result, found.stated
    yield from keeps_constraints(found)
    size = abs(found.objective) + stated.leaf_penalty
    if abs(Fraction(result.objective) - found.objective) > found.tolerance * 16 * size:
        yield Mismatch(
            "the objective is not the tree's",
            f"objective {result.objective!r}, the tree has {float(found.objective)!r}",
        )
    if Fraction(result.lower_bound) > best.objective + found.tolerance * (
        best.objective + stated.leaf_penalty
    ):
        yield Mismatch(
            "the lower bound is above the optimum", f"lower_bound {result.lower_bound!r}, {_words(best)}"
        )
    if found.objective < best.objective * (1 - found.tolerance):
        yield Mismatch("better than the optimum", f"{float(found.objective)!r}, {_words(best)}")
    if not found.proven:
        if result.stop_reason is None and not says_rounded(result):
            yield Mismatch("not proven, and no reason given", result.sentence())
        elif result.stop_reason is not None and not limited(found.case):
            yield Mismatch("not proven though there is no limit", result.sentence())
        return
    excess = found.objective - best.objective
    allowed = found.tolerance * best.objective
    if "to within" in result.sentence():  # said in the sentence, and no more than what it says
        allowed += min(Fraction(result.rounding), best.objective / 10**4)
    if excess > allowed:
        yield Mismatch("false optimal", f"{result.sentence()} {_words(best)}")
    elif (
        stated.leaf_penalty == 0
        and excess == 0
        and len(found.groups) > best.leaves
        and not says_leaves_open(result)
    ):
        yield Mismatch("more leaves than needed", f"{len(found.groups)} leaves; {_words(best)}")


def says_rounded(result: SolveResult) -> bool:
    """Whether a note tells that numbers were rounded, and by how much; then the search may end without a proof."""
    return any("were rounded for the search" in note for note in result.notes)


def says_leaves_open(result: SolveResult) -> bool:
    """Whether a note tells that fewer leaves may do."""
    return any("with fewer leaves may exist" in note for note in result.notes)


def keeps_constraints(found: Found) -> Iterator[Mismatch]:
    options, stated = found.case.options, found.stated
    smallest = min(map(len, found.groups.values()))
    depth, most = found.walker.depth(), options.get("max_leaf_nodes")
    if smallest < stated.min_samples_leaf:
        yield Mismatch(
            "a constraint is broken", f"a leaf of {smallest} rows, at least {stated.min_samples_leaf}"
        )
    if depth > stated.max_depth:
        yield Mismatch("a constraint is broken", f"depth {depth}, at most {stated.max_depth}")
    if most is not None and len(found.groups) > most:
        yield Mismatch("a constraint is broken", f"{len(found.groups)} leaves, at most {most}")
    least = options.get("min_leaf_accuracy")
    if least is not None:
        worst = min(leaf_accuracy(stated, rows) for rows in found.groups.values())
        if worst < AS_GOOD * Fraction(repr(float(least))):
            yield Mismatch("a constraint is broken", f"a leaf right on {float(worst)!r}, at least {least!r}")
    counts = {k: len(rows) for k, rows in found.groups.items()}
    claimed = {k: found.walker.content["nodes"][k]["n_node_samples"] for k in counts}
    if counts != claimed:
        yield Mismatch("the counts are not the tree's", f"{claimed} in the file, {counts} in the data")


def leaf_accuracy(stated: Stated, rows: list[int]) -> Fraction:
    """Largest share of weight of one label in these rows."""
    by_class = [Fraction(0)] * len(stated.classes)
    for i in rows:
        by_class[stated.labels[i]] += stated.weights[i]
    return max(by_class) / sum(by_class)


def predicts_alike(case: Case, model: Any, found: Found, *, gaps: bool = True) -> Iterator[Mismatch]:
    """`predict` equals a walk of the saved file, on the training rows and on rows about the thresholds."""
    rows = probe_rows(case, found.walker, gaps=gaps)
    said, walked = model.predict(case.frame(rows)).tolist(), found.walker.predict(rows)
    for row, a, b in zip(rows, said, walked, strict=True):
        if a != b:
            yield Mismatch("predict differs from the file", f"row {row}: predict {a!r}, the file {b!r}")
            return


def not_worse_than_simple(found: Found, oracle: Oracle) -> Iterator[Mismatch]:
    """Whatever stops a run, its tree is no worse than its own subtrees, and than the best tree of one split."""
    case = found.case
    if case.options.get("min_leaf_accuracy") is not None:
        return  # a subtree need not keep it
    simple = oracle.optimum(max_depth=min(1, oracle.stated.max_depth))
    allowed = found.tolerance
    sum_of_weights = max(oracle.stated.whole_weights[0]) * len(oracle.stated.kept)
    if sum_of_weights >= SMALL_SUM and not says_rounded(found.result):
        allowed = max(allowed, ROUNDED_UNTOLD)
    if simple is not None and found.objective > simple.objective * (1 + allowed):
        yield Mismatch(
            "worse than one split", f"{found.result.sentence()} One split: {float(simple.objective)!r}"
        )
    best = best_subtree(found)
    if found.objective > best * (1 + found.tolerance):
        yield Mismatch("worse than its own subtree", f"{found.result.sentence()} A subtree: {float(best)!r}")


def best_subtree(found: Found) -> Fraction:
    """The smallest objective of a tree made from this one by putting children in place of their parents."""
    nodes = found.walker.content["nodes"]
    stated, rows = found.stated, [found.case.rows[i] for i in found.stated.kept]
    walker = found.walker

    def best(node: int, here: tuple[int, ...]) -> Fraction | None:
        own = None
        if len(here) >= stated.min_samples_leaf:
            own = stated.cheapest_label(here) + stated.leaf_penalty
        if nodes[node]["split"] is None or not here:
            return own
        left, right = nodes[node]["left"], nodes[node]["right"]
        sides = walker.sides(node, [rows[i] for i in here])
        parts = [tuple(i for i, s in zip(here, sides, strict=True) if s == side) for side in (True, False)]
        both = [best(left, parts[0]), best(right, parts[1])]
        options = [own, best(left, here), best(right, here)]
        if None not in both:
            options.append(both[0] + both[1])  # type: ignore[operator]
        known = [value for value in options if value is not None]
        return min(known) if known else None

    value = best(0, tuple(range(len(rows))))
    assert value is not None  # the tree itself
    return value


QUANTILES = {"leaf": 16}  # of a column, where nothing else is asked for


def offered(case: Case) -> list[int] | None:
    """Splits of a case with quantiles, which the documentation does not fix: those that `quantiles` offers.

    Every one of them must be a split of the table; None where the case's own splits are to be used.
    """
    n_bins = case.options.get("thresholds", QUANTILES.get(case.method))
    if not isinstance(n_bins, int):
        return None
    from treewright.binarize import quantiles
    from treewright.table import table_from

    stated = Stated(case)
    table = table_from(case.frame(), categorical_features=case.options.get("categorical_features"))
    table = table.take(stated.kept)
    whole, _ = stated.whole_weights  # as whole numbers, so that rounding decides no tie between quantiles
    cuts = quantiles(table, n_bins, [float(w) for w in whole])
    sets = [sum(1 << i for i, right in enumerate(row) if not right) for row in cuts.goes_right.tolist()]
    return [s for s in set(sets) if 0 < s < (1 << len(stated.kept)) - 1]


def _words(best: Answer) -> str:
    return f"The oracle: {float(best.objective)!r} with {best.leaves} leaves."
