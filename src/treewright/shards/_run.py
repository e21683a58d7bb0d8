"""A run over dealt shards: bounds as they come, then the trees, counted over all rows.

Every search says two things of its shard: a bound, and a tree. The bounds add up (`_bound`). The trees are candidates
for all rows; the first one is counted on every later shard while its rows are at hand, so that the gap can be shown
from the start, and when the last shard is done one tree has been counted on all rows. The others are counted on some
shards, the best of them on all, and the best of these is improved (`_improve`).

Longer than 400 lines: one run with its state, from the first shard to the last count.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from treewright.result import StopReason
from treewright.search import Limits, Progress
from treewright.shards._bound import Bound, least_of_any
from treewright.shards._deal import Shard
from treewright.shards._improve import GridTask, best_moves, grids_of, labels_of, subtrees, threshold_task
from treewright.shards._progress import ShardProgress
from treewright.shards._trees import LEAF_ONLY, Counted, Shape, added, counts_of_pruning, pruned
from treewright.shards._work import Answer, CountTask, Place, SearchTask, count_task, load, search_task
from treewright.shards._workers import Lost, Pool

__all__ = ["Run"]

SEARCH_SHARE = 0.8  # of the time that is left, for the searches; the rest is for counting
# Times its equal part of what is left that a search may take. A search that is stopped proves next to nothing, so it is
# better to end most of them and leave some shards unsearched than to stop all of them shortly before their end.
GENEROUS = 4.0
SCREEN_ROWS = 400_000  # on which all trees are counted
KEPT = 4  # trees that are counted on all rows
MOST_VARIANTS = 64  # of a tree, counted in one pass
ROUNDS = 4  # of improvement


@dataclass
class Run:
    """What is known so far.

    Parameters
    ----------
    place : Place
    shards : list of Shard
        As they were dealt.
    thresholds : "all" or mapping
    limits : Limits
    pool : Pool
    progress : callable or None
    """

    place: Place
    shards: list[Shard]
    thresholds: Any
    limits: Limits
    pool: Pool
    progress: Callable[[Progress], Any] | None = None
    bounds: dict[tuple[int, ...], Bound] = field(default_factory=dict)  # of the parts of the rows
    shapes: dict[Shape, int] = field(
        default_factory=dict
    )  # every tree that a search found, and the first such shard
    seen: dict[Shape, dict[int, Counted]] = field(default_factory=dict)  # what was counted on which shard
    stop_reason: StopReason | None = None
    steps: int = 0
    searches: int = 0
    stopped: int = 0  # searches that a limit ended
    failures: int = 0
    failed: str = ""  # why the first one did
    scope: str = ""
    notes: dict[str, None] = field(default_factory=dict)
    costs: dict[Shape, Fraction] = field(default_factory=dict)
    prunings: dict[Shape, Shape] = field(default_factory=dict)
    totals: dict[Shape, Counted] = field(
        default_factory=dict
    )  # of the trees that were counted on every shard

    dealt_at: float = 0.0  # seconds from the call on
    searched_at: float = 0.0

    def __post_init__(self) -> None:
        self.dealt_at = self.searched_at = self.seconds()
        keep = [factor > 0 for factor in self.place.question.factors]
        self.seen[LEAF_ONLY] = {
            k: Counted(
                (sum(n for n, kept in zip(shard.class_rows, keep, strict=True) if kept),),
                (tuple(w if kept else 0 for w, kept in zip(shard.class_weight, keep, strict=True)),),
            )
            for k, shard in enumerate(self.shards)
        }
        self.shapes[LEAF_ONLY] = -1
        for k, shard in enumerate(self.shards):
            floor = least_of_any(self.place.question, shard)
            self.bounds[(k,)] = Bound(shard, floor, lost="it was not searched")

    # The searches.

    def search(self, parts: Sequence[tuple[int, ...]]) -> None:
        """Search parts of the rows, each the shards of the given numbers, and keep what they prove.

        Parameters
        ----------
        parts : sequence of tuple of int
        """
        first: Shape | None = None  # of the first shard, whoever is faster: a run has one result
        workers = min(self.pool.workers(), len(parts))
        done: list[tuple[int, ...]] = []

        def make(k: int, left: int) -> SearchTask:
            seconds = self.limits.left() * SEARCH_SHARE * min(1.0, GENEROUS * workers / left)
            memory = self.limits.native()["memory_limit"] // workers
            trees = () if first is None or len(parts[k]) > 1 else (first,)
            return SearchTask(
                self.place,
                self.shard(parts[k]),
                self.thresholds,
                None if math.isinf(seconds) else max(seconds, 1e-3),
                self.limits.step_limit,
                max(1, memory),
                trees,
            )

        answers = self.pool.run(self._searcher(done), range(len(parts)), make)
        try:
            for k, answer in answers:
                part = parts[k]
                if isinstance(answer, Lost):
                    self.lose(part, answer)
                    continue
                self._keep(part, answer)
                done.append(part)
                if part == (0,) and answer.shape != LEAF_ONLY:
                    first = answer.shape
                if self.ended() or self.is_over(done, first):
                    break
        except KeyboardInterrupt:
            self.stop_reason = StopReason.INTERRUPT
        finally:
            answers.close()  # type: ignore[attr-defined]  # a generator
            self.searched_at = self.seconds()

    def is_over(self, done: Sequence[tuple[int, ...]], first: Shape | None) -> bool:
        """Tell what is done; return whether the callback or the time ends the run now, and keep which."""
        if self.told(done, first):
            self.stop_reason = StopReason.CALLBACK
        elif self.limits.left() == 0:
            self.stop_reason = StopReason.TIME_LIMIT
        else:
            return False
        return True

    def _searcher(self, done: list[tuple[int, ...]]) -> Callable[[SearchTask], Answer]:
        if self.progress is None or not self.pool.is_here():
            return search_task

        def search(task: SearchTask) -> Answer:
            return search_task(task, lambda _: self.told(done, None))

        return search

    def _keep(self, part: tuple[int, ...], answer: Answer) -> None:
        self.searches += 1
        self.steps += answer.steps
        self.scope = self.scope or answer.scope
        if answer.scope != self.scope:  # no case is known; the bound would be one over other trees
            self.lose(part, Lost(f"it searched {answer.scope} instead of {self.scope}"))
            return
        self.notes |= dict.fromkeys(answer.notes)
        bound = answer.bound
        if len(part) == 1:
            self.bounds[part] = bound
            for shape, counted in answer.counted.items():
                self.seen.setdefault(shape, {})[part[0]] = counted
        else:  # joined: what was proven of its parts holds as well
            inner = [own for own in self.bounds if set(own) <= set(part)]
            before = sum((self.bounds[own].value for own in inner), Fraction(0))
            if bound.value > before or bound.best is not None:
                others = {own: kept for own, kept in self.bounds.items() if own not in inner}
                joined = Bound(bound.shard, max(bound.value, before), bound.best)
                self.bounds = others | {part: joined}  # in one step, wherever Ctrl-C comes
        self.shapes[answer.shape] = min(part[0], self.shapes.get(answer.shape, part[0]))
        if answer.stop_reason is not None:
            self.stop_reason = answer.stop_reason
            self.stopped += 1

    def lose(self, part: tuple[int, ...], lost: Lost) -> None:
        """Keep that a search has no answer."""
        if len(part) == 1:
            self.bounds[part] = Bound(self.shards[part[0]], self.bounds[part].value, lost=lost.why)
        self.failures += 1
        self.failed = self.failed or lost.why
        self.notes[f"A search failed: {lost.why}"] = None

    def shard(self, part: Iterable[int]) -> Shard:
        """Return the shards of a part as one."""
        joined, *others = (self.shards[k] for k in part)
        for other in others:
            joined = joined.joined(other)
        return joined

    def told(self, done: Sequence[tuple[int, ...]], first: Shape | None) -> bool:
        """Tell how it goes: the bound and the first tree on the rows of the shards that are done."""
        if self.progress is None:
            return False
        question = self.place.question
        weight = bound = Fraction(0)
        for part in done:
            if part in self.bounds:
                weight += question.weight_of(self.bounds[part].shard.class_weight)
                bound += self.bounds[part].value
        objective = math.inf
        counted = self.seen.get(first, {}) if first is not None else {}
        here = [counted[k] for k in counted if (k,) in self.bounds]
        if here:
            share = sum((question.weight_of(w) for one in here for w in one.weight), Fraction(0))
            objective = float(added(here).cost(question) / share + question.leaf_penalty * len(here[0].rows))
        state = ShardProgress(
            seconds=self.seconds(),
            objective=objective,
            lower_bound=min(objective, float(bound / weight)) if weight else 0.0,
            subproblems=self.steps,
            memory=0,
            done=len(done),
            shards=len(self.shards),
        )
        return bool(self.progress(state))

    def seconds(self) -> float:
        """Return the seconds since the call."""
        return 0.0 if self.limits.begun is None else time.perf_counter() - self.limits.begun

    # The trees.

    def cost(self, shape: Shape) -> Fraction:
        """Return what a tree costs over all rows, on which it was counted."""
        if shape not in self.costs:
            self.costs[shape] = self._priced(self.counted(shape))
        return self.costs[shape]

    def counted(self, shape: Shape) -> Counted:
        """Return the counts of a tree over all rows."""
        if shape not in self.totals:
            self.totals[shape] = added([self.seen[shape][k] for k in range(len(self.shards))])
        return self.totals[shape]

    def labels(self, shape: Shape) -> tuple[int, ...]:
        """Return the label of each leaf of a tree that was counted on all rows."""
        return labels_of(self.counted(shape), self.place.question)

    def ended(self) -> bool:
        """Return whether somebody stopped the run."""
        return self.stop_reason in (StopReason.INTERRUPT, StopReason.CALLBACK)

    def is_proven(self, shape: Shape) -> bool:
        """Return whether a tree, counted on all rows, costs no more than the best trees of the parts together."""
        best = [bound.best for bound in self.bounds.values()]
        known = [cost for cost in best if cost is not None]
        return len(known) == len(best) and sum(known, Fraction(0)) >= self.cost(shape)

    def _priced(self, counted: Counted) -> Fraction:
        question = self.place.question
        return counted.cost(question) + question.leaf_penalty * question.total * len(counted.rows)

    def _is_counted(self, shape: Shape) -> bool:
        return len(self.seen.get(shape, ())) == len(self.shards)

    def choose(self) -> Shape:
        """Count the trees over all rows, and return the best; improved, if there is time."""
        hurried = self.ended()
        shapes = sorted(self.shapes, key=self.shapes.__getitem__)
        if not hurried and len(shapes) > KEPT:
            some = self._some()
            self._count(shapes, some)
            if self.limits.left() > 0:
                shapes = self._best_on(shapes, some, KEPT)
        every = range(len(self.shards))
        if self.limits.left() > 0 and not hurried:
            self._count(shapes, every)
        best = self._best()
        if best == LEAF_ONLY and not any(
            self._is_counted(shape) for shape in self.shapes if shape != LEAF_ONLY
        ):
            inner = [shape for shape in shapes if shape != LEAF_ONLY]
            inner.sort(key=lambda shape: -len(self.seen.get(shape, ())))
            self._count(inner[:1], every, always=True)  # one tree at least, however late it is
            best = self._best()
        return best if hurried else self._improved(best)

    def _best(self) -> Shape:
        """Return the best pruning of the trees that were counted on all rows."""
        own = {self._pruned(shape) for shape in list(self.seen) if self._is_counted(shape)}
        return min(own, key=lambda shape: (self.cost(shape), len(shape), repr(shape)))

    def _pruned(self, shape: Shape) -> Shape:
        """Return the exact pruning of a counted tree; what falls into it is known for each shard."""
        if shape not in self.prunings:
            self.prunings[shape] = self._prune(shape)
        return self.prunings[shape]

    def _prune(self, shape: Shape) -> Shape:
        total = self.counted(shape)
        own, _ = pruned(shape, total, self.place.question)
        if own != shape and not self._is_counted(own):
            self.seen[own] = {
                k: counts_of_pruning(shape, own, self.seen[shape][k]) for k in range(len(self.shards))
            }
        return own

    def _improved(self, shape: Shape) -> Shape:
        """Follow better neighbours over all rows, while there is time."""
        every = range(len(self.shards))
        sample = None
        for _ in range(ROUNDS):
            if shape == LEAF_ONLY or self.limits.left() == 0 or self.is_proven(shape):
                return shape
            if sample is None:
                sample = load(self.place, self.shards[0]).X
            variants = [*self._moved(shape, sample), *subtrees(shape)][:MOST_VARIANTS]
            self._count([variant for variant in variants if variant != LEAF_ONLY], every)
            best = self._best()
            if self.cost(best) >= self.cost(shape):
                return shape
            shape = best
        return shape

    def _moved(self, shape: Shape, sample: Any) -> list[Shape]:
        names = [column.name for column in self.place.question.columns]
        grids = grids_of(shape, sample, self.thresholds, names)
        if not grids:
            return []
        labels = self.labels(shape)

        def make(k: int, left: int) -> GridTask:
            return GridTask(self.place, self.shards[k], shape, labels, grids)

        sums = {node: np.zeros(len(grid)) for node, grid in grids.items()}
        for _, found in self._all(threshold_task, range(len(self.shards)), make):
            for node, more in found.items():
                sums[node] += more
        return best_moves(shape, grids, sums)

    def _some(self) -> list[int]:
        """Return the numbers of shards that hold about `SCREEN_ROWS` rows."""
        found, rows = [], 0
        for k, shard in enumerate(self.shards):
            found.append(k)
            rows += sum(shard.class_rows)
            if rows >= SCREEN_ROWS:
                break
        return found

    def _best_on(self, shapes: Sequence[Shape], some: Sequence[int], kept: int) -> list[Shape]:
        question = self.place.question
        weight = sum((question.weight_of(self.shards[k].class_weight) for k in some), Fraction(0))
        priced: list[tuple[Fraction, int, Shape]] = []
        for shape in shapes:
            counts = [self.seen[shape][k] for k in some if k in self.seen.get(shape, {})]
            if len(counts) == len(some):
                leaves = len(counts[0].rows)
                priced.append(
                    (
                        added(counts).cost(question) + question.leaf_penalty * weight * leaves,
                        len(priced),
                        shape,
                    )
                )
        return [shape for _, _, shape in sorted(priced, key=lambda entry: entry[:2])[:kept]] or list(
            shapes[:kept]
        )

    def _count(self, shapes: Sequence[Shape], some: Iterable[int], always: bool = False) -> None:
        """Count trees on shards where they were not yet; late only if `always`."""
        lacking = {k: tuple(shape for shape in shapes if k not in self.seen.get(shape, {})) for k in some}
        lacking = {k: trees for k, trees in lacking.items() if trees}

        def make(k: int, left: int) -> CountTask:
            return CountTask(self.place, self.shards[k], lacking[k])

        for k, found in self._all(count_task, list(lacking), make, always):
            for shape, counted in found.items():
                self.seen.setdefault(shape, {})[k] = counted

    def _all(
        self,
        function: Callable[[Any], Any],
        keys: Sequence[int],
        make: Callable[[int, int], Any],
        always: bool = False,
    ) -> Iterable[tuple[int, Any]]:
        """Do tasks; what a worker loses is done here."""
        answers = self.pool.run(function, keys, make)
        try:
            for k, answer in answers:
                yield k, function(make(k, 1)) if isinstance(answer, Lost) else answer
                if self.limits.left() == 0 and not always:
                    return
        finally:
            answers.close()  # type: ignore[attr-defined]
