"""docs/architecture.md speaks of files and names that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FILE = re.compile(r"`([\w./*-]+\.(?:hpp|cpp|def|py|toml|md))`")
FOLDERS = (
    "",
    "docs/",
    "src/treewright/",
    "src/treewright/search/",
    "cpp/",
    *(
        f"cpp/{top}/{part}"
        for top in ("include/treewright", "src")
        for part in ("", "kernels/", "objective/")
    ),
    "cpp/src/search/",
    "cpp/bindings/",
    "cpp/include/treewright/leaf_accuracy/",
    "cpp/include/treewright/tree/",
)


def rows_of(heading: str) -> list[list[str]]:
    """Return the cells of the tables below a heading, without the lines that make them tables."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] not in ("form", "hop")]


def text_of(cell: str) -> str:
    """Return the text of the one file that a cell names."""
    (name,) = FILE.findall(cell)
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_file_exists():
    named = sorted(set(FILE.findall(PAGE)))
    assert len(named) > 100
    assert [
        name for name in named if not any(next(ROOT.glob(folder + name), None) for folder in FOLDERS)
    ] == []


def test_every_form_is_in_its_file():
    rows = rows_of("From a file to the kernel: the forms of a table")
    assert len(rows) == 11
    for form, where, _ in rows:
        assert re.search(rf"\b(?:class|struct|def) {form.strip('`')}\b", text_of(where)), form


def test_parameters_have_the_names_of_the_table():
    rows = rows_of("From an estimator to the innermost loop: three parameters")
    assert len(rows) == 10
    for hop, *cells in rows:
        text = text_of(hop)
        for cell in cells:
            names = re.findall(r"`(\w+)`", cell)
            assert names or cell.startswith("none")
            missing = [name for name in names if not re.search(rf"\b{name}\b", text)]
            assert missing == [], (hop, missing)
