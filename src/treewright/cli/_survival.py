"""`treewright fit --task survival`, and the functions that other commands use for survival trees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import some_of
from treewright.cli._additive import AdditiveFit, answer, asked_again, column_of_numbers, say_notes, terms_of
from treewright.cli._csv_options import OPTIONS
from treewright.cli._read_csv import read_groups
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Model, Terms
    from treewright.result import SolveResult
    from treewright.table import CsvTable, Reading
    from treewright.verify import VerificationReport

__all__ = ["check_survival_tree", "events_and_times", "fit_survival", "named_event"]

HAPPENED = (
    "yes", "y", "ja", "oui", "si", "sí", "sim", "tak", "да", "ναι",
    "event", "dead", "died", "deceased", "death", "tot", "verstorben", "gestorben",
)  # fmt: skip
CENSORED = (
    "no", "n", "nein", "nee", "non", "não", "nie", "нет", "όχι",
    "censored", "alive", "living", "lost to follow-up", "zensiert", "lebt", "lebend",
)  # fmt: skip


def fit_survival(asked: AdditiveFit, target: str, event: str) -> None:
    """Find the survival tree of least deviance, show it and save it.

    Parameters
    ----------
    asked : AdditiveFit
        Its leaf penalty is a share of the deviance of a single leaf.
    target, event : str
        Columns of the times, and of whether the event was seen (1, or yes, dead, ...) or not (0).

    Raises
    ------
    InputError
        Times or events are no column of numbers, or a parameter is out of range.
    typer.Exit
        As `treewright.cli._additive.answer`.
    """
    from treewright.problem import make_survival_problem
    from treewright.search import solve_survival

    notes: list[str] = []
    outcome = events_and_times(asked.data, event, target, asked.csv_options, asked.csv.reading, notes)
    say_notes(notes)
    problem = make_survival_problem(asked.csv.table, outcome, **asked.question())
    terms = terms_of(asked, problem, objective="survival", target=target, event=event)

    def words(result: SolveResult) -> str:
        from treewright.survival import concordance_index

        risk = result.tree.predict(problem.table.X)
        seen = f"{int(problem.event.sum()):,} of {len(problem.event):,} rows had the event"
        try:
            order = concordance_index(problem.event, problem.time, risk)
        except InputError:  # no two rows can be compared
            return f"{seen}."
        return f"{seen}; concordance of the tree on these rows {order:.4f}."

    answer(asked, problem, solve_survival, terms=terms, words=words)


def events_and_times(
    data: Path,
    event: str,
    target: str,
    csv_options: dict[str, Any],
    reading: Reading,
    notes: list[str] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read the columns of events and times as numbers; words such as yes and no, dead and alive are events as well."""
    wrong = f"--target {target}: times must be numbers of at least 0."
    times = column_of_numbers(data, target, reading, csv_options, wrong, notes, negative=False)
    complaint = f"--event {event}: events must be 1 or 0, or words such as yes and no, dead and alive."
    try:
        seen = column_of_numbers(data, event, reading, csv_options, complaint)
    except InputError:
        how: Any = {name: csv_options.get(name) for name in OPTIONS}
        words = [
            word.casefold() if isinstance(word, str) else None
            for word in read_groups(data, event, reading, csv_options.get("settings"), **how)
        ]
        if not set(words) <= {*HAPPENED, *CENSORED}:
            other = list(dict.fromkeys(w for w in words if w is not None and w not in HAPPENED + CENSORED))
            if not other:  # some are missing, or are other numbers
                raise
            raise InputError(
                f"{complaint} Column {event!r} holds {some_of(list(map(repr, other)))}. Write 1 in the file where the "
                "event was seen, and 0 where it was not seen until the time ended."
            ) from None
        seen = np.array([word in HAPPENED for word in words], dtype=np.float64)
    codes = np.unique(seen).tolist()
    if not set(codes) <= {0, 1}:
        raise InputError(
            f"{complaint} Column {event!r} holds {some_of([f'{code:g}' for code in codes], 5)}. Write 1 in the file "
            "where the event was seen, and 0 where it was not seen until the time ended"
            + (": in R, 2 is often the event, and 1 is censored." if codes == [1, 2] else ".")
        )
    return seen, times


def named_event(content: Model) -> tuple[str, Terms]:
    """Return the column that says whether the event of a survival tree was seen, and its question.

    Raises
    ------
    InputError
        The file does not name it.
    """
    claim = content.certificate
    terms = claim.terms if claim is not None else None
    if terms is None or terms.event is None:
        raise InputError(
            "The model file does not name the column of events, so there is nothing to check the tree against; files "
            "written by treewright fit --task survival do."
        )
    return terms.event, terms


def check_survival_tree(
    content: Model, csv: CsvTable, data: Path, target: str, csv_options: dict[str, Any]
) -> tuple[VerificationReport, bool]:
    """Hold a survival tree against its table; also returns whether its certificate was part of that."""
    from treewright.problem import make_survival_problem
    from treewright.verify import verify_survival

    event, terms = named_event(content)
    problem = make_survival_problem(
        csv.table,
        events_and_times(data, event, target, csv_options, csv.reading),
        sample_weight=csv.sample_weight,
        **asked_again(terms),
    )
    return verify_survival(problem, content.result or content.tree), True
