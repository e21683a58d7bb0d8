"""Every public name has its place in the API pages, once."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import treewright

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="the pages of treewright.latent need torch"
)


@pytest.fixture(scope="module")
def public_api() -> ModuleType:
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    try:
        return importlib.import_module("public_api")
    finally:
        sys.path.remove(str(ROOT / "docs" / "_ext"))


@pytest.fixture
def pages(public_api: ModuleType, tmp_path: Path) -> dict[str, str]:
    stale = tmp_path / "api" / "names" / "treewright.search.was_renamed.rst"
    stale.parent.mkdir(parents=True)
    stale.write_text("old")
    app: Any = SimpleNamespace(srcdir=str(tmp_path), config=SimpleNamespace())
    public_api.write_pages(app, None)
    assert not stale.exists()
    return {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "api").glob("*.rst")}


def test_every_public_name_is_listed(public_api: ModuleType, pages: dict[str, str]) -> None:
    missing = []
    for package in ["treewright", *(f"treewright.{name}" for name in public_api.packages())]:
        for name in importlib.import_module(package).__all__:
            listed = re.search(
                rf"^   {name}$|:py:obj:`treewright\.(\w+\.)?{name}`", pages[package], re.MULTILINE
            )
            if name != "__version__" and not listed:
                missing.append(f"{package}.{name}")
    assert not missing


def test_no_name_is_documented_twice(public_api: ModuleType, pages: dict[str, str]) -> None:
    things = [
        (getattr(importlib.import_module(module), name), f"{module}.{name}")
        for module, text in pages.items()
        for name in public_api.ENTRY.findall(text)
        if module != "index"
    ]
    homes: dict[int, str] = {}
    for thing, name in things:
        assert homes.setdefault(id(thing), name) == name


def test_every_package_is_in_the_index(public_api: ModuleType, pages: dict[str, str]) -> None:
    for name in public_api.packages():
        assert f":doc:`treewright.{name} <" in pages["index"]
    assert set(treewright.__all__) - {"__version__"} <= set(public_api.ENTRY.findall(pages["treewright"]))


def test_fitted_attributes_in_a_type_are_code(public_api: ModuleType) -> None:
    lines = [
        "names_ : ndarray of shape (n_features_in_,)",
        "    See ``n_features_in_`` and x_ : y_.",
        "a, b : of b_",
    ]
    public_api.names_are_code(None, "class", "", None, None, lines)
    assert lines[0] == "names_ : ndarray of shape (``n_features_in_``,)"
    assert lines[1] == "    See ``n_features_in_`` and x_ : y_."
    assert lines[2] == "a, b : of ``b_``"
