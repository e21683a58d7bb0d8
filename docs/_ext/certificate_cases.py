"""Every form that the sentence of a certificate can take, said by the library as it is today.

The cases come from one real fit; where a form needs another status, that is changed in the result. The page
`certificate.md` shows each of them, and a test compares their words with those in the source: a new form of a sentence
needs a case here and an explanation there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Literal

import numpy as np
from certificate_born_again import (
    agreeing,
    agreeing_stopped,
    agreeing_with_answers,
    agreement_on_rows,
    faithful,
    faithful_otherwise,
    faithful_stopped,
    near_on_a_domain,
    near_on_every_row,
    near_values,
    pruned,
    small_ensemble,
    unfaithful,
    values_on_rows,
    values_open,
)
from certificate_losses import (
    policy,
    policy_stopped,
    regression,
    regression_lines,
    regression_of,
    regression_simple_lines,
    regression_stopped,
    survival,
    survival_stopped,
)
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from treewright import (
    HybridTreeClassifier,
    NearOptimalTrees,
    compare_with_cart,
    fit_shards,
    near_optimal_trees,
)
from treewright.bornagain import (
    forecast,
)
from treewright.datasets import iris
from treewright.estimators import CartComparison
from treewright.problem import (
    make_f1_problem,
    make_problem,
)
from treewright.result import (
    LeafAccuracyResult,
    ShardsResult,
    SolveResult,
    SolveStatus,
    StopReason,
    shallow_note,
)
from treewright.search import (
    Frontier,
    RocFrontier,
    SearchForecast,
    SearchTrial,
    accuracy_frontier,
    regression_frontier,
    roc_frontier,
    solve,
    solve_f1,
    solve_leaf_accuracy,
)
from treewright.verify import check_faithful

Maker = Callable[[], str]


@cache
def optimal() -> SolveResult:
    """Return a proven tree."""
    data = iris()
    return solve(make_problem(data.table, data.y, cost_complexity=0.02))


def largest_f1() -> str:
    """Say what a tree of largest F1 says."""
    data = iris()
    return solve_f1(
        make_f1_problem(data.table, data.y == data.y[-1], cost_complexity=0.0, max_depth=2)
    ).sentence()


def stopped(reason: StopReason | None) -> str:
    """Say what a run says that ended early."""
    proven = optimal()
    return replace(
        proven, status=SolveStatus.FEASIBLE, lower_bound=0.9 * proven.objective, stop_reason=reason
    ).sentence()


def guessed() -> str:
    """Say what a run with guessed lower bounds says."""
    proven = optimal()
    return replace(
        proven, status=SolveStatus.OPTIMAL_UNDER_GUESSES, lower_bound=proven.objective - 0.012
    ).sentence()


def limited() -> str:
    """Say what a run under all limits says."""
    proven = optimal()
    limits = {"max_depth": 3, "max_leaf_nodes": 6, "min_samples_leaf": 5, "min_leaf_accuracy": 0.9}
    return replace(proven, options={**proven.options, **limits}).sentence()


def single_leaf() -> str:
    """Say what is said where no split pays for itself."""
    data = iris()
    return solve(make_problem(data.table, data.y, cost_complexity=0.5)).sentence()


@cache
def worst_leaf(criterion: Literal["accuracy", "lower_bound"] = "accuracy") -> LeafAccuracyResult:
    """Return a tree with the best worst leaf."""
    data = iris()
    problem = make_problem(data.table, data.y, cost_complexity=0.0, max_depth=2, min_samples_leaf=5)
    return solve_leaf_accuracy(problem, criterion=criterion)


def worst_leaf_stopped(**proven: bool) -> str:
    """Say what a run for leaf accuracy says that ended early."""
    found = worst_leaf()
    return replace(
        found,
        status=SolveStatus.FEASIBLE,
        stop_reason=StopReason.TIME_LIMIT,
        stats={**found.stats, "upper_bound": 1.0, "value_proven": False, "loss_proven": False, **proven},
    ).sentence()


def worst_leaf_alone(tolerance: float = 0.0) -> str:
    """Say what a mixed-integer program says, which proves the worst leaf and nothing about errors."""
    found = worst_leaf()
    return replace(found, stats={**found.stats, "loss_proven": False, "tolerance": tolerance}).sentence()


def worst_leaf_short() -> str:
    """Say what is said of a worst leaf that only counts as good as the best one."""
    found = worst_leaf()
    return replace(found, stats={**found.stats, "tolerance": 1.3e-13}).sentence()


def explained(weighted: bool = False) -> str:
    """Say how often a tree explains what a hybrid tree answers; with weights for how much of the weight, too."""
    data = iris()
    leaf = DecisionTreeClassifier(max_depth=3, random_state=0)
    X = data.table.X
    return (
        HybridTreeClassifier(optimal().tree, leaf_estimator=leaf, tune=None)
        .fit(X, data.y)
        .report(X, data.y, np.where(data.y == data.y[-1], 2.0, 1.0) if weighted else None)
        .sentence()
    )


@cache
def front() -> Frontier:
    """Return the best trees of one to four leaves."""
    data = iris()
    return accuracy_frontier(data.table, data.y, max_leaves=4, thresholds=8, progress=False)


def roc_front() -> RocFrontier:
    """Return the best rates of one iris species against the others."""
    data = iris()
    return roc_frontier(data.table, data.y == data.y[-1], max_depth=1, progress=False)


def front_stopped(proven: int) -> str:
    """Say what a front says whose search ended early."""
    limits = tuple(
        point if k < proven else replace(point, status=SolveStatus.FEASIBLE)
        for k, point in enumerate(front().limits)
    )
    return replace(front(), limits=limits, stop_reason=StopReason.TIME_LIMIT).sentence()


def front_limited(proven: int) -> str:
    """Say what a front of trees of limited depth says."""
    limits = tuple(
        replace(
            point,
            status=SolveStatus.OPTIMAL if k < proven else SolveStatus.FEASIBLE,
            options={**point.options, "max_depth": 3},
        )
        for k, point in enumerate(front().limits)
    )
    stop = None if proven == len(limits) else StopReason.TIME_LIMIT
    return replace(front(), limits=limits, stop_reason=stop).sentence()


def front_of_numbers() -> str:
    """Say what a front of regression trees says, whose losses are sums of real numbers."""
    X, _ = load_iris(return_X_y=True, as_frame=True)
    lengths = X.pop("petal length (cm)")
    return regression_frontier(X, lengths, max_leaves=4, max_depth=2, progress=False).sentence()


def rounded() -> str:
    """Say what a proof says whose weights had to be rounded."""
    proven = optimal()
    return replace(proven, lower_bound=proven.objective - 2e-8).sentence()


def tolerated() -> str:
    """Say what a mixed-integer program says where its solver's tolerance leaves something open."""
    proven = optimal()
    left = {"lower_bound": proven.objective - 2e-6, "options": {**proven.options, "method": "mip"}}
    return replace(proven, **left).sentence()


