"""A test that reads a clock of the machine says so: `clock` tests are repeated, all others must not depend on it."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
CLOCKS = {"process_time", "perf_counter", "thread_time", "getrusage"}


def reads_a_clock(tree: ast.AST) -> bool:
    """Whether a module calls a clock that counts seconds; a test's own clock, put in its place, is none."""
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS
        for node in ast.walk(tree)
    )


def test_clocks_are_recognised() -> None:
    assert reads_a_clock(ast.parse("import time\nassert time.process_time() < 1"))
    assert not reads_a_clock(ast.parse("import time\ntime.sleep(1)"))


def test_tests_that_read_a_clock_are_marked() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")}
    clocked = {name for name, text in texts.items() if reads_a_clock(ast.parse(text))}
    assert clocked
    assert [name for name in sorted(clocked) if "mark.clock" not in texts[name]] == []
