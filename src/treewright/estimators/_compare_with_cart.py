"""What a greedy tree leaves on the table: CART, and the best possible tree of its size."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier

from treewright._arguments import check_arguments
from treewright.binarize import scope_of_all
from treewright.convert import from_sklearn
from treewright.errors import InputError
from treewright.problem import encode_labels, make_problem, warn_of_quantity
from treewright.result import SolveResult, SolveStatus
from treewright.search import Limits, progress_bar, solve
from treewright.table import Table, check_indicators, encode_like, table_from
from treewright.tree import ColumnKind, Tree, label_positions

__all__ = ["CartComparison", "compare_with_cart"]

INDICATOR_BYTES = 9  # of a cell of zero or one: a truth value, and a number in the matrix
CELL = "padding: .2em .8em; border-bottom: 1px solid color-mix(in srgb, currentcolor 25%, transparent)"


@dataclass(frozen=True, eq=False, repr=False)
class CartComparison:
    """CART compared with the best possible tree of the same number of leaves and the same depth.

    The tree is called "best possible" only if CART's own tree is one of those that were searched; so CART never makes
    fewer mistakes.

    Parameters
    ----------
    cart : Tree
        Over columns of numbers; a category is a column of its own ("colour = red").
    result : SolveResult
        The search, with its certificate.
    cart_mistakes, mistakes : int
        Wrong predictions of both on the training rows.
    fewest_mistakes : int
        No tree of this size within the scope of the search makes fewer; equal to `mistakes` if that is proven.
    n_rows : int
    test_mistakes : tuple of int or None
        Of CART and of the tree, on the test rows; None without any.
    n_test_rows : int
    cart_is_freer : str
        A sentence that says what CART may do and the searched trees may not: other splits, smaller leaves. Empty if
        CART's tree, without its empty leaves, is one of those that were searched.

    Examples
    --------
    >>> from treewright import compare_with_cart
    >>> from treewright.datasets import iris
    >>> data = iris()
    >>> found = compare_with_cart(data.table.X, data.y, max_depth=2)
    >>> found.cart_mistakes >= found.mistakes
    True
    """

    cart: Tree
    result: SolveResult
    cart_mistakes: int
    mistakes: int
    fewest_mistakes: int
    n_rows: int
    test_mistakes: tuple[int, int] | None = None
    n_test_rows: int = 0
    cart_is_freer: str = ""

    @property
    def seconds(self) -> float:
        """Time of the search."""
        return float(self.result.stats.get("seconds", math.nan))

    @property
    def proven(self) -> bool:
        """Whether no tree of this size within the scope of the search makes fewer mistakes."""
        return self.fewest_mistakes == self.mistakes

    @property
    def title(self) -> str:
        """What the tree may be called: "best possible", "best of those searched" or "best found"."""
        if not self.proven:
            return "best found"
        return "best of those searched" if self.cart_is_freer else "best possible"

    def sentence(self) -> str:
        """Return in one or two plain sentences how the two compare.

        Returns
        -------
        str
        """
        size, least = f"at most {_leaves(self.cart.n_leaves)}", self.result.options.get("min_samples_leaf", 1)
        depth = f"depth {self.cart.depth}"
        size += f", {depth} and at least {least:,} rows per leaf" if least > 1 else f" and {depth}"
        cart = f"CART with {_leaves(self.cart.n_leaves)} makes {_mistakes(self.cart_mistakes)} on {self.n_rows:,} rows"
        if self.proven:
            possible = "" if self.cart_is_freer else " possible"
            best = (
                f"the best{possible} tree of {size} makes {self.mistakes:,}, proven in {_time(self.seconds)}"
            )
        else:
            best = (
                f"the best tree of {size} that the search found in {_time(self.seconds)} makes {self.mistakes:,}, "
                f"and none can make fewer than {self.fewest_mistakes:,}"
            )
        said = f"{cart}; {best} (over {self.result.scope})."
        if self.cart_is_freer:
            said += f" {self.cart_is_freer}"
        if self.test_mistakes is not None:
            cart_test, own_test = self.test_mistakes
            said += f" On {self.n_test_rows:,} test rows CART makes {cart_test:,} and this tree {own_test:,}."
        return said

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each tree, ready for a data frame."""
        rows: list[dict[str, Any]] = [
            {
                "tree": "CART",
                "leaves": self.cart.n_leaves,
                "depth": self.cart.depth,
                "mistakes": self.cart_mistakes,
                "none has fewer than": None,
            },
            {
                "tree": self.title,
                "leaves": self.result.tree.n_leaves,
                "depth": self.result.tree.depth,
                "mistakes": self.mistakes,
                "none has fewer than": self.fewest_mistakes,
            },
        ]
        for row, wrong in zip(rows, self.test_mistakes or (), strict=False):
            row["mistakes on test rows"] = wrong
        return rows

    def plot(self) -> Any:
        """Draw the two trees side by side with matplotlib; returns the figure.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        MissingDependencyError
            matplotlib is not installed (extra `plot`).
        """
        from treewright.show import plot_trees_beside

        return plot_trees_beside(
            [self.cart, self.result.tree],
            [f"CART: {_mistakes(self.cart_mistakes)}", f"{self.title}: {_mistakes(self.mistakes)}"],
        )

    def __repr__(self) -> str:
        return f"<CartComparison: {self.sentence()}>"

    def _repr_html_(self) -> str:
        rows = [
            {name: value for name, value in row.items() if name != "none has fewer than"}
            for row in self.records()
        ]
        head = "".join(f'<th scope="col" style="{CELL}">{escape(name)}</th>' for name in rows[0])
        body = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in rows)
        table = f'<table style="border-collapse: collapse"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        return f"<p>{escape(self.sentence())}</p>{table}"


