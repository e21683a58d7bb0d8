"""The parameter `domain` of born-again trees: the rows that their proofs are about."""

from __future__ import annotations

from typing import Any

from treewright.bornagain import Domain
from treewright.errors import InputError

__all__ = ["check_domain", "is_rows"]


def is_rows(domain: Any) -> bool:
    """Whether the domain is that of the training rows."""
    return isinstance(domain, str) and domain == "rows"


def check_domain(domain: Any) -> None:
    """Raise InputError if the parameter is no domain.

    Parameters
    ----------
    domain : Domain, "rows" or None
    """
    if not (domain is None or isinstance(domain, Domain) or is_rows(domain)):
        raise InputError(
            f'domain={domain!r:.60}; give "rows", a treewright.bornagain.Domain, or None for all rows.'
        )
