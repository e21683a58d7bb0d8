"""Every formulation, strategy, scaling, tightened or printed: the optimum is that of all trees, and of the search."""

import pytest

pytest.importorskip("highspy", reason="needs the extra mip")

from tiny_programs import random_program, violation
from treewright import SolveStatus
from treewright.mip import solve
from treewright.mip._cart import cart_start
from treewright.mip._plan import full_tree, value_of
from treewright.mip._solve import make_formulation
from treewright.search import solve as search
from treewright.search import solve_leaf_accuracy
from treewright.verify import verify


@pytest.mark.parametrize("seed", range(72))
def test_optimum(seed: int) -> None:
    tiny = random_program(seed)
    result = solve(tiny.problem, tiny.formulation, tiny.strategy, options=tiny.options)
    assert result.status is SolveStatus.OPTIMAL, result.notes
    assert result.stop_reason is None
    if tiny.formulation == "leaf_accuracy":
        assert 1 - result.objective == pytest.approx(tiny.optimum(), abs=1e-6)
        assert result.upper_bound - result.objective == pytest.approx(result.rounding, abs=1e-12)
        found = solve_leaf_accuracy(tiny.problem, "all")
    else:
        assert result.objective == pytest.approx(tiny.optimum(), abs=1e-6)
        found = search(tiny.problem, "all")
    assert result.objective == pytest.approx(found.objective, abs=5e-6)  # the search may round real weights
    report = verify(tiny.problem, result)
    assert report.ok, str(report)


@pytest.mark.parametrize("seed", range(120))
def test_a_tree_written_into_the_program_is_feasible_and_read_back(seed: int) -> None:
    tiny = random_program(seed)
    formulation = make_formulation(tiny.problem, tiny.formulation, tiny.options)
    instance, leaf_accuracy = formulation.instance, formulation.maximises_leaf_accuracy
    depth = tiny.problem.max_depth
    assert depth is not None
    plan = cart_start(instance, depth, lambda plan: value_of(plan, instance, leaf_accuracy))
    values = formulation.write(full_tree(plan, depth, instance))
    assert violation(formulation.model, values) < 1e-9
    value = formulation.model.offset + formulation.model.cost @ values
    assert value == pytest.approx(value_of(plan, instance, leaf_accuracy), abs=1e-9)
    assert formulation.read(values[formulation.tree_variables]) == plan
