"""The three MONK's problems over all 432 robots, from their rules.

The published training sets are samples of these rows (the third one with 6 wrong labels on purpose) and
cannot be re-created without the sample; the whole space, which is the published test set, can.
"""

from __future__ import annotations

from itertools import product
from typing import Literal

import numpy as np

from treewright.datasets._dataset import Dataset
from treewright.errors import InputError
from treewright.table import table_from

__all__ = ["monks"]

COLUMNS = ("a1", "a2", "a3", "a4", "a5", "a6")
N_VALUES = (3, 3, 2, 3, 4, 2)
RULES = {
    1: "a1 = a2 or a5 = 1",
    2: "exactly two of the six columns are 1",
    3: "(a5 = 3 and a4 = 1) or (a5 is not 4 and a2 is not 3)",
}


def monks(problem: Literal[1, 2, 3]) -> Dataset:
    """Return one of the MONK's problems: all 432 rows, labelled by its rule without noise.

    Parameters
    ----------
    problem : {1, 2, 3}

    Returns
    -------
    Dataset
        432 rows, 6 categorical columns a1 to a6, labels "0" and "1".

    Raises
    ------
    InputError
        `problem` is not 1, 2 or 3.

    References
    ----------
    S. Thrun et al. (1991). The MONK's Problems: a performance comparison of different learning algorithms.
    CMU-CS-91-197.

    Examples
    --------
    >>> [int((monks(k).y == "1").sum()) for k in (1, 2, 3)]
    [216, 142, 228]
    """
    if problem not in (1, 2, 3):
        raise InputError(f"problem={problem!r}; choose 1, 2 or 3.")
    robots = list(product(*(range(1, n + 1) for n in N_VALUES)))
    y = np.array([str(int(_follows_rule(problem, robot))) for robot in robots])
    return Dataset(
        f"monks-{problem}",
        table_from(np.array(robots), feature_names=COLUMNS, categorical_features=COLUMNS),
        y,
        f"All 432 robots of six attributes; the label is 1 if {RULES[problem]}.",
        "Made by the rule; equal to the published test set of Thrun et al. (1991).",
    )


def _follows_rule(problem: int, robot: tuple[int, ...]) -> bool:
    a1, a2, _, a4, a5, _ = robot
    if problem == 1:
        return a1 == a2 or a5 == 1
    if problem == 2:
        return robot.count(1) == 2
    return (a5 == 3 and a4 == 1) or (a5 != 4 and a2 != 3)
