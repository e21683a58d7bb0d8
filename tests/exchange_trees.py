"""Trees with hostile names and awkward thresholds, and rows that try every edge of them; for all exporters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from treewright.show import to_text
from treewright.tree import (
    CategorySplit,
    Column,
    ColumnKind,
    Line,
    LinearSplit,
    Split,
    ThresholdSplit,
    Tree,
    TreeKind,
    grow,
)

__all__ = ["HOSTILE", "Case", "cases", "plain_rows", "probe_rows"]

HOSTILE = (
    'a "quoted" name',
    "it's; DROP TABLE t; --",
    "two\nlines\r\n*/ // /* ??/ ??'",
    "back\\slash \\n \\",
    "while",
    "{braces} %s %d $x$",
    "naïve µm 測定 \u202e\u2028",
    "</script>`",
)
THRESHOLDS = (0.0, 0.1, 0.1 + 0.2, 1 / 3, 2.5, -1.25e-7, 16777217.0, 1e300, -1e-300, 7.000000000000001)
CATEGORIES = ("?", 'b"l\\ue', "gr'een", "new\nline */", "red", "wéiß")


class Case:
    """A tree, and rows of the table it could have been made from, edges included."""

    def __init__(self, tree: Tree, X: NDArray[np.float64]) -> None:
        self.tree, self.X = tree, X

    def __repr__(self) -> str:  # Hypothesis prints it
        return f"Case of {len(self.X)} rows:\n{to_text(self.tree, digits=None, ascii_only=True)}"


def columns() -> tuple[Column, ...]:
    return (
        Column(HOSTILE[0], ColumnKind.CONTINUOUS, (), True),
        Column(HOSTILE[1], ColumnKind.CONTINUOUS),
        Column(HOSTILE[2], ColumnKind.BINARY, ("false", "true"), True),
        Column(HOSTILE[3], ColumnKind.BINARY),
        Column(HOSTILE[4], ColumnKind.CATEGORICAL, CATEGORIES, True),
        Column(HOSTILE[6], ColumnKind.CATEGORICAL, ("L", "S")),
    )


@st.composite
def splits(draw: st.DrawFn, kinds: str, n_columns: int) -> Split:
    kind = draw(st.sampled_from(kinds))
    side = draw(st.booleans())
    if kind == "t":
        limit = st.sampled_from((*THRESHOLDS, np.inf)) | st.floats(-1e6, 1e6)
        return ThresholdSplit(draw(st.integers(0, 1)), float(draw(limit)), side)
    if kind == "b":
        return ThresholdSplit(draw(st.integers(2, 3)), 0.5, side)
    if kind == "m":
        return ThresholdSplit(draw(st.integers(0, n_columns - 1)), np.inf, side)
    if kind == "c":
        column = draw(st.integers(4, 5))
        n = len(CATEGORIES) if column == 4 else 2
        left = draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=n))
        return CategorySplit(column, tuple(sorted(left)), side)
    weights = draw(st.lists(st.sampled_from((-1.5, 0.1, 1 / 3, 2.0)), min_size=2, max_size=2))
    return LinearSplit((0, 1), tuple(weights), float(draw(st.sampled_from(THRESHOLDS))), side)


@st.composite
def cases(draw: st.DrawFn, kinds: str = "tbmcl", max_leaves: int = 9, n_columns: int = 6) -> Case:
    """Trees of `kinds`: t thresholds, b truth values, m missing, c categories, l linear."""
    nodes: list[Split | None] = []

    def put(leaves: int) -> None:
        if leaves == 1:
            nodes.append(None)
            return
        nodes.append(draw(splits(kinds, n_columns)))
        left = draw(st.integers(1, leaves - 1))
        put(left)
        put(leaves - left)

    put(draw(st.integers(1, max_leaves)))
    labels = draw(
        st.sampled_from(
            (
                np.array(["no", "yes"]),
                np.array([False, True]),
                np.array([-3, 0, 7]),
                np.array(["a'b", 'c"d\\', "e\nf", "??/"]),
                np.array([0.1, 2.0]),
            )
        )
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    known = columns()[:n_columns]
    X = plain_rows(rng, 40)[:, :n_columns]
    y = rng.integers(0, len(labels), 40).astype(np.int32)
    costs = 1.0 - np.eye(len(labels))
    if draw(st.booleans()):  # a leaf need not predict its most frequent class
        costs = costs * rng.choice([0.5, 1.0, 5.0], costs.shape)
    tree = grow(known, labels, nodes, X, y, rng.choice([0.5, 1.0, 3.0], 40), costs)
    return Case(tree, probe_rows(tree, rng, X))


def plain_rows(rng: np.random.Generator, n_rows: int) -> NDArray[np.float64]:
    """Random rows of `columns`, missing values in every column."""
    X = np.empty((n_rows, 6), order="F")
    for j in (0, 1):
        X[:, j] = rng.choice([*THRESHOLDS, -1.0, 3.7, 42.0, 1e-310, 5e5], n_rows)
    X[:, 2:4] = rng.integers(0, 2, (n_rows, 2))
    X[:, 4] = rng.integers(0, len(CATEGORIES), n_rows)
    X[:, 5] = rng.integers(0, 2, n_rows)
    X[rng.random(X.shape) < 0.15] = np.nan
    return X


def probe_rows(tree: Tree, rng: np.random.Generator, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """`X`, and copies with values at, just below and just above the thresholds."""
    used = [float(s.threshold) for s in tree.splits if s is not None and not isinstance(s, CategorySplit)]
    edges = [t for t in used if np.isfinite(t)]
    edges += [float(np.nextafter(t, side)) for t in edges for side in (-np.inf, np.inf)]
    edges += [float(np.float32(t)) for t in edges if abs(t) < 1e38]
    probes = [X]
    if edges:
        for j in (0, 1):
            rows = X[rng.integers(0, len(X), 2 * len(edges))].copy()
            rows[:, j] = edges * 2
            probes.append(rows)
    return np.asfortranarray(np.concatenate(probes))


def with_infinities(rng: np.random.Generator, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """`X` with infinite numbers, which no table holds but every comparison knows."""
    wild = X.copy()
    hit = rng.random((len(X), 2)) < 0.1
    wild[:, :2][hit] = rng.choice([-np.inf, np.inf], int(hit.sum()))
    return wild


def with_unseen(rng: np.random.Generator, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """`X` with categories that the schema does not know: the code after the last."""
    wild = X.copy()
    wild[rng.random(len(X)) < 0.2, 4] = len(CATEGORIES)
    wild[rng.random(len(X)) < 0.2, 5] = 2
    return wild


def with_lines(tree: Tree, seed: int, n_outputs: int = 1) -> Tree:
    """The same splits with numbers, and lines over some columns of numbers in about two of three leaves."""
    rng = np.random.default_rng(seed)
    numeric = [j for j, column in enumerate(tree.columns) if column.kind is not ColumnKind.CATEGORICAL]
    lines: list[Line | None] = []
    for split in tree.splits:
        chosen = rng.permutation(numeric)[: rng.integers(0, len(numeric) + 1)].tolist()
        if split is not None or not chosen:
            lines.append(None)
            continue
        slopes = rng.normal(size=(n_outputs, len(chosen))) * 10.0 ** rng.integers(-3, 4, len(chosen))
        centers = rng.normal(size=len(chosen))
        ends = np.sort(rng.normal(size=(2, n_outputs)) * 10.0 ** rng.integers(0, 5), axis=0).tolist()
        slope = tuple(map(tuple, slopes.tolist()))
        lines.append(Line(tuple(chosen), tuple(centers.tolist()), slope, tuple(ends[0]), tuple(ends[1]), 2.5))
    value = rng.normal(size=(tree.node_count, n_outputs))
    prediction = np.zeros(tree.node_count, dtype=np.int32)
    return replace(
        tree, classes=None, kind=TreeKind.REGRESSION, value=value, prediction=prediction, lines=tuple(lines)
    )


def as_values(tree: Tree, X: NDArray[np.float64]) -> list[dict[str, object]]:
    """Encoded rows as dictionaries of plain values; None is missing, "no such thing" an unseen category."""
    rows: list[dict[str, object]] = []
    for row in X.tolist():
        values: dict[str, object] = {}
        for x, column in zip(row, tree.columns, strict=True):
            if x != x:
                values[column.name] = None
            elif column.kind is ColumnKind.CATEGORICAL:
                known = x < len(column.categories)
                values[column.name] = column.categories[int(x)] if known else "no such thing"
            elif column.kind is ColumnKind.BINARY:
                values[column.name] = bool(x)
            else:
                values[column.name] = x
        rows.append(values)
    return rows
