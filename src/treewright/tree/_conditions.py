"""The conditions of a leaf: the splits on its path, with those on the same column merged into one condition.

On the path ``age <= 60``, ``sex = f``, ``age > 40`` the two conditions on age become one interval. Rules in words
and SQL are made from these conditions. A merged condition is exact, also for ties and missing values: a missing value
passes if it passes every split that was merged. The cost is linear in the length of the path.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from treewright.tree._column import Column, ColumnKind
from treewright.tree._split import (
    CategorySplit,
    LinearSplit,
    Split,
    ThresholdSplit,
    describe,
    number_words,
    with_unit,
)
from treewright.tree._tree import Tree, leaf_path, path_nodes

__all__ = [
    "CategoryCondition",
    "Condition",
    "IntervalCondition",
    "LinearCondition",
    "all_leaf_conditions",
    "leaf_conditions",
    "left_codes",
    "path_in_words",
]


@dataclass(frozen=True, slots=True)
class IntervalCondition:
    """Condition that known values pass if ``low < x <= high``.

    Parameters
    ----------
    column : int
        Position of the column in the table.
    low, high : float or None, default=None
        Limits, in units of the column; None means no limit.
    missing : bool, default=True
        Whether a missing value passes.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.tree import leaf_conditions
    >>> tree = OptimalTreeClassifier().fit([[20], [30], [40]], ["no", "no", "yes"]).tree_
    >>> leaf_conditions(tree, 1)
    (IntervalCondition(column=0, low=None, high=35.0, missing=True),)
    """

    column: int
    low: float | None = None
    high: float | None = None
    missing: bool = True

    @property
    def is_never(self) -> bool:
        """Whether nothing passes."""
        return not self.missing and not self.some_known

    @property
    def some_known(self) -> bool:
        """Whether any known value passes."""
        return self.low is None or (math.inf if self.high is None else self.high) > self.low

    @property
    def is_always(self) -> bool:
        """Whether everything passes."""
        return self.missing and self.low is None and (self.high is None or self.high == math.inf)

    def words(self, columns: Sequence[Column], digits: int | None = None) -> str:
        """Return the condition in words: ``40 < age <= 60 or missing``.

        Parameters
        ----------
        columns : sequence of Column
            All columns of the table.
        digits : int or None, default=None
            Significant digits of numbers; None writes them in full.

        Returns
        -------
        str
        """
        name = columns[self.column].name
        if not self.some_known:
            return f"{name} is missing" if self.missing else f"{name} is neither known nor missing"
        if self.low is None:
            high = math.inf if self.high is None else self.high
            return describe(ThresholdSplit(self.column, high, self.missing), columns, True, digits)
        if self.high is None or self.high == math.inf:
            return describe(ThresholdSplit(self.column, self.low, not self.missing), columns, False, digits)
        unit = columns[self.column].unit
        above, up_to = (with_unit(number_words(x, digits), unit) for x in (self.low, self.high))
        text = f"{above} < {name} <= {up_to}"
        return f"{text} or missing" if self.missing and columns[self.column].has_missing else text


@dataclass(frozen=True, slots=True)
class CategoryCondition:
    """Condition that known values pass if their category is one of `codes`.

    Parameters
    ----------
    column : int
        Position of the column in the table.
    codes : tuple of int
        Codes of the categories, ascending.
    others : bool, default=True
        Whether a category that is not in the schema passes.
    missing : bool, default=True
        Whether a missing value passes.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.tree import leaf_conditions
    >>> X = pd.DataFrame({"town": ["Bern", "Bern", "Ulm"]})
    >>> tree = OptimalTreeClassifier().fit(X, ["no", "no", "yes"]).tree_
    >>> leaf_conditions(tree, 1)
    (CategoryCondition(column=0, codes=(0,), others=False, missing=True),)
    """

    column: int
    codes: tuple[int, ...]
    others: bool = True
    missing: bool = True

    @property
    def is_never(self) -> bool:
        """Whether nothing passes."""
        return not self.missing and not self.codes and not self.others

    def is_always(self, columns: Sequence[Column]) -> bool:
        """Whether everything passes.

        Parameters
        ----------
        columns : sequence of Column
            All columns of the table.

        Returns
        -------
        bool
        """
        return self.missing and self.others and len(self.codes) == len(columns[self.column].categories)

    def words(self, columns: Sequence[Column], digits: int | None = None) -> str:
        """Return the condition in words: ``colour in {blue, red} or missing``.

        Parameters
        ----------
        columns : sequence of Column
            All columns of the table.
        digits : int or None, default=None
            Not used: categories are not numbers.

        Returns
        -------
        str
        """
        return describe(CategorySplit(self.column, self.codes, self.missing), columns, True, digits)


@dataclass(frozen=True, slots=True)
class LinearCondition:
    """Condition that a row goes to one side of a linear split.

    Parameters
    ----------
    split : LinearSplit
    goes_left : bool
        Whether rows that go left pass, or those that go right.

    Examples
    --------
    >>> from treewright.tree import LinearCondition, LinearSplit
    >>> LinearCondition(LinearSplit((0, 1), (1.0, -1.0), 0.0), goes_left=True).split.columns
    (0, 1)
    """

    split: LinearSplit
    goes_left: bool

    def words(self, columns: Sequence[Column], digits: int | None = None) -> str:
        """Return the condition in words: ``2*a - b <= 1``.

        Parameters
        ----------
        columns : sequence of Column
            All columns of the table.
        digits : int or None, default=None
            Significant digits of numbers; None writes them in full.

        Returns
        -------
        str
        """
        return describe(self.split, columns, self.goes_left, digits)


Condition = IntervalCondition | CategoryCondition | LinearCondition


def leaf_conditions(tree: Tree, leaf: int) -> tuple[Condition, ...] | None:
    """Return the conditions that a row must meet to reach `leaf`: one per column, and one per linear split.

    Parameters
    ----------
    tree : Tree
    leaf : int
        Number of a node; it need not be a leaf.

    Returns
    -------
    tuple of Condition, or None
        In the order in which the columns first appear on the path. Conditions that every value passes are left out.
        None if no row can reach the node.

    See Also
    --------
    all_leaf_conditions : for all leaves of a tree, without walking each path from the root.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.tree import leaf_conditions
    >>> tree = OptimalTreeClassifier(max_depth=2, cost_complexity=0).fit([[1], [2], [3]], [0, 1, 0]).tree_
    >>> [leaf_conditions(tree, leaf)[0] for leaf in range(len(tree.splits)) if tree.splits[leaf] is None][1]
    IntervalCondition(column=0, low=1.5, high=2.5, missing=True)
    """
    merged: dict[object, Condition] = {}
    for split, goes_left in leaf_path(tree, leaf):
        key = _key(split, goes_left)
        merged[key] = _merge(tree.columns, merged.get(key), split, goes_left)
    return _kept(merged, tree.columns)


def path_in_words(tree: Tree, leaf: int, digits: int | None = None) -> list[str]:
    """Return the conditions on the path to a node, one for each split; of known values, nothing about missing ones."""
    return [
        describe(split, tree.columns, left, digits, tree.known_columns[node])
        for node, (split, left) in zip(path_nodes(tree, leaf)[:-1], leaf_path(tree, leaf), strict=True)
    ]


def all_leaf_conditions(tree: Tree) -> Iterator[tuple[int, tuple[Condition, ...] | None]]:
    """Yield each leaf, from left to right, with its `leaf_conditions`.

    Parameters
    ----------
    tree : Tree

    Yields
    ------
    leaf : int
        Number of the node.
    conditions : tuple of Condition, or None

    Notes
    -----
    The tree is traversed once: each step merges one split, and undoes it on the way back. The cost is therefore linear
    in the size of the result, also for a tree that is one long chain.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.tree import all_leaf_conditions
    >>> tree = OptimalTreeClassifier().fit([[20], [30], [40]], ["no", "no", "yes"]).tree_
    >>> for leaf, conditions in all_leaf_conditions(tree):
    ...     print(leaf, conditions[0].low, conditions[0].high)
    1 None 35.0
    2 35.0 None
    """
    merged: dict[object, Condition] = {}
    undo: list[tuple[object, Condition | None]] = []  # one per step of the path to the current node
    pending: list[tuple[int, int, Split | None, bool]] = [(0, 0, None, True)]
    while pending:
        node, depth, above, goes_left = pending.pop()
        while len(undo) >= max(depth, 1):
            key, before = undo.pop()
            if before is None:
                del merged[key]
            else:
                merged[key] = before
        if above is not None:
            key = _key(above, goes_left)
            before = merged.get(key)
            undo.append((key, before))
            merged[key] = _merge(tree.columns, before, above, goes_left)
        split = tree.splits[node]
        if split is None:
            yield node, _kept(merged, tree.columns)
        else:
            pending.append((int(tree.children_right[node]), depth + 1, split, False))
            pending.append((int(tree.children_left[node]), depth + 1, split, True))


def _key(split: Split, goes_left: bool) -> object:
    """Return the key of a split: splits with the same key, which are those on the same column, are merged."""
    return (split, goes_left) if isinstance(split, LinearSplit) else split.column


def _merge(columns: Sequence[Column], known: Condition | None, split: Split, goes_left: bool) -> Condition:
    """Return the condition of a split, merged with that of the earlier splits on the same column."""
    if isinstance(split, LinearSplit):
        return LinearCondition(split, goes_left)
    passes_missing = split.missing_left == goes_left
    column = columns[split.column]
    if isinstance(split, CategorySplit) or column.kind is ColumnKind.CATEGORICAL:
        left, others_left = left_codes(split, column)
        known = known or CategoryCondition(split.column, tuple(range(len(column.categories))))
        assert isinstance(known, CategoryCondition)  # the kind of the column decides
        return CategoryCondition(
            split.column,
            tuple(code for code in known.codes if (code in left) == goes_left),
            known.others and others_left == goes_left,
            known.missing and passes_missing,
        )
    interval = known or IntervalCondition(split.column)
    assert isinstance(interval, IntervalCondition)
    interval = replace(interval, missing=interval.missing and passes_missing)
    if goes_left:
        return replace(
            interval, high=split.threshold if interval.high is None else min(interval.high, split.threshold)
        )
    return replace(
        interval, low=split.threshold if interval.low is None else max(interval.low, split.threshold)
    )


def _kept(merged: dict[object, Condition], columns: Sequence[Column]) -> tuple[Condition, ...] | None:
    """Return the conditions that exclude some value; None if nothing passes one of them."""
    kept = []
    for condition in merged.values():
        if not isinstance(condition, LinearCondition) and condition.is_never:
            return None
        if isinstance(condition, IntervalCondition) and condition.is_always:
            continue
        if isinstance(condition, CategoryCondition) and condition.is_always(columns):
            continue
        kept.append(condition)
    return tuple(kept)


def left_codes(split: ThresholdSplit | CategorySplit, column: Column) -> tuple[frozenset[int], bool]:
    """Return the category codes that go left, and whether an unknown category (its code is above all known ones) does.

    Parameters
    ----------
    split : ThresholdSplit or CategorySplit
        A split on a categorical column.
    column : Column

    Returns
    -------
    codes : frozenset of int
    unknown_left : bool
    """
    if isinstance(split, CategorySplit):
        return frozenset(split.left), False
    codes = range(len(column.categories))
    return frozenset(k for k in codes if k <= split.threshold), split.threshold == math.inf
