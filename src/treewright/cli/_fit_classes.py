"""`fit` for classes: state the problem, search, save, and say what is proven."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from treewright.cli._advice import (
    advice,
    for_more_leaves,
    for_sooner_guesses,
    leaves_could_help,
    trial_for,
    why_one_leaf,
)
from treewright.cli._clock import Clock
from treewright.cli._exits import CHECK_FAILED
from treewright.cli._forecast import say_forecast
from treewright.cli._leaf_accuracy import MAX_DEPTH, MIN_SAMPLES_LEAF, refuse_others, search_leaf_accuracy
from treewright.cli._output import note, say
from treewright.cli._question import F1, state_question
from treewright.cli._stop import finishing, stop_code, stop_word
from treewright.cli._wording import as_options, effort, saved_to, size_of, tree_text
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.result import SolveResult
    from treewright.search import Guesses, Limits, ProgressCallback, Thresholds
    from treewright.table import CsvTable

__all__ = ["fit_classes"]

FEW_BINS = 4  # of each column, for a tree at once
NO_CHOICE = "1"  # no fewer thresholds can be asked for


def fit_classes(
    csv: CsvTable,
    *,
    data: Path,
    target: str,
    out: Path | None,
    weight: str | None,
    by_leaf: bool,
    objective: str,
    criterion: str,
    confidence: float,
    class_weight: Sequence[str] | None,
    cost: list[str] | None,
    cost_complexity: float | None,
    leaf_penalty: float,
    max_depth: int | None,
    max_leaf_nodes: int | None,
    min_samples_leaf: str | None,
    thresholds: str,
    cuts: Thresholds,
    guesses: Guesses,
    time_limit: float,
    limits: Limits,
    clock: Clock,
    require_proof: bool,
    progress: bool,
    ascii_only: bool,
    titles: Path | None = None,
) -> None:
    """Find the tree with the smallest objective for labels, and say what is proven about it."""
    from treewright.convert import Model, save_model
    from treewright.result import SolveStatus, StopReason
    from treewright.search import (
        Guessed,
        Guesses,
        Limits,
        progress_bar,
        search_with_same_guesses,
        solve,
        solve_f1,
        solve_guided,
    )

    if by_leaf:
        refuse_others(cost_complexity, max_leaf_nodes, cost, guesses)
        objective, leaf_penalty = "accuracy", 0.0
        max_depth = MAX_DEPTH if max_depth is None else max_depth
        min_samples_leaf = min_samples_leaf or MIN_SAMPLES_LEAF
    question = state_question(
        csv,
        target=target,
        weight=weight,
        objective=objective,
        class_weight=class_weight,
        cost=cost,
        min_samples_leaf=min_samples_leaf or "1",
        cost_complexity=leaf_penalty,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        f1=True,
    )
    problem = question.problem
    plain: Callable[..., SolveResult] = solve_f1 if objective == F1 else solve
    if objective == F1 and guesses.any:
        raise InputError("--guess does not go with --objective f1; leave one of them out.")
    if objective == F1:
        positive = problem.classes.tolist()[1]
        note(
            f"F1 is that of label {positive}, the second in sorted order; another one: rename it in --columns."
        )
    note(f"{size_of(problem.table)}. Searching; Ctrl-C keeps the best tree so far.")
    reading = clock.seconds

    guessed: list[Guessed] = []

    def search_over(
        asked: Any, offered: Thresholds, within: Limits, report: ProgressCallback | None = None
    ) -> SolveResult:
        how: dict[str, Any] = {"limits": within, "progress": report}
        if by_leaf:
            return search_leaf_accuracy(asked, offered, guesses, criterion, confidence, **how)
        if guesses.any:
            return solve_guided(asked, offered, guesses, tell=guessed.append, **how)
        return plain(asked, offered, **how)

    def search(asked: Any, within: Limits, report: ProgressCallback | None = None) -> SolveResult:
        return search_over(asked, cuts, within, report)

    with progress_bar("auto" if progress else False, clock.left()) as report:
        try:
            if report is not None and not guesses.any:
                say_forecast(problem, search, limits, time_limit=clock.time_limit)
            result = search(problem, replace(limits, time_limit=clock.left(), begun=None), report)
        except (
            KeyboardInterrupt
        ):  # before the search itself began: while splits were made, or a reference trained
            with finishing():
                few: dict[str, Any] = {"limits": Limits(time_limit=0.1, step_limit=1)}
                result = (
                    search_leaf_accuracy(problem, FEW_BINS, Guesses(), criterion, confidence, **few)
                    if by_leaf
                    else plain(problem, FEW_BINS, **few)
                )
                result = replace(result, stop_reason=StopReason.INTERRUPT, status=SolveStatus.FEASIBLE)
    with finishing():
        saved = ""
        if out is not None:
            terms = question.terms(max_depth=result.stats.get("guessed_depth", problem.max_depth))
            save_model(out, Model.of(result, terms, csv.reading))
            saved = saved_to(out, data)
        stopped = result.asked_to_stop is StopReason.INTERRUPT
        if stopped:
            note(
                f"{stop_word()}. The best tree found so far " + (f"is saved to {out}." if out else "follows.")
            )
        say(tree_text(result.tree, ascii_only, titles))
        say()
        say(result.sentence())
        for text in (text for text in result.notes if text not in csv.table.notes):  # those were said
            say(as_options(f"Note: {text}"))
        say(effort(result.stats, reading, clock.time_limit))
        if saved:
            say(saved)
    if stopped:
        raise typer.Exit(stop_code())
    if result.status is SolveStatus.FEASIBLE:
        smaller, search_smaller = problem, search_over
        if guessed:
            known = guessed[-1]
            smaller = replace(problem, max_depth=known.max_depth)
            search_smaller = partial(search_with_same_guesses, known)
            reading += result.stats["seconds_of_guessing"]
        if guesses.any and not by_leaf and not guessed:
            note(for_sooner_guesses(guesses.reference is None, time_limit))
        else:
            note(
                advice(
                    result.stop_reason, time_limit=time_limit,
                    max_depth=smaller.max_depth, depth_as=_depth_as(guesses),
                    thresholds=NO_CHOICE if guesses.thresholds else thresholds,
                    cost_complexity=None if by_leaf else leaf_penalty,
                    rounded=result.options if result.is_only_rounded else None,
                    proven_depth=result.proven_depth, reading=reading,
                    trial=trial_for(smaller, search_smaller, limits, result.loss, cuts),
                )
                + why_one_leaf(problem, result)
            )  # fmt: skip
    elif (
        result.status is SolveStatus.OPTIMAL
        and not by_leaf
        and result.tree.n_leaves == 1
        and problem.cost_complexity > 0
        and leaves_could_help(problem, result.loss)
    ):
        note(for_more_leaves(problem.cost_complexity, of_labels=True, errors=objective != F1))
    if require_proof and result.status is not SolveStatus.OPTIMAL:
        raise typer.Exit(CHECK_FAILED)


def _depth_as(guesses: Guesses) -> str:
    """How a smaller depth is asked for: with --guess depth it is refused."""
    if not guesses.depth:
        return "--max-depth {}"
    parts = {"thresholds": guesses.thresholds, "bounds": guesses.lower_bounds}
    others = ",".join(name for name, is_guessed in parts.items() if is_guessed)
    return f"--guess {others} --max-depth {{}}" if others else "--max-depth {} in place of --guess depth"
