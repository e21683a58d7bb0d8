"""200 leaves and 1000 columns leave in every form, and decide as before."""

import sys
from functools import partial

import numpy as np
import pytest

from made_trees import make_tree
from treewright.convert import to_c, to_onnx, to_python, to_sklearn, to_sklearn_pipeline, to_sql
from treewright.show import rules, to_rules
from treewright.tree import Column, ColumnKind, ThresholdSplit, grow


@pytest.fixture(scope="module")
def wide():
    """A complete tree of 256 leaves over 1000 columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 1000)).astype(np.float32).astype(np.float64)
    y = rng.integers(0, 2, 500).astype(np.int32)
    splits = []

    def put(depth):
        splits.append(None if depth == 0 else ThresholdSplit(int(rng.integers(0, 1000)), float(rng.normal())))
        if depth:
            put(depth - 1)
            put(depth - 1)

    put(8)
    columns = tuple(Column(f"column {j}", ColumnKind.CONTINUOUS) for j in range(1000))
    return grow(columns, np.array(["no", "yes"]), splits, X, y, np.ones(500), 1.0 - np.eye(2)), X


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_wide_and_leafy(wide):
    tree, X = wide
    expected = tree.predict(X).tolist()
    assert tree.n_leaves == 256
    assert to_sklearn(tree).predict(X).tolist() == expected
    assert to_sklearn_pipeline(tree).predict(X).tolist() == expected
    code = {}
    exec(to_python(tree), code)
    rows = [dict(zip((column.name for column in tree.columns), row, strict=True)) for row in X[:50].tolist()]
    assert [code["predict"](row) for row in rows] == expected[:50]
    assert to_sql(tree, table="t").count("WHEN") == len(rules(tree)) <= 256
    assert to_c(tree).count("return") == 256


def test_wide_onnx(wide):
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    tree, X = wide
    ready = runtime.InferenceSession(to_onnx(tree).SerializeToString(), providers=["CPUExecutionProvider"])
    assert ready.run(["label"], {"X": X})[0].tolist() == tree.predict(X).tolist()


def test_two_hundred_leaves_of_every_kind_of_split():
    made = make_tree(1, 200, n_rows=300)
    pipeline = to_sklearn_pipeline(made.tree)
    encoded = pipeline["encode"].transform_encoded(made.X)
    assert pipeline["tree"].apply(encoded).tolist() == made.tree.apply(made.X).tolist()


def chain(depth):
    """A tree that is one long chain over a column, a leaf at each step."""
    columns = (Column("x", ColumnKind.CONTINUOUS), Column("y", ColumnKind.CONTINUOUS))
    splits = [s for k in range(depth) for s in (ThresholdSplit(k % 2, float(k)), None)] + [None]
    X = np.column_stack([np.arange(10.0), np.arange(10.0)])
    return grow(
        columns,
        np.array(["a", "b"]),
        splits,
        X,
        np.arange(10, dtype=np.int32) % 2,
        np.ones(10),
        1.0 - np.eye(2),
    )


def lines_run(call):
    """How many lines of Python a call runs: its work without a clock."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("write", [to_sql, to_rules, to_c, to_python])
def test_work_is_linear_in_the_depth_of_a_chain(write):
    few, many = (lines_run(partial(write, chain(depth))) for depth in (100, 800))
    assert 0 < many < 10 * few  # eight times the depth; the square is 64
