"""Any container gives the same table; what cannot be read exactly is refused with the column's name."""

import datetime
import decimal
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright import OptimalTreeClassifier
from treewright.errors import InputError, InputTypeError
from treewright.table import encode_like, table_from
from treewright.tree import ColumnKind

CONTINUOUS, BINARY, CATEGORICAL = ColumnKind.CONTINUOUS, ColumnKind.BINARY, ColumnKind.CATEGORICAL
ROWS = [[1.5, 3, True, "red", 1], [2.0, -4, False, "blue", 0], [None, 7, True, "red", 1]]
NAMES = ["size", "count", "flag", "colour", "zero_one"]


def same(a, b):
    assert a.columns == b.columns
    np.testing.assert_array_equal(a.X, b.X)


def test_kinds_values_and_layout():
    table = table_from(ROWS, feature_names=NAMES)
    assert [c.kind for c in table.columns] == [CONTINUOUS, CONTINUOUS, BINARY, CATEGORICAL, BINARY]
    assert table.names == tuple(NAMES)
    assert table.columns[3].categories == ("blue", "red")
    assert table.columns[2].categories == ("false", "true")
    assert table.columns[4].categories == ()
    assert [c.has_missing for c in table.columns] == [True, False, False, False, False]
    expected = [[1.5, 3, 1, 1, 1], [2, -4, 0, 0, 0], [np.nan, 7, 1, 1, 1]]
    np.testing.assert_array_equal(table.X, expected)
    assert table.X.flags.f_contiguous
    assert table.X.dtype == np.float64
    assert table.notes == ()


def test_every_container_gives_the_same_table():
    expected = table_from(ROWS, feature_names=NAMES)
    columns = {name: [row[j] for row in ROWS] for j, name in enumerate(NAMES)}
    same(table_from(np.array(ROWS, dtype=object), feature_names=NAMES), expected)
    same(table_from(pd.DataFrame(columns)), expected)
    same(table_from(pd.DataFrame(columns).convert_dtypes()), expected)
    same(table_from(pl.DataFrame(columns)), expected)
    same(table_from(pl.DataFrame(columns).with_columns(pl.col("colour").cast(pl.Categorical))), expected)
    same(table_from(pd.DataFrame(columns).astype({"colour": "category"})), expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i4", "i8", "u1", "u8", "f8 fortran"])
def test_numeric_arrays_keep_their_values(dtype):
    X = np.array([[3, 1], [2, 0], [5, 1]], dtype=dtype.split()[0], order="F" if "fortran" in dtype else "C")
    table = table_from(X)
    np.testing.assert_array_equal(table.X, X)
    assert table.names == ("x0", "x1")
    assert [c.kind for c in table.columns] == [CONTINUOUS, BINARY]
    X[0, 0] = 9  # the table is a copy
    assert table.X[0, 0] == 3


def test_bool_array_and_bool_list_are_binary():
    for X in (np.array([[True], [True]]), [[True], [True]], pd.DataFrame({"x0": [True, True]})):
        column = table_from(X).columns[0]
        assert (column.kind, column.categories) == (BINARY, ("false", "true"))


def test_binary_needs_both_values_and_no_third():
    X = np.zeros((1000, 4))
    X[0, 1:] = 1
    X[999, 2] = 0.5
    X[5, 3] = np.nan
    assert [c.kind for c in table_from(X).columns] == [CONTINUOUS, BINARY, CONTINUOUS, BINARY]


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), pd.NA])
def test_missing_markers(missing):
    numbers = table_from(np.array([[1], [missing], [3]], dtype=object))
    words = table_from(np.array([["b"], [missing], ["a"]], dtype=object))
    np.testing.assert_array_equal(numbers.X[:, 0], [1, np.nan, 3])
    np.testing.assert_array_equal(words.X[:, 0], [1, np.nan, 0])
    assert numbers.columns[0].has_missing
    assert words.columns[0].has_missing


def test_nullable_integers_and_booleans():
    frame = pd.DataFrame(
        {"i": pd.array([1, None, 5], "Int64"), "b": pd.array([True, None, False], "boolean")}
    )
    table = table_from(frame)
    np.testing.assert_array_equal(table.X, [[1, 1], [np.nan, np.nan], [5, 0]])
    assert [c.kind for c in table.columns] == [CONTINUOUS, BINARY]
    same(
        table_from(pl.from_dicts([{"i": 1, "b": True}, {"i": None, "b": None}, {"i": 5, "b": False}])), table
    )


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean", "string", "object", "category"])
def test_a_column_of_any_type_may_be_all_missing(dtype):
    table = table_from(pd.DataFrame({"a": pd.array([None, None], dtype)}))
    assert np.isnan(table.X).all()
    assert "'a' has no known value" in table.notes[0]


