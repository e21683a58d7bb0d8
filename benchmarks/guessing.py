"""Guessing with a reference ensemble, beside gosdt with its own guesses.

``python -m benchmarks.guessing --help``. The data, references and prices of McTavish et al. (2022); seconds
are CPU seconds of one core. In one run, fold by fold: gosdt guesses thresholds and searches with `y_ref`;
treewright guesses thresholds by itself, then searches on gosdt's very columns and predictions, with the guessed
lower bounds (and the short searches that go with them) and without any guess. Writes
`benchmarks/results/guessing.json` and, where matplotlib is installed, `benchmarks/results/guessing.png`.
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks._data import read_csv
from benchmarks._environments import ensure, worker_script
from benchmarks._harness import RESULTS, call_worker, write_results
from benchmarks._tables import format_table, show_depth
from treewright.binarize import SplitMatrix, make_splits
from treewright.guess import Elimination, eliminate_columns, make_reference
from treewright.problem import make_problem
from treewright.search import Guesses, Limits, solve, solve_guided
from treewright.table import table_from
from treewright.tree import Split, ThresholdSplit

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "gosdt_guesses"
SETS = {  # file, trees of the reference, their depth (section 5 of the paper)
    "spiral": ("spiral.csv", 20, 3),
    "compas": ("compas.csv", 20, 3),
    "broward": ("broward_general_2y.csv", 40, 1),
    "fico": ("fico.csv.gz", 40, 1),
    "takeaway": ("coupon_carryout.csv.gz", 50, 2),
    "restaurant": ("coupon_rest20.csv.gz", 50, 2),
}
PRICES = (0.01, 0.005, 0.001)
DEPTHS = (3, 5, None)


def main(
    data: Annotated[Path, typer.Option(help="Folder of the paper's files.")] = DATA,
    only: Annotated[str, typer.Option(help="Comma-separated data sets.")] = ",".join(SETS),
    folds: Annotated[int, typer.Option(help="Folds of five to run.")] = 5,
    time_limit: Annotated[float, typer.Option(help="Seconds a search.")] = 60.0,
    peer_time_limit: Annotated[
        float | None, typer.Option(help="Seconds a search of gosdt.", show_default="the same")
    ] = None,
    searching: Annotated[bool, typer.Option(help="Search; else column elimination alone.")] = True,
    write: Annotated[bool, typer.Option(help="Write the results file and the picture.")] = True,
) -> None:
    """Run the comparison and print its tables."""
    rows: list[dict[str, Any]] = []
    guesses: list[dict[str, Any]] = []
    limits = (time_limit, time_limit if peer_time_limit is None else peer_time_limit)
    for name in only.split(","):
        file, n_estimators, depth = SETS[name]
        X, y = read_csv(data / file)
        split = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
        for fold, (train, test) in enumerate(list(split)[:folds]):
            rows_of = (X[train], y[train], X[test], y[test])
            guess, cells = one_fold(*rows_of, n_estimators, depth, limits, searching)
            guesses.append({"data": name, "fold": fold, **guess})
            rows += [{"data": name, "fold": fold, **cell} for cell in cells]
            print(f"# {name} fold {fold}: {guess}", flush=True)
    print(guess_table(guesses))
    if searching:
        print("\n", search_table(rows), "\n", *verdicts(rows, guesses), sep="\n")
    elif write:
        write_results("guessing-elimination", {"folds": folds, "sets": SETS}, guesses)
    if write and searching:
        options = {
            "folds": folds,
            "time_limit": time_limit,
            "peer_time_limit": limits[1],
            "prices": PRICES,
            "sets": SETS,
        }
        write_results("guessing", options, [*guesses, *rows])
        draw(rows, RESULTS / "guessing.png")


def one_fold(
    X: np.ndarray,
    y: np.ndarray,
    X_test: np.ndarray,
    y_test: np.ndarray,
    n_estimators: int,
    depth: int,
    limits: tuple[float, float],
    searching: bool,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what was guessed, and one row a cell; limits in seconds, ours and gosdt's."""
    time_limit, peer_limit = limits
    cells = [(price, limit) for price in PRICES for limit in DEPTHS] if searching else []
    with tempfile.TemporaryDirectory() as folder:
        arrays, columns = Path(folder) / "data.npz", Path(folder) / "columns.npz"
        np.savez(arrays, X=X, y=y, X_test=X_test, y_test=y_test)
        job = {
            "arrays": str(arrays),
            "columns": str(columns),
            "n_estimators": n_estimators,
            "max_depth": depth,
            "cells": cells,
            "time_limit": peer_limit,
        }
        command = [str(ensure("gosdt")), str(worker_script("guessing_gosdt"))]
        theirs = call_worker(command, job, 120 + len(cells) * (2 * peer_limit + 30))
        if theirs["status"] != "done":
            return {"error": theirs.get("error", theirs["status"])}, []
        stored = dict(np.load(columns))
    start = time.process_time()
    model = GradientBoostingClassifier(n_estimators=n_estimators, max_depth=depth, random_state=0)
    reference = make_reference(model, table_from(X), y.astype(np.int32), np.unique(y), np.ones(len(y)))
    fitted = time.process_time()
    found = eliminate_columns(reference, y.astype(np.int32), np.ones(len(y)), merge_equal=False)
    ended = time.process_time()
    merged = eliminate_columns(reference, y.astype(np.int32), np.ones(len(y)))  # as users get it
    merged_ended = time.process_time()
    kept = sorted((s.position, s.threshold) for s in found.kept)
    same = len(kept) == len(theirs["thresholds"]) and np.allclose(
        kept, sorted(map(tuple, theirs["thresholds"])), rtol=0, atol=1e-9
    )
    guess = {
        "offered": len(found.kept) + len(found.removed),
        "kept": len(found.kept),
        "same_as_gosdt": bool(same),
        "refits": found.n_refits,
        "refits_by_scikit_learn": found.n_refits_by_model,
        "seconds_ours": ended - fitted,
        "kept_merged": len(merged.kept),
        "seconds_merged": merged_ended - ended,
        "seconds_gosdt": theirs["seconds_of_guessing"] - theirs["seconds_of_reference"],
        "seconds_of_reference": fitted - start,
        "seconds_of_gosdts_reference": theirs["seconds_of_reference"],
        "black_box_test": theirs["black_box_test"],
    }
    if not searching:
        before, after = (objectives(X, y, one, time_limit) for one in (found, merged))
        guess |= {f"objective change by merging, {p:g}": after[p] / before[p] - 1 for p in PRICES}
    return guess, [searches(stored, y, y_test, row, time_limit) for row in theirs["rows"]]


