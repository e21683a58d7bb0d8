"""Whole numbers of a column: exact where it holds decimals, found with little work where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright.search import _whole_numbers
from treewright.search._whole_numbers import whole_numbers


@pytest.mark.parametrize("decimals", [1, 2, 5])
def test_decimals_between_whole_ends_are_found(decimals: int) -> None:
    inner = np.round(np.random.default_rng(decimals).random(50), decimals)
    found = whole_numbers(np.array([-3.0, *inner, 7.0]), 48)
    assert found.unit == pytest.approx(10.0**-decimals)
    assert found.whole[-1] - found.whole[0] == 10 ** (decimals + 1)


@pytest.mark.parametrize("ends", [(0.0, 1e300), (-1e300, 0.0), (1e-300, 1.0)])
def test_extremes_are_no_decimals(ends: tuple[float, float]) -> None:
    found = whole_numbers(np.array([ends[0], 0.1, ends[1]]), 48)
    assert np.isfinite(found.whole).all()
    assert found.stretch > 0


def test_a_column_of_no_decimals_is_not_tried_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of short columns are made whole before a search looks at its clock."""
    column = np.random.default_rng(0).normal(size=100)
    compared: list[Any] = []
    equal = np.array_equal
    monkeypatch.setattr(
        _whole_numbers.np, "array_equal", lambda *arrays: compared.append(arrays) or equal(*arrays)
    )
    whole_numbers(column, 48)
    assert len(compared) <= 2
