"""What the switches of every engine have in common: checks, the way to the compiled core, what a result reports."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from treewright._native import core
from treewright.errors import InputError

__all__ = ["Switches"]


@dataclass(frozen=True)
class Switches:
    """Fields are the switches of one engine; its counterpart in the compiled core has the same name.

    Attributes
    ----------
    SETTINGS : tuple of str
        Fields that Python acts on, unknown to the core.
    CHOICES : dict
        What fields of a few values may be; those that the core knows are members of its ``PairKernel``.
    """

    SETTINGS: ClassVar[tuple[str, ...]] = ()
    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {}

    def __post_init__(self) -> None:
        for name, choices in self.CHOICES.items():
            if getattr(self, name) not in choices:
                raise InputError(f"{name}={getattr(self, name)!r}; choose one of {', '.join(choices)}.")

    def native(self) -> Any:
        """Return the switches as the compiled core takes them."""
        options = getattr(core, type(self).__name__)()
        for field in fields(self):
            if field.name in self.SETTINGS:
                continue
            value = getattr(self, field.name)
            setattr(
                options, field.name, core.PairKernel[value.upper()] if field.name in self.CHOICES else value
            )
        return options

    def used(self, names: tuple[str, ...] | None = None) -> dict[str, Any]:
        """Return the switches that a search used: those named, or all but the choice of the engine.

        Parameters
        ----------
        names : tuple of str, optional
            Default: all but the choice of the engine.

        Returns
        -------
        dict of str to bool, int or str
        """
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name != "engine" and (names is None or field.name in names)
        }
