"""The methods of the benchmark of leaf accuracy, and how one answer of each is made on one split.

A method knows on how many splits it is run by default and which settings matter to it: these, and no others, are
part of the name under which its answer is kept. The limit of an exact search is in CPU seconds, taken by its
progress callback, so that other users of the machine do not decide what is proven; a fold of the
cross-validated search has a limit of steps; a solver of mixed-integer programs knows the clock only.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks._leaf_accuracy_data import Rows
from treewright import HybridTreeClassifier, OptimalTreeClassifier
from treewright.convert import from_json, to_json
from treewright.estimators import LeafAccuracyTreeClassifier, LeafAccuracyTreeClassifierCV, MIPTreeClassifier
from treewright.leaf_accuracy import leaf_accuracy_score, leaf_table, tuned_cart
from treewright.leaf_accuracy._leaf_models import make_leaf_model
from treewright.leaf_accuracy._rounds import choose_rounds
from treewright.leaf_accuracy._top import make_top
from treewright.leaf_accuracy._tune import tune_model
from treewright.table import encode_like
from treewright.tree import Tree, reduce_tree

__all__ = [
    "DEPTH",
    "LEAST",
    "LEAVES",
    "TREES",
    "Method",
    "answer_of_black_box",
    "answer_of_hybrid",
    "answer_of_tree",
]

DEPTH, LEAST = 4, 50  # section 4
LARGE = 0.05  # share of the rows in the smallest leaf, as in the default
# Models in the leaves, and alone on all rows: as they come, with cross-validated rounds, tuned as in Table 6.
LEAVES = ("boosting", "boosting rounds", "xgboost", "xgboost rounds", "xgboost tuned")

Answer = dict[str, Any]


@dataclass(frozen=True)
class Method:
    """A way to a tree.

    Parameters
    ----------
    splits : int
        On how many splits it is run if nothing else is said.
    settings : tuple of str
        The options that matter to it.
    make : callable
        Takes the training rows, the seed and these options; returns an estimator or a tree, fitted or not.
    """

    splits: int
    settings: tuple[str, ...]
    make: Callable[..., Any]


def _cart(train: Rows, seed: int) -> Any:
    return DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=LEAST, random_state=seed)


def _plain_cart(depth: int, least: int | float) -> Callable[..., Any]:
    def make(train: Rows, seed: int) -> Any:
        return DecisionTreeClassifier(max_depth=depth, min_samples_leaf=least, random_state=seed)

    return make


def _start(train: Rows, seed: int) -> Tree:
    """The tree that the programs start from: of the reduced CART trees of depth 1 to 4 that of the best worst leaf."""
    made = [_plain_cart(depth, LEAST)(train, 0) for depth in range(1, DEPTH + 1)]
    trees = [reduce_tree(make_top(cart, train.X, train.y).tree) for cart in made]
    return max(trees, key=lambda tree: leaf_accuracy_score(tree, train.X, train.y))


def _tuned_cart(train: Rows, seed: int) -> Any:
    return tuned_cart(train.X, train.y, max_depth=DEPTH, min_samples_leaf=LEAST, random_state=seed)


def _program(formulation: Any) -> Callable[..., Any]:
    def make(train: Rows, seed: int, *, mip_limit: float, mip_threads: int) -> Any:
        return MIPTreeClassifier(
            formulation,
            strategy="warm",
            max_depth=DEPTH,
            min_samples_leaf=LEAST,
            time_limit=mip_limit,
            n_jobs=mip_threads,
            progress=False,
            random_state=seed,
        )

    return make


def _exact(
    criterion: Any, thresholds: Any = None, least: int = LEAST, depth: int = DEPTH
) -> Callable[..., Any]:
    def make(train: Rows, seed: int, *, bins: int = 0, **limits: float) -> Any:
        end = time.process_time() + sum(limits.values())  # there is one
        return LeafAccuracyTreeClassifier(
            depth,
            min_samples_leaf=least,
            criterion=criterion,
            thresholds=bins if thresholds is None else thresholds,
            time_limit=None,
            progress=lambda _: time.process_time() > end,
        )

    return make


def _exact_cv(train: Rows, seed: int, *, bins: int, cv_steps: int) -> Any:
    return LeafAccuracyTreeClassifierCV(
        thresholds=bins, step_limit=cv_steps, time_limit=None, progress=False, random_state=seed
    )


def _stump(train: Rows, seed: int) -> Any:
    return DecisionTreeClassifier(max_depth=1, random_state=seed)


CART_GRID = {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [LEAST, 0.02, 0.05, 0.1]}


def _cart_by_worst_leaf(train: Rows, seed: int) -> Any:
    """CART with depth and smallest leaf of the best cross-validated leaf accuracy."""
    return GridSearchCV(
        DecisionTreeClassifier(random_state=seed), CART_GRID, scoring=leaf_accuracy_score, cv=5
    )


def _cart_one_se(train: Rows, seed: int) -> Any:
    """CART with depth and smallest leaf by the rule of LeafAccuracyTreeClassifierCV: see `_most_accurate_near_best`."""
    scoring = {"leaf": leaf_accuracy_score, "accuracy": "accuracy"}
    cart = DecisionTreeClassifier(random_state=seed)
    return GridSearchCV(cart, CART_GRID, scoring=scoring, refit=_most_accurate_near_best, cv=5)


def _most_accurate_near_best(found: dict[str, Any]) -> int:
    """Return the most accurate candidate within a standard error of the best worst leaf; of equal ones the first."""
    mean = found["mean_test_leaf"]
    n_splits = sum(name.startswith("split") and name.endswith("_test_leaf") for name in found)
    best = int(np.argmax(mean))
    error = found["std_test_leaf"][best] / (n_splits - 1) ** 0.5  # the deviation is that of a population
    near = mean >= mean[best] - error - 1e-12
    return int(np.argmax(np.where(near, found["mean_test_accuracy"], -1.0)))


def _optimal(train: Rows, seed: int, *, bins: int, cpu_limit: float) -> Any:
    """The fewest errors with leaves as large as those of the default."""
    end = time.process_time() + cpu_limit
    return OptimalTreeClassifier(
        0.0,
        max_depth=DEPTH,
        min_samples_leaf=LARGE,
        thresholds=bins,
        time_limit=None,
        progress=lambda _: time.process_time() > end,
    )


def _default(train: Rows, seed: int, *, bins: int, cpu_limit: float) -> Any:
    """The default but for the limit, so that all searches have the same one."""
    end = time.process_time() + cpu_limit
    return LeafAccuracyTreeClassifier(
        thresholds=bins, time_limit=None, progress=lambda _: time.process_time() > end
    )


def _as_it_comes(train: Rows, seed: int) -> Any:
    return LeafAccuracyTreeClassifier(progress=False)


def _auto_thresholds(train: Rows, seed: int) -> Any:
    return LeafAccuracyTreeClassifier(thresholds="auto", progress=False)


def _default_cv(train: Rows, seed: int, *, bins: int) -> Any:
    return LeafAccuracyTreeClassifierCV(thresholds=bins, progress=False, random_state=seed)


TREES = {
    "stump": Method(10, (), _stump),
    "cart by worst leaf": Method(10, (), _cart_by_worst_leaf),
    "cart by one se": Method(10, (), _cart_one_se),
    "cart large leaves": Method(10, (), _plain_cart(DEPTH, LARGE)),
    "optimal": Method(10, ("bins", "cpu_limit"), _optimal),
    "default": Method(10, ("bins", "cpu_limit"), _default),
    "default as it comes": Method(10, (), _as_it_comes),
    "auto thresholds": Method(10, (), _auto_thresholds),
    "default cv": Method(10, ("bins",), _default_cv),
    "cart": Method(10, (), _cart),
    "cart tuned": Method(10, (), _tuned_cart),
    "oct": Method(1, ("mip_limit", "mip_threads"), _program("oct")),
    "mip": Method(1, ("mip_limit", "mip_threads"), _program("leaf_accuracy")),
    "exact": Method(10, ("bins", "cpu_limit"), _exact("accuracy")),
    "exact lower bound": Method(10, ("bins", "cpu_limit"), _exact("lower_bound")),
    "exact cv": Method(3, ("bins", "cv_steps"), _exact_cv),
    "exact guess": Method(1, ("cpu_limit",), _exact("accuracy", "guess")),
    "exact lower bound guess": Method(1, ("cpu_limit",), _exact("lower_bound", "guess")),
    "exact all": Method(1, ("all_limit",), _exact("accuracy", "all")),
    "start": Method(1, (), _start),
    "cart, 1 row": Method(3, (), _plain_cart(DEPTH, 1)),
    "cart, depth 5": Method(3, (), _plain_cart(5, LEAST)),
    "exact, depth 5": Method(3, ("bins", "cpu_limit"), _exact("accuracy", depth=5)),
    "cart, depth 20": Method(3, (), _plain_cart(20, LEAST)),
    "cart, depth 20, 1 row": Method(3, (), _plain_cart(20, 1)),
    "exact, 1 row": Method(3, ("bins", "cpu_limit"), _exact("accuracy", least=1)),
}


def answer_of_tree(method: str, train: Rows, test: Rows, seed: int, settings: dict[str, Any]) -> Answer:
    """Find a tree, reduce it and measure it; the tree itself is kept as text."""
    with _quiet():
        start = time.process_time()
        found = make_top(TREES[method].make(train, seed, **settings), train.X, train.y)
        seconds = time.process_time() - start
    answer: Answer = {"status": "done", "seconds": seconds}
    if found.result is not None:
        answer |= {
            "status": found.result.status.name,
            "objective": found.result.objective,
            "bound": getattr(found.result, "upper_bound", found.result.lower_bound),
            "gap": found.result.gap,
            "stop": None if found.result.stop_reason is None else found.result.stop_reason.name,
        }
    tree = reduce_tree(found.tree)
    answer |= {"leaves": tree.n_leaves, "depth": tree.depth, "leaves before": found.tree.n_leaves}
    answer["leaf_test before"] = leaf_accuracy_score(found.tree, test.X, test.y)
    for part, rows in (("train", train), ("test", test)):
        answer[f"leaf_{part}"] = leaf_accuracy_score(tree, rows.X, rows.y)
        answer[part] = float(np.mean(tree.predict(encode_like(rows.X, tree.columns)) == rows.y))
    answer["worst_test"] = _of_the_worst_leaf(tree, train, test)
    return answer | {"tree": to_json(tree)}


def _of_the_worst_leaf(tree: Tree, train: Rows, test: Rows) -> float:
    """Return the test accuracy of the leaf that was worst in training: no minimum over test leaves."""
    own = {record.leaf: record.accuracy for record in leaf_table(tree, train.X, train.y) if record.n_rows}
    worst = min(own, key=lambda leaf: own[leaf])
    found = {record.leaf: record for record in leaf_table(tree, test.X, test.y)}[worst]
    return found.accuracy if found.n_rows else float("nan")


def answer_of_hybrid(
    tree: str, leaf: str, train: Rows, test: Rows, seed: int, settings: dict[str, Any]
) -> Answer:
    """Put a model in each leaf of a kept tree."""
    with _quiet():
        start = time.process_time()
        model = HybridTreeClassifier(
            from_json(tree).tree,
            leaf_estimator=None if leaf.startswith("boosting") else "xgboost",
            tune={"rounds": "rounds", "tuned": "optuna"}.get(leaf.split()[-1]),  # type: ignore[arg-type]
            random_state=seed,
            **({"n_trials": settings["trials"]} if leaf.endswith("tuned") else {}),
        ).fit(train.X, train.y)
        seconds = time.process_time() - start
        return {
            "status": "done",
            "seconds": seconds,
            **_accuracies(model, train, test),
            "explained": model.report(test.X).share_explained,
        }


def answer_of_black_box(leaf: str, train: Rows, test: Rows, seed: int, settings: dict[str, Any]) -> Answer:
    """Fit the model of the leaves on all training rows."""
    with _quiet():
        start = time.process_time()
        if leaf.startswith("boosting"):
            model: Any = HistGradientBoostingClassifier(random_state=seed)
        else:
            model = make_leaf_model("xgboost").set_params(random_state=seed)
        if leaf.endswith("tuned"):
            found = tune_model(
                model, np.asarray(train.X), train.y, None, n_trials=settings["trials"], seed=seed
            )
            model.set_params(**found.parameters)
        elif leaf.endswith("rounds"):
            chosen = choose_rounds(model, np.asarray(train.X), train.y, None, seed=seed)
            model.set_params(**{chosen.name: chosen.number})
        model.fit(train.X, train.y)
        seconds = time.process_time() - start
        return {"status": "done", "seconds": seconds, **_accuracies(model, train, test)}


def _accuracies(model: Any, train: Rows, test: Rows) -> dict[str, float]:
    return {
        part: float(np.mean(model.predict(rows.X) == rows.y))
        for part, rows in (("train", train), ("test", test))
    }


@contextmanager
def _quiet() -> Any:
    """One thread, and no word of limits that were reached: they are in the answer."""
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        yield
