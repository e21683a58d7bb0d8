"""`treewright fit --task survival`, and what the other verbs ask of a survival tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.cli._additive import MAX_DEPTH, answer, asked_again, column_of_numbers, terms_of
from treewright.cli._clock import Clock
from treewright.cli._question import read_min_samples_leaf
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Model
    from treewright.result import SolveResult
    from treewright.search import Limits
    from treewright.table import CsvTable, Reading
    from treewright.verify import VerificationReport

__all__ = ["check_survival_tree", "fit_survival"]


def fit_survival(
    csv: CsvTable,
    *,
    data: Path,
    target: str,
    event: str,
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
    """Find the survival tree of least deviance, show it and save it.

    Parameters
    ----------
    csv : CsvTable
        Table and row weights, without times and events.
    data : Path
        The file that they came from.
    target, event : str
        Columns of the times, and of whether the event was seen (1) or not (0).
    weight : str or None
        Column of the row weights.
    out : Path or None
        Model file to write.
    cost_complexity : float
        Leaf penalty as a share of the deviance of a single leaf.
    max_depth : int or None
        None is 3.
    max_leaf_nodes : int or None
    min_samples_leaf : str
        A number of rows, or a fraction of them.
    csv_options : dict
        How the file was read, for times and events.
    limits : Limits
    clock : Clock
        The time limit, of which reading the file has used up its part.
    require_proof, progress, ascii_only : bool

    Raises
    ------
    InputError
        Times or events are no column of numbers, or a parameter is out of range.
    typer.Exit
        As `treewright.cli._additive.answer`.
    """
    from treewright.problem import make_survival_problem
    from treewright.search import solve_survival

    problem = make_survival_problem(
        csv.table,
        _events_and_times(data, event, target, csv_options, csv.reading),
        sample_weight=csv.sample_weight,
        cost_complexity=cost_complexity,
        max_depth=MAX_DEPTH if max_depth is None else max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=read_min_samples_leaf(min_samples_leaf),
    )
    terms = terms_of(
        problem,
        objective="survival",
        target=target,
        weight=weight,
        event=event,
    )

    def words(result: SolveResult) -> str:
        from treewright.survival import concordance_index

        risk = result.tree.predict(problem.table.X)
        seen = f"{int(problem.event.sum()):,} of {len(problem.event):,} rows had the event"
        try:
            order = concordance_index(problem.event, problem.time, risk)
        except InputError:  # no two rows can be compared
            return f"{seen}."
        return f"{seen}; concordance of the tree on these rows {order:.4f}."

    answer(
        problem, solve_survival, terms=terms, words=words, csv=csv, data=data, out=out, limits=limits, clock=clock,
        require_proof=require_proof, progress=progress, ascii_only=ascii_only,
    )  # fmt: skip


def _events_and_times(
    data: Path, event: str, target: str, csv_options: dict[str, Any], reading: Reading
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read the columns of events and times as numbers."""
    seen, times = (
        column_of_numbers(
            data, name, reading, csv_options, f"{option} {name}: events (0 or 1) and times must be numbers."
        )
        for option, name in (("--event", event), ("--target", target))
    )
    return seen, times


def check_survival_tree(
    content: Model, csv: CsvTable, data: Path, target: str, csv_options: dict[str, Any]
) -> tuple[VerificationReport, bool]:
    """Hold a survival tree against its table; also returns whether its certificate was part of that."""
    from treewright.problem import make_survival_problem
    from treewright.verify import verify_survival

    claim = content.certificate
    terms = claim.terms if claim is not None else None
    if terms is None or terms.event is None:
        raise InputError(
            "The model file does not name the column of events, so there is nothing to verify the tree against; files "
            "written by treewright fit --task survival do."
        )
    problem = make_survival_problem(
        csv.table,
        _events_and_times(data, terms.event, target, csv_options, csv.reading),
        sample_weight=csv.sample_weight,
        **asked_again(terms),
    )
    return verify_survival(problem, content.result or content.tree), True
