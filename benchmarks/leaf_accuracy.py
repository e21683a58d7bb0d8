"""Valid explanations: the worst leaf, and hybrid trees, beside Nemecek et al. (2023).

``python -m benchmarks.leaf_accuracy --help``. Ten of the paper's data sets, balanced and split as in its Appendix
A.1. Tops of depth 4 with 50 rows a leaf: CART with default and with tuned parameters (Table 7), OCT and the
paper's program by HiGHS, and the exact search with three criteria. Each is reduced, its leaf accuracy and
accuracy are measured on training and test rows, and its leaves are extended (HybridTreeClassifier); plain
XGBoost and histogram boosting stand beside. Every answer is kept as a line of ``.cache/leaf_accuracy.jsonl``
when it is there, so that a run that was stopped goes on with ``--reuse``. Writes
``benchmarks/results/leaf_accuracy.json``. Seconds are CPU seconds.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks._data import CACHE
from benchmarks._harness import write_results
from benchmarks._leaf_accuracy_data import PAPER, PAPER_TABLE_1, SETS, Rows, load, split
from benchmarks._tables import format_table
from treewright import HybridTreeClassifier
from treewright.estimators import LeafAccuracyTreeClassifier, LeafAccuracyTreeClassifierCV, MIPTreeClassifier
from treewright.leaf_accuracy import leaf_accuracy_score, tuned_cart
from treewright.leaf_accuracy._leaf_models import make_leaf_model
from treewright.leaf_accuracy._top import make_top
from treewright.leaf_accuracy._tune import tune_model
from treewright.tree import reduce_tree

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
DEPTH, LEAST = 4, 50  # section 4
TOPS = ("cart", "cart tuned", "oct", "mip", "exact", "exact lower bound", "exact cv")
BLACK_BOXES = ("boosting", "xgboost", "xgboost tuned")
PACKAGES = ("scikit-learn", "xgboost-cpu", "optuna", "highspy", "numpy")


def main(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    only: Annotated[str, typer.Option(help="Comma-separated data sets.")] = ",".join(SETS),
    methods: Annotated[str, typer.Option(help="Comma-separated methods.")] = ",".join((*TOPS, *BLACK_BOXES)),
    seeds: Annotated[int, typer.Option(help="Splits, 0 to this less one; the paper has 10.", min=1)] = 10,
    leaves: Annotated[
        str, typer.Option(help="Leaf models: boosting, xgboost, each also with ' tuned'; comma-separated.")
    ] = "boosting,xgboost",
    trials: Annotated[int, typer.Option(help="Trials of tuning; the paper has 50.")] = 50,
    thresholds: Annotated[str, typer.Option(help="Of the exact search: bins, 'all' or 'guess'.")] = "16",
    time_limit: Annotated[float, typer.Option(help="Seconds of an exact search.")] = 60.0,
    mip_limit: Annotated[float, typer.Option(help="Seconds of a solver.")] = 300.0,
    mip_threads: Annotated[int, typer.Option(help="Threads of a solver.")] = 1,
    reuse: Annotated[bool, typer.Option(help="Take answers that are stored already.")] = False,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Run the comparison and print its tables."""
    options = {
        "trials": trials,
        "thresholds": thresholds,
        "time_limit": time_limit,
        "mip_limit": mip_limit,
        "mip_threads": mip_threads,
    }
    store = CACHE / "leaf_accuracy.jsonl"
    store.parent.mkdir(parents=True, exist_ok=True)
    kept = {line["key"]: line for line in map(json.loads, store.open())} if reuse and store.exists() else {}
    answers: list[dict[str, Any]] = []
    for seed in range(seeds):
        for name in only.split(","):
            train, test = split(load(name, data), seed)
            digest = hashlib.sha256(train.X.tobytes() + train.y.tobytes()).hexdigest()[:16]
            for method in methods.split(","):
                key = json.dumps([name, seed, digest, method, leaves, options])
                if key not in kept:
                    answer = run(method, train, test, seed, leaves.split(","), options)
                    kept[key] = {"key": key, "data": name, "seed": seed, "method": method, **answer}
                    with store.open("a") as lines:
                        lines.write(json.dumps(kept[key]) + "\n")
                answers.append({k: v for k, v in kept[key].items() if k != "key"})
                print("#", {k: v for k, v in answers[-1].items() if k != "hybrids"}, flush=True)
    print(*report(answers), sep="\n\n")
    if write:
        versions = {name: version(name) for name in PACKAGES}
        write_results("leaf_accuracy", {**options, "seeds": seeds, "versions": versions}, answers)


