"""The badges of the README say what pyproject.toml says, and the README shows all of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_badges_are_those_of_the_project() -> None:
    spec = importlib.util.spec_from_file_location("write_badges", ROOT / "tools" / "write_badges.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    folder = ROOT / "docs" / "images"
    held = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("badge_*.svg")}
    assert held == tool.badges(), "run python tools/write_badges.py"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"(docs/images/{name})" in readme for name in held)
