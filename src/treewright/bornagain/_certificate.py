"""Is a box of cells homogeneous? Two independent certificates: interval bounds, or an integer program.

The integer program is the one of Vidal and Schiffer 2020, section 4.5, for any additive ensemble: one binary
variable a leaf and a plane, and the largest lead of a rival class as objective. HiGHS solves it (through
scipy). The bounds of the compiled core need no solver and are what the methods use; the two check each other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.bornagain._engine import Engine
from treewright.bornagain._solve_groups import refuse_groups
from treewright.convert import Ensemble
from treewright.errors import InputError, SolverError

__all__ = ["find_other_decision"]


def find_other_decision(
    ensemble: Ensemble,
    row: NDArray[np.float64],
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    method: str = "bounds",
) -> NDArray[np.float64] | None:
    """Find a row of a box for which the ensemble decides differently from `row`, or prove that there is none.

    Parameters
    ----------
    ensemble : Ensemble
    row : ndarray of shape (n_features,)
        A row inside the box.
    lower, upper : sequence of float, length n_features
        The box holds the rows with ``lower < x <= upper`` in every column; infinite ends are allowed. They
        count up to the next threshold of the ensemble.
    method : {"bounds", "milp"}, default="bounds"
        ``bounds``: interval bounds with branch and bound. ``milp``: an integer program, for ensembles without
        a rule for missing values.

    Returns
    -------
    ndarray of shape (n_features,) or None
        None proves that the decision is the same for all rows of the box.

    Raises
    ------
    InputError
        If `row` is outside the box, or the method does not apply.
    SolverError
        If the integer program was not solved.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, find_other_decision
    >>> forest = RandomForestClassifier(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> ensemble = Ensemble.from_model(forest)
    >>> find_other_decision(ensemble, np.array([4.0]), [3.5], [9.0]) is None
    True
    """
    refuse_groups(ensemble, "find_other_decision")
    engine = Engine(ensemble)
    encoded = ensemble.encode(np.asarray(row)[None, :])
    cell = engine.cells(encoded)[0]
    ends = np.array([lower, upper], dtype=np.float64)
    lo = np.array(
        [np.searchsorted(t, x, side="right") for t, x in zip(engine.thresholds, ends[0], strict=True)]
    )
    hi = np.array(
        [np.searchsorted(t, x, side="left") for t, x in zip(engine.thresholds, ends[1], strict=True)]
    )
    if not ((lo <= cell) & (cell <= hi)).all():
        raise InputError("row is outside the box; give a row with lower < row <= upper in every column.")
    label = core.bornagain_label(engine.native, cell.tolist())
    if method == "bounds":
        other = engine.find_other(lo, hi, label)
    elif method == "milp":
        other = _solve_milp(engine, lo, hi, label)
    else:
        raise InputError(f"method must be 'bounds' or 'milp'; got {method!r}.")
    return None if other is None else engine.points(np.array([other], dtype=np.int32))[0]


def _solve_milp(engine: Engine, lo: NDArray[np.int64], hi: NDArray[np.int64], label: int) -> list[int] | None:
    """Ask for each rival class whether some cell puts it first."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    ensemble = engine.ensemble
    assert ensemble.missing is not None  # set in __post_init__
    if ensemble.missing.any():
        raise InputError("method='milp' does not support missing values; use method='bounds'.")
    # Variables: below[f, p] = "the cell of column f is at most p" for planes inside the box, then the leaves.
    below: dict[tuple[int, int], int] = {}
    for f in range(ensemble.n_features):
        for p in range(int(lo[f]), int(hi[f])):
            below[f, p] = len(below)
    rows: list[dict[int, float]] = []
    limits: list[tuple[float, float]] = []
    for (f, p), at in below.items():
        if (f, p + 1) in below:
            rows.append({at: 1.0, below[f, p + 1]: -1.0})
            limits.append((-np.inf, 0.0))
    n = len(below)
    leaf_value: list[NDArray[np.float64]] = []
    closed: list[bool] = []
    for tree in engine.trees:
        chosen: dict[int, float] = {}
        stack: list[tuple[int, list[tuple[int, bool]], bool]] = [(0, [], True)]
        while stack:
            node, path, reachable = stack.pop()
            if tree.feature[node] < 0:
                at = n + len(leaf_value)
                leaf_value.append(tree.value[node])
                closed.append(not reachable)
                chosen[at] = 1.0
                for variable, left in path:  # a leaf needs every test on its path
                    rows.append({at: 1.0, variable: -1.0 if left else 1.0})
                    limits.append((-np.inf, 0.0 if left else 1.0))
                continue
            f = int(tree.feature[node])
            p = int(np.searchsorted(engine.thresholds[f], tree.threshold[node], side="right")) - 1
            for child, left in ((tree.left[node], True), (tree.right[node], False)):
                if (f, p) in below:
                    stack.append((int(child), [*path, (below[f, p], left)], reachable))
                else:
                    stack.append((int(child), path, reachable and (p >= hi[f]) == left))
        rows.append(chosen)
        limits.append((1.0, 1.0))
    size = n + len(leaf_value)
    matrix = np.zeros((len(rows), size))
    for i, row in enumerate(rows):
        matrix[i, list(row)] = list(row.values())
    low, high = np.array(limits).T
    upper = np.ones(size)
    upper[n:][np.array(closed, dtype=np.bool_)] = 0.0
    for rival in range(ensemble.n_classes):
        if rival == label:
            continue
        lead, start = _lead(ensemble, np.array(leaf_value), rival, label)
        cost = np.concatenate([np.zeros(n), -lead])
        answer = milp(
            cost,
            constraints=LinearConstraint(matrix, low, high),
            integrality=np.ones(size),
            bounds=Bounds(np.zeros(size), upper),
            options={"mip_rel_gap": 0.0},
        )
        if answer.status != 0:
            raise SolverError(
                f"HiGHS did not solve the integer program ({answer.message}); use method='bounds'."
            )
        cell = [
            int(lo[f]) + sum(answer.x[below[f, p]] < 0.5 for p in range(int(lo[f]), int(hi[f])))
            for f in range(ensemble.n_features)
        ]
        if core.bornagain_label(engine.native, cell) != label:
            return cell
        if start - answer.fun > -1e-6 * (1.0 + np.abs(lead).max()):
            # The lead is zero up to the solver's tolerance: a tie, which the model's own sums decide.
            return engine.find_other(lo, hi, label)
    return None


def _lead(
    ensemble: Ensemble, value: NDArray[np.float64], rival: int, label: int
) -> tuple[NDArray[np.float64], float]:
    """By how much each leaf, and the bias, puts `rival` before `label`."""
    if ensemble.link == "positive":
        sign = 1.0 if rival == 1 else -1.0
        return sign * value[:, 0], float(sign * (ensemble.bias[0] - ensemble.cut))
    return value[:, rival] - value[:, label], float(ensemble.bias[rival] - ensemble.bias[label])
