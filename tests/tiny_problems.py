"""Tiny problems over 0/1 columns, the oracle's answer to each, and a checker of answers that trusts nobody.

`check` walks the tree row by row and adds up in fractions; it shares no code with the library but the two
split attributes it reads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from brute_force import INFEASIBLE, best_objective
from treewright import Problem, SolveResult, SolveStatus, SplitMatrix
from treewright.binarize import scope_of_all
from treewright.problem import make_problem
from treewright.search import BinaryOptions, Limits, solve
from treewright.search._limits import ProgressCallback
from treewright.table import table_from
from treewright.tree import ThresholdSplit

TOLERANCE = 1e-9  # objectives are float64 sums of at most a few hundred terms


@dataclass(frozen=True, eq=False)
class TinyProblem:
    """Columns as the search sees them (n_columns, n_rows), and everything else that states the problem."""

    goes_right: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    costs: np.ndarray
    cost_complexity: float = 0.01
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1

    @property
    def n_columns(self) -> int:
        return self.goes_right.shape[0]

    @property
    def n_rows(self) -> int:
        return self.goes_right.shape[1]

    def stated(self) -> tuple[Problem, SplitMatrix]:
        # Every label once more with weight zero, so that classes without rows keep their place.
        labels = np.arange(len(self.costs))
        padding = np.zeros((len(labels), self.n_columns))
        problem = make_problem(
            table_from(np.vstack([self.goes_right.T.astype(np.float64), padding])),
            np.concatenate([self.y, labels]),
            sample_weight=np.concatenate([self.weight, np.zeros(len(labels))]),
            costs=self.costs,
            cost_complexity=self.cost_complexity,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
        )
        splits = tuple(ThresholdSplit(j, 0.5) for j in range(self.n_columns))
        return problem, SplitMatrix.from_matrix(
            splits, np.ascontiguousarray(self.goes_right, dtype=np.uint8), scope_of_all(problem.table)
        )

    def solve(
        self,
        limits: Limits | None = None,
        options: BinaryOptions | None = None,
        progress: ProgressCallback | None = None,
    ) -> SolveResult:
        problem, cuts = self.stated()
        return solve(problem, cuts, limits=limits, options=options, progress=progress)

    def optimum(self) -> Fraction:
        return best_objective(
            self.goes_right,
            self.y,
            self.weight,
            self.costs,
            Fraction(self.cost_complexity),
            self.max_depth,
            self.max_leaf_nodes,
            self.min_samples_leaf,
        )

    def but(self, **changes: object) -> TinyProblem:
        return replace(self, **changes)  # type: ignore[arg-type]


def random_problem(
    rng: np.random.Generator, max_columns: int = 6, max_rows: int = 13, max_classes: int = 4
) -> TinyProblem:
    """One problem of the family that the search must solve: every kind of table and limit, all combined."""
    n_columns, n_rows = int(rng.integers(1, max_columns + 1)), int(rng.integers(1, max_rows + 1))
    n_classes = int(rng.integers(2, max_classes + 1))
    goes_right = (rng.random((n_columns, n_rows)) < rng.choice([0.2, 0.5, 0.5, 0.9])).astype(np.uint8)
    if n_columns > 1 and rng.random() < 0.2:
        goes_right[-1] = 1 - goes_right[0]  # complement
    if n_columns > 1 and rng.random() < 0.2:
        goes_right[-1] = goes_right[0]  # copy
    if rng.random() < 0.15:
        goes_right[rng.integers(n_columns)] = rng.integers(2)  # constant
    if n_rows > 1 and rng.random() < 0.4:
        goes_right[:, n_rows // 2 :] = goes_right[
            :, : n_rows - n_rows // 2
        ]  # equal rows, their labels may differ
    if rng.random() < 0.3:  # labels that follow a rule, so that deep trees pay
        y = (goes_right[rng.integers(n_columns)] ^ goes_right[rng.integers(n_columns)]).astype(np.int32)
    else:
        y = rng.integers(0, n_classes, n_rows).astype(np.int32)
    kind = rng.integers(5)
    weight = [
        np.ones(n_rows),
        rng.integers(1, 6, n_rows).astype(float),
        rng.integers(1, 9, n_rows) / 4,
        rng.random(n_rows) + 0.01,
        10.0 ** rng.uniform(-3, 3, n_rows),
    ][kind]
    off = 1 - np.eye(n_classes)
    costs = [off, off, off * rng.integers(1, 6, off.shape), off * (rng.random(off.shape) + 0.1)][
        rng.integers(4 if kind < 3 else 3)  # weights and costs both broken are rounded: tests/unit/search
    ]
    if rng.random() < 0.1:
        costs = costs + 0.25  # the right answer costs too
    return TinyProblem(
        goes_right,
        y,
        weight,
        costs,
        cost_complexity=float(rng.choice([0.0, 0.001, 0.01, 1 / 97, 0.03, 0.05, 0.1, 0.3, 1.0])),
        max_depth=[None, None, 0, 1, 2, 3, 4][rng.integers(7)],
        max_leaf_nodes=[None, None, None, 1, 2, 3, 4, 5, 6][rng.integers(9)],
        min_samples_leaf=min(n_rows, int(rng.choice([1, 1, 1, 2, 3, 5]))),
    )


def walk(problem: TinyProblem, result: SolveResult) -> tuple[Fraction, int, int]:
    """Return objective, leaves and depth of the result's tree, counted row by row."""
    tree = result.tree
    total = sum(Fraction(float(w)) for w in problem.weight)

    def go(node: int, rows: list[int], depth: int) -> tuple[Fraction, int, int]:
        split = tree.splits[node]
        if split is None:
            assert len(rows) >= problem.min_samples_leaf
            label = int(tree.classes[tree.prediction[node]])  # labels are 0, 1, ...
            paid = sum(
                (
                    Fraction(float(problem.weight[r])) * Fraction(float(problem.costs[problem.y[r], label]))
                    for r in rows
                ),
                Fraction(0),
            )
            return paid, 1, depth
        assert split.threshold == 0.5
        left = [r for r in rows if not problem.goes_right[split.column, r]]
        right = [r for r in rows if problem.goes_right[split.column, r]]
        a = go(int(tree.children_left[node]), left, depth + 1)
        b = go(int(tree.children_right[node]), right, depth + 1)
        return a[0] + b[0], a[1] + b[1], max(a[2], b[2])

    paid, leaves, depth = go(0, list(range(problem.n_rows)), 0)
    return paid / total + Fraction(problem.cost_complexity) * leaves, leaves, depth


def check(problem: TinyProblem, result: SolveResult, optimum: Fraction | None = None) -> None:
    """Assert that the tree is valid, its figures are its own, and that what is claimed about it is true."""
    objective, leaves, depth = walk(problem, result)
    assert leaves == result.tree.n_leaves
    assert problem.max_leaf_nodes is None or leaves <= problem.max_leaf_nodes
    assert problem.max_depth is None or depth <= problem.max_depth
    assert abs(result.objective - float(objective)) <= TOLERANCE
    assert abs(result.loss + problem.cost_complexity * leaves - result.objective) <= TOLERANCE
    assert result.lower_bound <= result.objective + TOLERANCE
    if optimum is not None:
        assert optimum < INFEASIBLE
        assert result.lower_bound <= float(optimum) + 1e-12  # a claim: no tolerance but that of float64
        assert result.objective >= float(optimum) - TOLERANCE
        if result.status is SolveStatus.OPTIMAL:
            assert result.objective <= float(optimum) + TOLERANCE
            assert result.stop_reason is None
        else:
            assert result.stop_reason is not None
