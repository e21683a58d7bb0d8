"""What must hold for `export`: what it writes says of each row what the model file says, however it is run.

Rows have gaps, words that no row of the table has, and numbers about the thresholds. A form that cannot express a tree
is refused, and so is refused by Python.
"""

from __future__ import annotations

import csv
import ctypes
import io
import re
import shutil
import sqlite3
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from attack.case import Value
from attack.checks import Mismatch
from attack.command_line.probe_file import Model, as_word
from attack.command_line.program import run
from attack.command_line.rule_text import NUMBER, Unclear, read_conditions
from attack.command_line.table_files import Files

__all__ = ["ENDINGS", "export_breaks"]

ENDINGS = {
    "sklearn": ".joblib",
    "onnx": ".onnx",
    "python": ".py",
    "c": ".c",
    "sql": ".sql",
    "rules": ".txt",
    "table": ".csv",
}
OF_PYTHON = re.compile(r"\bto_[a-z]+|\b[a-z_]+=['\"]")  # functions and arguments
# Of the largest number that is said: where terms are added in another order, and in single precision.
NEAR, NEAR_SINGLE = 1e-9, 1e-6
TINY = float(np.finfo(np.float32).tiny)  # smaller numbers are zero in single precision
Rows = Sequence[tuple[Value, ...]]


def export_breaks(model: Model, files: Files, asked: dict[str, Any]) -> Iterator[Mismatch]:
    """Export a model file in one form, run what was written, and compare its answers with the file."""
    form = asked["to"]
    out = files / f"exported{ENDINGS[form]}"
    words = ["export", str(model.path), *asked.get("more", [])]
    said = run([*words, f"--out={out}"])
    if said.crash or said.code not in (0, 2):
        yield Mismatch(f"export to {form} fails", f"{said.code} {said.last} {said.crash[-600:]}")
        return
    if said.code == 2:
        yield from _refused(model, form, out, said.last, "--float32" in words)
        return
    if form in ("python", "c", "sql", "rules"):
        shown = run([*words, f"--to={form}"])
        if shown.code or shown.output.rstrip("\n") != out.read_bytes().decode().rstrip("\n"):
            yield Mismatch(f"export shows another {form} than it writes", shown.output[-300:] + shown.last)
    rows, answers = _RUN[form](model, out)
    wanted = [model.answer(row) for row in rows]
    numbers = [abs(one) for one in np.ravel(wanted).tolist() if isinstance(one, float)]
    near = NEAR if form in ("onnx", "sklearn") else 0.0
    near = (NEAR_SINGLE if "--float32" in words else near) * max(numbers, default=0.0)
    near += TINY if "--float32" in words else 0.0
    for row, a, b in zip(rows, answers, wanted, strict=True):
        if not _same(a, b, near):
            yield Mismatch(f"{form} differs from the file", f"row {row}: {form} {a!r}, the file {b!r}")
            return


def _refused(model: Model, form: str, out: Path, words: str, single: bool) -> Iterator[Mismatch]:
    """A refusal is one of Python, in the words of the command line, and leaves no file."""
    from treewright.convert import load_model, to_c, to_onnx, to_python, to_sklearn_pipeline, to_sql
    from treewright.errors import InputError

    calls: dict[str, Callable[[Any], Any]] = {
        "python": to_python,
        "c": to_c,
        "sql": to_sql,
        "onnx": partial(to_onnx, precision="float32" if single else "float64"),
        "sklearn": to_sklearn_pipeline,
    }
    if OF_PYTHON.search(words):
        yield Mismatch("a refusal in the words of Python", words)
    try:
        calls.get(form, str)(load_model(model.path).tree)
        yield Mismatch(f"export to {form} is refused, though Python writes it", words)
    except InputError:
        if out.exists():
            yield Mismatch("a refused export left a file", words)


def _same(a: Any, b: Any, near: float) -> bool:
    if isinstance(b, list):
        return len(a) == len(b) and all(_same(x, y, near) for x, y in zip(a, b, strict=True))
    if isinstance(b, float):
        return bool(abs(float(a) - b) <= near)
    return bool(a == b and (isinstance(a, str) is isinstance(b, str)))


def _python(model: Model, out: Path) -> tuple[Rows, list[Any]]:
    names: dict[str, Any] = {}
    exec(compile(out.read_text("utf-8"), "tree.py", "exec"), names)
    said = [names["predict"](model.named(row)) for row in model.rows]
    return model.rows, [list(one) if isinstance(one, tuple) else one for one in said]


