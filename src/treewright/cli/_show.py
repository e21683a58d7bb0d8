"""`treewright show`: a saved tree as text, Graphviz source or a picture."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli._exits import exits_by_code
from treewright.cli._options import ASCII, Digits, ModelPath, TitlesFile
from treewright.cli._output import note, put, say
from treewright.cli._wording import tree_text
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Model
    from treewright.result import SolveResult
    from treewright.tree import Tree

__all__ = ["show"]

PICTURES = ("png", "svg", "pdf")
FORMATS = ("text", "dot", *PICTURES)
BY_SUFFIX = {".txt": "text", ".dot": "dot", ".gv": "dot", **{f".{name}": name for name in PICTURES}}


@exits_by_code
def show(
    model: ModelPath,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; its extension decides the format.")
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", "-f", help="One of text, dot, png, svg, pdf.", show_default="text"),
    ] = None,
    digits: Digits = 6,
    counts: Annotated[bool, typer.Option("--counts", help="Text: add the weight of each class.")] = False,
    orientation: Annotated[str, typer.Option(help="Pictures: 'down', 'right' or 'auto'.")] = "auto",
    dpi: Annotated[int, typer.Option(help="Resolution of a PNG picture.", min=20, max=1200)] = 150,
    columns: TitlesFile = None,
    ascii_only: ASCII = False,
) -> None:
    """Show a saved tree and what is proven about it.

    Pictures need matplotlib: pip install 'treewright[plot]'.

    \b
    Examples:
      treewright show model.json
      treewright show model.json --out tree.svg
      treewright show model.json --format dot | dot -Tpdf > tree.pdf

    Exit codes: 0 done, 2 bad input.
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import check_writable, load_model, write_bytes
    from treewright.show import with_titles

    kind = _format(format_, out)
    if kind in PICTURES and out is None:
        raise InputError(f"A {kind} picture needs a file: add --out tree.{kind}.")
    if out is not None:
        check_writable(out)
    content = load_model(model)
    drawn = with_titles(content.tree if content.result is None else content.result, columns)
    if counts and content.tree.classes is None:
        raise InputError(
            f"--counts: this is a {content.tree.kind.value} tree, which has no classes; leave it out."
        )
    if kind in PICTURES:
        from treewright.show import tree_figure

        figure = tree_figure(drawn, orientation=orientation, digits=digits or None)  # type: ignore[arg-type]
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=dpi)
        picture = buffer.getvalue()
    else:
        picture = _text(content, drawn, kind, digits, counts, ascii_only).encode("utf-8")
    if out is None:
        text = picture.decode("utf-8").rstrip("\n")
        if kind == "text":
            say(text)
        else:
            put(text + "\n")
        return
    write_bytes(out, picture)
    note(f"Wrote {out}.")


def _text(
    model: Model, drawn: Tree | SolveResult, kind: str, digits: int, counts: bool, ascii_only: bool
) -> str:
    if kind == "dot":
        from treewright.show import to_graphviz

        return to_graphviz(drawn, digits=digits or None)
    from treewright.tree import leaves_in_words

    lines = [tree_text(drawn, ascii_only, digits=digits or None, counts=counts), ""]
    result = model.result
    if result is None:
        lines.append(f"{leaves_in_words(model.tree)}; nothing is claimed about this tree.")
    else:
        lines += [result.sentence(), *(f"Note: {text}" for text in result.notes)]
    return "\n".join(lines) + "\n"


def _format(format_: str | None, out: Path | None) -> str:
    if format_ is not None:
        if format_ not in FORMATS:
            raise InputError(f"--format {format_!r}; choose one of {', '.join(FORMATS)}.")
        if out is not None and BY_SUFFIX.get(out.suffix.lower(), format_) != format_:
            raise InputError(
                f"--format {format_}, but the name {out} is that of {BY_SUFFIX[out.suffix.lower()]}. Leave --format "
                "out, or name another file."
            )
        return format_
    if out is None:
        return "text"
    if out.suffix.lower() not in BY_SUFFIX:
        raise InputError(
            f"--out {out} has an ending that names no format; use one of {', '.join(BY_SUFFIX)}, or --format."
        )
    return BY_SUFFIX[out.suffix.lower()]