@cache
def beside_cart() -> CartComparison:
    """Return CART and the best tree of its size, with test rows."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    return compare_with_cart(X[::2], y[::2], X[1::2], y[1::2], max_depth=2)


def beside_cart_freer() -> str:
    """Say what is said where CART may use splits that the search may not."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    return compare_with_cart(X, y, max_depth=2, thresholds=3, min_samples_leaf=5).sentence()


@cache
def in_shards() -> ShardsResult:
    """Return a tree fitted to four shards of rows."""
    data = iris()
    return fit_shards(data.table.X, data.y, max_depth=2, shard_rows=38, progress=False).result_


def in_shards_proven() -> str:
    """Say what a fit on shards says whose shards agree."""
    found = in_shards()
    return replace(found, status=SolveStatus.OPTIMAL, lower_bound=found.objective).sentence()


def in_shards_stopped() -> str:
    """Say what a fit on shards says that was stopped before the last shard was searched."""
    found = in_shards()
    stats = {**found.stats, "shards_lost": 1}
    return replace(
        found, status=SolveStatus.FEASIBLE, stats=stats, stop_reason=StopReason.TIME_LIMIT
    ).sentence()


def in_shards_stopped_costs() -> str:
    """Say what such a fit says if every label has its cost."""
    data, costs = iris(), 1.0 - 0.9 * np.eye(3)
    return fit_shards(
        data.table.X, data.y, max_depth=2, shard_rows=38, costs=costs, progress=lambda s: s.done >= 3
    ).result_.sentence()