def run(
    method: str, train: Rows, test: Rows, seed: int, leaves: list[str], options: dict[str, Any]
) -> dict[str, Any]:
    """Return what one method reaches on one split; a failure is an answer, too."""
    start = time.process_time()
    try:
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            warnings.simplefilter("ignore")  # limits that were reached are in the answer
            if method in BLACK_BOXES:
                model = black_box(method, train, seed, options["trials"])
                seconds = time.process_time() - start
                return {"status": "done", "seconds": seconds, **accuracies(model, train, test)}
            return top(method, train, test, seed, leaves, options)
    except Exception as error:
        return {"status": "error", "error": f"{type(error).__name__}: {error}"[:300]}


def black_box(method: str, train: Rows, seed: int, trials: int) -> Any:
    """Fit a boosted model on all training rows."""
    if method == "boosting":
        return HistGradientBoostingClassifier(random_state=seed).fit(train.X, train.y)
    model = make_leaf_model("xgboost").set_params(random_state=seed)
    if method == "xgboost tuned":
        found = tune_model(model, train.X, train.y, None, n_trials=trials, seed=seed)
        model.set_params(**found.parameters)
    return model.fit(train.X, train.y)


def top(
    method: str, train: Rows, test: Rows, seed: int, leaves: list[str], options: dict[str, Any]
) -> dict[str, Any]:
    """Find a tree, measure it, and extend its leaves by each of the leaf models."""
    start = time.process_time()
    found = make_top(
        tuned_cart(train.X, train.y, max_depth=DEPTH, min_samples_leaf=LEAST, random_state=seed)
        if method == "cart tuned"
        else TREES[method](seed, options),
        train.X,
        train.y,
    )
    tree = reduce_tree(found.tree)
    answer: dict[str, Any] = {"status": "done", "seconds": time.process_time() - start}
    if found.result is not None:
        answer |= {
            "status": found.result.status.name,
            "objective": found.result.objective,
            "bound": getattr(found.result, "upper_bound", found.result.lower_bound),
            "gap": found.result.gap,
            "stop": None if found.result.stop_reason is None else found.result.stop_reason.name,
        }
    answer |= {"leaves": tree.n_leaves, "depth": tree.depth}
    answer |= {f"leaf_{part}": leaf_accuracy_score(tree, rows.X, rows.y) for part, rows in parts(train, test)}
    answer |= {part: float((tree.predict(rows.X) == rows.y).mean()) for part, rows in parts(train, test)}
    answer["hybrids"] = {}
    for leaf in leaves:
        start = time.process_time()
        model = HybridTreeClassifier(
            tree,
            leaf_estimator=None if leaf.startswith("boosting") else "xgboost",
            tune="optuna" if leaf.endswith("tuned") else None,
            n_trials=options["trials"],
            random_state=seed,
        ).fit(train.X, train.y)
        answer["hybrids"][leaf] = {
            "seconds": time.process_time() - start,
            **accuracies(model, train, test),
            "explained": model.report(test.X).share_explained,
        }
    return answer


def exact(**more: Any) -> Callable[[int, dict[str, Any]], Any]:
    """Return how to make an exact search with these parameters."""

    def make(seed: int, options: dict[str, Any]) -> Any:
        text = options["thresholds"]
        own = {"thresholds": int(text) if text.isdigit() else text, "time_limit": options["time_limit"]}
        if more.get("cv"):
            return LeafAccuracyTreeClassifierCV(random_state=seed, progress=False, **own)
        return LeafAccuracyTreeClassifier(DEPTH, min_samples_leaf=LEAST, progress=False, **own, **more)

    return make