def objectives(
    X: np.ndarray, y: np.ndarray, elimination: Elimination, time_limit: float
) -> dict[float, float]:
    """Return the objective of the best tree of depth 3 over the kept thresholds, by leaf penalty."""
    table = table_from(X)
    splits: list[Split] = [ThresholdSplit(s.position, s.threshold) for s in elimination.kept]
    cuts = make_splits(table, [splits], "the kept thresholds")
    return {
        price: solve(
            make_problem(table, y, cost_complexity=price, max_depth=3), cuts, limits=Limits(time_limit)
        ).objective
        for price in PRICES
    }


def searches(
    stored: dict[str, np.ndarray], y: np.ndarray, y_test: np.ndarray, gosdt: dict[str, Any], time_limit: float
) -> dict[str, Any]:
    """Search the same columns with the same guesses, then exactly."""
    Z, Z_test = stored["Z"].astype(float), stored["Z_test"].astype(float)
    problem = make_problem(
        table_from(Z), y, cost_complexity=gosdt["cost_complexity"], max_depth=gosdt["max_depth"]
    )
    cuts = SplitMatrix.from_matrix(
        tuple(ThresholdSplit(j, 0.5) for j in range(Z.shape[1])),
        np.ascontiguousarray(stored["Z"].T, dtype=np.uint8),
        "the same columns",
    )
    guesses = Guesses(lower_bounds=True, reference=stored["y_ref"])
    row = {k: gosdt[k] for k in ("cost_complexity", "max_depth")} | {"gosdt": gosdt}
    for who in ("guessed", "exact"):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if who == "guessed":  # with its short searches beside
                result = solve_guided(problem, cuts, guesses, limits=Limits(time_limit))
            else:
                result = solve(problem, cuts, limits=Limits(time_limit))
        row[who] = {
            "seconds": time.process_time() - start,
            "status": result.status.name,
            "leaves": result.tree.n_leaves,
            "objective": result.objective,
            "gap": result.gap,
            "train": 1 - result.loss,
            "test": float((result.tree.predict(Z_test) == y_test).mean()),
        }
    return row


