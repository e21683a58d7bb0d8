"""The findings of the checker, as data and as a table to read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Check", "VerificationReport"]

NOT_CHECKED = (
    "Not checked: that no better tree exists. The bounds were proven by the method, over the scope that it names; here "
    "they are only held against every tree that can be cut out of this one."
)


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, and the value found for it.

    Parameters
    ----------
    name : str
        The property that was checked.
    ok : bool
        Whether the claim holds.
    expected : str
        The value that the tree or the result claims, or that the constraint requires.
    found : str
        The value that was recomputed.
    message : str
        What a failure means and what to do; empty if the claim holds.

    Examples
    --------
    >>> from treewright.verify import Check
    >>> Check("leaves", False, "2", "3").ok
    False
    """

    name: str
    ok: bool
    expected: str
    found: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """All checks of a tree or a result; ``str(report)`` is a table of them.

    Parameters
    ----------
    checks : tuple of Check
    claims_bound : bool, default=False
        Whether a lower bound was among the claims.
    unchecked : tuple of str, default=()
        Sentences about what else was not checked.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve
    >>> from treewright.table import table_from
    >>> from treewright.verify import verify
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1])
    >>> report = verify(problem, solve(problem))
    >>> report.ok, all(check.ok for check in report.checks)
    (True, True)
    """

    checks: tuple[Check, ...]
    claims_bound: bool = False
    unchecked: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every claim holds."""
        return all(check.ok for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The claims that do not hold."""
        return tuple(check for check in self.checks if not check.ok)

    def __str__(self) -> str:
        header = ("", "check", "claimed", "found")
        rows = [header] + [
            ("ok" if check.ok else "FAIL", check.name, check.expected, check.found) for check in self.checks
        ]
        width = [max(len(row[k]) for row in rows) for k in range(4)]
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(row, width, strict=True)).rstrip() for row in rows
        ]
        lines.insert(1, "  ".join("-" * w for w in width))
        lines += [f"{check.name}: {check.message}" for check in self.failed]
        held = sum(check.ok for check in self.checks)
        verdict = "Verified" if self.ok else "NOT verified"
        lines.append(f"{verdict}: {held} of {len(self.checks)} checks hold.")
        if self.claims_bound:
            lines.append(NOT_CHECKED)
        lines += self.unchecked
        return "\n".join(lines)
