"""`treewright reborn --task regression --faithful everywhere`: a tree near a regression ensemble on every row.

The ensemble is a model file, or a forest that is trained on a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

from treewright.cli._exits import CHECK_FAILED
from treewright.cli._output import note, say
from treewright.cli._read_csv import read_csv
from treewright.cli._reborn_bar import run_bar
from treewright.cli._reborn_checks import is_table
from treewright.cli._reborn_domain import within_claimed
from treewright.cli._reborn_end import prove_again, say_stopped, show_tree
from treewright.cli._reborn_rows import rows_for
from treewright.cli._reborn_values import COMPLAINTS, AskedValues, predictions_of, train_forest
from treewright.cli._stop import finishing, stop_code
from treewright.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Model, NumberEnsemble
    from treewright.result import BornAgainResult
    from treewright.search import Progress
    from treewright.table import Reading
    from treewright.tree import Column

__all__ = ["check_near_everywhere", "is_near_everywhere", "reborn_everywhere"]

IN_PYTHON, HERE = "Raise tolerance, max_leaves or time_limit", "Raise --within, --max-leaves or --time-limit"


@dataclass(frozen=True)
class _Source:
    """The ensemble, and the rows that there are."""

    ensemble: NumberEnsemble
    X: NDArray[np.float64] | None = None
    columns: tuple[Column, ...] | None = None
    reading: Reading | None = None


def reborn_everywhere(asked: AskedValues) -> None:
    """Find the tree, save it with its certificate, say what is proven, and prove it once more.

    Parameters
    ----------
    asked : AskedValues

    Raises
    ------
    InputError
        The model cannot be read, or a parameter is out of range.
    typer.Exit
        With code 130 or 143 if a signal ended the search (the tree has then been saved), 1 if the check failed.
    """
    from treewright.bornagain import near_everywhere, value_agreement
    from treewright.convert import Model, Terms, save_model
    from treewright.result import StopReason
    from treewright.table import Table

    source = _trained(asked) if is_table(asked.data) else _from_model_file(asked)
    ensemble = source.ensemble
    unseen = None
    if asked.new_rows is not None:
        unseen = rows_for(ensemble, read_csv(asked.new_rows, target=asked.target, **asked.csv_options).table)
    tolerance = _tolerance(asked, source)
    stated = asked.domain.stated(ensemble.feature_names, source.X)
    whole, ensemble = ensemble, ensemble if stated is None else ensemble.within(stated)
    note(
        f"{len(ensemble.trees)} trees, {ensemble.n_leaves} leaves. Searching; Ctrl-C keeps the tree found so far, with "
        "its proven distance."
    )
    reading, seconds = asked.clock.seconds, asked.clock.left()
    with run_bar(asked.progress, seconds) as report:
        result = near_everywhere(
            ensemble,
            tolerance=tolerance,
            max_leaves=asked.max_leaves,
            X=source.X,
            time_limit=seconds,
            memory_limit=asked.memory_limit,
            progress=_told(report),
        )
    if source.columns is not None:  # 0/1, true/false: so that the tree reads such files again
        result = replace(result, tree=replace(result.tree, columns=source.columns))
    stopped = result.asked_to_stop is StopReason.INTERRUPT
    with finishing():
        if asked.out is not None:
            terms = Terms(
                cost_complexity=0.0,
                max_leaf_nodes=asked.max_leaves,
                objective="values-everywhere",
                target=asked.target,
                tolerance=float(tolerance),
            )
            save_model(asked.out, Model.of(result, terms, source.reading))
        if stopped:
            say_stopped(asked.out, "The tree found so far")
        show_tree(result.tree, asked.ascii_only, asked.titles)
        say(result.sentence())
        if unseen is not None:
            table = Table(result.tree.columns, unseen)
            say(value_agreement(result.tree, whole.predict(unseen), table, tolerance=tolerance).sentence())
        for text in result.notes:
            say(f"Note: {text.replace(IN_PYTHON, HERE)}")
        say(f"Reading: {reading:.3f} s. Search: {result.stats['seconds']:.3f} s.")
        if asked.forest_out is not None:
            say(f"The forest is saved to {asked.forest_out}.")
        if asked.out is not None:
            file = asked.forest_out if is_table(asked.data) else asked.data
            again = f" Check it any time: treewright verify {asked.out} --ensemble {file}" if file else ""
            say(f"Saved to {asked.out}.{again}")
    if stopped:
        raise typer.Exit(stop_code())
    if asked.check:
        _check(ensemble, result, saved=asked.out is not None)


def _told(report: Callable[[Any], None] | None) -> Callable[[Progress], None] | None:
    """Return the callback of the search that tells a bar how near the tree is."""
    if report is None:
        return None
    from treewright.bornagain import Progress as Phase

    def tell(now: Progress) -> None:
        report(Phase(now.seconds, now.subproblems, now.memory, f"within {now.objective:.4g} everywhere"))

    return tell


def _from_model_file(asked: AskedValues) -> _Source:
    """Read a model file, and the rows beside it."""
    from treewright.convert import NumberEnsemble

    ensemble = NumberEnsemble.load(asked.data)
    if asked.rows is None:
        return _Source(ensemble)
    csv = read_csv(asked.rows, target=asked.target, ignore=asked.ignore, **asked.csv_options)
    return _Source(ensemble, rows_for(ensemble, csv.table), None, csv.reading)


def _trained(asked: AskedValues) -> _Source:
    """Train a forest on a table."""
    from treewright.convert import NumberEnsemble

    assert asked.target is not None  # of a table there is one
    csv = read_csv(asked.data, target=asked.target, ignore=asked.ignore, **asked.csv_options)
    numbers = predictions_of(csv, asked.data, asked.target, asked.csv_options, COMPLAINTS[True])
    for text in csv.table.notes:
        note(f"Note: {text}")
    forest = train_forest(csv, numbers, asked)
    ensemble = replace(NumberEnsemble.from_model(forest), feature_names=csv.table.names)
    return _Source(ensemble, csv.table.X, csv.table.columns, csv.reading)


def _tolerance(asked: AskedValues, source: _Source) -> float:
    """Return how far the tree may be: as asked, or half a standard deviation of the model's numbers on the rows."""
    from treewright.estimators import deviations

    if asked.within is not None:
        return asked.within
    if source.X is None:
        raise InputError(
            "How far may the tree be from the model? Add --within NUMBER; or --rows FILE.csv, for half a standard "
            "deviation of the model's numbers on these rows."
        )
    return deviations(0.5, source.ensemble.predict(source.X))


