"""The F1 of a tree on rows, for trees that were made for the largest one."""

from __future__ import annotations

from treewright.show._report._cells import share_words
from treewright.show._report._counts import Count, confusion
from treewright.show._report._estimates import Estimate, interval_words, numbers_of
from treewright.show._report._rows import Rows
from treewright.tree import Tree

__all__ = ["f1_card_words", "f1_of"]

POSITIVE = 1  # the second class, as in scikit-learn


def f1_of(tree: Tree, rows: Rows) -> tuple[Estimate, Count, Count]:
    """Return F1 of the second class, its precision and its recall; every row counts as one.

    F1 is ``2 s / (1 + s)`` for the share s of true positives among the rows that are positive, or predicted so. This
    grows with s, so that the ends of the Wilson interval of s become those of F1.
    """
    counts = confusion(tree, rows)
    hits = int(counts[POSITIVE, POSITIVE])
    precision = Count(hits, int(counts[:, POSITIVE].sum()))
    recall = Count(hits, int(counts[POSITIVE].sum()))
    either = Count(hits, precision.rows + recall.rows - hits)
    if not either.rows:
        nothing = float("nan")
        return (
            Estimate(nothing, nothing, nothing, 0, reason="no positive row, true or predicted"),
            precision,
            recall,
        )
    value, low, high = (2 * share / (1 + share) for share in (either.share, *either.interval))
    return Estimate(value, low, high, either.rows), precision, recall


def f1_card_words(tree: Tree, rows: Rows, *, with_interval: bool) -> tuple[str, str]:
    """Return F1 in words, and what stands below it; the interval is only of rows that the tree has not seen."""
    f1, precision, recall = f1_of(tree, rows)
    parts = [
        f"{name} {share_words(count)} ({count.right:,} of {count.rows:,})"
        for name, count in (("precision", precision), ("recall", recall))
    ]
    if with_interval or not f1.has_interval:
        parts.insert(0, interval_words(f1))
    return numbers_of(f1)[0], "; ".join(parts)
