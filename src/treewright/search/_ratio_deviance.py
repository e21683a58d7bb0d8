"""Half the deviance of one ratio for each leaf: Poisson and gamma regression, with the engine of survival trees.

With ``d`` and ``h`` of each row, a leaf of ratio r costs ``sum r h - d log(r h / d) - d``, least at ``sum d / sum h``
(LeBlanc and Crowley 1992, with events d and hazards h). With weights w and targets y that is

- half the Poisson deviance of the mean r, for ``d = w y`` and ``h = w``;
- half the gamma deviance of the mean 1 / r, for ``d = w`` and ``h = w y``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.errors import InputError
from treewright.search._additive_units import SurvivalUnits, survival_units, whole_weights
from treewright.search._exact_sum import exact_sum
from treewright.search._kept import engine_answer
from treewright.search._loss_rows import check_lengths
from treewright.search._prune_additive import DEVIANCE, RowSums
from treewright.search._single_split import one_split, split_of_sums
from treewright.table import Table
from treewright.tree import Split

__all__ = ["RatioDeviance", "half_deviance"]

EVENT_BITS, HAZARD_BITS = 50, 60  # of the sums of whole numbers
FEWEST_BITS = 20  # of events
HALF = 0.5
SLOPE = 1e-9  # above what float64 loses of a quotient


def half_deviance(events: NDArray[np.float64], hazard: NDArray[np.float64]) -> float:
    """Return half the deviance of one leaf whose rows have these events and hazards."""
    seen = events > 0
    if not seen.any():
        return 0.0
    all_events, all_hazard = events.sum(), hazard.sum()
    parts = all_events / all_hazard * hazard
    expected, own = parts[seen], events[seen]
    fitted, beyond = expected / own, (expected - own) / own
    # With log1p: of heavy rows that fit well, nothing is lost. Without: of rows with next to no hazard, or expected
    # events that are no numbers above 0.
    logs, far = np.log1p(np.maximum(beyond, -HALF)), fitted <= HALF
    logs[far] = np.log(all_events) - np.log(all_hazard) + np.log(hazard[seen][far]) - np.log(own[far])
    parts[seen] = own * (beyond - logs)
    return max(0.0, exact_sum(parts))


@dataclass(frozen=True, eq=False)
class RatioDeviance:
    """Half the deviance of one ratio per leaf.

    Parameters
    ----------
    events : ndarray of shape (n_rows,), float64
        Not negative, one at least positive.
    hazard : ndarray of shape (n_rows,), float64
        Positive.
    """

    events: NDArray[np.float64]
    hazard: NDArray[np.float64]

    def leaf_loss(self, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Return the loss of one leaf with these rows."""
        return half_deviance(self.events[rows], self.hazard[rows])

    def unavoidable(self) -> float:
        """Return the loss that every tree has: none."""
        return 0.0

    def check(self, n: int) -> None:
        """Refuse numbers that are no loss of `n` rows."""
        check_lengths(n, events=self.events, hazards=self.hazard)
        if not ((self.events >= 0).all() and (self.hazard > 0).all()):
            raise InputError("events must be at least 0, and hazards above 0.")

    def units(self, leaf_penalty: float, max_leaves: int, needs_spans: bool) -> RatioUnits:
        """Return the loss in integers.

        Raises
        ------
        InputError
            The quotients of the rows differ too much for whole numbers of 60 bits.

        Notes
        -----
        The sum over leaves of ``D log(H / D)``, up to a factor of all hazards that adds the same to every tree, changes
        with one more ``d`` in a leaf by at most the integral of ``|log|`` of its ratio to that of all rows. That ratio
        is at most the largest of a row, and after t of d at least ``t / D`` of all: with ``largest`` the first, the
        change is at most ``d (max(log largest, log(D / d)) + 1)``, and concave in d, so rows one by one change at least
        as much as together. A hazard that is off by e changes a leaf by at most e times the largest ``d / h`` of a row.
        The constants of rows are of the same kind, so both count twice.

        Where every row has events, before and after rounding, the sums tell more. All events and all hazards are those
        of any tree, so ``D + D log(H q / D) - q H`` may be added up in place of ``D log(H / D)``, q being the ``d / h``
        of all rows. With one more d it changes by ``|log|`` of a leaf's ``D / H`` to q, with one more h by q times how
        far that is from 1, and the ``D / H`` of a leaf lies between those of its rows.
        """
        steepest = float((self.events / self.hazard).max())
        spread = steepest / (float(self.events.sum()) / float(self.hazard.sum()))  # at least 1
        bits = min(EVENT_BITS, HAZARD_BITS - 2 - math.ceil(math.log2(spread)))
        if bits < FEWEST_BITS:
            raise InputError(
                f"A target of a row of little weight is {spread:.1e} times the mean (gamma: the mean is so many times "
                "the target); the search counts in whole numbers of 60 bits and cannot hold both. Leave out such rows, "
                "or transform the target."
            )
        seen = self.events > 0
        events = np.zeros(len(self.events), dtype=np.int64)
        events[seen], per_event = whole_weights(self.events[seen], 2**bits)
        hazard, per_hazard = whole_weights(self.hazard, 2**HAZARD_BITS)
        # Finer by a power of two, until no row has more events than hazard.
        short = np.log2(np.maximum(events[seen], 1)) - np.log2(np.maximum(hazard[seen], HALF))
        finer = max(0, math.ceil(float(short.max()) + 1e-9))
        room = (1 << HAZARD_BITS + 1) - len(hazard)  # a row without hazard gets one unit below
        while int(hazard.sum()) << finer > room:
            hazard, per_hazard, finer = np.maximum(hazard >> 1, 1), per_hazard / 2, finer - 1
        hazard, per_hazard = hazard << max(finer, 0), per_hazard * 2.0 ** max(finer, 0)
        hazard = np.maximum(hazard, np.maximum(events, 1))
        moved = self._moved(events, per_event, hazard, per_hazard)
        units = survival_units(events, hazard, leaf_penalty=leaf_penalty * per_event, max_leaves=max_leaves)
        return RatioUnits(
            **{field.name: getattr(units, field.name) for field in fields(units)},
            per_event=per_event,
            rounding=2 * moved / per_event,
        )

    def _moved(
        self, events: NDArray[np.int64], per_event: float, hazard: NDArray[np.int64], per_hazard: float
    ) -> float:
        """Return by how much rounding to these whole numbers moves a tree's sum, in whole events (see `units`)."""
        off = np.abs(events - self.events * per_event)
        hazard_off = np.abs(hazard / per_hazard - self.hazard)
        quotient = self.events / self.hazard
        overall = float(self.events.sum()) / float(self.hazard.sum())
        if (self.events > 0).all() and (events > 0).all():
            among = np.concatenate([quotient, events / hazard * (per_hazard / per_event)]) / overall
            least, most = float(among.min()) * (1 - SLOPE), float(among.max()) * (1 + SLOPE)
            by_event, by_hazard = max(math.log(most), -math.log(least)), max(most - 1, 1 - least)
            return float(off.sum()) * by_event + float(hazard_off.sum()) * by_hazard * overall * per_event
        off = off[off > 0]
        steepest = float(quotient.max())
        largest = max(math.log(steepest / overall), 0.0) + 1
        beyond = math.log(max(1, int(events.sum()))) - np.log(off)  # of denormal numbers, too
        moved = float((off * (np.maximum(largest, beyond) + 1)).sum())
        return moved + float(hazard_off.sum()) * steepest * per_event * (1 + 1e-6)

    def row_sums(self) -> RowSums:
        """Return the numbers of which a leaf's loss is a function."""
        hazard = self.hazard * (self.events.sum() / self.hazard.sum())  # logarithms near 0
        seen = self.events > 0
        own = np.zeros(len(self.events))
        own[seen] = self.events[seen] * np.log(hazard[seen] / self.events[seen])
        return RowSums(DEVIANCE, np.column_stack([self.events, hazard, own]))

    def best_split(self, table: Table, min_leaf: int, below: float = math.inf) -> list[Split | None]:
        """Return the best tree of one split, found without ranks."""
        return one_split(split_of_sums(table, self.row_sums(), min_leaf, below=below))

    def native(self, rank: NDArray[np.uint32], units: Any, **rest: Any) -> dict[str, Any]:
        """Run the engine."""
        return engine_answer(
            core.survival_solve,
            rank=rank,
            events=units.events,
            hazard=units.hazard,
            scale=units.scale,
            tie_bits=units.tie_bits,
            leaf=units.leaf,
            **rest,
        )


@dataclass(frozen=True, eq=False)
class RatioUnits(SurvivalUnits):
    """Those of whole events and hazards that stand for real ones.

    Parameters
    ----------
    per_event : float, default=1.0
        Whole events of one.
    rounding : float, default=0.0
        What the rounding may change of the difference between two trees, in the user's units.
    """

    per_event: float = 1.0
    rounding: float = 0.0

    @property
    def unit(self) -> float:
        """Loss of one unit of cost above the tie bits, in the user's units."""
        return math.ldexp(1.0, -self.scale) / self.per_event

    def tolerance(self, loss: float, n_leaves: int) -> float:
        """Return how far the true objective of a tree may be from what the engine says."""
        return super().tolerance(loss, n_leaves) + self.rounding
