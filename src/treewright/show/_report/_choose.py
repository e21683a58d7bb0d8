"""A page on which people choose one of all near-optimal trees: the graph as data for the page's own program.

The page counts as the library does, with integers of any size; what it holds are the nodes and edges of the graph, and
where each kind of training row goes. No tree is listed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright import __version__
from treewright._arguments import check_arguments
from treewright.convert import Model, Terms, to_json, write_bytes
from treewright.errors import InputError
from treewright.problem import Problem
from treewright.result import chosen_options, is_shallow_note
from treewright.show._report._embed import script_json
from treewright.show._report._page import render_choose
from treewright.show._titles import settings_from, with_titles
from treewright.show._words import printable, typeset
from treewright.table import Reading, Settings
from treewright.tree import grow, relation, subject

if TYPE_CHECKING:
    from treewright.near_optimal import GapFrontier, NearOptimalTrees
    from treewright.tree import Column, Split, Tree

__all__ = ["choose_page"]

MOST_NODES = 20_000
MOST_CONTESTED = 25


def choose_page(
    trees: NearOptimalTrees,
    out: str | Path | None = None,
    *,
    title: str | None = None,
    gaps: GapFrontier | None = None,
    gap_between: str | None = None,
    settings: Settings | str | Path | None = None,
    terms: Terms | None = None,
    reading: Reading | None = None,
) -> str:
    """Write one self-contained web page for choosing a tree of a near-optimal set.

    The page shows how many trees there are of each size and loss, and how important each column is. Readers can build a
    tree split by split: every option says how many trees are left and how good the best of them is. Columns can be
    excluded or required, two trees can be compared row by row, and the chosen one can be saved as a model file.

    Parameters
    ----------
    trees : NearOptimalTrees
        A set that is not empty, of at most 20,000 nodes (``trees.graph.n_nodes``).
    out : str or Path, default=None
        File to write, whole or not at all.
    title : str, default=None
        Heading of the page.
    gaps : GapFrontier, default=None
        What `treewright.near_optimal.gap_frontier` found for this set: a slider then shows the best tree for every
        limit on the gap.
    gap_between : str, default=None
        The groups of `gaps` in words, such as "home owners and all others", for the heading of the slider.
    settings : Settings or path of a columns.yaml, default=None
        Names of columns, codes and labels that people read; a tree that is saved from the page has those of the file.
    terms : Terms, default=None
        The question, kept with a tree that is saved from the page, so that it can be verified. None is that of the set,
        unless it has weights or costs.
    reading : Reading, default=None
        How the file of the rows was read, kept likewise.

    Returns
    -------
    str
        The page, as HTML.

    Raises
    ------
    InputError
        The set is empty, or too large for a page; the settings cannot be read; the file cannot be written.

    Notes
    -----
    The page contains which splits each kind of training row passes, and the labels, so protect it like the data.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import near_optimal_trees
    >>> from treewright.show import choose_page
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=2, thresholds=3)
    >>> choose_page(trees)[:15]
    '<!DOCTYPE html>'
    """
    check_arguments(choose_page, locals(), "trees", "out", "title", "gaps", "settings", "terms", "reading")
    if not trees:
        raise InputError("The set is empty: there is nothing to choose.")
    if any("with a split on" in rule for rule in trees.rules):
        raise InputError("The page can force columns itself: make it of the set before where(uses=...).")
    if trees.graph.n_nodes > MOST_NODES:
        raise InputError(
            f"The graph of the set has {trees.graph.n_nodes:,} nodes, too many for a page ({MOST_NODES:,}); make a "
            "smaller set: a smaller epsilon or max_depth, a larger cost_complexity, fewer thresholds."
        )
    model = Model.of(trees.best, terms or _question(trees.graph.problem), reading)
    text = render_choose(
        title=title or "Choose one of the near-optimal trees",
        version=__version__,
        sentence=trees.sentence(),
        n_trees=trees.n_trees_,
        best=trees.best.objective,
        data=script_json(_data(trees, model, settings_from(settings)) | {"gaps": _gaps(trees, gaps)}),
        gap_between=(gap_between or "the groups") if gaps is not None else "",
    )
    if out is not None:
        write_bytes(out, text.encode("utf-8"))
    return text


def _question(problem: Problem) -> Terms | None:
    """Return the question of a set without weights and costs, which no terms can tell by row."""
    plain = (problem.sample_weight == 1).all() and (problem.costs == 1 - np.eye(problem.n_classes)).all()
    if not plain:
        return None
    return Terms(problem.cost_complexity, problem.max_depth, problem.max_leaf_nodes, problem.min_samples_leaf)


def _data(trees: NearOptimalTrees, of_best: Model, settings: Settings) -> dict[str, Any]:
    graph, problem, counts = trees.graph, trees.graph.problem, trees.counts
    arrays = graph.arrays
    model = json.loads(to_json(of_best))
    kind, n_kinds, _ = graph.rows
    first = np.unique(kind, return_index=True)[1]
    bits = (
        graph.split_matrix.goes_right[arrays["source"]][:, first]
        if len(arrays["source"])
        else np.zeros((0, n_kinds))
    )
    weight = np.zeros((n_kinds, problem.n_classes))
    np.add.at(weight, (kind, problem.y), problem.sample_weight)
    values, rows = _by_node(trees)
    said = with_titles(trees.best.tree, settings)
    assert said.classes is not None  # these trees have classes
    splits = [_split_json(trees, number, said.columns) for number in range(len(graph.split_matrix.splits))]
    allowed = [counts.open_twins(place) for place in range(len(arrays["source"]))]
    return {
        "columns": [printable(column.name) for column in said.columns],
        "classes": [printable(str(label)) for label in said.classes.tolist()],
        "splits": splits,
        "groups": [
            [[s, int(graph.same_side(int(source), s))] for s in group]
            for source, group in zip(arrays["source"], allowed, strict=True)
        ],
        "roots": {str(edge): counts.twins(edge, 0) for edge in graph.edges(0)},
        "mustSplit": trees.membership.root_splits is not None,
        "pinned": {str(edge): counts.twins(edge, -1) for edge in graph.pinned},
        "nodes": {
            "first": np.asarray(arrays["first_edge"]).tolist(),
            "last": np.asarray(arrays["last_edge"]).tolist(),
            "errors": graph.leaf_errors.tolist(),
            "labels": [graph.leaf_labels(node) for node in range(graph.n_nodes)],
            "cheapest": np.argmin(graph.leaf_errors, axis=1).tolist(),
            "value": values,
            "rows": rows,
            "most": _limits(trees),
        },
        "edges": {name: np.asarray(arrays[name]).tolist() for name in ("column", "left", "right")},
        "most": trees.membership.max_errors(graph),
        "redundant": graph.redundant,
        "unit": float(graph.unit),
        "base": graph.base,
        "price": float(graph.leaf_penalty),
        "cost": float(problem.cost_complexity),
        "bound": trees.bound_,
        "lowerBound": float(trees.best.lower_bound),
        "scope": trees.best.scope,
        "options": model["certificate"]["options"],
        "chosen": chosen_options(graph.any_label),
        "notes": [said for said in trees.best.notes if not is_shallow_note(said)],
        "terms": model["certificate"]["terms"],
        "reading": {name: model[name] for name in ("reading",) if name in model},
        "model": {
            "written_by": model["written_by"],
            "classes": model["classes"],
            "columns": model["columns"],
        },
        "kinds": {
            "n": n_kinds,
            "bits": base64.b64encode(np.packbits(bits.astype(np.uint8), axis=1).tobytes()).decode("ascii"),
            "rows": np.bincount(kind, minlength=n_kinds).tolist(),
            "weight": weight.sum(axis=1).tolist(),
            "first": (first if problem.rows is None else problem.rows[first]).tolist(),
        },
        "contested": _contested(trees),
        "reliance": [use.reliance for use in trees.columns()],
    }


def _gaps(trees: NearOptimalTrees, gaps: GapFrontier | None) -> dict[str, Any] | None:
    """The best tree for every largest gap, as the page's builder holds trees: what stands at each place."""
    if gaps is None:
        return None
    numbers: dict[Split | None, int] = {split: n for n, split in enumerate(trees.graph.split_matrix.splits)}
    return {
        "proven": gaps.proven,
        "points": [
            {"gap": point.gap, "best": point.objective, "tree": _places(point.tree, numbers)}
            for point in gaps.points
        ],
    }


