"""How each form of `treewright reborn` ends: the tree is shown, and what is said of every row is proven once more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from treewright.cli._output import note, say
from treewright.cli._stop import stop_code, stop_word
from treewright.cli._wording import tree_text

if TYPE_CHECKING:
    from treewright.tree import Tree

__all__ = ["prove_again", "say_stopped", "show_tree"]

SHOWN_LEAVES = 64  # larger trees are not printed

Proof = TypeVar("Proof")


def say_stopped(out: Path | None, found: str = "The best tree found so far") -> None:
    """Say that a signal ended the search, and what becomes of the tree."""
    note(f"{stop_word()}. {found} {f'is saved to {out}.' if out else 'follows.'}")


def show_tree(tree: Tree, ascii_only: bool, titles: Path | None = None) -> None:
    """Print a tree that a person can read, with the names of its columns that a file of settings holds."""
    if tree.n_leaves <= SHOWN_LEAVES:
        say(tree_text(tree, ascii_only, titles))
    else:
        say(f"A tree of {tree.n_leaves:,} leaves is not printed.")
    say()


def prove_again(proof: Callable[[], Proof], *, saved: bool) -> Proof:
    """Return a proof by independent code, made after the tree has been written and shown.

    Raises
    ------
    typer.Exit
        With code 130 or 143 if a signal came before its end.
    """
    try:
        return proof()
    except KeyboardInterrupt:
        note(
            f"{stop_word()} before the check by independent code ended.{' The tree is saved.' if saved else ''}"
        )
        raise typer.Exit(stop_code()) from None