def in_one_shard() -> str:
    """Say what a fit on a single shard says that was stopped."""
    found = in_shards()
    return replace(
        found,
        status=SolveStatus.FEASIBLE,
        lower_bound=0.1,
        stats={"shards": 1},
        stop_reason=StopReason.TIME_LIMIT,
    ).sentence()


@cache
def near_optimal() -> NearOptimalTrees:
    """Return all trees within a fifth of the least objective."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    return near_optimal_trees(X, y, cost_complexity=0.02, max_depth=3, epsilon=0.2, thresholds=8)


def near_optimal_also() -> str:
    """Say what a set says in which leaves may have any label and splits may have no effect."""
    X, y = load_iris(return_X_y=True)
    how = {"cost_complexity": 0.02, "max_depth": 2, "thresholds": 4, "epsilon": 0.2}
    return near_optimal_trees(X, y, leaf_labels="any", redundant_splits=True, **how).sentence()


def near_optimal_stopped() -> str:
    """Say what a set says that is not as large as asked."""
    trees = near_optimal()
    best = replace(trees.best, status=SolveStatus.FEASIBLE)
    return replace(trees, best=best, asked=2 * trees.asked, stop_reason=StopReason.TIME_LIMIT).sentence()


def near_optimal_rounded() -> str:
    """Say what a set says whose weights are real numbers."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    trees = near_optimal_trees(
        X,
        y,
        cost_complexity=0.02,
        max_depth=2,
        thresholds=4,
        sample_weight=np.sqrt(np.arange(1, 151)),
    )
    return trees.sentence()


def near_optimal_nothing() -> str:
    """Say what a set says that was stopped before the optimal trees were all found."""
    trees = near_optimal()
    counts = replace(trees.counts, membership=replace(trees.membership, budget=Fraction(-1)))
    return replace(trees, counts=counts, stop_reason=StopReason.TIME_LIMIT).sentence()


def stopped_by_rounding() -> str:
    """Say what a search says that ended, but whose numbers were rounded too far for a proof."""
    note = "Costs were rounded for the search; that may move an objective by 1e-3."
    open_result = replace(optimal(), status=SolveStatus.FEASIBLE, stop_reason=None, notes=(note,))
    return replace(open_result, lower_bound=open_result.objective - 1e-3).sentence()


def search_forecast(
    shortest: float, longest: float, limit: float | None, rows: int = 512, ended: bool = False
) -> str:
    """Say how long a search will take, by an estimate with such a range."""
    trial = SearchTrial(rows, 0.4, ended, 2 << 20)
    return SearchForecast(20_000, 40.0, shortest, longest, 90 << 20, limit, (trial,)).sentence()


