"""The compiled core, called directly: what its engines cannot use is an error, never a crash."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from treewright._native import core


def bits(**other: Any) -> core.BinaryProblem:
    arguments = {
        "goes_right": np.array([[0, 1, 1]], dtype=np.uint8),
        "y": np.array([0, 1, 1], dtype=np.int32),
        "weight": np.ones(3, dtype=np.int64),
        "costs": np.array([[0, 1], [1, 0]], dtype=np.int64),
        "leaf_penalty": 0.1,
        "min_count": 1,
        "equivalent_points": True,
    } | other
    arrays = [arguments.pop(name) for name in ("goes_right", "y", "weight", "costs")]
    return core.BinaryProblem(*arrays, **arguments)


def search(problem: core.BinaryProblem, **other: Any) -> dict[str, Any]:
    arguments = {
        "max_depth": -1,
        "max_leaves": 0,
        "options": core.BinaryOptions(),
        "price_rows": None,
        "fewest_leaves": False,
        "time_limit": 10.0,
        "step_limit": 1000,
        "memory_limit": 2**24,
        "report": None,
    } | other
    return problem.search(**arguments)


@pytest.mark.parametrize(
    "wrong",
    [
        {"y": np.array([0, 10**9, 0], dtype=np.int32)},
        {"y": np.array([0, -1, 0], dtype=np.int32)},
        {"y": np.array([0, 1], dtype=np.int32)},
        {"costs": np.zeros((0, 0), dtype=np.int64)},
        {"costs": np.zeros((2, 0), dtype=np.int64)},
        {"costs": np.array([[0, -1], [1, 0]], dtype=np.int64)},
        {"costs": np.array([[0, 2**62], [2**62, 0]], dtype=np.int64)},
        {"weight": np.array([1, -1, 1], dtype=np.int64)},
        {"weight": np.array([2**62, 2**62, 2**62], dtype=np.int64)},
        {"leaf_penalty": float("nan")},
        {"leaf_penalty": -1.0},
        {"guess": np.array([2**62, 2**62, 1], dtype=np.int64)},
        {"goes_right": np.zeros((1, 2), dtype=np.uint8)},
        {"packed": True},
    ],
    ids=str,
)
def test_problems_over_binary_columns(wrong: dict[str, Any]) -> None:
    if "packed" in wrong:  # three rows are one byte
        wrong = wrong | {"goes_right": np.zeros((1, 3), dtype=np.uint8)}
    with pytest.raises(ValueError, match=r"lengths|costs|guess|leaf_penalty|weight|y must|too large"):
        bits(**wrong)


@pytest.mark.parametrize(
    "unusual",
    [
        {"max_depth": 2**31 - 1},
        {"max_depth": -(2**31)},
        {"max_leaves": 2**31 - 1},
        {"memory_limit": 0},
        {"step_limit": -5},
        {"time_limit": -1.0},
    ],
    ids=str,
)
def test_unusual_limits_give_a_tree(unusual: dict[str, Any]) -> None:
    answer = search(bits(), **unusual)
    assert answer["feasible"]
    assert answer["lower_bound"] <= answer["upper_bound"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_leaves": -1},
        {"time_limit": float("nan")},
    ],
    ids=str,
)
def test_wrong_questions_about_binary_columns(wrong: dict[str, Any]) -> None:
    problem = bits()
    assert problem.n_rows == 2
    with pytest.raises(ValueError, match=r"max_leaves|time_limit"):
        search(problem, **wrong)


@pytest.mark.parametrize("wrong", [np.ones(99), np.full(2, 2**62), np.array([-1, 1])], ids=str)
def test_wrong_prices(wrong: np.ndarray) -> None:
    problem = bits()
    options = core.BinaryOptions()
    options.plain_steps, options.lattice, options.greedy_start = (
        0,
        False,
        False,
    )  # prices are asked for at once
    made = SimpleNamespace(
        prices=wrong.astype(np.int64), seconds=0.0, work=0, rounds=1, done=True, interrupted=False
    )
    with pytest.raises(ValueError, match="price"):
        search(problem, options=options, price_rows=lambda *_: made)


def test_a_leaf_needs_more_rows_than_there_are() -> None:
    assert not search(bits(min_count=2**62))["feasible"]


MADE_WITH = "rank", "y", "weight", "costs", "unit", "leaf", "min_leaf"


def ranked(**other: Any) -> dict[str, Any]:
    arguments = {
        "rank": np.array([[0, 1, 2]], dtype=np.uint32),
        "y": np.array([0, 1, 0], dtype=np.int32),
        "weight": np.ones(3, dtype=np.int64),
        "costs": np.array([[0, 1], [1, 0]], dtype=np.int64),
        "unit": 2**20,
        "leaf": 2**10,
        "min_leaf": 1,
        "depth": 2,
        "max_leaves": 0,
        "options": core.RankedOptions(),
        "time_limit": 10.0,
        "step_limit": 1000,
        "memory_limit": 2**24,
        "report": None,
    } | other
    arguments["options"].lanes = arguments.pop("lanes", 64)
    problem = core.RankedProblem(**{name: arguments.pop(name) for name in MADE_WITH})
    found: dict[str, Any] = problem.search(**arguments)
    return found


@pytest.mark.parametrize(
    "wrong",
    [
        {"rank": np.array([[0, 1, 2**32 - 1]], dtype=np.uint32)},
        {"rank": np.array([[0, 1]], dtype=np.uint32)},
        {"y": np.array([0, 1, 65535], dtype=np.int32)},
        {"costs": np.zeros((0, 0), dtype=np.int64)},
        {"costs": np.array([[0, -1], [1, 0]], dtype=np.int64)},
        {
            "costs": np.array([[-(2**63), 2**63 - 1], [1, 0]], dtype=np.int64)
        },  # their difference passes 64 bits
        {"costs": np.full((2, 2), 2**62, dtype=np.int64), "weight": np.full(3, 4, dtype=np.int64)},
        {"weight": np.full(3, 2**31 - 1, dtype=np.int64)},
        {"unit": 2**62},
        {"leaf": 2**62},
        {"leaf": 0},
        {"lanes": 0},
        {"lanes": 65},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_ranked_columns(wrong: dict[str, Any]) -> None:
    assert ranked()["nodes"]
    with pytest.raises(ValueError, match="rank"):
        ranked(**wrong)


def leaf_accuracy(**other: Any) -> dict[str, Any]:
    arguments = {
        "rank": np.array([[0, 1, 2]], dtype=np.uint32),
        "label": np.array([0, 1, 0], dtype=np.uint16),
        "weight": np.ones(3, dtype=np.int32),
        "full": None,
        "shift": 0,
        "n_classes": 2,
        "min_leaf": 1,
        "depth": 2,
        "lower_bound": False,
        "z": 0.0,
        "scale": 1.0,
        "real_weights": False,
        "target": None,
        "unit": (0, 1),
        "leaf": (0, 1),
        "options": core.LeafAccuracyOptions(),
        "time_limit": 10.0,
        "step_limit": 1000,
        "memory_limit": 2**24,
        "report": None,
    } | other
    return core.leaf_accuracy_solve(**arguments)


@pytest.mark.parametrize(
    "wrong",
    [
        {"rank": np.array([[0, 1, 2**32 - 1]], dtype=np.uint32)},
        {"label": np.array([0, 1, 2], dtype=np.uint16)},
        {"n_classes": 2**32 - 1},
        {"n_classes": 0},
        {"weight": np.full(3, 2**31 - 1, dtype=np.int32)},
        {"weight": np.array([1, 0, 1], dtype=np.int32)},
        {"unit": (2**62, 0)},
        {"unit": (-1, 0)},
        {"leaf": (2**62, 0)},
        {"full": np.ones((2, 2), dtype=np.uint64)},
        {"lower_bound": True, "z": float("inf")},
        {"lower_bound": True, "z": 1e200},
        {"lower_bound": True, "z": 1.0, "scale": 1e-300},
        {"lower_bound": True, "z": 1.0, "scale": float("inf")},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_leaf_accuracy(wrong: dict[str, Any]) -> None:
    assert leaf_accuracy()["feasible"]
    with pytest.raises(ValueError, match=r"leaf_accuracy|rank"):
        leaf_accuracy(**wrong)


def test_a_leaf_dearer_than_all_weights_together() -> None:
    """The kernels' cost of one weight is then rounded down to nothing; a division by it ended the interpreter."""
    rng = np.random.default_rng(0)
    n_rows = 40
    many = {
        "rank": rng.integers(0, 9, (3, n_rows)).astype(np.uint32),
        "label": rng.integers(0, 2, n_rows).astype(np.uint16),
        "weight": np.ones(n_rows, dtype=np.int32),
        "depth": 4,
        "target": (1, 2),
    }
    answer = leaf_accuracy(**many, leaf=(1, 2**53))
    assert answer["feasible"]
    assert answer["nodes"] == [None]
    assert leaf_accuracy(**many | {"target": None}, leaf=(2**15, 1))["feasible"]


