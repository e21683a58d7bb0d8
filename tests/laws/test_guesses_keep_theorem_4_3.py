"""Laws of guessed lower bounds (McTavish et al. 2022, section 4.3), checked against every tree and a plain
twin.

Four quantities of a problem with a reference, each found by plain recursion here:

* the optimum;
* `steps`: the section's own branch and bound, run with every update of step 2b and no early stop of step 2a:
the
  final lower bound of the root. Any tree that costs at most this is accepted by step 2a;
* `union`: the smallest right side of Theorem 4.3, every row charged with the dearer of reference and tree.

The search's objective lies between the optimum and `steps`, and `steps` is at most `union`. Where the
optimum and `steps` agree, the answer is forced.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

from brute_force import best_objective
from tiny_problems import TOLERANCE, TinyProblem, random_problem, walk
from treewright import SolveResult, SolveStatus
from treewright.binarize import SplitMatrix
from treewright.convert import to_json
from treewright.guess import ReferenceCosts, guessed_lower_bound, reference_costs
from treewright.problem import Problem
from treewright.result import StopReason
from treewright.search import BinaryOptions, Limits, Progress, _beside
from treewright.search._beside import solve_beside
from treewright.search._solve import solve_binary

SWITCHES = [
    None,
    BinaryOptions(cache=False),
    BinaryOptions(lookahead=False),
    BinaryOptions(two_leaves=False, greedy_start=False),
    BinaryOptions(equivalent_points=False),
    BinaryOptions(budgets=False, lattice=False),
    BinaryOptions(kernel="rows"),
    BinaryOptions(plain_steps=3, lattice=False),
]


def with_reference(
    problem: TinyProblem,
    predictions: np.ndarray,
    limits: Limits | None = None,
    options: BinaryOptions | None = None,
) -> SolveResult:
    stated, cuts = problem.stated()
    reference = reference_costs(predictions, stated.y, stated.sample_weight, stated.costs)
    return solve_binary(stated, cuts, reference=reference, limits=limits, options=options)


def union(problem: TinyProblem, predictions: np.ndarray) -> Fraction:
    """Smallest right side of Theorem 4.3 over all trees: each row a class of its own, with its own costs."""
    n = problem.n_rows
    paid = problem.costs[problem.y, predictions]
    return best_objective(
        problem.goes_right,
        np.arange(n),
        problem.weight,
        np.maximum(problem.costs[problem.y], paid[:, None]),
        Fraction(problem.cost_complexity),
        problem.max_depth,
        problem.max_leaf_nodes,
        problem.min_samples_leaf,
    )


def steps(problem: TinyProblem, predictions: np.ndarray) -> Fraction:
    """Final lower bound of section 4.3's branch and bound; depth and leaf price only.

    lb_guess and ub as in the section; step 1 as written; step 2b applied to every feature until nothing
    changes.
    """
    total = sum(Fraction(float(w)) for w in problem.weight)
    price = Fraction(problem.cost_complexity)
    cost = [
        [Fraction(float(w)) * Fraction(float(c)) / total for c in problem.costs[y]]
        for w, y in zip(problem.weight, problem.y, strict=True)
    ]

    @cache
    def final(rows: tuple[int, ...], depth: int) -> Fraction:
        lb_guess = sum((cost[r][predictions[r]] for r in rows), Fraction(0)) + price
        ub = min(sum(cost[r][k] for r in rows) for k in range(len(problem.costs))) + price
        if ub <= lb_guess + price or depth == 0:  # step 1
            return ub
        lb_split = None
        for j in range(problem.n_columns):
            zero = tuple(r for r in rows if not problem.goes_right[j, r])
            one = tuple(r for r in rows if problem.goes_right[j, r])
            if zero and one:
                value = final(zero, depth - 1) + final(one, depth - 1)
                lb_split = value if lb_split is None else min(lb_split, value)
        return max(lb_guess, ub if lb_split is None else min(ub, lb_split))  # step 2b

    depth = problem.n_columns if problem.max_depth is None else min(problem.max_depth, problem.n_columns)
    return final(tuple(range(problem.n_rows)), depth)


def random_predictions(rng: np.random.Generator, problem: TinyProblem, consistent: bool) -> np.ndarray:
    """A reference that is right on a share of the rows; if consistent, the same on equal rows."""
    guess = rng.integers(0, len(problem.costs), problem.n_rows)
    right = rng.random(problem.n_rows) < rng.choice([0.0, 0.5, 0.8, 0.95])
    predictions = np.where(right, problem.y, guess).astype(np.int32)
    if consistent:
        group = np.unique(problem.goes_right.T, axis=0, return_inverse=True)[1].ravel()
        for g in range(group.max() + 1):
            predictions[group == g] = predictions[group == g][0]
    return predictions


def larger(rng: np.random.Generator) -> TinyProblem:
    """Enough rows, and cheap enough leaves, that guesses are really wrong."""
    problem = random_problem(rng, max_columns=6, max_rows=22, max_classes=3)
    return problem.but(cost_complexity=float(rng.choice([0.0, 0.001, 0.01, 0.03, 0.05])))


@pytest.mark.parametrize("seed", range(8))
def test_theorem_4_3(seed: int) -> None:
    """On thousands of problems with every limit, weight and cost, and any reference."""
    rng = np.random.default_rng(4300 + seed)
    for i in range(300):
        problem = larger(rng) if i % 2 else random_problem(rng)
        predictions = random_predictions(rng, problem, consistent=bool(rng.integers(2)))
        result = with_reference(problem, predictions, options=SWITCHES[rng.integers(len(SWITCHES))])
        objective, leaves, depth = walk(problem, result)
        assert float(objective) == pytest.approx(result.objective, abs=TOLERANCE)
        assert problem.max_depth is None or depth <= problem.max_depth
        assert problem.max_leaf_nodes is None or leaves <= problem.max_leaf_nodes
        assert result.status is SolveStatus.OPTIMAL_UNDER_GUESSES
        assert float(objective) <= float(union(problem, predictions)) + TOLERANCE
        optimum = float(problem.optimum())
        assert optimum - TOLERANCE <= result.objective
        assert result.lower_bound <= optimum + TOLERANCE  # proven, guess or not
        lost = result.stats["most_lost_by_guesses"]
        assert result.objective - optimum <= lost + TOLERANCE
        paid = problem.weight * problem.costs[problem.y, predictions]
        assert lost <= paid.sum() / problem.weight.sum() + TOLERANCE


@pytest.mark.parametrize("seed", range(4))
def test_the_answer_is_within_the_sections_steps(seed: int) -> None:
    rng = np.random.default_rng(4400 + seed)
    forced = 0
    for _ in range(120):
        problem = larger(rng).but(max_leaf_nodes=None, min_samples_leaf=1)
        predictions = random_predictions(rng, problem, consistent=True)
        bound, optimum = float(steps(problem, predictions)), float(problem.optimum())
        assert optimum - TOLERANCE <= bound <= float(union(problem, predictions)) + TOLERANCE
        for options in SWITCHES:
            result = with_reference(problem, predictions, options=options)
            assert optimum - TOLERANCE <= result.objective <= bound + TOLERANCE
        if abs(bound - optimum) <= TOLERANCE:
            forced += 1
            assert result.objective == pytest.approx(optimum, abs=TOLERANCE)
    assert 20 <= forced < 120  # both kinds occur


@pytest.mark.parametrize("seed", range(4))
def test_a_perfect_reference_gives_the_optimum(seed: int) -> None:
    rng = np.random.default_rng(4500 + seed)
    for i in range(150):
        problem = larger(rng) if i % 2 else random_problem(rng)
        if (np.diag(problem.costs) > 0).any():
            continue  # then even the right answer costs, and no reference is perfect
        result = with_reference(problem, problem.y)
        assert result.objective == pytest.approx(float(problem.optimum()), abs=TOLERANCE)
        assert result.status is SolveStatus.OPTIMAL_UNDER_GUESSES
        assert result.stats["most_lost_by_guesses"] == pytest.approx(0, abs=TOLERANCE)
        assert result.lower_bound == pytest.approx(result.objective, abs=TOLERANCE)


def test_a_reference_whose_errors_the_optimum_makes_too_loses_nothing() -> None:
    """The paper's remark after the theorem: errors of the reference within those of the optimal tree."""
    rng = np.random.default_rng(46)
    for _ in range(150):
        problem = larger(rng)
        best = problem.solve().tree.predict(problem.goes_right.T.astype(float)).astype(np.int32)
        also_wrong = (best != problem.y) & (rng.random(problem.n_rows) < 0.7)
        predictions = np.where(also_wrong, best, problem.y).astype(np.int32)
        result = with_reference(problem, predictions)
        assert result.objective == pytest.approx(float(problem.optimum()), abs=TOLERANCE)


