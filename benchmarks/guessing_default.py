"""What guessed thresholds cost: the default reference and forty stumps, beside the search over all thresholds.

``python -m benchmarks.guessing_default`` writes `benchmarks/results/guessing-default.json`. Objectives are of training
rows; seconds are CPU seconds of one core, the reference's fit and the choice of its size included.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import GradientBoostingClassifier
from threadpoolctl import threadpool_limits

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from treewright import OptimalTreeClassifier
from treewright.errors import InputError

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FILES = {
    "raisin": "continuous/raisin.csv.gz",
    "rice": "continuous/rice.csv.gz",
    "segment": "continuous/segment.csv.gz",
    "fault": "continuous/fault.csv.gz",
    "spiral": "gosdt_guesses/spiral.csv",
    "compas": "gosdt_guesses/compas.csv",
    "fico": "gosdt_guesses/fico.csv.gz",
    "takeaway": "gosdt_guesses/coupon_carryout.csv.gz",
}
NAMES = ("digits 3 v 8", "breast cancer", *FILES)


def main(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    only: Annotated[str, typer.Option(help="Comma-separated tables.")] = ",".join(NAMES),
    time_limit: Annotated[float, typer.Option(help="Seconds a search.")] = 20.0,
    price: Annotated[float, typer.Option(help="Leaf penalty.")] = 0.01,
    max_depth: Annotated[int, typer.Option(help="Depth limit; 0 for none.")] = 3,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Run the comparison and print its table."""
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in only.split(","):
            X, y = read(data, name)
            for depth in (max_depth or None, None) if name == "digits 3 v 8" else (max_depth or None,):
                rows.append(
                    {"data": name, "rows": len(y), "depth": depth, **compared(X, y, price, depth, time_limit)}
                )
                print("#", rows[-1], flush=True)
    names = list(rows[0])
    print(format_table(names, [[str(row.get(key)) for key in names] for row in rows]))
    if write:
        write_results("guessing-default", {"time_limit": time_limit, "price": price}, rows)


def read(data: Path, name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return columns and labels."""
    if name == "digits 3 v 8":
        X, y = load_digits(return_X_y=True)
        return X[(y == 3) | (y == 8)], y[(y == 3) | (y == 8)]
    if name == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return X, y
    frame = pd.read_csv(data / FILES[name], sep=None, engine="python")
    y = frame.pop("label" if "label" in frame else frame.columns[-1]).to_numpy()
    return frame.to_numpy(float), y


def compared(
    X: np.ndarray[Any, Any], y: np.ndarray[Any, Any], price: float, depth: int | None, time_limit: float
) -> dict[str, Any]:
    """Search over all thresholds, those of forty stumps, and those of the default reference."""
    stumps = GradientBoostingClassifier(n_estimators=40, max_depth=1, random_state=0)
    out: dict[str, Any] = {}
    for who, options in (
        ("all", {"thresholds": "all"}),
        ("stumps", {"thresholds": "guess", "reference": stumps}),
        ("default", {"thresholds": "guess"}),
    ):
        start = time.process_time()
        model = OptimalTreeClassifier(
            cost_complexity=price, max_depth=depth, time_limit=time_limit, **options
        )
        try:
            model.fit(X, y)
        except InputError:  # such a reference learns nothing from the table
            out |= dict.fromkeys((who, f"{who}, above all"))
            continue
        out[f"{who}, s"] = round(time.process_time() - start, 2)
        out[who] = round(model.result_.objective, 5)
        out[f"{who}, proven"] = model.result_.status.name == "OPTIMAL"
        if who == "all":
            out["all, bound"] = round(model.result_.lower_bound, 5)
        else:
            out[f"{who}, thresholds"] = model.result_.stats.get("kept_thresholds")
            out[f"{who}, above all"] = round(100 * (out[who] / out["all"] - 1), 1)  # per cent
    return out


if __name__ == "__main__":
    typer.run(main)
