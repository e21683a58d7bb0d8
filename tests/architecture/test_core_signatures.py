"""The compiled core's signatures are those of the committed stub (`make stubs` writes it)."""

import difflib
from pathlib import Path

import pytest

from treewright._native import core

STUB = Path(__file__).resolve().parents[2] / "src" / "treewright" / "_core.pyi"


def test_stub_is_up_to_date() -> None:
    stubgen = pytest.importorskip("nanobind.stubgen", reason="needs nanobind, which built the core")
    generator = stubgen.StubGen(core)
    generator.put(core)
    made, committed = generator.get().splitlines(), STUB.read_text().splitlines()
    difference = "\n".join(difflib.unified_diff(committed, made, "committed", "made", lineterm=""))
    assert not difference, f"run `make stubs` if this is meant:\n{difference}"