CASES: dict[str, Maker] = {
    "optimal": lambda: optimal().sentence(),
    "single-leaf": single_leaf,
    "limited": limited,
    "f1": largest_f1,
    "rounded": rounded,
    "tolerated": tolerated,
    "guessed": guessed,
    **{f"stopped-{reason.name.lower()}": partial(stopped, reason) for reason in StopReason},
    "stopped": partial(stopped, None),
    "stopped-shallower": partial(shallow_note, {"min_samples_leaf": 5}, 4, 0.1),
    "stopped-shallower-rounded": partial(shallow_note, {}, 4, 0.1, 2e-8),
    "stopped-by-rounding": stopped_by_rounding,
    "search-forecast": partial(search_forecast, 12.0, 130.0, 300.0),
    "search-forecast-open": partial(search_forecast, 12.0, 130.0, 30.0),
    "search-forecast-too-long": partial(search_forecast, 90.0, float("inf"), 30.0),
    "search-forecast-run": partial(search_forecast, 0.4, 0.4, None, rows=20_000, ended=True),
    **{
        f"born-again-{goal}": lambda goal=goal: faithful(goal).sentence()
        for goal in ("depth", "leaves", "depth-leaves", "heuristic")
    },
    "born-again-other": faithful_otherwise,
    "born-again-active": pruned,
    "born-again-rows": lambda: agreeing(tolerance=0.02).sentence(),
    "born-again-rows-missed": lambda: agreeing(tolerance=0.0, max_leaves=2).sentence(),
    "born-again-rows-any-depth": lambda: agreeing(tolerance=0.02, max_depth=None).sentence(),
    "born-again-rows-stopped": agreeing_stopped,
    "born-again-labels": agreeing_with_answers,
    "agreement": agreement_on_rows,
    "born-again-values": lambda: near_values()[0].sentence(),
    "born-again-values-open": values_open,
    "value-agreement": values_on_rows,
    "near-everywhere": partial(near_on_every_row, 100),
    "near-everywhere-stopped": partial(near_on_every_row, 3),
    "near-everywhere-domain": near_on_a_domain,
    "born-again-stopped": partial(faithful_stopped, 4),
    "born-again-stopped-at-once": partial(faithful_stopped, 1),
    "leaf-accuracy": lambda: worst_leaf().sentence(),
    "leaf-accuracy-bound": lambda: worst_leaf("lower_bound").sentence(),
    "leaf-accuracy-short": worst_leaf_short,
    "leaf-accuracy-alone": worst_leaf_alone,
    "leaf-accuracy-alone-tolerated": partial(worst_leaf_alone, 2e-6),
    "leaf-accuracy-value": partial(worst_leaf_stopped, value_proven=True),
    "leaf-accuracy-stopped": worst_leaf_stopped,
    "frontier": lambda: front().sentence(),
    "frontier-stopped": partial(front_stopped, 2),
    "frontier-limited": partial(front_limited, 4),
    "frontier-limited-stopped": partial(front_limited, 2),
    "frontier-unknown": partial(front_stopped, 0),
    "frontier-of-numbers": front_of_numbers,
    "roc-frontier": lambda: roc_front().sentence(),
    "beside-cart": lambda: beside_cart().sentence(),
    "beside-cart-freer": beside_cart_freer,
    "beside-cart-stopped": lambda: replace(beside_cart(), fewest_mistakes=0, test_mistakes=None).sentence(),
    "regression": lambda: regression().sentence(),
    "regression-stopped": regression_stopped,
    "regression-poisson": partial(regression_of, "poisson"),
    "regression-gamma": partial(regression_of, "gamma"),
    "regression-absolute-error": partial(regression_of, "absolute_error"),
    "regression-quantile": partial(regression_of, "quantile"),
    "regression-lines": partial(regression_lines, 0),
    "regression-some-lines": partial(regression_lines, 1),
    "regression-no-lines": partial(regression_lines, -1),
    "regression-simple-lines": regression_simple_lines,
    "survival": lambda: survival().sentence(),
    "survival-stopped": survival_stopped,
    "shards": lambda: in_shards().sentence(),
    "shards-proven": in_shards_proven,
    "shards-stopped": in_shards_stopped,
    "shards-stopped-costs": in_shards_stopped_costs,
    "shards-one": in_one_shard,
    "policy": lambda: policy().sentence(),
    "policy-stopped": policy_stopped,
    "near-optimal": lambda: near_optimal().sentence(),
    "near-optimal-rules": lambda: near_optimal().where(without="petal length (cm)").sentence(),
    "near-optimal-also": near_optimal_also,
    "near-optimal-none": lambda: near_optimal().where(max_leaves=1).sentence(),
    "near-optimal-one": lambda: near_optimal().where(max_objective=near_optimal().best.objective).sentence(),
    "near-optimal-stopped": near_optimal_stopped,
    "near-optimal-nothing": near_optimal_nothing,
    "near-optimal-chosen": lambda: near_optimal().result(-1).sentence(),
    "near-optimal-rounded": near_optimal_rounded,
    "hybrid": explained,
    "hybrid-weighted": lambda: explained(weighted=True),
    "forecast": lambda: forecast(small_ensemble(), descents=10).sentence(),
    "faithful": lambda: check_faithful(faithful("leaves").tree, small_ensemble()).sentence(),
    "unfaithful": unfaithful,
}
