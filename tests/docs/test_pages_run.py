"""The Python blocks of the README and of every page run, top to bottom, one page one session.

A block of "python" runs; what needs more than this machine (a cluster) is marked "py" and only shown.
"""

from __future__ import annotations

import re
import runpy
import shlex
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from typer.testing import CliRunner

from treewright.cli import app
from treewright.errors import MissingDependencyError, PoorGuessWarning

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if BLOCK.search(page.read_text(encoding="utf-8"))
]


def blocks(page: Path) -> list[tuple[int, str]]:
    """The line where each block begins, and its text."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start()) + 1, found.group(1)) for found in BLOCK.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page may use X and y (or X_new and y_new), and a file data.csv, for a table of the reader."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :3].rename(columns=lambda name: name.replace(" ", "_"))
    X = X.rank(pct=True).mul(5).round()  # few thresholds: every search ends at once
    X.assign(y=y).to_csv("data.csv", index=False)
    session = {"X": X, "y": y, "X_new": X, "y_new": y, "__name__": "__main__"}
    for line, code in blocks(page):
        program = compile("\n" * line + code, str(page), "exec")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # a busy machine may reach a time limit
                warnings.simplefilter("ignore", PoorGuessWarning)  # guesses are promised nothing
                exec(program, session)
        except MissingDependencyError as error:
            pytest.skip(str(error))


def test_the_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order in which they stand there, on a table of the reader's own."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    age, city = rng.integers(18, 80, 300), rng.choice(["Brno", "Köln", "Lyon"], 300)
    y = np.where((age < 35) & (city != "Lyon") ^ (rng.random(300) < 0.05), "yes", "no")
    rows = [f"{a},{c},{label}" for a, c, label in zip(age, city, y, strict=True)]
    for name in ("data.csv", "new.csv"):
        Path(name).write_text("\n".join(["age,city,y", *rows]) + "\n", encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^treewright (.*?)(?: +#.*)?$", readme, flags=re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command))
        assert done.exit_code == 0, f"treewright {command}\n{done.output}"
    assert Path("tree.png").stat().st_size > 1000
    assert len(Path("predictions.csv").read_text(encoding="utf-8").splitlines()) == 301


def test_there_are_blocks() -> None:
    assert len(PAGES) >= 4


def test_the_pictures_of_the_page_are_made_by_its_code() -> None:
    """The script that writes the files holds every statement of the page, and the page shows every file."""
    page = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    script = (ROOT / "examples" / "pictures.py").read_text(encoding="utf-8")
    for _, code in blocks(ROOT / "docs" / "pictures.md"):
        for line in code.splitlines():
            if "import" not in line and not line.startswith((" ", ")", "compared.plot")):
                assert line in script, line
    shown = set(re.findall(r"images/(\w+)\.png", page))
    assert shown == set(re.findall(r'^    "(\w+)": \w+,$', script, flags=re.MULTILINE))
    assert all((ROOT / "docs" / "images" / f"{name}.png").exists() for name in shown)


def test_the_pictures_of_the_page_show_what_its_code_makes_now(tmp_path, monkeypatch) -> None:
    """Each file keeps the words that it shows; a tree of other thresholds has other words."""
    pytest.importorskip("matplotlib")
    from PIL import Image

    for name, target in (("pictures.py", tmp_path), ("readme_picture.py", tmp_path / "breast_cancer.png")):
        monkeypatch.setattr(sys, "argv", [name, str(target)])
        runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
    for name in ("tree", "leaf_accuracies", "decision_regions", "frontier", "breast_cancer"):
        words = [
            Image.open(path / f"{name}.png").text["Description"]
            for path in (tmp_path, ROOT / "docs" / "images")
        ]
        assert words[0] == words[1], f"{name}: run examples/pictures.py or readme_picture.py for docs/images"
