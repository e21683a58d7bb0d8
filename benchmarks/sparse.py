"""Exact sparse trees beside gosdt, STreeD and DL8.5: ``python -m benchmarks.sparse --help``.

Each command runs its rows one after another, every solver in its own process and environment, prints one
table and writes `benchmarks/results/sparse-<command>.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks._compare import OURS, Settings, clocked, compare, disagreements, print_comparison, speed_lines
from benchmarks._data import Dataset, as_binary, cut_columns, read_csv, stored
from benchmarks._environments import SOLVERS
from benchmarks._harness import Harness
from benchmarks._options import depths_of, finish, names
from benchmarks._probes import ablation_rows, ablation_table, import_seconds, longest_pause, scaling_tables
from benchmarks._tables import finished, format_table, show_seconds

HERE = Path(__file__).resolve().parent
HARD = ("anneal", "german-credit", "heart-cleveland", "kr-vs-kp", "splice-1", "vehicle", "yeast")
ALSO_BINARY = (
    "primary-tumor",
    "tic-tac-toe",
    "vote",
    "soybean",
    "lymph",
    "hepatitis",
    "mushroom",
    "diabetes",
)
OSDT = ("compas-binary.csv", "fico_binary.csv.gz", "tic-tac-toe.csv", "car-evaluation.csv", "monk1-train.csv")

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)

Data = Annotated[Path, typer.Option(help="Folder of the shared data and reference values.")]
Solvers = Annotated[str, typer.Option(help=f"Comma-separated, of {', '.join(SOLVERS)}.")]
Limit = Annotated[float, typer.Option(help="Seconds for each solver and row.")]
Repetitions = Annotated[int, typer.Option(help="Fits a row at most; runs over 2 s are not repeated.")]
Store = Annotated[Path, typer.Option(help="JSON lines of every single run.")]
Reuse = Annotated[str, typer.Option(help="Solvers whose stored runs are taken (development only).")]
Only = Annotated[str, typer.Option(help="Only tables whose name contains this.")]
Depths = Annotated[str, typer.Option(help="Comma-separated depths; `none` is unlimited.")]
StreedDepth = Annotated[
    int, typer.Option(help="Depth that STreeD gets where ours is unlimited (20 at most).")
]
Clock = Annotated[str, typer.Option(help="Seconds shown: wall, or cpu on a machine that others use too.")]
Write = Annotated[bool, typer.Option(help="Write the results file.")]

DATA = HERE.parent.parent / "shared"
STORE = HERE / ".cache" / "runs.jsonl"


def table(shared: Path, file: str) -> Dataset:
    """Return a 0/1 table of the shared folder, named without folder and ending."""

    def load() -> Any:
        X, y = read_csv(shared / "data" / file)
        return as_binary(X), y

    return stored(Path(file).name.split(".")[0], load)


def settings_of(solvers: str, limit: float, repetitions: int, streed_depth: int = 10) -> Settings:
    """Gather the common options."""
    chosen = names(solvers)
    unknown = [s for s in chosen if s not in SOLVERS]
    if unknown:
        raise typer.BadParameter(f"unknown solver {unknown[0]!r}; known are {', '.join(SOLVERS)}")
    return Settings(
        chosen, {"default": limit}, repetitions, {"streed": {"depth_when_unlimited": streed_depth}}
    )


def differing(rows: list[dict[str, Any]]) -> list[str]:
    """Return the remarks on proven values that differ."""
    return [f"differs: {line}" for line in disagreements(rows)]


@app.command()
def grid(
    data: Data = DATA,
    solvers: Solvers = "treewright,gosdt,streed",
    time_limit: Limit = 20,
    repetitions: Repetitions = 5,
    streed_depth: StreedDepth = 10,
    only: Only = "",
    store: Store = STORE,
    reuse: Reuse = "",
    clock: Clock = "wall",
    write: Write = True,
) -> None:
    """The 100 rows with known optimal values: five tables, five prices, depth 3, 4, 5 and unlimited."""
    settings = settings_of(solvers, time_limit, repetitions, streed_depth)
    harness = Harness(store, frozenset(names(reuse)))
    rows = []
    for entry in json.loads((data / "reference" / "sparse_trees.json").read_text())["rows"]:
        if only not in entry["file"]:
            continue
        dataset = table(data, entry["file"])
        known = {"reference": entry["objective"]}
        rows.append(
            compare(harness, settings, dataset, entry["cost_complexity"], entry["max_depth"], **known)
        )
    shown = clocked(rows, clock)
    print(print_comparison(shown, settings.solvers))
    notes = ["", *differing(rows)]
    ours = [a for row in shown for a in row["answers"] if a["solver"] == OURS]
    if ours:
        proven = sum(finished(a) for a in ours)
        seconds = sum(a.get("wall_seconds", 0.0) for a in ours)
        notes.append(f"treewright: {proven} of {len(ours)} proven, {seconds:.3g} s of fit together")
        notes += speed_lines(shown, ["gosdt"], 100, 1.0)
        notes += speed_lines(shown, ["streed"], 10, 0.1)
        notes += speed_lines(shown, ["gosdt", "streed"], 1, 0.0)
    finish("sparse-grid", {"time_limit": time_limit, "streed_depth": streed_depth}, rows, write, *notes)


@app.command()
def dl85(
    data: Data = DATA,
    solvers: Solvers = "treewright,dl85,streed",
    time_limit: Limit = 60,
    repetitions: Repetitions = 5,
    depths: Depths = "2,3,4,5",
    only: Only = "",
    store: Store = STORE,
    reuse: Reuse = "",
    clock: Clock = "wall",
    write: Write = True,
) -> None:
    """Least misclassification at a depth (cost_complexity 0), the problem of DL8.5."""
    settings = settings_of(solvers, time_limit, repetitions)
    harness = Harness(store, frozenset(names(reuse)))
    files = [f"osdt/{f}" for f in OSDT] + [f"binary/{f}.csv.gz" for f in (*HARD, *ALSO_BINARY)]
    rows = [
        compare(harness, settings, table(data, file), 0.0, depth)
        for depth in depths_of(depths)
        for file in files
        if only in file
    ]
    shown = clocked(rows, clock)
    print(print_comparison(shown, settings.solvers))
    notes = ["", *differing(rows)]
    notes += speed_lines(shown, ["dl85", "streed"], 10, 0.1) if OURS in settings.solvers else []
    finish("sparse-dl85", {"time_limit": time_limit}, rows, write, *notes)


@app.command()
def hard(
    data: Data = DATA,
    solvers: Solvers = "treewright,streed",
    time_limit: Limit = 120,
    repetitions: Repetitions = 3,
    depths: Depths = "3,4,5",
    costs: Annotated[str, typer.Option(help="Comma-separated prices of a leaf.")] = ".01,.005,.001",
    only: Only = "",
    store: Store = STORE,
    reuse: Reuse = "",
    clock: Clock = "wall",
    write: Write = True,
) -> None:
    """Many columns: 73 to 287 binary columns."""
    settings = settings_of(solvers, time_limit, repetitions)
    harness = Harness(store, frozenset(names(reuse)))
    rows = [
        compare(harness, settings, table(data, f"binary/{name}.csv.gz"), float(cost), depth)
        for depth in depths_of(depths)
        for name in HARD
        for cost in names(costs)
        if only in name
    ]
    shown = clocked(rows, clock)
    print(print_comparison(shown, settings.solvers))
    notes = ["", *differing(rows)]
    if OURS in settings.solvers:
        peers = [s for s in settings.solvers if s != OURS]
        notes += speed_lines(shown, peers, 10, 0.1) + speed_lines(shown, peers, 1, 0.0)
    finish("sparse-hard", {"time_limit": time_limit}, rows, write, *notes)


@app.command()
def unlimited(
    data: Data = DATA,
    solvers: Solvers = "treewright,streed",
    time_limit: Limit = 60,
    streed_depth: StreedDepth = 10,
    costs: Annotated[str, typer.Option(help="Comma-separated prices of a leaf.")] = ".02,.01,.005",
    only: Only = "",
    store: Store = STORE,
    reuse: Reuse = "",
    clock: Clock = "wall",
    write: Write = True,
) -> None:
    """Unlimited depth with 40 to 60 columns: where proofs get hard, and what gap is left."""
    settings = settings_of(solvers, time_limit, 1, streed_depth)
    harness = Harness(store, frozenset(names(reuse)))

    def cuts(file: str, n_columns: int) -> Dataset:
        def load() -> Any:
            X, y = read_csv(data / "data" / "gosdt_guesses" / file)
            return cut_columns(X, n_columns), y

        return stored(f"{file.split('.')[0]}-{n_columns}", load)

    tables = [
        lambda: cuts("fico.csv.gz", 40),
        lambda: cuts("fico.csv.gz", 60),
        lambda: cuts("coupon_carryout.csv.gz", 60),
        lambda: cuts("coupon_rest20.csv.gz", 60),
        lambda: cuts("broward_general_2y.csv", 50),
        lambda: table(data, "binary/vote.csv.gz"),
        lambda: table(data, "binary/soybean.csv.gz"),
    ]
    rows = []
    for make in tables:
        dataset = make()
        if only in dataset.name:
            rows += [compare(harness, settings, dataset, float(cost), None) for cost in names(costs)]
    shown = clocked(rows, clock)
    print(print_comparison(shown, settings.solvers))
    notes = ["", *differing(rows)]
    finish("sparse-unlimited", {"time_limit": time_limit, "streed_depth": streed_depth}, rows, write, *notes)


@app.command()
def ablation(
    data: Data = DATA,
    time_limit: Limit = 60,
    repetitions: Repetitions = 3,
    only: Only = "",
    store: Store = STORE,
    clock: Clock = "wall",
    write: Write = True,
) -> None:
    """Each bound off, and the run of the OSDT paper's Table 2 (compas, .005): time, subproblems, memory."""
    harness = Harness(store)
    problems = [
        ("osdt/compas-binary.csv", 0.005, None),
        ("osdt/fico_binary.csv.gz", 0.005, None),
        ("osdt/fico_binary.csv.gz", 0.001, 5),
        ("osdt/tic-tac-toe.csv", 0.005, None),
        ("osdt/car-evaluation.csv", 0.001, None),
        ("binary/german-credit.csv.gz", 0.01, 4),
    ]
    rows = []
    for file, cost, depth in problems:
        if only in file:
            rows += ablation_rows(harness, table(data, file), cost, depth, time_limit, repetitions)
    print(ablation_table(clocked(rows, clock)))
    finish("sparse-ablation", {"time_limit": time_limit}, rows, write, "", *differing(rows))


