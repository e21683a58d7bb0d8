"""Labels, weights, costs and limits are what the caller meant, or an error says why not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.binarize import midpoints
from treewright.errors import InputError
from treewright.problem import encode_labels, make_problem
from treewright.table import table_from

TABLE = table_from(np.array([[1.0], [2], [3], [4]]))
Y = [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("y", "classes", "index"),
    [
        ([3, -1, 3], [-1, 3], [1, 0, 1]),
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        ([1.0, 0.0, 1.0], [0.0, 1.0], [1, 0, 1]),
        ([True, False, True], [False, True], [1, 0, 1]),
        (np.array(["b", "a"], dtype=object), ["a", "b"], [1, 0]),
        (np.array([2, 7], dtype=object), [2, 7], [0, 1]),
        (np.array([[5], [4]]), [4, 5], [1, 0]),
        (pd.Series(["x", "y"], dtype="category"), ["x", "y"], [0, 1]),
        (pd.Series([1, 2], dtype="Int64"), [1, 2], [0, 1]),
        (pl.Series(["x", "y"]), ["x", "y"], [0, 1]),
        (["only", "only"], ["only"], [0, 0]),
    ],
)
def test_labels_of_any_type(y, classes, index):
    found, codes = encode_labels(y)
    assert found.tolist() == classes
    assert codes.tolist() == index
    assert codes.dtype == np.int32


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([0, 1], "inconsistent numbers of samples"),
        (np.zeros((4, 2)), "1d array"),
        ([0.0, np.nan, 1, 1], "Input y contains NaN"),
        ([0.0, np.inf, 1, 1], "Input y contains infinity"),
        ([0.5, 1.5, 2, 3], "Unknown label type: continuous"),
        ([0, "a", 1, 1], "mixture of int, str"),
        (["a", None, "b", "a"], "missing"),
        (np.array(["a", np.nan, "b", "b"], dtype=object), "NaN"),
        (pd.Series([1, None, 2, 2], dtype="Int64"), "missing|NaN"),
        (np.array([1j, 1, 1, 1]), "Unknown label type"),
        (np.array(["2020"] * 4, dtype="M8[Y]"), "Unknown label type"),
    ],
)
def test_bad_labels(y, words):
    with pytest.raises(InputError, match=words):
        make_problem(TABLE, y)


def test_defaults():
    problem = make_problem(TABLE, Y)
    assert problem.table is TABLE
    assert problem.sample_weight.tolist() == [1, 1, 1, 1]
    assert problem.costs.tolist() == [[0, 1], [1, 0]]
    assert (problem.cost_complexity, problem.max_depth, problem.max_leaf_nodes) == (0.01, None, None)
    assert (problem.min_samples_leaf, problem.notes, problem.total_weight) == (1, (), 4)


def test_one_class_is_a_problem():
    problem = make_problem(TABLE, ["a"] * 4, objective="balanced_accuracy")
    assert problem.n_classes == 1
    assert problem.costs.tolist() == [[0]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sample_weight": [1, 1]}, r"shape \(2,\), expected \(4,\)"),
        ({"sample_weight": [1, 1, -1, 1]}, "negative in row 2"),
        ({"sample_weight": [1, np.nan, 1, 1]}, "NaN or infinity"),
        ({"sample_weight": [0, 0, 0, 0]}, "zero in every row"),
        ({"sample_weight": [5e-324] * 4}, "too near to zero"),  # of which shares have no digits left
        ({"sample_weight": [2**53, 1, 1, 1]}, r"2\*\*53"),
        ({"sample_weight": [1e308] * 4}, r"sums to inf"),
        ({"sample_weight": [1e-300] * 4}, r"sums to 4e-300, too near to zero"),
        ({"sample_weight": ["a"] * 4}, "must be numbers"),
        ({"class_weight": "equal"}, "balanced"),
        ({"class_weight": [1, 2]}, "give a dict"),
        ({"class_weight": {2: 1.0}}, "names the label 2"),
        ({"class_weight": {0: -1.0}}, "negative"),
        ({"class_weight": {0: None}}, "number of at least 0"),
        ({"class_weight": {0: 0, 1: 0}}, "zero in every row"),
        ({"class_weight": "balanced", "objective": "balanced_accuracy"}, "cannot be combined"),
        ({"objective": "auc"}, "accuracy, balanced_accuracy"),
        ({"costs": [[0, 1]]}, r"shape \(1, 2\), expected \(2, 2\)"),
        ({"costs": [[0, -1], [1, 0]]}, "at least 0"),
        ({"costs": [[0, np.nan], [1, 0]]}, "finite"),
        ({"costs": [[0, 0], [0, 0]]}, "all zero"),
        ({"costs": [[2, 1], [1, 0]]}, "would cost less than the right one"),
        ({"costs": [[0, "x"], [1, 0]]}, "matrix of numbers"),
        ({"costs": [[0, 2.0**53], [1, 0]]}, r"2\*\*53"),
        ({"cost_complexity": -0.1}, "from 0 to 1"),
        ({"cost_complexity": 5}, "from 0 to 1"),
        ({"cost_complexity": np.nan}, "from 0 to 1"),
        ({"cost_complexity": True}, "from 0 to 1"),
        ({"cost_complexity": "0.1"}, "from 0 to 1"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"max_depth": 2.0}, "max_depth=2.0"),
        ({"max_depth": True}, "max_depth=True"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes=0"),
        ({"min_samples_leaf": 0}, "at least 1"),
        ({"min_samples_leaf": 5}, "above the 4 rows"),
        ({"min_samples_leaf": 1.0}, "strictly between"),
        ({"min_samples_leaf": 0.0}, "strictly between"),
        ({"min_samples_leaf": True}, "at least 1"),
        ({"min_samples_leaf": "2"}, "at least 1"),
    ],
)
def test_bad_arguments(options, words):
    with pytest.raises(InputError, match=words):
        make_problem(TABLE, Y, **options)


def test_limits_are_taken_over():
    problem = make_problem(
        TABLE, Y, max_depth=np.int64(0), max_leaf_nodes=1, min_samples_leaf=0.3, cost_complexity=0
    )
    assert (problem.max_depth, problem.max_leaf_nodes, problem.min_samples_leaf) == (0, 1, 2)
    assert problem.cost_complexity == 0.0


def test_class_weight():
    problem = make_problem(TABLE, Y, sample_weight=[1, 2, 3, 4], class_weight={0: 10})
    assert problem.sample_weight.tolist() == [10, 2, 3, 4]
    text = make_problem(TABLE, ["a", "b", "b", "b"], class_weight={"b": 0.5})
    assert text.sample_weight.tolist() == [1, 0.5, 0.5, 0.5]


def test_decimals_times_decimals_are_decimals():
    """In floating point .1 times 3 is .30000000000000004, and .7 times 1.1 is .7700000000000001."""
    problem = make_problem(TABLE, Y, sample_weight=[0.1, 0.7, 0.3, 2], class_weight={0: 3, 1: 1.1})
    assert problem.sample_weight.tolist() == [0.3, 0.77, 0.33, 2.2]


def test_balanced_decimals_are_balanced_as_whole_numbers():
    problem = make_problem(TABLE, Y, sample_weight=[0.6, 0.2, 0.4, 0.6], class_weight="balanced")
    assert problem.sample_weight.tolist() == [6, 1, 2, 3]


def test_costs_with_a_price_for_the_right_answer():
    assert make_problem(TABLE, Y, costs=[[1, 5], [3, 1]]).costs.tolist() == [[1, 5], [3, 1]]


@pytest.mark.parametrize("values", [(1 / 3, 2 / 3, 1), (1 / 3, 0.1, 1), (1 / 7, 2 / 7, 1)], ids=str)
def test_balanced_fractions_are_balanced_as_whole_numbers(values):
    """Thirds were balanced in floating point, whose sums depend on the order of the rows."""
    rng = np.random.default_rng(0)
    weight, y = rng.choice(values, 24), np.arange(24) % 3
    table = table_from(np.arange(24.0)[:, None])
    balanced = make_problem(table, y, sample_weight=weight, class_weight="balanced").sample_weight
    assert (balanced == np.floor(balanced)).all()
    assert len(set(np.bincount(y, balanced))) == 1
    np.testing.assert_allclose(balanced[::3] / balanced[0], weight[::3] / weight[0])


@pytest.mark.parametrize("scale", [1.0, 1e8, 1e-200])
def test_balanced_real_weights_do_not_depend_on_the_order_of_the_rows(scale):
    rng = np.random.default_rng(1)
    weight, y, order = rng.random(50) * scale, np.arange(50) % 3, rng.permutation(50)
    table = table_from(np.arange(50.0)[:, None])
    found = [
        make_problem(table, y[rows], sample_weight=weight[rows], class_weight="balanced").sample_weight[
            np.argsort(rows)
        ]
        for rows in (np.arange(50), order)
    ]
    assert np.array_equal(*found)


def test_balanced_weights_of_whole_weights_are_whole_and_small():
    assert make_problem(TABLE, Y, objective="balanced_accuracy").sample_weight.tolist() == [3, 1, 1, 1]
    same = make_problem(TABLE, Y, class_weight="balanced")
    assert same.sample_weight.tolist() == [3, 1, 1, 1]
    scaled = make_problem(TABLE, [0, 0, 1, 1], sample_weight=[2, 4, 5, 5], objective="balanced_accuracy")
    assert scaled.sample_weight.tolist() == [10, 20, 15, 15]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.one_of(st.integers(0, 6), st.floats(0.01, 5)), st.integers(0, 2)),
        min_size=1,
    ).filter(lambda rows: any(weight > 0 for _, weight, _ in rows))
)
def test_weighted_error_is_one_minus_balanced_accuracy(rows):
    y, weight, guess = (np.array(column) for column in zip(*rows, strict=True))
    table = table_from(np.arange(len(y), dtype=float)[:, None])
    problem = make_problem(table, y, sample_weight=weight, objective="balanced_accuracy")
    kept = weight > 0
    loss = problem.sample_weight[y[kept] != guess[kept]].sum() / problem.total_weight
    recalls = [
        weight[(y == c) & (guess == c)].sum() / weight[y == c].sum() for c in range(3) if weight[y == c].sum()
    ]
    assert loss == pytest.approx(1 - np.mean(recalls), abs=1e-12)
    if (weight == np.floor(weight)).all():
        assert (problem.sample_weight == np.floor(problem.sample_weight)).all()


def test_balanced_weights_fall_back_to_fractions_where_whole_ones_would_be_too_large():
    primes = [1000003, 1000033, 1000037]
    table = table_from(np.arange(3.0)[:, None])
    problem = make_problem(table, [0, 1, 2], sample_weight=primes, objective="balanced_accuracy")
    np.testing.assert_allclose(problem.sample_weight, sum(primes) / 3)


def test_rows_of_weight_zero_are_as_if_they_were_not_there():
    table = table_from([[1, "a"], [7, None], [2, "b"], [None, "c"], [4, "a"]])
    y = [0, 2, 1, 1, 0]
    weight = [1, 0, 2, 0, 1]
    problem = make_problem(table, y, sample_weight=weight, min_samples_leaf=0.5)
    alone = make_problem(table_from([[1, "a"], [2, "b"], [4, "a"]]), [0, 1, 0], sample_weight=[1, 2, 1])
    ours, theirs = midpoints(problem.table), midpoints(alone.table)
    assert ours.splits == theirs.splits
    np.testing.assert_array_equal(ours.goes_right, theirs.goes_right)
    assert problem.sample_weight.tolist() == [1, 2, 1]
    assert problem.y.tolist() == [0, 1, 0]
    assert problem.classes.tolist() == [0, 1, 2]  # every label that was passed
    assert problem.min_samples_leaf == 2  # half of three rows, rounded up
    assert problem.notes == ("2 of 5 rows have weight zero and were left out.",)


def test_arrays_of_the_problem_are_frozen_and_not_those_of_the_caller():
    weight = np.ones(4)
    problem = make_problem(TABLE, Y, sample_weight=weight)
    weight[0] = 5
    assert problem.sample_weight[0] == 1
    for array in (problem.y, problem.sample_weight, problem.costs):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"sample_weight": np.ma.array([1.0, 2, 3, 4], mask=[0, 1, 0, 0])},
            "sample_weight is a masked array",
        ),
        ({"sample_weight": np.array([1, 2 + 1j, 3, 4])}, "sample_weight holds complex numbers"),
        ({"costs": np.array([[0, 1j], [1, 0]])}, "costs holds complex numbers"),
        ({"costs": np.ma.array([[0, 1], [1, 0]], mask=[[0, 1], [0, 0]])}, "costs is a masked array"),
        ({"costs": [[0, 5e-324], [5e-324, 0]]}, "multiply all costs"),
        ({"y": np.ma.array([0, 1, 0, 1], mask=[0, 1, 0, 0])}, "masked"),
    ],
    ids=str,
)
def test_what_would_lose_a_part_is_refused(arguments: dict[str, object], words: str) -> None:
    y = arguments.pop("y", [0, 1, 0, 1])
    with pytest.raises(InputError, match=words):
        make_problem(table_from([[1.0], [2.0], [3.0], [4.0]]), y, **arguments)  # type: ignore[arg-type]


def test_an_array_without_masked_values_is_an_array() -> None:
    weight = np.ma.array([1.0, 2, 3, 4])
    problem = make_problem(table_from([[1.0], [2.0], [3.0], [4.0]]), [0, 1, 0, 1], sample_weight=weight)
    assert problem.sample_weight.tolist() == [1, 2, 3, 4]


def test_masked_cells_are_refused() -> None:
    with pytest.raises(InputError, match="masked array"):
        table_from(np.ma.array([[1.0], [2.0]], mask=[[True], [False]]))


def test_as_many_classes_as_rows() -> None:
    table = table_from(np.arange(70_000)[:, None])
    with pytest.raises(InputError, match=r"70,000 different labels .* cut it into a few ranges"):
        make_problem(table, np.arange(70_000))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("n", [1, 5, 400])
def test_whole_labels_are_numbered_as_by_a_sort(dtype: str, n: int) -> None:
    rng = np.random.default_rng(n)
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    ends = np.array([least, most], dtype=dtype)
    narrow = (rng.integers(0, 7, n)).astype(dtype)
    for labels in (
        rng.choice(ends, n),  # too far apart to be counted, but for eight bits
        ends[0] + narrow,
        ends[1] - narrow,
        rng.integers(least, most, n, dtype=dtype, endpoint=True),
    ):
        classes, index = encode_labels(labels)
        by_sort = np.unique(labels, return_inverse=True)
        assert classes.dtype == labels.dtype
        assert index.dtype == np.int32
        assert classes.tolist() == by_sort[0].tolist()
        assert index.tolist() == by_sort[1].tolist()
