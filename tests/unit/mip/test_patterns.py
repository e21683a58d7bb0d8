"""Equal rows of ranks are found without sorting a large table by all of its columns."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.mip import _instance


def test_a_large_table_has_the_patterns_of_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rank = np.random.default_rng(0).integers(0, 3, (4, 300)).astype(np.uint32)
    small = _instance._patterns(rank)
    monkeypatch.setattr(_instance, "LARGE", 0)
    large = _instance._patterns(rank)
    assert len(np.unique(large)) == len(np.unique(small)) == len(np.unique(rank.T, axis=0))
    assert (np.equal.outer(large, large) == np.equal.outer(small, small)).all()


def test_rows_whose_sums_are_equal_by_chance_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ones:
        def integers(self, *_: object, **__: object) -> np.uint64:
            return np.uint64(1)

    monkeypatch.setattr(_instance, "LARGE", 0)
    monkeypatch.setattr(_instance.np.random, "default_rng", lambda _: Ones())
    rank = np.array([[0, 1, 0], [1, 0, 1]], dtype=np.uint32)  # 0 + 1 == 1 + 0
    assert _instance._patterns(rank).tolist() == [0, 1, 0]
