"""The first checks of trees that are near a model's predictions, on rows or everywhere: form, columns, question."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from treewright.errors import InputError
from treewright.result import BornAgainResult
from treewright.verify._report import Check
from treewright.verify._structure import fault_of_splits, fault_of_structure
from treewright.verify._words import fault_of_fields

__all__ = ["check", "checks_of_form", "refuse_other_questions"]

Asked = Mapping[str, float | int | None]


def check(name: str, fault: str, expected: str, message: str) -> Check:
    """Return a check that failed if `fault` is not empty."""
    return Check(name, not fault, expected, fault or "as claimed", message if fault else "")


def refuse_other_questions(asked: Asked | None, question: tuple[str, ...]) -> None:
    """Raise InputError if `asked` does not have exactly the keys of the question."""
    if asked is not None and set(asked) != set(question):
        raise InputError(f"asked has {', '.join(asked)}; give {', '.join(question)}.")


def checks_of_form(
    result: BornAgainResult,
    own_fault: Callable[[BornAgainResult], str],
    fault_of_columns: Callable[[], str],
    question: tuple[str, ...],
    asked: Asked | None,
) -> list[Check]:
    """Check the structure, the fields, the columns and the question, in this order up to the first that fails.

    Parameters
    ----------
    result : BornAgainResult
    own_fault : callable
        Returns the fault of the fields of this kind of result; "" if there is none.
    fault_of_columns : callable
        Returns the fault of the tree's columns; "" if there is none.
    question : tuple of str
        Names of the options that make up the question.
    asked : mapping or None
        The question, if it is known independently of the result.
    """
    tree = result.tree
    fault = fault_of_structure(tree) or fault_of_splits(tree)
    checks = [
        check("structure", fault, "one tree, numbered depth-first", "The arrays of the tree are no tree.")
    ]
    hint = "The sentence of the certificate depends on it."
    fault = fault_of_fields(result) or own_fault(result)
    checks.append(check("fields of the certificate", fault, "all that its sentence needs", hint))
    if all(one.ok for one in checks):
        expected = f"{len(tree.columns)} columns"
        checks.append(check("columns", fault_of_columns(), expected, "The tree is of another table."))
    if asked is not None and all(one.ok for one in checks):
        differ = [name for name in question if result.options[name] != asked[name]]
        fault = ", ".join(f"{name} {asked[name]!s:.60}" for name in differ)
        said = ", ".join(f"{name} {result.options[name]!s:.60}" for name in differ or question)
        checks.append(check("question", fault, said, "The certificate answers another question."))
    return checks