@pytest.mark.parametrize("answer", [np.array([1, 2]), np.array([True, False])], ids=str)
def test_an_answer_of_the_report_without_truth(answer: object) -> None:
    """An error that was set but not raised was a SystemError."""
    rng = np.random.default_rng(0)
    n_rows, n_columns = 400, 40
    problem = bits(
        goes_right=rng.integers(0, 2, (n_columns, n_rows)).astype(np.uint8),
        y=rng.integers(0, 2, n_rows).astype(np.int32),
        weight=np.ones(n_rows, dtype=np.int64),
    )
    with pytest.raises(ValueError, match="truth value of an array"):
        search(problem, report=lambda *_: answer, time_limit=60.0, step_limit=10**9)


def additive(loss: str, **other: Any) -> dict[str, Any]:
    """Call the engine of an additive loss over two rows of one column."""
    arguments: dict[str, Any] = {
        "squared_error": {
            "weight": np.ones(2, dtype=np.int64),
            "weighted": np.array([[-4, 4]], dtype=np.int64),
            "shift": 0,
        },
        "survival": {
            "events": np.array([1, 1], dtype=np.int64),
            "hazard": np.array([1, 9], dtype=np.int64),
            "scale": 20,
        },
        "log_loss": {
            "label": np.array([0, 1], dtype=np.uint32),
            "weight": np.ones(2, dtype=np.int64),
            "n_classes": 2,
            "scale": 20,
        },
    }[loss]
    run = {
        "rank": np.array([[0, 1]], dtype=np.uint32),
        "tie_bits": 2,
        "leaf": 5,
        "min_leaf": 1,
        "depth": 2,
        "max_leaves": 4,
        "options": core.RankedOptions(),
        "time_limit": 10.0,
        "step_limit": 1000,
        "memory_limit": 2**24,
        "report": None,
    }
    answer: dict[str, Any] = getattr(core, f"{loss}_solve")(**arguments | run | other)
    return answer


