"""A program is counted before it is written, and one that does not fit into memory is never begun."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("highspy", reason="needs the extra mip")

from treewright import MIPTreeClassifier
from treewright import _memory as memory
from treewright.errors import InputError
from treewright.mip import MIPOptions, binoct, make_formulation, solve
from treewright.mip import _room as room
from treewright.mip._instance import Instance
from treewright.mip._model import Model
from treewright.mip._solve import FORMULATIONS
from treewright.problem import Problem, make_problem
from treewright.result import StopReason
from treewright.search import Limits
from treewright.table import table_from


def drawn(seed: int) -> Problem:
    """A small problem with repeated rows, constant and text columns, gaps, costs and constraints."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    columns: list[Any] = [rng.integers(0, int(rng.integers(1, 20)), n).astype(float) for _ in range(3)]
    columns[0][rng.random(n) < 0.2] = np.nan
    if rng.random() < 0.5:
        columns.append(rng.choice(["a", "b", "c"], n))
    X = [list(row) for row in zip(*columns, strict=True)]
    y = rng.integers(0, 3, n)
    k = len(np.unique(y))
    more: dict[str, Any] = {"max_depth": int(rng.integers(1, 4))}
    if rng.random() < 0.5:
        more |= {"min_samples_leaf": int(rng.integers(1, n + 1)), "max_leaf_nodes": int(rng.integers(1, 6))}
    if rng.random() < 0.3 and k > 1:
        more["costs"] = (1 - np.eye(k)) * rng.integers(1, 4, (k, k))
    return make_problem(table_from(X), y, **more)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("tighten", [True, False])
def test_the_count_is_that_of_the_written_program(formulation: str, tighten: bool) -> None:
    for seed in range(60):
        problem = drawn(seed)
        depth = problem.max_depth
        assert depth is not None
        instance = Instance.of(problem)
        model = FORMULATIONS[formulation](instance, depth, tighten).model
        size = FORMULATIONS[formulation].size(instance, depth, tighten)
        assert size.variables == model.n_variables, seed
        assert size.terms == sum(rows.columns.size for rows in model.constraints), seed
        assert size.blocks == len(model.constraints), seed


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_program_beyond_the_memory_limit_is_not_begun(
    formulation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("a constraint was written")

    monkeypatch.setattr(Model, "rows", never)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    problem = make_problem(table_from(X), y, max_depth=2)
    result = solve(problem, formulation, limits=Limits(memory_limit=300_000))
    assert result.stop_reason is StopReason.MEMORY_LIMIT
    assert result.tree.n_leaves >= 1
    (note,) = [note for note in result.notes if "was not written" in note]
    size = FORMULATIONS[formulation].size(Instance.of(problem), 2, True)
    assert f"{size.variables:,} variables and {size.terms:,} coefficients" in note
    assert all(f'"{other}" about' in note for other in FORMULATIONS if other != formulation)
    assert "fewer or rounded columns" in note


@pytest.mark.parametrize("strategy", ["direct", "warm", "gradual"])
def test_without_a_limit_the_memory_of_the_machine_counts(
    strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    monkeypatch.setattr(room, "available_memory", lambda: 200_000)
    with pytest.warns(UserWarning, match="memory limit"):
        model = MIPTreeClassifier("oct", strategy=strategy, max_depth=3, time_limit=None).fit(X, y)
    assert any("was not written" in note for note in model.result_.notes)
    problem = make_problem(table_from(X), y, max_depth=3)
    with pytest.raises(InputError, match="was not written"):
        make_formulation(problem, "oct", MIPOptions())
    monkeypatch.setattr(room, "available_memory", lambda: None)  # a system that does not tell refuses nothing
    assert make_formulation(problem, "oct", MIPOptions()).model.n_variables > 0


def test_the_memory_of_the_machine_is_what_its_files_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "ROOT", str(tmp_path))
    assert memory.available_memory() is None
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal:  900 kB\nMemAvailable:  500 kB\n")
    assert memory.available_memory() == 500 << 10
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("1000\n")
    assert memory.available_memory() == 500 << 10
    (group / "memory.max").write_text("4000\n")
    assert memory.available_memory() == 3000


def test_columns_without_equal_values_are_counted_once() -> None:
    X = np.random.default_rng(0).random((40, 5))
    instance = Instance.of(make_problem(table_from(X), np.arange(40) % 2, max_depth=2))
    binoct._halves_of_distinct.cache_clear()
    FORMULATIONS["binoct"].size(instance, 2, tighten=False)
    counted = binoct._halves_of_distinct.cache_info()
    assert (counted.misses, counted.hits) == (1, 4)
