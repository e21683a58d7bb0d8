"""Tables of the benchmarks: reading, cutting, growing, hashing."""

import gzip

import numpy as np
import pytest
from benchmarks._data import (
    as_binary,
    cut_columns,
    duplicated,
    folds,
    jittered,
    noisy,
    read_csv,
    resampled,
    stored,
    widened,
)


def test_label_is_named_or_last(tmp_path):
    last = tmp_path / "last.csv"
    last.write_text('"a";"b";"target"\n0;1;1\n1;1;0\n')
    X, y = read_csv(last)
    assert X.tolist() == [[0, 1], [1, 1]]
    assert y.tolist() == [1, 0]
    first = tmp_path / "first.csv.gz"
    with gzip.open(first, "wt") as file:
        file.write("label,b0,b1\n1,0,0\n0,1,0\n")
    X, y = read_csv(first)
    assert X.tolist() == [[0, 0], [1, 0]]
    assert y.tolist() == [1, 0]


def test_as_binary_refuses_other_values():
    with pytest.raises(ValueError, match="other than 0 and 1"):
        as_binary(np.array([[0.0, 2.0]]))


def test_cuts_are_distinct_and_never_constant():
    rng = np.random.default_rng(0)
    base = rng.random((200, 3))
    X = np.column_stack([base, base[:, 0], 1 - (base[:, 1] > 0.5), np.ones(200)])
    cuts = cut_columns(X, 20)
    assert cuts.shape == (200, 20)
    patterns = {tuple(c if c[0] == 0 else 1 - c) for c in cuts.T.astype(int)}
    assert len(patterns) == 20  # no copies, no complements
    assert ((cuts.sum(axis=0) > 0) & (cuts.sum(axis=0) < 200)).all()
    assert np.array_equal(cut_columns(X, 7), cuts[:, :7])


def test_fewer_columns_when_there_are_no_more_cuts():
    assert cut_columns(np.array([[0.0], [1.0], [1.0]]), 10).shape == (3, 1)


def test_growing_tables():
    X, y = np.array([[0, 1], [1, 1]], dtype=np.uint8), np.array([0, 1])
    X3, y3 = duplicated(X, y, 3)
    assert X3.shape == (6, 2)
    assert len(np.unique(X3, axis=0)) == 2
    assert y3.tolist() == [0, 1] * 3
    N, _ = noisy(X, y, 500, flip=0.1)
    assert np.array_equal(N[:2], X)
    assert 0.05 < (np.tile(X, (500, 1)) != N).mean() < 0.15
    assert np.array_equal(N, noisy(X, y, 500, flip=0.1)[0])  # fixed seed
    assert resampled(X, y, 10)[0].shape == (10, 2)


def test_stored_is_keyed_by_content(tmp_path):
    X, y = np.eye(2, dtype=np.uint8), np.array([0, 1])
    one, same = stored("a", lambda: (X, y), tmp_path), stored("b", lambda: (X, y), tmp_path)
    other = stored("c", lambda: (X, 1 - y), tmp_path)
    assert one.arrays == same.arrays != other.arrays
    loaded = np.load(one.arrays)
    assert np.array_equal(loaded["X"], X)
    assert np.array_equal(loaded["y"], y)


def test_folds_deal_out_every_class():
    y = np.array([0] * 13 + [1] * 7)
    tested = folds(np.zeros((20, 1)), y)
    assert (np.sum(tested, axis=0) == 1).all()  # every row is tested once
    assert {int(t.sum()) for t in tested} == {4}
    assert {int((y[t] == 1).sum()) for t in tested} <= {1, 2}


def test_jittered_rows_are_all_different_and_widened_keeps_the_table():
    X, y = np.repeat(np.arange(6.0).reshape(3, 2), 5, axis=0), np.repeat([0, 1, 2], 5)
    many, labels = jittered(X, y, 200)
    assert many.shape == (200, 2)
    assert len(np.unique(many[:, 0])) == 200
    assert set(labels) == {0, 1, 2}
    again, _ = jittered(X, y, 200)
    assert np.array_equal(many, again)
    assert widened(X, 1).shape == (15, 1)
    wide = widened(X, 5)
    assert wide.shape == (15, 5)
    assert np.array_equal(wide[:, :2], X)


def test_stored_keeps_test_rows_apart(tmp_path):
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
    tested = np.array([False, True, False, False])
    dataset = stored("part", lambda: (X, y), tmp_path, tested)
    kept = np.load(dataset.arrays)
    assert dataset.n_rows == 3
    assert np.array_equal(kept["X_test"], X[tested])
    assert np.array_equal(kept["y"], y[~tested])
    assert dataset.sha256 != stored("part", lambda: (X, y), tmp_path, ~tested).sha256
