"""Real data that come with scikit-learn, as tables with readable labels."""

from __future__ import annotations

import numpy as np

from treewright.datasets._dataset import Dataset
from treewright.table import table_from

__all__ = ["breast_cancer", "digits", "iris", "wine"]

_WITH = "Comes with scikit-learn; "


def breast_cancer() -> Dataset:
    """Return 569 breast masses, 30 measurements each; malignant or benign.

    Examples
    --------
    >>> from treewright.datasets import breast_cancer
    >>> breast_cancer().table.n_rows
    569
    """
    return _load(
        "breast_cancer",
        "Measurements of cell nuclei in 569 breast masses; the label says whether the mass is malignant.",
        _WITH + "UCI Breast Cancer Wisconsin (Diagnostic), Wolberg, Mangasarian, Street and Street (1993).",
    )


def wine() -> Dataset:
    """Return 178 wines, 13 measurements each; three cultivars.

    Examples
    --------
    >>> from treewright.datasets import wine
    >>> wine().table.n_rows
    178
    """
    return _load(
        "wine",
        "Chemical analysis of 178 wines from one region; the label is the cultivar.",
        _WITH + "UCI Wine, Aeberhard and Forina (1992).",
    )


def iris() -> Dataset:
    """Return 150 iris flowers, 4 measurements each; three species.

    Examples
    --------
    >>> from treewright.datasets import iris
    >>> iris().table.n_rows
    150
    """
    return _load(
        "iris",
        "Lengths and widths in cm of sepals and petals of 150 flowers; the label is the species.",
        _WITH + "Fisher (1936).",
    )


def digits() -> Dataset:
    """Return 1797 images of handwritten digits, 64 grey values from 0 to 16 each; ten digits.

    Examples
    --------
    >>> from treewright.datasets import digits
    >>> digits().table.n_rows
    1797
    """
    return _load(
        "digits",
        "Handwritten digits as images of 8 x 8 grey values from 0 to 16; the label is the digit.",
        _WITH + "UCI Optical Recognition of Handwritten Digits (test set), Alpaydin and Kaynak (1998).",
    )


def _load(name: str, description: str, source: str) -> Dataset:
    from sklearn import datasets  # here: importing it costs more than the rest of this package

    bunch = getattr(datasets, f"load_{name}")()
    y = np.array([str(label) for label in bunch.target_names])[bunch.target]
    table = table_from(bunch.data, feature_names=[str(feature) for feature in bunch.feature_names])
    return Dataset(name, table, y, description, source)
