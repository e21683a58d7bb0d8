"""What an independent check leaves of a certificate: a page never calls proven what was refuted or not looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treewright.show._report._certificate import Certificate

if TYPE_CHECKING:
    from treewright.verify import VerificationReport

__all__ = ["as_checked", "failed_checks"]

QUESTION = "Has it been checked?"
RESTS = (
    "That no better tree exists is not among them: only the search proves that. To repeat the proof, make the tree "
    "again from the same rows and settings."
)
UNCHECKED = (
    "No. This is what the model file says of itself; treewright verify checks what can be checked of it."
)


def as_checked(
    certificate: Certificate,
    verification: VerificationReport | None,
    claim_checked: bool,
    *,
    of_file: bool = False,
) -> Certificate:
    """Return the certificate with what a check found of it.

    Parameters
    ----------
    certificate : Certificate
    verification : VerificationReport or None
        None if nothing was checked: then what a file says is a claim, and what a search has just found is not.
    claim_checked : bool
        Whether the certificate was part of the check, and not the tree alone.
    of_file : bool, default=False
        Whether the certificate comes from a model file, which anybody can have written.
    """
    if verification is None:
        return _as_claim(certificate, UNCHECKED) if of_file and certificate.mark != "none" else certificate
    held = sum(check.ok for check in verification.checks)
    counts = f"{held} of {len(verification.checks)} checks by independent code hold"
    found = f"{counts}, on the training rows of this report."
    if not verification.ok:
        found += f" These fail: {_names(verification)}."
    elif claim_checked and certificate.mark == "proven":
        found += f" {RESTS}"
    claims = certificate.mark != "none"
    if claims and not claim_checked:
        found = f"Only the tree itself was checked, not this certificate: {found}"
    if claims and not verification.ok:  # the other answers repeat the claims that do not hold
        return replace(
            certificate,
            badge="Not verified",
            mark="failed",
            sentence=f"Not verified. The model says of itself: {certificate.sentence}",
            answers=((QUESTION, found),),
        )
    if not claims or claim_checked:
        return replace(certificate, answers=(*certificate.answers, (QUESTION, found)))
    return _as_claim(certificate, found)


def _as_claim(certificate: Certificate, found: str) -> Certificate:
    """Return a certificate that nobody checked."""
    return replace(
        certificate,
        badge=_unchecked(certificate),
        mark="open",
        sentence=f"Not checked. The model says of itself: {certificate.sentence}",
        answers=((QUESTION, found), *certificate.answers),
    )


def failed_checks(verification: VerificationReport | None) -> list[str]:
    """Return a warning that names the checks that fail; none if all hold."""
    if verification is None or verification.ok:
        return []
    return [
        f"Not verified. What the model says of itself does not hold on the training rows of this report; these checks "
        f"fail: {_names(verification)}. {verification.failed[0].message}".rstrip()
    ]


def _names(verification: VerificationReport) -> str:
    return "; ".join(check.name for check in verification.failed)


def _unchecked(certificate: Certificate) -> str:
    if certificate.mark == "open":
        return f"{certificate.badge} (not checked)"
    if not certificate.badge.startswith("Proven "):
        return f"{certificate.badge.replace('proven ', '')} (claimed, not checked)"
    words = certificate.badge.removeprefix("Proven ")
    return f"Claimed {words[:1].lower()}{words[1:]}, not checked"
