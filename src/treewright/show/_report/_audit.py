"""What somebody asks who has to answer for the tree: whose it is, which rows and limits, how wrong for whom."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from treewright import __version__
from treewright.audit import Grouping, group_rows
from treewright.convert import Terms
from treewright.errors import InputError
from treewright.result import SolveResult
from treewright.show._report._leaves import Count
from treewright.show._report._rows import Rows
from treewright.table import ColumnNote, Settings
from treewright.tree import Tree

__all__ = ["Rates", "facts", "fingerprint", "rates_of_classes", "rates_of_groups"]

MOST_VALUES = 10  # different numbers that are groups of their own
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


@dataclass(frozen=True, slots=True)
class Rates:
    """How often the tree is wrong on some rows.

    Parameters
    ----------
    name : str
    wrong : Count
        Its "right" are the wrong ones.
    by_class : tuple of Count
        The same for the rows of each label alone; empty if there are too many labels.
    """

    name: str
    wrong: Count
    by_class: tuple[Count, ...] = ()


def facts(
    settings: Settings,
    result: SolveResult | None,
    terms: Terms | None,
    train: Rows,
    test: Rows | None,
    date: str,
    files: Mapping[str, str],
    reading: Sequence[tuple[str, str]] = (),
) -> list[tuple[str, str]]:
    """Return questions of an auditor with their answers; what nobody said is named as such."""
    said = [(title, settings.about[key]) for key, title in ABOUT if key in settings.about]
    missing = [title.lower() for key, title in ABOUT[:2] if key not in settings.about]
    if missing:
        said.append((" and ".join(missing).capitalize(), "not given (columns.yaml, about)"))
    said.append(("Date of this report", date))
    for rows, kind, what in ((train, "data", "Training rows"), (test, "test", "Test rows")):
        if rows is None:
            continue
        file = f", file {files[kind]}" if kind in files else ""
        check = f", SHA-256 of the file {files[f'{kind}_sha256']}" if f"{kind}_sha256" in files else ""
        said.append((what, f"{len(rows):,}{file}{check}; fingerprint as read {fingerprint(rows)}"))
    said += reading
    said += _rules(result, terms)
    versions = f"treewright {__version__}, Python {platform.python_version()}, numpy {np.__version__}"
    made_by = files.get("written_by")
    model = f"model by treewright {made_by}; " if made_by else ""
    said.append(("Versions", f"{model}report by {versions}"))
    return said


def _rules(result: SolveResult | None, terms: Terms | None) -> list[tuple[str, str]]:
    """Limits and rules that were set before the search."""
    words = []
    options = result.options if result is not None else {}
    objective = "accuracy" if terms is None else terms.objective
    share = {"brier": "of the Brier score of a single leaf", "log_loss": "of the log loss of a single leaf"}
    share["row_costs"] = "in units of the mean cost of a row"
    names = {
        "max_depth": "at most {} questions on a path",
        "max_leaf_nodes": "at most {} leaves",
        "min_samples_leaf": "at least {} rows in a leaf",
        "min_leaf_accuracy": "at least {} of each leaf right",
        "cost_complexity": f"a leaf costs {{}} {share.get(objective, _unit_of_penalty(terms))}",
    }
    for name, sentence in names.items():
        value = getattr(terms, name, None) if terms is not None else options.get(name)
        if value is not None and (name, value) != ("min_samples_leaf", 1):
            words.append(sentence.format(value))
    if terms is not None and terms.costs is not None:
        words.append(f"costs of wrong decisions {[list(row) for row in terms.costs]}")
    if terms is not None and terms.class_weight is not None:
        words.append(f"class weights {terms.class_weight}")
    if terms is not None and terms.objective != "accuracy":
        words.append(f"objective {terms.objective}")
    scope = [] if result is None else [("What was searched", result.scope)]
    return [("Limits and rules that were set", "; ".join(words) or "none"), *scope]


def _unit_of_penalty(terms: Terms | None) -> str:
    """Of what a leaf's penalty is a share, for a tree of few errors."""
    if terms is not None and terms.costs is not None:
        return "in units of the mean cost"
    weighted = terms is None or terms.weight or terms.class_weight or terms.objective != "accuracy"
    return "of the total weight" if weighted else "of the rows"


def fingerprint(rows: Rows) -> str:
    """Return 16 hexadecimal digits that change with any value, label or order of the rows."""
    digest = hashlib.sha256(repr(rows.X.shape).encode())
    digest.update(np.ascontiguousarray(rows.X + 0.0).tobytes())  # one zero
    digest.update(np.ascontiguousarray(rows.labels).tobytes())
    return digest.hexdigest()[:16]


def rates_of_classes(tree: Tree, rows: Rows, labels: Sequence[str]) -> list[Rates]:
    """Return how often the tree is wrong on the rows of each label, most rows first kept in the order of labels."""
    wrong = tree.prediction[tree.apply(rows.X)] != rows.labels
    return [
        Rates(label, Count(int(wrong[rows.labels == k].sum()), int((rows.labels == k).sum())))
        for k, label in enumerate(labels)
    ]


def rates_of_groups(
    tree: Tree, rows: Rows, labels: Sequence[str], groups: Mapping[str, ArrayLike], settings: Settings
) -> list[tuple[str, list[Rates]]]:
    """Return for each grouping, by the name that people read, how often the tree is wrong in each of its groups.

    Raises
    ------
    InputError
        A grouping of another length, or of too many groups.
    """
    wrong = tree.prediction[tree.apply(rows.X)] != rows.labels
    found = []
    for title, given in groups.items():
        note = settings.notes.get(title, ColumnNote())
        grouping = _groups(title, given, len(rows), note)
        parts = []
        for k, name in enumerate(grouping.names):
            here = grouping.group == k
            if not here.any():
                continue
            each = tuple(
                Count(int((wrong & here & (rows.labels == k)).sum()), int((here & (rows.labels == k)).sum()))
                for k in range(len(labels))
            )
            parts.append(
                Rates(name, Count(int(wrong[here].sum()), int(here.sum())), each if len(labels) <= 4 else ())
            )
        found.append((note.name or title, parts))
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