def _sql(model: Model, out: Path) -> tuple[Rows, list[Any]]:
    if len({column["name"].casefold() for column in model.columns}) < len(model.columns):
        return [], []  # these databases have no such table
    source = out.read_text("utf-8")
    rows = model.rows
    known = [tuple(model.named(row).values()) for row in rows]
    query = f"SELECT ({source.strip()}) FROM rows_of_probes ORDER BY place"
    if "FROM" in source.splitlines()[-1]:
        query = f"SELECT prediction FROM ({source.strip()}) ORDER BY place"
    answers = []
    for kinds, ask in ((("TEXT", "REAL"), _sqlite), (("VARCHAR", "DOUBLE"), _duckdb)):
        words = [kinds[0] if column["kind"] == "categorical" else kinds[1] for column in model.columns]
        names = ", ".join(
            '"' + column["name"].replace('"', '""') + f'" {kind}'
            for column, kind in zip(model.columns, words, strict=True)
        )
        answers.append(ask(names, known, query))
    if answers[0] != answers[1]:
        place = next(i for i, (a, b) in enumerate(zip(*answers, strict=True)) if a != b)
        return [rows[place]], [f"SQLite {answers[0][place]!r}, DuckDB {answers[1][place]!r}"]
    return rows, answers[0]


def _sqlite(names: str, rows: Sequence[tuple[Value, ...]], query: str) -> list[Any]:
    database = sqlite3.connect(":memory:")
    try:
        database.execute(f"CREATE TABLE rows_of_probes (place INTEGER, {names})")
        marks = ", ".join("?" * (1 + len(rows[0])))
        database.executemany(
            f"INSERT INTO rows_of_probes VALUES ({marks})", [(i, *row) for i, row in enumerate(rows)]
        )
        return [answer for (answer,) in database.execute(query)]
    finally:
        database.close()


@cache
def _database() -> Any:
    import duckdb

    return duckdb.connect()


def _duckdb(names: str, rows: Sequence[tuple[Value, ...]], query: str) -> list[Any]:
    database = _database()
    database.execute(f"CREATE OR REPLACE TABLE rows_of_probes (place INTEGER, {names})")
    marks = ", ".join("?" * (1 + len(rows[0])))
    database.executemany(
        f"INSERT INTO rows_of_probes VALUES ({marks})", [(i, *row) for i, row in enumerate(rows)]
    )
    return [answer for (answer,) in database.execute(query).fetchall()]


def _c(model: Model, out: Path) -> tuple[Rows, list[Any]]:
    compiler = shutil.which("cc")
    if compiler is None:
        return [], []
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "tree.so"
        strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
        subprocess.run(
            [compiler, "-O0", *strict, "-shared", "-fPIC", str(out), "-o", str(made), "-lm"], check=True
        )
        library = ctypes.CDLL(str(made))
        name = "decide" if hasattr(library, "decide") else "treewright_predict"
        function = getattr(library, name)
        function.restype = ctypes.c_double if model.labels is None else ctypes.c_int
        columns = _texts(library, f"{name}_columns", len(model.columns))
        if columns != [column["name"] for column in model.columns]:
            return model.rows[:1], [f"columns {columns}"]
        tables = {
            j: _texts(library, f"{name}_categories_{j}", len(column["categories"]))
            for j, column in enumerate(model.columns)
            if column["kind"] == "categorical"
        }

        def code(j: int, value: Value) -> float:
            if value is None:
                return float("nan")
            if j not in tables:
                return float(value)
            word = as_word(value)
            return float(tables[j].index(word)) if word in tables[j] else -1.0

        said = [
            function((ctypes.c_double * len(row))(*(code(j, value) for j, value in enumerate(row))))
            for row in model.rows
        ]
        if model.labels is None:
            return model.rows, said
        labels = _texts(library, f"{name}_classes", len(model.labels))
        meant = {str(label): label for label in model.labels}
        return model.rows, [meant.get(labels[k], labels[k]) for k in said]


def _texts(library: Any, name: str, count: int) -> list[str]:
    return [text.decode("utf-8") for text in (ctypes.c_char_p * count).in_dll(library, name)]


