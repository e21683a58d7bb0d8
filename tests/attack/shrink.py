"""Make a mismatch small: fewer rows, columns and options, plainer numbers, as long as the same law is broken."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attack.case import Case, Value

__all__ = ["shown_small", "shrink", "smaller_cases"]


def shrink(
    case: Any, still: Callable[[Any], bool], seconds: float, smaller_than: Callable[[Any], Iterator[Any]]
) -> Any:
    """Return the smallest case that `still` holds for and that single steps lead to, within a time.

    `smaller_than` gives cases with one thing less, the largest steps first.
    """
    end = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for smaller in smaller_than(case):
            if time.monotonic() > end:
                return case
            if still(smaller):
                case, found = smaller, True
                break
    return case


def shown_small(
    case: Any,
    law: str,
    seconds: float,
    breaks: Callable[[Any], Iterable[Any]],
    smaller_than: Callable[[Any], Iterator[Any]],
) -> str:
    """Return a mismatch as a script, made small first; `breaks` gives the mismatches of a case."""

    def still(smaller: Any) -> bool:
        try:
            return any(m.law == law for m in breaks(smaller))
        except Exception:
            return False  # no case that makes sense

    case = shrink(case, still, seconds, smaller_than)
    words = next((m.words for m in breaks(case) if m.law == law), "not seen again on a second run")
    script: str = case.script(f"{law}: {' '.join(words.split())}")
    return script


def smaller_cases(case: Case) -> Iterator[Case]:
    """Cases with one thing less, the largest steps first."""
    n = case.n_rows
    if n > 4:
        yield _rows(case, list(range(n // 2)))
        yield _rows(case, list(range(n // 2, n)))
    for name in case.columns:
        if len(case.columns) > 1 and not case.as_array:
            yield _without_column(case, name)
    if len(case.columns) > 1 and case.as_array:
        yield case.but(columns=dict(list(case.columns.items())[:-1]))
        yield case.but(columns=dict(list(case.columns.items())[1:]))
    for option in case.options:
        yield case.without(option)
    if case.as_large:
        yield case.but(as_large=False)
    if case.weight is not None:
        yield case.but(weight=None)
    for i in range(n):
        if n > 1:
            yield _rows(case, [k for k in range(n) if k != i])
    if case.options.get("search_options"):
        switches = case.options["search_options"]
        for name in switches:
            rest = {k: v for k, v in switches.items() if k != name}
            yield _option(case, "search_options", rest) if rest else case.without("search_options")
    yield from _plainer(case)


def _plainer(case: Case) -> Iterator[Case]:
    """The same with smaller numbers."""
    for name, values in case.columns.items():
        if not case.is_text(name):
            distinct = sorted({v for v in values if v is not None})  # type: ignore[type-var]
            rank: list[Value] = [None if v is None else distinct.index(v) for v in values]
            if repr(rank) != repr(list(values)):
                yield case.but(columns=dict(case.columns) | {name: rank})
        if None in values and any(v is not None for v in values):
            some = next(v for v in values if v is not None)
            yield case.but(columns=dict(case.columns) | {name: [some if v is None else v for v in values]})
    labels = sorted(set(case.y))
    if labels != list(range(len(labels))):
        index = [labels.index(v) for v in case.y]
        factors = case.options.get("class_weight")
        changed = case.but(y=index)
        if isinstance(factors, dict):
            changed = _option(changed, "class_weight", {labels.index(k): v for k, v in factors.items()})
        if "reference" in case.options:
            changed = _option(changed, "reference", [labels.index(v) for v in case.options["reference"]])
        yield changed
    if case.weight is not None:
        for digits in (0, 1, 3):
            rounded = [float(f"{w:.{digits}e}") for w in case.weight]
            if rounded != list(case.weight):
                yield case.but(weight=rounded)
        for i, w in enumerate(case.weight):
            if w != 1.0:
                yield case.but(weight=[1.0 if k == i else v for k, v in enumerate(case.weight)])
    costs = case.options.get("costs")
    if costs is not None:
        for digits in (0, 1):
            rounded_costs = [[float(f"{c:.{digits}e}") for c in row] for row in costs]
            if rounded_costs != costs:
                yield _option(case, "costs", rounded_costs)


def _rows(case: Case, kept: list[int]) -> Case:
    columns = {name: [values[i] for i in kept] for name, values in case.columns.items()}
    weight = None if case.weight is None else [case.weight[i] for i in kept]
    changed = case.but(columns=columns, y=[case.y[i] for i in kept], weight=weight)
    labels, before = sorted(set(changed.y)), sorted(set(case.y))
    here = [before.index(v) for v in labels]
    if "costs" in case.options:
        costs = case.options["costs"]
        changed = _option(changed, "costs", [[costs[i][j] for j in here] for i in here])
    if isinstance(case.options.get("class_weight"), dict):
        factors = {k: v for k, v in case.options["class_weight"].items() if k in labels}
        changed = _option(changed, "class_weight", factors)
    if isinstance(case.options.get("reference"), list):
        reference = [case.options["reference"][i] for i in kept]
        changed = _option(changed, "reference", [v if v in labels else labels[0] for v in reference])
    return changed


def _without_column(case: Case, name: str) -> Case:
    changed = case.but(columns={k: v for k, v in case.columns.items() if k != name})
    if isinstance(case.options.get("thresholds"), dict):
        named = {k: v for k, v in case.options["thresholds"].items() if k != name}
        changed = _option(changed, "thresholds", named)
    if name in case.options.get("categorical_features", ()):
        changed = changed.without("categorical_features")
    return changed


def _option(case: Case, name: str, value: Any) -> Case:
    return case.but(options=dict(case.options) | {name: value})