def test_a_reference_beaten_by_no_more_than_leaf_penalties_can_lose_something() -> None:
    """It is wrong on two of every five equal rows, and a leaf costs two: the guesses hold only if no tree beats it."""
    cells = np.array(list(product((False, True), repeat=3)))
    goes_right = np.repeat(cells, 5, axis=0).T
    y = np.repeat(cells.sum(axis=1) % 2, 5).astype(np.int32)
    predictions = np.where(np.arange(40) % 5 < 2, 1 - y, y).astype(np.int32)
    tiny = TinyProblem(goes_right, y, np.ones(40), 1.0 - np.eye(2), cost_complexity=2 / 40)
    result = with_reference(tiny, predictions)
    assert result.status is SolveStatus.OPTIMAL_UNDER_GUESSES
    assert (result.objective, float(tiny.optimum())) == pytest.approx((22 / 40, 16 / 40))
    assert result.lower_bound <= 16 / 40 + TOLERANCE


def test_guesses_do_lose_something_sometimes() -> None:
    """Otherwise the laws above would hold for any search; and what is lost is never called OPTIMAL."""
    rng = np.random.default_rng(47)
    lost = 0
    for _ in range(60):
        goes_right = rng.integers(0, 2, (6, 24)).astype(np.uint8)
        y = rng.integers(0, 2, 24).astype(np.int32)
        problem = TinyProblem(goes_right, y, np.ones(24), 1 - np.eye(2), cost_complexity=0.005)
        predictions = rng.integers(0, 2, 24).astype(np.int32)
        result = with_reference(problem, predictions)
        lost += result.objective > float(problem.optimum()) + TOLERANCE
    assert lost >= 10


