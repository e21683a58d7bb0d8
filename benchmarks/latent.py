"""Latent trees beside generic solvers, other trees and other clusterings, on the tasks of Zantedeschi et al. (2021).

``python -m benchmarks.latent COMMAND``; each prints its table and writes `benchmarks/results/latent-<command>.json`.
One thread; times are medians of the process's CPU time. Peers run in the same process on the same input, and a row
says where one is not installed (cvxpylayers, OSQP, XGBoost).
"""

from __future__ import annotations

import importlib.metadata
import json
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from sklearn.datasets import make_classification, make_friedman1
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks._harness import write_results
from benchmarks._latent_data import COVTYPE_SHARES, fit, ordinal, read, splits
from benchmarks._latent_device import device_times
from benchmarks._latent_ensemble import METHODS, take_answers, write_tasks
from benchmarks._latent_ensemble import ensemble as sums_of_trees
from benchmarks._latent_hardened import hardened as hardened_trees
from benchmarks._latent_kernels import kernels as time_kernels
from benchmarks._latent_kernels import training_steps
from benchmarks._latent_peers import clusterings, soft_tree
from benchmarks._latent_port import port as compare_port
from benchmarks._options import commit
from benchmarks._tables import format_table
from treewright import LatentTreeClassifier, LatentTreeClusterer, LatentTreeRegressor
from treewright.latent import LatentTree, LatentTreeNetwork, dendrogram_purity

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
STORE = Path(__file__).resolve().parent / ".cache" / "latent-ensemble.jsonl"
SEEDS = (1225, 1337, 2020, 6021)
PACKAGES = ("torch", "numpy", "scikit-learn", "xgboost-cpu", "osqp", "cvxpylayers")

app = typer.Typer(add_completion=False, help=__doc__)
Data = Annotated[Path, typer.Option(help="Folder of the reference data.")]
Write = Annotated[bool, typer.Option(help="Write the results file.")]
Splits = Annotated[int, typer.Option(help="Splits of each table.", min=1)]
Trials = Annotated[int, typer.Option(help="Random depths and lambdas of a split.", min=1)]
Seeds = Annotated[int, typer.Option(help="Trainings of a split.", min=1, max=len(SEEDS))]


@app.command()
def kernels(
    rows: Annotated[
        str, typer.Option(help="Rows of a batch; comma-separated.")
    ] = "10,100,512,1000,10000,100000",
    depths: Annotated[str, typer.Option(help="Depths of the tree; comma-separated.")] = "2,3,4,6,8,10",
    write: Write = True,
) -> None:
    """Projection and layer, forward and backward, n x depth (Figures 5 and 10), beside OSQP and cvxpylayers."""
    numbers = [[int(number) for number in text.split(",")] for text in (rows, depths)]
    finish("kernels", lambda: time_kernels(*numbers), write)


@app.command()
def step(write: Write = True) -> None:
    """One training step: forward, loss, backward, optimizer."""
    finish("step", training_steps, write)


@app.command()
def device(write: Write = True) -> None:
    """The layer and a training step on a graphics processor, by kernels and by tensor operations, beside a CPU."""
    finish("device", device_times, write)


@app.command()
def tables(
    data: Data = DATA, splits: Splits = 3, trials: Trials = 8, seeds: Seeds = 4, write: Write = True
) -> None:
    """Test error and seconds of a training (Table 5)."""
    finish("tables", lambda: _tables(data, splits, trials, SEEDS[:seeds]), write)


@app.command()
def clusters(data: Data = DATA, splits: Splits = 4, trials: Trials = 6, write: Write = True) -> None:
    """Dendrogram purity (Table 3), beside hierarchical clusterings."""
    finish("clusters", lambda: _clusters(data, splits, trials), write)


@app.command()
def pruning(data: Data = DATA, write: Write = True) -> None:
    """Active nodes, mean a, and error or purity against lambda (Figure 6)."""
    finish("pruning", lambda: _pruning(data), write)


@app.command()
def hardened(
    data: Data = DATA,
    only: Annotated[str, typer.Option(help="Comma-separated tables; all if empty.")] = "",
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 5,
    write: Write = True,
) -> None:
    """The hard tree, which is what is saved, beside CART with as many leaves."""
    finish("hardened", lambda: hardened_trees(data, only, splits), write)


