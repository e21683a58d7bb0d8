"""From facts to HTML: the templates, what may be written in them, and the lock on the finished page.

Every text passes Jinja's autoescape; names also lose their control characters and stand in an element that keeps
right-to-left text from turning its surroundings. The content security policy of the page allows exactly its own style
and its own program, by their hashes, and no request at all: a mistake in escaping could not run anything either.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from treewright.show._breaks import breakable
from treewright.show._report._steps import Picture
from treewright.show._values import signed
from treewright.show._words import percent, printable

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render_choose", "render_fragment", "render_page", "render_table"]

WHOLE = r'<span class="whole">\g<0></span>'
# No line ends between a sign, its number and the unit of the number.
COMPARED = re.compile(r"^(?:≤|≥|&lt;|&gt;) [^\s&<>]{1,16}(?: (?!or\b|and\b)[^\s&<>]{1,8}(?!\S))?")
FIGURES = re.compile(r"[^\s;]+ (?:to|of) [^\s;]+;?")
# 3e-13, X-ray, 2024-01-15: a browser would break the line behind the hyphen, or the slash.
NOT_BROKEN = re.compile(
    r"[0-9][0-9.]*e-[0-9]+|(?<![\w&#;-])[^\W\d_]-\w{1,16}|(?<![\d/-])\d{1,4}(?:[/-]\d{1,4}){1,2}(?![\d/-])"
)


def render_page(picture: Picture, **facts: Any) -> str:
    """Return the report as one HTML document."""
    style = "\n".join([_file("tree.css"), _size(picture), _colours(picture), _file("page.css")])
    script = _script("page.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            picture=picture,
            style=style,
            style_hash=_hash(style),
            script=script,
            script_hash=_hash(script),
            **facts,
        )
    )


def render_choose(**facts: Any) -> str:
    """Return the page for choosing among trees as one HTML document."""
    style = "\n".join([_file("tree.css"), _file("page.css"), _file("choose.css")])
    script = _script("choose.js")
    template = _environment().get_template("choose.html")
    return template.render(
        style=style, style_hash=_hash(style), script=script, script_hash=_hash(script), **facts
    )


def render_fragment(picture: Picture, sentence: str, parameters: str) -> str:
    """Return the tree as a piece of HTML for a notebook: no id, no script, styles of its own."""
    style = "\n".join([_file("tree.css"), _size(picture), _colours(picture), _file("notebook.css")])
    template = _environment().get_template("notebook.html")
    return template.render(picture=picture, style=style, sentence=sentence, parameters=parameters)


def render_table(
    title: str, sentence: str, head: Sequence[str], lines: Sequence[Sequence[str]], rest: str
) -> str:
    """Return a table as a piece of HTML for a notebook, as `render_fragment` does a tree."""
    style = "\n".join([_file("tree.css"), _file("notebook.css")])
    template = _environment().get_template("notebook_table.html")
    return template.render(style=style, title=title, sentence=sentence, head=head, lines=lines, rest=rest)


def _script(own: str) -> str:
    """Return the program of a page, after what all pages have."""
    return _file("names.js") + _file("links.js") + _file(own)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_file),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        name=_name, pieces=_pieces, plain=printable, percent=percent, thousands=_thousands, shown=_shown
    )
    return made


@cache
def _file(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _colours(picture: Picture) -> str:
    """Colours of the classes; the number of classes is in the selector, for several trees on one page."""
    palette = f".tw-palette-{len(picture.colours)}"
    return "\n".join(
        f"{palette} .tw-class-{k} {{ --class: {colour}; }} {palette} .tw-fill-{k} {{ fill: {colour}; }}"
        for k, colour in enumerate(picture.colours)
    )


def _size(picture: Picture) -> str:
    """Widths of one picture, and from where on it is an outline; the widths are in the name of the class."""
    own = f".treewright .{picture.size}"
    widths = f"{own} {{ --edge: {picture.edge}em; --box: {picture.box}em; --wide: {picture.wide:.1f}; }}"
    outline = _file("outline.css").replace("PICTURE", f".{picture.size}")
    return f"{widths}\n@container (max-width: {picture.outline_below:.1f}rem) {{\n{outline}}}"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _name(text: str) -> Any:
    from markupsafe import Markup

    pieces = [
        Markup(COMPARED.sub(WHOLE, NOT_BROKEN.sub(WHOLE, str(Markup.escape(piece)))))
        for piece in breakable(printable(text))
    ]
    return Markup("<bdi>{}</bdi>").format(Markup("<wbr>").join(pieces))


def _pieces(text: str) -> Any:
    """Counts and intervals of a line of figures, each on one line: "20 of 60; 22.7% to 45.9%"; units may follow."""
    from markupsafe import Markup, escape

    return Markup(FIGURES.sub(WHOLE, str(escape(text))))


def _thousands(count: int) -> str:
    return f"{count:,}"


def _shown(number: float) -> str:
    return signed(f"{number:.6g}")
