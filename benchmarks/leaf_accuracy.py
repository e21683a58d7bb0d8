"""Valid explanations: the worst leaf, and hybrid trees, beside Nemecek et al. (2023).

``python -m benchmarks.leaf_accuracy --help``. Ten of the paper's data sets, balanced and split as in its Appendix
A.1; trees of depth 4 with 50 rows per leaf, reduced. Eight commands:

- ``trees``: leaf accuracy and accuracy on training and test rows: CART with default and with tuned parameters
  (Table 7), OCT and the paper's program by HiGHS, the exact search with three criteria (Tables 8 and 9, and the
  leaf accuracies of Table 1 beside); the tree that the programs start from.
- ``defaults``: the default beside the simplest baselines: a stump, CART with depth and leaf size by cross-validated
  leaf accuracy, and the tree of fewest errors with leaves as large.
- ``elsewhere``: the same on twelve other tables, by which no default was chosen.
- ``together``: the default and the simple baselines on the tables of both, from the stored results; nothing is run.
- ``ablations``: deeper trees, smaller leaves, more rows, and what the reduction does (Appendices A.5, A.9, A.10).
- ``proofs``: what the exact search proves in `cpu_limit` seconds with 16 quantiles a column, with guessed thresholds
  where that does not end, and with all thresholds, where the paper's program looks, too.
- ``paper``: means of the authors' own result files over all 23 tables (Appendices A.4, A.5, A.8); nothing is run.
- ``hybrids``: the same trees with a model in each leaf (HybridTreeClassifier), beside the model alone, each untuned
  beside untuned and tuned beside tuned (Tables 8 and 9, and the accuracies of Table 1 beside).

Methods are run on as many splits as their cost allows, and the tables say on how many. Each answer is kept as a line
of ``.cache/leaf_accuracy_answers.jsonl`` as it is made, under the rows and the settings that matter to its method, and
is not made again: a run can be broken off and go on. ``--fresh`` names methods that are run again, as they must be when
treewright itself has changed. Seconds are CPU seconds.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks._data import CACHE
from benchmarks._harness import RESULTS
from benchmarks._leaf_accuracy_data import RAW, SETS, Rows, load, split
from benchmarks._leaf_accuracy_elsewhere import ELSEWHERE
from benchmarks._leaf_accuracy_methods import (
    LEAVES,
    TREES,
    Answer,
    answer_of_black_box,
    answer_of_hybrid,
    answer_of_tree,
)
from benchmarks._leaf_accuracy_paper import authors_rows
from benchmarks._leaf_accuracy_tables import TABLES, default_tables
from benchmarks._options import commit, finish, names

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PACKAGES = ("treewright", "scikit-learn", "xgboost-cpu", "optuna", "highspy", "numpy")
ALL_SETS = ",".join(SETS)
COMPARED = (
    "cart",
    "cart tuned",
    "start",
    "oct",
    "mip",
    "exact",
    "exact lower bound",
    "exact cv",
    "exact all",
)
BASELINES = ("stump", "cart", "cart large leaves", "cart by worst leaf", "cart by one se", "optimal")
SIMPLE = (*BASELINES, "exact", "exact lower bound", "default")
ALL_ELSEWHERE = ",".join(ELSEWHERE)
ELSEWHERE_METHODS = (*BASELINES, "default as it comes", "auto thresholds")
ABLATED = (
    "cart",
    "cart, 1 row",
    "cart, depth 5",
    "cart, depth 20",
    "cart, depth 20, 1 row",
    "exact",
    "exact, 1 row",
    "exact, depth 5",
    "default",
)
LARGE = ("electricity", "california", "diabetes")  # have more than 12,500 rows, as in A.10
MORE_ROWS = 50_000
EXTENDED = ("cart tuned", "oct", "mip", "exact", "exact lower bound", "exact cv")
TUNED_SPLITS = 1  # of models that are tuned
PROGRAMS = ("oct", "mip")  # below these only leaf models as they come

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)

DataOption = Annotated[Path, typer.Option(help="Folder of the reference data.")]
OnlyOption = Annotated[str, typer.Option(help="Comma-separated data sets.")]
SplitsOption = Annotated[int | None, typer.Option(help="Splits of each method instead of its own number.")]
BinsOption = Annotated[int, typer.Option(help="Quantiles a column of the exact search.")]
CpuOption = Annotated[float, typer.Option(help="CPU seconds of an exact search.")]
AllOption = Annotated[float, typer.Option(help="CPU seconds of an exact search over all thresholds.")]
StepsOption = Annotated[int, typer.Option(help="Steps of a fit of the cross-validated search.")]
MipOption = Annotated[float, typer.Option(help="Seconds of a solver.")]
ThreadsOption = Annotated[int, typer.Option(help="Threads of a solver.")]
FreshOption = Annotated[str, typer.Option(help="Methods that are run again; comma-separated.")]
RunOption = Annotated[bool, typer.Option(help="Make the answers that are not there yet.")]
WriteOption = Annotated[bool, typer.Option(help="Write the results file.")]


@dataclass
class Kept:
    """The answers that are there, by what they depend on.

    Parameters
    ----------
    path : Path
        JSON lines, appended to.
    fresh : tuple of str
        Methods whose answers are made again.
    run : bool, default=True
        Whether to make answers that are not there.
    """

    path: Path
    fresh: tuple[str, ...] = ()
    run: bool = True
    lines: dict[str, Answer] = field(init=False)
    made: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.lines = {}
        if self.path.exists():
            for line in map(json.loads, self.path.read_text(encoding="utf-8").splitlines()):
                self.lines[line["key"]] = line["answer"]

    def take(self, key: list[Any], method: str, make: Callable[[], Answer]) -> Answer | None:
        """Return the kept answer, or make and keep one; a failure is an answer, too. None if it is not to be made."""
        text = json.dumps(key)
        if self.run and (text not in self.lines or (method in self.fresh and text not in self.made)):
            self.made.add(text)
            try:
                answer = make()
            except Exception as error:
                answer = {"status": "error", "error": f"{type(error).__name__}: {error}"[:300]}
            self.lines[text] = answer
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as lines:
                lines.write(json.dumps({"key": text, "answer": answer}) + "\n")
            shown = {k: round(v, 4) if isinstance(v, float) else v for k, v in answer.items() if k != "tree"}
            print("#", *key[:2], method, shown, flush=True)
        return self.lines.get(text)


@dataclass
class Case:
    """One split of one data set, and what is answered on it."""

    name: str
    seed: int
    train: Rows
    test: Rows
    kept: Kept
    options: dict[str, Any]

    def __post_init__(self) -> None:
        self.digest = self.train.digest()

    def tree(self, method: str) -> Answer | None:
        """Return what a method finds, with the tree as text."""
        settings = {name: self.options[name] for name in TREES[method].settings}
        key = [self.name, self.seed, self.digest, method, settings]
        return self.kept.take(
            key, method, lambda: answer_of_tree(method, self.train, self.test, self.seed, settings)
        )

    def hybrid(self, top: str, leaf: str) -> Answer | None:
        """Return what leaf models reach below the tree of a method."""
        of_top = {name: self.options[name] for name in TREES[top].settings}
        settings = {"trials": self.options["trials"]} if leaf.endswith("tuned") else {}
        key = [self.name, self.seed, self.digest, top, of_top, leaf, settings]

        def make() -> Answer:
            found = self.tree(top)
            assert found is not None  # since this is made
            return answer_of_hybrid(found["tree"], leaf, self.train, self.test, self.seed, settings)

        return self.kept.take(key, f"{top} + {leaf}", make)

    def black_box(self, leaf: str) -> Answer | None:
        """Return what the model of the leaves reaches on all rows."""
        settings = {"trials": self.options["trials"]} if leaf.endswith("tuned") else {}
        key = [self.name, self.seed, self.digest, leaf, settings]
        return self.kept.take(
            key, leaf, lambda: answer_of_black_box(leaf, self.train, self.test, self.seed, settings)
        )


def cases(
    data: Path, only: str, splits: int, kept: Kept, options: dict[str, Any], first: int = 0
) -> list[Case]:
    """Return all splits, the first of every data set first, so that a run that is broken off has a bit of each."""
    tables = {name: load(name, data) for name in names(only)}
    return [
        Case(name, seed, *split(table, seed), kept, options)
        for seed in range(first, first + splits)
        for name, table in tables.items()
    ]


def rows_of(case: Case, answer: Answer | None, **more: Any) -> list[dict[str, Any]]:
    """Return an answer as a row of the results; none if there is none."""
    if answer is None:
        return []
    figures = {name: value for name, value in answer.items() if name != "tree"}
    return [{"data": case.name, "seed": case.seed, **more, **figures}]


def show(name: str, options: dict[str, Any], rows: list[dict[str, Any]], write: bool) -> None:
    """Print the tables, and write the results with the versions of what was run."""
    print(*TABLES[name](rows), sep="\n\n")
    finish(name, {**options, "commit": commit(), "packages": packages()}, rows, write)


def packages() -> str:
    """Return the versions of what is compared."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


