"""What must hold for `choose`: a page whose graph holds as many trees of each size and loss as the set."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from attack.checks import Mismatch
from attack.command_line.command import Command
from attack.command_line.page import Page
from attack.command_line.program import run
from attack.command_line.table_files import Files
from attack.command_line.titles import title_words, write_titles

__all__ = ["choose_breaks"]

Cells = dict[tuple[int, int], int]  # subtrees by leaves and errors


def choose_breaks(command: Command, files: Files, kept: Path, found: Any) -> Iterator[Mismatch]:
    """Make the page of a set file, and count its trees from the graph that it holds."""
    out = files / "choose.html"
    titles, asked = write_titles(command, files), command.asked["choose"]
    words = [f"--{name}={value}" for name, value in asked.items()]
    said = run(["choose", str(kept), f"--out={out}", *words, *title_words(titles)])
    if said.crash or said.code not in (0, 2):
        yield Mismatch("choose fails", f"{said.code} {said.last} {said.crash[-600:]}")
        return
    gaps, refused = _gaps(found, asked)
    if said.code == 2 and refused:
        return
    if refused:
        yield Mismatch("choose answers, though Python refuses", refused)
        return
    if said.code == 2:
        if found.n_trees_ or out.exists():
            yield Mismatch("choose refuses a set", said.last)
        return
    page = Page(out.read_text("utf-8"))
    yield from (Mismatch("choose says what is no number", line) for line in page.odd_lines())
    if " ".join(found.sentence().split()) not in page.words:
        yield Mismatch("choose says another sentence", f"{found.sentence()!r}; {page.words[:600]}")
    if str(asked.get("title", "")) not in page.words:
        yield Mismatch("choose has another title", page.words[:200])
    data = page.data("data")
    shown = data["gaps"] and [(point["gap"], point["best"]) for point in data["gaps"]["points"]]
    if shown != gaps:
        yield Mismatch("choose has other gaps", f"{shown} instead of {gaps}")
    counts = _counted(data)
    if sum(counts.values()) != found.n_trees_:
        yield Mismatch("choose counts other trees", f"{sum(counts.values())} instead of {found.n_trees_}")
    sizes: Counter[int] = Counter()
    for (leaves, _), count in counts.items():
        sizes[leaves] += count
    told: Counter[int] = Counter()
    for size in found.table():
        told[size.n_leaves] += size.n_trees
    if +sizes != +told:
        yield Mismatch("choose counts other sizes", f"{dict(sizes)} instead of {dict(told)}")
    objectives = sorted(
        (data["base"] + errors + data["price"] * leaves) * data["unit"] for leaves, errors in counts
    )
    best = found.result(0).objective
    if objectives and abs(objectives[0] - best) > 1e-6 * (1 + abs(best)):
        yield Mismatch("choose has another best objective", f"{objectives[0]!r} instead of {best!r}")
    json.dumps(data, allow_nan=False)


def _gaps(found: Any, asked: Mapping[str, Any]) -> tuple[list[tuple[float, float]] | None, str]:
    """The gap and objective of each point between two groups as Python finds them, and why it refuses."""
    from treewright.errors import InputError
    from treewright.near_optimal import gap_frontier

    if "group" not in asked:
        return None, ""
    labels = {str(label): label for label in found.graph.problem.classes.tolist()}
    try:
        front = gap_frontier(
            found, asked["group"], label=labels[asked["label"]] if "label" in asked else None
        )
    except InputError as error:
        return None, str(error)
    return [(point.gap, point.objective) for point in front.points], ""


def _counted(data: dict[str, Any]) -> Cells:
    """The trees of the graph by leaves and errors, as the page's own program counts them."""
    nodes, edges = data["nodes"], data["edges"]

    def copies(edge: int) -> int:
        only = data["roots"].get(str(edge), data["pinned"].get(str(edge)))
        return len(data["groups"][edges["column"][edge]]) if only is None else len(only)

    @cache
    def cells(node: int) -> tuple[tuple[int, int, int], ...]:
        most, sums = nodes["most"][node], Counter[tuple[int, int]]()
        if node > 0 or not data["mustSplit"]:
            for label in nodes["labels"][node]:
                sums[1, nodes["errors"][node][label]] += 1
        for edge in range(nodes["first"][node], nodes["last"][node]):
            for leaves, errors, count in joined(edges["left"][edge], edges["right"][edge]):
                sums[leaves, errors] += count * copies(edge)
        return tuple((n, e, c) for (n, e), c in sums.items() if n < len(most) and e <= most[n] and c)

    def joined(left: int, right: int) -> Iterator[tuple[int, int, int]]:
        for (n, e, c), (m, f, d) in product(cells(left), cells(right)):
            if data["redundant"] or n > 1 or m > 1:
                yield n + m, e + f, c * d
        if not data["redundant"]:
            for a, b in product(nodes["labels"][left], nodes["labels"][right]):
                if a != b:
                    yield 2, nodes["errors"][left][a] + nodes["errors"][right][b], 1

    most = data["most"]
    return {(n, e): c for n, e, c in cells(0) if n < len(most) and e <= most[n]}
