"""A first session with an installed treewright, away from its source: ``python tools/first_session.py memory|files``.

`memory` runs with what a plain `pip install treewright` brings, and sees that a file is refused with the extra that it
needs; `files` runs with `treewright[files]`. Used on every wheel that is built.
"""

from __future__ import annotations

import csv
import importlib.metadata
import importlib.resources
import importlib.util
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path


def main() -> None:
    """Look at the package, then run the session that is named."""
    import treewright

    source = Path(__file__).resolve().parents[1] / "src"
    assert source not in Path(treewright.__file__).resolve().parents, "this is the checkout, not a wheel"
    assert importlib.metadata.version("treewright") == treewright.__version__
    files = importlib.resources.files(treewright)
    assert (files / "py.typed").is_file(), "the package is typed, and must say so"
    assert (files / "_core.pyi").is_file()
    {"memory": tables_in_memory, "files": files_from_the_command_line}[sys.argv[1]]()


def files_from_the_command_line() -> None:
    """Fit, show, predict and verify from the command line."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        with (here / "loans.csv").open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["age", "job", "income", "paid back"])
            for k in range(200):
                job, income = ("none", "employed", "own")[k % 3], "" if k % 17 == 0 else 1000 + 37 * k % 3000
                good = job == "employed" or (job == "own" and (income or 0) > 2000)
                rows.writerow([20 + k % 50, job, income, "yes" if good else "no"])
        said = run(here, "fit", "loans.csv", "--target", "paid back", "--out", "model.json")
        assert "Proven optimal" in said, said
        assert "job = employed" in run(here, "show", "model.json")
        run(here, "predict", "model.json", "loans.csv", "--out", "answers.csv")
        assert len((here / "answers.csv").read_text(encoding="utf-8").splitlines()) == 201
        assert "Verified" in run(here, "verify", "model.json", "loans.csv")
    print("Fitted, shown, predicted and verified from the command line.")


def tables_in_memory() -> None:
    """Fit and predict in Python, with nothing installed that reads files."""
    import treewright
    from treewright.errors import MissingDependencyError
    from treewright.table import load_csv

    assert importlib.util.find_spec("polars") is None, "a plain install brings no polars"
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "loans.csv"
        table.write_text("age,paid\n30,yes\n40,no\n", encoding="utf-8")
        said = ""
        try:
            load_csv(table)
        except MissingDependencyError as error:
            said = str(error)
        assert "treewright[files]" in said, "reading a file without polars names the extra that brings it"

    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = treewright.OptimalTreeClassifier(cost_complexity=0.02).fit(X, y)
    assert model.result_.status is treewright.SolveStatus.OPTIMAL
    print(
        f"treewright {treewright.__version__} on Python {sys.version.split()[0]}: {model.result_.sentence()}"
    )


def run(folder: Path, *arguments: str) -> str:
    """Run the program that came with the package, and return what it printed."""
    program = Path(sysconfig.get_path("scripts")) / "treewright"
    done = subprocess.run(
        [program, *arguments], cwd=folder, capture_output=True, encoding="utf-8", errors="replace"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


if __name__ == "__main__":
    main()