@pytest.mark.parametrize(
    ("loss", "wrong"),
    [
        ("squared_error", {"leaf": 2**62}),
        ("squared_error", {"weight": np.array([1, 2**63 - 1]), "weighted": np.zeros((1, 2), dtype=np.int64)}),
        ("squared_error", {"weighted": np.tile(np.array([[-(2**45), 2**45]]), (256, 1)), "shift": 60}),
        ("squared_error", {"weighted": np.array([[-(2**40), 2**40]])}),
        # Squares of 2^91 fit in these units; what two rows may lose, one by one, does not.
        ("squared_error", {"weighted": np.array([[-(2**45), 2**45]]), "shift": 33, "min_leaf": 2}),
        ("survival", {"leaf": 2**62}),
        ("survival", {"tie_bits": 40, "scale": 49}),
        ("log_loss", {"leaf": 2**62}),
        ("log_loss", {"tie_bits": 40, "scale": 49}),
    ],
    ids=str,
)
def test_additive_losses_beyond_64_bits(loss: str, wrong: dict[str, Any]) -> None:
    assert additive(loss)["lower"] == additive(loss)["upper"]
    with pytest.raises(ValueError, match=r"units|too large|too fine|weights"):
        additive(loss, **wrong)


@pytest.mark.parametrize(("up", "fits"), [(2**19, True), (2**20 - 1, False)])
def test_factors_of_quantiles_times_all_weights(up: int, fits: bool) -> None:
    """Both factors together times the weight of all rows must stay below 2^63."""

    def solve() -> dict[str, Any]:
        answer: dict[str, Any] = core.pinball_solve(
            rank=np.array([[0, 1]], dtype=np.uint32),
            target=np.array([0, 1]),
            place=np.array([0, 1], dtype=np.uint32),
            weight=np.array([2**41, 2**41]),
            up=up,
            down=2**19,
            shift=20,
            tie_bits=2,
            leaf=5,
            min_leaf=1,
            depth=2,
            max_leaves=4,
            options=core.RankedOptions(),
            time_limit=10.0,
            step_limit=1000,
            memory_limit=2**24,
            report=None,
        )
        return answer

    if fits:
        assert solve()["lower"] == solve()["upper"]
    else:
        with pytest.raises(ValueError, match="units"):
            solve()


