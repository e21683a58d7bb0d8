"""From a run to its result; every proof is held against the tree once more."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

from treewright._plural import plural
from treewright.errors import RefutedProofWarning
from treewright.result import ShardsResult, SolveStatus, told_to_stop
from treewright.shards._bound import Bound, least_of_any
from treewright.shards._deal import Deal
from treewright.shards._exact import round_down
from treewright.shards._question import Question
from treewright.shards._run import Run
from treewright.shards._trees import Shape, added, grown
from treewright.tree import leaves_in_words

__all__ = ["gap_of", "result_of"]

ARGUMENT = (
    "The objective of every tree over all rows is the mean of its objectives over the shards, weighted by their rows, "
    "so the weighted mean of the lower bounds of the shards is a lower bound for all rows."
)


def gap_of(run: Run, shape: Shape) -> float:
    """Return the relative gap of a tree, as it is now.

    Parameters
    ----------
    run : Run
    shape : Shape
    """
    cost = run.cost(shape)
    proven = sum((bound.value for bound in run.bounds.values()), Fraction(0))
    return float((cost - proven) / cost) if cost else 0.0


def result_of(
    run: Run,
    shape: Shape,
    dealt: Deal,
    *,
    seed: int,
    shuffled: bool,
    counted_by_codes: bool,
    notes: tuple[str, ...],
) -> ShardsResult:
    """Return the result of a run.

    Parameters
    ----------
    run : Run
    shape : Shape
        The best tree, counted on all rows.
    dealt : Deal
    seed : int
    shuffled : bool
    counted_by_codes : bool
        Whether trees were counted in one pass over the rows; else the shards were searched.
    notes : tuple of str
    """
    question = run.place.question
    cost = run.cost(shape)
    parts = {part: _unrefuted(run, shape, part, bound) for part, bound in sorted(run.bounds.items())}
    bounds = list(parts.values())
    proven = sum((bound.value for bound in bounds), Fraction(0))
    best = [bound.best for bound in bounds if bound.best is not None]
    optimal = len(best) == len(bounds) and sum(best, Fraction(0)) >= cost
    ended = len(best) == len(bounds)
    counted = run.counted(shape)
    objective = float(cost / question.total)
    # A proof that misses the cost by less than float64 shows is none, and leaves a gap.
    most = objective if optimal or objective == 0 else math.nextafter(objective, 0.0)
    lost = [bound for bound in bounds if bound.lost]
    weights = [question.weight_of(bound.shard.class_weight) for bound in bounds]
    keep = [bool(factor) for factor in question.factors]
    return ShardsResult(
        tree=grown(shape, counted, question),
        status=SolveStatus.OPTIMAL if optimal else SolveStatus.FEASIBLE,
        objective=objective,
        lower_bound=min(most, round_down(proven / question.total)),
        loss=float(counted.cost(question) / question.total),
        scope=run.scope or "the splits of the table",
        stop_reason=None if ended else run.stop_reason,
        stats={
            **told_to_stop(run.stop_reason),
            "rows": question.n_rows,
            "shards": len(bounds),
            "shard_rows": [
                sum(n for n, kept in zip(bound.shard.class_rows, keep, strict=True) if kept)
                for bound in bounds
            ],
            "shard_weights": [float(weight) for weight in weights],
            # As read: factors that make classes equal would hide a row that changed its class.
            "class_weights": [float(weight) for weight in question.class_weight],
            "shard_bounds": [
                round_down(bound.value / weight) if weight else 0.0
                for bound, weight in zip(bounds, weights, strict=True)
            ],
            **_floors(question, bounds),
            "shards_proven": len(best),
            "shards_lost": len(lost),
            "argument": ARGUMENT,
            "seconds": run.seconds(),
            "seconds_of_dealing": run.dealt_at,
            "seconds_of_searching": run.searched_at - run.dealt_at,
            "counted": counted_by_codes,
            "steps": run.steps,
            "subproblems": run.steps,
            "searches": run.searches,
            "searches_stopped": run.stopped,
            "bytes_on_disk": dealt.n_bytes,
            "trees_counted": len(run.totals),
            "source_rows": dealt.n_read,
            "seed": seed,
            "shuffled": shuffled,
        },
        options={
            "method": "shards",
            "cost_complexity": question.cost_complexity,
            "max_depth": question.max_depth,
            "max_leaf_nodes": question.max_leaf_nodes,
            "min_samples_leaf": question.min_samples_leaf,
        },
        notes=(*notes, *run.notes, *_said_of_lost(question, lost)),
    )


def _unrefuted(run: Run, shape: Shape, part: tuple[int, ...], bound: Bound) -> Bound:
    """Return a bound, unless the tree itself costs less on the rows: then nothing is claimed of them."""
    question = run.place.question
    here = added([run.seen[shape][k] for k in part])
    weight = question.weight_of(bound.shard.class_weight)
    cost = here.cost_with(run.labels(shape), question) + question.leaf_penalty * weight * len(here.rows)
    if cost >= bound.value:
        return bound
    said = (
        f"A search claimed that no tree costs less than {float(bound.value):.9g} on a shard, but a tree with "
        f"{leaves_in_words(grown(shape, run.counted(shape), question))} costs {float(cost):.9g} there. That proof is "
        "wrong and was not used; please report it as a bug."
    )
    warnings.warn(said, RefutedProofWarning, stacklevel=2)
    run.notes[said] = None
    return Bound(bound.shard, least_of_any(question, bound.shard), lost="its proof was false")


def _floors(question: Question, bounds: list[Bound]) -> dict[str, list[float]]:
    """Return what every tree costs on each shard, where right labels cost something: a certificate needs it then."""
    if not any(question.cheapest):
        return {}
    shares = []
    for bound in bounds:
        weight = question.weight_of(bound.shard.class_weight)
        shares.append(float(least_of_any(question, bound.shard) / weight) if weight else 0.0)
    return {"shard_floors": shares}


def _said_of_lost(question: Question, lost: list[Bound]) -> tuple[str, ...]:
    if not lost:
        return ()
    n = len(lost)
    known = "has a leaf" + (" and pays the least cost of each row" if _floors(question, []) else "")
    return (
        f"Nothing is proven of {n} {plural(n, 'shard')} but that every tree {known} ({lost[0].lost}); this "
        "widens the gap and changes nothing else.",
    )
