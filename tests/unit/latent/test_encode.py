"""Network inputs are centred, scaled and without holes."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright.errors import InputError
from treewright.latent._encode import fit_encoder
from treewright.table import table_from


def test_numbers_are_z_scored_and_constants_are_zero():
    table = table_from(np.array([[1.0, 7.0, 1e200], [3.0, 7.0, 3e200], [5.0, 7.0, 5e200]]))
    inputs = fit_encoder(table.X, table.columns, "ordinal").transform(table.X)
    expected = np.array([-1, 0, 1]) * np.sqrt(1.5)
    np.testing.assert_allclose(inputs, np.column_stack([expected, np.zeros(3), expected]), rtol=1e-12, atol=0)


def test_missing_values_are_the_mean_and_are_told():
    table = table_from([[1.0, "a"], [None, "b"], [3.0, None]])
    encoder = fit_encoder(table.X, table.columns, "onehot")
    np.testing.assert_allclose(
        encoder.transform(table.X),
        # number, missing?, is a, is b, missing?
        [[-1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1]],
    )


def test_a_column_without_known_values_is_zero():
    table = table_from([[1.0, None], [2.0, None]])
    inputs = fit_encoder(table.X, table.columns, "ordinal").transform(table.X)
    np.testing.assert_allclose(inputs, [[-1, 0, 1], [1, 0, 1]])


def test_columns_can_be_left_out():
    table = table_from(np.arange(12.0).reshape(4, 3))
    assert fit_encoder(table.X, table.columns, "ordinal", [1]).source.tolist() == [0, 2]


def test_unknown_coding():
    table = table_from([[1.0]])
    with pytest.raises(InputError, match="categories"):
        fit_encoder(table.X, table.columns, "binary")
