"""Born-again trees: the published forests, growth, soft votes and boosting, large ensembles.

    python -m benchmarks.born_again --data FOLDER --reference born_again.json

Every run is a child process, so that its CPU seconds and its peak memory are its own. Writes a JSON file and
prints tables. Parts: published, merged, growth, soft, large (choose with --parts; --folds limits the published
forests). "merged" is the fewest leaves of a tree that decides like the forest on its training rows.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SETS = ["FICO", "COMPAS-ProPublica", "HTRU2", "Seeds", "Pima-Diabetes", "Breast-Cancer-Wisconsin"]
GOALS = ["depth", "leaves", "depth-leaves"]
MERGED_LEAVES, MERGED_SECONDS = 40, 20.0  # of the searches for the fewest merged leaves
# Vidal and Schiffer 2020: least depth (Table 6), fewest leaves (Table 7), leaves of their depth-then-leaves
# trees (Table 8), and leaves after pruning for the three objectives (Tables 6 to 8).
PAPER = {
    "FICO": {
        "depth": 8.6,
        "leaves": 39.2,
        "depth-leaves": 39.2,
        "pruned": (15.8, 12.0, 12.0),
        "scores": (0.697, 0.690),
    },
    "COMPAS-ProPublica": {
        "depth": 8.9,
        "leaves": 37.1,
        "depth-leaves": 37.1,
        "pruned": (31.2, 11.4, 11.4),
        "scores": (0.660, 0.650),
    },
    "HTRU2": {
        "depth": 6.0,
        "leaves": 11.9,
        "depth-leaves": 12.0,
        "pruned": (13.2, 6.4, 6.5),
        "scores": (0.977, 0.909),
    },
    "Seeds": {
        "depth": 10.2,
        "leaves": 214.6,
        "depth-leaves": 261.0,
        "pruned": (21.5, 14.2, 17.0),
        "scores": (0.790, 0.479),
    },
    "Pima-Diabetes": {
        "depth": 9.6,
        "leaves": 169.7,
        "depth-leaves": 206.7,
        "pruned": (79.0, 30.7, 42.1),
        "scores": (0.746, 0.692),
    },
    "Breast-Cancer-Wisconsin": {
        "depth": 12.5,
        "leaves": 890.1,
        "depth-leaves": 1042.3,
        "pruned": (35.9, 23.1, 27.7),
        "scores": (0.953, 0.949),
    },
}


def measured(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run `work` in a child; add its CPU seconds and its peak resident memory to the answer."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        before = resource.getrusage(resource.RUSAGE_SELF)
        try:
            answer = work()
        except Exception as error:  # the benchmark goes on with the next case
            answer = {"error": f"{type(error).__name__}: {error}"}
        after = resource.getrusage(resource.RUSAGE_SELF)
        answer["cpu_seconds_all"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        answer["peak_mb"] = after.ru_maxrss / 1024
        answer["start_mb"] = before.ru_maxrss / 1024
        with os.fdopen(write, "w") as stream:
            json.dump(answer, stream)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": "the child process died"}


def describe(result: Any, ensemble: Any, seconds: float) -> dict[str, Any]:
    from treewright.verify import check_faithful

    start = time.process_time()
    faithful = check_faithful(result.tree, ensemble).faithful if result.tree.n_leaves <= 50_000 else None
    return {
        "depth": result.tree.depth,
        "leaves": result.tree.n_leaves,
        "status": result.status.name,
        "depth_lower_bound": result.stats["depth_lower_bound"],
        "leaves_lower_bound": result.stats["leaves_lower_bound"],
        "cpu_seconds": seconds,
        "faithful": faithful,
        "verify_seconds": time.process_time() - start,
        "cells": result.stats.get("cells"),
        "boxes": result.stats.get("boxes"),
        "tight_boxes": result.stats.get("tight_boxes"),
        "rows": result.stats.get("rows"),
        "table_mb": (result.stats.get("bytes") or 0) / 2**20,
        "states": result.stats.get("states"),
        "core_seconds": result.stats.get("core_seconds"),  # wall time of the compiled core alone
    }


def rows_of(data: Path, dataset: str, kind: str, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the training or test rows of a published forest."""
    import gzip

    with gzip.open(data / dataset / "folds" / f"{dataset}.{kind}{fold}.csv.gz", "rt") as stream:
        table = np.loadtxt(stream, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


def published(data: Path, reference: Path | None, folds: list[int], sets: list[str]) -> list[dict[str, Any]]:
    from sklearn.metrics import f1_score

    from treewright.bornagain import Ensemble, prune, solve, solve_active
    from treewright.tree import merge_equal_leaves

    expected = {}
    if reference is not None:
        for row in json.loads(reference.read_text())["rows"]:
            expected[row["dataset"], row["fold"], row["objective"]] = row["value"]

    found = []
    for dataset in sets:
        for fold in folds:
            path = data / dataset / "forests" / f"{dataset}.RF{fold}.txt"
            X, _ = rows_of(data, dataset, "train", fold)
            X_test, y_test = rows_of(data, dataset, "test", fold)

            def scores(predict: Any, X_test: Any = X_test, y_test: Any = y_test) -> list[float]:
                answer = predict(X_test)
                return [float((answer == y_test).mean()), float(f1_score(y_test, answer, average="macro"))]

            for goal in [*GOALS, "heuristic", "active"]:

                def work(
                    goal: str = goal, path: Path = path, X: Any = X, scores: Any = scores
                ) -> dict[str, Any]:
                    ensemble = Ensemble.load(path)
                    start = time.process_time()
                    if goal == "active":
                        result = solve_active(ensemble, X)
                        answer = describe(result, ensemble, time.process_time() - start)
                        answer["faithful"] = None
                        answer["pruned_leaves"] = merge_equal_leaves(result.tree).n_leaves
                    else:
                        result = solve(ensemble, objective=goal)
                        answer = describe(result, ensemble, time.process_time() - start)
                        pruned = prune(result.tree, X)
                        answer |= {"pruned_leaves": pruned.n_leaves, "pruned_depth": pruned.depth}
                        answer["pruned_leaves_unmerged"] = prune(result.tree, X, merge=False).n_leaves
                        answer["pruned_scores"] = scores(pruned.predict)
                    answer["scores"] = scores(result.tree.predict)
                    answer["ensemble_scores"] = scores(ensemble.predict)
                    return answer

                row = {"dataset": dataset, "fold": fold, "objective": goal} | measured(work)
                value = expected.get((dataset, fold, goal))
                if value is not None and "error" not in row:
                    got = {"depth": row["depth"], "leaves": row["leaves"]}.get(
                        goal, [row["depth"], row["leaves"]]
                    )
                    row["equals_reference"] = got == value
                found.append(row)
    return found


def print_published(rows: list[dict[str, Any]]) -> None:
    heads = ("size", "paper", "pruned", "paper", "sum s", "max s", "max MB", "acc", "F1", "pruned acc")
    print(f"{'set':<26}{'objective':<14}" + "".join(f"{head:>11}" for head in heads) + "  reference")
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        for goal in [*GOALS, "heuristic", "active"]:
            part = [
                r for r in rows if r["dataset"] == dataset and r["objective"] == goal and "error" not in r
            ]
            if not part:
                continue
            size = np.mean([r["depth" if goal == "depth" else "leaves"] for r in part])
            paper = PAPER[dataset].get(goal, float("nan"))
            pruned = np.mean([r.get("pruned_leaves", np.nan) for r in part])
            paper_pruned = PAPER[dataset]["pruned"][GOALS.index(goal)] if goal in GOALS else float("nan")
            seconds = [r["cpu_seconds"] for r in part]
            accuracy, f1 = np.mean([r["scores"] for r in part], axis=0)
            pruned_accuracy = (
                np.mean([r["pruned_scores"][0] for r in part]) if goal != "active" else float("nan")
            )
            checked = [r["equals_reference"] for r in part if "equals_reference" in r]
            peak = max(r["peak_mb"] for r in part)
            sizes = "".join(f"{x:>11.1f}" for x in (size, paper, pruned, paper_pruned))
            times = f"{sum(seconds):>11.2f}{max(seconds):>11.2f}{peak:>11.0f}"
            quality = "".join(f"{x:>11.3f}" for x in (accuracy, f1, pruned_accuracy))
            print(f"{dataset:<26}{goal:<14}{sizes}{times}{quality}  {sum(checked)}/{len(checked)}")
    errors = [r for r in rows if "error" in r]
    unfaithful = [r for r in rows if r.get("faithful") is False]
    print(f"{len(rows)} runs, {len(errors)} errors, {len(unfaithful)} trees not faithful")
    solved = [r for r in rows if r["objective"] == "leaves" and r.get("boxes") and r["cpu_seconds"] > 0.005]
    if len(solved) > 5:
        slope = np.polyfit(
            np.log([r["boxes"] for r in solved]), np.log([r["cpu_seconds"] for r in solved]), 1
        )[0]
        print(f"time of 'leaves' grows like boxes^{slope:.2f} ({len(solved)} runs above 5 ms)")


def merged(data: Path, folds: list[int], sets: list[str]) -> list[dict[str, Any]]:
    """Find the fewest leaves of a tree that decides like a published forest on its training rows.

    Sibling leaves of one class count as one, unlike in the proof of active pruning, whose trees stand beside.
    """
    from treewright.bornagain import Ensemble, distil, solve_active
    from treewright.tree import merge_equal_leaves

    found = []
    for dataset in sets:
        for fold in folds:
            X, _ = rows_of(data, dataset, "train", fold)
            X_test, _ = rows_of(data, dataset, "test", fold)
            path = data / dataset / "forests" / f"{dataset}.RF{fold}.txt"

            def work(path: Path = path, X: Any = X, X_test: Any = X_test) -> dict[str, Any]:
                ensemble = Ensemble.load(path)
                active = solve_active(ensemble, X, time_limit=None).tree
                start = time.process_time()
                end = start + MERGED_SECONDS
                result = distil(
                    ensemble, X, tolerance=0.0, max_depth=None, max_leaves=MERGED_LEAVES, time_limit=None,
                    progress=lambda _: time.process_time() > end,
                )  # fmt: skip
                return {
                    "cpu_seconds": time.process_time() - start,
                    "active": active.n_leaves,
                    "active, merged": merge_equal_leaves(active).n_leaves,
                    "leaves": (result.tree if result.loss == 0 else merge_equal_leaves(active)).n_leaves,
                    "lower_bound": result.lower_bound,
                    "status": result.status.name,
                    "loss": result.loss,
                    "agrees_test": float(np.mean(result.tree.predict(X_test) == ensemble.predict(X_test))),
                    "active_agrees_test": float(np.mean(active.predict(X_test) == ensemble.predict(X_test))),
                }

            found.append({"dataset": dataset, "fold": fold} | measured(work))
    return found


def print_merged(rows: list[dict[str, Any]]) -> None:
    heads = ("active", "merged", "leaves", "bound", "proven", "sum s", "max s", "test, active", "test")
    print("The fewest leaves of a tree that decides like the forest on its training rows; last: on test rows")
    print(f"{'set':<26}" + "".join(f"{head:>13}" for head in heads))
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        part = [r for r in rows if r["dataset"] == dataset and "error" not in r]
        means = [
            np.mean([r[key] for r in part]) for key in ("active", "active, merged", "leaves", "lower_bound")
        ]
        proven = f"{sum(r['status'] == 'OPTIMAL' and r['loss'] == 0 for r in part)} of {len(part)}"
        seconds = [r["cpu_seconds"] for r in part]
        agrees = [np.mean([r[key] for r in part]) for key in ("active_agrees_test", "agrees_test")]
        cells = [*(f"{x:.1f}" for x in means), proven, f"{sum(seconds):.2f}", f"{max(seconds):.2f}"]
        print(f"{dataset:<26}" + "".join(f"{cell:>13}" for cell in [*cells, *(f"{x:.3f}" for x in agrees)]))
    print(f"{len(rows)} runs, {sum('error' in r for r in rows)} errors")


def growth(data: Path) -> list[dict[str, Any]]:
    """Figure 3 of the paper: trees, features and samples of FICO around (n, p, T) = (2500, 10, 10)."""
    import gzip

    from sklearn.ensemble import RandomForestClassifier

    from treewright.bornagain import Ensemble, solve

    with gzip.open(data / "FICO" / "FICO.full.csv.gz", "rt") as stream:
        table = np.loadtxt(stream, delimiter=",", skiprows=1)
    found = []
    axes = {
        "trees": [3, 5, 7, 10, 12, 15, 17, 20],
        "features": [2, 3, 5, 7, 10, 12, 15, 17],
        "samples": [250, 500, 750, 1000, 2500, 5000, 7500, 10459],
    }
    for axis, values in axes.items():
        for value in values:
            for seed in range(10):
                case = {"trees": 10, "features": 10, "samples": 2500} | {axis: value}
                rng = np.random.default_rng(seed)
                columns = rng.choice(table.shape[1] - 1, case["features"], replace=False)
                rows = rng.choice(len(table), case["samples"], replace=False)
                X, y = table[rows][:, columns], table[rows, -1].astype(int)
                half = max(1, case["features"] // 2)
                forest = RandomForestClassifier(
                    case["trees"], max_depth=3, max_features=half, random_state=seed
                )
                ensemble = Ensemble.from_model(forest.fit(X, y)).as_hard_vote()
                for goal in ("depth", "leaves"):

                    def work(ensemble: Any = ensemble, goal: str = goal) -> dict[str, Any]:
                        start = time.process_time()
                        result = solve(ensemble, objective=goal)
                        return describe(result, ensemble, time.process_time() - start)

                    found.append(
                        {"axis": axis, "value": value, "seed": seed, "objective": goal} | measured(work)
                    )
    return found


def print_growth(rows: list[dict[str, Any]]) -> None:
    print(f"{'axis':<10}{'value':>7}{'median boxes':>14}{'D ms':>9}{'L ms':>9}")
    for axis in ("trees", "features", "samples"):
        for value in sorted({r["value"] for r in rows if r["axis"] == axis}):
            part = [r for r in rows if r["axis"] == axis and r["value"] == value and "error" not in r]
            times = [
                1000 * np.median([r["core_seconds"] for r in part if r["objective"] == g])
                for g in ("depth", "leaves")
            ]
            boxes = np.median([r["boxes"] for r in part])
            print(f"{axis:<10}{value:>7}{boxes:>14.3g}{times[0]:>9.2f}{times[1]:>9.2f}")
    part = [r for r in rows if r["axis"] == "features" and r["value"] >= 7 and "error" not in r]
    if part:
        x = [r["value"] for r in part]
        boxes = np.polyfit(x, np.log([r["boxes"] for r in part]), 1)[0]
        seconds = np.polyfit(x, np.log([r["core_seconds"] for r in part]), 1)[0]
        print(f"per feature: boxes x {np.exp(boxes):.2f}, time x {np.exp(seconds):.2f}")


def soft(data: Path) -> list[dict[str, Any]]:
    """Forests that average probabilities, and boosted trees, on raw continuous and on binned columns."""
    from sklearn.datasets import load_breast_cancer, load_wine
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

    from treewright.bornagain import Ensemble, forecast, solve, solve_active
    from treewright.tree import merge_equal_leaves

    def table(path: Path) -> tuple[np.ndarray, np.ndarray]:
        rows = np.loadtxt(path, delimiter=",", skiprows=1)
        return rows[:, :-1], rows[:, -1].astype(int)

    tables = {
        "seeds (binned)": table(data / "Seeds" / "Seeds.full.csv"),
        "pima (binned)": table(data / "Pima-Diabetes" / "Pima-Diabetes.full.csv"),
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
    }
    compas = data.parent / "gosdt_guesses" / "compas.csv"
    if compas.is_file():
        tables["compas"] = table(compas)
    found = []
    for name, (X, y) in tables.items():
        models = {
            "forest 10 x 3": RandomForestClassifier(10, max_depth=3, random_state=0),
            "boosting 20 x 2": GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0),
        }
        for kind, model in models.items():
            model.fit(X, y)
            ensemble = Ensemble.from_model(model)
            for goal in ("heuristic", "leaves", "active"):

                def work(
                    ensemble: Any = ensemble, goal: str = goal, X: Any = X, model: Any = model
                ) -> dict[str, Any]:
                    start = time.process_time()
                    if goal == "active":
                        result = solve_active(ensemble, X, time_limit=60)
                    else:
                        result = solve(ensemble, objective=goal, time_limit=60, max_leaves=200_000)
                    answer = describe(result, ensemble, time.process_time() - start)
                    answer["equals_model_on_rows"] = bool((result.tree.predict(X) == model.predict(X)).all())
                    if goal == "active":
                        answer["faithful"] = None
                        answer["merged_leaves"] = merge_equal_leaves(result.tree).n_leaves
                    return answer

                row = {"table": name, "model": kind, "objective": goal, "cells": forecast(ensemble).cells}
                found.append({**measured(work), **row})
    return found


def print_soft(rows: list[dict[str, Any]]) -> None:
    heads = f"{'cells':>9}{'leaves':>8}{'bound':>7}{'depth':>6}{'s':>8}  status"
    print(f"{'table':<16}{'model':<17}{'objective':<11}{heads}")
    for r in rows:
        head = f"{r['table']:<16}{r['model']:<17}{r['objective']:<11}{r['cells']:>9.2g}"
        if "error" in r:
            print(f"{head}  {r['error'][:110]}")
        else:
            sizes = f"{r['leaves']:>8}{r['leaves_lower_bound']:>7}{r['depth']:>6}"
            merged = f", {r['merged_leaves']} leaves merged" if "merged_leaves" in r else ""
            print(f"{head}{sizes}{r['cpu_seconds']:>8.2f}  {r['status']}, faithful: {r['faithful']}{merged}")


def large() -> list[dict[str, Any]]:
    """Ten trees of depth 3 on many continuous columns, hard votes as in the paper."""
    from sklearn.datasets import load_breast_cancer, make_classification
    from sklearn.ensemble import RandomForestClassifier

    from treewright.bornagain import Ensemble, forecast, solve

    tables = {"breast cancer, 30 columns": load_breast_cancer(return_X_y=True)}
    for p in (33, 50, 57):
        tables[f"made, {p} columns"] = make_classification(
            4000, p, n_informative=10, n_redundant=10, random_state=p
        )
    found = []
    for name, (X, y) in tables.items():
        for bins in (0, 10):
            Z = X if bins == 0 else np.floor((X - X.min(axis=0)) / np.ptp(X, axis=0) * (bins - 1e-9))
            forest = RandomForestClassifier(10, max_depth=3, max_features=0.5, random_state=0).fit(Z, y)
            ensemble = Ensemble.from_model(forest).as_hard_vote()

            def work(ensemble: Any = ensemble) -> dict[str, Any]:
                start = time.process_time()
                result = solve(ensemble, objective="heuristic", max_leaves=None)
                return describe(result, ensemble, time.process_time() - start)

            words = forecast(ensemble, descents=16)
            row = {
                "table": name,
                "bins": bins,
                "cells": words.cells,
                "expected_leaves": words.heuristic_leaves,
            }
            found.append({**measured(work), **row})
    return found


def print_large(rows: list[dict[str, Any]]) -> None:
    print(f"{'table':<28}{'bins':>5}{'cells':>9}{'expected':>10}{'leaves':>9}{'depth':>6}{'s':>8}")
    for r in rows:
        print(f"{r['table']:<28}{r['bins']:>5}{r['cells']:>9.2g}{r['expected_leaves']:>10.3g}"
              f"{r.get('leaves', -1):>9}{r.get('depth', -1):>6}{r.get('cpu_seconds', -1):>8.2f}")  # fmt: skip


def compact(report: dict[str, Any]) -> str:
    """JSON with one case a line, six digits a number, and nothing that is not known."""

    def tidy(value: Any) -> Any:
        if isinstance(value, float):
            return float(f"{value:.6g}")
        if isinstance(value, list):
            return [tidy(v) for v in value]
        if isinstance(value, dict):
            return {k: tidy(v) for k, v in value.items() if v is not None}
        return value

    parts = []
    for key, value in report.items():
        if isinstance(value, list):
            lines = ",\n  ".join(json.dumps(tidy(row)) for row in value)
            parts.append(f"{json.dumps(key)}: [\n  {lines}\n ]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the published forests and folds")
    parser.add_argument("--reference", type=Path, help="JSON file with known optimal sizes")
    parser.add_argument("--parts", default="published,merged,growth,soft,large")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--out", type=Path, default=Path("born_again.json"), help="where the JSON goes")
    options = parser.parse_args()
    parts = options.parts.split(",")
    if options.data is None and set(parts) - {"large"}:
        parser.error("--data is needed for all parts but 'large'")
    from treewright import __version__
    from treewright._native import core

    report: dict[str, Any] = {
        "treewright": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "instruction_set": str(core.simd()).rpartition(".")[2],
    }
    if options.out.is_file():
        report = json.loads(options.out.read_text()) | report
    for part in parts:
        if part == "published":
            folds = list(range(1, options.folds + 1))
            report[part] = published(options.data, options.reference, folds, options.sets.split(","))
            print_published(report[part])
        elif part == "merged":
            report[part] = merged(options.data, list(range(1, options.folds + 1)), options.sets.split(","))
            print_merged(report[part])
        elif part == "growth":
            report[part] = growth(options.data)
            print_growth(report[part])
        elif part == "soft":
            report[part] = soft(options.data)
            print_soft(report[part])
        elif part == "large":
            report[part] = large()
            print_large(report[part])
        else:
            parser.error(f"unknown part {part!r}")
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(compact(report))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
