"""`treewright demo`: proven trees on real data, beside greedy ones of the same size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli._exits import exits_by_code
from treewright.cli._options import ASCII
from treewright.cli._output import say
from treewright.cli._wording import tree_text

if TYPE_CHECKING:
    from treewright.datasets import Dataset
    from treewright.result import SolveResult

__all__ = ["demo"]


@dataclass(frozen=True)
class _Example:
    dataset: str
    cost_complexity: float
    max_depth: int | None


EXAMPLES = (
    _Example("tic_tac_toe", 0.005, None),
    _Example("breast_cancer", 0.02, None),
    _Example("wine", 0.005, 3),
)


@exits_by_code
def demo(
    time_limit: Annotated[float, typer.Option(help="Time limit of each example, in seconds.")] = 30.0,
    ascii_only: ASCII = False,
) -> None:
    """Fit three real tables, print each tree with its certificate, and compare with CART of the same size.

    The tables are UCI's tic-tac-toe end positions (re-created by playing all games), and breast cancer
    measurements and wines that come with scikit-learn. Nothing is downloaded or written.

    Exit codes: 0 done.
    """
    from treewright import datasets

    for place, example in enumerate(EXAMPLES):
        if place:
            say()
        _show_example(getattr(datasets, example.dataset)(), example, time_limit, ascii_only)
    say()
    say("Next, with a table of your own: treewright fit data.csv --target COLUMN --out model.json")


def _show_example(data: Dataset, example: _Example, time_limit: float, ascii_only: bool) -> None:
    from treewright.problem import make_problem
    from treewright.search import Limits, progress_bar, solve
    from treewright.verify import verify

    say(f"{data.name}: {data.description}")
    depth = "unlimited depth" if example.max_depth is None else f"depth at most {example.max_depth}"
    size = f"{data.table.n_rows} rows, {len(data.table.columns)} columns"
    say(f"{size}; a leaf costs {example.cost_complexity}, {depth}.")
    say()
    problem = make_problem(
        data.table, data.y, cost_complexity=example.cost_complexity, max_depth=example.max_depth
    )
    with progress_bar("auto", time_limit) as report:
        result = solve(problem, limits=Limits(time_limit), progress=report)
    say(tree_text(result.tree, ascii_only))
    say()
    say(result.sentence())
    for text in result.notes:
        say(f"Note: {text}")
    checked = verify(problem, result)
    held = sum(check.ok for check in checked.checks)
    say(f"Checked by independent code: {held} of {len(checked.checks)} checks hold.")
    say()
    _compare(data, result, example)


def _compare(data: Dataset, result: SolveResult, example: _Example) -> None:
    """Print the errors and objectives of this tree and of scikit-learn's with as many leaves."""
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    from treewright.leaf_accuracy import Inputs

    greedy = DecisionTreeClassifier(
        max_leaf_nodes=max(2, result.tree.n_leaves), max_depth=example.max_depth, random_state=0
    )
    X = Inputs.of(data.table.columns).matrix(data.table.X)  # CART knows no categories
    greedy.fit(X, data.y)
    wrong = int(np.sum(greedy.predict(X) != data.y))
    ours = int(np.sum(result.tree.predict(data.table.X) != data.y))
    rows = [
        ("treewright", result.tree.n_leaves, ours, result.objective, f"{result.stats['seconds']:.3f} s"),
        (
            "CART (scikit-learn)",
            int(greedy.get_n_leaves()),
            wrong,
            wrong / data.table.n_rows + example.cost_complexity * int(greedy.get_n_leaves()),
            "",
        ),
    ]
    say(f"{'':<20} {'leaves':>7} {'wrong rows':>11} {'objective':>10} {'search':>10}")
    for name, leaves, errors, objective, seconds in rows:
        say(f"{name:<20} {leaves:>7} {errors:>11} {objective:>10.5f} {seconds:>10}")
