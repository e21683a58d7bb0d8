"""The benchmark of limits leaves no public estimator out without saying so."""

from __future__ import annotations

from inspect import signature

from benchmarks.limits import NOT_ASKED, NOT_MEASURED, estimators

import treewright


def test_every_public_estimator_is_measured():
    limited = {
        name
        for name in treewright.__all__
        if callable(kind := getattr(treewright, name))
        and (hasattr(kind, "fit") or "time_limit" in signature(kind).parameters)
    }
    rows = {name.partition(",")[0] for name in estimators()}
    assert len(rows) > 18
    assert rows | set(NOT_MEASURED) == limited
    assert not rows & set(NOT_MEASURED)
    assert set(NOT_ASKED) <= set(estimators())