@app.command()
def ensemble(
    data: Data = DATA,
    only: Annotated[str, typer.Option(help="Comma-separated tables; all if empty.")] = "",
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 3,
    rows: Annotated[int, typer.Option(help="Most rows of a table.")] = 3000,
    methods: Annotated[str, typer.Option(help="Methods, separated by semicolons; all if empty.")] = "",
    store: Annotated[Path, typer.Option(help="What is done already; a run adds to it.")] = STORE,
    answers: Annotated[
        Path | None, typer.Option(help="What TabM and GRANDE answered on another machine.")
    ] = None,
    run: Annotated[bool, typer.Option(help="Run what is not stored.")] = True,
    write: Write = True,
) -> None:
    """Ten latent trees in one sum, beside one, boosting, a random forest, TabM and GRANDE."""
    if answers is not None:
        take_answers(data, answers, store)
    chosen = methods.split(";") if methods else list(METHODS)
    finish(
        "ensemble",
        lambda: sums_of_trees(data, only, splits, rows, chosen, store, commit(), run),
        write,
        {"most_rows": rows},
    )


@app.command()
def tasks(
    out: Annotated[Path, typer.Option(help="The file to write.")],
    data: Data = DATA,
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 3,
    rows: Annotated[int, typer.Option(help="Most rows of a table.")] = 3000,
) -> None:
    """Write the tasks of `ensemble` for a machine with a graphics processor (`peers/forest_elsewhere.py`)."""
    write_tasks(data, splits, rows, out, commit())


@app.command()
def port(
    epochs: Annotated[str, typer.Option(help="Epochs of a training; comma-separated.")] = "3,20",
    write: Write = True,
) -> None:
    """GRANDE in PyTorch beside its package: how far the weights are apart after the same steps."""
    finish("port", lambda: compare_port([int(number) for number in epochs.split(",")]), write)


@app.command()
def large(write: Write = True) -> None:
    """100,000 training rows: classification and regression beside CART, XGBoost and a soft decision tree."""
    finish("large", _large, write)


def finish(
    name: str, run: Callable[[], list[dict[str, Any]]], write: bool, options: dict[str, Any] | None = None
) -> None:
    """Run one part on one thread, print its table, and keep it."""
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # epochs that ran out are in the table
        rows = run()
    names = list(dict.fromkeys(key for row in rows for key in row))
    print(format_table(names, [[cell(row.get(key, "")) for key in names] for row in rows]))
    if write:
        packages = {p: version(p) for p in PACKAGES}
        head = {"threads": 1, "commit": commit(), "packages": packages, **(options or {})}
        write_results(f"latent-{name}", head, rows)


def version(package: str) -> str:
    """Return the version of a package, or that it is absent."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def cell(value: Any) -> str:
    """Show a value; of times the CPU milliseconds."""
    if isinstance(value, dict):
        return f"{value['cpu_ms']:.3g}" if "cpu_ms" in value else json.dumps(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return (
            " +- ".join(cell(v) for v in value)
            if value and isinstance(value[0], float)
            else json.dumps(value)
        )
    return str(value)


FIGURE_7 = ((False, "paper"), (True, "paper"), (True, "published"))  # normalised or not, and the routing
PAPER = {"mushrooms": (0.0005, 0.0008, 20), "FICO": (0.2884, 0.0020, 10), "tic-tac-toe": (0.2669, 0.0259, 13)}


def _tables(data: Path, n_splits: int, trials: int, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Depth in 2..6 and lambda log-uniform in [1e-3, 1e3] by validation error, then each seed a split."""
    rows = []
    for name, (error, deviation, seconds) in PAPER.items():
        frame, y, digest = read(data, name)
        X = ordinal(frame)
        batch = 64 if name == "tic-tac-toe" else 512
        for batch_norm in (False, True):
            errors, times, chosen, cart = [], [], [], []
            for split in range(n_splits):
                rest, train, validation, test = splits(X, y, split)
                draw = np.random.default_rng(split)
                best: tuple[float, dict[str, Any]] = (np.inf, {})
                for trial in range(trials):
                    options = {
                        "depth": int(draw.integers(2, 7)),
                        "pruning": float(10 ** draw.uniform(-3, 3)),
                        "batch_norm": batch_norm,
                        "batch_size": batch,
                    }
                    model, result = fit(options, X, y, train, validation, trial)
                    score = result.history[result.best_epoch - 1].validation_error
                    if score < best[0]:
                        best = (score, options)
                chosen.append({k: best[1][k] for k in ("depth", "pruning")})
                for seed in seeds:
                    start = time.process_time()
                    model, _ = fit(best[1], X, y, train, validation, seed)
                    times.append(time.process_time() - start)
                    errors.append(float((model.predict(X[test]) != y[test]).mean()))
                cart.append(
                    float(
                        (
                            DecisionTreeClassifier(random_state=0).fit(X[rest], y[rest]).predict(X[test])
                            != y[test]
                        ).mean()
                    )
                )
            rows.append(
                {
                    "data": name, "sha256": digest, "rows": len(y), "batch_norm": batch_norm,
                    "splits": n_splits, "trials": trials, "seeds": len(seeds),
                    "test error": float(np.mean(errors)), "deviation": float(np.std(errors)),
                    "cpu seconds a training": float(np.mean(times)),
                    "paper error": error, "paper deviation": deviation, "paper seconds": seconds,
                    "CART error (unlimited depth)": float(np.mean(cart)), "chosen": chosen,
                }
            )  # fmt: skip
    return rows


