"""Runs: starts, limits, tolerances, stops, solvers that are absent or find nothing."""

import math
import re
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("highspy", reason="needs the extra mip")

from treewright import MIPTreeClassifier, SolveStatus
from treewright.convert import from_json, to_json
from treewright.errors import InputError, RefutedProofWarning
from treewright.leaf_accuracy import leaf_accuracy_score
from treewright.mip import MIPOptions, solve
from treewright.mip import _highs as highs
from treewright.mip._cart import cart_start
from treewright.mip._instance import Instance
from treewright.mip._outcome import Job, Outcome
from treewright.mip._plan import value_of
from treewright.mip._solve import FORMULATIONS
from treewright.mip._strategies import follow
from treewright.mip.oct import OCT
from treewright.problem import Problem, make_problem
from treewright.result import StopReason
from treewright.search import Limits, Progress, solve_leaf_accuracy
from treewright.table import table_from
from treewright.tree import ThresholdSplit, grow


def noisy(n_rows: int = 60, seed: int = 0, **limits: Any) -> Problem:
    """Too hard to be proven at once."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(n_rows) < 0.2)
    return make_problem(
        table_from(X), y, **{"max_depth": 2, "min_samples_leaf": 3, "cost_complexity": 0.0} | limits
    )


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_a_warm_run_never_ends_worse_than_its_start(formulation: str, seed: int) -> None:
    problem = noisy(40, seed)
    leaf_accuracy = formulation == "leaf_accuracy"
    instance = Instance.of(problem)

    def value(plan: Any) -> float:
        return value_of(plan, instance, leaf_accuracy)

    start = value(cart_start(instance, 2, value))
    for limits in (Limits(0.001), Limits(0.3)):
        result = solve(problem, formulation, "warm", limits=limits)
        reached = 1 - result.objective if leaf_accuracy else result.objective
        assert reached <= start + 1e-12
        assert result.status is SolveStatus.FEASIBLE
        assert result.stop_reason is StopReason.TIME_LIMIT


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_solver_without_a_tree_gives_status_and_cart(
    formulation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = highs.run

    def finds_nothing(model: Any, job: Any) -> Any:
        outcome = run(model, job)
        object.__setattr__(outcome, "incumbents", ())
        return outcome

    monkeypatch.setattr(highs, "run", finds_nothing)
    problem = noisy()
    result = solve(problem, formulation, "direct", limits=Limits(0.05))
    assert result.status is SolveStatus.FEASIBLE
    assert result.stats["tree_found_by"] == "cart"
    assert result.stats["solver_objective"] is None
    assert any("without any tree" in note for note in result.notes)
    assert result.tree.n_leaves >= 1
    assert "Not proven optimal (time limit reached)" in result.sentence()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_tree_without_mistakes_needs_no_proof_of_the_solver(formulation: str) -> None:
    """CART separates the rows; the solver is stopped before it has a bound."""
    X = np.arange(60.0)[:, None]
    problem = make_problem(table_from(X), X[:, 0] > 20, max_depth=2, cost_complexity=0.0)
    result = solve(problem, formulation, limits=Limits(1e-3))
    assert result.stats["solver_bound"] is None
    assert result.status is SolveStatus.OPTIMAL
    assert result.stop_reason is None
    assert result.loss == 0
    assert result.objective == (1 if formulation == "leaf_accuracy" else 0)
    assert "Not proven" not in result.sentence()
    assert not any("Proven by" in note for note in result.notes)


def test_what_is_reported_is_counted_from_the_data() -> None:
    problem = noisy(30)
    result = solve(problem, "leaf_accuracy", "warm", limits=Limits(2))
    X, y = problem.table.X, problem.classes[problem.y]
    assert result.objective == pytest.approx(leaf_accuracy_score(result.tree, X, y), abs=1e-12)
    assert result.loss == pytest.approx(float((result.tree.predict(X) != y).mean()), abs=1e-12)
    assert result.lower_bound == result.objective <= result.upper_bound <= 1
    assert result.tree.n_node_samples[result.tree.is_leaf].min() >= 3
    assert result.stats["constraints"] > 0
    for seconds, claimed, counted in result.stats["runs"][0]["incumbents"]:
        assert seconds >= 0
        assert claimed == pytest.approx(counted, abs=1e-5)


def test_a_claim_that_the_data_do_not_bear_out_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tolerances can let a solver count rows that are not there; then its optimum is none."""
    run = highs.run

    def claims_too_much(model: Any, job: Any) -> Any:
        outcome = run(model, job)
        better = [type(i)(i.seconds, i.objective - 0.01, i.values) for i in outcome.incumbents]
        object.__setattr__(outcome, "incumbents", tuple(better))
        object.__setattr__(outcome, "bound", outcome.bound - 0.01)
        return outcome

    monkeypatch.setattr(highs, "run", claims_too_much)
    problem = make_problem(table_from([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1], max_depth=1)
    result = solve(problem, "oct")
    assert result.status is SolveStatus.FEASIBLE
    assert result.lower_bound == pytest.approx(result.objective - 0.01, abs=2e-6)
    assert result.lower_bound <= result.objective - 0.01  # less the tolerance
    assert any("claims an objective" in note for note in result.notes)


def test_a_proof_that_a_pruning_refutes_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two leaves for .41 where one costs .39: the solver's tree and its bound are both made worse here."""
    run = highs.run

    def bounds_too_much(model: Any, job: Any) -> Any:
        outcome = run(model, job)
        object.__setattr__(outcome, "bound", 0.41)
        return outcome

    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    problem = make_problem(
        table_from(X), [0] * 50 + [1] * 29 + [0] * 21, cost_complexity=0.1, max_depth=1, min_samples_leaf=1
    )
    tree = grow(
        problem.table.columns, problem.classes, [ThresholdSplit(0, 0.5), None, None], problem.table.X, problem.y,
        problem.sample_weight, problem.costs,
    )  # fmt: skip
    monkeypatch.setattr(highs, "run", bounds_too_much)
    monkeypatch.setattr("treewright.mip._solve.tree_of", lambda *_: tree)
    with pytest.warns(RefutedProofWarning, match=r"no objective below 0\.41"):
        result = solve(problem, "oct")
    assert (result.status, result.tree.n_leaves) == (SolveStatus.FEASIBLE, 1)
    assert (result.objective, result.lower_bound) == (pytest.approx(0.39), 0.1)


@pytest.mark.parametrize("scaling", ["rank", "range"])
def test_near_equal_values(scaling: str) -> None:
    """Equation 13's epsilon: a gap of 1e-9 of the range is below the solver's tolerance, unless ranks are scaled."""
    x = np.array([0.0, 0.5, 0.5 + 1e-9, 0.5 + 2e-9, 1.0])[:, None]
    problem = make_problem(
        table_from(np.tile(x, (2, 1))), [0, 0, 1, 1, 1] * 2, max_depth=1, cost_complexity=0.0
    )
    result = solve(problem, "leaf_accuracy", "direct", options=MIPOptions(scaling=scaling))
    counted = leaf_accuracy_score(result.tree, problem.table.X, problem.classes[problem.y])
    assert result.objective == counted
    if scaling == "rank":
        assert (result.status, result.objective) == (SolveStatus.OPTIMAL, 1.0)
        assert 0.5 <= result.tree.threshold[0] < 0.5 + 1e-9
    else:
        assert any("cannot distinguish them: columns x0" in note for note in result.notes)
        assert result.upper_bound == 1.0
        assert result.status is (SolveStatus.OPTIMAL if counted == 1 else SolveStatus.FEASIBLE)


def test_thresholds_are_in_units_of_the_table() -> None:
    problem = make_problem(table_from([[-1e6], [-5e5], [3e8], [4e8]]), list("aabb"), max_depth=1)
    for formulation in FORMULATIONS:
        for scaling in ("rank", "range"):
            result = solve(problem, formulation, "direct", options=MIPOptions(scaling=scaling))
            assert result.tree.threshold[0] == (-5e5 + 3e8) / 2


def test_gradual_goes_depth_by_depth() -> None:
    problem = noisy(14)
    result = solve(problem, "oct", "gradual")
    runs = result.stats["runs"]
    assert [run["depth"] for run in runs] == [1, 2]
    assert result.status is SolveStatus.OPTIMAL
    assert result.objective == pytest.approx(solve(problem, "oct", "direct").objective, abs=1e-6)
    first = min(counted for _, _, counted in runs[0]["incumbents"])
    assert runs[1]["incumbents"][0][2] <= first + 1e-9  # its start is the tree of depth 1


def test_gradual_doubles_its_time() -> None:
    """What is asked of the solver, for each depth: 1, 2 and 4 sevenths of what is left where none ends early."""
    asked: list[float] = []
    problem = noisy(14, max_depth=3)
    instance = Instance.of(problem)

    def call(formulation: Any, job: Any) -> Outcome:
        asked.append(job.limits.time_limit)
        return Outcome(False, False, StopReason.TIME_LIMIT, (), -math.inf, 0, 0.0, "none", "stopped")

    job = Job(keep=np.empty(0, dtype=np.int64), limits=Limits(7000))
    deadline = time.monotonic() + 7000
    solution = follow(
        "gradual", instance, 3, False, lambda d, watch: OCT(instance, d, True, watch), call, job, deadline
    )
    assert asked == pytest.approx([1000, 2000 * 7 / 6, 7000], abs=60)  # the clock does not run on here
    assert solution.source == "cart"


def test_progress_is_told_and_can_stop() -> None:
    seen: list[Progress] = []

    def watch(state: Progress) -> bool:
        seen.append(state)
        return state.seconds > 0.3

    result = solve(noisy(80, max_depth=3), "leaf_accuracy", "warm", progress=watch)
    assert result.stop_reason is StopReason.CALLBACK
    assert all(a.seconds <= b.seconds for a, b in pairwise(seen))
    assert all(0 <= state.lower_bound <= state.objective for state in seen)
    assert math.isfinite(seen[-1].objective)


def test_an_error_of_the_progress_function_is_raised() -> None:
    def broken(state: Progress) -> bool:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        solve(noisy(80, max_depth=3), "leaf_accuracy", "warm", progress=broken)


@pytest.mark.parametrize("strategy", ["direct", "warm", "gradual"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_no_stop_ends_worse_than_cart(formulation: str, strategy: str) -> None:
    """Whenever it stops: while the program is written, at the solver's first solutions, later."""
    problem = noisy(60, 1, max_depth=3, cost_complexity=0.01)
    instance, leaf_accuracy = Instance.of(problem), formulation == "leaf_accuracy"

    def value(plan: Any) -> float:
        return value_of(plan, instance, leaf_accuracy)

    cart = value(cart_start(instance, 3, value))
    for limits in (Limits(1e-6), Limits(0.05), Limits(0.3), Limits(1.0, 1)):
        result = solve(problem, formulation, strategy, limits=limits)
        assert (1 - result.objective if leaf_accuracy else result.objective) <= cart + 1e-12


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.clock
def test_the_clock_runs_while_the_program_is_written(formulation: str) -> None:
    """A program of about 10^7 coefficients takes seconds to write, and is not written to its end."""
    rng = np.random.default_rng(0)
    problem = make_problem(
        table_from(rng.normal(size=(1500, 20))), rng.integers(0, 3, 1500), max_depth=4, cost_complexity=0.0
    )
    before = time.process_time()
    result = solve(problem, formulation, limits=Limits(0.05))
    assert time.process_time() - before < 1.5
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.tree.n_leaves > 1


def test_ctrl_c_while_the_program_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(OCT, "_write_sides", interrupted)
    result = solve(noisy(), "oct")
    assert result.stop_reason is StopReason.INTERRUPT
    assert result.tree.n_leaves > 1


@pytest.mark.parametrize("when", ["as it begins", "later"])
def test_ctrl_c_while_the_solver_runs(when: str) -> None:
    """It reaches the thread that waits; the solver must learn of it, also in presolve, which calls nothing back."""
    told = threading.Event()
    limits: list[tuple[str, float]] = []

    class Solver:
        def run(self) -> None:
            if when == "later":
                time.sleep(0.2)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            for _ in range(2000):  # ends after 20 seconds where nobody tells it
                if limits:
                    told.set()
                    return
                time.sleep(0.01)

        def setOptionValue(self, name: str, value: float) -> None:
            limits.append((name, value))

    watch = highs._Watch(Job(np.arange(0), Limits()))
    highs._run_beside(Solver(), watch)
    assert told.is_set()
    assert watch.stop is StopReason.INTERRUPT
    assert limits == [("time_limit", 0.0)]


def test_ctrl_c_in_the_search_of_the_solver() -> None:
    pressed = []

    def press(_: Progress) -> bool:
        if not pressed:
            pressed.append(signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT))
        return False

    result = solve(noisy(80, max_depth=3), "leaf_accuracy", "warm", progress=press, limits=Limits(20.0))
    assert len(pressed) == 1
    assert result.stop_reason is StopReason.INTERRUPT
    assert result.tree.n_leaves > 1


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"cost_complexity": 0.01}, "cost_complexity=0.01 .*leaf_accuracy"),
        ({"formulation": "binoct", "scaling": "range"}, "scaling=.range. .*binoct"),
    ],
)
def test_parameters_without_effect_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        MIPTreeClassifier(**parameters).fit([[0], [1]], [0, 1])