def _check(ensemble: NumberEnsemble, result: BornAgainResult, *, saved: bool) -> None:
    """Prove by independent code that the tree is as near as it says."""
    from treewright.verify import verify_near_everywhere

    report = prove_again(lambda: verify_near_everywhere(ensemble, result), saved=saved)
    if not report.ok:
        say(str(report))
        raise typer.Exit(CHECK_FAILED)
    where = "everywhere" if ensemble.domain is None else "everywhere in the domain"
    say(f"Checked by independent code: the tree is as near {where}, and the bound on its leaves holds.")


def is_near_everywhere(content: Model) -> bool:
    """Whether a model file holds a tree of numbers that is near an ensemble on every row, or claims nothing."""
    claim = content.certificate
    if claim is None:
        return content.tree.classes is None
    return (
        claim.options.get("method") == "born-again" and claim.options.get("objective") == "values-everywhere"
    )


def check_near_everywhere(content: Model, path: Path) -> bool:
    """Hold a tree near a regression ensemble everywhere against the ensemble, print the report, and tell the result.

    Parameters
    ----------
    content : Model
        A tree of numbers; without a certificate its distance is told.
    path : Path
        The ensemble.
    """
    from treewright.convert import NumberEnsemble
    from treewright.result import BornAgainResult
    from treewright.tree import exactly
    from treewright.verify import furthest_apart, verify_near_everywhere

    result, claim = content.result, content.certificate
    ensemble = within_claimed(NumberEnsemble.load(path), claim)
    if claim is None:
        distance = furthest_apart(content.tree, ensemble).distance + ensemble.rounding
        say(f"Tree and ensemble are at most {exactly(distance)} apart on all rows without missing values.")
        say("The file holds no certificate, so there is no claim to check.")
        return True
    assert isinstance(result, BornAgainResult)  # checked by the caller
    terms = claim.terms
    asked = None if terms is None else {"tolerance": terms.tolerance, "max_leaves": terms.max_leaf_nodes}
    report = verify_near_everywhere(ensemble, result, asked=asked)
    say(str(report))
    if terms is None:
        say("The file does not hold the question, so tolerance and limits are those that it claims.")
    return report.ok
