"""Trees as Python, C and SQL decide as the tree does, whatever the names, on every edge."""

from __future__ import annotations

import ctypes
import math
import shutil
import sqlite3
import subprocess
import uuid
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from exchange_trees import HOSTILE, as_values, cases, plain_rows, with_infinities, with_lines, with_unseen
from made_trees import make_tree
from treewright.convert import to_c, to_python, to_sql
from treewright.errors import InputError
from treewright.tree import Column, ColumnKind, ThresholdSplit, Tree, grow

CC = shutil.which("cc") or shutil.which("gcc")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wtrigraphs"]
needs_c = pytest.mark.skipif(CC is None, reason="there is no C compiler")


def chain(depth: int, n_columns: int = 3) -> Tree:
    """A tree of one long branch, whose leaves differ."""
    splits: list[ThresholdSplit | None] = []
    for k in range(depth):
        splits += [ThresholdSplit(k % n_columns, float(k), k % 2 == 0), None]
    splits.append(None)
    X = np.random.default_rng(0).uniform(-1, depth, (100, n_columns))
    y = np.random.default_rng(1).integers(0, 3, 100).astype(np.int32)
    known = tuple(Column(f"x{j}", ColumnKind.CONTINUOUS) for j in range(n_columns))
    return grow(known, np.array([0, 1, 2]), splits, X, y, np.ones(100), 1.0 - np.eye(3))


def regression(tree: Tree, seed: int = 0) -> Tree:
    """The same splits with a number in each node."""
    value = np.random.default_rng(seed).normal(size=(tree.node_count, 1))
    return replace(tree, classes=None, value=value)


# ---------------------------------------------------------------------------------------------- Python


def python_answers(tree: Tree, rows):
    code: dict[str, object] = {}
    exec(compile(to_python(tree), "tree.py", "exec"), code)
    return [code["predict"](row) for row in rows]


