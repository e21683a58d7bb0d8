"""Trees for the tests of the report: of every kind of split, hostile names included."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

from made_trees import Made, make_tree
from treewright.show import report
from treewright.table import Table
from treewright.tree import Column, ColumnKind, LinearSplit, ThresholdSplit, Tree, grow

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>document.title='hit'</script>",
    '"><img src=x onerror="document.title=1">',
    "' onmouseover='x' `${document.title='hit'}`",
    "\u202egnp.exe\u2066 \u05d0\u05d1",
    "<!--<script> {{ 7*7 }} {% raw %} </style>",
    "a\x00b\x1b[2J\u2028\nnew & old &lt;",
    "\\u003c/script\\u003e",
)


def page_of(made: Made, **options: object) -> str:
    """The report of a made tree on its own rows."""
    assert made.tree.classes is not None
    table = Table(made.tree.columns, made.X)
    return report(made.tree, table, made.tree.classes[made.y], **{"fit_models": False, **options})  # type: ignore[arg-type]


def hostile_tree(seed: int = 0) -> Made:
    """A made tree whose columns, categories and labels all try to break out."""
    made = make_tree(
        seed, 12, n_rows=200, labels=np.array([HOSTILE[0], HOSTILE[1], HOSTILE[4]], dtype=object)
    )
    columns = tuple(
        replace(
            column,
            name=HOSTILE[j],
            categories=tuple(
                f"{c} {HOSTILE[(j + k) % len(HOSTILE)]}" for k, c in enumerate(column.categories)
            ),
        )
        for j, column in enumerate(made.tree.columns)
    )
    return replace(made, tree=replace(made.tree, columns=columns))


def wide_tree(n_columns: int = 1000) -> Made:
    """Four leaves over two of many columns of numbers."""
    rng = np.random.default_rng(1)
    X = np.asfortranarray(rng.normal(size=(400, n_columns)).round(3))
    y = ((X[:, 3] > 0) ^ (X[:, 500] > 0.2)).astype(np.int32)
    columns = [Column(f"measurement number {j}", ColumnKind.CONTINUOUS) for j in range(n_columns)]
    splits = [
        ThresholdSplit(3, 0.0),
        ThresholdSplit(500, 0.2),
        None,
        None,
        ThresholdSplit(500, 0.2),
        None,
        None,
    ]
    weight, costs = np.ones(len(y)), 1.0 - np.eye(2)
    tree: Tree = grow(columns, np.array(["no", "yes"]), splits, X, y, weight, costs)
    return Made(tree, X, y, weight, costs)


def as_json(rows):
    """Rows as JSON has them: a missing value is null."""
    return [[None if math.isnan(x) else x for x in row] for row in rows.tolist()]


def boxed_tree(seed, **options):
    """A made tree without sums, whose numbers are whole or have one decimal."""
    for attempt in itertools.count(seed * 1000):
        made = make_tree(attempt, 7, n_rows=120, **options)
        if not any(isinstance(split, LinearSplit) for split in made.tree.splits):
            X = made.X.copy()
            X[:, 1] = X[:, 1].round(1)
            return Made(made.tree, X, made.y, made.weight, made.costs)
    raise AssertionError
