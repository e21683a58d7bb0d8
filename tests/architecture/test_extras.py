"""Every extra that a message or a page names can be installed: it stands in pyproject.toml."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"(?:treewright|'\.|\"\.|`\.)\[([a-z][a-z, ]*)\]")


def test_extras_that_are_named_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    sources = [
        *(ROOT / "src").rglob("*.py"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    ]
    named = {
        extra.strip(): path.name
        for path in sources
        for names in NAMED.findall(path.read_text(encoding="utf-8"))
        for extra in names.split(",")
    }
    assert len(named) >= 6, "the pattern finds the extras of messages and pages"
    assert not {extra: where for extra, where in named.items() if extra not in extras}
