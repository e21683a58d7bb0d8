"""Every other form of a tree decides like the walk of its file: Python, SQL, scikit-learn, and at times C and ONNX."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attack.case import Case, Value
from attack.checks import Found, Mismatch
from attack.probes import probe_rows

__all__ = ["COMPILED", "QUICK", "converted_alike", "numbers_alike"]

NEAR = 1e-9  # of the largest number that is said


def converted_alike(found: Found, forms: Sequence[str]) -> Iterator[Mismatch]:
    """Compare predictions on the rows of the case and about the thresholds."""
    from treewright.errors import InputError

    tree, case = found.result.tree, found.case
    rows = probe_rows(case, found.walker)
    walked = found.walker.predict(rows)
    for form in forms:
        try:
            said = _FORMS[form](tree, case, rows)
        except InputError:
            continue  # a form that cannot express a tree says so
        for row, a, b in zip(rows, said, walked, strict=True):
            if a != b:
                yield Mismatch(f"{form} differs from the file", f"row {row}: {form} {a!r}, the file {b!r}")
                break


def numbers_alike(found: Found, form: str) -> Iterator[Mismatch]:
    """Compare what leaves of numbers say, as `converted_alike` does labels; ONNX adds terms in another order."""
    from treewright.errors import InputError

    tree, case = found.result.tree, found.case
    rows = probe_rows(case, found.walker)
    walked = [found.walker.number(found.walker.leaf_of(row), row) for row in rows]
    try:
        said = _FORMS[form](tree, case, rows)
    except InputError:
        return  # a form that cannot express a tree says so
    near = NEAR * max(map(abs, walked)) if form == "ONNX" else 0.0
    for row, a, b in zip(rows, said, walked, strict=True):
        if not abs(a - b) <= near:
            yield Mismatch(f"{form} differs from the file", f"row {row}: {form} {a!r}, the file {b!r}")
            return


def _python(tree: Any, case: Case, rows: list[tuple[Value, ...]]) -> list[Any]:
    from treewright.convert import to_python

    names: dict[str, Any] = {}
    exec(compile(to_python(tree), "tree.py", "exec"), names)
    worded = [
        [
            _as("VARCHAR", v) if c.kind.value == "categorical" else v
            for v, c in zip(row, tree.columns, strict=True)
        ]
        for row in rows
    ]
    return [names["predict"](dict(zip(case.names, row, strict=True))) for row in worded]


def _sklearn(tree: Any, case: Case, rows: list[tuple[Value, ...]]) -> list[Any]:
    from treewright.convert import to_sklearn_pipeline

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return to_sklearn_pipeline(tree).predict(case.frame(rows)).tolist()


@cache
def _database() -> Any:
    import duckdb

    return duckdb.connect()


def _sql(tree: Any, case: Case, rows: list[tuple[Value, ...]]) -> list[Any]:
    from treewright.convert import to_sql

    database = _database()
    kinds = []
    for column in tree.columns:
        is_text = column.kind.value == "categorical"
        kinds.append("VARCHAR" if is_text else "BOOLEAN" if column.categories else "DOUBLE")
    names = ", ".join(f'"{name}" {kind}' for name, kind in zip(case.names, kinds, strict=True))
    database.execute(f"CREATE OR REPLACE TABLE t (place INTEGER, {names})")
    worded = [
        (i, *(_as(kind, value) for kind, value in zip(kinds, row, strict=True))) for i, row in enumerate(rows)
    ]
    marks = ", ".join("?" * (len(kinds) + 1))
    database.executemany(f"INSERT INTO t VALUES ({marks})", worded)
    found = database.execute(f"{to_sql(tree, table='t')} ORDER BY place").fetchall()
    return [_like(tree, answer[-1]) for answer in found]


def _as(kind: str, value: Value) -> Value:
    if value is None:
        return None
    if kind == "VARCHAR":
        return value if isinstance(value, str) else str(int(value)) if float(value) % 1 == 0 else repr(value)
    return bool(value) if kind == "BOOLEAN" else float(value)


def _like(tree: Any, answer: Any) -> Any:
    """An answer of a database as the label that it stands for; a number is itself."""
    if tree.classes is None:
        return answer
    labels = tree.classes.tolist()
    if answer in labels:
        return labels[labels.index(answer)]
    return next((label for label in labels if str(label).lower() == str(answer).lower()), answer)


def _c(tree: Any, case: Case, rows: list[tuple[Value, ...]]) -> list[Any]:
    from treewright.convert import to_c

    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "tree.c", Path(folder) / "tree.so"
        source.write_text(to_c(tree), encoding="utf-8")
        subprocess.run(["cc", "-O0", "-shared", "-fPIC", str(source), "-o", str(made), "-lm"], check=True)
        function = ctypes.CDLL(str(made)).treewright_predict
        function.restype = ctypes.c_double if tree.classes is None else ctypes.c_int
        width = len(tree.columns)
        said = [function((ctypes.c_double * width)(*row)) for row in _codes(tree, rows)]
        return said if tree.classes is None else [tree.classes.tolist()[k] for k in said]


def _codes(tree: Any, rows: list[tuple[Value, ...]]) -> list[list[float]]:
    made = []
    for row in rows:
        codes = []
        for value, column in zip(row, tree.columns, strict=True):
            if value is None:
                codes.append(float("nan"))
            elif column.kind.value == "categorical":
                codes.append(float(column.categories.index(_as("VARCHAR", value))))
            else:
                codes.append(float(value))
        made.append(codes)
    return made


def _onnx(tree: Any, case: Case, rows: list[tuple[Value, ...]]) -> list[Any]:
    import onnxruntime

    from treewright.convert import to_onnx

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = onnxruntime.InferenceSession(to_onnx(tree).SerializeToString())
    inputs = [i.name for i in session.get_inputs()]
    if not any(column.kind.value == "categorical" for column in tree.columns):
        given = {inputs[0]: np.array(_codes(tree, rows))}
    else:
        given = {}
        for name in inputs:
            j = next(k for k, column in enumerate(tree.columns) if name.rstrip("_") == column.name)
            column, values = tree.columns[j], [row[j] for row in rows]
            if column.kind.value == "categorical":
                given[name] = np.array(
                    [["" if v is None else _as("VARCHAR", v)] for v in values], dtype=object
                )
            else:
                given[name] = np.array([[np.nan if v is None else float(v)] for v in values])
    if tree.classes is None:
        return session.run(None, given)[0].ravel().tolist()
    return [_like(tree, answer) for answer in session.run(["label"], given)[0].tolist()]


_FORMS: dict[str, Callable[..., list[Any]]] = {
    "python": _python,
    "scikit-learn": _sklearn,
    "SQL": _sql,
    "C": _c,
    "ONNX": _onnx,
}
QUICK = ("python", "scikit-learn", "SQL")
COMPILED = ("C", "ONNX")
