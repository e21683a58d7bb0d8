"""A question written out as a few lines that any user can run; runs of equal values are told by their lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attack.at_size.question import CALLS, FUNCTIONS, Question

__all__ = ["script"]


def script(says: str, questions: Sequence[Question], level: str | None) -> str:
    """Write the questions one after another; the last one with the kernels of an instruction set."""
    kinds = {q.switches[0] for q in questions if "search_options" in q.options}
    lines = [f"# {says}", "import numpy as np", "import pandas as pd", "nan = float('nan')"]
    lines += [f"from treewright import {name}" for name in sorted({CALLS[q.kind][0] for q in questions})]
    lines += [f"from treewright.search import {kind}" for kind in sorted(kinds)]
    for number, question in enumerate(questions):
        if level and number:
            lines += ["from treewright._native import core", f"core.set_simd_limit(core.Simd.{level})"]
        lines += _lines(question)
    return "\n".join(lines)


def _lines(q: Question) -> Iterator[str]:
    columns = ", ".join(f"{name!r}: {_column(q.X[name])}" for name in q.X.columns)
    yield f"X = pd.DataFrame({{{columns}}})"
    y, more = q.fitted_with
    yield f"y = {_array(y) if isinstance(y, np.ndarray) else '(' + ', '.join(map(_array, y)) + ')'}"
    given = {k: v for k, v in q.options.items() if k != "search_options"}
    words = [f"{k}={v!r}" for k, v in given.items()]
    if "search_options" in q.options:
        kind, switches = q.switches
        words.append(f"search_options={kind}({', '.join(f'{k}={v!r}' for k, v in switches.items())})")
    fitted = "".join(f", {k}={_array(v)}" for k, v in more.items())
    call = CALLS[q.kind][0]
    if q.kind in FUNCTIONS:
        yield f"print({call}(X, y{fitted}, {', '.join(words)}).sentence())"
    else:
        yield f"print({call}({', '.join(words)}).fit(X, y{fitted}).result_.sentence())"


def _column(column: pd.Series) -> str:
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, words = column.cat.codes.to_numpy(), list(column.cat.categories)
        return f"pd.Categorical.from_codes({_array(codes)}, {words!r}, ordered={column.cat.ordered})"
    if column.dtype == float:
        return _array(column.to_numpy())
    return repr([None if pd.isna(v) else str(v) for v in column])


def _array(values: Any) -> str:
    values = np.asarray(values)
    if values.ndim > 1:
        return f"np.column_stack([{', '.join(_array(column) for column in values.T)}])"
    starts = (
        np.flatnonzero(np.r_[True, (values[1:] != values[:-1])]) if len(values) else np.zeros(0, dtype=int)
    )
    if len(starts) <= len(values) // 3:
        lengths = np.diff(np.r_[starts, len(values)]).tolist()
        return f"np.repeat({_plain(values[starts])}, {lengths})"
    return f"np.array({_plain(values)})"


def _plain(values: Any) -> str:
    as_list = values.tolist()
    if all(isinstance(v, float) and v.is_integer() for v in as_list):
        return repr([int(v) for v in as_list]).replace("]", ".]", 1)
    return repr(as_list)
