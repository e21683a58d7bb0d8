"""Law: the same problem gives the same run: tree, bound and number of subproblems."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engines import Engine, every_engine
from tiny_problems import TinyProblem, random_problem
from treewright import SolveResult
from treewright.search import Limits


def fingerprint(result: SolveResult) -> tuple[object, ...]:
    return (
        result.tree.splits,
        result.objective,
        result.lower_bound,
        result.status,
        result.stats["subproblems"],
    )


def problems() -> list[TinyProblem]:
    rng = np.random.default_rng(5)
    return [random_problem(rng, max_columns=12, max_rows=80).but(max_depth=4) for _ in range(12)]


@every_engine
@pytest.mark.parametrize("limits", [Limits(), Limits(step_limit=30), Limits(memory_limit=2**18)], ids=str)
def test_repeated(limits: Limits, engine: Engine) -> None:
    for problem in map(engine.fitting, problems()):
        assert len({fingerprint(engine.solve(problem, limits)) for _ in range(3)}) == 1


@every_engine
def test_several_at_once(engine: Engine) -> None:
    """Searches share nothing: four at a time in one process answer as one by one."""
    some = list(map(engine.fitting, problems()))
    alone = [fingerprint(engine.solve(problem)) for problem in some]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda problem: fingerprint(engine.solve(problem)), some))
    assert together == alone
