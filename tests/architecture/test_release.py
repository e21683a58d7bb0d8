"""What a release says about itself agrees: version, citation, licence, type hints."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import re
import tomllib
from pathlib import Path

import pytest

import treewright

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
SEMANTIC = r"\d+\.\d+\.\d+((a|b|rc)\d+)?"


def test_the_version_is_written_once() -> None:
    assert re.fullmatch(SEMANTIC, treewright.__version__)
    assert PROJECT["dynamic"] == ["version"]
    assert importlib.metadata.version("treewright") == treewright.__version__


def test_the_citation_is_of_this_version_and_names_the_five_papers() -> None:
    assert re.search(r"^version: (.*)$", CITATION, flags=re.MULTILINE).group(1) == treewright.__version__
    papers = re.findall(r"^    title: (.*)$", CITATION, flags=re.MULTILINE)
    assert len(papers) == 5
    page = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
    assert [title for title in papers if title not in page] == []


def test_the_changes_begin_with_this_version() -> None:
    first = re.search(r"^## (.*)$", (ROOT / "CHANGES.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert first is not None
    assert first.group(1).split()[0] == treewright.__version__


def test_the_licence_is_the_one_that_is_declared() -> None:
    assert PROJECT["license"] == "BSD-3-Clause"
    assert "Redistributions in binary form" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_the_licences_of_what_the_core_contains_come_with_it() -> None:
    """Nanobind and its hash map are compiled into the core, and ask that their licences go where it goes."""
    assert PROJECT["license-files"] == ["LICENSE", "LICENSES/*.txt"]
    nanobind = pytest.importorskip("nanobind")
    (of_nanobind,) = [
        file for file in importlib.metadata.files("nanobind") or [] if file.name in ("LICENSE", "LICENSE.txt")
    ]
    held = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "LICENSES").glob("*.txt")}
    assert held["nanobind"] == of_nanobind.read_text(encoding="utf-8")
    header = Path(nanobind.__file__).parent / "ext/robin_map/include/tsl/robin_hash.h"
    said = re.sub(r"^ \* ?", "", header.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert held["robin-map"] in said
    assert sorted(held) == ["nanobind", "robin-map"]


def test_the_package_says_that_it_is_typed() -> None:
    files = importlib.resources.files(treewright)
    assert (files / "py.typed").is_file()
    assert (files / "_core.pyi").is_file()
