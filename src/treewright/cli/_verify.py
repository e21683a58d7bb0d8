"""`treewright verify`: hold a saved tree and its claims against the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli._common import (
    CHECK_FAILED,
    Csv,
    DecimalComma,
    Encoding,
    Missing,
    ModelPath,
    Separator,
    exits_by_code,
    read_csv,
    say,
)
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.tree import Tree

__all__ = ["verify"]


@exits_by_code
def verify(
    model: ModelPath,
    data: Csv,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Column of labels.", show_default="the one that fit used"),
    ] = None,
    separator: Separator = None,
    missing: Missing = None,
    encoding: Encoding = "utf-8",
    decimal_comma: DecimalComma = False,
) -> None:
    """Recompute everything a model file claims from the data it was made from.

    The checker shares no code with the search. It cannot prove again that no better tree exists; it holds the
    proven bound against this tree and all its prunings.

    \b
    Example:
      treewright verify model.json data.csv

    Exit codes: 0 every check holds, 1 a check failed, 2 bad input.
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import Terms, load_model
    from treewright.problem import make_problem
    from treewright.verify import verify as check

    content = load_model(model)
    tree, claim = content.tree, content.certificate
    if tree.classes is None:
        raise InputError("This is a regression tree; verify checks classification trees.")
    terms = (claim.terms if claim is not None else None) or Terms(cost_complexity=0.0)
    column = target or terms.target
    if column is None:
        raise InputError("The model file does not name the column of labels: add --target NAME.")
    csv = read_csv(
        data,
        target=column,
        weight=terms.weight,
        separator=separator,
        missing=missing,
        encoding=encoding,
        decimal_comma=decimal_comma,
        columns=tree.columns,
    )
    assert csv.target is not None  # a target was named
    labels = _labels_like(csv.target, tree)
    factors = terms.class_weight
    problem = make_problem(
        csv.table,
        labels,
        sample_weight=csv.sample_weight,
        class_weight=dict(zip(tree.classes.tolist(), factors, strict=True))
        if isinstance(factors, tuple)
        else factors,  # type: ignore[arg-type]  # the reader takes no other text than "balanced"
        costs=terms.costs,
        objective=terms.objective,  # type: ignore[arg-type]  # likewise
        cost_complexity=terms.cost_complexity,
        max_depth=terms.max_depth,
        max_leaf_nodes=terms.max_leaf_nodes,
        min_samples_leaf=terms.min_samples_leaf,
    )
    asked = claim is not None and claim.terms is not None
    report = check(problem, content.result if asked and content.result is not None else tree)
    say(str(report))
    if not asked:
        say("The file holds no certificate with its question, so only the tree itself was checked.")
    if not report.ok:
        raise typer.Exit(CHECK_FAILED)


def _labels_like(labels: NDArray[Any], tree: Tree) -> NDArray[np.generic]:
    """Labels with the type of the tree's: a tree made in Python may call "1" what the file calls 1."""
    assert tree.classes is not None  # checked above
    known = {str(label): k for k, label in enumerate(tree.classes.tolist())}
    positions = [known.get(str(label), -1) for label in labels.tolist()]
    return labels if -1 in positions else tree.classes[positions]
