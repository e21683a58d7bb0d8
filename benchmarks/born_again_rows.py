"""A small tree that agrees with a forest on rows: leaves, agreement and accuracy beside CART on the same labels.

    python -m benchmarks.born_again_rows --data FOLDER

Each table is split into two thirds for training and one third for testing, with fresh seeds. A forest is trained;
`distil` finds the tree of fewest leaves that agrees with it on the training rows up to the tolerance. Beside it: CART
of as many leaves and the same depth on the forest's own labels (the simple way to the same end), and on the labels of
the table. Test rows are seen by none of them. Seconds are those of the processor. Writes a JSON file and prints the
table of the documentation.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import __version__ as sklearn_version
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import treewright
from benchmarks._data import read_csv
from benchmarks._harness import RESULTS, write_results
from treewright.bornagain import Ensemble, agreement, distil
from treewright.result import SolveStatus

FILES = {
    "Seeds": "born_again/Seeds/Seeds.full.csv",
    "Pima-Diabetes": "born_again/Pima-Diabetes/Pima-Diabetes.full.csv",
    "Breast-Cancer-Wisconsin": "born_again/Breast-Cancer-Wisconsin/Breast-Cancer-Wisconsin.full.csv",
    "raisin": "continuous/raisin.csv.gz",
}
QUESTIONS = ({"max_depth": 3, "tolerance": 0.0}, {"max_depth": 4, "tolerance": 0.02})
SEED = 7300  # of the first split; not used while the method was made


def tables(data: Path) -> dict[str, tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """Read the tables: three of the born-again paper (binned), and two of numbers as they are."""
    found = {name: read_csv(data / file) for name, file in FILES.items()}
    found["breast cancer (numbers)"] = load_breast_cancer(return_X_y=True)
    return found


def run(
    name: str,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    question: dict[str, Any],
    seed: int,
    options: argparse.Namespace,
) -> dict[str, Any]:
    """Train a forest on one split, ask one question, and count."""
    train, test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
    forest = RandomForestClassifier(options.trees, max_depth=options.depth, random_state=seed).fit(
        train, y_train
    )
    ensemble = Ensemble.from_model(forest)
    start = time.process_time()
    result = distil(ensemble, train, max_leaves=16, time_limit=options.time_limit, **question)
    seconds = time.process_time() - start
    size = {"max_leaf_nodes": max(2, result.tree.n_leaves), "max_depth": question["max_depth"]}
    copy = DecisionTreeClassifier(**size, random_state=0).fit(train, forest.predict(train))
    plain = DecisionTreeClassifier(**size, random_state=0).fit(train, y_train)
    said = forest.predict(test)
    counted = agreement(result.tree, ensemble, test)
    return {
        "table": name,
        "seed": seed,
        **question,
        "n_train": len(train),
        "n_test": len(test),
        "thresholds": sum(len(t) for t in ensemble.thresholds),
        "forest_leaves": ensemble.n_leaves,
        "seconds": seconds,
        "proven": result.status is SolveStatus.OPTIMAL,
        "leaves": result.tree.n_leaves,
        "leaves_bound": int(result.stats["leaves_lower_bound"]),
        "train_agreement": 1 - result.loss,
        "test_agreement": counted.share,
        "test_agreement_bound": counted.lower_bound,
        "accuracy": float((result.tree.predict(test) == y_test).mean()),
        "forest_accuracy": float((said == y_test).mean()),
        "copy_train_agreement": float((copy.predict(train) == forest.predict(train)).mean()),
        "copy_test_agreement": float((copy.predict(test) == said).mean()),
        "copy_leaves_for_as_many": leaves_for_as_many(train, forest.predict(train), 1 - result.loss),
        "copy_accuracy": float((copy.predict(test) == y_test).mean()),
        "plain_accuracy": float((plain.predict(test) == y_test).mean()),
    }


def leaves_for_as_many(X: NDArray[np.float64], said: NDArray[np.int64], share: float) -> int:
    """Return how many leaves CART needs, grown best first to any depth, to agree on this share of the rows."""
    for leaves in range(2, len(X) + 1):
        cart = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, said)
        if (cart.predict(X) == said).mean() >= share - 1e-12 or cart.get_n_leaves() < leaves:
            return int(cart.get_n_leaves())
    return len(X)


def show(rows: list[dict[str, Any]]) -> str:
    """The table of the documentation: means over the splits, with standard errors where they matter."""
    lines = [
        "| table | leaves of the forest | depth, tolerance | leaves | proven | s | agrees: training | "
        "agrees: test (bound) | CART on the same labels: training, test | leaves of CART that agrees as often | "
        "accuracy: tree | forest | CART |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["table"], row["max_depth"], row["tolerance"]), []).append(row)
    for (name, depth, tolerance), group in groups.items():

        def mean(key: str, group: list[dict[str, Any]] = group) -> float:
            return float(np.mean([row[key] for row in group]))

        def percent(key: str, group: list[dict[str, Any]] = group) -> str:
            values = 100 * np.array([row[key] for row in group])
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
            return f"{values.mean():.1f} ± {error:.1f}"

        lines.append(
            f"| {name} | {mean('forest_leaves'):.0f} | {depth}, {tolerance:g} | {mean('leaves'):.1f} | "
            f"{sum(row['proven'] for row in group)} of {len(group)} | {mean('seconds'):.1f} | "
            f"{percent('train_agreement')} | {percent('test_agreement')} ({100 * mean('test_agreement_bound'):.1f}) | "
            f"{percent('copy_train_agreement')}, {percent('copy_test_agreement')} | "
            f"{mean('copy_leaves_for_as_many'):.1f} | {percent('accuracy')} | "
            f"{percent('forest_accuracy')} | {percent('plain_accuracy')} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Run all tables, or print what is stored."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, help="folder with the tables; without it the stored result is printed"
    )
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--time-limit", type=float, default=20.0)
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the JSON goes")
    options = parser.parse_args()
    if options.data is None:
        print(show(json.loads((options.folder / "born_again-rows.json").read_text())["rows"]))
        return
    rows = []
    for name, (X, y) in tables(options.data).items():
        for question in QUESTIONS:
            for split in range(options.splits):
                rows.append(run(name, X, y, question, SEED + split, options))
                last = rows[-1]
                print(
                    f"# {name} {question} {split}: {last['leaves']} leaves, {last['seconds']:.1f} s",
                    flush=True,
                )
    asked = {
        "splits": options.splits,
        "trees": options.trees,
        "depth": options.depth,
        "time_limit": options.time_limit,
        "treewright": treewright.__version__,
        "scikit-learn": sklearn_version,
    }
    write_results("born_again-rows", asked, rows, options.folder)
    print(show(rows))


if __name__ == "__main__":
    main()
