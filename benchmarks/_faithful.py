"""The tree of fewest leaves that decides like a forest on a domain: solved, timed, checked, and a line of a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from treewright.bornagain import Domain, Ensemble, solve
from treewright.errors import SolverError
from treewright.result import SolveStatus
from treewright.tree import Tree
from treewright.verify import check_faithful

__all__ = ["DATA", "Grown", "grow", "line_of"]

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(frozen=True)
class Grown:
    """A forest on two thirds of a table."""

    forest: RandomForestClassifier
    whole: Ensemble
    train: NDArray[np.float64]
    test: NDArray[np.float64]

    def within(self, domain: Domain | None) -> Ensemble:
        """Everywhere if there is no domain."""
        return self.whole if domain is None else self.whole.within(domain)

    def solve(
        self,
        row: dict[str, Any],
        domain: Domain | None,
        time_limit: float,
        *,
        test: NDArray[np.float64],
        most_checked: int,
        about: Callable[[Tree], dict[str, Any]] = lambda tree: {},
    ) -> dict[str, Any]:
        """Add what was found to a row; trees of more leaves than `most_checked` are compared on `test` alone."""
        ensemble = self.within(domain)
        row = row | {"forest_leaves": self.whole.n_leaves}
        start = time.process_time()
        try:
            result = solve(ensemble, objective="leaves", time_limit=time_limit, memory_limit=2**30)
        except SolverError as error:
            row["error"] = str(error)[:200]
        else:
            row |= {
                "leaves": result.tree.n_leaves,
                "seconds": time.process_time() - start,
                "proven": result.status is SolveStatus.OPTIMAL,
                **about(result.tree),
            }
            assert (result.tree.predict(test) == self.forest.predict(test)).all()
            if result.tree.n_leaves <= most_checked:
                assert check_faithful(result.tree, ensemble).faithful
        print("#", row, flush=True)
        return row


def grow(X: NDArray[np.float64], y: NDArray[np.int64], seed: int, *, trees: int, depth: int) -> Grown:
    """Train the forest."""
    train, test, y_train, _ = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
    forest = RandomForestClassifier(trees, max_depth=depth, random_state=seed).fit(train, y_train)
    return Grown(forest, Ensemble.from_model(forest), train, test)


def line_of(rows: Sequence[dict[str, Any]], columns: Sequence[tuple[str, int]]) -> list[str]:
    """Means over the trees that were found, each with its digits; how many were found, and how many proven."""
    done = [row for row in rows if "leaves" in row]
    means = [f"{fmean(row[what] for row in done):.{digits}f}" if done else "-" for what, digits in columns]
    proven = sum(row.get("proven", False) for row in rows)
    return [*means, f"{len(done)} of {len(rows)}", f"{proven} of {len(rows)}"]
