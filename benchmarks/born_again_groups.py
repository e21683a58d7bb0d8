"""What groups save on one-hot columns: leaves of a faithful tree everywhere, and where one category is chosen.

A forest on two thirds of a table, the tree of fewest leaves that decides like it, on some splits; the independent check
reads each tree. "impossible" is the share of the leaves of the tree that is faithful everywhere which no row with one
category a column can reach. Seconds are those of the processor.

    python -m benchmarks.born_again_groups --data FOLDER
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import sklearn
import typer
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

from benchmarks._faithful import DATA, grow, line_of
from benchmarks._options import finish
from benchmarks._tables import format_table
from benchmarks.regression import commit
from treewright.bornagain import Domain
from treewright.tree import Tree

ENCODED = {
    "car": "osdt/car-evaluation.csv",
    "tic-tac-toe": "osdt/tic-tac-toe.csv",
    "monk1": "osdt/monk1-train.csv",
}
WORDS = {"mushroom": "latent/mushroom.csv.gz"}
FIRST_SEED = 7600
SIZES = ((4, 3), (8, 3), (8, 4))
MOST_SIZE = {"mushroom": 12}  # of larger forests no faithful tree is completed within the limits

app = typer.Typer(help=__doc__, add_completion=False)


@app.command()
def run(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 3,
    time_limit: Annotated[float, typer.Option(help="Seconds of a search.")] = 60.0,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Solve, check and count."""
    code = commit()  # of the code that runs, whatever is written while it does
    tables = {name: encoded(data / file) for name, file in ENCODED.items()}
    tables |= {name: in_words(data / file) for name, file in WORDS.items()}
    rows = [
        row
        for name, (X, y, domain) in tables.items()
        for trees, depth in SIZES
        if trees * depth <= MOST_SIZE.get(name, trees * depth)
        for seed in range(FIRST_SEED, FIRST_SEED + splits)
        for row in one(
            {"table": name, "trees": trees, "depth": depth, "seed": seed}, X, y, domain, time_limit
        )
    ]
    lines = []
    for name in tables:
        for size in sorted({(row["trees"], row["depth"]) for row in rows if row["table"] == name}):
            for where in ("everywhere", "groups"):
                own = [
                    row for row in rows if (row["table"], row["where"]) == (name, where) and
                    (row["trees"], row["depth"]) == size
                ]  # fmt: skip
                line = line_of(own, (("leaves", 1), ("seconds", 2), ("impossible", 2)))
                lines.append([name, f"{size[0]} of depth {size[1]}", where, *line])
    header = ["table", "forest", "where", "leaves", "seconds", "impossible", "trees", "proven"]
    print(format_table(header, lines))
    options = {"commit": code, "splits": splits, "time_limit": time_limit}
    options |= {"scikit-learn": sklearn.__version__, "numpy": np.__version__}
    finish("born_again-groups", options, rows, write)


def encoded(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64], Domain]:
    """A table of 0/1 columns named COLUMN_CATEGORY, one category of each dropped; the last column is the label."""
    frame = pd.read_csv(path, sep=";")
    label = frame.pop(frame.columns[-1])
    groups: dict[str, list[str]] = {}
    for name in frame.columns:
        groups.setdefault(name.rpartition("_")[0], []).append(name)
    X = frame.to_numpy(float)
    domain = Domain.of(list(frame.columns), at_most_one=list(groups.values()))
    assert domain.contains(X).all()
    return X, label.to_numpy(), domain


def in_words(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64], Domain]:
    """A table of categories, encoded by scikit-learn; the first column is the label."""
    frame = pd.read_csv(path)
    label = frame.pop(frame.columns[0])
    encoder = OneHotEncoder(sparse_output=False).fit(frame)
    return encoder.transform(frame), (label == label.iloc[0]).to_numpy(int), Domain.of_encoder(encoder)


def one(
    case: dict[str, Any], X: NDArray[np.float64], y: NDArray[np.int64], domain: Domain, time_limit: float
) -> list[dict[str, Any]]:
    """Solve one forest on both domains."""
    grown = grow(X, y, case["seed"], trees=case["trees"], depth=case["depth"])
    return [
        grown.solve(
            case | {"where": where},
            limited,
            time_limit,
            test=grown.test,
            most_checked=500,
            about=lambda tree: {"impossible": impossible(tree, domain)},
        )
        for where, limited in (("everywhere", None), ("groups", domain))
    ]


def impossible(tree: Tree, domain: Domain) -> float:
    """Share of the leaves that no row of the domain reaches."""
    able = {
        group: frozenset(group) | ({-1} if group in domain.at_most_one else set()) for group in domain.groups
    }
    group_of = {j: group for group in domain.groups for j in group}

    def reached(node: int, left: dict[Any, frozenset[int]]) -> int:
        split = tree.splits[node]
        if split is None:
            return 1
        group = group_of[split.column]  # type: ignore[union-attr]  # thresholds
        count = 0
        for child, part in (
            (tree.children_left[node], left[group] - {split.column}),  # type: ignore[union-attr]
            (tree.children_right[node], left[group] & {split.column}),  # type: ignore[union-attr]
        ):
            count += reached(int(child), {**left, group: part}) if part else 0
        return count

    return 1 - reached(0, able) / tree.n_leaves


if __name__ == "__main__":
    app()
