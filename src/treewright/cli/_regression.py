"""`treewright fit --task regression`, and what the other verbs ask of a regression tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli._additive import MAX_DEPTH, answer, asked_again, column_of_numbers, terms_of
from treewright.cli._clock import Clock
from treewright.cli._question import read_min_samples_leaf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Model
    from treewright.result import SolveResult
    from treewright.search import Limits
    from treewright.table import CsvTable
    from treewright.verify import VerificationReport

__all__ = ["check_regression", "fit_regression", "numbers_of"]


def fit_regression(
    csv: CsvTable,
    *,
    data: Path,
    target: str,
    weight: str | None,
    out: Path | None,
    cost_complexity: float,
    max_depth: int | None,
    max_leaf_nodes: int | None,
    min_samples_leaf: str,
    csv_options: dict[str, Any],
    limits: Limits,
    clock: Clock,
    require_proof: bool = False,
    progress: bool = True,
    ascii_only: bool = False,
) -> None:
    """Find the regression tree of least squared error, show it and save it.

    Parameters
    ----------
    csv : CsvTable
        Table, target and row weights.
    data : Path
        The file that they came from.
    target, weight : str or None
        Names of their columns.
    out : Path or None
        Model file to write.
    cost_complexity : float
        Leaf penalty as a share of the squared error of a single leaf.
    max_depth : int or None
        None is 3.
    max_leaf_nodes : int or None
    min_samples_leaf : str
        A number of rows, or a fraction of them.
    csv_options : dict
        How the file was read, for a target whose numbers have to be read again.
    limits : Limits
    clock : Clock
        The time limit, of which reading the file has used up its part.
    require_proof : bool, default=False
    progress : bool, default=True
    ascii_only : bool, default=False

    Raises
    ------
    InputError
        The target is no column of finite numbers, or a parameter is out of range.
    typer.Exit
        With code 1 if a proof was required and there is none, 130 or 143 if a signal ended the search; the tree has
        then been saved.
    """
    from treewright.problem import make_regression_problem
    from treewright.search import solve_regression

    problem = make_regression_problem(
        csv.table,
        numbers_of(csv, data, target, csv_options),
        sample_weight=csv.sample_weight,
        cost_complexity=cost_complexity,
        max_depth=MAX_DEPTH if max_depth is None else max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=read_min_samples_leaf(min_samples_leaf),
    )
    terms = terms_of(
        problem,
        objective="squared_error",
        target=target,
        weight=weight,
    )
    answer(
        problem,
        solve_regression,
        terms=terms,
        words=lambda result: _target_in_words(target, result, problem.y, problem.sample_weight),
        csv=csv,
        data=data,
        out=out,
        limits=limits,
        clock=clock,
        require_proof=require_proof,
        progress=progress,
        ascii_only=ascii_only,
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
    return (
        f"{target}: mean {mean * unit:.6g}, standard deviation {deviation * unit:.6g}; the errors of the tree have "
        f"{left * unit:.6g} (root mean square, on these rows)."
    )


def numbers_of(
    csv: CsvTable, data: Path, target: str, csv_options: dict[str, Any]
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
        data, target, csv.reading, csv_options, "--task regression needs a target of numbers."
    )


def check_regression(
    content: Model, csv: CsvTable, data: Path, target: str, csv_options: dict[str, Any]
) -> tuple[VerificationReport, bool]:
    """Hold a regression tree against its table; also returns whether its certificate was part of that."""
    from treewright.convert import Terms
    from treewright.problem import make_regression_problem
    from treewright.verify import verify_regression

    claim = content.certificate
    asked = claim is not None and claim.terms is not None
    terms = (claim.terms if claim is not None else None) or Terms(cost_complexity=0.0)
    problem = make_regression_problem(
        csv.table,
        numbers_of(csv, data, target, csv_options),
        sample_weight=csv.sample_weight,
        **asked_again(terms),
    )
    held = content.result if asked and content.result is not None else content.tree
    return verify_regression(problem, held), asked
