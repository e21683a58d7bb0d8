"""The data sets of Nemecek et al. (2023) as far as their sources are at hand.

The paper takes the tables of Grinsztajn et al. (2022). These are rebuilt here from the raw sources by the rules
of that benchmark that can be told from its row and feature counts: rows with missing values go, the target is
made binary (its two most frequent classes, or above and not above the median or mean), and the classes are
balanced by drawing rows of the larger one. Which rows it drew is not known, so no figure can be equal row for
row. Words become one 0/1 column each; PayStatus words of the credit data are numbered in their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from benchmarks._leaf_accuracy_elsewhere import ELSEWHERE

__all__ = ["RAW", "SETS", "Rows", "balanced", "load", "split"]

MOST_TRAINING_ROWS = 10_000  # Appendix A.1
RAW = "diabetes (47 columns)"  # the same rows with every column of the file, categories as such; not in the paper


@dataclass(frozen=True)
class Rows:
    """Numbers, or typed columns, and labels 0/1.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), float64, or DataFrame
    y : ndarray of shape (n_rows,), int64
    """

    X: NDArray[np.float64] | pl.DataFrame
    y: NDArray[np.int64]

    def digest(self) -> str:
        """Return what tells these rows from others."""
        cells = self.X.tobytes() if isinstance(self.X, np.ndarray) else self.X.write_csv().encode()
        return hashlib.sha256(cells + self.y.tobytes()).hexdigest()[:16]


def load(name: str, folder: Path) -> Rows:
    """Read a data set; balanced, in a fixed order.

    Parameters
    ----------
    name : str
        A key of `SETS` or `ELSEWHERE`, or `RAW`.
    folder : Path
        The folder `data` of the reference files.
    """
    X, y = _diabetes_raw(folder) if name == RAW else (SETS | ELSEWHERE)[name](folder)
    return balanced(X, y)


def balanced(X: NDArray[np.float64] | pl.DataFrame, y: NDArray[np.int64], seed: int = 0) -> Rows:
    """Draw as many rows of the larger class as the smaller one has; the order of the rows stays."""
    rng = np.random.default_rng(seed)
    counts = np.bincount(y, minlength=2)
    kept = [rng.choice(np.flatnonzero(y == k), counts.min(), replace=False) for k in (0, 1)]
    rows = np.sort(np.concatenate(kept))
    return Rows(X[rows], y[rows])


def split(rows: Rows, seed: int, most: int = MOST_TRAINING_ROWS) -> tuple[Rows, Rows]:
    """Return training and test rows as in Appendix A.1: 80%, of these the first 10,000.

    Words of the test rows that no training row has become missing values.
    """
    X, X_test, y, y_test = train_test_split(rows.X, rows.y, test_size=0.2, random_state=seed)
    X, y = X[:most], y[:most]
    if isinstance(X, pl.DataFrame):
        words = [name for name, kind in X.schema.items() if kind == pl.String]
        known = (pl.when(pl.col(name).is_in(X[name].unique().implode())).then(pl.col(name)) for name in words)
        X_test = X_test.with_columns(*(column.alias(name) for name, column in zip(words, known, strict=True)))
    return Rows(X, y), Rows(X_test, y_test)


Pair = tuple[NDArray[np.float64], NDArray[np.int64]]


def _read(path: Path, separator: str = ",") -> pl.DataFrame:
    return pl.read_csv(path, separator=separator, infer_schema_length=None, null_values=["?"])


def _numbers(frame: pl.DataFrame) -> NDArray[np.float64]:
    return frame.cast(pl.Float64).to_numpy()


def _compas(folder: Path) -> Pair:
    """The rows of ProPublica's analysis, two largest groups: 5278, of which 2483 re-offended."""
    frame = _read(folder / "leaf_accuracy" / "compas-scores-two-years.csv.gz").filter(
        pl.col("days_b_screening_arrest").is_between(-30, 30)
        & (pl.col("is_recid") != -1)
        & (pl.col("c_charge_degree") != "O")
        & (pl.col("score_text") != "N/A")
        & pl.col("race").is_in(["African-American", "Caucasian"])
    )
    X = frame.select(
        pl.col("sex") == "Male",
        "age",
        "juv_fel_count",
        "juv_misd_count",
        "juv_other_count",
        "priors_count",
        (pl.col("age_cat") == "25 - 45").alias("25-45"),
        (pl.col("age_cat") == "Greater than 45").alias(">45"),
        (pl.col("age_cat") == "Less than 25").alias("<25"),
        pl.col("race") == "African-American",
        pl.col("c_charge_degree") == "F",
    )
    return _numbers(X), frame["two_year_recid"].to_numpy().astype(np.int64)


