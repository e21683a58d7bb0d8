"""What must hold for a tree with a model in each leaf: who answers, and every figure that is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from attack.case import Case
from attack.checks import Mismatch
from attack.exact import Stated
from attack.probes import probe_rows
from attack.walker import Walker

__all__ = ["hybrid_answers"]

OF_THE_TREE = ("kept", "one class")  # treatments where the label of the leaf is the answer
NEAR = 1e-9


def hybrid_answers(case: Case) -> Iterator[Mismatch]:
    """Compare answers with a walk of the tree's file and the models of its leaves, and the report with a count."""
    from treewright.convert import to_json

    model = case.run()
    walker = Walker(to_json(model.tree_))
    stated = Stated(case)
    rows = probe_rows(case, walker)
    leaves = [walker.leaf_of(row) for row in rows]
    explained = [walker.label(leaf) for leaf in leaves]
    frame = case.frame(rows)
    said, shares = model.predict(frame).tolist(), model.predict_proba(frame)
    truth = [*case.y, *(case.y[i % case.n_rows] for i in range(len(rows) - case.n_rows))]
    report = model.report(frame, truth)
    told = {leaf: str(report.treatments[leaf]) for leaf in walker.leaves([])}
    words = f"treatments {told}, options {dict(case.options)}"
    if abs(shares.sum(axis=1) - 1).max() > NEAR or shares.min() < 0:
        yield Mismatch("probabilities do not sum to one", words)
    classes = model.classes_.tolist()
    if classes != stated.classes:
        yield Mismatch("other classes", f"{classes}; {words}")
    for i, leaf in enumerate(leaves):
        at_best = shares[i].max() - shares[i, classes.index(said[i])]
        if told[leaf] in OF_THE_TREE and said[i] != explained[i]:
            yield Mismatch("overruled where the tree answers", f"row {i}, leaf {leaf}: {said[i]!r}; {words}")
            return
        if at_best > NEAR and told[leaf] not in OF_THE_TREE:
            yield Mismatch("predict is not the most probable class", f"row {i}: {said[i]!r}; {words}")
            return
    yield from _pure_leaves_keep_the_tree(stated, walker, told, words)
    overruled = [a != b for a, b in zip(said, explained, strict=True)]
    counted = {
        "n_overruled": sum(overruled),
        "share_explained": 1 - sum(overruled) / len(rows),
        "top_accuracy": _share(explained, truth),
        "accuracy": _share(said, truth),
    }
    for name, value in counted.items():
        if abs(getattr(report, name) - value) > NEAR:
            yield Mismatch(
                f"another {name} in the report", f"{getattr(report, name)!r} not {value!r}; {words}"
            )
    if np.asarray(report.overruled).tolist() != overruled:
        yield Mismatch("other rows overruled in the report", words)
    for entry in report.leaves:
        here = [i for i, leaf in enumerate(leaves) if leaf == entry.leaf]
        right = [_share([labels[i] for i in here], [truth[i] for i in here]) for labels in (explained, said)]
        own: tuple[Any, ...] = (
            len(here),
            sum(overruled[i] for i in here),
            *(right if here else (None, None)),
        )
        if (entry.n_rows, entry.n_overruled, entry.top_accuracy, entry.accuracy) != own:
            yield Mismatch("another entry of a leaf in the report", f"{entry} not {own}; {words}")
    yield from _figures(model, words)


def _share(said: list[Any], truth: list[Any]) -> float:
    return sum(a == b for a, b in zip(said, truth, strict=True)) / len(said) if said else 0.0


def _pure_leaves_keep_the_tree(
    stated: Stated, walker: Walker, told: dict[int, str], words: str
) -> Iterator[Mismatch]:
    """A leaf that is right on all its training rows keeps the tree's answer, as does one without rows."""
    table = stated.case.rows
    groups = walker.leaves([table[i] for i in stated.kept])
    for leaf, rows in groups.items():
        labels = {stated.case.y[stated.kept[i]] for i in rows}
        if labels <= {walker.label(leaf)} and told[leaf] not in OF_THE_TREE:
            yield Mismatch("a model in a leaf that is right on all its rows", f"leaf {leaf}; {words}")


def _figures(model: Any, words: str) -> Iterator[Mismatch]:
    """Accuracies on held-out rows are shares; the trees that they are of are made for them and not kept."""
    figures = model.cv_accuracy_
    if figures is None:
        return
    for name, value in figures.items():
        if not 0 <= value <= 1 + NEAR:
            yield Mismatch("an accuracy that is no share", f"{name}: {value!r}; {words}")
    everywhere = all(own in OF_THE_TREE for own in map(str, _treatments(model)))
    if everywhere and abs(figures["hybrid"] - figures["tree"]) > NEAR:
        yield Mismatch("the tree answers everywhere, and two figures differ", f"{figures}; {words}")


def _treatments(model: Any) -> list[Any]:
    return [extension.treatment for extension in model.extensions_.values()]