def test_memory_limit() -> None:
    result = solve(noisy(300, max_depth=3), "leaf_accuracy", "warm", limits=Limits(60, None, 1))
    assert result.stop_reason is StopReason.MEMORY_LIMIT
    assert result.tree.n_leaves >= 1


def test_the_number_of_threads_may_change_between_runs() -> None:
    problem = noisy(8, max_depth=1)
    values = [solve(problem, "oct", options=MIPOptions(threads=k)).objective for k in (1, 2, 1)]
    assert len(set(values)) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"formulation": "flow"}, "formulation='flow'; choose one of 'leaf_accuracy', 'oct', 'binoct'"),
        ({"strategy": "cold"}, "strategy='cold'"),
    ],
)
def test_bad_names(call: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        solve(noisy(), **call)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"solver": "cplex"}, "solver='cplex'; choose one of 'highs', 'gurobi'"),
        ({"threads": 0}, "threads=0; give an integer of at least 1"),
        ({"seed": -1}, "seed=-1"),
        ({"scaling": "log"}, "scaling='log'"),
    ],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        MIPOptions(**options)


@pytest.mark.parametrize("depth", [None, 0, 11])
def test_bad_depth(depth: int | None) -> None:
    with pytest.raises(InputError, match=f"max_depth={depth}; .*from 1 to 10"):
        solve(noisy(max_depth=depth))


