"""A small tree that says nearly what any classifier says: fewest leaves that give the rows the model's own labels.

Only answers are read, so the model may be a vote, a stack, a calibrated or moved threshold, a network, a pipeline. It
has no thresholds that could be known, so the tree may split wherever the rows differ, and the proof is about all of
these splits. The search is that of `distil`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright._arguments import check_arguments, refuse_lossy
from treewright.bornagain._course import Progress
from treewright.bornagain._distil import check_distil, of_classes, smallest_tree
from treewright.bornagain._engine import DEFAULT_MEMORY
from treewright.errors import InputError
from treewright.problem import make_problem
from treewright.result import BornAgainResult
from treewright.search import Limits
from treewright.table import Table, table_from

__all__ = ["distil_labels"]


def distil_labels(
    labels: ArrayLike,
    X: Any,
    *,
    classes: ArrayLike | None = None,
    tolerance: float = 0.0,
    max_depth: int | None = 4,
    max_leaves: int = 16,
    time_limit: float | None = 60.0,
    step_limit: int | None = None,
    memory_limit: int | None = DEFAULT_MEMORY,
    n_jobs: int | None = 1,
    progress: Callable[[Progress], bool | None] | None = None,
) -> BornAgainResult:
    """Find the tree with the fewest leaves that predicts a classifier's labels on given rows, or on nearly all of them.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        The model's predictions for the rows: ``model.predict(X)`` of any classifier.
    X : array-like or frame of shape (n_rows, n_columns), or Table
        Rows, usually those that the model was trained on; text and missing values as `OptimalTreeClassifier` takes
        them.
    classes : array-like of shape (n_classes,), optional
        All classes of the model, if some of them may not occur in `labels`.
    tolerance : float, default=0.0
        Share of the rows, 0 to 1, on which the tree may decide differently.
    max_depth : int or None, default=4
        Largest number of splits on a path; None is unlimited.
    max_leaves : int, default=16
        Largest number of leaves.
    time_limit : float or None, default=60.0
        Seconds.
    step_limit : int or None, default=None
    memory_limit : int or None, default=4 GiB
        Bytes of the search.
    n_jobs : int or None, default=1
        Threads of the search, as in `treewright.accuracy_frontier`.
    progress : callable, optional
        Called about 20 times a second with a `Progress`; if it returns True, the run ends.

    Returns
    -------
    BornAgainResult
        As for `distil`, but the proof is about the splits of the table that ``options["splits"]`` names, not those of
        an ensemble: all thresholds, and all categories except in columns with hundreds of them.

    Raises
    ------
    InputError
        If a parameter is out of range, or there is not one label for each row.

    See Also
    --------
    distil : for tree ensembles, over their own thresholds; no other tree can decide like them everywhere.
    label_agreement : counts on other rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from treewright.bornagain import distil_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> result = distil_labels(model.predict(X), X, tolerance=0.02)
    >>> result.status.value, result.loss <= 0.02
    ('proven optimal', True)
    """
    check_arguments(distil_labels, locals(), "max_leaves", "progress")
    start = time.monotonic()
    check_distil(tolerance, max_leaves)
    table = X if isinstance(X, Table) else table_from(X)
    refuse_lossy("labels", labels)
    said = np.asarray(labels)
    if said.shape != (table.n_rows,):
        raise InputError(
            f"labels has the shape {said.shape}; give one label for each of the {table.n_rows} rows."
        )
    problem = make_problem(
        table, said, cost_complexity=0.0, max_depth=max_depth, max_leaf_nodes=int(max_leaves)
    )
    limits = Limits(time_limit, step_limit, memory_limit, n_jobs=n_jobs)
    result = smallest_tree(problem, "auto", tolerance, limits, progress, objective="labels", start=start)
    if classes is None:
        return result
    every, seen = np.asarray(classes), result.tree.classes
    assert seen is not None  # a tree of classes
    if not np.isin(seen, every).all():
        raise InputError(
            f"classes has {every.tolist()!r:.80}, but labels has others; name all classes of the model."
        )
    order = np.argsort(every)  # a model may list its classes in any order
    position = order[np.searchsorted(every, seen, sorter=order)]
    return replace(result, tree=of_classes(result.tree, position, every))
