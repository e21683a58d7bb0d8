"""Writes the badges of the README to docs/images from what pyproject.toml says; a test says if they are out of date.

    python tools/write_badges.py

They are files of the repository and load nothing from elsewhere. What only a running service knows, such as whether the
last tests passed, has no badge: a picture in the repository would say it for ever.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parent.parent
LETTER, PAD = 6.6, 8  # width of a letter of the font at this size, and of the space beside a word


def badges() -> dict[str, str]:
    """The badges as SVG, by the names of their files."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = content["project"]
    said = {
        "badge_licence.svg": ("licence", project["license"]),
        "badge_python.svg": ("python", project["requires-python"].replace(">=", "") + " or newer"),
    }
    if content["tool"]["mypy"]["strict"]:
        said["badge_types.svg"] = ("types", "mypy strict")
    return {name: badge(*words) for name, words in said.items()}


def badge(label: str, text: str) -> str:
    """A label on grey and what it says on blue."""
    left, right = (round(LETTER * len(word)) + 2 * PAD for word in (label, text))
    words = "".join(
        f'<text x="{x + PAD}" y="14" textLength="{width - 2 * PAD}">{escape(word)}</text>'
        for word, x, width in ((label, 0, left), (text, left, right))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{escape(label)}: {escape(text)}">'
        f'<rect width="{left + right}" height="20" rx="3" fill="#0b5394"/>'
        f'<path d="M3 0h{left - 3}v20h-{left - 3}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3" fill="#444"/>'
        f'<g fill="#fff" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11">{words}</g></svg>\n'
    )


if __name__ == "__main__":
    for name, svg in badges().items():
        (ROOT / "docs" / "images" / name).write_text(svg, encoding="utf-8")
