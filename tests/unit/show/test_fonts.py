"""Letters that the usual font lacks are drawn with another installed one; what none has is told once, in words."""

import warnings

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from treewright import OptimalTreeClassifier
from treewright.errors import MissingLettersWarning
from treewright.show import _fonts, plot_tree


@pytest.fixture
def latin_only():
    """A usual font without Cyrillic letters: matplotlib's own cmr10."""
    _fonts._families.cache_clear()
    with mpl.rc_context({"font.family": ["cmr10"], "axes.formatter.use_mathtext": True}):
        yield
    _fonts._families.cache_clear()


def model():
    return OptimalTreeClassifier().fit([[20], [30], [40]], ["нет", "нет", "да"])


def test_another_installed_font_covers_the_letters(latin_only):
    assert _fonts.families_for("yes") == ["cmr10"]
    first, other = _fonts.families_for("да")
    assert first == "cmr10"
    assert other != first
    figure = Figure()
    axes = plot_tree(model(), figure.subplots())
    assert {tuple(text.get_fontfamily()) for text in axes.texts if "да" in text.get_text()} == {
        ("cmr10", other)
    }
    figure.canvas.draw()  # matplotlib warns of letters that it cannot draw, and warnings are errors in tests


def test_what_no_font_has_is_told_once(latin_only, monkeypatch):
    monkeypatch.setattr(_fonts, "_installed", tuple)
    with pytest.warns(MissingLettersWarning, match="No installed font has а д, so boxes are drawn"):
        assert _fonts.families_for("да") == ["cmr10"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _fonts.families_for("да")


def test_matplotlib_does_not_repeat_what_was_told(latin_only, monkeypatch):
    monkeypatch.setattr(_fonts, "_installed", tuple)
    monkeypatch.setattr(_fonts, "_named", set())
    figure = Figure()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        plot_tree(model(), figure.subplots())
        figure.canvas.draw()
    assert {warning.category for warning in told} == {MissingLettersWarning}


def test_last_resort_fonts_do_not_count():
    assert not [font for font in _fonts._installed() if font.name.startswith("Last Resort")]
