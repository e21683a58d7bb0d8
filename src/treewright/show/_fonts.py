"""Fonts for letters that matplotlib's own font lacks, such as those of Chinese, Japanese, Korean or Thai names.

matplotlib draws a letter with the first font of a text's families that has it, and a box if none has. The families are
therefore extended by installed fonts until every letter is covered; a font is read only if a letter is missing. What no
installed font has is told in one warning, and matplotlib's own of the same letters are switched off: it repeats them at
every drawing. matplotlib before 3.11 neither joins nor turns letters that are written from
the right: for Arabic and Hebrew the notebook's picture and the report, drawn by the browser, are then better.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable
from functools import cache
from typing import Any

from treewright.errors import MissingLettersWarning

__all__ = ["cover_letters", "families_for"]

SHOWN = 6
_named: set[str] = set()  # letters that no installed font has


def families_for(text: str) -> list[str]:
    """Return the font families that have all letters of a text as far as installed fonts do, the usual ones first."""
    import matplotlib as mpl

    families = _families(frozenset(text), tuple(mpl.rcParams["font.family"]))
    for letter in _named.intersection(text):
        warnings.filterwarnings("ignore", message=f"Glyph {ord(letter)} ")
    return list(families)


def cover_letters(artist: Any) -> None:
    """Give every text of a figure or axes the families that its letters need."""
    from matplotlib.text import Text

    for text in artist.findobj(Text):
        wanted = families_for(text.get_text())
        if len(wanted) > len(text.get_fontfamily()):
            text.set_fontfamily(wanted)


@cache
def _families(letters: frozenset[str], usual: tuple[str, ...]) -> tuple[str, ...]:
    from matplotlib.font_manager import FontProperties, findfont

    codes = {ord(letter) for letter in letters if letter.isprintable()}
    for family in usual:
        codes -= _covered(findfont(FontProperties(family=[family])))
    found = list(usual)
    if not codes:
        return usual
    for font in _installed():
        has = codes & _covered(font.fname)
        if has:
            found.append(font.name)
            codes -= has
        if not codes:
            break
    _warn_of(codes)
    return tuple(found)


@cache
def _installed() -> tuple[Any, ...]:
    """Return the upright fonts, also those that were installed after matplotlib had made its list."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    for path in sorted({*findSystemFonts()} - {font.fname for font in fontManager.ttflist}):
        with contextlib.suppress(
            OSError, RuntimeError, ValueError, NotImplementedError
        ):  # no font for matplotlib
            fontManager.addfont(path)
    usable = (font for font in fontManager.ttflist if not font.name.startswith("Last Resort"))
    return tuple(sorted((font for font in usable if font.style == "normal"), key=_preference))


def _preference(font: Any) -> tuple[bool, bool, str]:
    """Fonts without serifs and of usual weight first."""
    return "sans" not in font.name.lower(), str(font.weight) not in ("400", "normal", "regular"), font.name


@cache
def _covered(path: str) -> frozenset[int]:
    """Codes of the letters that a font has; none if it cannot be read, as fonts of coloured pictures cannot."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):
        return frozenset()


def _warn_of(codes: Iterable[int]) -> None:
    letters = sorted(map(chr, codes))
    _named.update(letters)
    if letters:
        shown = " ".join(letters[:SHOWN]) + (
            f" and {len(letters) - SHOWN} more" if len(letters) > SHOWN else ""
        )
        warnings.warn(
            f"No installed font has {shown}, so boxes are drawn in their place. Install a font that has them, such as "
            "Noto Sans of that script; the notebook's picture and the report use the browser's fonts.",
            MissingLettersWarning,
            stacklevel=2,
        )