def test_declared_categories_take_the_names_of_their_numbers():
    table = table_from(np.array([[3.0, 1.5], [20.0, 2.5]]), categorical_features=[0])
    assert table.columns[0].categories == ("20", "3")
    np.testing.assert_array_equal(table.X[:, 0], [1, 0])
    assert table.notes == ()
    by_name = table_from(pd.DataFrame({"a": [3, 20]}), categorical_features=["a"])
    assert by_name.columns[0].categories == ("20", "3")
    assert table_from(pd.DataFrame({"a": pd.Categorical([3, 20])})).columns[0].categories == ("20", "3")


def test_notes_on_what_is_not_as_it_seems():
    table = table_from(np.array([["1", None], ["2", None]], dtype=object))
    assert len(table.notes) == 2
    assert "'x0' is text that could be read as numbers" in table.notes[0]
    assert "'x1' has no known value" in table.notes[1]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.empty((0, 2)), "0 sample"),
        (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame(), "0 feature"),
        (pl.DataFrame({"a": []}), "0 sample"),
        ([], "Reshape your data"),
        (np.arange(3), "Reshape your data"),
        (np.zeros((2, 2, 2)), "Reshape your data"),
        ([[1, 2], [3]], "differ in length"),
        (np.array([[1.0, np.inf]]), "'x1' contains infinity"),
        ([[1.0], [float("-inf")]], "infinity"),
        (np.array([[2**53 + 1]]), "9007199254740993"),
        (np.array([[2**64 - 1]], dtype=np.uint64), "18446744073709551615"),
        ([[10**400]], r"10\*\*400"),
        ([[2**60 + 1], [None]], str(2**60 + 1)),
        (pl.DataFrame({"a": [2**60 + 1, None]}), str(2**60 + 1)),
        (pl.DataFrame({"a": [-(2**70)]}, schema={"a": pl.Int128}), str(2**70)),
        ([[1], ["a"]], "'x0' mixes numbers .such as 1. and text .such as 'a'"),
        ([[True], ["a"]], "mixes"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Duplicate column names: 'a'"),
        (np.array([[1j]]), "Complex data not supported"),
        ([[1j]], "Complex data not supported"),
        (scipy.sparse.csr_matrix(np.eye(2)), "sparse"),
        (pd.DataFrame({"d": pd.to_datetime(["2020-01-01"])}), "'d' holds dates"),
        (pl.DataFrame({"d": [datetime.date(2020, 1, 1)]}), "'d' holds dates"),
        ([[datetime.date(2020, 1, 1)]], "dates"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), "dates"),
        (pl.LazyFrame({"a": [1]}), "collect"),
    ],
)
def test_refused_with_a_reason(X, words):
    with pytest.raises(InputError, match=words):
        table_from(X)


@pytest.mark.parametrize("cell", [{"a": 1}, [1, 2], b"x", object()])
def test_cells_of_other_types_are_type_errors(cell):
    X = np.empty((2, 1), dtype=object)
    X[0, 0], X[1, 0] = 1.0, cell
    with pytest.raises(TypeError, match="argument must be a string or a number") as caught:
        table_from(X)
    assert isinstance(caught.value, InputTypeError)


def test_names_are_checked():
    with pytest.raises(InputError, match="3 names for 2 columns"):
        table_from(np.ones((2, 2)), feature_names=["a", "b", "c"])
    with pytest.raises(InputError, match="Duplicate"):
        table_from(np.ones((2, 2)), feature_names=["a", "a"])
    with pytest.raises(InputError, match="categorical_features names 'z'"):
        table_from(np.ones((2, 2)), categorical_features=["z"])
    with pytest.raises(InputError, match="positions 0 to 1"):
        table_from(np.ones((2, 2)), categorical_features=[2])


def test_decimals_and_largest_exact_integers_pass():
    table = table_from([[decimal.Decimal("1.25"), 2**53], [decimal.Decimal("2"), -(2**53)]])
    np.testing.assert_array_equal(table.X, [[1.25, 2.0**53], [2, -(2.0**53)]])


