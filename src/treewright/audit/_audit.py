"""Errors and decisions of a fitted tree by group. Cost: one prediction of all rows, and one count for each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright._numbers import is_whole
from treewright.audit._decisions import decisions_of
from treewright.audit._groups import group_rows
from treewright.audit._result import GroupAudit, GroupRates, Rate
from treewright.errors import InputError
from treewright.table import ColumnNote, Settings, names_of_frame, read_settings
from treewright.tree import wilson_interval

__all__ = ["audit_groups"]


def audit_groups(
    model: Any,
    X: Any,
    y: ArrayLike,
    groups: Mapping[str, ArrayLike] | Sequence[str] | str,
    *,
    cuts: Mapping[str, Sequence[float]] | None = None,
    positive: Any = None,
    confidence: float = 0.95,
    fewest_rows: int = 30,
    settings: Settings | str | Path | None = None,
) -> GroupAudit:
    """Count, for each group of the given rows, how a classifier decides and how often it is wrong.

    Parameters
    ----------
    model : fitted classifier, result or Tree
        A model of treewright, or any classifier with `predict` and `classes_`.
    X : array-like or frame of shape (n_rows, n_columns), or Table
        Preferably rows that the model has not seen: on its training rows, error rates are too low.
    y : array-like of shape (n_rows,)
        Their labels.
    groups : mapping from name to array-like of shape (n_rows,), or str, or sequence of str
        The group of each row, such as ``{"sex": sex}``; the model need not use it. A name alone is a column of the
        frame `X`. Rows without a value are the group "unknown".
    cuts : mapping of str to sequence of float, default=None
        For each name, the numbers at which a numeric column is cut into ranges: ``{"age": [25, 45]}``. Without cuts
        each distinct number is a group.
    positive : label, default=None
        Label of a positive decision. None is the second of two classes, in the order of ``classes_``; with more
        classes, rates of positives are left out.
    confidence : float, default=0.95
        Level of the Wilson intervals.
    fewest_rows : int, default=30
        A share of fewer rows than these is marked.
    settings : Settings or path of a columns.yaml, default=None
        Names of columns, codes and labels that are shown to readers instead of those of the file.

    Returns
    -------
    GroupAudit

    Raises
    ------
    InputError
        Labels or groups have another length than the rows, a label is missing, the model knows none of the labels (a
        single unknown one counts as wrong), the positive label is not one of its classes, a column has more than 40
        groups, cuts belong to no group, or the model has no classes.

    Notes
    -----
    Every row counts as one, whatever its weight in the fit. Intervals are for one share at a time: among many groups
    some will differ by chance. An audit says how the tree decides about these rows, not why, and not whether that is
    fair.

    References
    ----------
    E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference. JASA 22.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import OptimalTreeClassifier, audit_groups
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier(max_depth=1).fit(X, y)
    >>> audit = audit_groups(model, X, y, "mean smoothness", cuts={"mean smoothness": [0.1]})
    >>> for group in audit.groups["mean smoothness"]:
    ...     print(group.name, group.rows, group.error.count)
    up to 0.1 353 21
    above 0.1 216 23
    """
    check_arguments(audit_groups, locals(), "groups", "cuts", "settings")
    known = (
        settings if isinstance(settings, Settings) else read_settings(settings) if settings else Settings()
    )
    wilson_interval(0, 0, confidence)  # refuses what is no level
    if not is_whole(fewest_rows) or fewest_rows < 0:
        raise InputError(f"fewest_rows={fewest_rows!r}; give a number of rows, at least 0.")
    decided, labels, classes = decisions_of(model, X, y)
    target = _positive(positive, classes)
    columns = _columns(groups, X)
    for name in cuts or {}:
        if name not in columns:
            raise InputError(
                f"cuts has {name!r}, which is none of the groups: {', '.join(columns) or 'there are none'}."
            )

    def count(name: str, here: NDArray[np.bool_]) -> GroupRates:
        own, truth = decided[here], labels[here]
        rows = len(own)
        error = Rate(int((own != truth).sum()), rows, confidence)
        if target is None:
            return GroupRates(name, rows, error)
        said, is_one = own == target, truth == target
        return GroupRates(
            name,
            rows,
            error,
            Rate(int(said.sum()), rows, confidence),
            Rate(int((said & ~is_one).sum()), int((~is_one).sum()), confidence),
            Rate(int((~said & is_one).sum()), int(is_one.sum()), confidence),
        )

    found: dict[str, tuple[GroupRates, ...]] = {}
    for name, values in columns.items():
        note = known.notes.get(name, ColumnNote())
        codes = {float(code): word for code, word in note.codes.items()}
        grouping = group_rows(name, values, (cuts or {}).get(name), codes)
        if len(grouping.group) != len(labels):
            raise InputError(
                f"The groups of {name!r} are {len(grouping.group):,} values for {len(labels):,} rows; give one each."
            )
        title = note.name or name
        found[title if title not in found else f"{title} [{name}]"] = tuple(
            count(part, grouping.group == k) for k, part in enumerate(grouping.names)
        )
    said = None if target is None else str(classes[target])
    return GroupAudit(
        count("all rows", np.ones(len(labels), dtype=np.bool_)),
        found,
        None if said is None else known.label_names.get(said, said),
        confidence,
        int(fewest_rows),
    )


def _positive(positive: Any, classes: list[Any]) -> int | None:
    """Return the position of the positive class; None if there is none."""
    if positive is None:
        return 1 if len(classes) == 2 else None
    for same in (lambda label: label == positive, lambda label: str(label) == str(positive)):
        for k, label in enumerate(classes):
            if same(label):
                return k
    raise InputError(
        f"positive={positive!r}; the model decides among {', '.join(map(repr, map(str, classes[:10])))}."
    )


def _columns(groups: Mapping[str, ArrayLike] | Sequence[str] | str, X: Any) -> dict[str, ArrayLike]:
    """Return the groups by name; names alone are columns of the frame."""
    if isinstance(groups, Mapping):
        return {str(name): values for name, values in groups.items()}
    names = [groups] if isinstance(groups, str) else list(groups)
    known = names_of_frame(X)
    if not all(isinstance(name, str) and name in known for name in names):
        raise InputError(
            f"groups={groups!r}; give columns of the frame X, or a mapping from a name to one value a row, such as "
            '{"sex": sex}.'
        )
    return {name: X[name] for name in names}
