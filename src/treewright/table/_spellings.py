"""Merge different spellings of a label, and store the replacements in the reading for later files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from treewright.table._alike import one_spelling
from treewright.table._csv import CsvTable, renamed

__all__ = ["rename_labels", "spellings"]


def spellings(labels: NDArray[Any]) -> dict[str, str]:
    """Return the replacement of each label that differs from a more frequent one only in its spelling.

    Spellings differ in capitals, blanks, hyphens or accents.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)

    Returns
    -------
    dict of str to str
        From a label to its most frequent spelling; empty for labels that are numbers.

    Examples
    --------
    >>> import numpy as np
    >>> spellings(np.array(["Bad", "BAD", "good", "Bad"]))
    {'BAD': 'Bad'}
    """
    if labels.dtype.kind in "biuf":
        return {}
    return one_spelling(label for label, _ in Counter(map(str, labels.tolist())).most_common())


def rename_labels(csv: CsvTable, names: Mapping[str, str]) -> CsvTable:
    r"""Return a table whose labels are renamed, and whose reading renames them in later files.

    Parameters
    ----------
    csv : CsvTable
    names : mapping of str to str
        From a label to the name that replaces it.

    Returns
    -------
    CsvTable

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.table import load_csv, rename_labels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.csv"
    ...     _ = path.write_text("age,ill\n20,no\n30,Yes\n40,yes\n")
    ...     csv = rename_labels(load_csv(path, target="ill"), {"Yes": "yes"})
    >>> csv.target.tolist()
    ['no', 'yes', 'yes']
    """
    if csv.target is None or not names:
        return csv
    reading = replace(csv.reading, labels={**csv.reading.labels, **names})
    return replace(csv, target=renamed(csv.target, names), reading=reading)