def _credit(folder: Path) -> Pair:
    frame = _read(folder / "leaf_accuracy" / "default-of-credit-card-clients.csv.gz")
    order = ["Unk", "Clear", "Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"]
    words = {word: float(k) for k, word in enumerate(order)}
    status = [name for name in frame.columns if name.startswith("PayStatus")]
    X = frame.drop("DefaultNextMonth").with_columns(
        *(pl.col(name).replace_strict(words, return_dtype=pl.Float64) for name in status),
        pl.col("Sex") == "M",
    )
    X = X.to_dummies(["Education", "MaritalStatus"])
    return _numbers(X), frame["DefaultNextMonth"].to_numpy().astype(np.int64)


def _electricity(folder: Path) -> Pair:
    frame = _read(folder / "leaf_accuracy" / "electricity.csv.gz")
    return _numbers(frame.drop("Class")), (frame["Class"] == "yes").to_numpy().astype(np.int64)


def _eye(folder: Path) -> Pair:
    """The two most frequent classes, without the columns that number lines, assignments, titles and words."""
    frame = _read(folder / "leaf_accuracy" / "eye_movements.csv.gz").filter(pl.col("label") < 2)
    X = frame.drop("label", "lineNo", "assgNo", "titleNo", "wordNo")
    return _numbers(X), frame["label"].to_numpy().astype(np.int64)


def _bank(folder: Path) -> Pair:
    frame = _read(folder / "leaf_accuracy" / "bank-marketing.csv.gz", ";")
    X = frame.select("age", "balance", "day", "duration", "campaign", "pdays", "previous")
    return _numbers(X), (frame["y"] == "yes").to_numpy().astype(np.int64)


def _california(folder: Path) -> Pair:
    frame = _read(folder / "leaf_accuracy" / "california.csv.gz")
    value = frame["medianHouseValue"].to_numpy()
    return _numbers(frame.drop("medianHouseValue")), (value > np.median(value)).astype(np.int64)


def _diabetes_raw(folder: Path) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Readmitted after more than 30 days, or not at all; all columns but the numbers of patient and encounter."""
    frame = _read(folder / "leaf_accuracy" / "Diabetes130US.csv.gz").filter(pl.col("readmitted") != "<30")
    X = frame.drop("encounter_id", "patient_nbr", "readmitted")
    return X, (frame["readmitted"] == ">30").to_numpy().astype(np.int64)


def _diabetes(folder: Path) -> Pair:
    """Those of all columns that are numbers of ten values or more, as in the paper's table."""
    frame, y = _diabetes_raw(folder)
    X = frame.select(
        "time_in_hospital",
        "num_lab_procedures",
        "num_medications",
        "number_outpatient",
        "number_emergency",
        "number_inpatient",
        "number_diagnoses",
    )
    return _numbers(X), y


def _heloc(folder: Path) -> Pair:
    frame = _read(folder / "gosdt_guesses" / "fico.csv.gz")
    return _numbers(frame.drop("PoorRiskPerformance")), frame["PoorRiskPerformance"].to_numpy().astype(
        np.int64
    )


def _magic(folder: Path) -> Pair:
    frame = _read(folder / "continuous" / "magic.csv.gz")
    return _numbers(frame.drop("label")), frame["label"].to_numpy().astype(np.int64)


def _pol(folder: Path) -> Pair:
    """Above the mean, as the binary version of the table has it; constant columns go."""
    frame = _read(folder / "leaf_accuracy" / "pol.csv.gz")
    value = frame["foo"].to_numpy()
    X = _numbers(frame.drop("foo"))
    return X[:, X.min(axis=0) < X.max(axis=0)], (value > value.mean()).astype(np.int64)


SETS: dict[str, Callable[[Path], Pair]] = {
    "compas": _compas,
    "credit": _credit,
    "electricity": _electricity,
    "eye": _eye,
    "bank": _bank,
    "california": _california,
    "diabetes": _diabetes,
    "heloc": _heloc,
    "magic": _magic,
    "pol": _pol,
}
