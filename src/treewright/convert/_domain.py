"""The part of the feature space that a statement about an ensemble is for: ranges of columns, whole numbers.

Faithful everywhere is more than most people ask: no age is -3 or 41.5. Within a domain a split ``x <= t`` of a column
with values from `low` to `high` sends all of them left if t >= high, and none if t < low: it is no split there. Of
whole numbers ``x <= t`` asks ``x <= floor(t)``, so thresholds between the same two numbers are one. Both change no
decision inside, and leave fewer cells, which is what the exact methods pay for. A missing value is in every domain,
but not in the columns of a group.

A group is the columns that one column of categories became: exactly one of them is 1 (or at most one, where a category
was dropped), and the others are 0. Rows of two categories at once are outside.

`restrict` rewrites trees so; the verifier does not use it, but reads the domain and the trees as they came.

Longer than 400 lines: one class with its groups of columns, and what can be asked of it is written at each method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import numbers_of
from treewright.convert._encoder_groups import check_named, encoder_groups
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert._ensemble_tree import EnsembleTree

__all__ = ["Domain", "check_first_domain", "restrict", "without_known_questions"]


@dataclass(frozen=True, eq=False)
class Domain:
    """The rows whose values lie in a range for each column, and are whole numbers in the columns marked as such.

    Parameters
    ----------
    low, high : ndarray of shape (n_features,), float64
        Both ends belong to the range; -inf and inf mean no limit. In columns of integers they are moved to the nearest
        integer inside.
    integer : ndarray of shape (n_features,), bool
        Columns of whole numbers.
    one_hot : tuple of tuple of int, default=()
        Groups of columns of which exactly one is 1 and the others are 0. A column whose `high` is 0 is never the one.
    at_most_one : tuple of tuple of int, default=()
        Groups of columns of which at most one is 1.

    Raises
    ------
    InputError
        If the arrays differ in length, a column has no possible value, or a group is not valid: a column is in two
        groups, or fewer than two of its columns can be 1.

    Examples
    --------
    >>> from treewright.bornagain import Domain
    >>> domain = Domain.of(["age", "income"], {"age": (0, 120)}, integers=["age"])
    >>> domain.contains([[41.0, 5e4], [41.5, 5e4], [130.0, 5e4]]).tolist()
    [True, False, False]
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    integer: NDArray[np.bool_]
    one_hot: tuple[tuple[int, ...], ...] = ()
    at_most_one: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        integer = _truth_values(self.integer)
        low, high = (np.array(numbers_of(name, getattr(self, name))) for name in ("low", "high"))
        if low.ndim != 1 or not low.shape == high.shape == integer.shape:
            raise InputError("low, high and integer of a domain must be lists of one entry per column.")
        for name in ("one_hot", "at_most_one"):
            object.__setattr__(self, name, _positions(name, getattr(self, name)))
        for group in self.groups:
            here = [j for j in group if 0 <= j < len(low)]
            low[here], high[here] = np.maximum(low[here], 0.0), np.minimum(high[here], 1.0)
            integer[here] = True
        low, high = np.where(integer, np.ceil(low), low), np.where(integer, np.floor(high), high)
        _check_groups(self.one_hot, self.at_most_one, low, high)
        empty = np.flatnonzero(~(low <= high) | (low == np.inf) | (high == -np.inf))  # NaN, too
        if len(empty):
            j = int(empty[0])
            raise InputError(
                f"Column {j} of the domain goes from {self.low[j]} to {self.high[j]}, where there is no value; give "
                "low <= high" + (", with a whole number between." if integer[j] else ".")
            )
        for name, value in (("low", low), ("high", high), ("integer", integer)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        ranges: Mapping[str, tuple[float, float]] | None = None,
        *,
        integers: Sequence[str] = (),
        one_hot: Sequence[Sequence[str]] = (),
        at_most_one: Sequence[Sequence[str]] = (),
    ) -> Domain:
        """Make a domain from names of columns; columns that are not named may have any value.

        Parameters
        ----------
        names : sequence of str
            All columns, in order; ``ensemble.feature_names``.
        ranges : mapping from str to (low, high), optional
        integers : sequence of str, default=()
            Columns of whole numbers.
        one_hot, at_most_one : sequence of sequence of str, default=()
            Groups of columns, each made from one column of categories: exactly one of them is 1, or at most one.

        Returns
        -------
        Domain

        Raises
        ------
        InputError
            If a column does not exist, is in two groups, or is alone in a group of `one_hot`.
        """
        limits = {name: _pair(name, ends) for name, ends in dict(ranges or {}).items()}
        for what, told in (("integers", integers), ("one_hot", one_hot), ("at_most_one", at_most_one)):
            if isinstance(told, str) or (
                what != "integers" and any(isinstance(group, str) for group in told)
            ):
                form = "a list of names" if what == "integers" else "a list of lists of names"
                raise InputError(f"{what}={told!r}; give {form} of columns.")
        check_named(names, (*limits, *integers), one_hot, at_most_one)
        ends = np.array([limits.get(name, (-np.inf, np.inf)) for name in names])
        place = {name: j for j, name in enumerate(names)}
        return cls(
            ends[:, 0],
            ends[:, 1],
            np.isin(np.asarray(names, dtype=object), list(integers)),
            tuple(tuple(place[name] for name in group) for group in one_hot),
            tuple(tuple(place[name] for name in group) for group in at_most_one),
        )

    def named(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the arguments of `of` that make this domain, as data for a model file; infinite ends stay so.

        Parameters
        ----------
        names : sequence of str
            All columns, in order.

        Returns
        -------
        dict
            With the keys ``ranges``, ``integers``, ``one_hot`` and ``at_most_one``; `from_named` reads it.
        """
        limited = np.flatnonzero((self.low > -np.inf) | (self.high < np.inf))
        return {
            "ranges": {names[j]: [float(self.low[j]), float(self.high[j])] for j in limited.tolist()},
            "integers": [names[j] for j in np.flatnonzero(self.integer).tolist()],
            "one_hot": [[names[j] for j in group] for group in self.one_hot],
            "at_most_one": [[names[j] for j in group] for group in self.at_most_one],
        }

    @classmethod
    def from_named(cls, names: Sequence[str], content: Any) -> Domain:
        """Make a domain from what `named` returned, read from a file that may hold anything.

        Parameters
        ----------
        names : sequence of str
            All columns, in order.
        content : dict
            With the keys ``ranges``, ``integers``, ``one_hot`` and ``at_most_one``.

        Returns
        -------
        Domain

        Raises
        ------
        InputError
            It is not a domain over these columns.
        """

        def are_words(value: Any) -> bool:
            return isinstance(value, list) and all(isinstance(word, str) for word in value)

        try:
            ranges, groups = content["ranges"], [*content["one_hot"], *content["at_most_one"]]
            ends = [tuple(float(end) for end in pair) for pair in ranges.values()]
            fine = all(len(pair) == 2 for pair in ends) and all(
                map(are_words, [content["integers"], *groups])
            )
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            fine = False
        if not fine or set(content) != {"ranges", "integers", "one_hot", "at_most_one"}:
            raise InputError("The domain of the certificate cannot be read; make the tree again.")
        return cls.of(names, **(content | {"ranges": dict(zip(ranges, ends, strict=True))}))

    @classmethod
    def of_rows(cls, X: ArrayLike) -> Domain:
        """Return the smallest domain with these rows: from smallest to largest value, whole numbers if all are.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            NaN marks a missing value. A column without any known value may have all values.

        Raises
        ------
        InputError
            If there are no rows.
        """
        rows = numbers_of("X", X)
        if rows.ndim != 2 or not len(rows):
            raise InputError(f"X must have rows and columns; got shape {rows.shape}.")
        known = np.isfinite(rows)  # groups are not guessed: with_groups adds them
        some = known.any(axis=0)
        low = np.where(some, np.where(known, rows, np.inf).min(axis=0), -np.inf)
        high = np.where(some, np.where(known, rows, -np.inf).max(axis=0), np.inf)
        low[(rows == -np.inf).any(axis=0)] = -np.inf
        high[(rows == np.inf).any(axis=0)] = np.inf
        whole = some & (np.where(known, rows, 0.0) == np.round(np.where(known, rows, 0.0))).all(axis=0)
        return cls(low, high, whole)

    @classmethod
    def of_encoder(cls, transformer: Any) -> Domain:
        """Return the rows that a fitted OneHotEncoder can make: one category at a time.

        Parameters
        ----------
        transformer : OneHotEncoder, or a ColumnTransformer or Pipeline that ends with one
            Fitted. A model at the end of a pipeline is ignored; other columns may have any value.

        Raises
        ------
        InputError
            It is something else, or not fitted.

        Examples
        --------
        >>> from sklearn.preprocessing import OneHotEncoder
        >>> from treewright.bornagain import Domain
        >>> encoder = OneHotEncoder().fit([["red", "small"], ["blue", "large"], ["green", "small"]])
        >>> Domain.of_encoder(encoder).one_hot
        ((0, 1, 2), (3, 4))
        """
        found = encoder_groups(transformer)
        n = found.n_columns
        ends = np.full(n, -np.inf), np.full(n, np.inf)
        return cls(*ends, np.zeros(n, dtype=np.bool_), found.one_hot, found.at_most_one)

    def with_groups(
        self, one_hot: Sequence[Sequence[int]] = (), at_most_one: Sequence[Sequence[int]] = ()
    ) -> Domain:
        """Return the part of the domain in which exactly one column, or at most one, of each group is 1.

        Parameters
        ----------
        one_hot, at_most_one : sequence of sequence of int, default=()
            Positions of columns.

        Raises
        ------
        InputError
            As for the constructor.
        """
        more = (*self.one_hot, *map(tuple, one_hot)), (*self.at_most_one, *map(tuple, at_most_one))
        return replace(self, one_hot=more[0], at_most_one=more[1])

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """All groups; those with exactly one 1 come first."""
        return (*self.one_hot, *self.at_most_one)

    def contains(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Say which rows are inside, shape (n_rows,).

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,), bool
        """
        return np.asarray(self._inside(numbers_of("X", X)).all(axis=1))

    def check(self, X: NDArray[np.float64], names: Sequence[str]) -> None:
        """Raise an error for rows outside; it names the first column with such a value.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
        names : sequence of str
            Names of the columns, for the message.

        Raises
        ------
        InputError
        """
        inside = self._inside(X)
        wrong = np.flatnonzero(~inside.all(axis=0))
        if len(wrong):
            j = int(wrong[0])
            value = X[~inside[:, j], j][0]
            group = next((group for group in self.groups if j in group), None)
            if group is not None:
                row = int(np.flatnonzero(~inside[:, j])[0])
                raise InputError(
                    f"{int((~inside.all(axis=1)).sum())} of {len(X)} rows are outside the domain: row {row} has "
                    f"{', '.join(f'{names[k]}={X[row, k]:.6g}' for k in group[:8])}, and "
                    f"{_group_words(group, group in self.one_hot, names)}. Leave such rows out, or state other groups."
                )
            raise InputError(
                f"{int((~inside.all(axis=1)).sum())} of {len(X)} rows are outside the domain: column {names[j]!r} has "
                f"{value:.6g}, and {self.words(names, [j])}. Leave such rows out, or give a wider domain."
            )

    def clip(self, column: int, value: float) -> float:
        """Return the value of the domain that is nearest to a number (a whole number, in a column of these).

        Parameters
        ----------
        column : int
            Position of the column.
        value : float

        Returns
        -------
        float
        """
        return float(min(max(value, self.low[column]), self.high[column]))

    def words(self, names: Sequence[str], columns: Sequence[int] | None = None) -> str:
        """Return in words the limits of the columns that have some: "age from 0 to 120 (whole numbers), ...".

        Parameters
        ----------
        names : sequence of str
            All columns, in order.
        columns : sequence of int, optional
            Positions of the columns to name; groups are then left out. Default: all columns with limits, and the
            groups.

        Returns
        -------
        str
        """
        parts = []
        for j in range(len(self.low)) if columns is None else columns:
            low, high = self.low[j], self.high[j]
            ends = f"{names[j]} from {low:.17g} to {high:.17g}"
            if low == -np.inf and high == np.inf:
                ends = f"{names[j]}" + ("" if self.integer[j] else " without limits")
            elif low == -np.inf:
                ends = f"{names[j]} up to {high:.17g}"
            elif high == np.inf:
                ends = f"{names[j]} from {low:.17g}"
            if columns is None and low == -np.inf and high == np.inf and not self.integer[j]:
                continue
            if columns is None and any(j in group for group in self.groups) and high == 1:
                continue
            parts.append(f"{ends} (whole numbers)" if self.integer[j] else ends)
        if columns is None:
            parts += [_group_words(group, group in self.one_hot, names) for group in self.groups]
        return ", ".join(parts)

    def _inside(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        if X.ndim != 2 or X.shape[1] != len(self.low):
            raise InputError(f"X must have shape (n_rows, {len(self.low)}); got {X.shape}.")
        whole = ~self.integer | (np.round(X) == X)
        within = (self.low <= X) & (self.high >= X) & whole
        inside = np.asarray(within | np.isnan(X))
        for group in self.groups:
            ones = X[:, list(group)].sum(axis=1)
            held = (ones == 1) | ((ones == 0) & (group not in self.one_hot))  # false where a value is missing
            inside[np.ix_(~held, list(group))] = False
        return inside


def _pair(name: str, ends: Any) -> tuple[float, float]:
    """Return the two ends of a range."""
    try:
        low, high = map(float, ends)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"The range of {name!r} is {ends!r:.60}; give two numbers, (low, high), where infinite ones are no limit."
        ) from None
    return low, high


def _truth_values(given: Any) -> NDArray[np.bool_]:
    values = np.asarray(given)
    if values.dtype.kind != "b" and not np.isin(values, (0, 1)).all():
        raise InputError(f"integer={given!r:.60}; give True or False for each column.")
    return np.array(values, dtype=np.bool_)


def _positions(name: str, groups: Any) -> tuple[tuple[int, ...], ...]:
    try:
        return tuple(tuple(map(index, group)) for group in groups)
    except TypeError:
        raise InputError(
            f"{name}={groups!r:.60}; give groups of positions of columns, such as [(0, 1), (2, 3, 4)]."
        ) from None


def _group_words(group: Sequence[int], is_one: bool, names: Sequence[str]) -> str:
    how = "exactly" if is_one else "at most"
    return f"{how} one of {', '.join(str(names[j]) for j in group)} is 1"


def _check_groups(
    one_hot: Sequence[Sequence[int]],
    at_most_one: Sequence[Sequence[int]],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None:
    seen: set[int] = set()
    for group in (*one_hot, *at_most_one):
        for j in group:
            if not 0 <= j < len(low):
                raise InputError(f"A group of the domain has column {j}; columns are 0 to {len(low) - 1}.")
            if j in seen:
                raise InputError(f"Column {j} is twice in groups of the domain; name each column once.")
            seen.add(j)
            if low[j] > 0:
                raise InputError(
                    f"Column {j} of a group is never 0; leave its range out, or the group, for nothing is open in it."
                )
        if sum(high[j] >= 1 for j in group) < (2 if group in one_hot else 1):
            raise InputError(f"The group {tuple(group)} has fewer than two columns that can be 1.")


def check_first_domain(before: Domain | None, domain: Domain, n_features: int) -> None:
    """Raise InputError if an ensemble has a domain already, or the new one has another number of columns."""
    if before is not None:
        raise InputError("This ensemble has a domain already; call within on ensemble.whole.")
    if len(domain.low) != n_features:
        raise InputError(f"The domain has {len(domain.low)} columns, the ensemble {n_features}.")


def restrict(tree: EnsembleTree, domain: Domain, missing: NDArray[np.bool_]) -> EnsembleTree:
    """Return a tree with the same leaf for every row of the domain, without splits that split nothing there.

    Parameters
    ----------
    tree : EnsembleTree
    domain : Domain
    missing : ndarray of shape (n_features,), bool
        Columns in which a value may be missing: a split that sends all values to one side and missing ones to the
        other is kept, as the question whether the value is known (threshold inf).
    """
    nodes: list[
        tuple[int, float, bool, int]
    ] = []  # column, threshold, where missing values go, node it came from
    children: list[list[int]] = []
    stack = [(0, -1, 0)]
    while stack:
        node, parent, place = stack.pop()
        while True:
            f = int(tree.feature[node])
            if f < 0:
                entry, sides = (-1, 0.0, False, node), (-1, -1)
                break
            t = float(np.floor(tree.threshold[node]) if domain.integer[f] else tree.threshold[node])
            missing_left = bool(tree.missing_left[node])
            left, right = int(tree.left[node]), int(tree.right[node])
            if domain.low[f] <= t < domain.high[f]:
                entry, sides = (f, t, missing_left, node), (left, right)
                break
            goes_left = t >= domain.high[f]
            if not missing[f] or missing_left == goes_left:
                node = left if goes_left else right
                continue
            entry = (f, np.inf, False, node)  # known values left, missing ones right
            sides = (left, right) if goes_left else (right, left)
            break
        at = len(nodes)
        nodes.append(entry)
        children.append([0, 0])
        if parent >= 0:
            children[parent][place] = at
        if entry[0] >= 0:
            stack += [(sides[1], at, 1), (sides[0], at, 0)]
    feature, threshold, missing_left_of, source = zip(*nodes, strict=True)
    below = np.array(children, dtype=np.int32)
    return replace(
        tree,
        feature=np.array(feature, dtype=np.int32),
        threshold=np.array(threshold, dtype=np.float64),
        left=below[:, 0].copy(),
        right=below[:, 1].copy(),
        value=np.ascontiguousarray(tree.value[list(source)]),
        missing_left=np.array(missing_left_of, dtype=np.bool_),
    )


def without_known_questions(tree: EnsembleTree, missing: NDArray[np.bool_]) -> EnsembleTree:
    """Return a tree that does not ask whether a value is known (threshold inf) where all are.

    A model that learned from missing values asks so, also when it is read for rows without any.

    Parameters
    ----------
    tree : EnsembleTree
    missing : ndarray of shape (n_features,), bool
        Columns in which a value may be missing.
    """
    if not ((tree.feature >= 0) & np.isinf(tree.threshold) & ~missing[tree.feature]).any():
        return tree
    ends = np.full(len(missing), np.inf)
    return restrict(tree, Domain(-ends, ends, np.zeros(len(missing), dtype=np.bool_)), missing)