@pytest.mark.parametrize("n_steps", [1, 2, 3, 10, 50])
def test_stopped_runs_claim_nothing_by_guesses(n_steps: int) -> None:
    rng = np.random.default_rng(48)
    for _ in range(40):
        problem = larger(rng)
        predictions = random_predictions(rng, problem, consistent=False)
        result = with_reference(problem, predictions, limits=Limits(step_limit=n_steps))
        objective, _, _ = walk(problem, result)
        assert float(objective) == pytest.approx(result.objective, abs=TOLERANCE)
        assert result.lower_bound <= float(problem.optimum()) + TOLERANCE
        assert result.status is not SolveStatus.OPTIMAL
        if result.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
            assert float(objective) <= float(union(problem, predictions)) + TOLERANCE


@pytest.mark.parametrize(
    ("memory", "options"),
    [(1, BinaryOptions()), (None, BinaryOptions(cache=False))],
    ids=["little", "no cache"],
)
def test_a_search_that_lost_its_tree_was_stopped(memory: int | None, options: BinaryOptions) -> None:
    """What the cache has lost is solved again, and here it ends with a worse tree, of which nothing is proven."""
    rng = np.random.default_rng(339)
    goes_right = (rng.random((7, 100)) < 0.3).astype(np.uint8)
    y = ((goes_right[:4].sum(axis=0) % 2) ^ (rng.random(100) < 0.15)).astype(np.int32)
    predictions = np.where(rng.random(100) < 0.75, y, 1 - y).astype(np.int32)
    problem = TinyProblem(goes_right, y, np.ones(100), 1 - np.eye(2), cost_complexity=0.017, max_depth=4)
    roomy = with_reference(problem, predictions)
    assert (roomy.status, roomy.stop_reason) == (SolveStatus.OPTIMAL_UNDER_GUESSES, None)
    tight = with_reference(problem, predictions, Limits(memory_limit=memory), options)
    walk(problem, tight)
    assert (tight.status, tight.stop_reason) == (SolveStatus.FEASIBLE, StopReason.MEMORY_LIMIT)
    assert tight.objective >= roomy.objective


def test_a_search_within_leaves_that_lost_its_tree_was_stopped() -> None:
    """The tree of the search without a limit on leaves, where it keeps that limit, is the one found or none."""
    rng = np.random.default_rng(612)
    goes_right = (rng.random((6, 103)) < 0.3).astype(np.uint8)
    y = ((goes_right[:4].sum(axis=0) % 2) ^ (rng.random(103) < 0.15)).astype(np.int32)
    predictions = np.where(rng.random(103) < 0.75, y, 1 - y).astype(np.int32)
    problem = TinyProblem(
        goes_right, y, np.ones(103), 1 - np.eye(2), cost_complexity=2.5 / 103, max_depth=5, max_leaf_nodes=10
    )
    tight = with_reference(problem, predictions, Limits(memory_limit=1 << 18))
    walk(problem, tight)
    assert (tight.status, tight.stop_reason) == (SolveStatus.FEASIBLE, StopReason.MEMORY_LIMIT)


