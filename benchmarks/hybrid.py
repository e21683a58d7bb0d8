"""The default hybrid tree beside its two parts: the tree on top, and the model of the leaves alone, also tuned.

Ten tables (`_leaf_accuracy_data.py`), 80% of the rows for training, at most 10,000. The rule that says who answers in a
leaf was made on splits 200 to 202 and 220, and earlier forms of it were judged on 300 to 302 and 400 to 407, so fresh
seeds start at 500. Rows of a split are kept as they come: a run that is broken off goes on from there. The standard
error of a difference within a table is over its splits, which share rows: it says less than one over tables.

    python -m benchmarks.hybrid defaults --data FOLDER
    python -m benchmarks.hybrid classes --data FOLDER     # tables of more than two classes
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any
from unittest.mock import patch

import numpy as np
import polars as pl
import typer
from scipy.stats import wilcoxon
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from benchmarks._data import CACHE
from benchmarks._leaf_accuracy_data import SETS, Rows, load, split
from benchmarks._leaf_accuracy_tables import FEWEST_TESTED
from benchmarks._options import commit, finish
from benchmarks._tables import format_table
from benchmarks.leaf_accuracy import DATA, Kept, packages
from treewright import HybridTreeClassifier
from treewright.leaf_accuracy import _rounds, _shared
from treewright.leaf_accuracy._tune import tune_model

FIRST_SEED = 500
# Answers of other rules are not taken again.
RULE = "tree held out, doubt by all rows, settings of the shared model, rounds by cooled loss"
HYBRIDS: dict[str, dict[str, Any]] = {
    "paper's hybrid": {"tune": None},
    "own models only": {"share": False},
    "plain loss": {},  # the default before: rounds and settings by the loss with what is lost by being too sure
    "default": {},
}
ANSWERERS = {"all rows": ("shared",), "own": ("model", "simple"), "tree": ("kept", "one class")}  # treatments
WAYS = ("alone", "alone, tuned", *HYBRIDS)

app = typer.Typer(help=__doc__, add_completion=False)


@app.callback()
def main() -> None:
    """Hybrid trees beside their parts."""


@app.command()
def classes(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    only: Annotated[
        str, typer.Option(help="Comma-separated tables of continuous columns.")
    ] = "segment,fault",
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 3,
    ways: Annotated[str, typer.Option(help="What is compared; semicolons between.")] = "alone;default",
    trials: Annotated[int, typer.Option(help="Trials that tune the model alone.")] = 10,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Compare accuracy on test rows of tables with more than two classes, which are not balanced."""
    rows: list[dict[str, Any]] = []
    for name in only.split(","):
        frame = pl.read_csv(data / "continuous" / f"{name}.csv.gz", infer_schema_length=None)
        labels = np.unique(frame["label"].to_numpy(), return_inverse=True)[1].astype(np.int64)
        table_of_all = Rows(frame.drop("label").cast(pl.Float64).to_numpy(), labels)
        for seed in range(FIRST_SEED, FIRST_SEED + splits):
            parts = split(table_of_all, seed)
            row = {
                "data": name,
                "seed": seed,
                "classes": len(np.unique(labels)),
                "train_rows": len(parts[0].y),
            }
            for way in ways.split(";"):
                row |= one(way, *parts, seed, trials)
            rows.append(row)
    print(table(rows))
    finish("hybrid-classes", {"splits": splits, "trials": trials, "commit": commit()}, rows, write)


