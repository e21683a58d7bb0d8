"""`treewright reborn`: one tree with the decisions of a model file, or of a forest trained on a CSV file.

`register` adds the verb to an application; `check_against_ensemble` serves `treewright verify --ensemble`.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from treewright.bornagain import BornAgainResult, Ensemble, prune, solve, solve_active
from treewright.errors import InputError, TreewrightError
from treewright.tree import Tree, describe
from treewright.verify import check_faithful

__all__ = ["check_against_ensemble", "reborn", "register"]

SHOWN_LEAVES = 64  # larger trees are not printed


def register(app: typer.Typer) -> None:
    """Add the verb to an application."""
    app.command("reborn")(reborn)


def check_against_ensemble(tree: Tree, model: Path) -> tuple[bool, str]:
    """Return whether `tree` decides like the model file everywhere, and the sentence to print."""
    report = check_faithful(tree, Ensemble.load(model))
    return report.faithful, report.sentence()


def reborn(
    source: Annotated[
        Path,
        typer.Argument(
            help="A model file (XGBoost JSON, LightGBM text, published forest), or a CSV file to train on."
        ),
    ],
    objective: Annotated[
        str, typer.Option(help="depth, leaves, depth-leaves or heuristic.")
    ] = "depth-leaves",
    rows: Annotated[
        Path | None, typer.Option(help="CSV file with training rows, for pruning a model file.")
    ] = None,
    pruning: Annotated[str | None, typer.Option("--prune", help="rows or active.")] = None,
    target: Annotated[
        str | None, typer.Option(help="Label column of a CSV file; default: the last one.")
    ] = None,
    trees: Annotated[int, typer.Option(help="Trees of the forest to train.")] = 10,
    depth: Annotated[int, typer.Option(help="Depth of the trees to train.")] = 3,
    bins: Annotated[
        int, typer.Option(help="Quantile bins of the columns before training; 0 leaves them raw.")
    ] = 0,
    time_limit: Annotated[float | None, typer.Option(help="Seconds.")] = None,
    check: Annotated[bool, typer.Option(help="Prove the tree faithful once more, independently.")] = True,
    seed: Annotated[int, typer.Option(help="Seed of the forest.")] = 0,
) -> None:
    """Turn an ensemble into the smallest single tree with exactly its decisions."""
    out = Console()
    try:
        ensemble, X = _ensemble(source, rows, target, trees, depth, bins, seed)
        if pruning not in (None, "rows", "active"):
            raise InputError(f"--prune must be 'rows' or 'active'; got {pruning!r}.")
        if pruning is not None and X is None:
            raise InputError("Pruning a model file needs training rows; give them with --rows FILE.csv.")
        if pruning == "active":
            assert X is not None  # checked above
            result = solve_active(ensemble, X, time_limit=time_limit)
        else:
            result = solve(ensemble, objective=objective, X=X, time_limit=time_limit)
        tree = result.tree
        if pruning == "rows":
            assert X is not None  # checked above
            tree = prune(tree, X)
    except TreewrightError as error:
        Console(stderr=True).print(f"treewright reborn: {error}", style="red", markup=False, highlight=False)
        raise typer.Exit(1) from error
    out.print(_sizes(ensemble, result, tree, pruning))
    out.print(result.sentence(), highlight=False, markup=False)
    if check and pruning is None:
        out.print(check_faithful(tree, ensemble).sentence(), highlight=False, markup=False)
    if tree.n_leaves <= SHOWN_LEAVES:
        out.print(_lines(tree), highlight=False, markup=False)
    else:
        out.print(f"(A tree of {tree.n_leaves} leaves is not printed.)", highlight=False)


def _ensemble(
    source: Path, rows: Path | None, target: str | None, trees: int, depth: int, bins: int, seed: int
) -> tuple[Ensemble, NDArray[np.float64] | None]:
    if source.suffix.lower() != ".csv":
        ensemble = Ensemble.load(source)
        if rows is None:
            return ensemble, None
        names, X, _ = _read_csv(rows, target, with_label=None)
        return ensemble, _columns_of(ensemble, names, X)
    from treewright.estimators._born_again import make_forest  # scikit-learn loads slowly

    names, X, y = _read_csv(source, target, with_label=True)
    if bins > 0:
        X = _binned(X, bins)
    forest = make_forest(trees, depth, seed).fit(X, y)
    ensemble = Ensemble.from_model(forest)
    return Ensemble(**{**ensemble.__dict__, "feature_names": tuple(names)}), X


def _binned(X: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Replace each value by the largest cut at or below it, so that thresholds stay readable."""
    answer = np.empty_like(X)
    for f in range(X.shape[1]):
        cuts = np.unique(np.quantile(X[:, f], np.linspace(0, 1, bins + 1)[:-1], method="lower"))
        answer[:, f] = cuts[np.maximum(np.searchsorted(cuts, X[:, f], side="right") - 1, 0)]
    return answer