def test_costs_are_for_the_other_formulations() -> None:
    problem = make_problem(table_from([[0.0], [1.0]]), [0, 1], costs=[[0, 2], [1, 0]], max_depth=1)
    with pytest.raises(InputError, match="costs cannot be used"):
        solve(problem, "leaf_accuracy")
    assert solve(problem, "oct").loss == 0


@pytest.mark.parametrize(
    ("module", "solver", "words"),
    [("highspy", "highs", r"treewright\[mip\]"), ("gurobipy", "gurobi", "licence of Gurobi")],
)
def test_a_missing_package_is_named(module: str, solver: str, words: str) -> None:
    program = f"""
import sys; sys.modules[{module!r}] = None
from treewright import MIPTreeClassifier
from treewright.errors import MissingDependencyError
try:
    MIPTreeClassifier(max_depth=1, solver={solver!r}).fit([[0], [1]], [0, 1])
except MissingDependencyError as error:
    print(error)
"""
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert re.search(words, shown)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_certificate_survives_a_model_file(formulation: str) -> None:
    result = solve(noisy(12, max_depth=1), formulation)
    loaded = from_json(to_json(result)).result
    assert loaded is not None
    assert type(loaded) is type(result)
    assert loaded.sentence() == result.sentence()
    assert loaded.stats["solver"] == result.stats["solver"]


