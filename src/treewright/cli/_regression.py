"""`treewright fit --task regression`, and the functions that other commands use for regression trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli._additive import AdditiveFit, answer, asked_again, column_of_numbers, say_notes, terms_of
from treewright.cli._question import Question, read_min_samples_leaf
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Model
    from treewright.problem import RegressionProblem
    from treewright.result import SolveResult
    from treewright.table import CsvTable
    from treewright.verify import VerificationReport

__all__ = [
    "check_regression",
    "fit_regression",
    "numbers_of",
    "outputs_named",
    "outputs_of",
    "regression_problem_of",
    "state_regression",
]


def outputs_named(target: str, header: Callable[[], Sequence[str]]) -> tuple[str, ...]:
    """Return the columns that ``--target`` names: one, or several with commas between them.

    Parameters
    ----------
    target : str
    header : callable
        Returns the names of the file's columns; one of them may have a comma in it.

    Raises
    ------
    InputError
        A column is named twice, or a name is empty.
    """
    if "," not in target or target in header():
        return (target,)
    names = tuple(name.strip() for name in target.split(","))
    if "" in names or len(set(names)) < len(names):
        raise InputError(
            f"--target {target!r}: name each column once, with commas between: --target height,width."
        )
    return names


def fit_regression(
    asked: AdditiveFit, targets: tuple[str, ...], criterion: str, quantile: float, leaf_model: str
) -> None:
    """Find the regression tree of least loss, show it and save it.

    Parameters
    ----------
    asked : AdditiveFit
        Its leaf penalty is a share of the loss of a single leaf.
    targets : tuple of str
        Columns of the outputs; the first is the target of ``asked.csv``.
    criterion : str
        As in `make_regression_problem`.
    quantile : float
        For criterion "quantile".
    leaf_model : {"constant", "linear", "simple-linear"}

    Raises
    ------
    InputError
        The target is not a column of finite numbers, or a parameter is out of range.
    typer.Exit
        As `treewright.cli._additive.answer`.
    """
    from treewright.lines import check_leaf_model, solve_with_lines
    from treewright.problem import make_regression_problem
    from treewright.search import solve_regression, solve_simple_lines

    leaf_model = leaf_model.replace("-", "_")
    solve = solve_with_lines if check_leaf_model(leaf_model, criterion) else solve_regression
    if leaf_model == "simple_linear":
        solve = solve_simple_lines
    notes: list[str] = []
    outputs = outputs_of(asked.csv, asked.data, targets, asked.csv_options, notes)
    say_notes(notes)
    problem = make_regression_problem(
        asked.csv.table,
        outputs,
        criterion=criterion,  # type: ignore[arg-type]  # it refuses others
        quantile=quantile,
        **asked.question(),
    )
    terms = terms_of(
        asked,
        problem,
        objective=criterion,
        target=targets[0] if len(targets) == 1 else None,
        targets=targets if len(targets) > 1 else None,
        quantile=quantile if criterion == "quantile" else None,
    )

    def words(result: SolveResult) -> str:
        if criterion != "squared_error":
            least, most = float(result.tree.value.min()), float(result.tree.value.max())
            return f"{targets[0]}: leaves predict {least:.6g} to {most:.6g}."
        if len(targets) > 1:
            return _outputs_in_words(targets, result, problem)
        return _target_in_words(targets[0], result, problem.y, problem.sample_weight)

    answer(asked, problem, solve, terms=terms, words=words)


def state_regression(
    csv: CsvTable,
    data: Path,
    csv_options: dict[str, Any],
    *,
    target: str,
    weight: str | None,
    min_samples_leaf: str,
    **limits: Any,
) -> Question:
    """State the problem of a table with one target of numbers; `limits` go to `make_regression_problem` as they are."""
    from treewright.problem import make_regression_problem

    problem = make_regression_problem(
        csv.table,
        numbers_of(csv, data, target, csv_options),
        sample_weight=csv.sample_weight,
        min_samples_leaf=read_min_samples_leaf(min_samples_leaf),
        **limits,
    )
    named = {"objective": problem.criterion, "target": target, "weight": weight}
    return Question(
        problem, named | ({"quantile": problem.quantile} if problem.criterion == "quantile" else {})
    )


def _target_in_words(
    target: str, result: SolveResult, y: NDArray[np.float64], sample_weight: NDArray[np.float64]
) -> str:
    """Say the spread of the target and what is left of it, in the target's own units."""
    import numpy as np

    unit = float(np.abs(y).max()) or 1.0
    scaled = y / unit
    mean = np.average(scaled, weights=sample_weight)
    deviation = float(np.average((scaled - mean) ** 2, weights=sample_weight)) ** 0.5
    left = deviation * max(result.loss, 0.0) ** 0.5
    with_lines = ""
    if result.stats.get("lines") and "loss_with_lines" in result.stats:
        rest = deviation * max(float(result.stats["loss_with_lines"]), 0.0) ** 0.5
        with_lines = f", with its lines {rest * unit:.6g}"
    return (
        f"{target}: mean {mean * unit:.6g}, standard deviation {deviation * unit:.6g}; root mean square error of "
        f"the tree on these rows {left * unit:.6g}{with_lines}."
    )


