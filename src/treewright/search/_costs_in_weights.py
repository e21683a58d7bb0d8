"""Two classes: costs of false positives and false negatives as weights of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.problem import Problem

__all__ = ["costs_in_weights"]


def costs_in_weights(problem: Problem) -> Problem:
    """Return the same problem as one of errors, where the costs are in the weights of the rows.

    Weights and costs that are no whole numbers are rounded for the search. One factor alone is rounded far less.

    Parameters
    ----------
    problem : Problem
        Of two classes.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search._costs_in_weights import costs_in_weights
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1], costs=[[0, 1], [5, 0]])
    >>> costs_in_weights(problem).sample_weight.tolist()
    [1.0, 1.0, 5.0]
    """
    weight = problem.sample_weight * problem.costs.max(axis=1)[problem.y]
    return replace(
        problem,
        sample_weight=weight,
        costs=1.0 - np.eye(2),
        cost_complexity=problem.cost_complexity * problem.total_weight / float(weight.sum()),
    )
