"""What somebody asks who has to answer for the tree: whose it is, which rows and limits, how wrong for whom."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from treewright import __version__
from treewright._plural import first_of, list_of
from treewright.audit import Grouping, group_rows
from treewright.convert import Terms
from treewright.errors import InputError
from treewright.problem import CRITERIA
from treewright.result import SolveResult
from treewright.show._report._rows import Rows
from treewright.show._report._task import Group
from treewright.table import ColumnNote, Settings

__all__ = ["facts", "fingerprint", "groups_of_rows"]

MOST_VALUES = 10  # different numbers that are groups of their own
OF_CLASSES = ("balanced_accuracy", "f1", "brier", "log_loss", "row_costs")  # objectives beside accuracy
MOST_LEFT_OUT = 40  # columns that are named
QUARTERS = 4  # groups that a column of more numbers is cut into
ABOUT = (
    ("purpose", "Purpose"),
    ("owner", "Owner"),
    ("contact", "Questions to"),
    ("source", "Where the data come from"),
    ("period", "Period of the data"),
    ("date", "Date of the model"),
    ("limits", "Where it must not be used"),
)


def facts(
    settings: Settings,
    result: SolveResult | None,
    terms: Terms | None,
    train: Rows,
    test: Rows | None,
    date: str,
    files: Mapping[str, str],
    reading: Sequence[tuple[str, str]] = (),
    settled: Sequence[str] = (),
) -> list[tuple[str, str]]:
    """Return questions of an auditor with their answers; what nobody said is named as such.

    `settled` is what the task was told beyond limits.
    """
    said = [(title, settings.about[key]) for key, title in ABOUT if key in settings.about]
    missing = [title.lower() for key, title in ABOUT[:2] if key not in settings.about]
    if missing:
        said.append((list_of(missing).capitalize(), "not given (columns.yaml, about)"))
    said.append(("Date of this report", date))
    for rows, kind, what in ((train, "data", "Training rows"), (test, "test", "Test rows")):
        if rows is None:
            continue
        file = f", file {files[kind]}" if kind in files else ""
        check = f", SHA-256 of the file {files[f'{kind}_sha256']}" if f"{kind}_sha256" in files else ""
        said.append((what, f"{len(rows):,}{file}{check}; fingerprint as read {fingerprint(rows)}"))
    if settings.ignore:
        said.append(("Columns left out", first_of(settings.ignore, MOST_LEFT_OUT)))
    said += reading
    said += _rules(result, terms, settled)
    versions = f"treewright {__version__}, Python {platform.python_version()}, numpy {np.__version__}"
    made_by = files.get("written_by")
    model = f"model by treewright {made_by}; " if made_by else ""
    said.append(("Versions", f"{model}report by {versions}"))
    return said


def _rules(
    result: SolveResult | None, terms: Terms | None, settled: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Limits and rules that were set before the search."""
    words = list(settled)
    options = result.options if result is not None else {}
    names = {
        "max_depth": "at most {} questions on a path",
        "max_leaf_nodes": "at most {} leaves",
        "min_samples_leaf": "at least {} rows in a leaf",
        "min_leaf_accuracy": "at least {} of each leaf right",
        "cost_complexity": f"a leaf costs {{}} {_unit_of_penalty(result, terms)}",
    }
    for name, sentence in names.items():
        value = getattr(terms, name, None) if terms is not None else options.get(name)
        if value is not None and (name, value) != ("min_samples_leaf", 1):
            words.append(sentence.format(value))
    if terms is not None and terms.costs is not None:
        words.append(f"costs of wrong decisions {[list(row) for row in terms.costs]}")
    if terms is not None and terms.class_weight is not None:
        words.append(f"class weights {terms.class_weight}")
    if terms is not None and terms.objective in OF_CLASSES:
        words.append(f"objective {terms.objective}")
    scope = [] if result is None else [("What was searched", result.scope)]
    none = "none" if result is not None or terms is not None else "not known: the model has no certificate"
    return [("Limits and rules that were set", "; ".join(words) or none), *scope]


def _unit_of_penalty(result: SolveResult | None, terms: Terms | None) -> str:
    """Of what a leaf's penalty is a share."""
    shares = {
        "brier": "of the Brier score of a single leaf",
        "log_loss": "of the log loss of a single leaf",
        "row_costs": "in units of the mean cost of a row",
        "policy": "of the regret of the best single action",
        "survival": "of the deviance of a single leaf",
        **dict.fromkeys(CRITERIA, "of the loss of a single leaf"),
    }
    options = result.options if result is not None else {}
    asked = {
        terms.objective if terms is not None else "",
        str(options.get("criterion")),
        str(options.get("method")),
    }
    for name, words in shares.items():
        if name in asked:
            return words
    if terms is not None and terms.costs is not None:
        return "in units of the mean cost"
    weighted = terms is None or terms.weight or terms.class_weight or terms.objective != "accuracy"
    return "of the total weight" if weighted else "of the rows"


def fingerprint(rows: Rows) -> str:
    """Return 16 hexadecimal digits that change with any value, any that was seen, or the order of the rows."""
    digest = hashlib.sha256(repr(rows.X.shape).encode())
    digest.update(np.ascontiguousarray(rows.X + 0.0).tobytes())  # one zero
    digest.update(np.ascontiguousarray(rows.y).tobytes())
    return digest.hexdigest()[:16]


def groups_of_rows(
    groups: Mapping[str, ArrayLike], n_rows: int, settings: Settings
) -> list[tuple[str, list[Group]]]:
    """Return for each grouping, by the name that people read, its groups that have rows.

    Raises
    ------
    InputError
        A grouping of another length, or of too many groups.
    """
    found = []
    for title, given in groups.items():
        note = settings.notes.get(title, ColumnNote())
        grouping = _groups(title, given, n_rows, note)
        parts = [(name, grouping.group == k) for k, name in enumerate(grouping.names)]
        found.append((note.name or title, [(name, here) for name, here in parts if here.any()]))
    return found


def _groups(title: str, given: ArrayLike, n_rows: int, note: ColumnNote) -> Grouping:
    """The group of each row; a column of many numbers is cut at its quartiles."""
    values = np.asarray(given)
    if values.shape != (n_rows,):
        raise InputError(
            f"groups[{title!r}] has shape {values.shape}; give one value for each of the {n_rows:,} "
            "rows that accuracies are counted on: the test rows, or the training rows without any."
        )
    codes = {float(code): word for code, word in note.codes.items()}
    cuts = None
    if values.dtype.kind in "iuf":
        known = values[~np.isnan(values) & ~np.isin(values, list(codes))]
        if len(np.unique(known)) > MOST_VALUES:
            cuts = np.unique(
                np.quantile(known, np.arange(1, QUARTERS) / QUARTERS, method="inverted_cdf")
            ).tolist()
    return group_rows(title, values, cuts, codes)
