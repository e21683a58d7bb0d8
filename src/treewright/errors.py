"""Exceptions and warnings of treewright. Messages say what came, what is accepted, what to do next."""

__all__ = [
    "InputError",
    "InputTypeError",
    "MissingDependencyError",
    "ModelFileError",
    "NoGainWarning",
    "PoorGuessWarning",
    "QuantityTargetWarning",
    "RefutedProofWarning",
    "SolverError",
    "TreewrightError",
]


class TreewrightError(Exception):
    """Base class of all errors that treewright raises by itself."""


class InputError(TreewrightError, ValueError):
    """A table, a label, a weight or a parameter is not what the method can use."""


class InputTypeError(InputError, TypeError):
    """A cell or an argument is of a Python type that no column can hold (a dictionary, a list, bytes)."""


class OverlapWarning(UserWarning):
    """Some rows had an action that rows like them hardly ever have, so its reward is little more than a guess."""


class NoGainWarning(UserWarning):
    """A hybrid tree is not better than one of its parts alone."""


class PoorGuessWarning(UserWarning):
    """The reference model that a guess relies on is too poor for it."""


class QuantityTargetWarning(UserWarning):
    """A classifier was given a target of many numbers, hardly any of them twice: most likely a quantity."""


class RefutedProofWarning(UserWarning):
    """A search claimed a proof that its own tree refutes: a defect of treewright. The result claims no proof."""


class ModelFileError(TreewrightError, ValueError):
    """A model file is damaged, hostile, or of a schema version that this release does not know."""


class MissingDependencyError(TreewrightError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""


class SolverError(TreewrightError, RuntimeError):
    """A method could not produce any tree (for example no tree meets all constraints)."""