def _outputs_in_words(targets: tuple[str, ...], result: SolveResult, problem: RegressionProblem) -> str:
    """Say what is left of the variance of each output."""
    import numpy as np

    found, weight = result.tree.predict(problem.table.X), problem.sample_weight
    said = []
    for output, name in enumerate(targets):
        y, predicted = problem.y[:, output], found[:, output]
        unit = float(np.abs(y).max()) or 1.0
        apart = y / unit - np.average(y / unit, weights=weight)
        whole, left = (float(np.average(part**2, weights=weight)) for part in (apart, (y - predicted) / unit))
        said.append(f"{name} {100 * left / whole:.4g}%" if whole > 0 else f"{name} is constant")
    return f"Variance left of each output: {', '.join(said)}. Leaves say the outputs in this order."


def outputs_of(
    csv: CsvTable,
    data: Path,
    targets: tuple[str, ...],
    csv_options: dict[str, Any],
    notes: list[str] | None = None,
) -> NDArray[np.float64] | NDArray[Any]:
    """Return the target, or a column for each output.

    Raises
    ------
    InputError
        A column holds something else than numbers.
    """
    first = numbers_of(csv, data, targets[0], csv_options, notes)
    if len(targets) == 1:
        return first
    import numpy as np

    complaint = "--task regression needs targets of numbers."
    others = [
        column_of_numbers(data, name, csv.reading, csv_options, complaint, notes) for name in targets[1:]
    ]
    return np.column_stack([first, *others])


def numbers_of(
    csv: CsvTable, data: Path, target: str, csv_options: dict[str, Any], notes: list[str] | None = None
) -> NDArray[np.float64] | NDArray[Any]:
    """Return the target as numbers, whatever way they are written.

    Raises
    ------
    InputError
        The column holds something else.
    """
    assert csv.target is not None  # the callers named a target
    if csv.target.dtype.kind not in "Uf":  # "47.930" may be 47930, as the rest of the file says
        return csv.target
    return column_of_numbers(
        data, target, csv.reading, csv_options, "--task regression needs a target of numbers.", notes
    )


def regression_problem_of(
    content: Model, csv: CsvTable, data: Path, targets: tuple[str, ...], csv_options: dict[str, Any]
) -> RegressionProblem:
    """State the question that a regression tree answers again, with its table; without one, that of squared errors."""
    from treewright.convert import Terms
    from treewright.problem import make_regression_problem

    claim = content.certificate
    asked = claim.terms if claim is not None else None
    terms = asked or Terms(cost_complexity=0.0)
    return make_regression_problem(
        csv.table,
        outputs_of(csv, data, targets, csv_options),
        sample_weight=csv.sample_weight,
        criterion=terms.objective if asked is not None else "squared_error",  # type: ignore[arg-type]  # it is known
        quantile=0.5 if terms.quantile is None else terms.quantile,
        **asked_again(terms),
    )


def check_regression(
    content: Model, csv: CsvTable, data: Path, targets: tuple[str, ...], csv_options: dict[str, Any]
) -> tuple[VerificationReport, bool]:
    """Hold a regression tree against its table; also returns whether its certificate was part of that."""
    from treewright.verify import verify_regression

    claim = content.certificate
    asked = claim is not None and claim.terms is not None
    problem = regression_problem_of(content, csv, data, targets, csv_options)
    held = content.result if asked and content.result is not None else content.tree
    return verify_regression(problem, held), asked
