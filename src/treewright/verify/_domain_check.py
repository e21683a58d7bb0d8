"""Check what a certificate says of its ensemble: single claims, and the domain that its scope speaks of."""

from __future__ import annotations

from typing import Any

from treewright.convert import Ensemble, NumberEnsemble
from treewright.result import BornAgainResult
from treewright.verify._report import Check

__all__ = ["domain_check", "same_as_claimed"]


def domain_check(ensemble: Ensemble | NumberEnsemble, result: BornAgainResult) -> Check:
    """Check that notes and options describe the domain of the ensemble, or none if it has none."""
    named = [note for note in result.notes if note.startswith("The domain: ")]
    if ensemble.domain is None:
        return same_as_claimed("domain", len(named) + ("domain" in result.options), 0)
    limits = ensemble.domain.words(ensemble.feature_names) or "no limits"
    if result.options.get("domain") != ensemble.domain.named(ensemble.feature_names):
        held = "other limits in the options" if "domain" in result.options else "no limits in the options"
        return same_as_claimed("domain", held, limits)
    return same_as_claimed(
        "domain", " ".join(named), f"The domain: {limits}. Of rows outside it nothing is said."
    )


def same_as_claimed(name: str, claimed: Any, found: Any) -> Check:
    """Check that a claim is what was found of the tree or of its ensemble."""
    fault = "" if claimed == found else str(found)
    hint = "The certificate is of another tree or ensemble."
    return Check(name, not fault, f"{claimed!s:.60}", fault or "as claimed", hint if fault else "")
