"""The order of a near-optimal set: from a place to its tree, and from a tree to its place.

Trees are ordered by cost, then by leaves; trees of equal cost and leaves by the graph: a leaf first (labels
ascending), then splits as the table's columns stand, then the left subtree by its leaves and errors, then
recursively. Nothing is listed on the way: at each node the counts say which branch holds the place.
"""

from __future__ import annotations

from collections.abc import Iterator

from treewright.near_optimal._counts import Cell, Counts

__all__ = ["Step", "halves", "leaves_of", "place_of", "splits_of", "tree_at"]

# One node of a tree, depth-first: the split's number in `splits`, or -1 - label for a leaf.
Step = int


def tree_at(counts: Counts, node: int, cell: Cell, place: int) -> list[Step]:
    """Return the subtree at `place` (0 is the first) among those of `node` with the leaves and errors of `cell`."""
    for leaf in leaves_of(counts, node, cell):
        if place == 0:
            return [leaf]
        place -= 1
    for split, left, right in splits_of(counts, node):
        for part, rest, label_pairs, size in halves(counts, left, right, cell):
            if place >= size:
                place -= size
                continue
            if label_pairs:
                a, b = label_pairs[place]
                return [split, a, b]
            below = counts.cells(right)[rest]
            first, second = divmod(place, below)
            return [split, *tree_at(counts, left, part, first), *tree_at(counts, right, rest, second)]
    raise IndexError("no such place")  # the counts say that there is one


def place_of(counts: Counts, node: int, steps: list[Step], at: int = 0) -> tuple[Cell, int, int] | None:
    """Return cell, place in it and end of the subtree that starts at ``steps[at]``; None if it is not in the set."""
    step = steps[at]
    graph = counts.graph
    if step < 0:
        label = -1 - step
        if label not in graph.leaf_labels(node):
            return None
        cell = (1, int(graph.leaf_errors[node, label]))
        if cell not in counts.cells(node):
            return None
        return cell, leaves_of(counts, node, cell).index(step), at + 1
    for split, left, right in splits_of(counts, node):
        if split != step:
            continue
        first = place_of(counts, left, steps, at + 1)
        second = None if first is None else place_of(counts, right, steps, first[2])
        if first is None or second is None:
            continue
        cell = (first[0][0] + second[0][0], first[0][1] + second[0][1])
        if cell not in counts.cells(node):
            continue
        place = _place_before(counts, node, (split, left, right), first[0], cell)
        if place is None:
            continue
        if first[0][0] == second[0][0] == 1:
            pairs = label_pairs_of(counts, left, right, first[0], second[0])
            pair = (steps[at + 1], steps[at + 2])
            if pair not in pairs:
                continue
            return cell, place + pairs.index(pair), second[2]
        return cell, place + first[1] * counts.cells(right)[second[0]] + second[1], second[2]
    return None


def _place_before(
    counts: Counts, node: int, edge: tuple[Step, int, int], part: Cell, cell: Cell
) -> int | None:
    place = len(leaves_of(counts, node, cell))
    for number, left, right in splits_of(counts, node):
        for half, _, _, size in halves(counts, left, right, cell):
            if (number, left, right) == edge and half == part:
                return place
            place += size
    return None


def leaves_of(counts: Counts, node: int, cell: Cell) -> list[Step]:
    """Return the leaves of the node that make the errors of `cell`."""
    leaves, errors = cell
    if leaves != 1 or cell not in counts.cells(node):
        return []
    graph = counts.graph
    return [-1 - k for k in graph.leaf_labels(node) if graph.leaf_errors[node, k] == errors]


def splits_of(counts: Counts, node: int) -> list[tuple[Step, int, int]]:
    """Return the open splits of a node with their sides, in the order of `split_matrix`."""
    arrays, graph = counts.graph.arrays, counts.graph
    out = []
    for edge in graph.edges(node):
        source = int(arrays["source"][arrays["column"][edge]])
        sides = int(arrays["left"][edge]), int(arrays["right"][edge])
        for split in counts.twins(edge, node):
            out.append((split, *(sides if graph.same_side(source, split) else sides[::-1])))
    return sorted(out)


def halves(
    counts: Counts, left: int, right: int, cell: Cell
) -> Iterator[tuple[Cell, Cell, list[tuple[Step, Step]], int]]:
    """Yield the ways to share leaves and errors among two sides, with the number of subtrees of each way.

    Where both sides are leaves, the pairs of labels that are allowed are listed.
    """
    others = counts.cells(right)
    for part, n_left in counts.cells(left).items():
        rest = (cell[0] - part[0], cell[1] - part[1])
        n_right = others.get(rest)
        if n_right is None:
            continue
        if part[0] == rest[0] == 1:
            pairs = label_pairs_of(counts, left, right, part, rest)
            yield part, rest, pairs, len(pairs)
        else:
            yield part, rest, [], n_left * n_right


def label_pairs_of(counts: Counts, left: int, right: int, part: Cell, rest: Cell) -> list[tuple[Step, Step]]:
    return [
        (a, b)
        for a in leaves_of(counts, left, part)
        for b in leaves_of(counts, right, rest)
        if counts.graph.redundant or a != b
    ]
