"""The model description: blocks, sums, names."""

import numpy as np

from tiny_programs import violation
from treewright.mip import Model


def test_rows_and_names() -> None:
    model = Model(offset=1.0)
    x = model.variables("x", (2, 3), integer=True)
    q = model.variables("q", (), upper=5.0, cost=-1.0)
    model.rows("(1)", (2,), [(np.array([1.0, 2.0, 0.0]), x), (-1, np.full(2, q))], lower=0)
    model.rows("(2)", (2, 3), [(np.arange(6.0).reshape(2, 3), x)], upper=1)
    model.rows("(3)", (), [(1, x.ravel()), (1, x[0])], lower=2, upper=2)
    assert model.variable_names() == ["x[0,0]", "x[0,1]", "x[0,2]", "x[1,0]", "x[1,1]", "x[1,2]", "q"]
    assert model.row_names()[:3] == ["(1)[0]", "(1)[1]", "(2)[0,0]"]
    assert model.row_names()[-1] == "(3)"
    matrix = model.matrix().toarray()
    assert matrix[1].tolist() == [0, 0, 0, 1, 2, 0, -1]
    assert matrix[5].tolist() == [0, 0, 0, 3, 0, 0, 0]
    assert matrix[8].tolist() == [2, 2, 2, 1, 1, 1, 0]  # terms of one variable are added
    assert model.integer.tolist() == [True] * 6 + [False]
    lower, upper = model.row_bounds
    assert (lower[8], upper[8], upper[2], lower[2]) == (2, 2, 1, -np.inf)


def test_violation() -> None:
    model = Model()
    x = model.variables("x", (2,), integer=True)
    model.rows("(1)", (), [(1, x)], upper=1)
    assert violation(model, np.array([1.0, 0.0])) == 0
    assert violation(model, np.array([1.0, 1.0])) == 1  # the row
    assert violation(model, np.array([0.25, 0.0])) == 0.25  # not whole
    assert violation(model, np.array([-1.0, 0.0])) == 1  # below its bound
