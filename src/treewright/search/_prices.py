"""Row prices: the dual of covering all rows by leaves, solved with cutting planes (bound B7).

Prices y >= 0, one a distinct row, such that for every conjunction L of literals and every class k

    sum of y over L  <=  c + sum of cost_k over L                                            (*)

make sum(y over S) a lower bound of every tree for every set S of rows that the search meets
(``cpp/include/treewright/bounds/row_prices.hpp`` has the proof). The largest sum over all rows is a linear
program with one constraint a conjunction; it is solved over the conjunctions met so far, and the compiled
core finds violated ones.

What makes this practical:

- In-out separation (Ben-Ameur and Neto 2007): the core is asked about the middle between the best certified
  prices and the program's vertex, which leaves out most useless constraints.
- The core's bound is exact but costs time, and less the coarser it may be: the bar falls with the gap still
  open, and a greedy search comes first while it finds much.
- Any prices q whose largest gain is proven to be at most g >= c are certified after scaling by c / g, so
  every exact pass may raise the bound, and stopping at any time loses nothing.
- Prices stay below the largest cost of their row. This is a restriction (the bound stays valid), costs
  little, and leaves fewer rows that gain, and less, which is what the core's exact bound has to enumerate.
- On many rows the prices are made of groups, y = v_group * (largest cost of the row). A restriction as
  well.

Rounding: prices are rounded down to integers, then certified as integers; scaling rounds down again. With
worst >= g(L) for all L (integers), y' = floor(y * c / worst) <= y * c / worst, and y(L) <= cost(L) + worst
gives y'(L) <= cost(L) * c / worst + c <= cost(L) + c, as cost >= 0 and worst >= c. The quotient is taken in
integers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.search._row_groups import group_rows

__all__ = ["PriceLimits", "PriceLoop", "RowPrices", "price_source"]

LEAST_DEPTH = 7  # with fewer splits on a path the plain search ends sooner than prices are made
LEAST_DEPTH_OF_GROUPS = 8  # where prices are made of groups of rows, which prove less
MOST_CELLS = 100_000  # distinct rows x columns: above, prices cost more than they gave (docs/decisions)
MOST_ROWS_UNGROUPED = 1200
MOST_GROUPS = 500
TOLERANCE = 0.005  # relative gap to the linear program that ends the loop
GREEDY_WIDTH = 4
SHARE_OF_COST = 0.7  # a price is at most this share of its row's largest cost
FINEST_BAR = 1.002
ASSUMED_PACE = 1e-6  # seconds for each unit of work, before an exact pass has been timed
CALL_WORK = 2_000_000  # of one exact pass (large conjunctions count more); doubled when it did not suffice


@dataclass(frozen=True)
class PriceLimits:
    """When one run of the loop must stop; the best certified prices so far are kept.

    Parameters
    ----------
    seconds : float, default=inf
    rounds : int, default=150
        Linear programs solved.
    work : int, default=30_000_000
        Conjunctions visited by the searches for violations.
    """

    seconds: float = math.inf
    rounds: int = 150
    work: int = 30_000_000


@dataclass(frozen=True, eq=False)
class RowPrices:
    """Certified prices.

    Parameters
    ----------
    prices : ndarray of shape (n_rows,), int64
        In cost units of the compiled problem.
    bound : float
        Their sum and the base cost: no tree costs less, in weight units.
    program_value : float
        Value of the last linear program, with the base cost: no prices of this form give a higher bound.
    rounds, work : int
        Made so far, in all runs; see `PriceLimits`.
    seconds : float
        Likewise.
    done : bool
        Whether more rounds would gain next to nothing, or nothing beyond the bound known otherwise.
    interrupted : bool
        Whether Ctrl-C ended the loop.
    stopped : bool
        Whether the caller ended it.
    """

    prices: NDArray[np.int64]
    bound: float
    program_value: float
    rounds: int
    work: int
    seconds: float
    done: bool
    interrupted: bool = False
    stopped: bool = False


@dataclass(eq=False)
class _Pool:
    """The conjunctions met: sparse rows over the variables, right sides, and rounds since each was tight."""

    columns: list[NDArray[np.int64]] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)

    def keep(self, chosen: NDArray[np.intp]) -> None:
        for name in ("columns", "values", "right", "idle"):
            old = getattr(self, name)
            setattr(self, name, [old[i] for i in chosen])


class PriceLoop:
    """The cutting-plane loop; it can be run, left, and run on.

    Values are in weight units, certified prices in cost units.

    Parameters
    ----------
    bits : BinaryProblem
        With a leaf penalty above 0.
    max_depth : int or None
        Most literals of a conjunction; None is unlimited.
    shared_losses : bool, default=True
        As in `BinaryOptions`.
    """

    def __init__(self, bits: core.BinaryProblem, max_depth: int | None, shared_losses: bool = True) -> None:
        self.bits = bits
        self.shared_losses = shared_losses
        self.depth = -1 if max_depth is None else max_depth
        self.unit = 2.0**bits.unit_shift
        self.leaf_penalty = bits.leaf_penalty / self.unit
        self.row_cost = bits.row_cost().astype(np.float64)
        self.group, self.scale = _groups(bits, self.row_cost)
        n = int(self.group.max()) + 1 if len(self.group) else 0
        # y <= c: the row itself is a conjunction, of cost 0.
        self.cap = np.full(n, np.inf)
        most = np.minimum(SHARE_OF_COST * self.row_cost, self.leaf_penalty)
        np.minimum.at(self.cap, self.group, most / self.scale)
        self.mass = np.bincount(self.group, self.scale, minlength=n)
        self.center = np.zeros(n)  # variables of the certified prices
        self.vertex = self.cap.copy()
        self.program_value = float(self.mass @ self.vertex)
        self.certified = np.zeros(bits.n_rows, np.int64)
        self.bound = 0
        self.pool = _Pool()
        self.coarseness = 1.0  # of the bar; raised when the work limit is met
        self.call_work = CALL_WORK
        self.rounds = 0
        self.work = 0
        self.work_end = 0
        self.seconds = 0.0
        self.seconds_of_work = 0.0
        self.clock_end = math.inf

    def run(
        self,
        limits: PriceLimits,
        known_bound: float = 0.0,
        watch: Callable[[float], Any] | None = None,
    ) -> RowPrices:
        """Go on within `limits` and return the best certified prices.

        Parameters
        ----------
        limits : PriceLimits
        known_bound : float, default=0.0
            Lower bound known otherwise, in weight units; the loop ends once prices cannot reach it.
        watch : callable, default=None
            Called with the bound after each round; a true return value ends the run.
        """
        start = time.perf_counter()
        self.clock_end = start + limits.seconds
        self.work_end = self.work + limits.work
        rounds_end = self.rounds + limits.rounds
        interrupted = stopped = False
        try:
            while not (
                self.is_done(known_bound)
                or self.rounds >= rounds_end
                or self.work >= self.work_end
                or time.perf_counter() >= self.clock_end
            ):
                self.step()
                self.rounds += 1
                if watch is not None and watch(self.bound / self.unit + self.bits.base_cost):
                    stopped = True
                    break
        except KeyboardInterrupt:
            interrupted = True
        self.seconds += time.perf_counter() - start
        return RowPrices(
            prices=self.certified,
            bound=self.bound / self.unit + self.bits.base_cost,
            program_value=self.program_value + self.bits.base_cost,
            rounds=self.rounds,
            work=self.work,
            seconds=self.seconds,
            done=self.is_done(max(known_bound, self.bound / self.unit + self.bits.base_cost)),
            interrupted=interrupted,
            stopped=stopped,
        )

    def is_done(self, known_bound: float = 0.0) -> bool:
        """Whether more rounds would gain next to nothing, or nothing beyond `known_bound`."""
        value = self.bound / self.unit
        return (
            self.program_value - value <= TOLERANCE * self.program_value
            or self.program_value <= known_bound - self.bits.base_cost
        )

    def step(self) -> None:
        """Separate the middle between certified prices and vertex, then solve the program again."""
        middle = 0.5 * (self.center + self.vertex)
        prices = np.floor(middle[self.group] * self.scale * self.unit).astype(np.int64)
        gap = float(self.mass @ middle) / max(self.bound / self.unit, 1e-300) - 1.0
        # Scaled by more than 1 + gap, the prices would be worth less than what is certified already.
        bar = max(FINEST_BAR, 1.0 + min(1.0, gap * min(0.6, self.coarseness / 4)))
        c = self.bits.leaf_penalty
        found = self.bits.suggest_violations(prices, max_depth=self.depth, width=GREEDY_WIDTH)
        n_new = self._add(found)
        self.work += int(found["explored"])
        if n_new < 10 or found["worst"] < c * (2 * bar - 1):
            began = time.perf_counter()
            exact = self.bits.bound_violations(
                prices,
                max_depth=self.depth,
                bar=math.ceil(c * bar),
                max_work=self._allowance(),
                shared_losses=self.shared_losses,
            )
            self.seconds_of_work += time.perf_counter() - began
            self.work += int(exact["explored"])
            n_new += self._add(exact)
            if exact["complete"]:
                self._certify(prices, middle, int(exact["worst"]))
                self.coarseness *= 0.9
            else:
                self.coarseness *= 1.4
                self.call_work *= 2
        self._solve()

    def _allowance(self) -> int:
        """Return how much the next exact pass may do: what is left, and half of the time left at most."""
        most = min(self.call_work, max(10_000, self.work_end - self.work))
        left = self.clock_end - time.perf_counter()
        if math.isfinite(left):
            timed = self.work > 0 and self.seconds_of_work > 0
            pace = self.seconds_of_work / self.work if timed else ASSUMED_PACE
            most = min(most, int(0.5 * max(left, 0.0) / pace) + 10_000)
        return most

    def _certify(self, prices: NDArray[np.int64], variables: NDArray[np.float64], worst: int) -> None:
        """Scale prices whose largest gain is at most `worst` and keep them if their sum is larger."""
        c = self.bits.leaf_penalty
        worst = max(worst, c)
        scaled = np.array([int(p) * c // worst for p in prices], dtype=np.int64) if worst > c else prices
        total = int(scaled.sum())
        if total > self.bound:
            self.bound, self.certified, self.center = total, scaled, variables * (c / worst)

    def _add(self, found: dict[str, Any]) -> int:
        """Add the conjunctions found to the pool; raise what the core was interrupted with."""
        if found["stop"] == core.Stop.INTERRUPT:
            raise KeyboardInterrupt
        begin = 0
        for end, cost in zip(found["ends"], found["cheapest"], strict=True):
            rows = found["rows"][begin:end]
            begin = end
            columns, where = np.unique(self.group[rows], return_inverse=True)
            self.pool.columns.append(columns)
            self.pool.values.append(np.bincount(where, self.scale[rows]).astype(np.float64))
            self.pool.right.append(self.leaf_penalty + float(cost))
            self.pool.idle.append(0)
        return len(found["ends"])

    def _solve(self) -> None:
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix

        pool = self.pool
        if not pool.right:
            return
        ends = np.cumsum([0] + [len(c) for c in pool.columns])
        matrix = csr_matrix(
            (np.concatenate(pool.values), np.concatenate(pool.columns), ends),
            shape=(len(pool.right), len(self.cap)),
        )
        right = np.array(pool.right)
        bounds = np.column_stack([np.zeros(len(self.cap)), self.cap])
        left = self.clock_end - time.perf_counter()
        answer = linprog(
            -self.mass,
            A_ub=matrix,
            b_ub=right,
            bounds=bounds,
            method="highs-ds",
            options={"time_limit": max(left, 0.01)} if math.isfinite(left) else None,
        )
        if answer.status != 0:  # no time, or numerical trouble: go on from the certified prices
            self.vertex = self.center.copy()
            return
        self.vertex = np.clip(answer.x, 0.0, self.cap)
        self.program_value = min(self.program_value, -float(answer.fun))
        slack = right - matrix @ self.vertex
        pool.idle = [
            0 if s < 0.05 * self.leaf_penalty else old + 1 for s, old in zip(slack, pool.idle, strict=True)
        ]
        if len(pool.right) > 3 * len(self.cap):
            pool.keep(np.flatnonzero(np.array(pool.idle) < 6))


def price_source(
    bits: core.BinaryProblem, max_depth: int | None, shared_losses: bool = True
) -> Callable[..., RowPrices] | None:
    """Return what makes row prices for a search of `bits` when the schedule asks for them; None where they cannot help.

    Parameters
    ----------
    bits : BinaryProblem
    max_depth : int or None
        Most splits on a path; None is unlimited.
    shared_losses : bool, default=True
        As in `BinaryOptions`.

    Notes
    -----
    The schedule (``cpp/include/treewright/search/schedule.hpp``) says how much may be spent in each stage.
    """
    least_depth = LEAST_DEPTH if bits.n_rows <= MOST_ROWS_UNGROUPED else LEAST_DEPTH_OF_GROUPS
    shallow = max_depth is not None and max_depth < least_depth
    if bits.leaf_penalty == 0 or shallow or bits.n_rows * bits.n_columns > MOST_CELLS:
        return None
    loops: list[PriceLoop] = []  # one, made when it is first needed

    def make(seconds: float, work: int, known_bound: float, glance: Callable[[int], bool]) -> RowPrices:
        if not loops:
            loops.append(PriceLoop(bits, max_depth, shared_losses))
        loop = loops[0]
        return loop.run(PriceLimits(seconds=seconds, work=work), known_bound, lambda _: glance(loop.bound))

    return make


def _groups(
    bits: core.BinaryProblem, row_cost: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return each row's variable and what the variable is multiplied with."""
    n = bits.n_rows
    if n <= MOST_ROWS_UNGROUPED:
        return np.arange(n), np.ones(n)
    features = bits.row_bits().reshape(n, bits.n_columns)
    return group_rows(features, bits.row_class(), row_cost, MOST_GROUPS // 2), np.maximum(row_cost, 1e-12)
