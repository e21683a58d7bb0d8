"""The benchmark of latent trees: its tables are those of the paper, its times are times."""

import numpy as np
import pytest
from benchmarks._latent_data import COVTYPE_SHARES, ordinal, read, splits
from benchmarks._latent_kernels import measure
from benchmarks.latent import cell

from shared_folder import shared


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "counts", "n_columns"),
    [
        ("tic-tac-toe", [332, 626], 9),
        ("mushrooms", [4208, 3916], 22),
        ("FICO", [5000, 5459], 23),
        ("glass", [70, 76, 17, 13, 9, 29], 9),
    ],
)
def test_tables_are_whole(name, counts, n_columns):
    frame, y, digest = read(shared("data"), name)
    assert np.unique(y, return_counts=True)[1].tolist() == counts
    assert ordinal(frame).shape == (sum(counts), n_columns)
    assert len(digest) == 16


@pytest.mark.shared
def test_covtype_in_the_shares_of_the_full_set():
    y = read(shared("data"), COVTYPE_SHARES)[1]
    full = np.array([211840, 283301, 35754, 2747, 9493, 17367, 20510])
    shares = np.unique(y, return_counts=True)[1] / len(y)
    np.testing.assert_allclose(shares, full / full.sum(), atol=1e-3)


def test_splits_share_the_rows_out():
    y = np.arange(200) % 4
    rest, train, validation, test = splits(None, y, 0)
    assert sorted([*train, *validation, *test]) == list(range(200))
    assert sorted([*train, *validation]) == sorted(rest)
    assert [len(train), len(validation), len(test)] == [120, 40, 40]


def test_times_are_positive_and_shown_in_milliseconds():
    timed = measure(lambda: sum(range(2000)), budget=0.01)
    assert 0 < timed["best_wall_ms"] <= timed["wall_ms"]
    assert cell({"cpu_ms": 0.012345}) == "0.0123"
    assert cell([0.5, 0.25]) == "0.5 +- 0.25"