def _clusters(data: Path, n_splits: int, trials: int) -> list[dict[str, Any]]:
    """Table 3: dendrogram purity of test rows; depth and lambda by the validation reconstruction error."""
    rows = []
    plan = {
        "glass": (["RI", "Na"], 8, 0.468, 0.028),
        COVTYPE_SHARES: (["f3", "f4"], 512, 0.459, 0.008),
        "covtype": (["f3", "f4"], 512, 0.459, 0.008),
    }
    for name, (targets, batch, paper, deviation) in plan.items():
        frame, y, digest = read(data, name)
        ours: dict[str, list[float]] = {"test": [], "published": [], "all rows": []}
        others: dict[str, list[float]] = {}
        times = []
        for split in range(n_splits):
            rest, _, _, test = splits(frame, y, split)
            draw = np.random.default_rng(split)
            best: tuple[float, Any] = (np.inf, None)
            for _ in range(trials):
                start = time.process_time()
                model = LatentTreeClusterer(
                    int(draw.integers(2, 7)), pruning=float(10 ** draw.uniform(-3, 3)), targets=targets,
                    batch_size=batch, random_state=SEEDS[split], progress=False,
                    epochs=100 if name == "glass" else 40,
                    learning_rate=1e-3 if name == "glass" else 1e-2,
                ).fit(frame.iloc[rest])  # fmt: skip
                times.append(time.process_time() - start)
                score = min(e.validation_loss for e in model.result_.history)
                if score < best[0]:
                    best = (score, model)
            reached = best[1].apply(frame.iloc[test])
            ours["test"].append(dendrogram_purity(reached, y[test]))
            ours["published"].append(dendrogram_purity(reached, y[test], self_pairs=True))
            ours["all rows"].append(dendrogram_purity(best[1].apply(frame), y))
            X = frame.to_numpy(dtype=float)
            X = (X - X[rest].mean(0)) / np.where(X[rest].std(0) > 0, X[rest].std(0), 1)
            for peer, value in clusterings(X, y, rest, test, len(y) < 5000, split).items():
                others.setdefault(peer, []).append(value)
        rows.append(
            {
                "data": name, "sha256": digest, "rows": len(y), "splits": n_splits, "trials": trials,
                "purity (test)": [float(np.mean(ours["test"])), float(np.std(ours["test"]))],
                "purity (test, self pairs as published)": [
                    float(np.mean(ours["published"])), float(np.std(ours["published"]))
                ],
                "purity (all rows)": [float(np.mean(ours["all rows"])), float(np.std(ours["all rows"]))],
                "paper": [paper, deviation], "cpu seconds a training": float(np.mean(times)),
            }
            | {peer: [float(np.mean(v)), float(np.std(v))] for peer, v in others.items()}
        )  # fmt: skip
    return rows


