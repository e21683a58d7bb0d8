"""What a leaf asks of each column: the splits on its path, those on one column merged into one condition.

On a path ``age <= 60``, ``sex = f``, ``age > 40`` the two conditions on age are one interval. Rules in words
and SQL are made of these. A merged condition is exact, ties and missing values included: a missing value
passes if it passes every split that was merged. Cost: the length of the path.
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
from treewright.tree._tree import Tree, leaf_path

__all__ = [
    "CategoryCondition",
    "Condition",
    "IntervalCondition",
    "LinearCondition",
    "all_leaf_conditions",
    "leaf_conditions",
    "left_codes",
]


@dataclass(frozen=True, slots=True)
class IntervalCondition:
    """Known values pass if ``low < x <= high``.

    Parameters
    ----------
    column : int
    low, high : float or None, default=None
        None is no limit.
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
        digits : int or None, default=None
            Significant digits of numbers; None writes them in full.
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
    """Known values pass if their category is one of `codes`.

    Parameters
    ----------
    column : int
    codes : tuple of int
        Ascending.
    others : bool, default=True
        Whether a category passes that the schema does not know.
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
        digits : int or None, default=None
            Not used: categories are not numbers.
        """
        return describe(CategorySplit(self.column, self.codes, self.missing), columns, True, digits)


@dataclass(frozen=True, slots=True)
class LinearCondition:
    """One side of a linear split.

    Parameters
    ----------
    split : LinearSplit
    goes_left : bool

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
        digits : int or None, default=None
            Significant digits of numbers; None writes them in full.
        """
        return describe(self.split, columns, self.goes_left, digits)


Condition = IntervalCondition | CategoryCondition | LinearCondition


def leaf_conditions(tree: Tree, leaf: int) -> tuple[Condition, ...] | None:
    """Return what a row must fulfil to fall into `leaf`: one condition per column, linear splits by themselves.

    Parameters
    ----------
    tree : Tree
    leaf : int
        Number of a node; any node will do.

    Returns
    -------
    tuple of Condition, or None
        In the order in which the path asks first; conditions that everything passes are left out. None if no
        row can get there.

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
    One walk over the tree: a step merges one split and undoes it on the way back, so the cost is that of the
    answer, also for a tree that is one long chain.

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
    undo: list[tuple[object, Condition | None]] = []  # one a step of the path to the node at hand
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
    """Splits with the same key are merged: those on one column."""
    return (split, goes_left) if isinstance(split, LinearSplit) else split.column


def _merge(columns: Sequence[Column], known: Condition | None, split: Split, goes_left: bool) -> Condition:
    """The condition of one more split, together with that of the splits before on the same column."""
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
    """The conditions that say something; None if nothing passes one of them."""
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
    """Return the codes that go left, and whether an unknown category does (its code is above all known ones).

    Parameters
    ----------
    split : ThresholdSplit or CategorySplit
        On a categorical column.
    column : Column
    """
    if isinstance(split, CategorySplit):
        return frozenset(split.left), False
    codes = range(len(column.categories))
    return frozenset(k for k in codes if k <= split.threshold), split.threshold == math.inf