def compare_with_cart(
    X: Any,
    y: ArrayLike,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    *,
    cart: DecisionTreeClassifier | None = None,
    max_leaf_nodes: int = 8,
    max_depth: int | None = 3,
    min_samples_leaf: int = 1,
    thresholds: Any = "auto",
    time_limit: float | None = 30.0,
    progress: Any = "auto",
) -> CartComparison:
    """Fit CART, find the best possible tree of its size, and say how many mistakes each makes.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
        numpy, pandas or polars; numbers, truth values, text; missing values allowed.
    y : array-like of shape (n_rows,)
        Labels.
    X_test, y_test : as `X` and `y`, default=None
        Rows that neither tree has seen.
    cart : DecisionTreeClassifier, default=None
        Your own fitted tree, over numeric columns; the best possible tree then has the same limits on leaves and depth.
        None fits a tree with the limits below.
    max_leaf_nodes : int, default=8
        Largest number of leaves of CART.
    max_depth : int or None, default=3
        Largest depth of CART. A proof over all thresholds is quick up to 3.
    min_samples_leaf : int, default=1
        Minimum number of rows in a leaf, for both trees. Your own `cart` is not changed, and the sentence says if it
        has a smaller leaf.
    thresholds : "auto", "all", int or mapping, default="auto"
        Which thresholds the best possible tree may use, as in `OptimalTreeClassifier`. CART may use all; if these are
        fewer, the sentence says so and does not call the tree the best possible.
    time_limit : float or None, default=30
        Seconds of the search.
    progress : "auto", bool or callable, default="auto"
        As in `OptimalTreeClassifier`.

    Returns
    -------
    CartComparison
        ``sentence()``, ``records()``, ``plot()``; a table in a notebook.

    Raises
    ------
    InputError
        The table, the labels or a parameter cannot be used.

    Notes
    -----
    Fewer mistakes on the training rows do not guarantee fewer on new rows; give test rows to see both.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import compare_with_cart
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> compared = compare_with_cart(X, y, max_depth=2)
    >>> compared.cart_mistakes, compared.mistakes, compared.proven
    (33, 22, True)
    """
    check_arguments(compare_with_cart, locals(), "max_leaf_nodes", "max_depth", "min_samples_leaf")
    limits = Limits(time_limit).started()
    warn_of_quantity(y)
    if (X_test is None) != (y_test is None):
        raise InputError("Give both X_test and y_test, or neither.")
    table = table_from(X)
    numbers = _Numbers(table)
    encode_labels(y, table.n_rows)  # says what is wrong with labels, and what to do, before scikit-learn does
    labels = np.asarray(y)
    if cart is None:
        cart = DecisionTreeClassifier(
            max_leaf_nodes=max_leaf_nodes,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            random_state=0,
        ).fit(numbers.of(table.X), labels)
    elif numbers.has_categories:
        raise InputError(
            "cart cannot be given for a table with columns of text, which scikit-learn's trees do not read; leave it "
            "out, and one is fitted here."
        )
    else:
        _check_names(cart, numbers.names, X)
    greedy = from_sklearn(cart, feature_names=numbers.names)
    problem = make_problem(
        table,
        y,
        cost_complexity=0.0,
        max_depth=greedy.depth,
        max_leaf_nodes=greedy.n_leaves,
        min_samples_leaf=min_samples_leaf,
    )
    with progress_bar(progress, time_limit) as report:
        result = solve(problem, thresholds, limits=limits, progress=report)
    rows = numbers.of(table.X)
    wrong = _wrong(result.tree, table.X, labels, "y")
    fewest = max(0, math.ceil(result.lower_bound * table.n_rows - 1e-6))
    if result.status is SolveStatus.OPTIMAL:
        fewest = wrong
    compared = CartComparison(
        greedy,
        result,
        _wrong(greedy, rows, labels, "y"),
        wrong,
        min(fewest, wrong),
        table.n_rows,
        cart_is_freer=_freer(
            greedy.apply(rows), problem.min_samples_leaf, result.scope != scope_of_all(table)
        ),
    )
    if X_test is None or y_test is None:
        return compared
    encoded, known = encode_like(X_test, table.columns), np.asarray(y_test)
    tests = (
        _wrong(greedy, numbers.of(encoded), known, "y_test"),
        _wrong(result.tree, encoded, known, "y_test"),
    )
    return replace(compared, test_mistakes=tests, n_test_rows=len(known))