@app.command()
def defaults(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    only: Annotated[str, typer.Option(help="Comma-separated data sets.")] = ",".join(SETS),
    first: Annotated[int, typer.Option(help="Seed of the first split.")] = FIRST_SEED,
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 8,
    ways: Annotated[str, typer.Option(help="What is compared; semicolons between.")] = ";".join(WAYS),
    trials: Annotated[int, typer.Option(help="Trials that tune the model alone.")] = 10,
    where: Annotated[str, typer.Option(help="The machine that made the kept answers, if another.")] = "",
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Compare accuracy on test rows."""
    kept = Kept(CACHE / "hybrid_answers.jsonl")
    rows: list[dict[str, Any]] = []
    for seed in range(first, first + splits):
        for name in only.split(","):
            train, test = split(load(name, data), seed)
            row: dict[str, Any] = {"data": name, "seed": seed, "train_rows": len(train.y)}
            for way in ways.split(";"):

                def make(
                    way: str = way, train: Rows = train, test: Rows = test, seed: int = seed
                ) -> dict[str, Any]:
                    return one(way, train, test, seed, trials)

                depends = {"alone": None, "alone, tuned": trials}.get(way, RULE)
                answer = kept.take([name, seed, train.digest(), depends, way], way, make)
                assert answer is not None  # it is made
                row |= answer
            rows.append(row)
    print(table(rows))
    options = {"splits": splits, "first": first, "trials": trials, "commit": commit(), "packages": packages()}
    if where:
        options["answers made on"] = where
    finish("hybrid-defaults", options, rows, write)


def one(way: str, train: Rows, test: Rows, seed: int, trials: int) -> dict[str, Any]:
    """Fit one way on one split."""
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        start = time.process_time()
        model: Any
        if way in HYBRIDS:
            with plain_loss() if way == "plain loss" else nullcontext():
                model = HybridTreeClassifier(random_state=seed, **HYBRIDS[way]).fit(train.X, train.y)
        else:
            model = HistGradientBoostingClassifier(random_state=seed)
            if way == "alone, tuned":
                found = tune_model(model, np.asarray(train.X), train.y, None, n_trials=trials, seed=seed)
                model.set_params(**found.parameters)
            model.fit(train.X, train.y)
        out: dict[str, Any] = {f"{way}, seconds": time.process_time() - start, "status": "done"}
        out[way] = float(np.mean(model.predict(test.X) == test.y))
        out[f"{way}, log loss"] = float(log_loss(test.y, model.predict_proba(test.X)))
        if way in HYBRIDS:
            report = model.report(test.X, test.y)
            out[f"{way}, explained"] = report.share_explained
            out["tree"] = report.top_accuracy
            answers = [str(own.treatment) for own in model.extensions_.values()]
            out[f"{way}, who answers"] = {who: answers.count(who) for who in sorted(set(answers))}
    return out


@contextmanager
def plain_loss() -> Iterator[None]:
    """Choose rounds as before the loss was cooled; larger trees were tried only where nearly all rounds were needed."""

    def plain(logs: Any, place: Any, weight: Any, start: float = 1.0) -> tuple[float, float]:
        return -float(weight @ logs[np.arange(len(place)), place]), 1.0

    with patch.object(_rounds, "cooled", plain), patch.object(_shared, "LAST", 0.8):
        yield


def table(rows: list[dict[str, Any]]) -> str:
    """Return a table for each way that has a tree on top: of the splits that it was run on, with its parts."""
    return "\n\n".join(
        f"**{way}**\n\n{_one_way(mine, way)}"
        for way in HYBRIDS
        if (mine := [row for row in rows if way in row])
    )


def _one_way(rows: list[dict[str, Any]], ours: str) -> str:
    """Return means over the splits, and one way less its parts with a standard error and a signed-rank test."""
    ways = [way for way in ("tree", "alone", "alone, tuned", "plain loss", ours) if way in rows[0]]
    ways = list(dict.fromkeys(ways))
    less = [way for way in ways if way != ours]
    header = [
        "table",
        "splits",
        *ways,
        *(f"{ours} less {way}" for way in less),
        "explained",
        f"leaves: {' / '.join(ANSWERERS)}",
    ]
    names = list(dict.fromkeys(row["data"] for row in rows))
    lines = []
    for name in [*names, "mean"]:
        own = rows if name == "mean" else [row for row in rows if row["data"] == name]
        line = [name, str(len(own)), *(f"{100 * fmean(row[way] for row in own):.1f}" for way in ways)]
        for way in less:
            apart = [100 * (row[ours] - row[way]) for row in own]
            if name == "mean":  # over tables, whose means are what varies
                apart = [
                    fmean(100 * (row[ours] - row[way]) for row in rows if row["data"] == table)
                    for table in names
                ]
            error = f" ± {stdev(apart) / len(apart) ** 0.5:.2f}" if len(apart) > 1 else ""
            test = ""
            if name == "mean" and len(names) >= FEWEST_TESTED:
                test = f" (p {wilcoxon(apart).pvalue:.3f})"
            line.append(f"{fmean(apart):+.2f}{error}{test}")
        line.append(f"{100 * fmean(row[f'{ours}, explained'] for row in own):.0f}%")
        answers = [row[f"{ours}, who answers"] for row in own]
        counts = [sum(each.get(who, 0) for each in answers for who in kinds) for kinds in ANSWERERS.values()]
        line.append(" / ".join(map(str, counts)))
        lines.append(line)
    return format_table(header, lines)


if __name__ == "__main__":
    app()
