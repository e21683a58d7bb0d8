"""What works without the optional packages, and what their messages name."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WITHOUT_POLARS = """
import importlib.abc, sys
class NotInstalled(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("polars", "_polars_runtime"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, NotInstalled())
"""


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_POLARS + program, *arguments],
        capture_output=True,
        text=True,
    )


def test_polars_is_no_dependency_but_of_an_extra() -> None:
    assert [name for name in EXTRAS["dependencies"] if name.startswith("polars")] == []
    assert [name[:6] for name in EXTRAS["optional-dependencies"]["files"]] == ["polars"]


def test_every_public_name_can_be_imported_without_polars() -> None:
    done = run(
        "import treewright\nfor name in treewright.__all__: getattr(treewright, name)\nimport treewright.cli"
    )
    assert done.returncode == 0, done.stderr


def test_a_tree_is_fitted_shown_saved_and_checked_without_polars(tmp_path: Path) -> None:
    program = """
import numpy as np, pandas, treewright
from treewright.table import look, table_from
frame = pandas.DataFrame({"age": np.arange(60) % 7, "job": ["none", "own", "own"] * 20})
y = np.where((frame["job"] == "own") & (frame["age"] > 2), "yes", "no")
file = sys.argv[1] + "/model.json"
for X in (frame[["age"]].to_numpy(), frame):
    model = treewright.OptimalTreeClassifier(cost_complexity=0.01).fit(X, y)
    assert model.result_.status is treewright.SolveStatus.OPTIMAL
    assert "age" in treewright.show.to_text(model) or "x0" in treewright.show.to_text(model)
    model.predict(X), model.predict_proba(X), model._repr_html_()
    assert "<html" in treewright.show.report(model, X, y, fit_models=False)
    treewright.convert.save_model(file, model.result_)
    tree = treewright.convert.load_model(file).tree
    problem = treewright.problem.make_problem(table_from(X), y, cost_complexity=0.01)
    assert treewright.verify.verify(problem, tree).ok
assert "words: 1 (job)" in str(look(frame))
"""
    done = run(program, str(tmp_path))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "program",
    [
        "from treewright.table import load_csv; load_csv(sys.argv[1])",
        "from treewright import fit_shards; fit_shards(sys.argv[1], 'y')",
    ],
)
def test_a_file_names_the_extra_that_reads_it(program: str, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,y\n1,2\n", encoding="utf-8")
    done = run(program, str(tmp_path / "data.csv"))
    assert "MissingDependencyError: Reading" in done.stderr
    assert "pip install 'treewright[files]'" in done.stderr


def test_the_command_line_names_the_extra_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,y\n1,2\n", encoding="utf-8")
    done = run(
        "from treewright.cli import main; sys.argv[0] = 'treewright'; main()",
        *("fit", str(tmp_path / "data.csv"), "--target", "y"),
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Error: Reading data.csv needs polars, which is not installed")


def test_every_extra_that_a_message_names_exists() -> None:
    named = {
        extra
        for file in (*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md")
        for extra in re.findall(r"(?:treewright|\.)\[(\w+(?:,\w+)*)\]", file.read_text(encoding="utf-8"))
        for extra in extra.split(",")
        if "pip install" in file.read_text(encoding="utf-8")
    }
    assert {"plot", "files", "latent"} <= named
    assert sorted(named - set(EXTRAS["optional-dependencies"])) == []
