"""What `treewright fit` does for every additive loss: search with limits, save, and say what was found."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from treewright.cli._common import (
    CHECK_FAILED,
    Clock,
    effort,
    finishing,
    note,
    read_csv,
    say,
    size_of,
    stop_code,
    stop_word,
    tree_text,
)
from treewright.cli._question import advice
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Terms
    from treewright.result import SolveResult
    from treewright.search import Limits
    from treewright.table import CsvTable, Reading

__all__ = ["MAX_DEPTH", "answer", "asked_again", "column_of_numbers", "terms_of"]

MAX_DEPTH = 3  # as in the estimators
NO_CHOICE = "1"  # thresholds: all are searched, fewer cannot be asked for
FEW_STEPS = 1  # passes of the kernel, for a tree at once


def answer(
    problem: Any,
    solve: Callable[..., SolveResult],
    *,
    terms: Terms,
    words: Callable[[SolveResult], str],
    csv: CsvTable,
    data: Path,
    out: Path | None,
    limits: Limits,
    clock: Clock,
    require_proof: bool,
    progress: bool,
    ascii_only: bool,
) -> None:
    """Solve a problem, save the tree with its certificate, and say what is proven.

    Parameters
    ----------
    problem : RegressionProblem or PolicyProblem
    solve : callable
        ``solve(problem, limits=..., progress=...)``.
    terms : Terms
        The question, for the model file.
    words : callable
        What to say of a result in the user's own units.
    csv : CsvTable
    data : Path
        The file that the rows came from.
    out : Path or None
        Model file to write.
    limits : Limits
    clock : Clock
        The time limit, of which reading the file has used up its part.
    require_proof, progress, ascii_only : bool

    Raises
    ------
    typer.Exit
        With code 1 if a proof was required and there is none, 130 or 143 if a signal ended the search; the tree has
        then been saved.
    """
    from treewright.convert import Model, save_model
    from treewright.result import SolveStatus, StopReason
    from treewright.search import Limits, progress_bar

    note(f"{size_of(problem.table)}. Searching; Ctrl-C keeps the best tree so far.")
    reading = clock.seconds
    limits = replace(limits, time_limit=clock.left(), begun=None)
    with progress_bar("auto" if progress else False, limits.time_limit) as report:
        try:
            result = solve(problem, limits=limits, progress=report)
        except KeyboardInterrupt:  # before the search itself began
            with finishing():
                result = solve(problem, limits=Limits(step_limit=FEW_STEPS))
                result = replace(result, stop_reason=StopReason.INTERRUPT, status=SolveStatus.FEASIBLE)
    stopped = result.stop_reason is StopReason.INTERRUPT
    with finishing():
        if out is not None:
            save_model(out, Model.of(result, terms, csv.reading))
        if stopped:
            note(
                f"{stop_word()}. The best tree found so far " + (f"is saved to {out}." if out else "follows.")
            )
        say(tree_text(result.tree, ascii_only))
        say()
        say(result.sentence())
        for text in (text for text in result.notes if text not in csv.table.notes):  # those were said
            say(f"Note: {text}")
        say(words(result))
        say(effort(result.stats, reading, clock.time_limit))
        if out is not None:
            say(f"Saved to {out}. Check it any time: treewright verify {out} {data}")
    if stopped:
        raise typer.Exit(stop_code())
    if result.status is SolveStatus.FEASIBLE:
        given = math.inf if clock.time_limit is None else clock.time_limit
        depth, price = problem.max_depth, problem.cost_complexity
        note(
            advice(
                result.stop_reason,
                time_limit=given,
                max_depth=depth,
                thresholds=NO_CHOICE,
                price=price,
                rounded=result.is_only_rounded,
            )
        )
    if require_proof and result.status is not SolveStatus.OPTIMAL:
        raise typer.Exit(CHECK_FAILED)


def terms_of(problem: Any, *, objective: str, **rest: Any) -> Terms:
    """Return the question of a problem for its model file.

    Parameters
    ----------
    problem : RegressionProblem, PolicyProblem or SurvivalProblem
    objective : str
    **rest
        What else of `Terms` the task knows.
    """
    from treewright.convert import Terms

    return Terms(
        cost_complexity=problem.cost_complexity,
        max_depth=problem.max_depth,
        max_leaf_nodes=problem.max_leaf_nodes,
        min_samples_leaf=problem.min_samples_leaf,
        objective=objective,
        **rest,
    )


def asked_again(terms: Terms) -> dict[str, Any]:
    """Return the price and the limits of a model file's question, for the problem to verify its tree against."""
    return {
        "cost_complexity": terms.cost_complexity,
        "max_depth": terms.max_depth,
        "max_leaf_nodes": terms.max_leaf_nodes,
        "min_samples_leaf": terms.min_samples_leaf,
    }


def column_of_numbers(
    data: Path, name: str, reading: Reading, csv_options: dict[str, Any], complaint: str
) -> NDArray[np.float64]:
    """Return a column of a file as numbers, written in the ways of the rest of the file.

    Parameters
    ----------
    data : Path
    name : str
    reading : Reading
        How the rest of the file was read.
    csv_options : dict
    complaint : str
        What to say first if the column holds something else.

    Raises
    ------
    InputError
        The column holds something else.
    """
    try:
        numbers = read_csv(data, weight=name, columns=(), reading=reading, **csv_options).sample_weight
    except InputError as error:
        raise InputError(f"{complaint} {error}") from None
    assert numbers is not None  # a column was named
    return numbers
