"""A contract for import-linter: no package imports a module of another one whose name begins with ``_``.

What other packages of the library use of a package stands in its ``__init__.py``: public names in ``__all__``, others
as ``from ... import name as name``.
"""

from __future__ import annotations

from typing import Any

from importlinter import Contract, ContractCheck, fields, output

__all__ = ["PrivateModules"]


class PrivateModules(Contract):  # type: ignore[misc]  # without type hints
    """Packages keep their private modules to themselves.

    The only option is `but`: packages whose private modules some packages may name, as
    ``importing package -> imported package``.
    """

    type_name = "private_modules"
    but = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        """Find the imports that are not allowed."""
        allowed = {tuple(part.strip() for part in entry.split("->")) for entry in self.but or ()}
        found = []
        for imported in sorted(graph.modules):
            parts = imported.split(".")
            if len(parts) < 3 or not parts[2].startswith("_"):
                continue
            package = ".".join(parts[:2])
            for importer in sorted(graph.find_modules_that_directly_import(imported)):
                own = ".".join(importer.split(".")[:2])
                if own != package and (own, package) not in allowed:
                    found.append(f"{importer} -> {imported}")
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print them."""
        for line in check.metadata["found"]:
            output.print_error(line)
