"""Labels that are written in several ways: a warning, for each way is a class of its own."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treewright.errors import LabelSpellingsWarning

__all__ = ["warn_of_spellings"]

SHOWN = 3


def warn_of_spellings(y: Any, stacklevel: int = 3) -> None:
    """Warn of labels that differ in capitals and blanks only; looks at each different label once.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    stacklevel : int, default=3
        As of `warnings.warn`, from here.
    """
    alike: dict[str, list[str]] = {}
    for label in sorted(_words(y)):
        alike.setdefault(" ".join(label.casefold().split()), []).append(label)
    groups = [group for group in alike.values() if len(group) > 1]
    if not groups:
        return
    shown = "; ".join(" = ".join(map(repr, group)) for group in groups[:SHOWN])
    more = "; ..." if len(groups) > SHOWN else ""
    one = len(groups) == 1
    warnings.warn(
        f"y has {sum(map(len, groups)):,} spellings of {len(groups):,} label{'' if one else 's'} ({shown}{more}), and "
        "each is a class of its own. If that is not meant, write each label in one way "
        "(treewright.table.look(X, y) says how).",
        LabelSpellingsWarning,
        stacklevel=stacklevel,
    )


def _words(y: Any) -> set[str]:
    """Return the different labels that are text; what is wrong with labels is left to those who encode them."""
    if y is None or np.ma.is_masked(y) or getattr(getattr(y, "dtype", None), "kind", "O") in "biufc":
        return set()
    try:
        labels: Any = y.unique() if callable(getattr(y, "unique", None)) else np.ravel(np.asarray(y))
        distinct = labels.tolist() if hasattr(labels, "tolist") else labels.to_list()
        return {label for label in distinct if isinstance(label, str)}
    except (AttributeError, TypeError, ValueError):
        return set()