def guess_table(guesses: list[dict[str, Any]]) -> str:
    """Return the table of column elimination, medians over folds."""
    header = [
        "data",
        "offered",
        "kept",
        "same as gosdt",
        "re-fits",
        "by scikit-learn",
        "ours s",
        "gosdt s",
        "factor",
        "kept, merged",
        "merged s",
        "factor, merged, with the reference's fit",
        *(f"objective by merging, {price:g}" for price in PRICES),
    ]
    table = []
    for name in dict.fromkeys(g["data"] for g in guesses):
        mine = [g for g in guesses if g["data"] == name and "kept" in g]
        if not mine:
            continue
        mid = {
            k: statistics.median(g[k] for g in mine) for k in mine[0] if k not in ("data", "same_as_gosdt")
        }
        table.append(
            [
                name,
                *(f"{mid[k]:g}" for k in ("offered", "kept")),
                f"{sum(g['same_as_gosdt'] for g in mine)}/{len(mine)}",
                *(f"{mid[k]:g}" for k in ("refits", "refits_by_scikit_learn")),
                *(f"{mid[k]:.3f}" for k in ("seconds_ours", "seconds_gosdt")),
                f"{statistics.median(g['seconds_gosdt'] / g['seconds_ours'] for g in mine):.1f}",
                f"{mid['kept_merged']:g}",
                f"{mid['seconds_merged']:.3f}",
                f"{statistics.median(_users_factor(g) for g in mine):.1f}",
                *(_changes(mine, f"objective change by merging, {price:g}") for price in PRICES),
            ]
        )
    return format_table(header, table)


def _changes(guesses: list[dict[str, Any]], key: str) -> str:
    """Return the least and the largest change of an objective, in per cent."""
    known = [100 * g[key] for g in guesses if key in g]
    return f"{min(known):+.1f} to {max(known):+.1f}%" if known else "-"


def _users_factor(guess: dict[str, Any]) -> float:
    """What a user of either waits for: the fit of the reference, and its column elimination."""
    theirs = guess["seconds_gosdt"] + guess["seconds_of_gosdts_reference"]
    return float(theirs / (guess["seconds_merged"] + guess["seconds_of_reference"]))


def search_table(rows: list[dict[str, Any]]) -> str:
    """Return one line a data set, price and depth: medians over folds, the worst status."""
    header = [
        "data",
        "price",
        "depth",
        *(f"{w} {c}" for w in ("gosdt", "guessed", "exact") for c in ("s", "objective", "test", "status")),
    ]
    table = []
    for key in dict.fromkeys((r["data"], r["cost_complexity"], r["max_depth"]) for r in rows):
        mine = [r for r in rows if (r["data"], r["cost_complexity"], r["max_depth"]) == key]
        line = [key[0], f"{key[1]:g}", show_depth(key[2])]
        for who in ("gosdt", "guessed", "exact"):
            answers = [r[who] for r in mine]
            line.append(f"{statistics.median(a['seconds'] for a in answers):.4f}")
            for k in ("objective", "test"):
                known = [a[k] for a in answers if k in a]
                line.append(f"{statistics.median(known):.4f}" if known else "-")
            words = sorted({a["status"] for a in answers})
            gap = max(a.get("gap", 0.0) for a in answers if who == "exact") if who == "exact" else 0.0
            line.append(
                "/".join(words) + (f" gap {100 * gap:.0f}%" if "FEASIBLE" in words and who == "exact" else "")
            )
        table.append(line)
    return format_table(header, table)


