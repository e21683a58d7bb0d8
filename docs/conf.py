"""How Sphinx builds the site: `make docs`."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]  # our extensions; the benchmarks package

project = "treewright"
author = "The treewright developers"
copyright = author
release = version = version_of("treewright")

extensions = [
    "accessible",
    "public_api",  # before autosummary, which reads the pages that it writes
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "certificate_sentences",
    "benchmark_tables",
    "command_help",
]
templates_path = ["_templates"]
exclude_patterns = ["_ext", "_templates"]
html_theme = "furo"
html_title = f"treewright {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False

# API pages. Types are in the docstrings, in words; the signatures show defaults.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# `name` in a docstring is a link if it is a public name, and code if not; everything else must resolve.
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:obj", ".*"), ("py:class", r"collections\.abc\..*")]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": ".*",  # every example runs
    "within_subsection_order": "gallery_parts.TutorialFirst",
    "image_scrapers": ("matplotlib", "gallery_parts.save_figures"),
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": False,  # run all, then fail
}
suppress_warnings = ["config.cache"]  # the gallery's settings hold a function