@app.command()
def trees(
    data: DataOption = DATA,
    only: OnlyOption = ALL_SETS,
    methods: Annotated[str, typer.Option(help="Comma-separated methods.")] = ",".join(COMPARED),
    splits: SplitsOption = None,
    bins: BinsOption = 16,
    cpu_limit: CpuOption = 60.0,
    all_limit: AllOption = 20.0,
    cv_steps: StepsOption = 5000,
    mip_limit: MipOption = 300.0,
    mip_threads: ThreadsOption = 2,
    fresh: FreshOption = "",
    run: RunOption = True,
    write: WriteOption = True,
) -> None:
    """Compare the trees alone: the worst leaf and the accuracy."""
    options = {
        "bins": bins,
        "cpu_limit": cpu_limit,
        "all_limit": all_limit,
        "cv_steps": cv_steps,
        "mip_limit": mip_limit,
        "mip_threads": mip_threads,
    }
    number = {method: splits or TREES[method].splits for method in names(methods)}
    kept = Kept(CACHE / "leaf_accuracy_answers.jsonl", names(fresh), run)
    rows: list[dict[str, Any]] = []
    for case in cases(data, only, max(number.values()), kept, options):
        for method in number:
            if case.seed < number[method]:
                rows += rows_of(case, case.tree(method), method=method)
    show("leaf_accuracy-trees", options, rows, write)