@app.command()
def scaling(
    data: Data = DATA,
    solvers: Solvers = "treewright,streed,gosdt",
    time_limit: Limit = 60,
    repetitions: Repetitions = 3,
    only: Only = "",
    store: Store = STORE,
    reuse: Reuse = "",
    clock: Clock = "wall",
    write: Write = True,
) -> None:
    """How cost grows with rows (equal rows, noisy rows, 10^6 rows) and with columns (12 to 60)."""
    settings = settings_of(solvers, time_limit, repetitions)
    harness = Harness(store, frozenset(names(reuse)))
    rows = []
    for make, cost, depth in scaling_tables(data):
        dataset = make()
        if only in dataset.name:
            rows.append(compare(harness, settings, dataset, cost, depth))
    shown = clocked(rows, clock)
    print(print_comparison(shown, settings.solvers))
    finish("sparse-scaling", {"time_limit": time_limit}, rows, write, "", *differing(rows))


@app.command()
def startup(repetitions: Repetitions = 9, write: Write = True) -> None:
    """Seconds of `import treewright` beyond numpy's own, and whether a second thread keeps running."""
    row: dict[str, Any] = {"imports": import_seconds(repetitions), "pause": longest_pause()}
    imports, pause = row["imports"], row["pause"]
    body = [
        ["import numpy", show_seconds(imports["numpy_seconds"])],
        ["import treewright, after numpy", show_seconds(imports["treewright_seconds"])],
        ["  loads", ", ".join(imports["treewright_modules"]) or "nothing heavy"],
        ["import sklearn.base, after that", show_seconds(imports["sklearn_seconds"])],
        ["our estimator, after that", show_seconds(imports["estimator_seconds"])],
        ["  loads", ", ".join(imports["estimator_modules"]) or "nothing heavy"],
        ["fit during the thread test", show_seconds(pause["fit_seconds"])],
        ["longest pause of a second thread", show_seconds(pause["longest_pause"])],
    ]
    print(format_table(["what", "s"], body))
    finish("sparse-startup", {"repetitions": repetitions}, [row], write)


if __name__ == "__main__":
    app()
