"""What the formulations say, row by row."""

import numpy as np
import pytest

from treewright.mip import MIPOptions
from treewright.mip._instance import Instance
from treewright.mip._solve import FORMULATIONS, make_formulation
from treewright.mip.binoct import _decode, _encode, _halves
from treewright.problem import make_problem
from treewright.table import table_from

X = np.array([[0.0, 1.0], [0.0, 2.0], [5.0, 1.0], [7.0, 9.0], [7.0, 9.0]])
Y = np.array([0, 0, 1, 1, 1])


def names(formulation: str, tighten: bool) -> set[str]:
    problem = make_problem(table_from(X), Y, max_depth=2, min_samples_leaf=2)
    rows = make_formulation(problem, formulation, MIPOptions(tighten=tighten)).model.row_names()
    assert len(set(rows)) == len(rows)
    return {row.split("[")[0].split()[0] for row in rows}


def test_row_names_carry_the_equations() -> None:
    routing = {f"({k})" for k in range(11, 18)}
    own = {f"({k})" for k in range(3, 11)}
    assert names("leaf_accuracy", tighten=False) == routing | own
    assert names("leaf_accuracy", tighten=True) == routing | own | {"(6')", "(9')", "(13')"}
    assert names("oct", tighten=False) == routing | {"(L)"}
    assert names("oct", tighten=True) == routing | {"(L)", "(L')", "(13')"}
    binoct = {f"(27.{k})" for k in range(1, 8)} | {"(28)", "(min_samples_leaf)"}
    assert names("binoct", tighten=False) == binoct | {"(stay)"}
    assert names("binoct", tighten=True) == binoct | {"(27.7')"}


def test_printed_routing_has_one_row_for_each_leaf_and_ancestor() -> None:
    problem = make_problem(table_from(X), Y, max_depth=3)
    rows = make_formulation(problem, "oct", MIPOptions(tighten=False)).model.row_names()
    n = 4  # distinct rows
    for equation in ("(12)", "(13)"):
        assert sum(row.startswith(equation) for row in rows) == n * 8 * 3 / 2


@pytest.mark.parametrize("n_thresholds", range(1, 20))
def test_binary_codes_say_each_threshold_exactly(n_thresholds: int) -> None:
    """(27.4) to (27.6) leave each rank one side, the right one, under every code of bits."""
    n_bits = max(0, (n_thresholds - 1).bit_length())
    halves = list(_halves(0, n_thresholds, (), (), 0))
    assert all(bit < n_bits for half in halves for bit in half.bits)
    for threshold in range(n_thresholds):
        code = _encode(n_thresholds, threshold)
        spare = n_bits - len(code)
        for rest in range(2**spare):
            bits = np.array([*code, *((rest >> k) & 1 for k in range(spare))], dtype=bool)
            assert _decode(n_thresholds, bits) == threshold
            not_right, not_left = {0}, {n_thresholds}  # (27.6)
            for half in halves:
                if all(bits[bit] == half.upper for bit in half.bits):
                    (not_right if half.upper else not_left).update(range(half.ranks[0], half.ranks[1] + 1))
            assert not_right == set(range(threshold + 1))
            assert not_left == set(range(threshold + 1, n_thresholds + 1))


def test_scaling() -> None:
    values = np.array([[3.0], [4.0], [4.0 + 1e-9], [13.0]])
    problem = make_problem(table_from(values), [0, 1, 0, 1], max_depth=1)
    by_rank, by_range = Instance.of(problem), Instance.of(problem, "range")
    assert by_rank.level[0].tolist() == [0, 1 / 3, 2 / 3, 1]
    assert by_rank.narrow == ()
    assert by_range.level[0][[0, 1, 3]].tolist() == pytest.approx([0, 0.1, 1])
    assert by_range.epsilon[0] == pytest.approx(1e-10, rel=1e-3)  # the i-th smallest values: positive
    assert by_range.narrow == ("x0",)


def test_extreme_values_are_scaled_without_overflow() -> None:
    problem = make_problem(table_from([[-1.5e308], [0.0], [1.5e308]]), [0, 1, 0], max_depth=1)
    assert Instance.of(problem, "range").level[0].tolist() == [0, 0.5, 1]


def test_equal_rows_are_one() -> None:
    problem = make_problem(table_from(X), Y, sample_weight=[1, 1, 1, 2, 3], max_depth=1)
    instance = Instance.of(problem)
    assert instance.n_rows == 4
    assert sorted(instance.count.tolist()) == [1, 1, 1, 2]
    assert instance.total == pytest.approx(5)
    assert instance.weight[instance.group[4]] == pytest.approx(5 * 5 / 8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_table_without_any_split(formulation: str) -> None:
    problem = make_problem(table_from(np.ones((3, 2))), [0, 1, 1], max_depth=2)
    assert make_formulation(problem, formulation).instance.n_columns == 1
