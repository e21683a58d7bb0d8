"""What a soft model teaches a hard tree: its own answers, on the rows and on made ones between them.

A tree that is grown on labels spends its splits on their noise, and few rows are left where it is deep. A model that
answers better than the tree can lend both: smooth answers, and as many rows as are asked for (Breiman and Shang, *Born
Again Trees*, 1996; Craven and Shavlik, *Extracting Tree-Structured Representations of Trained Networks*, NIPS 1995).
A made row takes each value from a row or from one of its `NEIGHBOURS`, by turns of a coin, so that every value is one
of the table; its target is the soft model's answer. A true row's is the mean of that and its own. Leaves of the tree
that is kept are fitted to true rows alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.latent._hard_nodes import Check, Labels, Numbers, Numbers64, Rows, Shares, Target, never

__all__ = ["Ground", "Teacher"]

NEIGHBOURS = 5
MADE = 2  # rows for each true one
MOST_NEAR = 4000  # true rows that made ones come from: neighbours take the square of their number
BLOCK = 500  # rows whose neighbours are looked for at once
AT_ONCE = 2**16  # rows that the model is asked about


@dataclass(frozen=True, eq=False)
class Ground:
    """What a tree is grown and cut back on.

    Parameters
    ----------
    X : ndarray of shape (n_all, n_columns)
    rows : ndarray of int
    target : Target
    """

    X: Numbers64
    rows: Rows
    target: Target


@dataclass(frozen=True, eq=False)
class Teacher:
    """A soft model as far as a hard tree needs it.

    Parameters
    ----------
    answers : callable
        Rows to shares of classes (n_rows, n_classes), or to numbers (n_rows, n_outputs) in the units of the target.
    inputs : callable
        Rows to comparable numbers without gaps, (n_rows, n_inputs), in which near rows are alike.
    """

    answers: Callable[[Numbers64], Numbers64]
    inputs: Callable[[Numbers64], Numbers64]

    def ground(self, X: Numbers64, rows: Rows, target: Labels | Numbers, check: Check = never) -> Ground:
        """Return the given rows of X and the rows made between them, with what the model says of both."""
        base, made = _between(X[rows], self.inputs(X[rows]), np.random.default_rng(0), check)
        both = np.vstack([X[rows], made])
        said = np.concatenate(
            [self._said(both[at : at + AT_ONCE], check) for at in range(0, len(both), AT_ONCE)]
        )
        true = (
            target.weight[rows] / target.weight[rows].mean()
        )  # in any unit of weights the ridge of a split is the same
        weight = np.concatenate([true, true[base]])
        if isinstance(target, Labels):
            said[: len(rows)] = (said[: len(rows)] + np.eye(said.shape[1])[target.y[rows]]) / 2
            return Ground(both, np.arange(len(both)), Shares(said, weight))
        said = said.reshape(len(said), *target.shape)
        said[: len(rows)] = (said[: len(rows)] + target.y[rows]) / 2
        return Ground(both, np.arange(len(both)), Numbers(said, weight))

    def _said(self, X: Numbers64, check: Check) -> Numbers64:
        check()
        return self.answers(X)


def _between(
    X: Numbers64, inputs: Numbers64, rng: np.random.Generator, check: Check = never
) -> tuple[Rows, Numbers64]:
    """Return made rows, and the number of the row that each began as."""
    some = np.arange(len(X))
    if len(some) > MOST_NEAR:
        some = np.sort(rng.choice(len(X), MOST_NEAR, replace=False))
    n_near = min(NEIGHBOURS, len(some) - 1)
    if n_near < 1:
        return np.empty(0, dtype=np.int64), np.empty((0, X.shape[1]))
    near = np.concatenate([_nearest(inputs[some], at, n_near, check) for at in range(0, len(some), BLOCK)])
    begun = np.tile(np.arange(len(some)), MADE)
    other = near[begun, rng.integers(0, n_near, len(begun))]
    theirs = rng.random((len(begun), X.shape[1])) < 0.5
    return some[begun], np.where(theirs, X[some[other]], X[some[begun]])


def _nearest(inputs: Numbers64, at: int, n_near: int, check: Check) -> Rows:
    """Return the nearest other rows of a block of rows, the first of equals, (n_block, n_near)."""
    check()
    block = inputs[at : at + BLOCK]
    apart = (block**2).sum(axis=1)[:, None] - 2 * block @ inputs.T + (inputs**2).sum(axis=1)
    apart[np.arange(len(block)), at + np.arange(len(block))] = np.inf
    return np.argpartition(apart, n_near - 1, axis=1)[:, :n_near]
