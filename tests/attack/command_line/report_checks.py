"""What must hold for `report`: a whole page with the figures of the model file, whose program decides as the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attack.case import Value
from attack.checks import Mismatch
from attack.command_line.page import Page
from attack.command_line.probe_file import Model, as_word
from attack.command_line.program import run
from attack.command_line.table import columns_of
from attack.command_line.table_files import Files
from attack.command_line.titles import titled_words

__all__ = ["report_breaks"]


def report_breaks(model: Model, files: Files, asked: dict[str, Any]) -> Iterator[Mismatch]:
    """Write the page of a model file, and look for its figures there."""
    from treewright.convert import load_model

    command, out = model.command, files / "report.html"
    words = titled_words(model, files, "report", out)
    words += [] if asked.get("models") else ["--no-models"]
    words += [f"--test={files.data}"] if asked.get("test") else []
    words += [f"--compare=the same={model.path}"] if asked.get("compare") else []
    words += [f"--frontier={asked['frontier']}"] if "frontier" in asked else []
    columns = columns_of(command)
    words += [f"--group={name}" for name in asked.get("groups", ()) if name in columns]
    words += [f"--{name}={asked[name]}" for name in ("digits", "title") if name in asked]
    said = run(words)
    if said.crash or said.code not in (0, 2):
        yield Mismatch("report fails", f"{said.code} {said.last} {said.crash[-900:]}")
        return
    if said.code == 2:
        if out.exists():
            yield Mismatch("a refused report left a file", said.last)
        if not _may_be_refused(model, files, said.last):
            yield Mismatch("report is refused", said.last)
        return
    if "Not verified" in said.errors:
        yield Mismatch("report does not believe a true claim", said.errors[-600:])
    page = Page(out.read_text("utf-8"))
    if not page.is_whole or page.open_tags:
        yield Mismatch("report is not whole", page.text[-200:])
        return
    yield from (Mismatch("report says what is no number", line) for line in page.odd_lines()[:3])
    content = load_model(model.path)
    n_leaves = sum(node["split"] is None for node in model.walker.content["nodes"])
    wanted = [f"{n_leaves} {'leaf' if n_leaves == 1 else 'leaves'}"]
    if content.result is not None:
        wanted.append(" ".join(content.result.sentence().split()))
    n_rows = sum(w > 0 for w in command.case.weight) if command.case.weight else command.case.n_rows
    wanted.append(f"{n_rows} training row{'' if n_rows == 1 else 's'}")
    if model.kind == "classification" and model.labels is not None and command.method != "probability":
        truth = columns[command.form.target]
        right = sum(
            model.answer(row) == label
            for i, (row, label) in enumerate(zip(command.case.rows, truth, strict=True))
            if command.case.weight is None or command.case.weight[i] > 0
        )
        wanted.append(f"{right} of {n_rows}")
    for text in wanted:
        if text not in page.words:
            yield Mismatch("report lacks a figure", f"{text!r}; {page.words[:900]}")
    yield from _decides_alike(model, page)


def _may_be_refused(model: Model, files: Files, words: str) -> bool:
    return files.data.is_dir() or "--frontier" in words


def _decides_alike(model: Model, page: Page) -> Iterator[Mismatch]:
    """The data of the page's program send each row to the leaf that the file says."""
    data = page.data("model")
    nodes, places = data["nodes"], _places(model)
    if len(places) != len(data["columns"]):
        yield Mismatch("report asks about other columns", f"{[c['name'] for c in data['columns']]}")
        return
    number = {}
    for node, own in enumerate(model.walker.content["nodes"]):
        if own["split"] is None:
            number[node] = len(number) + 1
    for row in model.known_rows:
        node = 0
        while "left" in nodes[node]:
            node = nodes[node][
                "left" if _left(nodes[node], [row[j] for j in places], model, places) else "right"
            ]
        if nodes[node]["number"] != number[model.walker.leaf_of(row)]:
            yield Mismatch(
                "report decides otherwise than the file", f"row {row}: leaf {nodes[node]['number']}"
            )
            return


def _places(model: Model) -> list[int]:
    """The columns that the tree asks about, splits and lines."""
    asked: set[int] = set()
    for node in model.walker.content["nodes"]:
        split, line = node["split"], node.get("line")
        if split is not None:
            asked |= set(split["columns"]) if split["kind"] == "linear" else {split["column"]}
        if line:
            asked |= set(line["columns"])
    return sorted(asked)


def _left(node: dict[str, Any], values: Sequence[Value], model: Model, places: Sequence[int]) -> bool:
    if node["kind"] == "linear":
        known = [values[k] for k in node["columns"]]
        if any(value is None for value in known):
            return bool(node["missingLeft"])
        score = 0.0
        for weight, value in zip(node["weights"], known, strict=True):
            score += weight * float(value)  # type: ignore[arg-type]
        return score <= float(node["threshold"])
    value = values[node["column"]]
    if value is None:
        return bool(node["missingLeft"])
    if node["kind"] == "category":
        words = model.columns[places[node["column"]]]["categories"]
        return words.index(as_word(value)) in node["codes"]
    return node["threshold"] == "inf" or float(value) <= float(node["threshold"])