def test_take_finds_missing_again_and_keeps_the_encoding():
    table = table_from(np.array([[1, "b"], [None, "c"], [3, "c"]], dtype=object))
    part = table.take(np.array([2, 0]))
    np.testing.assert_array_equal(part.X, [[3, 1], [1, 0]])
    assert not part.columns[0].has_missing
    assert part.columns[1].categories == ("b", "c")


class TestEncodeLike:
    table = table_from(pd.DataFrame({"n": [1.0, 2.5], "c": ["a", "b"], "f": [True, False]}))

    def test_round_trip(self):
        frame = pd.DataFrame({"n": [1.0, 2.5], "c": ["a", "b"], "f": [True, False]})
        np.testing.assert_array_equal(encode_like(frame, self.table.columns), self.table.X)

    def test_other_rows_and_missing_values_where_there_were_none(self):
        X = encode_like(np.array([[7, "b", None], [None, None, 1]], dtype=object), self.table.columns)
        np.testing.assert_array_equal(X, [[7, 1, np.nan], [np.nan, np.nan, 1]])
        assert X.flags.f_contiguous

    def test_fewer_columns(self):
        with pytest.raises(InputError, match="X has 2 features, but Oak is expecting 3 features") as caught:
            encode_like(pd.DataFrame({"n": [1], "f": [True]}), self.table.columns, expected_by="Oak")
        assert "Missing: 'c'" in str(caught.value)

    def test_reordered_columns(self):
        frame = pd.DataFrame({"c": ["a"], "n": [1], "f": [True]})
        with pytest.raises(InputError, match="another order"):
            encode_like(frame, self.table.columns)
        encode_like(frame[["n", "c", "f"]], self.table.columns)

    def test_renamed_column_names_both(self):
        with pytest.raises(InputError, match="is 'm', expected 'n'"):
            encode_like(pd.DataFrame({"m": [1], "c": ["a"], "f": [True]}), self.table.columns)

    def test_unseen_category(self):
        with pytest.raises(InputError, match="'c' holds categories that the tree has never seen: 'z'"):
            encode_like([[1, "z", True], [1, "a", True]], self.table.columns)

    def test_text_where_numbers_were(self):
        with pytest.raises(InputError, match="'n' held numbers"):
            encode_like([["many", "a", True]], self.table.columns)

    def test_numbers_as_categories_and_a_column_that_is_all_missing(self):
        columns = table_from([["3"], ["7"]]).columns
        np.testing.assert_array_equal(encode_like([[7], [3.0]], columns)[:, 0], [1, 0])
        np.testing.assert_array_equal(encode_like([[None], [None]], columns)[:, 0], [np.nan, np.nan])
        numbers = table_from([[3.5], [7.5]]).columns
        np.testing.assert_array_equal(encode_like([[None], [None]], numbers)[:, 0], [np.nan, np.nan])


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=20))
def test_words_are_decoded_by_their_column(cells):
    table = table_from([[cell] for cell in cells])
    column = table.columns[0]
    decoded = [None if np.isnan(code) else column.categories[int(code)] for code in table.X[:, 0]]
    assert decoded == cells
    assert list(column.categories) == sorted({cell for cell in cells if cell is not None})


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.floats(allow_infinity=False), st.integers(-(2**53), 2**53)), min_size=1)
)
def test_numbers_survive_exactly(cells):
    X = table_from([[cell] for cell in cells]).X[:, 0]
    for cell, x in zip(cells, X, strict=True):
        assert np.isnan(x) if cell is None or cell != cell else x == cell


class TestOnlyWhatTheTreeAsks:
    """A column that no split asks about may hold what it never held; it has to be there, by scikit-learn's rules."""

    X = pd.DataFrame({"asked": range(20), "text": ["a", "b"] * 10, "number": [1.0, 2.0] * 10})
    y = np.arange(20) > 9

    @pytest.mark.parametrize("new", [{"text": "never seen"}, {"number": "many"}, {"text": None}])
    def test_new_values_elsewhere_are_no_error(self, new):
        model = OptimalTreeClassifier(max_depth=1).fit(self.X, self.y)
        assert model.tree_.asked == {0}
        other = self.X.assign(**new)
        np.testing.assert_array_equal(model.predict(other), self.y)
        np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(self.X))

    def test_where_the_tree_asks_they_are(self):
        model = OptimalTreeClassifier(max_depth=1).fit(self.X[["text", "number"]], self.X["text"] == "a")
        (asked,) = model.tree_.asked
        with pytest.raises(InputError, match=r"never seen|held numbers"):
            model.predict(self.X[["text", "number"]].assign(**{model.tree_.columns[asked].name: "new"}))

    def test_all_columns_have_to_be_there(self):
        model = OptimalTreeClassifier(max_depth=1).fit(self.X, self.y)
        with pytest.raises(ValueError, match="feature names"):
            model.predict(self.X[["asked"]])