def test_equation_4() -> None:
    y = np.array([0, 0, 1, 1, 1], dtype=np.int32)
    weight = np.array([1.0, 1, 1, 2, 3])
    reference = reference_costs(np.array([0, 1, 1, 0, 1], dtype=np.int32), y, weight, 1 - np.eye(2))
    rows = np.array([False, True, True, True, False])
    assert reference.n_wrong == 2
    assert guessed_lower_bound(reference, rows, 8.0, 0.01) == pytest.approx((1 + 2) / 8 + 0.01)
    assert reference.loss == pytest.approx(3 / 8)


@pytest.mark.parametrize("seed", range(4))
def test_two_searches_beside_claim_what_holds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns of any length, any limit of steps: the optimum lies inside the bounds, and the status is true."""
    rng = np.random.default_rng(4600 + seed)
    seen = Counter[SolveStatus]()
    for i in range(250):
        problem = larger(rng) if i % 4 else random_problem(rng)
        predictions = random_predictions(rng, problem, consistent=bool(rng.integers(2)))
        stated, cuts = problem.stated()
        reference = reference_costs(predictions, stated.y, stated.sample_weight, stated.costs)
        monkeypatch.setattr(_beside, "FIRST_TURN", int(rng.choice([1, 2, 5, 20, 2000])))
        limits = Limits(step_limit=None if i % 2 else int(rng.integers(1, 30)))
        result = solve_beside(
            stated, cuts, reference, limits=limits, options=SWITCHES[rng.integers(len(SWITCHES))]
        )
        objective, leaves, depth = walk(problem, result)
        optimum = float(problem.optimum())
        assert float(objective) == pytest.approx(result.objective, abs=TOLERANCE)
        assert problem.max_depth is None or depth <= problem.max_depth
        assert problem.max_leaf_nodes is None or leaves <= problem.max_leaf_nodes
        assert optimum - TOLERANCE <= result.objective
        assert result.lower_bound <= optimum + TOLERANCE
        exact_ended = result.stats["exact_objective"] is not None
        if result.status is SolveStatus.OPTIMAL:
            assert exact_ended
            assert result.objective == pytest.approx(optimum, abs=TOLERANCE)
            assert result.lower_bound == pytest.approx(optimum, abs=TOLERANCE)
        elif result.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
            assert not exact_ended
            assert result.objective <= result.stats["guessed_objective"]
            assert result.objective <= float(union(problem, predictions)) + TOLERANCE
            assert result.stats["most_lost_by_guesses"] == result.objective - result.lower_bound
        if result.status is SolveStatus.FEASIBLE:
            assert result.stop_reason is StopReason.STEP_LIMIT
            assert limits.step_limit is not None
        else:
            assert result.stop_reason is None
        seen[result.status] += 1
    assert min(seen[status] for status in SolveStatus) > 0


def hard() -> tuple[Problem, SplitMatrix, ReferenceCosts]:
    """Neither search ends soon, and a right reference guesses nothing that could end one."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400).astype(np.int32)
    columns = rng.integers(0, 2, (40, 400)).astype(np.uint8)
    stated, cuts = TinyProblem(columns, y, np.ones(400), 1 - np.eye(2), 0.003).stated()
    return stated, cuts, reference_costs(stated.y, stated.y, stated.sample_weight, stated.costs)


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_a_stop_in_any_turn_keeps_the_best_tree_and_bound(
    turn: int, outside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C inside the engine, and outside of it, where it leaves no result of its turn."""
    monkeypatch.setattr(_beside, "FIRST_TURN", 20)
    turns: list[SolveResult] = []

    def until(*args: object, **how: object) -> SolveResult:
        if len(turns) == turn and outside:
            raise KeyboardInterrupt
        found = solve_binary(*args, **how)  # type: ignore[arg-type]
        turns.append(found)
        return replace(found, stop_reason=StopReason.INTERRUPT) if len(turns) == turn + 1 else found

    monkeypatch.setattr(_beside, "solve_binary", until)
    if outside and not turn:  # no tree yet
        with pytest.raises(KeyboardInterrupt):
            solve_beside(*hard(), limits=Limits())
        return
    result = solve_beside(*hard(), limits=Limits())
    assert len(turns) == turn + (not outside)
    assert result.status is SolveStatus.FEASIBLE
    assert result.stop_reason is StopReason.INTERRUPT
    assert result.objective == min(found.objective for found in turns)
    assert result.lower_bound == max(found.lower_bound for found in turns)


def test_progress_of_two_searches_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Incumbents fall, proven bounds rise, seconds and steps go on, and a true answer ends both."""
    monkeypatch.setattr(_beside, "FIRST_TURN", 500)
    seen: list[Progress] = []

    def tell(state: Progress) -> bool:
        seen.append(state)
        return len(seen) == 8

    result = solve_beside(*hard(), limits=Limits(), progress=tell)
    assert result.stop_reason is StopReason.CALLBACK
    assert len(seen) == 8
    for before, after in pairwise(seen):
        assert after.seconds >= before.seconds
        assert after.subproblems >= before.subproblems
        assert after.objective <= before.objective
        assert after.lower_bound >= before.lower_bound
    assert seen[-1].lower_bound - TOLERANCE <= result.lower_bound
    assert result.lower_bound <= result.objective <= seen[-1].objective + TOLERANCE


def test_two_searches_beside_do_the_same_every_time() -> None:
    problem = random_problem(np.random.default_rng(3), max_columns=6, max_rows=22).but(cost_complexity=0.001)
    stated, cuts = problem.stated()
    reference = reference_costs(1 - stated.y % 2, stated.y, stated.sample_weight, stated.costs)
    one, other = (solve_beside(stated, cuts, reference, limits=Limits(step_limit=40)) for _ in range(2))
    assert to_json(one.tree) == to_json(other.tree)
    assert one.stats["steps"] == other.stats["steps"] <= 40
    assert (one.status, one.lower_bound) == (other.status, other.lower_bound)


@pytest.mark.parametrize("seed", range(4))
def test_a_recheck_keeps_the_better_tree_and_proven_bounds(seed: int) -> None:
    """With steps enough to end, and with too few; ended, it keeps Theorem 4.3 for a guess that is lower."""
    rng = np.random.default_rng(seed)
    found = Counter[str]()
    for i in range(200):
        problem = larger(rng)
        predictions = random_predictions(rng, problem, consistent=bool(rng.integers(2)))
        stated, cuts = problem.stated()
        reference = reference_costs(predictions, stated.y, stated.sample_weight, stated.costs)
        first = with_reference(problem, predictions)
        most = 10**6 if i % 3 == 0 else int(first.stats["steps"]) + int(rng.integers(0, 4))
        result = solve_binary(
            stated,
            cuts,
            reference=reference,
            recheck=(0, most),
            options=SWITCHES[rng.integers(len(SWITCHES))],
        )
        optimum = float(problem.optimum())
        objective, leaves, depth = walk(problem, result)
        assert float(objective) == pytest.approx(result.objective, abs=TOLERANCE)
        assert problem.max_depth is None or depth <= problem.max_depth
        assert problem.max_leaf_nodes is None or leaves <= problem.max_leaf_nodes
        assert optimum - TOLERANCE <= result.objective <= float(union(problem, predictions)) + TOLERANCE
        assert result.lower_bound <= optimum + TOLERANCE
        assert result.stats["most_lost_by_guesses"] == pytest.approx(result.objective - result.lower_bound)
        assert result.status is SolveStatus.OPTIMAL_UNDER_GUESSES
        if "refuted_rows" in result.stats:
            assert 0 < result.stats["refuted_rows"] <= reference.n_wrong
            assert result.objective <= result.stats["guessed_objective"]
            assert (
                result.lower_bound >= result.stats["guessed_objective"] - result.stats["reference_loss"] - 1
            )
            found["rechecked"] += 1
            found["better"] += result.objective < result.stats["guessed_objective"] - TOLERANCE
            found["higher"] += result.lower_bound > first.lower_bound + TOLERANCE
    assert found["rechecked"] > 20
    assert found["higher"] > 5


def test_a_recheck_costs_what_it_may() -> None:
    """A quarter of the steps before it or 500, and none where none are left."""
    problem, cuts, _ = hard()
    shorter = replace(problem, max_depth=4)
    rng = np.random.default_rng(8)
    predictions = np.where(rng.random(len(problem.y)) < 0.25, 1 - problem.y, problem.y).astype(np.int32)
    reference = reference_costs(predictions, problem.y, problem.sample_weight, problem.costs)
    first = solve_binary(shorter, cuts, reference=reference)
    done = int(first.stats["steps"])
    for before, most in ((0, 10**9), (4000, 10**9), (0, done + 7), (0, done)):
        result = solve_binary(shorter, cuts, reference=reference, recheck=(before, most))
        spent = int(result.stats["steps"]) - done
        assert spent <= min(max(500, (before + done) // 4), most - done)
        assert ("refuted_rows" in result.stats) == (most > done)
        assert (spent > 0) == (most > done)
        assert result.objective <= first.objective
        assert result.lower_bound >= first.lower_bound
