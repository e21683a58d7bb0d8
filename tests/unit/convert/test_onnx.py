"""A tree as an ONNX model: onnxruntime answers as the tree, ties, missing values and float32 included."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_trees import as_values, cases, with_infinities, with_lines, with_unseen
from made_trees import make_tree
from treewright.convert import to_onnx
from treewright.errors import InputError, MissingDependencyError
from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, ThresholdSplit, Tree, grow

onnx = pytest.importorskip("onnx", reason="onnx (the extra `onnx`) is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def session(tree: Tree, **options):
    model = to_onnx(tree, **options)
    onnx.checker.check_model(model, full_check=True)
    settings = runtime.SessionOptions()
    settings.log_severity_level = 3
    settings.intra_op_num_threads = 1
    return runtime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])


def feed(tree: Tree, ready, X, kind=np.float64):
    """The inputs of a session from encoded rows."""
    if [given_input.name for given_input in ready.get_inputs()] == ["X"]:
        return {"X": X.astype(kind)}
    values = as_values(tree, X)
    inputs = {}
    for wanted in ready.get_inputs():
        name = wanted.name if wanted.name in values[0] else wanted.name.rstrip("_")
        cells = [row[name] for row in values]
        if wanted.type == "tensor(string)":
            inputs[wanted.name] = np.array([["" if c is None else c] for c in cells], dtype=object)
        else:
            inputs[wanted.name] = np.array([[np.nan if c is None else float(c)] for c in cells], dtype=kind)
    return inputs


def answers(tree: Tree, ready, X, kind=np.float64):
    labels, probabilities, leaf = ready.run(None, feed(tree, ready, X, kind))
    with np.errstate(invalid="ignore"):  # inf - inf in a linear split
        assert leaf.tolist() == tree.apply(X).tolist()
        np.testing.assert_array_equal(probabilities, tree.predict_proba(X).astype(kind))
    return labels.tolist()


def expected(tree: Tree, X):
    with np.errstate(invalid="ignore"):
        labels = tree.predict(X).tolist()
    return [label if isinstance(label, (bool, int)) else str(label) for label in labels]


@given(cases(), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_doubles_decide_as_the_tree(case, seed):
    rng = np.random.default_rng(seed)
    X = with_unseen(rng, with_infinities(rng, case.X))
    assert answers(case.tree, session(case.tree), X) == expected(case.tree, X)


@given(cases("tbm", n_columns=4))
@settings(max_examples=20)
def test_one_matrix_where_all_columns_are_numbers(case):
    ready = session(case.tree)
    assert [wanted.name for wanted in ready.get_inputs()] == ["X"]
    assert answers(case.tree, ready, case.X) == expected(case.tree, case.X)


@given(cases("tbmc"))
@settings(max_examples=20)
def test_float32_is_equal_on_rows_of_float32_numbers(case):
    with np.errstate(over="ignore"):
        X = case.X.astype(np.float32).astype(np.float64)
    ready = session(case.tree, precision="float32")
    assert answers(case.tree, ready, X, np.float32) == expected(case.tree, X)


def test_doubles_tell_apart_what_float32_cannot():
    tree = replace(
        make_tree(0, 2).tree,
        columns=tuple(Column(f"x{j}", ColumnKind.CONTINUOUS) for j in range(6)),
        splits=(ThresholdSplit(0, 0.1), None, None),
        prediction=np.array([0, 0, 1], dtype=np.int32),
    )
    X = np.zeros((2, 6))
    X[:, 0] = 0.1, np.nextafter(0.1, 1)
    assert answers(tree, session(tree), X) == expected(tree, X) == ["class 0", "class 1"]


def test_regression_and_linear_splits():
    made = make_tree(4, 12)
    number = replace(
        made.tree, classes=None, value=np.random.default_rng(0).normal(size=(made.tree.node_count, 1))
    )
    ready = session(number)
    values, leaf = ready.run(None, feed(number, ready, made.X))
    assert values.tolist() == number.predict(made.X).tolist()
    assert leaf.tolist() == number.apply(made.X).tolist()
    linear = replace(number, splits=(LinearSplit((0, 1), (1.0, 2.0), 0.5), *number.splits[1:]))
    with pytest.raises(InputError, match="use precision='float64'"):
        to_onnx(linear, precision="float32")


@given(cases(), st.integers(0, 2**32 - 1), st.integers(1, 2))
@settings(max_examples=30)
def test_lines_in_leaves(case, seed, n_outputs):
    tree = with_lines(case.tree, seed, n_outputs)
    ready = session(tree)
    values, leaf = ready.run(None, feed(tree, ready, case.X))
    assert leaf.tolist() == tree.apply(case.X).tolist()
    np.testing.assert_allclose(values, tree.predict(case.X), rtol=1e-9, atol=1e-9)


@given(cases("tbm", n_columns=4), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_lines_in_leaves_over_one_matrix(case, seed):
    tree = with_lines(case.tree, seed)
    ready = session(tree)
    values, _ = ready.run(None, feed(tree, ready, case.X))
    np.testing.assert_allclose(values, tree.predict(case.X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("large", ["centers", "slopes", "low", "high"])
def test_lines_beyond_float32_are_refused(large):
    tree = with_lines(replace(make_tree(0, 2).tree, splits=(ThresholdSplit(0, 0.1), None, None)), 0)
    leaf = next(node for node, line in enumerate(tree.lines) if line is not None)
    line = tree.lines[leaf]
    beyond = {"centers": (1e39, *line.centers[1:]), "slopes": ((1e39, *line.slopes[0][1:]),)}
    changed = replace(line, **{large: beyond.get(large, (1e39 if large == "high" else -1e39,))})
    tree = replace(tree, lines=(*tree.lines[:leaf], changed, *tree.lines[leaf + 1 :]))
    to_onnx(tree)
    with pytest.raises(InputError, match=r"A line in a leaf holds 1e\+39, .* use precision='float64'"):
        to_onnx(tree, precision="float32")


def test_columns_named_like_outputs():
    made = make_tree(11, 20)
    names = ("label", "probabilities", "columns", "", "leaf", "made/1")
    tree = replace(
        made.tree, columns=tuple(replace(c, name=n) for c, n in zip(made.tree.columns, names, strict=True))
    )
    ready = session(tree)
    taken = {wanted.name for wanted in ready.get_inputs()}
    assert not taken & {"label", "probabilities", "columns", "", "leaf"}


def test_bad_words_and_missing_package(monkeypatch):
    with pytest.raises(InputError, match="precision='half'"):
        to_onnx(make_tree(0, 2).tree, precision="half")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingDependencyError, match=r"treewright\[onnx\]"):
        to_onnx(make_tree(0, 2).tree)


@pytest.mark.parametrize("missing_left", [False, True])
@pytest.mark.parametrize("split", [CategorySplit(0, (0,)), CategorySplit(0, (1,)), ThresholdSplit(0, np.inf)])
def test_a_category_that_is_the_empty_text(split, missing_left):
    split = replace(split, missing_left=missing_left)
    columns = (Column("colour", ColumnKind.CATEGORICAL, ("", "red"), has_missing=True),)
    X = np.array([[0.0], [1.0], [np.nan]])
    y = np.array([0, 1, 1], dtype=np.int32)
    tree = grow(columns, np.array(["a", "b"]), [split, None, None], X, y, np.ones(3), 1.0 - np.eye(2))
    leaf = tree.apply(X)
    if leaf[0] == leaf[2]:  # the empty text and a missing value go together
        assert answers(tree, session(tree), X) == expected(tree, X)
    else:
        with pytest.raises(InputError, match="'colour' has the empty text"):
            to_onnx(tree)


def test_whole_labels_beyond_64_bits_are_text():
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    X, y, labels = np.array([[0.0], [1.0]]), np.array([0, 1], dtype=np.int32), [2**63, 2**63 + 2048]
    column = (Column("x", ColumnKind.CONTINUOUS),)
    splits = [ThresholdSplit(0, 0.5), None, None]
    tree = grow(column, np.array(labels, dtype=np.uint64), splits, X, y, np.ones(2), 1.0 - np.eye(2))
    session = runtime.InferenceSession(to_onnx(tree).SerializeToString())
    assert session.run(["label"], {"X": X})[0].tolist() == [str(label) for label in labels]