def test_gurobi_agrees() -> None:
    pytest.importorskip("gurobipy", reason="needs Gurobi")
    problem = noisy(12, max_depth=1)  # small enough for its free licence
    for formulation in FORMULATIONS:
        ours = solve(problem, formulation)
        theirs = solve(problem, formulation, options=MIPOptions(solver="gurobi"))
        assert theirs.status is SolveStatus.OPTIMAL
        assert theirs.objective == pytest.approx(ours.objective, abs=1e-6)
        assert theirs.stats["solver"].startswith("Gurobi")


def test_no_cart_is_grown_that_would_end_long_after_the_deadline() -> None:
    instance = Instance.of(
        make_problem(table_from(np.arange(40.0)[:, None]), np.arange(40) // 20, max_depth=2)
    )

    def value(plan: Any) -> float:
        return value_of(plan, instance, False)

    assert cart_start(instance, 2, value, deadline=time.monotonic() + 60) is not None
    assert cart_start(instance, 2, value, deadline=time.monotonic() - 60) is None


def test_ctrl_c_in_the_callback_of_the_solver() -> None:
    """It must not come out as an error of the solver, which is told to end."""

    def press(*_: Any) -> bool:
        raise KeyboardInterrupt

    watch = highs._Watch(Job(np.arange(0), Limits(), report=press))
    seen, answer = (
        SimpleNamespace(mip_dual_bound=0.0, mip_node_count=0),
        SimpleNamespace(user_interrupt=False),
    )
    watch(highs.highspy.cb.HighsCallbackType.kCallbackMipInterrupt, "", seen, answer, None)
    assert watch.stop is StopReason.INTERRUPT
    assert watch.error is None
    assert answer.user_interrupt


def test_ctrl_c_before_any_tree_leaves_the_single_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: Any) -> None:
        raise KeyboardInterrupt

    best = solve(noisy(30, max_depth=1), "oct")
    monkeypatch.setattr("treewright.mip._strategies.cart_start", press)
    result = solve(noisy(30, max_depth=1), "oct")
    assert (result.status, result.stop_reason) == (SolveStatus.FEASIBLE, StopReason.INTERRUPT)
    assert result.tree.n_leaves == 1
    assert result.lower_bound <= best.objective < result.objective