def _freer(leaf: NDArray[np.int64], least: int, are_fewer: bool) -> str:
    """Say what CART does or may do that the searched trees may not.

    Over all splits any tree of scikit-learn divides the rows as one of ours: its thresholds separate neighbouring
    values, rounding rows to float32 only joins some, and missing values go either way or apart. A leaf without rows can
    be left out of it.
    """
    smallest = int(np.unique(leaf, return_counts=True)[1].min())
    said = ["CART was not held to these splits."] if are_fewer else []
    if smallest < least:
        said.append(f"CART has a leaf of {smallest:,} {'row' if smallest == 1 else 'rows'}.")
    return " ".join(said)


def _check_names(cart: DecisionTreeClassifier, names: list[str], X: Any) -> None:
    """Refuse a tree whose columns are others, or in another order, than those of a frame."""
    own = getattr(cart, "feature_names_in_", None)
    if own is not None and hasattr(X, "columns") and [str(name) for name in own] != names:
        raise InputError(
            f"cart was fitted on the columns {', '.join(map(str, own[:8]))}, X has {', '.join(names[:8])}; give the "
            "same columns in the same order."
        )


class _Numbers:
    """The columns that CART reads: numbers as they are, each category as a column of zeros and ones."""

    def __init__(self, table: Table) -> None:
        self.columns = table.columns
        self.names: list[str] = []
        for column in table.columns:
            one = column.kind is not ColumnKind.CATEGORICAL
            self.names += [column.name] if one else [f"{column.name} = {c}" for c in column.categories]
        self.has_categories = any(column.kind is ColumnKind.CATEGORICAL for column in table.columns)

    def of(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return encoded rows as CART reads them; refuse texts whose columns do not fit into memory."""
        check_indicators(self.columns, len(X), INDICATOR_BYTES)
        parts: list[NDArray[Any]] = []
        for j, column in enumerate(self.columns):
            if column.kind is not ColumnKind.CATEGORICAL:
                parts.append(X[:, j])
            else:
                parts += [X[:, j] == code for code in range(len(column.categories))]
        return np.stack(parts, axis=1, dtype=np.float64)


def _wrong(tree: Tree, X: NDArray[np.float64], labels: NDArray[Any], name: str) -> int:
    assert tree.classes is not None  # of classifiers
    advice = "Give the labels as they are in y." if name != "y" else "Fit cart on the labels of y."
    known = label_positions(labels, tree.classes, f"{name} holds", advice)
    return int((tree.prediction[tree.apply(X)] != known).sum())


def _leaves(count: int) -> str:
    return "1 leaf" if count == 1 else f"{count:,} leaves"


def _mistakes(count: int) -> str:
    return "1 mistake" if count == 1 else f"{count:,} mistakes"


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s" if seconds >= 0.1 else "under 0.1 s"


def _cell(value: Any) -> str:
    """A cell of the notebook's table; what is no number is the name of a tree."""
    if isinstance(value, int):
        return f'<td style="{CELL}; text-align: right; font-variant-numeric: tabular-nums">{value:,}</td>'
    return f'<th scope="row" style="{CELL}; text-align: left">{escape(str(value))}</th>'