@app.command()
def defaults(
    data: DataOption = DATA,
    only: OnlyOption = ALL_SETS,
    methods: Annotated[str, typer.Option(help="Comma-separated methods.")] = ",".join(SIMPLE),
    first: Annotated[int, typer.Option(help="Number of the first split; the default was chosen on 0.")] = 1,
    splits: SplitsOption = 5,
    bins: BinsOption = 16,
    cpu_limit: CpuOption = 4.0,
    fresh: FreshOption = "",
    run: RunOption = True,
    write: WriteOption = True,
) -> None:
    """Compare the default with the simplest baselines."""
    options = {"bins": bins, "cpu_limit": cpu_limit}
    kept = Kept(CACHE / "leaf_accuracy_answers.jsonl", names(fresh), run)
    rows = beside(names(methods), cases(data, only, splits or 5, kept, options, first))
    show("leaf_accuracy-defaults", options, rows, write)


@app.command()
def elsewhere(
    data: DataOption = DATA,
    only: OnlyOption = ALL_ELSEWHERE,
    methods: Annotated[str, typer.Option(help="Comma-separated methods.")] = ",".join(ELSEWHERE_METHODS),
    first: Annotated[
        int, typer.Option(help="Number of the first split; the thresholds were chosen on 31 to 33.")
    ] = 61,
    splits: SplitsOption = 5,
    bins: BinsOption = 16,
    cpu_limit: CpuOption = 4.0,
    fresh: FreshOption = "",
    run: RunOption = True,
    write: WriteOption = True,
) -> None:
    """Compare the default with the simplest baselines, on tables by which it was not chosen."""
    options = {"bins": bins, "cpu_limit": cpu_limit}
    kept = Kept(CACHE / "leaf_accuracy_answers.jsonl", names(fresh), run)
    rows = beside(names(methods), cases(data, only, splits or 5, kept, options, first))
    show("leaf_accuracy-elsewhere", options, rows, write)


@app.command()
def together() -> None:
    """Compare the default with the baselines on all tables of `defaults` and `elsewhere`, as stored; nothing is run."""
    rows = []
    for name, default in (("defaults", "default"), ("elsewhere", "default as it comes")):
        stored = json.loads((RESULTS / f"leaf_accuracy-{name}.json").read_text())["rows"]
        called = {**{method: method for method in BASELINES}, default: "default"}
        rows += [{**row, "method": called[row["method"]]} for row in stored if row["method"] in called]
    print(*default_tables(rows), sep="\n\n")


