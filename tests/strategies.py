"""Hypothesis strategies: tiny problems that shrink to something a person can read."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tiny_problems import TinyProblem

__all__ = ["tiny_problems"]


@st.composite
def tiny_problems(draw: st.DrawFn, max_columns: int = 4, max_rows: int = 9) -> TinyProblem:
    """Ties, equal rows, contradictions, constant columns, whole and broken weights, costs, every limit."""
    n_columns, n_rows = draw(st.integers(1, max_columns)), draw(st.integers(1, max_rows))
    n_classes = draw(st.integers(2, 4))
    bit = st.integers(0, 1)
    goes_right = draw(
        st.lists(st.lists(bit, min_size=n_rows, max_size=n_rows), min_size=n_columns, max_size=n_columns)
    )
    label = st.integers(0, n_classes - 1)
    y = draw(st.lists(label, min_size=n_rows, max_size=n_rows))
    number = draw(st.sampled_from([st.just(1.0), st.integers(1, 5).map(float), st.floats(0.01, 100)]))
    weight = draw(st.lists(number, min_size=n_rows, max_size=n_rows))
    costs = 1 - np.eye(n_classes)
    if draw(st.booleans()):
        broken = st.floats(0.1, 5) if all(w == round(w) for w in weight) else st.just(2.0)
        price = draw(st.sampled_from([st.integers(1, 5).map(float), broken]))
        row = st.lists(price, min_size=n_classes, max_size=n_classes)
        costs = costs * np.array(draw(st.lists(row, min_size=n_classes, max_size=n_classes)))
    return TinyProblem(
        np.array(goes_right, dtype=np.uint8),
        np.array(y, dtype=np.int32),
        np.array(weight),
        costs,
        cost_complexity=draw(st.sampled_from([0.0, 0.001, 0.01, 0.05, 0.125, 0.3, 1.0])),
        max_depth=draw(st.none() | st.integers(0, 4)),
        max_leaf_nodes=draw(st.none() | st.integers(1, 6)),
        min_samples_leaf=draw(st.integers(1, min(3, n_rows))),
    )
