"""Check a tree that was fitted on shards against all rows of the source, without any code of the method.

The rows are read once, in pieces, and routed by the checker's own rule (`_route`); counts, weights, labels, loss and
objective are added up again, and the weight of each class as it was read, which factors that balance the classes would
hide. For the bound, the argument is checked: the shards together have all rows and all weight, and the claimed bound is
not above the mean of the shards' bounds. The bound of a single shard is proven by the search and cannot be recomputed,
but no bound may be above the objective of this tree or of a pruning of it. A shard that was not searched counts with
the cost that every tree has there: one leaf and, if correct labels have a cost, the least cost of each row. Which rows
were in which shard is not known here, so these least costs are checked by their sum over all rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._plural import kind_of
from treewright.convert import Model, Terms
from treewright.errors import InputError, InputTypeError
from treewright.result import ShardsResult, SolveStatus
from treewright.sources import Roles, encoded_pieces, open_source
from treewright.table import Settings
from treewright.tree import Tree
from treewright.verify._counts import check_of_counts
from treewright.verify._facts import TOLERANCE
from treewright.verify._missing_side import unchecked_of
from treewright.verify._report import Check, VerificationReport
from treewright.verify._route import rows_of_nodes
from treewright.verify._scope import fault_of_scope
from treewright.verify._structure import fault_of_splits, fault_of_structure
from treewright.verify._words import fault_of_fields, is_number

__all__ = ["verify_shards"]

QUESTION: dict[str, Any] = {  # its parts, with the default for a part that the certificate does not state
    "cost_complexity": None,
    "max_depth": None,
    "max_leaf_nodes": None,
    "min_samples_leaf": 1,
    "min_leaf_accuracy": None,
}
LISTS = ("shard_rows", "shard_weights", "shard_bounds")
WITHOUT_WEIGHTS = " If the rows of the fit had weights, give them: verify_shards(..., sample_weight=...)."
WEIGHTS = "class_weights"  # sample weight of each class as read; 0 if the question leaves the class out
FLOORS = "shard_floors"  # least cost of every tree on each shard; absent if correct labels cost nothing


class _Fitted(Protocol):
    """What `fit_shards` returns."""

    @property
    def model(self) -> Model:
        """The content of a model file."""
        ...


def verify_shards(
    model: Model | _Fitted,
    source: Any,
    *,
    target: str | ArrayLike | None = None,
    sample_weight: str | ArrayLike | None = None,
    settings: Settings | None = None,
) -> VerificationReport:
    """Check a model that was fitted on shards against all rows of its source, read in pieces.

    Parameters
    ----------
    model : ShardedTree or Model
        What `fit_shards` returned; or a model with the certificate of such a fit, as `load_model` returns it.
    source : path, array or frame
        As in `treewright.fit_shards`; its rows may come in any order.
    target : str or array-like of shape (n_rows,), default=None
        Name of the column of labels, or the labels themselves for an array or frame. None is the column that the model
        names.
    sample_weight : str or array-like of shape (n_rows,), default=None
        Weights of the fit, given in the same way. None is the column that the model names, or weight 1 for each row if
        it names none.
    settings : Settings, default=None
        Settings of the columns of a file, in addition to those in the model.

    Returns
    -------
    VerificationReport

    Raises
    ------
    InputError
        If the model has no certificate of a fit on shards, the column of labels is unknown, or the source cannot be
        read.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import fit_shards
    >>> from treewright.verify import verify_shards
    >>> X = np.random.default_rng(0).normal(size=(2_000, 3))
    >>> y = X[:, 0] > 0.5
    >>> verify_shards(fit_shards(X, y, max_depth=1, shard_rows=1_000), X, target=y).ok
    True
    """
    model = getattr(model, "model", model)
    if not isinstance(model, Model):
        raise InputTypeError(
            f"model is {kind_of(model)}; give what fit_shards returned, or what load_model read from a model file."
        )
    claim, terms = model.certificate, None if model.certificate is None else model.certificate.terms
    result = model.result
    if claim is None or terms is None or not isinstance(result, ShardsResult) or model.tree.classes is None:
        raise InputError("The model holds no certificate of a fit on shards with its question.")
    tree = model.tree
    fault = fault_of_structure(tree) or fault_of_splits(tree)
    checks = [_plain("structure", fault, "one tree over its columns", "The arrays of the tree are no tree.")]
    fault = fault_of_fields(result) or _fault_of_shards(result, len(model.tree.classes))
    checks.append(
        _plain("fields of the certificate", fault, "all that its sentence needs", "A field was changed.")
    )
    if not all(check.ok for check in checks):
        return VerificationReport(tuple(checks), claims_bound=True)
    labels = None if target is None or isinstance(target, str) else target
    named = target if isinstance(target, str) else terms.target if labels is None else None
    if named is None and labels is None:
        raise InputError("The model does not name the column of labels; name it (target=...).")
    weights = None if sample_weight is None or isinstance(sample_weight, str) else sample_weight
    weighed = sample_weight if isinstance(sample_weight, str) else terms.weight if weights is None else None
    sums = _Sums(tree, is_weighted=weights is not None or weighed is not None)
    opened = open_source(source, labels, weights, settings=settings, reading=model.reading)
    for rows in encoded_pieces(opened, Roles(named, weighed), tree):
        assert rows.labels is not None  # a target was named
        sums.add(rows.X, rows.labels, rows.weight)
    checks += _checks(tree, result, terms, sums)
    return VerificationReport(tuple(checks), claims_bound=True, unchecked=unchecked_of(result))


@dataclass
class _Sums:
    """Sums over the rows that were read so far."""

    tree: Tree
    is_weighted: bool
    unknown: dict[str, None] = field(default_factory=dict)  # labels that the tree does not have
    count: NDArray[np.int64] = field(init=False)  # rows of each class in each node
    weight: NDArray[np.float64] = field(init=False)
    whole: bool = True

    def __post_init__(self) -> None:
        assert self.tree.classes is not None
        shape = (self.tree.node_count, len(self.tree.classes))
        self.count, self.weight = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        labels = self.tree.classes.tolist()
        self._position = {str(label): k for k, label in enumerate(labels)}
        self._number = {label: k for k, label in enumerate(labels) if is_number(label)}

    def add(self, X: NDArray[np.float64], labels: NDArray[Any], weight: NDArray[np.float64] | None) -> None:
        """Route a piece of the rows, and add it to the sums."""
        distinct, index = np.unique(labels, return_inverse=True)
        places = np.array([self._place(label) for label in distinct.tolist()])
        self.unknown |= {str(v): None for v, k in zip(distinct.tolist(), places, strict=True) if k < 0}
        y = places[index]
        kept = y >= 0 if weight is None else (y >= 0) & (weight > 0)
        X, y = X[kept], y[kept]
        w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)[kept]
        self.whole &= bool((w == np.floor(w)).all())
        n = self.count.shape[1]
        for node, rows in enumerate(rows_of_nodes(self.tree, X)):
            self.count[node] += np.bincount(y[rows], minlength=n)
            self.weight[node] += np.bincount(y[rows], weights=w[rows], minlength=n)

    def _place(self, label: Any) -> int:
        """Return the class of a label, -1 if none: a number may be whole in one file and a float in another."""
        place = self._position.get(str(label), -1)
        return self._number.get(label, -1) if place < 0 and is_number(label) else place


def _checks(tree: Tree, result: ShardsResult, terms: Terms, sums: _Sums) -> Iterator[Check]:
    fault = f"the label {next(iter(sums.unknown))!r}" if sums.unknown else ""
    yield _plain(
        "classes", fault, f"{sums.count.shape[1]} labels", "The rows have labels that the tree has not."
    )
    factors = _factors(terms, sums.weight[0])
    count = sums.count[:, factors > 0].sum(axis=1)
    weight = sums.weight * factors
    total = float(weight[0].sum())
    differs = bool((np.abs(tree.value[0] - weight[0]) > TOLERANCE * weight[0]).any())
    unweighted = WITHOUT_WEIGHTS if differs and not sums.is_weighted else ""
    yield _same(
        "rows",
        int(count[0]),
        result.stats["rows"],
        f"The source has other rows than those of the fit.{unweighted}",
    )
    yield _same(
        "rows of the shards", sum(result.stats["shard_rows"]), result.stats["rows"], "Rows are missing."
    )
    if total <= 0:
        return
    yield check_of_counts(tree, count)
    as_read = np.where(factors > 0, sums.weight[0], 0.0)
    said_of_classes = np.array(result.stats[WEIGHTS], dtype=np.float64)
    apart = 0.0 if sums.whole else TOLERANCE
    other = np.flatnonzero(~(np.abs(said_of_classes - as_read) <= apart * as_read))
    yield _plain(
        "weight of each class",
        f"{as_read[other[0]]:.9g} of class {other[0]}" if len(other) else "",
        f"{said_of_classes[other[0]]:.9g}" if len(other) else f"{len(as_read)} sums",
        f"Rows have other labels or weights than those of the fit.{unweighted}",
    )
    apart = 0.0 if sums.whole and (factors == np.floor(factors)).all() else TOLERANCE
    off = np.flatnonzero(~(np.abs(tree.value - weight) <= apart * weight).all(axis=1))
    fault = f"node {off[0]} holds other weights" if len(off) else ""
    yield _plain(
        "class weights in each node",
        fault,
        f"{weight.size} sums",
        f"A value or a weight was changed.{unweighted}",
    )
    n = len(factors)
    costs = 1.0 - np.eye(n) if terms.costs is None else np.array(terms.costs, dtype=np.float64)
    prices = weight @ costs / total
    chosen = prices[np.arange(len(prices)), tree.prediction]
    leaf = tree.is_leaf
    loss = float(chosen[leaf].sum())
    objective = loss + terms.cost_complexity * int(leaf.sum())
    near = TOLERANCE * max(1.0, objective)
    dear = np.flatnonzero(chosen > prices.min(axis=1) + near)
    fault = f"node {dear[0]} predicts a dearer label than it could" if len(dear) else ""
    yield _plain("cheapest label in each node", fault, f"{len(count)} labels", "A label was changed.")
    yield from _limit_checks(tree, terms, count[leaf])
    said = {name: result.options.get(name, QUESTION[name]) for name in QUESTION}
    asked = {name: getattr(terms, name) for name in QUESTION}
    differ = [name for name in QUESTION if said[name] != asked[name]]
    yield _plain(
        "question",
        ", ".join(f"{name} {asked[name]}" for name in differ),
        ", ".join(f"{name} {said[name]!s:.60}" for name in differ or list(QUESTION)[:1]),
        "The certificate is about another question.",
    )
    fault = fault_of_scope(tree.columns, result)
    yield _plain("scope", fault, f"{result.scope:.60}", "The scope must name the splits of this table.")
    yield _close("loss", result.loss, loss, near, "The loss is not that of this tree on these rows.")
    yield _close("objective", result.objective, objective, near, "It is not loss + cost_complexity * leaves.")
    bound = float(result.lower_bound)
    least = _least_pruning(tree, prices.min(axis=1) + terms.cost_complexity)
    for name, found in (("lower_bound <= objective", objective), ("no pruning is below the bound", least)):
        ok = bound <= found + near
        yield Check(name, ok, f"{bound:.9g}", f"<= {found:.9g}", "" if ok else "The bound is wrong.")
    yield from _bound_checks(result, total, near, unweighted)
    yield from _floor_checks(result, terms.cost_complexity, weight[0], costs.min(axis=1), near)
    proven = result.status is SolveStatus.OPTIMAL
    rounded = TOLERANCE * max(
        1.0, objective, float(costs.max())
    )  # costs in the searches are shares of the largest cost
    ok = not proven or (objective - bound <= rounded and result.stop_reason is None)
    ok &= result.status is not SolveStatus.OPTIMAL_UNDER_GUESSES  # nothing is guessed
    yield Check(
        "status",
        ok,
        result.status.value,
        f"objective and bound are {objective - bound:.3g} apart",
        "" if ok else "The gap is not closed.",
    )


def _limit_checks(tree: Tree, terms: Terms, rows: NDArray[np.int64]) -> Iterator[Check]:
    for name, limit, found in (
        ("max_depth", terms.max_depth, tree.depth),
        ("max_leaf_nodes", terms.max_leaf_nodes, tree.n_leaves),
    ):
        ok = limit is None or found <= limit
        said = "unlimited" if limit is None else f"<= {limit}"
        yield Check(name, ok, said, str(found), "" if ok else "The tree is larger than allowed.")
    ok = int(rows.min()) >= terms.min_samples_leaf
    said = f">= {terms.min_samples_leaf}"
    yield Check("min_samples_leaf", ok, said, str(int(rows.min())), "" if ok else "A leaf has too few rows.")


def _bound_checks(result: ShardsResult, total: float, near: float, unweighted: str) -> Iterator[Check]:
    weights = [Fraction(float(w)) for w in result.stats["shard_weights"]]
    whole = sum(weights, Fraction(0))
    ok = abs(float(whole) - total) <= TOLERANCE * total
    yield Check(
        "weight of the shards",
        ok,
        f"{float(whole):.9g}",
        f"{total:.9g}",
        "" if ok else f"The shards hold another weight than the rows.{unweighted}",
    )
    mean = _mean_of(result.stats["shard_bounds"], result)
    ok = float(result.lower_bound) <= mean + near
    yield Check(
        "lower_bound is the mean of the shards",
        ok,
        f"{result.lower_bound:.9g}",
        f"<= {mean:.9g}",
        "" if ok else "The claim is stronger than what the shards prove together.",
    )


def _floor_checks(
    result: ShardsResult,
    leaf_penalty: float,
    weight: NDArray[np.float64],
    cheapest: NDArray[np.float64],
    near: float,
) -> Iterator[Check]:
    """Check the least costs of the shards, also of those that were not searched, against the rows."""
    stats = result.stats
    lost, floors = stats["shards_lost"], stats.get(FLOORS, [leaf_penalty] * stats["shards"])
    if lost or FLOORS in stats:
        found = leaf_penalty + float(weight @ cheapest) / float(weight.sum())
        wrong = "It is not one leaf and the least cost of each row."
        yield _close("what every tree costs", _mean_of(floors, result), found, near, wrong)
    at_least = sum(bound <= floor + near for bound, floor in zip(stats["shard_bounds"], floors, strict=True))
    ok = lost <= at_least
    yield Check(
        "shards of which nothing is known",
        ok,
        str(lost),
        f"<= {at_least}",
        "" if ok else "A shard counts with more than what every tree costs there.",
    )


def _mean_of(values: Sequence[float], result: ShardsResult) -> float:
    """Return the mean over the shards, weighted by their rows."""
    weights = [Fraction(float(weight)) for weight in result.stats["shard_weights"]]
    total = sum((w * Fraction(float(v)) for w, v in zip(weights, values, strict=True)), Fraction(0))
    return float(total / (sum(weights, Fraction(0)) or 1))


def _least_pruning(tree: Tree, as_leaf: NDArray[np.float64]) -> float:
    """Return the least objective of the prunings of the tree."""
    least = as_leaf.copy()
    for node in range(tree.node_count - 1, -1, -1):  # children come after parents
        if tree.splits[node] is not None:
            below = least[tree.children_left[node]] + least[tree.children_right[node]]
            least[node] = min(least[node], below)
    return float(least[0])


def _fault_of_shards(result: ShardsResult, n_classes: int) -> str:
    stats = result.stats
    for name in ("rows", "shards", "shards_lost"):
        if not isinstance(stats.get(name), int) or isinstance(stats.get(name), bool):
            return f"stats: {name} is {stats.get(name)!r:.60}"
    of_shards = (*LISTS, *(FLOORS,) * (FLOORS in stats))
    wanted = dict.fromkeys(of_shards, (stats["shards"], "shards")) | {WEIGHTS: (n_classes, "classes")}
    for name, (n, kind) in wanted.items():
        values = stats.get(name)
        if not isinstance(values, Sequence) or isinstance(values, str) or not all(map(is_number, values)):
            return f"stats: {name} is {values!r:.60}"
        if len(values) != n:
            return f"stats: {name} has {len(values)} entries for {n} {kind}"
        if not all(math.isfinite(value) and value >= 0 for value in values):
            return f"stats: {name} holds a negative number"
    return ""


def _factors(terms: Terms, class_weight: NDArray[np.float64]) -> NDArray[np.float64]:
    n = len(class_weight)
    if isinstance(terms.class_weight, tuple):
        return np.array(terms.class_weight, dtype=np.float64)
    if terms.class_weight == "balanced" or terms.objective == "balanced_accuracy":
        return np.asarray(class_weight.sum() / (n * np.maximum(class_weight, 1e-300)), dtype=np.float64)
    return np.ones(n)


def _plain(name: str, fault: str, expected: str, message: str) -> Check:
    return Check(name, not fault, expected, fault or "as claimed", message if fault else "")


def _same(name: str, found: int, claimed: int, message: str) -> Check:
    return Check(name, found == claimed, str(claimed), str(found), "" if found == claimed else message)


def _close(name: str, claimed: float, found: float, near: float, message: str) -> Check:
    ok = abs(claimed - found) <= near
    return Check(name, ok, f"{claimed:.9g}", f"{found:.9g}", "" if ok else message)
