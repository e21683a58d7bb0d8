"""The slice of long lists of cases that `make test` runs is the same everywhere and leaves no kind out."""

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from slice_of_cases import CROSSED, ONE_IN, SLICE, divided, kept_cases

ROOT = Path(__file__).resolve().parents[2]


def test_a_third_of_the_seeds_of_every_kind() -> None:
    cases = [("t", {"engine": engine, "seed": seed}) for engine in "ab" for seed in range(7)]
    kept = [cases[i][1] for i in kept_cases(cases)]
    assert kept == [{"engine": engine, "seed": seed} for engine in "ab" for seed in (0, 3, 6)]


def test_all_that_is_no_seed_and_not_listed() -> None:
    cases = [("t", {"engine": engine}) for engine in range(9)] + [("u", {})]
    assert kept_cases(cases) == list(range(10))


def test_every_value_of_what_is_crossed() -> None:
    cases = [(CROSSED[0], {"a": a, "b": b}) for a, b in product(range(20), range(9))]
    kept = [cases[i][1] for i in kept_cases(cases)]
    assert {case["a"] for case in kept} == set(range(20))
    assert {case["b"] for case in kept} == set(range(9))
    assert len(kept) < 180 / ONE_IN + 29


def test_addresses_in_memory_do_not_matter() -> None:
    def checks() -> list[object]:
        return [lambda: None for _ in range(30)]

    lists = [[(CROSSED[0], {"check": check}) for check in checks()] for _ in range(2)]
    assert kept_cases(lists[0]) == kept_cases(lists[1])


def test_listed_tests_are_there() -> None:
    for name in CROSSED:
        file, _, test = name.partition("::")
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(("asked", "n_kept"), [("1", 2), ("", 6)])
def test_only_make_test_asks_for_the_slice(asked: str, n_kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """pytest called by itself runs every case, and so does `make test-thorough`."""
    assert f"\ntest: export {SLICE} = 1\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
    monkeypatch.setenv(SLICE, asked)
    items: list[Any] = [
        SimpleNamespace(nodeid=f"t.py::t[{seed}]", callspec=SimpleNamespace(params={"seed": seed}))
        for seed in range(6)
    ]
    kept, left_out = divided(items)
    assert len(kept) == n_kept
    assert sorted([*kept, *left_out], key=items.index) == items