def _columns_of(ensemble: Ensemble, names: list[str], X: NDArray[np.float64]) -> NDArray[np.float64]:
    if set(ensemble.feature_names) <= set(names):
        return X[:, [names.index(name) for name in ensemble.feature_names]]
    if X.shape[1] < ensemble.n_features:
        raise InputError(f"The rows have {X.shape[1]} columns, the model {ensemble.n_features}.")
    return X[:, : ensemble.n_features]


def _read_csv(
    path: Path, target: str | None, with_label: bool | None
) -> tuple[list[str], NDArray[np.float64], NDArray[Any]]:
    """Read numeric columns; `with_label` None keeps all columns and returns no labels."""
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            table = list(csv.reader(stream))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if len(table) < 2:
        raise InputError(f"{path} has no rows below its header.")
    names = table[0]
    if with_label and target is not None and target not in names:
        raise InputError(f"{path} has no column {target!r}; its columns are {', '.join(names)}.")
    label = (names.index(target) if target is not None else len(names) - 1) if with_label else -1
    keep = [i for i in range(len(names)) if i != label]
    try:
        X = np.array([[float(row[i]) if row[i] != "" else np.nan for i in keep] for row in table[1:]])
    except (ValueError, IndexError) as error:
        raise InputError(f"{path} has a column that is not numeric or a short row: {error}.") from error
    y = np.array([row[label] for row in table[1:]]) if with_label else np.empty(0)
    return [names[i] for i in keep], X, y


def _sizes(ensemble: Ensemble, result: BornAgainResult, tree: Tree, pruning: str | None) -> Table:
    table = Table(title="Sizes")
    for column in ("", "trees", "depth", "leaves"):
        table.add_column(column, justify="left" if column == "" else "right")
    deepest = max(t.depth for t in ensemble.trees)
    table.add_row(ensemble.source, str(len(ensemble.trees)), str(deepest), str(ensemble.n_leaves))
    table.add_row("born-again tree", "1", str(result.tree.depth), str(result.tree.n_leaves))
    if pruning == "rows":
        table.add_row("after pruning", "1", str(tree.depth), str(tree.n_leaves))
    bounds = (str(result.stats["depth_lower_bound"]), str(result.stats["leaves_lower_bound"]))
    table.add_row("proven at least", "", *bounds)
    return table


def _lines(tree: Tree) -> str:
    lines: list[str] = []

    def walk(node: int, words: str, level: int) -> None:
        split = tree.splits[node]
        if split is None:
            assert tree.classes is not None  # born-again trees classify
            lines.append(f"{'  ' * level}{words}{tree.classes[tree.prediction[node]]}")
            return
        for child, left in ((tree.children_left[node], True), (tree.children_right[node], False)):
            condition = f"if {describe(split, tree.columns, left)}: "
            if tree.splits[child] is None:
                walk(int(child), condition, level)
            else:
                lines.append("  " * level + condition.rstrip())
                walk(int(child), "", level + 1)

    walk(0, "", 0)
    return "\n".join(lines)