def _large(n: int = 100_000, epochs: int = 15) -> list[dict[str, Any]]:
    """A classification and a regression task, beside CART, XGBoost and a soft decision tree."""
    rows: list[dict[str, Any]] = []
    C, c = make_classification(
        n + 20_000, 30, n_informative=12, n_redundant=6, n_clusters_per_class=6, flip_y=0.02, random_state=0
    )
    R, r = make_friedman1(n + 20_000, 20, noise=1.0, random_state=0)
    for task, X, y in (("classification", C, c), ("regression", R, r)):
        A, T, ya, yt = X[:n], X[n:], y[:n], y[n:]
        center, scale = A.mean(0), A.std(0)
        classify = task == "classification"

        def judge(answer: Any, classify: bool = classify, yt: Any = yt) -> float:
            return float((answer != yt).mean()) if classify else float(((answer - yt) ** 2).mean())

        def add(method: str, run: Callable[[], Any], task: str = task, judge: Any = judge) -> Any:
            start = time.process_time()
            answer, model = run()
            entry = {
                "task": task,
                "method": method,
                "error": judge(answer),
                "cpu seconds": time.process_time() - start,
            }
            rows.append(entry)
            return entry, model

        kind = LatentTreeClassifier if classify else LatentTreeRegressor
        for label, hidden in (
            ("latent tree, linear predictor", ()),
            ("latent tree, MLP predictor (64, 64)", (64, 64)),
        ):

            def run(kind: Any = kind, hidden: Any = hidden, A: Any = A, ya: Any = ya, T: Any = T) -> Any:
                model = kind(
                    depth=6,
                    pruning=1.0,
                    hidden_layers=hidden,
                    epochs=epochs,
                    hardening="signs",  # the soft model is what is timed and judged
                    random_state=0,
                    progress=False,
                )
                model.fit(A, ya)
                return model.predict(T), model

            entry, model = add(label, run)
            entry["training rows/s"] = len(model.result_.history) * 0.8 * n / entry["cpu seconds"]
            entry["epochs"] = len(model.result_.history)
        Cart = DecisionTreeClassifier if classify else DecisionTreeRegressor
        for limit in (6, None):
            add(
                f"CART depth {limit}",
                lambda Cart=Cart, limit=limit, A=A, ya=ya, T=T: (
                    Cart(max_depth=limit, min_samples_leaf=5, random_state=0).fit(A, ya).predict(T),
                    None,
                ),
            )
        try:
            import xgboost

            Boost = xgboost.XGBClassifier if classify else xgboost.XGBRegressor
            add(
                "XGBoost, 100 trees depth 6",
                lambda Boost=Boost, A=A, ya=ya, T=T: (
                    Boost(n_estimators=100, max_depth=6, n_jobs=1).fit(A, ya).predict(T),
                    None,
                ),
            )
        except ImportError:
            rows.append({"task": task, "method": "XGBoost", "skipped": "not installed"})
        functional = torch.nn.functional
        loss = functional.binary_cross_entropy_with_logits if classify else functional.mse_loss
        goal = ya if classify else (ya - ya.mean()) / ya.std()
        out, seconds = soft_tree((A - center) / scale, goal, (T - center) / scale, 6, loss, epochs)
        rows.append(
            {"task": task, "method": "soft decision tree depth 6", "cpu seconds": seconds,
             "error": judge((out > 0).astype(int) if classify else out * ya.std() + ya.mean()),
             "training rows/s": epochs * n / seconds}
        )  # fmt: skip
    return rows


def _pruning(data: Path) -> list[dict[str, Any]]:
    """Figure 6: active nodes, mean a and error or purity against lambda; the model of Figure 7 in three ways."""
    rows: list[dict[str, Any]] = []
    glass, label, _ = read(data, "glass")
    frame, y, _ = read(data, "mushrooms")
    X = ordinal(frame)
    _, train, validation, test = splits(X, y, 0)
    plain = [(4, strength, False, "paper") for strength in (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)]
    figure_7 = [(6, 10.0, batch_norm, routing) for batch_norm, routing in FIGURE_7]
    for depth, strength, batch_norm, routing in plain + figure_7:
        purity, active, in_batch, mean_a = [], [], [], []
        for seed in SEEDS:
            model = LatentTreeClusterer(
                depth, pruning=strength, targets=["RI", "Na"], batch_size=8, batch_norm=batch_norm,
                routing=routing, random_state=seed, progress=False,
            ).fit(glass)  # fmt: skip
            purity.append(dendrogram_purity(model.nodes_, label))
            active.append(len(model.active_nodes_) / (2 ** (depth + 1) - 1))
            in_batch.append(model.result_.history[-1].active_in_batch)
            mean_a.append(float(model.pruning_vector_.mean()))
        rows.append(
            {
                "data": "glass",
                "depth": depth,
                "batch normalisation": "yes" if batch_norm else "no",
                "routing": routing,
                "lambda": strength,
                "purity": float(np.mean(purity)),
                "active": float(np.mean(active)),
                "active in a batch of 8": float(np.mean(in_batch)),
                "mean a": float(np.mean(mean_a)),
            }
        )
    for strength in (0.01, 1.0, 100.0, 1000.0, 10000.0):
        model, _ = fit({"depth": 6, "pruning": strength}, X, y, train, validation, 0)
        complete = LatentTreeNetwork(LatentTree(X.shape[1], 6), 1)
        rows.append(
            {"data": "mushrooms", "depth": 6, "lambda": strength,
             "error": float((model.predict(X[test]) != y[test]).mean()),
             "active": len(model.active_nodes_) / 127, "mean a": float(model.pruning_vector_.mean()),
             "parameters of the complete tree": sum(p.numel() for p in complete.parameters()),
             "parameters": sum(p.numel() for p in model.network_.parameters()),
             "parameters after prune(0.05)": sum(p.numel() for p in model.prune(0.05).network_.parameters()),
             "error after prune(0.05)": float((model.predict(X[test]) != y[test]).mean())}
        )  # fmt: skip
    return rows


if __name__ == "__main__":
    app()
