"""What must hold for `show`: it prints what `to_text` and `to_graphviz` give, and its pictures can be opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from attack.checks import Mismatch
from attack.command_line.probe_file import Model
from attack.command_line.program import run
from attack.command_line.table_files import Files
from attack.command_line.titles import title_words, write_titles

__all__ = ["show_breaks"]

PICTURES = {"png": b"\x89PNG\r\n", "pdf": b"%PDF-"}


def show_breaks(model: Model, files: Files, asked: dict[str, Any]) -> Iterator[Mismatch]:
    """Show a model file in one form, and compare that with what the library draws."""
    from treewright.convert import load_model
    from treewright.show import to_graphviz, to_text, with_titles

    kind, digits = asked.get("format", "text"), asked.get("digits", 6)
    titles = write_titles(model.command, files)
    words = ["show", str(model.path), f"--format={kind}", *title_words(titles), f"--digits={digits}"]
    words += [f"--{name}" for name in ("counts", "ascii") if asked.get(name)]
    out = files / f"shown.{kind}"
    if kind != "text" or asked.get("to_file"):
        words.append(f"--out={out}")
    said = run(words)
    has_classes = model.labels is not None
    if asked.get("counts") and not has_classes:
        if said.code != 2 or said.crash or "--counts" not in said.last:
            yield Mismatch("show counts classes that are not there", f"{said.code} {said.last} {said.crash}")
        return
    if said.crash or said.code:
        yield Mismatch("show fails", f"{said.code} {said.last} {said.crash[-600:]}")
        return
    content = load_model(model.path)
    tree, shown = with_titles(content.tree, titles), said.output
    if f"--out={out}" in words:
        data = out.read_bytes()
        if kind in PICTURES:
            if not data.startswith(PICTURES[kind]):
                yield Mismatch(f"show writes no {kind}", repr(data[:20]))
            return
        shown = data.decode()
    if kind == "svg":
        ElementTree.fromstring(shown)
        return
    costed = (
        tree if content.result is None else replace(content.result, tree=tree)
    )  # it knows what actions cost
    if kind == "dot":
        wanted = to_graphviz(costed, digits=digits or None)
        if shown.rstrip("\n") != wanted.rstrip("\n"):
            yield Mismatch("show writes another dot file", f"{shown[:600]} instead of {wanted[:600]}")
        return
    counts, ascii_only = bool(asked.get("counts")), bool(asked.get("ascii"))
    wanted = to_text(costed, digits=digits or None, counts=counts, ascii_only=ascii_only)
    if not shown.startswith(f"{wanted}\n\n"):
        yield Mismatch("show draws another tree", f"{shown[:600]} instead of {wanted[:600]}")
    result = content.result
    if result is not None and not shown.rstrip("\n").endswith(
        "\n".join([result.sentence(), *(f"Note: {text}" for text in result.notes)])
    ):
        yield Mismatch("show says another sentence", f"{shown[-600:]} instead of {result.sentence()}")
