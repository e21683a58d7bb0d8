"""The Python blocks of the README and of every page run, top to bottom, one page one session."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

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
    """A page may use X and y, and a file data.csv with the column y, for the reader's own table."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :6].rename(columns=lambda name: name.replace(" ", "_"))
    X.assign(y=y).to_csv("data.csv", index=False)
    session = {"X": X, "y": y, "__name__": "__main__"}
    for line, code in blocks(page):
        program = compile("\n" * line + code, str(page), "exec")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # a busy machine may reach a time limit
                warnings.simplefilter("ignore", PoorGuessWarning)  # guesses are promised nothing
                exec(program, session)
        except MissingDependencyError as error:
            pytest.skip(str(error))


def test_there_are_blocks() -> None:
    assert len(PAGES) >= 4
