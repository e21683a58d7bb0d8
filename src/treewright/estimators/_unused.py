"""Parameters that do nothing beside the others: refused where they were set, so that nobody relies on them."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import Any

from treewright.errors import InputError

__all__ = ["refuse_unused"]


def refuse_unused(estimator: Any, names: Iterable[str], where: str) -> None:
    """Refuse parameters that only count `where` another one has some value, unless they have their defaults.

    Raises
    ------
    InputError
        One of them has another value.
    """
    defaults = signature(type(estimator)).parameters
    for name in names:
        value = getattr(estimator, name)
        if value is not defaults[name].default and value != defaults[name].default:
            raise InputError(f"{name}={value!r:.60} is for {where}; add that, or leave {name} out.")