def test_weights_beyond_the_tolerance_of_the_solver_prove_nothing() -> None:
    """HiGHS calls 0.997924 the best worst leaf of the first table, and says that the second one has no tree."""
    X = [3, 2, 2, 1, 0, 1, 0, 0, 1, 3]
    y = [1, 0, 1, 2, 2, 2, 2, 2, 0, 1]
    weight = [100.0, 0.001, 10000.0, 0.01, 10.0, 10.0, 0.001, 0.001, 1.0, 0.01]
    limits = {"cost_complexity": 0.0, "max_depth": 2, "min_samples_leaf": 2}
    problem = make_problem(table_from([[float(x)] for x in X]), y, sample_weight=weight, **limits)
    seen: list[Progress] = []
    result = solve(problem, options=MIPOptions(tighten=True), progress=seen.append)
    assert solve_leaf_accuracy(problem, "all").objective > 0.9989
    assert result.status is SolveStatus.FEASIBLE
    assert result.upper_bound == 1.0
    assert all(now.lower_bound == 0 for now in seen)
    assert "The bound of HiGHS" in result.notes[-1]

    X = [0] * 8 + [1] + [0] * 3
    y = [0, 1, 1, 2, 0, 2, 2, 0, 1, 1, 1, 2]
    weight = np.where(np.isin(np.arange(12), [5, 6, 9, 11]), 1e-3, 1e8)
    limits = {"cost_complexity": 0.0, "max_depth": 1, "min_samples_leaf": 2}
    problem = make_problem(table_from([[float(x)] for x in X]), y, sample_weight=weight, **limits)
    for strategy in ("direct", "warm", "gradual"):
        assert solve(problem, strategy=strategy).status is SolveStatus.FEASIBLE
