"""How the compiled search over binary columns is asked, whatever the rows cost.

The schedule of the search, with all its phases, is in the core (``cpp/include/treewright/search/schedule.hpp``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.binarize import SplitMatrix
from treewright.problem import Problem
from treewright.search._integers import RowCosts
from treewright.search._jobs import threads_of
from treewright.search._kept import engine_answer
from treewright.search._limits import Limits, ProgressCallback, native_report
from treewright.search._options import BinaryOptions
from treewright.search._prices import price_source

__all__ = ["NO_LIMIT", "grouped_rows", "search_bits"]

NO_LIMIT = 2**20  # no tree is deeper or has more leaves in any search that ends


def grouped_rows(
    problem: Problem,
    split_matrix: SplitMatrix,
    integers: RowCosts,
    options: BinaryOptions,
    *,
    leaf_penalty: float,
    guess: NDArray[np.int64] | None = None,
) -> core.BinaryProblem | None:
    """Return the rows with equal ones put together, or None if Ctrl-C was pressed meanwhile.

    Parameters
    ----------
    problem : Problem
    split_matrix : SplitMatrix
    integers : RowCosts
        Costs of the problem's rows.
    options : BinaryOptions
    leaf_penalty : float
        In units of cost.
    guess : ndarray of shape (n_rows,), int64, or None, default=None
        What each row is guessed to cost at least.
    """
    try:
        return core.BinaryProblem(
            split_matrix.packed,
            integers.kind,
            integers.weight,
            integers.costs,
            leaf_penalty=leaf_penalty,
            min_count=problem.min_samples_leaf,
            equivalent_points=options.equivalent_points,
            guess=guess,
            packed=True,
        )
    except KeyboardInterrupt:
        return None


def search_bits(
    bits: core.BinaryProblem,
    *,
    max_depth: int | None,
    max_leaves: int | None,
    options: BinaryOptions,
    limits: Limits,
    unit: float,
    progress: ProgressCallback | None,
    fewest_leaves: bool = True,
    recheck: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """Search `bits` and return what its ``search`` returns.

    Parameters
    ----------
    bits : BinaryProblem
    max_depth, max_leaves : int or None
        None is no limit.
    options : BinaryOptions
    limits : Limits
        With the time running, since before `bits` was made.
    unit : float
        Objective of one weight unit.
    progress : callable or None
    fewest_leaves : bool, default=True
        Whether the fewest leaves are searched for where they have no penalty. The answer's ``leaves_exact`` says
        whether they are proven.
    recheck : (steps_before, most_steps), default=None
        Whether a search under guesses that ends is followed by a short one with a lower guess: what was spent before,
        and the most that both may take. The answer's ``recheck`` holds what it found.
    """
    return engine_answer(
        bits.search,
        max_depth=-1 if max_depth is None else min(max_depth, NO_LIMIT),
        max_leaves=min(max_leaves or 0, NO_LIMIT),
        options=options.native(),
        price_rows=price_source(bits, max_depth, options.shared_losses) if options.row_prices else None,
        fewest_leaves=fewest_leaves,
        recheck=recheck,
        threads=threads_of(limits.n_jobs),
        report=native_report(progress, unit),
        **limits.native(),
    )