def _places(tree: Tree, numbers: dict[Split | None, int]) -> dict[str, dict[str, int]]:
    out = {}
    pending = [("", 0)]
    while pending:
        place, node = pending.pop()
        split = tree.splits[node]
        if split is None:
            out[place] = {"leaf": int(tree.prediction[node])}
            continue
        if split not in numbers:
            raise InputError(
                "gaps: a tree of it is not over the splits of this set; make it of the same set."
            )
        out[place] = {"split": numbers[split]}
        pending += [
            (place + "L", int(tree.children_left[node])),
            (place + "R", int(tree.children_right[node])),
        ]
    return out


def _limits(trees: NearOptimalTrees) -> list[list[int]]:
    """Return the most errors of a subtree at each node by its leaves, up to the last number of leaves that fits."""
    graph = trees.graph
    most = trees.membership.max_errors(graph)
    price, shift = int(graph.arrays["leaf_penalty"]), int(graph.arrays["unit_shift"])
    out = []
    for budget in np.asarray(graph.arrays["budget"]).tolist():
        limits = [-1]
        while len(limits) < len(most) and budget >= len(limits) * price and most[len(limits)] >= 0:
            limits.append(min(most[len(limits)], (budget - len(limits) * price) >> shift))
        out.append(limits)
    return out


