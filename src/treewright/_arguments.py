"""What a public function was given, held against its own type hints: the message names the parameter and what to give.

The hints are those that the type checker reads, so they cannot fall behind. What a hint leaves open (``Any``, arrays,
an alias) is not looked at here, and what a function checks in words of its own, such as a range, is its own business.
Costs some microseconds a call, so the functions that a person calls have it, not the steps of a search.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import date, time, timedelta
from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._numbers import is_real, is_whole
from treewright._plural import list_of
from treewright.errors import InputError, InputTypeError

__all__ = ["check_arguments", "checked_kinds", "numbers_of", "refuse_dates", "refuse_lossy"]

DATES = (date, time, timedelta, np.datetime64, np.timedelta64)
LARGEST = 2**63 - 1  # of the whole numbers that the compiled core takes
LONGEST = 60  # letters of a value that are repeated in a message
LISTS = ("Sequence[", "Iterable[", "Collection[", "tuple[", "list[")
FUNCTIONS = ("Callable[", "ProgressCallback")
CLASSES = frozenset((
    "Axes", "BinaryOptions", "Domain", "Ensemble", "F1Problem", "GapFrontier", "Limits", "Model", "NearOptimalTrees",
    "NumberEnsemble", "Problem", "RankedOptions", "Reading", "RocFrontier", "Settings", "SolveResult", "SplitMatrix",
    "SurvivalCurve", "Table", "Terms", "Tree", "VerificationReport",
))  # fmt: skip


def check_arguments(function: Callable[..., Any], given: Mapping[str, Any], *names: str) -> None:
    """Refuse arguments of another kind than a function's type hints say; its first line, with ``locals()``.

    Parameters
    ----------
    function : callable
    given : mapping of str to object
    *names : str
        The parameters to look at: those that the function does not check in words of its own.

    Raises
    ------
    InputTypeError
        An argument is of another kind.
    InputError
        A number is NaN, or a whole number has more than 63 bits.
    """
    hints = checked_kinds(function)
    for name in names:
        value, kinds = given[name], hints[name]
        if not any(_fits(value, kind, name) for kind in kinds):
            wanted = _listed([_in_words(kind) for kind in kinds])
            raise InputTypeError(f"{_came(name, value)}; give {wanted}.")
        if isinstance(value, float) and value != value and "float" in kinds:
            raise InputError(f"{name}=nan; give a number.")
        if isinstance(value, Integral) and abs(int(value)) > LARGEST:
            raise InputError(f"{name}={value}; give a number below 2**63.")


def numbers_of(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return an array of float64 from what a caller gave as numbers.

    Parameters
    ----------
    name : str
        Of the parameter, for the message.
    values : array-like

    Raises
    ------
    InputTypeError
        There is something else in it.
    InputError
        There are dates, durations, masked values or complex numbers in it.
    """
    refuse_dates(name, values)
    refuse_lossy(name, values)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError(f"{_came(name, values)}; give an array of numbers.") from None


def refuse_dates(name: str, values: Any) -> None:
    """Refuse dates and durations: float64 reads them as counts of a unit that nobody named, and NaT as -9.2e18.

    Parameters
    ----------
    name : str
        Of the parameter, for the message.
    values : array-like or frame

    Raises
    ------
    InputError
    """
    kinds = list(values.dtypes) if hasattr(values, "columns") and hasattr(values, "dtypes") else []
    try:
        array = np.asarray(values if not kinds else ())
    except (TypeError, ValueError):  # rows of several lengths: who reads them as numbers says so
        return
    written = array.dtype.kind == "O" and any(isinstance(value, DATES) for value in array.flat)
    if written or any(map(_is_date, [array.dtype, *kinds])):
        raise InputError(
            f"{name} holds dates or durations; give numbers, for example days: .dt.total_seconds() / 86400 of a column "
            "of durations, and a date less the first one is a duration."
        )


def refuse_lossy(name: str, values: Any) -> None:
    """Refuse masked values, which numpy would read as if they were known, and complex numbers, which lose a part.

    Parameters
    ----------
    name : str
        Of the parameter, for the message.
    values : array-like or frame

    Raises
    ------
    InputError
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(
            f"{name} is a masked array, and its masked values would be read as if they were known. Leave these rows "
            "out, or fill them (.filled(...))."
        )
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if kind == "c" or (isinstance(values, (list, tuple)) and _holds_complex(values)):
        raise InputError(f"Complex data not supported: {name} holds complex numbers; give real ones.")


def _holds_complex(values: Iterable[Any]) -> bool:
    return any(isinstance(value, complex | np.complexfloating) for value in values)


def _is_date(kind: Any) -> bool:
    """Whether a dtype of numpy, pandas or polars is one of dates or durations."""
    return getattr(kind, "kind", None) in ("M", "m") or bool(getattr(kind, "is_temporal", bool)())


@cache
def checked_kinds(function: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    """Return the parameters whose hints can be looked at, each with its alternatives.

    Parameters
    ----------
    function : callable
    """
    hints = function.__annotations__
    split = {name: _alternatives(hint) for name, hint in hints.items() if name != "return"}
    return {name: kinds for name, kinds in split.items() if all(map(_is_known, kinds))}


def _alternatives(hint: str) -> tuple[str, ...]:
    """Split a hint at the bars that stand outside brackets."""
    parts, depth = [""], 0
    for letter in hint:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip() for part in parts)


def _is_known(kind: str) -> bool:
    plain = kind in ("None", "bool", "int", "float", "str", "Path") or kind in CLASSES
    return plain or kind.startswith((*LISTS, "Mapping[", *FUNCTIONS))


def _fits(value: Any, kind: str, name: str) -> bool:
    if kind == "None":
        return value is None
    if kind == "bool":
        return isinstance(value, (bool, np.bool_))
    if kind == "int":  # 4e9 bytes are as good as 4_000_000_000
        whole = isinstance(value, float) and name.endswith("_limit") and value.is_integer()
        return whole or (is_whole(value))
    if kind == "float":
        return is_real(value)
    if kind == "str":
        return isinstance(value, str)
    if kind == "Path":
        return isinstance(value, (str, os.PathLike))
    if kind.startswith(LISTS):
        return isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    if kind.startswith("Mapping["):
        return isinstance(value, Mapping)
    if kind.startswith(FUNCTIONS):
        return callable(value)
    return any(base.__name__ == kind for base in type(value).__mro__)


def _in_words(kind: str) -> str:
    words = {
        "None": "None", "bool": "True or False", "int": "a whole number", "float": "a number", "str": "text",
        "Path": "a path",
    }  # fmt: skip
    if kind in words:
        return words[kind]
    if kind in CLASSES:
        return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"
    if kind.startswith("Mapping["):
        return "a dictionary"
    if kind.startswith(FUNCTIONS):
        return "a function"
    return "a list of names" if "str" in kind else "a list of positions" if "int" in kind else "a list"


def _came(name: str, value: Any) -> str:
    """Say what came: the value where it is short, else its type."""
    if isinstance(value, (str, Real, list, tuple, dict)) or value is None:
        said = repr(value)
        if len(said) <= LONGEST:
            return f"{name}={said}"
    kind = type(value).__name__
    return f"{name} is {'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"


def _listed(words: list[str]) -> str:
    distinct = list(dict.fromkeys(words))
    if {"a list of names", "a list of positions"} <= set(distinct):
        distinct = ["a list of names or positions", *(word for word in distinct if "list of" not in word)]
    return list_of(distinct, "or")