def test_all_columns_that_cannot_be_read_are_named_at_once():
    dates = pd.to_datetime(["2020-01-01", "2021-01-01"])
    with pytest.raises(InputError, match=r"(?s)2 columns .*'mixed' mixes.*'day' holds dates") as both:
        table_from(pd.DataFrame({"x": [1.0, 2.0], "mixed": [1, "a"], "day": dates}))
    assert not isinstance(both.value, TypeError)
    with pytest.raises(InputError, match=r"text \(such as 'n/a', '-'\)"):  # each once
        table_from(pd.DataFrame({"mixed": [1, "n/a", "n/a", "-"]}))
    with pytest.raises(InputTypeError, match=r"(?s)2 columns"):
        table_from(pd.DataFrame({"x": [{}, {}], "day": dates}))


def test_the_advice_on_infinity_runs_on_arrays_and_frames() -> None:
    import numpy
    import pandas

    for X in (
        numpy.array([[1.0, numpy.inf], [2.0, 3.0]]),
        pandas.DataFrame({"a": [1.0, numpy.inf], "b": [2.0, 3.0]}),
    ):
        with pytest.raises(InputError, match=r"infinity \(1 row, ") as error:
            table_from(X)
        of_frame, of_array = re.findall(r"(X = [^ ]+\(.*?numpy\.nan(?:, X)?\))", str(error.value))
        scope = {"X": X, "numpy": numpy}
        exec(of_array if isinstance(X, numpy.ndarray) else of_frame, scope)
        assert numpy.isnan(table_from(scope["X"]).X).sum() == 1


def test_a_header_below_merged_titles_is_named() -> None:
    """What pandas reads of such a sheet without header=1; text further down is another fault."""
    frame = pd.DataFrame(
        {"Customer": ["Age", 34, 51], "Unnamed: 1": ["Income", 1800, 2500], "Loan": ["Result", "good", "bad"]}
    )
    with pytest.raises(InputError, match="2 columns cannot be read") as caught:
        table_from(frame)
    assert "first cell, 'Age': the first row seems to be the header" in str(caught.value)
    assert "pandas.read_excel(path, header=1)" in str(caught.value)
    with pytest.raises(InputError, match="mixes numbers"):
        table_from(pd.DataFrame({"age": [34, "none", 51]}))


def test_the_advice_on_ranges_of_pandas_cut_keeps_their_order() -> None:
    X = pd.DataFrame({"age": pd.cut([12, 35, 71, 68, np.nan], [0, 18, 65, 99])})
    with pytest.raises(InputError, match=r"'Interval'.* pandas\.cut makes such columns") as error:
        table_from(X)
    exec(re.search(r"X\['age'\] = .*?\(str\)", str(error.value)).group(), {"X": X})
    table = table_from(X)
    assert table.columns[0].ordered
    assert table.columns[0].categories == ("(0, 18]", "(18, 65]", "(65, 99]")
    assert table.X[:4, 0].tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize(
    ("X", "advice"),
    [
        ([{"age": 20}, {"age": 40}], r"is a list of dicts\. Make it a frame, such as pandas\.DataFrame\(X\)"),
        (pd.Series([20, 40]), r"is a Series, a single column\. Make it a table: X\.to_frame\(\)"),
        (pl.Series([20, 40]), r"X\.to_frame\(\)"),
        (scipy.sparse.csr_array(np.eye(2)), r"OneHotEncoder\(sparse_output=False\)"),
    ],
)
def test_other_containers_are_refused_with_the_call_that_makes_a_table(X, advice):
    """Their advice was to call `reshape`, which they do not have."""
    with pytest.raises(InputError, match=advice):
        table_from(X)


@pytest.mark.parametrize(("values", "kind"), [([1, 2], pl.Duration), ([7200000000000, 0], pl.Time)])
def test_the_advice_on_durations_and_times_of_polars_works(values, kind):
    """It was a call of pandas, which assigns a column as polars cannot."""
    X = pl.DataFrame({"t": pl.Series(values).cast(kind)})
    with pytest.raises(InputError) as told:
        table_from(X)
    call = str(told.value).split(": ")[1].removesuffix(".")
    known = {"X": X, "polars": pl}
    exec(call, known)
    assert table_from(known["X"]).X.shape == (2, 1)