def _by_node(trees: NearOptimalTrees) -> tuple[list[list[float]], list[int]]:
    """Return the training weight of each class, and the number of rows, at each node."""
    graph = trees.graph
    k = graph.problem.n_classes
    kind, n_kinds, ones = graph.rows
    out = []
    for label in range(k):
        of_kind = np.bincount(kind[graph.problem.y == label], minlength=n_kinds).astype(np.int64)
        total = np.repeat(of_kind[:, None], k, axis=1).reshape(-1)
        out.append(np.asarray(graph.native.sum_by_node(ones, n_kinds, total))[::k])
    rows = np.sum(out, axis=0)
    if (graph.problem.sample_weight == 1).all():
        return np.stack(out, axis=1).astype(float).tolist(), rows.tolist()
    weights = _weights_by_node(trees)
    return weights, rows.tolist()


def _weights_by_node(trees: NearOptimalTrees) -> list[list[float]]:
    """Return the weights of the classes where rows do not count alike, by going down the graph row by row."""
    graph = trees.graph
    bits = graph.split_matrix.goes_right[graph.arrays["source"]].astype(np.bool_)
    held: list[Any] = [None] * graph.n_nodes
    held[0] = np.ones(graph.problem.table.n_rows, dtype=np.bool_)
    out = []
    for node in range(graph.n_nodes):
        here = held[node] if held[node] is not None else np.zeros_like(held[0])
        weight = graph.problem.sample_weight[here]
        out.append(
            np.bincount(graph.problem.y[here], weights=weight, minlength=graph.problem.n_classes).tolist()
        )
        for edge in graph.edges(node):
            right = bits[graph.arrays["column"][edge]]
            held[graph.arrays["left"][edge]] = here & ~right
            held[graph.arrays["right"][edge]] = here & right
        if node:
            held[node] = None
    return out


def _split_json(trees: NearOptimalTrees, number: int, said: Sequence[Column]) -> dict[str, Any]:
    """A split in words for both sides, and as a model file writes it."""
    problem, split = trees.graph.problem, trees.graph.split_matrix.splits[number]
    tree = grow(
        problem.table.columns,
        problem.classes,
        [split, None, None],
        problem.table.X[:1],
        problem.y[:1],
        problem.sample_weight[:1],
        problem.costs,
    )
    return {
        "column": split.column,
        "left": _side(split, said, True),
        "right": _side(split, said, False),
        "json": json.loads(to_json(tree))["nodes"][0]["split"],
    }


def _side(split: Split, said: Sequence[Column], goes_left: bool) -> str:
    asked, answer = subject(split, said, 6, plain=False), relation(split, said, goes_left, 6)
    return printable(f"{asked} {typeset(answer)}")


def _contested(trees: NearOptimalTrees) -> list[dict[str, Any]]:
    """The rows on which the trees agree least, each kind of row once."""
    problem, (kind, _, _) = trees.graph.problem, trees.graph.rows
    votes = trees.vote_share()
    first, count = np.unique(kind, return_index=True, return_counts=True)[1:]
    order = first[np.argsort(votes[first].max(axis=1), kind="stable")][:MOST_CONTESTED]
    size = dict(zip(first.tolist(), count.tolist(), strict=True))
    return [
        {
            "row": int(row if problem.rows is None else problem.rows[row]) + 1,
            "rows": size[int(row)],
            "votes": votes[row].tolist(),
        }
        for row in order
        if votes[row].max() < 1
    ]
