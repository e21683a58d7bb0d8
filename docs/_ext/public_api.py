"""Write the API pages from the public names, so that no name can be forgotten.

Every package lists its names in ``__all__``; a page for each package and an index are written into ``docs/api`` before
autosummary looks for what to document. A name that ``treewright`` itself offers is documented there and linked from its
package.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import pkgutil
import re
import typing
from pathlib import Path
from typing import TYPE_CHECKING

import treewright

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

ENTRY = re.compile(r"^   (\w+)$", flags=re.MULTILINE)  # a line of autosummary
HIDDEN = {"cli"}  # has a page of its own: the command line
TEMPLATES = {"Classes": "class", "Enumerations": "enumeration", "Functions": "base", "Types": "base"}


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx's entry point."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("config-inited", write_pages)  # before Sphinx looks for its sources
    app.connect("autodoc-process-docstring", names_are_code, priority=100)  # before numpydoc reads it
    return {"parallel_read_safe": True}


def packages() -> list[str]:
    """Return the public packages and modules, in the order of the alphabet."""
    found = (info.name for info in pkgutil.iter_modules(treewright.__path__))
    return sorted(name for name in found if not name.startswith("_") and name not in HIDDEN)


def public_names(package: str) -> list[str]:
    """Return what a package offers."""
    return sorted(importlib.import_module(f"treewright.{package}").__all__)


def write_pages(app: Sphinx, _: Config) -> None:
    """Write one page for each package, one for the top level, and their index."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    top = [name for name in treewright.__all__ if name != "__version__"]
    home = {getattr(treewright, name): f"treewright.{name}" for name in top}
    pages = {"treewright": page("treewright", top, {})}
    for package in packages():
        pages[f"treewright.{package}"] = page(f"treewright.{package}", public_names(package), home)
    documented = {f"{module}.{name}" for module, text in pages.items() for name in ENTRY.findall(text)}
    for stub in (folder / "names").glob("*.rst"):
        if stub.stem not in documented:
            stub.unlink()  # of a name that was renamed or moved
    pages["index"] = index(list(pages))
    app.config.autosummary_generate = [f"api/{name}.rst" for name in pages]  # also those that are new
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # else Sphinx reads it again
            path.write_text(text, encoding="utf-8")


def page(module_name: str, names: list[str], elsewhere: dict[object, str]) -> str:
    """Return the page of a module: its docstring, then its names by kind."""
    module = importlib.import_module(module_name)
    lines = [module_name, "=" * len(module_name), "", inspect.getdoc(module) or "", ""]
    lines += [f".. currentmodule:: {module_name}", ""]
    kinds: dict[str, list[str]] = {kind: [] for kind in TEMPLATES}
    links = []
    for name in names:
        thing = getattr(module, name)
        known = (elsewhere.get(thing) if thing.__hash__ else None) or other_home(module_name, name, thing)
        if known is not None:
            links.append(f":py:obj:`{known}`")
        else:
            kinds[kind_of(thing)].append(name)
    if links:
        lines += ["Also here: " + ", ".join(links) + ".", ""]
    for kind, members in kinds.items():
        if members:
            lines += [kind, "-" * len(kind), "", ".. autosummary::", "   :toctree: names"]
            lines += [f"   :template: autosummary/{TEMPLATES[kind]}.rst", "   :nosignatures:", ""]
            lines += [*(f"   {name}" for name in members), ""]
    return "\n".join(lines)


def other_home(module_name: str, name: str, thing: object) -> str | None:
    """Return the name under which another package documents a thing that this one offers too."""
    if module_name == "treewright":
        return None
    package = str(getattr(thing, "__module__", "")).removeprefix("treewright.").partition(".")[0]
    if (
        f"treewright.{package}" == module_name
        or package not in packages()
        or name not in public_names(package)
    ):
        return None
    return f"treewright.{package}.{name}"


def names_are_code(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Keep fitted attributes in a type, "(n_features_in_,)", from being read as links."""
    for k, line in enumerate(lines):
        parameter, colon, kind = line.partition(" : ")
        if colon and parameter.strip(" *").replace(", ", "").isidentifier():
            lines[k] = parameter + colon + re.sub(r"(?<![\w`])([a-z]\w*_)(?![\w`])", r"``\1``", kind)


def kind_of(thing: object) -> str:
    """Return the heading under which a thing is listed."""
    if inspect.isclass(thing) and typing.get_origin(thing) is None:
        return "Enumerations" if issubclass(thing, enum.Enum) else "Classes"
    return "Functions" if inspect.isroutine(thing) else "Types"


def index(pages: list[str]) -> str:
    """Return the index: one line for each module."""
    lines = ["API", "===", "", "Every public name, by module; most programs need the first page only.", ""]
    for name in pages:
        summary = (
            (inspect.getdoc(importlib.import_module(name)) or "").partition("\n\n")[0].replace("\n", " ")
        )
        lines += [f":doc:`{name} <{name}>`", f"    {summary}"]
    lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {name}" for name in pages), ""]
    return "\n".join(lines)
