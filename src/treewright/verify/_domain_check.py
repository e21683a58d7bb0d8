"""Check that a certificate names the domain that its scope speaks of."""

from __future__ import annotations

from treewright.convert import Ensemble, NumberEnsemble
from treewright.result import BornAgainResult
from treewright.verify._report import Check

__all__ = ["domain_check"]


def domain_check(ensemble: Ensemble | NumberEnsemble, result: BornAgainResult) -> Check:
    """Check that notes and options describe the domain of the ensemble, or none if it has none."""
    named = [note for note in result.notes if note.startswith("The domain: ")]
    if ensemble.domain is None:
        return _equal(len(named) + ("domain" in result.options), 0)
    limits = ensemble.domain.words(ensemble.feature_names) or "no limits"
    if result.options.get("domain") != ensemble.domain.named(ensemble.feature_names):
        held = "other limits in the options" if "domain" in result.options else "no limits in the options"
        return _equal(held, limits)
    return _equal(" ".join(named), f"The domain: {limits}. Of rows outside it nothing is said.")


def _equal(claimed: str | int, found: str | int) -> Check:
    fault = "" if claimed == found else str(found)
    hint = "The certificate is of another tree or ensemble."
    return Check("domain", not fault, f"{claimed!s:.60}", fault or "as claimed", hint if fault else "")
