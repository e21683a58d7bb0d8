"""What a reader of any faithful tree has to know of its ensemble and its domain."""

from __future__ import annotations

from treewright.convert import Ensemble, NumberEnsemble

__all__ = ["domain_notes", "ensemble_notes"]


def ensemble_notes(ensemble: Ensemble, *, with_rows: bool) -> tuple[str, ...]:
    """Return what a reader of any faithful tree has to know of its ensemble, and of the counts if there are any."""
    counts = "Counts and shares in the nodes are of the ensemble's own decisions, not of labels."
    n_trees = len(ensemble.trees)
    kind = "a single tree" if n_trees == 1 else f"a {ensemble.vote} vote of {n_trees:,} trees"
    return (
        f"The ensemble is {kind}, read from {ensemble.source}.",
        *([counts] if with_rows else []),
        *domain_notes(ensemble),
    )


def domain_notes(ensemble: Ensemble | NumberEnsemble) -> tuple[str, ...]:
    """Return what the domain is, if there is one; a certificate is worth nothing without it."""
    if ensemble.domain is None:
        return ()
    limits = ensemble.domain.words(ensemble.feature_names)
    return (f"The domain: {limits or 'no limits'}. Of rows outside it nothing is said.",)