@given(cases(), st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_python_decides_as_the_tree(case, seed):
    rng = np.random.default_rng(seed)
    X = with_unseen(rng, with_infinities(rng, case.X))
    with np.errstate(invalid="ignore"):  # inf - inf in a linear split
        expected = case.tree.predict(X).tolist()
    rows = as_values(case.tree, X)
    assert python_answers(case.tree, rows) == expected
    for row in rows:  # NaN is missing as well as None
        row.update({name: math.nan for name, value in row.items() if value is None and seed % 2})
    assert python_answers(case.tree, rows) == expected


def test_python_of_deep_trees_of_one_leaf_and_of_regression():
    tree = chain(300)
    X = np.random.default_rng(2).uniform(-5, 305, (300, 3))
    assert python_answers(tree, as_values(tree, X)) == tree.predict(X).tolist()
    leaf = make_tree(0, 1).tree
    assert python_answers(leaf, [{}]) == leaf.predict(np.zeros((1, 6))).tolist()
    made = make_tree(4, 12)
    number = regression(made.tree)
    assert python_answers(number, as_values(number, made.X)) == number.predict(made.X).tolist()


@pytest.mark.parametrize("name", ["", "1x", "a b", "class", "_known", "x;import os", "é", "min"])
def test_python_names_are_checked(name):
    with pytest.raises(InputError, match="cannot name a Python function"):
        to_python(make_tree(0, 2).tree, name=name)


def test_labels_that_no_source_can_hold():
    tree = replace(make_tree(0, 2, n_classes=2).tree, classes=np.array([b"a", b"b"], dtype=object))
    for write in (to_python, to_c, to_sql):
        with pytest.raises(InputError, match="b'a' is a bytes"):
            write(tree)


@given(cases(), st.integers(0, 2**32 - 1), st.integers(1, 2))
@settings(max_examples=60)
def test_python_of_lines_in_leaves(case, seed, n_outputs):
    tree = with_lines(case.tree, seed, n_outputs)
    X = with_unseen(np.random.default_rng(seed), case.X)
    np.testing.assert_array_equal(python_answers(tree, as_values(tree, X)), tree.predict(X))


# --------------------------------------------------------------------------------------------------- C


def compiled(folder: Path, *trees: Tree) -> ctypes.CDLL:
    """A library of the functions tree0, tree1, ... and their tables of names."""
    source = folder / f"trees-{uuid.uuid4().hex}.c"  # a library is loaded once a path
    code = "\n".join(to_c(tree, name=f"tree{k}") for k, tree in enumerate(trees))
    source.write_text(code, encoding="ascii")
    library = source.with_suffix(".so")
    command = [CC, *FLAGS, "-O1", "-shared", "-fPIC", "-o", library, source]
    build = subprocess.run(command, capture_output=True, text=True, check=False)
    assert build.returncode == 0, build.stderr + code
    return ctypes.CDLL(str(library))


def c_answers(tree: Tree, library: ctypes.CDLL, X, k: int = 0):
    call = library[f"tree{k}"]
    call.restype = ctypes.c_double if tree.classes is None else ctypes.c_int
    call.argtypes = [ctypes.POINTER(ctypes.c_double)]
    rows = np.ascontiguousarray(X)
    answers = [call(row.ctypes.data_as(ctypes.POINTER(ctypes.c_double))) for row in rows]
    return answers if tree.classes is None else tree.classes[answers].tolist()


@needs_c
@given(st.lists(cases(), min_size=10, max_size=10), st.integers(0, 2**32 - 1))
@settings(max_examples=4, phases=[Phase.generate])  # a compiler run each: nothing is shrunk
def test_c_decides_as_the_tree(tmp_path_factory, many, seed):
    rng = np.random.default_rng(seed)
    library = compiled(tmp_path_factory.mktemp("c"), *(case.tree for case in many))
    for k, case in enumerate(many):
        X = with_unseen(rng, with_infinities(rng, case.X))
        with np.errstate(invalid="ignore"):
            assert c_answers(case.tree, library, X, k) == case.tree.predict(X).tolist()


@needs_c
@given(st.lists(cases(), min_size=10, max_size=10), st.integers(0, 2**32 - 1))
@settings(max_examples=3, phases=[Phase.generate])
def test_c_of_lines_in_leaves(tmp_path_factory, many, seed):
    trees = [with_lines(case.tree, seed + k) for k, case in enumerate(many)]
    library = compiled(tmp_path_factory.mktemp("c"), *trees)
    for k, (tree, case) in enumerate(zip(trees, many, strict=True)):
        np.testing.assert_array_equal(c_answers(tree, library, case.X, k), tree.predict(case.X))


@needs_c
def test_c_tables_hold_the_names(tmp_path):
    case = make_tree(3, 9)
    known = tuple(
        replace(column, name=name) for column, name in zip(case.tree.columns, HOSTILE, strict=False)
    )
    tree = replace(case.tree, columns=known, classes=np.array(["a'b", 'c"d\\??/', "e\nf"]))
    library = compiled(tmp_path, tree)
    names = (ctypes.c_char_p * 6).in_dll(library, "tree0_columns")
    assert [name.decode("utf-8") for name in names] == list(HOSTILE[:6])
    labels = (ctypes.c_char_p * 3).in_dll(library, "tree0_classes")
    assert [label.decode("utf-8") for label in labels] == ["a'b", 'c"d\\??/', "e\nf"]
    colours = (ctypes.c_char_p * 4).in_dll(library, "tree0_categories_4")
    assert [colour.decode("utf-8") for colour in colours] == list(known[4].categories)


@needs_c
def test_c_of_deep_trees_of_one_leaf_and_of_regression(tmp_path):
    tree = chain(300)
    X = np.random.default_rng(2).uniform(-5, 305, (300, 3))
    assert c_answers(tree, compiled(tmp_path, tree), X) == tree.predict(X).tolist()
    leaf = make_tree(0, 1).tree
    assert (
        c_answers(leaf, compiled(tmp_path, leaf), np.zeros((1, 6))) == leaf.predict(np.zeros((1, 6))).tolist()
    )
    made = make_tree(4, 12)
    number = regression(made.tree)
    assert c_answers(number, compiled(tmp_path, number), made.X) == number.predict(made.X).tolist()


@needs_c
def test_c_of_a_split_that_sends_everything_left(tmp_path):
    tree = replace(chain(1), splits=(ThresholdSplit(0, np.inf, missing_left=True), None, None))
    X = np.array([[np.nan] * 3, [5.0] * 3])
    assert c_answers(tree, compiled(tmp_path, tree), X) == tree.predict(X).tolist()


@needs_c
def test_c_refuses_options_that_drop_missing_values(tmp_path):
    source = tmp_path / "tree.c"
    source.write_text(to_c(make_tree(3, 4).tree))
    build = subprocess.run(
        [CC, "-ffast-math", "-c", source, "-o", tmp_path / "o"], capture_output=True, text=True, check=False
    )
    assert build.returncode != 0
    assert "missing values are NaN" in build.stderr


def test_c_is_also_cpp(tmp_path):
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    tree = make_tree(3, 9).tree
    source = tmp_path / "tree.cpp"
    source.write_text(to_c(tree))
    flags = [flag for flag in FLAGS if not flag.startswith("-std")]
    done = subprocess.run(
        [compiler, *flags, "-c", source, "-o", tmp_path / "o"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["int", "a-b", "", "2x", "_x", "x*/", "exp", "expf", "NAN"])
def test_c_names_are_checked(name):
    with pytest.raises(InputError, match="cannot name a C function"):
        to_c(make_tree(0, 2).tree, name=name)


# ------------------------------------------------------------------------------------------------- SQL


TABLE = 'it\'s "a" table'


def sql_type(column: Column, boolean: str) -> str:
    if column.kind is ColumnKind.CATEGORICAL:
        return "TEXT"
    return boolean if column.kind is ColumnKind.BINARY and column.categories else "DOUBLE PRECISION"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def filled(connection, tree: Tree, X, boolean: str = "BOOLEAN"):
    """The connection with a table of the rows, and a column of their numbers."""
    kinds = ", ".join(f"{quoted(c.name)} {sql_type(c, boolean)}" for c in tree.columns)
    connection.execute(f"DROP TABLE IF EXISTS {quoted(TABLE)}")
    connection.execute(f"CREATE TABLE {quoted(TABLE)} (number INTEGER, {kinds})")
    marks = ", ".join("?" * (len(tree.columns) + 1))
    rows = [(k, *row.values()) for k, row in enumerate(as_values(tree, X))]
    connection.executemany(f"INSERT INTO {quoted(TABLE)} VALUES ({marks})", rows)
    return connection


def sql_answers(connection, tree: Tree, **options):
    query = to_sql(tree, table=TABLE, output='the "answer"', **options)
    bare = to_sql(tree, **options)
    output = quoted('the "answer"')
    whole = connection.execute(f"SELECT {output} FROM ({query}) AS q ORDER BY number").fetchall()
    answers = [answer for (answer,) in whole]
    alone = connection.execute(f"SELECT {bare} FROM {quoted(TABLE)} ORDER BY number").fetchall()
    assert [answer for (answer,) in alone] == answers
    if tree.classes is not None and tree.classes.dtype == np.bool_:
        return [bool(answer) for answer in answers]
    return [
        float(answer) if tree.classes is None or tree.classes.dtype.kind == "f" else answer
        for answer in answers
    ]


@given(cases(), st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_sqlite_decides_as_the_tree(case, seed):
    X = with_unseen(np.random.default_rng(seed), case.X)
    with sqlite3.connect(":memory:") as connection:
        assert sql_answers(filled(connection, case.tree, X), case.tree) == case.tree.predict(X).tolist()
    connection.close()


@given(cases(), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_sqlite_of_lines_in_leaves(case, seed):
    tree = with_lines(case.tree, seed)
    with sqlite3.connect(":memory:") as connection:
        assert sql_answers(filled(connection, tree, case.X), tree) == tree.predict(case.X).tolist()
    connection.close()


@given(cases(), st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_duckdb_decides_as_the_tree(case, seed):
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(seed)
    X = with_unseen(rng, case.X[rng.permutation(len(case.X))[:25]])
    with duckdb.connect() as connection:
        assert sql_answers(filled(connection, case.tree, X), case.tree) == case.tree.predict(X).tolist()
        lined = with_lines(case.tree, seed)
        assert sql_answers(filled(connection, lined, X), lined) == lined.predict(X).tolist()
        nan = filled(connection, case.tree, X)
        for column in case.tree.columns[:2]:
            name = quoted(column.name)
            nan.execute(f"UPDATE {quoted(TABLE)} SET {name} = 'NaN' WHERE {name} IS NULL")
        assert sql_answers(nan, case.tree, nan_is_missing=True) == case.tree.predict(X).tolist()
        assert sql_answers(nan, lined, nan_is_missing=True) == lined.predict(X).tolist()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=20, max_size=20))
@example([17.560000000000002, 0.1, -1e22, 123456.789, 5e-324, 1.7976931348623157e308, 2.0**60, 1e15 + 0.3])
@settings(max_examples=20)
def test_numbers_are_read_back_exactly(numbers):
    duckdb = pytest.importorskip("duckdb")
    tree = chain(len(numbers) - 1, n_columns=1)
    value = np.zeros((tree.node_count, 1))
    value[tree.is_leaf, 0] = numbers
    number = replace(tree, classes=None, value=value)
    X = np.arange(len(numbers))[:, None] - 0.5  # one row per leaf
    assert number.predict(X).tolist() == numbers
    for connect in (sqlite3.connect, duckdb.connect):
        connection = connect(":memory:")
        assert sql_answers(filled(connection, number, X), number) == numbers
        connection.close()


def test_sql_of_deep_trees_of_one_leaf_and_of_regression():
    with sqlite3.connect(":memory:") as connection:
        tree = chain(300)
        X = np.random.default_rng(2).uniform(-5, 305, (300, 3))
        assert sql_answers(filled(connection, tree, X), tree) == tree.predict(X).tolist()
        leaf = make_tree(0, 1).tree
        X = plain_rows(np.random.default_rng(0), 3)
        assert sql_answers(filled(connection, leaf, X), leaf) == leaf.predict(X).tolist()
        made = make_tree(4, 12)
        number = regression(made.tree)
        assert sql_answers(filled(connection, number, made.X), number) == number.predict(made.X).tolist()
    connection.close()


def test_a_missing_column_is_an_error_not_a_text():
    tree = chain(2)
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (x0 REAL)")
        with pytest.raises(sqlite3.OperationalError, match="x1"):
            connection.execute(to_sql(tree, table="t"))
    connection.close()


@pytest.mark.parametrize("text", ["nul\0byte", "lone \ud800 surrogate"])
def test_sql_refuses_what_it_cannot_quote(text):
    tree = chain(1)
    named = replace(tree, columns=(replace(tree.columns[0], name=text), *tree.columns[1:]))
    with pytest.raises(InputError, match="cannot be written in SQL"):
        to_sql(named)
    with pytest.raises(InputError, match="cannot be written in SQL"):
        to_sql(tree, table=text)