@app.command()
def ablations(
    data: DataOption = DATA,
    only: OnlyOption = ALL_SETS,
    methods: Annotated[str, typer.Option(help="Semicolons between the methods.")] = ";".join(ABLATED),
    first: Annotated[int, typer.Option(help="Number of the first split.")] = 51,
    splits: SplitsOption = 3,
    bins: BinsOption = 16,
    cpu_limit: CpuOption = 4.0,
    fresh: FreshOption = "",
    run: RunOption = True,
    write: WriteOption = True,
) -> None:
    """Show what depth, small leaves, more rows and the reduction do."""
    options = {"bins": bins, "cpu_limit": cpu_limit}
    kept = Kept(CACHE / "leaf_accuracy_answers.jsonl", names(fresh), run)
    rows = beside(methods.split(";"), cases(data, only, splits or 3, kept, options, first))
    for name in [name for name in names(only) if name in LARGE]:
        table = load(name, data)
        for seed in range(first, first + (splits or 3)):
            case = Case(name, seed, *split(table, seed, MORE_ROWS), kept, options)
            answer = case.tree("default")
            rows += rows_of(case, answer, method="default, more rows", train_rows=len(case.train.y))
    show("leaf_accuracy-ablations", options, rows, write)


def beside(methods: Sequence[str], some: Sequence[Case]) -> list[dict[str, Any]]:
    """Return a row for each split and method."""
    return [
        row for case in some for method in methods for row in rows_of(case, case.tree(method), method=method)
    ]


@app.command()
def proofs(
    data: DataOption = DATA,
    only: OnlyOption = f"{ALL_SETS},{RAW}",
    bins: BinsOption = 16,
    cpu_limit: CpuOption = 60.0,
    all_limit: AllOption = 20.0,
    fresh: FreshOption = "",
    run: RunOption = True,
    write: WriteOption = True,
) -> None:
    """Show what is proven in the time, and in which interval the best value lies if it is not."""
    options = {"bins": bins, "cpu_limit": cpu_limit, "all_limit": all_limit}
    kept = Kept(CACHE / "leaf_accuracy_answers.jsonl", names(fresh), run)
    rows: list[dict[str, Any]] = []
    for case in cases(data, only, 1, kept, options):
        columns = case.train.X.shape[1]
        for method in ("exact", "exact lower bound"):
            answer = case.tree(method)
            what = {"columns": columns, "method": method}
            rows += rows_of(case, answer, **what, thresholds=f"{bins} quantiles")
            if answer is not None and answer["status"] != "OPTIMAL":
                rows += rows_of(case, case.tree(f"{method} guess"), **what, thresholds="guessed")
        if case.name != RAW:
            rows += rows_of(case, case.tree("exact all"), columns=columns, method="exact", thresholds="all")
    show("leaf_accuracy-proofs", options, rows, write)


@app.command()
def paper(data: DataOption = DATA, write: WriteOption = True) -> None:
    """Show what the authors' own result files say: the three strategies and OCT, before and after the reduction."""
    show("leaf_accuracy-paper", {}, authors_rows(data / "leaf_accuracy" / "paper_results"), write)


@app.command()
def hybrids(
    data: DataOption = DATA,
    only: OnlyOption = ALL_SETS,
    tops: Annotated[str, typer.Option(help="Comma-separated methods of `trees`.")] = ",".join(EXTENDED),
    leaves: Annotated[str, typer.Option(help="Comma-separated leaf models.")] = ",".join(LEAVES),
    splits: SplitsOption = None,
    tuned_splits: Annotated[int, typer.Option(help="Splits of what is tuned.")] = TUNED_SPLITS,
    trials: Annotated[int, typer.Option(help="Trials of tuning; the paper has 50.")] = 10,
    bins: BinsOption = 16,
    cpu_limit: CpuOption = 60.0,
    cv_steps: StepsOption = 5000,
    mip_limit: MipOption = 300.0,
    mip_threads: ThreadsOption = 2,
    fresh: FreshOption = "",
    run: RunOption = True,
    write: WriteOption = True,
) -> None:
    """Put a model in each leaf of the trees, and compare with the model alone."""
    options = {
        "trials": trials,
        "bins": bins,
        "cpu_limit": cpu_limit,
        "cv_steps": cv_steps,
        "mip_limit": mip_limit,
        "mip_threads": mip_threads,
    }
    number = {top: splits or TREES[top].splits for top in names(tops)}
    kept = Kept(CACHE / "leaf_accuracy_answers.jsonl", names(fresh), run)
    rows: list[dict[str, Any]] = []
    for case in cases(data, only, max(number.values()), kept, options):
        for leaf in names(leaves):
            if leaf.endswith("tuned") and case.seed >= tuned_splits:
                continue
            rows += rows_of(case, case.black_box(leaf), top="", leaf=leaf)
            for top in number:
                if case.seed < number[top] and (top not in PROGRAMS or leaf in ("boosting", "xgboost")):
                    rows += rows_of(case, case.hybrid(top, leaf), top=top, leaf=leaf)
    show("leaf_accuracy-hybrids", options, rows, write)


if __name__ == "__main__":
    app()