def program(formulation: str) -> Callable[[int, dict[str, Any]], Any]:
    """Return how to make a mixed-integer program, started from CART."""

    def make(seed: int, options: dict[str, Any]) -> Any:
        return MIPTreeClassifier(
            formulation,  # type: ignore[arg-type]
            strategy="warm",
            max_depth=DEPTH,
            min_samples_leaf=LEAST,
            time_limit=options["mip_limit"],
            threads=options["mip_threads"],
            progress=False,
            random_state=seed,
        )

    return make


TREES: dict[str, Callable[[int, dict[str, Any]], Any]] = {
    "cart": lambda seed, _: DecisionTreeClassifier(
        max_depth=DEPTH, min_samples_leaf=LEAST, random_state=seed
    ),
    "oct": program("oct"),
    "mip": program("leaf_accuracy"),
    "exact": exact(),
    "exact lower bound": exact(criterion="lower_bound"),
    "exact cv": exact(cv=True),
}


def parts(train: Rows, test: Rows) -> tuple[tuple[str, Rows], tuple[str, Rows]]:
    """Name the two parts of a split."""
    return ("train", train), ("test", test)


def accuracies(model: Any, train: Rows, test: Rows) -> dict[str, float]:
    """Return the accuracy on both parts."""
    return {part: float((model.predict(rows.X) == rows.y).mean()) for part, rows in parts(train, test)}


