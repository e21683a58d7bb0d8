"""What `treewright fit` does for every additive loss: search with limits, save, and say what was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from treewright.cli._advice import advice, for_more_leaves, leaves_could_help, trial_for, why_one_leaf
from treewright.cli._clock import Clock
from treewright.cli._exits import CHECK_FAILED
from treewright.cli._forecast import say_forecast
from treewright.cli._output import note, say
from treewright.cli._question import read_min_samples_leaf
from treewright.cli._read_csv import read_numbers
from treewright.cli._stop import finishing, stop_code, stop_word
from treewright.cli._wording import as_options, effort, saved_to, size_of, tree_text
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Terms
    from treewright.result import SolveResult
    from treewright.search import Limits
    from treewright.table import CsvTable, Reading

__all__ = ["AdditiveFit", "answer", "asked_again", "column_of_numbers", "terms_of"]

MAX_DEPTH = 3  # as in the estimators
NO_CHOICE = "1"  # thresholds: all are searched, fewer cannot be asked for
FEW_STEPS = 1  # passes of the kernel, for a tree at once


@dataclass(frozen=True)
class AdditiveFit:
    """What `treewright fit` was asked, as far as it is the same for every additive loss.

    Parameters
    ----------
    csv : CsvTable
        Table, labels and row weights.
    data : Path
        The file that they came from.
    weight : str or None
        Column of the row weights.
    out : Path or None
        Model file to write.
    cost_complexity : float
        Leaf penalty, a share of what the task says.
    max_depth : int or None
        None is 3.
    max_leaf_nodes : int or None
    min_samples_leaf : str
        A number of rows, or a fraction of them.
    csv_options : dict
        How the file was read, for columns whose numbers have to be read again.
    limits : Limits
    clock : Clock
        The time limit, of which reading the file has used up its part.
    require_proof, progress, ascii_only : bool
    titles : Path or None
        Settings with the names that people read.
    """

    csv: CsvTable
    data: Path
    weight: str | None
    out: Path | None
    cost_complexity: float
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_leaf: str
    csv_options: dict[str, Any]
    limits: Limits
    clock: Clock
    require_proof: bool = False
    progress: bool = True
    ascii_only: bool = False
    titles: Path | None = None

    def question(self) -> dict[str, Any]:
        """Return weights, leaf penalty and limits for the function that makes the problem."""
        return {
            "sample_weight": self.csv.sample_weight,
            "cost_complexity": self.cost_complexity,
            "max_depth": MAX_DEPTH if self.max_depth is None else self.max_depth,
            "max_leaf_nodes": self.max_leaf_nodes,
            "min_samples_leaf": read_min_samples_leaf(self.min_samples_leaf),
        }

    def numbers(self, name: str, complaint: str) -> NDArray[np.float64]:
        """Return a column of the file as numbers; see `column_of_numbers`."""
        return column_of_numbers(self.data, name, self.csv.reading, self.csv_options, complaint)


def answer(
    asked: AdditiveFit,
    problem: Any,
    solve: Callable[..., SolveResult],
    *,
    terms: Terms,
    words: Callable[[SolveResult], str],
) -> None:
    """Solve a problem, save the tree with its certificate, and say what is proven.

    Parameters
    ----------
    asked : AdditiveFit
    problem : TreeProblem
    solve : callable
        ``solve(problem, limits=..., progress=...)``.
    terms : Terms
        The question, for the model file.
    words : callable
        What to say of a result in the user's own units.

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
    clock, out = asked.clock, asked.out
    reading = clock.seconds

    def search(some: Any, within: Limits) -> SolveResult:
        return solve(some, limits=within)

    with progress_bar("auto" if asked.progress else False, clock.left()) as report:
        try:
            if report is not None:
                say_forecast(problem, search, asked.limits, time_limit=clock.time_limit)
            limits = replace(asked.limits, time_limit=clock.left(), begun=None)
            result = solve(problem, limits=limits, progress=report)
        except KeyboardInterrupt:  # before the search itself began
            with finishing():
                result = solve(problem, limits=Limits(step_limit=FEW_STEPS))
                result = replace(result, stop_reason=StopReason.INTERRUPT, status=SolveStatus.FEASIBLE)
    stopped = result.asked_to_stop is StopReason.INTERRUPT
    with finishing():
        if out is not None:
            save_model(out, Model.of(result, terms, asked.csv.reading))
        if stopped:
            note(
                f"{stop_word()}. The best tree found so far " + (f"is saved to {out}." if out else "follows.")
            )
        say(tree_text(result, asked.ascii_only, asked.titles))
        say()
        say(result.sentence())
        for text in (text for text in result.notes if text not in asked.csv.table.notes):  # those were said
            say(as_options(f"Note: {text}"))
        say(words(result))
        say(effort(result.stats, reading, clock.time_limit))
        if out is not None:
            say(saved_to(out, asked.data))
    if stopped:
        raise typer.Exit(stop_code())
    if result.status is SolveStatus.FEASIBLE:
        given = math.inf if clock.time_limit is None else clock.time_limit
        note(
            advice(
                result.stop_reason, time_limit=given, max_depth=problem.max_depth, thresholds=NO_CHOICE,
                cost_complexity=problem.cost_complexity, reading=reading,
                rounded=result.options if result.is_only_rounded else None,
                trial=trial_for(problem, lambda some, _, within: search(some, within), asked.limits, result.loss),
            )
            + why_one_leaf(problem, result)
        )  # fmt: skip
    elif (
        result.tree.n_leaves == 1 and problem.cost_complexity > 0 and leaves_could_help(problem, result.loss)
    ):
        note(for_more_leaves(problem.cost_complexity, of_labels=False))
    if asked.require_proof and result.status is not SolveStatus.OPTIMAL:
        raise typer.Exit(CHECK_FAILED)


def terms_of(asked: AdditiveFit, problem: Any, *, objective: str, **rest: Any) -> Terms:
    """Return the question of a problem for its model file.

    Parameters
    ----------
    asked : AdditiveFit
    problem : TreeProblem
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
        weight=asked.weight,
        **rest,
    )


def asked_again(terms: Terms) -> dict[str, Any]:
    """Return the leaf penalty and the limits of a model file's question, for the problem to verify its tree against."""
    return {
        "cost_complexity": terms.cost_complexity,
        "max_depth": terms.max_depth,
        "max_leaf_nodes": terms.max_leaf_nodes,
        "min_samples_leaf": terms.min_samples_leaf,
    }


def column_of_numbers(
    data: Path,
    name: str,
    reading: Reading,
    csv_options: dict[str, Any],
    complaint: str,
    notes: list[str] | None = None,
    *,
    negative: bool = True,
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
    notes : list of str, default=None
        What is to be said of the way the numbers are written is appended to it.
    negative : bool, default=True
        Whether numbers may be below 0.

    Raises
    ------
    InputError
        The column holds something else.
    """
    try:
        numbers, said = read_numbers(data, name, reading, **csv_options, negative=negative)
    except InputError as error:
        raise InputError(f"{complaint} {error}") from None
    if notes is not None:
        notes += said
    return numbers


def say_notes(notes: Iterable[str]) -> None:
    """Say how columns of numbers were read that are no features."""
    for text in notes:
        note(as_options(f"Note: {text}"))