def test_the_largest_sums_over_binary_columns() -> None:
    """The caps of docs/architecture.md: what is accepted is added without overflow, and one more is refused."""
    largest = 2**58 // 3
    plain = search(bits(weight=np.full(3, 1000, dtype=np.int64)))
    answer = search(bits(weight=np.full(3, largest, dtype=np.int64)))
    assert answer["shape"] == plain["shape"] == [0, -1, -1]
    assert answer["lower_bound"] <= answer["upper_bound"] <= 3
    with pytest.raises(ValueError, match="sum to at most"):
        bits(weight=np.full(3, largest + 1, dtype=np.int64))


def test_the_largest_sums_over_ranked_columns() -> None:
    largest = (2**30 - 1) // 3
    weight = np.full(3, largest, dtype=np.int32)
    unit, leaf = 2**59 // (3 * largest), 2**59
    answer = ranked(weight=weight, unit=unit, leaf=1)
    assert (answer["lower"], answer["upper"]) == (3, 3)  # three leaves, no mistake
    answer = ranked(weight=weight, unit=unit, leaf=leaf)
    assert answer["nodes"] == [None]
    assert answer["lower"] == answer["upper"] == leaf + unit * largest
    for more in ({"weight": weight + 1}, {"unit": unit + 2}, {"leaf": leaf + 1}):
        with pytest.raises(ValueError, match="ranked"):
            ranked(**({"weight": weight, "unit": unit, "leaf": leaf} | more))


def test_the_largest_sums_of_the_worst_leaf() -> None:
    weight = np.full(3, 2**25 // 3, dtype=np.int32)
    full = np.tile(np.array([2**35, 0], dtype=np.uint64), (3, 1))  # 2^99 each, a sum below 2^101
    small = leaf_accuracy()
    assert leaf_accuracy(weight=weight)["nodes"] == small["nodes"]
    answer = leaf_accuracy(
        weight=weight, full=full, shift=75, unit=(0, 2**20), leaf=(2**57, 0), target=(1, 2)
    )
    leaf, wrong = 2**121, 2**99 * 2**20  # of 128 bits
    assert answer["nodes"] == [None]
    assert (answer["cost"][0] << 64) + answer["cost"][1] == leaf + wrong
    with pytest.raises(ValueError, match="weights too large"):
        leaf_accuracy(weight=weight + 1)