def version(name: str) -> str | None:
    """Return the installed version of a package, or None."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def report(answers: list[dict[str, Any]]) -> list[str]:
    """Return the tables: every method a data set, means over the splits; Tables 8, 9 and 1; the aims."""
    done = [a for a in answers if "test" in a]
    names = list(dict.fromkeys(a["data"] for a in done))
    tops = [m for m in TOPS if any(a["method"] == m for a in done)]
    boxes = [m for m in BLACK_BOXES if any(a["method"] == m for a in done)]
    leaves = list(dict.fromkeys(leaf for a in done for leaf in a.get("hybrids", ())))
    texts = [
        *(error_lines(answers)),
        tree_table(done, names, tops),
        hybrid_table(done, names, tops, leaves, boxes),
    ]
    return [
        *texts,
        explained_table(done, names, tops, leaves),
        *differences(done, names, tops, leaves, boxes),
    ]


def error_lines(answers: list[dict[str, Any]]) -> list[str]:
    """Return one line for each kind of failure."""
    failed = [a for a in answers if "test" not in a]
    kinds = sorted({(a["method"], a["error"]) for a in failed})
    return [f"{method} failed {sum(a['method'] == method for a in failed)} times: {e}" for method, e in kinds]


def mean(done: list[dict[str, Any]], name: str, method: str, *path: str) -> float | None:
    """Return the mean over the splits of one figure of one method on one data set."""
    found = []
    for a in done:
        if a["data"] == name and a["method"] == method:
            value: Any = a
            for step in path:
                value = value.get(step, {}) if isinstance(value, dict) else {}
            if isinstance(value, (int, float)):
                found.append(float(value))
    return float(np.mean(found)) if found else None


def shown(value: float | None) -> str:
    """Return a share with four digits, as the paper prints it."""
    return "-" if value is None else f"{value:.4f}"


def tree_table(done: list[dict[str, Any]], names: list[str], tops: list[str]) -> str:
    """Return leaf accuracy and accuracy of the trees alone."""
    header = [
        "data",
        "method",
        "splits",
        "proven",
        "CPU s",
        "leaves",
        "leaf train",
        "leaf test",
        "train",
        "test",
    ]
    table = []
    for name in names:
        for method in tops:
            mine = [a for a in done if a["data"] == name and a["method"] == method]
            if mine:
                proven = sum(a["status"] == "OPTIMAL" for a in mine) if "objective" in mine[0] else "-"
                figures = (
                    shown(mean(done, name, method, k)) for k in ("leaf_train", "leaf_test", "train", "test")
                )
                seconds, size = (mean(done, name, method, k) or 0.0 for k in ("seconds", "leaves"))
                table.append(
                    [name, method, str(len(mine)), str(proven), f"{seconds:.2f}", f"{size:.1f}", *figures]
                )
        p = PAPER[name]
        paper = ["10", "-", "-", "-", "-"]
        table.append([name, f"paper, CART (Table {p.table})", *paper, shown(p.leaf_cart), "-", "-"])
        table.append([name, f"paper, proposed (Table {p.table})", *paper, shown(p.leaf_proposed), "-", "-"])
    return "Trees alone (paper: Tables 8 and 9)\n\n" + format_table(header, table)


def hybrid_table(
    done: list[dict[str, Any]], names: list[str], tops: list[str], leaves: list[str], boxes: list[str]
) -> str:
    """Return test accuracy of the hybrid trees and of the boosted models."""
    header = ["data", *boxes, *(f"{top} + {leaf}" for top in tops for leaf in leaves)]
    header += ["paper CART", "paper proposed", "paper XGBoost"]
    table = []
    for name in names:
        line = [name, *(shown(mean(done, name, box, "test")) for box in boxes)]
        line += [shown(mean(done, name, top, "hybrids", leaf, "test")) for top in tops for leaf in leaves]
        p = PAPER[name]
        table.append([*line, shown(p.hybrid_cart), shown(p.hybrid_proposed), shown(p.xgboost)])
    return "Hybrid trees, test accuracy (paper: Tables 8 and 9)\n\n" + format_table(header, table)


def explained_table(done: list[dict[str, Any]], names: list[str], tops: list[str], leaves: list[str]) -> str:
    """Return the share of test rows that keep the explanation of the tree on top."""
    pairs = [(top, leaf) for top in tops for leaf in leaves]
    table = [
        [name, *(shown(mean(done, name, top, "hybrids", leaf, "explained")) for top, leaf in pairs)]
        for name in names
    ]
    header = ["data", *(f"{top} + {leaf}" for top, leaf in pairs)]
    return "Share of test rows that the tree on top explains\n\n" + format_table(header, table)


def differences(
    done: list[dict[str, Any]], names: list[str], tops: list[str], leaves: list[str], boxes: list[str]
) -> list[str]:
    """Return min, mean and max over data sets of one method less another, beside the paper's Table 1."""
    header = ["figure", "method", "less", "data sets", "min", "mean", "max"]
    table: list[list[str]] = []

    def add(figure: str, of: str, less: str, one: tuple[str, ...], other: tuple[str, ...]) -> None:
        pairs = [(mean(done, name, *one), mean(done, name, *other)) for name in names]
        gains = [a - b for a, b in pairs if a is not None and b is not None]
        if gains:
            values = (min(gains), float(np.mean(gains)), max(gains))
            table.append([figure, of, less, str(len(gains)), *(f"{v:+.4f}" for v in values)])

    base = "cart tuned" if "cart tuned" in tops else "cart"
    for method in tops:
        if method != base:
            add("leaf accuracy", method, base, (method, "leaf_test"), (base, "leaf_test"))
    for leaf in leaves:
        path = ("hybrids", leaf, "test")
        box = leaf if leaf in boxes else "xgboost"
        for method in tops:
            add("hybrid accuracy", f"{method} + {leaf}", box, (method, *path), (box, "test"))
            if method != base:
                add(
                    "hybrid accuracy",
                    f"{method} + {leaf}",
                    f"{base} + {leaf}",
                    (method, *path),
                    (base, *path),
                )
    for (figure, less, kind), values in PAPER_TABLE_1.items():
        table.append([figure, f"paper's proposed ({kind})", less, "", *(f"{v:+.4f}" for v in values)])
    title = "Test rows, one method less another: over data sets (paper: Table 1)"
    return [f"{title}\n\n{format_table(header, table)}"]


if __name__ == "__main__":
    typer.run(main)