def _onnx(model: Model, out: Path) -> tuple[Rows, list[Any]]:
    import onnxruntime

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = onnxruntime.InferenceSession(str(out))
    inputs = {entry.name: entry for entry in session.get_inputs()}
    single = any("float)" in entry.type for entry in inputs.values())
    kind: Any = np.float32 if single else np.float64
    rows = [row for row in model.rows if not single or _is_single(row)]
    if not rows:
        return [], []
    if (len(inputs) == 1 and next(iter(inputs.values())).shape[1] != 1) or not _has_words(model):
        table = np.array([[np.nan if value is None else value for value in row] for row in rows], dtype=kind)
        given = {next(iter(inputs)): table}
    else:
        given = {}
        for name, entry in inputs.items():
            own = (name, name.rstrip("_"), name[1:])
            j = next(k for k, column in enumerate(model.columns) if column["name"] in own)
            if "string" in entry.type:
                words = [["" if row[j] is None else as_word(row[j])] for row in rows]
                given[name] = np.array(words, dtype=object)
            else:
                given[name] = np.array([[np.nan if row[j] is None else row[j]] for row in rows], dtype=kind)
    if model.labels is not None:
        return rows, session.run(["label"], given)[0].tolist()
    said = session.run(None, given)[0]
    width = len(model.walker.content["nodes"][0]["value"])
    return rows, said.reshape(len(rows), width).tolist() if width > 1 else said.ravel().tolist()


def _has_words(model: Model) -> bool:
    return any(column["kind"] == "categorical" for column in model.columns)


def _sklearn(model: Model, out: Path) -> tuple[Rows, list[Any]]:
    import joblib
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = joblib.load(out)
        rows = [row for row in model.known_rows if hasattr(fitted, "steps") or _is_single(row)]
        if not rows:
            return [], []
        named = [model.named(row) for row in rows]
        table = pd.DataFrame({column["name"]: _series(column, named) for column in model.columns})
        said = fitted.predict(table)
    return rows, said.tolist()


def _series(column: dict[str, Any], rows: Sequence[dict[str, Value]]) -> Any:
    """A column of words, or one of numbers with NaN for a missing one."""
    values: list[Any] = [row[column["name"]] for row in rows]
    if column["kind"] == "categorical":
        return values
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _is_single(row: tuple[Value, ...]) -> bool:
    """Whether single precision holds the numbers of a row."""
    numbers = [float(value) for value in row if value is not None and not isinstance(value, str)]
    with np.errstate(over="ignore"):
        return all(float(np.float32(number)) == number for number in numbers)


def _rules(model: Model, out: Path) -> tuple[Rows, list[Any]]:
    """The rules of a text: two lines each, or one that holds always."""
    text = out.read_text("utf-8")
    rules = []
    for rule in text.removesuffix("\n").split("\nif "):
        first, _, second = rule.removeprefix("if ").partition("\n    then ")
        rules.append((first if second else "", second or first.removeprefix("always ")))
    return _by_rules(model, rules)


def _table(model: Model, out: Path) -> tuple[Rows, list[Any]]:
    rows = list(csv.DictReader(io.StringIO(out.read_bytes().decode(), newline="")))
    names = [name for name in rows[0] if name == "prediction" or name.startswith("prediction of ")]
    return _by_rules(model, [(row["rule"], "; ".join(row[name] for name in names)) for row in rows])


def _by_rules(model: Model, rules: list[tuple[str, str]]) -> tuple[Rows, list[Any]]:
    """What the one rule says that a row meets."""
    rows = [row for row in model.known_rows if _is_told(row, model)]
    if any(node.get("line") for node in model.walker.content["nodes"]):
        return [], []  # a table has the mean of a line, a text its largest terms
    try:
        tests = [
            (read_conditions(text, model.columns) if text else lambda row: True, _meant(model, said))
            for text, said in rules
        ]
    except Unclear:
        return [], []
    answers = []
    for row in rows:
        met = [label for test, label in tests if test(row)]
        answers.append(met[0] if len(met) == 1 else f"{len(met)} rules hold")
    return rows, answers


def _is_told(row: tuple[Value, ...], model: Model) -> bool:
    """Whether rules tell of such a row: of gaps where training had some, and of 0 and 1 in columns of two values."""
    return all(
        column["has_missing"] if value is None else column["kind"] != "binary" or value in (0, 1)
        for value, column in zip(row, model.columns, strict=True)
    )


def _meant(model: Model, said: str) -> Any:
    """The label that a rule begins with, or its numbers."""
    if model.labels is None:
        numbers = [float(number) for number in re.findall(NUMBER, said.partition("  (")[0])]
        return numbers[0] if len(numbers) == 1 else numbers
    for label in sorted(model.labels, key=lambda label: -len(str(label))):
        if said == str(label) or said.startswith(f"{label}  ("):
            return label
    return said


_RUN: dict[str, Callable[[Model, Path], tuple[Rows, list[Any]]]] = {
    "python": _python,
    "sql": _sql,
    "c": _c,
    "onnx": _onnx,
    "sklearn": _sklearn,
    "rules": _rules,
    "table": _table,
}
