"""Law: the same problem gives the same run: tree, bound and number of subproblems."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engines import Engine, every_engine
from tiny_problems import TinyProblem, random_problem
from treewright import SolveResult
from treewright.result import SolveStatus
from treewright.search import Limits


def fingerprint(engine: Engine, result: SolveResult) -> tuple[object, ...]:
    """What is the same on every run: of threads all that is proven, of one thread the steps, too."""
    if engine.in_threads and result.status is not SolveStatus.OPTIMAL:
        return ("not proven",)
    answer = (result.tree.splits, result.objective, result.lower_bound, result.status)
    return answer if engine.in_threads else (*answer, result.stats["subproblems"])


def problems() -> list[TinyProblem]:
    rng = np.random.default_rng(5)
    return [random_problem(rng, max_columns=12, max_rows=80).but(max_depth=4) for _ in range(12)]


@every_engine
@pytest.mark.parametrize("limits", [Limits(), Limits(step_limit=30), Limits(memory_limit=2**18)], ids=str)
def test_repeated(limits: Limits, engine: Engine) -> None:
    for problem in map(engine.fitting, problems()):
        found = {fingerprint(engine, engine.solve(problem, limits)) for _ in range(3)}
        if engine.in_threads and limits != Limits():
            found -= {("not proven",)}
            assert len(found) <= 1
        else:
            assert len(found) == 1
            assert found != {("not proven",)}


@every_engine
def test_several_at_once(engine: Engine) -> None:
    """Searches share nothing: four at a time in one process answer as one by one."""
    some = list(map(engine.fitting, problems()))
    alone = [fingerprint(engine, engine.solve(problem)) for problem in some]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda problem: fingerprint(engine, engine.solve(problem)), some))
    assert together == alone
