"""From the totals of all rows and the parameters of `fit_shards` to the question, every parameter checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._numbers import is_whole
from treewright._plural import count_of
from treewright.binarize import given_splits
from treewright.errors import InputError
from treewright.problem import check_min_samples_leaf, make_problem
from treewright.search import in_fractions
from treewright.shards._deal import Deal
from treewright.shards._question import Question
from treewright.shards._sampled import SAMPLE_ROWS, Sampled, quantiles_of
from treewright.shards._work import Place, load
from treewright.table import Table, table_from
from treewright.tree import ColumnKind

__all__ = ["ask", "check_choice", "check_question", "chosen_thresholds"]

MOST_READ = 32  # shards, for thresholds
MOST_ROWS = 2**62  # of any table


def ask(
    deal: Deal,
    *,
    cost_complexity: float,
    max_depth: int | None,
    max_leaf_nodes: int | None,
    min_samples_leaf: int | float,
    objective: str,
    costs: Any,
    class_weight: Any,
) -> Question:
    """State the question of all rows.

    Parameters
    ----------
    deal : Deal
    cost_complexity, max_depth, max_leaf_nodes, min_samples_leaf, objective, costs, class_weight
        As in `fit_shards`.

    Raises
    ------
    InputError
        A parameter cannot be used; the message names it.
    """
    n_classes = len(deal.classes)
    weights = [sum((shard.class_weight[k] for shard in deal.shards), Fraction(0)) for k in range(n_classes)]
    rows = [sum(shard.class_rows[k] for shard in deal.shards) for k in range(n_classes)]
    # One row per class, with the weight of all its rows: what `make_problem` checks depends on nothing else.
    stated = make_problem(
        table_from(np.zeros((n_classes, 1))),
        deal.classes,
        sample_weight=[float(weight) for weight in weights],
        class_weight=class_weight,
        costs=costs,
        objective=objective,  # type: ignore[arg-type]  # checked there
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
    )
    factors = _factors(class_weight, objective, deal.classes.tolist(), weights)
    n_rows = sum(n for n, factor in zip(rows, factors, strict=True) if factor)
    return Question(
        columns=deal.schema.columns,
        classes=deal.classes,
        factors=factors,
        costs=stated.costs,
        cost_complexity=stated.cost_complexity,
        max_depth=stated.max_depth,
        max_leaf_nodes=stated.max_leaf_nodes,
        min_samples_leaf=check_min_samples_leaf(min_samples_leaf, n_rows),
        class_weight=tuple(w if factor else 0 for w, factor in zip(weights, factors, strict=True)),
        n_rows=n_rows,
    )


def _factors(
    class_weight: Any, objective: str, classes: Sequence[Any], weights: Sequence[Fraction]
) -> tuple[Fraction, ...]:
    if class_weight == "balanced" or objective == "balanced_accuracy":
        total = sum(weights, Fraction(0))
        # A class whose rows all weigh nothing is as if it had none.
        return tuple(total / (len(classes) * weight) if weight else Fraction(0) for weight in weights)
    if class_weight is None:
        return (Fraction(1),) * len(classes)
    given = {str(label): float(factor) for label, factor in class_weight.items()}
    return tuple(in_fractions(np.array([given.get(str(label), 1.0) for label in classes])))


def check_question(*, min_samples_leaf: int | float, **asked: Any) -> None:
    """Refuse what no table could be asked, before its rows are read.

    Parameters
    ----------
    min_samples_leaf, **asked
        As in `fit_shards`: the penalty and the limits of a tree, and the objective.

    Raises
    ------
    InputError
    """
    make_problem(table_from([[0.0], [1.0]]), [0, 1], **asked)
    check_min_samples_leaf(min_samples_leaf, MOST_ROWS)


def check_choice(thresholds: Any) -> None:
    """Refuse what is no choice of thresholds.

    Parameters
    ----------
    thresholds : "all", int or mapping

    Raises
    ------
    InputError
    """
    if isinstance(thresholds, Mapping) or (isinstance(thresholds, str) and thresholds == "all"):
        return
    whole = is_whole(thresholds)
    if not whole or thresholds < 2:
        raise InputError(
            f'thresholds={thresholds!r}; give "all", a number of quantile bins (at least 2), or a mapping from column '
            "name to thresholds: every shard must search the same splits."
        )


def chosen_thresholds(
    thresholds: Any, place: Place, deal: Deal, sampled: Sampled | None = None, *, seed: int, shuffled: bool
) -> tuple[Any, tuple[str, ...]]:
    """Return "all" or a mapping, the same for every shard, and what is to be said about it.

    Parameters
    ----------
    thresholds : "all", int or mapping
        A number of bins takes the quantiles of the sample, or of the first shard's rows, which were dealt at random; of
        rows from many shards if they were not.
    place : Place
    deal : Deal
    sampled : Sampled, default=None
        Thresholds that were fixed before the rows were read.
    seed : int
        Of the rows that are drawn.
    shuffled : bool
        Whether the rows were dealt at random.

    Raises
    ------
    InputError
        The mapping names a column that does not exist or has no thresholds, or holds a threshold that is not finite.
    """
    if isinstance(thresholds, str):
        return "all", ()
    columns = place.question.columns
    if isinstance(thresholds, Mapping):
        given_splits(
            Table(columns, np.asfortranarray(load(place, deal.shards[0]).X[:2])), thresholds
        )  # checks them
        return {str(name): tuple(map(float, values)) for name, values in thresholds.items()}, ()
    if sampled is None:
        X = (
            load(place, deal.shards[0]).X
            if shuffled
            else _drawn(place, deal, np.random.default_rng([seed, 2]))
        )
        found, n_rows = quantiles_of(columns, X, int(thresholds)), len(X)
    else:
        names = {column.name for column in columns if column.kind is ColumnKind.CONTINUOUS}
        found = {name: values for name, values in sampled.thresholds.items() if name in names}
        n_rows = sampled.n_rows
    rows = count_of(n_rows, "row")
    rows = f"{rows} drawn at random" if sampled is None else f"a sample of {rows}"
    return found, (f"The thresholds are the {int(thresholds)}-quantiles of each column in {rows}.",)


def _drawn(place: Place, deal: Deal, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return about `SAMPLE_ROWS` rows of all shards, or of `MOST_READ` of them."""
    n_shards = len(deal.shards)
    some = rng.choice(n_shards, size=min(n_shards, MOST_READ), replace=False)
    parts = []
    for k in np.sort(some).tolist():
        X = load(place, deal.shards[k]).X
        parts.append(X[rng.permutation(len(X))[: -(-SAMPLE_ROWS // len(some))]])
    return np.asfortranarray(np.concatenate(parts))
