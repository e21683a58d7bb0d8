"""The rule of a leaf in words, each condition cut at its subject, for a page sets names apart."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.show._values import signed
from treewright.show._words import printable, typeset
from treewright.tree import Condition as LeafCondition
from treewright.tree import LinearCondition, Tree, leaf_conditions, subject

__all__ = ["Condition", "leaf_rule", "rule_words"]


@dataclass(frozen=True, slots=True)
class Condition:
    """What a leaf asks of one column (or of one sum): ``before`` + ``subject`` + ``after``."""

    before: str
    subject: str
    after: str


def leaf_rule(tree: Tree, leaf: int, digits: int | None) -> tuple[Condition, ...] | None:
    """Return the conditions of a leaf, each column once; () if it asks nothing, None if no row can get there."""
    return rule_words(tree, leaf_conditions(tree, leaf), digits)


def rule_words(
    tree: Tree, conditions: tuple[LeafCondition, ...] | None, digits: int | None
) -> tuple[Condition, ...] | None:
    """Return the conditions of a leaf cut at their subjects, as `leaf_rule` does."""
    if conditions is None:
        return None
    cut = []
    for condition in conditions:
        linear = isinstance(condition, LinearCondition)
        name = (
            subject(condition.split, tree.columns, digits)
            if isinstance(condition, LinearCondition)
            else tree.columns[condition.column].name
        )
        words = condition.words(tree.columns, digits)
        # An interval opens with a number; everything else with the name.
        start = 0 if linear or words.startswith(name + " ") else words.index(f" < {name} <= ") + 3
        after = words[start + len(name) :].strip()
        if isinstance(condition, LinearCondition):
            name = subject(condition.split, tree.columns, digits, plain=False)
        cut.append(Condition(signed(words[:start]), printable(name), typeset(printable(after))))
    return tuple(cut)