def verdicts(rows: list[dict[str, Any]], guesses: list[dict[str, Any]]) -> list[str]:
    """Return the aims of the comparison beside what was reached."""
    slow = [r for r in rows if r["gosdt"]["seconds"] > 1]
    factors = {
        ended: [
            r["gosdt"]["seconds"] / r["guessed"]["seconds"]
            for r in slow
            if (r["gosdt"]["status"] == "CONVERGED") == ended
        ]
        for ended in (True, False)
    }
    known = [r for r in rows if "objective" in r["gosdt"]]
    worse = [r for r in known if r["guessed"]["objective"] > r["gosdt"]["objective"] + 1e-9]
    open_rows = [r for r in rows if r["exact"]["status"] != "OPTIMAL"]
    lines = [
        *(
            f"Where gosdt {how} ({len(f)} rows), treewright with the same guesses is faster by at least "
            f"{min(f, default=math.nan):.0f}, median {statistics.median(f or [math.nan]):.0f} (aim: 100)."
            for how, f in (
                ("converged after more than 1 s", factors[True]),
                (
                    "was stopped or failed after more than 1 s, so that the true factor is larger",
                    factors[False],
                ),
            )
        ),
        f"Objective above gosdt's: {len(worse)} of {len(known)} rows (aim: none)"
        + (
            f", by at most {max(r['guessed']['objective'] - r['gosdt']['objective'] for r in worse):.6f}."
            if worse
            else "."
        ),
        f"Guessed searches that did not end: {sum(r['guessed']['status'] == 'FEASIBLE' for r in rows)} (aim: "
        "none).",
        f"Exact searches on the guessed columns that did not end in time: {len(open_rows)} of {len(rows)} "
        "(aim: none).",
    ]
    for name in dict.fromkeys(r["data"] for r in rows):
        mine = [r for r in known if r["data"] == name]
        box = statistics.median(g["black_box_test"] for g in guesses if g["data"] == name)
        by_cell = {(r["cost_complexity"], r["max_depth"]) for r in mine}
        differences, ours = [], []
        for cell in by_cell:
            of_cell = [r for r in mine if (r["cost_complexity"], r["max_depth"]) == cell]
            here = statistics.median(r["guessed"]["test"] for r in of_cell)
            ours.append(here)
            differences.append(here - statistics.median(r["gosdt"]["test"] for r in of_cell))
        if differences:
            whole = statistics.median(r["guessed"]["test"] for r in mine) - statistics.median(
                r["gosdt"]["test"] for r in mine
            )
            lines.append(
                f"{name}: median test accuracy less gosdt's, all rows {100 * whole:+.2f} points (aim: -0.5), worst "
                f"cell {100 * min(differences):+.2f}; best cell {100 * max(ours):.2f}%, the 100 x depth-3 GBDT "
                f"{100 * box:.2f}% (aim: within 2)."
            )
    return lines


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw test accuracy against seconds, one panel a data set, as Figure 1 of the paper."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        return
    from treewright.show._axes import tidy
    from treewright.show._colours import OKABE_ITO

    names = list(dict.fromkeys(r["data"] for r in rows))
    across = min(3, max(1, len(names)))
    down = -(-max(1, len(names)) // across)
    figure, panels = plt.subplots(
        down, across, figsize=(3.3 * across, 2.7 * down + 0.3), squeeze=False, layout="constrained"
    )
    looks = (
        ("gosdt", "gosdt", {"marker": "x", "color": OKABE_ITO[5], "linewidth": 1.2}),
        ("guessed", "guessed bounds", {"marker": "o", "color": OKABE_ITO[0], "edgecolor": "white"}),
        ("exact", "exact, same thresholds", {"marker": "^", "facecolor": "none", "edgecolor": "black"}),
    )
    for panel, name in zip(panels.flat, names, strict=False):
        for who, label, look in looks:
            points = [
                (r[who]["seconds"], 100 * r[who]["test"])
                for r in rows
                if r["data"] == name and "test" in r.get(who, {})
            ]
            if points:
                panel.scatter(*zip(*points, strict=True), label=label, s=26, alpha=0.75, **look)
        panel.set(xscale="log")
        panel.set_title(name, fontsize=10)
        tidy(panel, grid="y")
    for panel in panels.flat[len(names) :]:
        panel.set_visible(False)
    figure.supxlabel("CPU seconds", fontsize=10)
    figure.supylabel("test accuracy (%)", fontsize=10)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    with threadpool_limits(1):
        typer.run(main)
