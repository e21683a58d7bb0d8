"""The report of a regression tree: what its leaves say in the target's own units, and how far off that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of
from treewright.errors import InputError
from treewright.problem import CRITERIA, check_target
from treewright.result import SolveResult
from treewright.show._report._cells import (
    Cell,
    Grid,
    Row,
    Titled,
    estimate_cells,
    heads,
    number,
    rate_cell,
    words,
)
from treewright.show._report._classes import group_head, rule_cells
from treewright.show._report._counts import Count
from treewright.show._report._estimates import interval_words, mean_of_rows, numbers_of, written
from treewright.show._report._losses import Loss
from treewright.show._report._number_models import compare_numbers
from treewright.show._report._rows import Rows
from treewright.show._report._task import Card, Context, Group, LeafRows, Task, share_of_loss
from treewright.show._values import value_words
from treewright.table import ColumnNote
from treewright.tree import Tree, with_unit

__all__ = ["NumberTask", "read_numbers"]

ALL_DIGITS = 17  # of a float64
TAILS = (0.1, 0.5, 0.9)  # quantiles of the rows of a leaf


@dataclass(frozen=True, slots=True)
class Output:
    """One number that the tree says: its position, and its name and unit for people."""

    place: int
    name: str
    unit: str


class NumberTask(Task):
    """A tree that predicts one number or several."""

    answer_name = "prediction"
    verifier = "verify_regression"
    bar_words = "Its bar shows where the number lies between those of the smallest and the largest leaf."
    finds = "the prediction, the reasons for it, and the nearest changes that lead to another one"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        terms = context.terms
        asked = context.option("criterion") or (terms.objective if terms is not None else None)
        quantile = context.option("quantile")
        self.loss = Loss(
            str(asked) if asked in CRITERIA else "squared_error", 0.5 if quantile is None else float(quantile)
        )
        self.left_words = f"Share of the {self.loss.name} of a single leaf that is left"
        self.outputs = _outputs(context)
        self.leaf_unit = self.outputs[0].unit if len(self.outputs) == 1 else ""
        self.has_lines = any(line is not None for line in context.tree.lines or ())
        self.has_proven_lines = context.option("leaf_model") == "simple_linear"
        if self.has_lines and not self.has_proven_lines:
            self.left_words += " by constants in the leaves"

    @staticmethod
    def read(tree: Tree, given: Any, n_rows: int, name: str) -> NDArray[np.float64]:
        """Return targets, shape (n_rows, n_outputs); see `read_numbers`."""
        return read_numbers(tree, given, n_rows, name)

    def _said(self, rows: Rows, tree: Tree | None = None) -> NDArray[np.float64]:
        found = (tree or self.context.tree).predict(rows.X)
        return np.asarray(found, dtype=np.float64).reshape(len(rows), -1)

    def cards(self) -> list[Card]:
        """Return how far the first output is off."""
        cards = []
        first, context = self.outputs[0], self.context
        several = len(self.outputs)
        of = f" of {first.name}" if several > 1 else ""
        of_all = f", the {several} outputs together" if several > 1 else ""
        for rows, kind in ((context.test, "test"), (context.train, "training")):
            if rows is None:
                continue
            error = self.loss.error(rows.y[:, 0], self._said(rows)[:, 0])
            left = f"{share_of_loss(self.left(context.tree, rows))} of the {self.loss.name} of a single leaf left"
            left += of_all
            what = self.loss.error_words
            small = f"{what}; {interval_words(error, first.unit)}; {left}"
            if kind == "training":
                worse = "" if context.test is not None else ", so it tends to do worse on new ones"
                small = f"{what}; {left}; the tree was chosen on these rows{worse}"
            title = f"{self.loss.card_title}{of} on {kind} rows"
            cards.append(Card(title, numbers_of(error, first.unit)[0], small))
        return cards

    def leaf_tables(self, leaves: Sequence[LeafRows]) -> list[Titled]:
        """Return for each output rules, predictions, and the targets of the rows in each leaf."""
        tables = []
        for output in self.outputs:
            title = "What leaves say of" if len(self.outputs) > 1 else ""
            grid = self._leaf_table(leaves, output)
            tables.append(Titled(title, output.name if title else "", grid))
        return tables

    def _leaf_table(self, leaves: Sequence[LeafRows], output: Output) -> Grid:
        train, test = self.context.train.y[:, output.place], self.context.test
        on_train = [train[leaf.train] for leaf in leaves]
        columns = [estimate_cells([mean_of_rows(y) for y in on_train], "mean of training rows", output.unit)]
        head = ["Leaf", "If", "then", "#training rows", "their mean", "their middle 80%"]
        if test is not None:
            seen = [test.y[leaf.test, output.place] for leaf in leaves if leaf.test is not None]
            columns.append(estimate_cells([mean_of_rows(y) for y in seen], "mean of test rows", output.unit))
            head += ["#test rows", "their mean"]
        rows = []
        for k, leaf in enumerate(leaves):
            said = self._value(leaf.node, output)
            cells = [number(f"{len(leaf.train):,}", "training rows"), columns[0][k]]
            cells.append(_middle(on_train[k], output.unit))
            if test is not None and leaf.test is not None:
                cells += [number(f"{len(leaf.test):,}", "test rows"), columns[1][k]]
            anchored = rule_cells(leaf, Cell(said, title="then", kind="answer"), *cells)
            rows.append(Row(*(anchored if output.place == 0 else anchored[:2])))
        what = {"absolute_error": "median", "quantile": f"{self.loss.quantile:g} quantile"}
        terms = self.context.terms
        weighted = "weighted " if terms is not None and terms.weight else ""
        of = f"the {weighted}{what.get(self.loss.criterion, 'mean')} of its training rows"
        of += " (weighted, if they had weights)" if terms is None else ""
        line = "; in a leaf with a line it depends on the row as well" if self.has_lines else ""
        caption = (
            f"Whoever meets all conditions of a leaf gets its number, {of}{line}. Every row of "
            "this report counts as one. Below each mean stands where that of all rows like these may lie (95%, "
            "Student); four of five training rows of the leaf lie between the ends of the middle 80%."
            f"{self.context.optimistic_leaves}"
        )
        return Grid(caption, heads(*head), tuple(rows))

    def _value(self, node: int, output: Output) -> str:
        """The value of a leaf as text, with its unit unless it is a sum."""
        tree = self.context.said
        digits = self.context.digits
        if len(self.outputs) > 1:
            return written(float(tree.value[node, output.place]), digits or ALL_DIGITS, output.unit)
        said = value_words(tree, node, digits, plain=False)
        has_line = tree.lines is not None and tree.lines[node] is not None
        return said if has_line else with_unit(said, output.unit)

    def error_tables(self) -> list[Titled]:
        """Return how far off each output is on training and on test rows."""
        return [self._errors(output) for output in self.outputs]

    def _errors(self, output: Output) -> Titled:
        parts = [("training rows", self.context.train)]
        parts += [] if self.context.test is None else [("test rows", self.context.test)]
        names = [name for name, _ in parts]
        seen = [(rows.y[:, output.place], self._said(rows)[:, output.place]) for _, rows in parts]
        lefts = [self.left(self.context.tree, rows, output.place) for _, rows in parts]
        head, cells = self._columns(seen, output)
        head.append("#left of a single leaf")
        rows = tuple(
            Row(words(name), (*line, number(share_of_loss(left), "left of a single leaf")))
            for name, line, left in zip(names, cells, lefts, strict=True)
        )
        caption = (
            f"The mean error is predicted minus true; beside it the {self.loss.error_name}. The last column is the "
            f"{self.loss.name} of the tree as a share of that of a tree of one leaf.{self.context.optimistic}"
        )
        title = "Errors in" if len(self.outputs) > 1 else ""
        grid = Grid(caption, heads("Counted on", *head), rows, "rates stack")
        return Titled(title, output.name if title else "", grid)

    def _columns(
        self, seen: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]], output: Output
    ) -> tuple[list[str], list[tuple[Cell, ...]]]:
        """Heads and cells of errors, for each of several sets of rows."""
        bias = estimate_cells([mean_of_rows(said - y) for y, said in seen], "mean error", output.unit)
        error = estimate_cells(
            [self.loss.error(y, said) for y, said in seen], self.loss.error_name, output.unit
        )
        head = ["#Rows", "Mean error", self.loss.error_name.capitalize()]
        cells: list[tuple[Cell, ...]] = [
            (number(f"{len(y):,}", "rows"), one, other)
            for (y, _), one, other in zip(seen, bias, error, strict=True)
        ]
        if self.loss.criterion == "quantile":
            title = "at or below the prediction"
            head.append(title.capitalize())
            below = [rate_cell(Count.of(y <= said), title) for y, said in seen]
            cells = [(*line, more) for line, more in zip(cells, below, strict=True)]
        return head, cells

    def group_tables(self, title: str, groups: Sequence[Group]) -> list[Titled]:
        """Return for each output how far it is off in each group."""
        tables = []
        rows, said = self.context.seen, self._said(self.context.seen)
        for output in self.outputs:
            place = output.place
            seen = [(rows.y[here, place], said[here, place]) for _, here in groups]
            means = estimate_cells([mean_of_rows(y) for y, _ in seen], "mean", output.unit)
            head, cells = self._columns(seen, output)
            lines = tuple(
                Row(group_head(name, int(here.sum())), (mean, *line))
                for (name, here), mean, line in zip(groups, means, cells, strict=True)
            )
            caption = (
                f"Of the {self.context.kind_of_rows} rows of each group; a mean error above 0 says too much. Groups "
                f"whose intervals overlap may not differ at all.{self.context.optimistic}"
            )
            of = f"Errors in {output.name} by" if len(self.outputs) > 1 else "Errors by"
            tables.append(
                Titled(of, title, Grid(caption, heads(title, "True mean", *head), lines, "rates stack"))
            )
        return tables

    def form_words(self) -> dict[str, Any]:
        """Return the words of predictions."""
        several = len(self.outputs) > 1
        to_another = "The nearest changes that lead to another leaf"
        change = "The nearest changes to a higher and to a lower prediction"
        return {
            "answer": "Prediction",
            "by": "leaf" if several or self.has_lines else "side",
            "change": to_another if several or self.has_lines else change,
            "fixed": "Every leaf says the same, so nothing changes the prediction",
            "none": "No change that is allowed leads to another prediction",
            "noneOfOne": "No allowed change of one column alone leads to another prediction",
            "scale": 1,
            "more": "raises it by ",
            "less": "lowers it by ",
            "outputs": [
                {"name": output.name if several else "", "unit": output.unit} for output in self.outputs
            ],
        }

    def says(self, leaf: LeafRows) -> dict[str, Any]:
        """Return the numbers of a leaf, its line, and the targets that its rows had."""
        tree = self.context.said
        values = [float(tree.value[leaf.node, output.place]) for output in self.outputs]
        shown = [
            f"{output.name} {self._value(leaf.node, output)}"
            if len(self.outputs) > 1
            else self._value(leaf.node, output)
            for output in self.outputs
        ]
        said = {
            "answer": leaf.number,
            "says": ", ".join(shown),
            "values": values,
            "record": " ".join(self._record(leaf, output) for output in self.outputs) + self._caution(leaf),
        }
        line = None if tree.lines is None else tree.lines[leaf.node]
        if line is not None:
            said["line"] = {
                "columns": list(line.columns),
                "centers": list(line.centers),
                "slopes": [list(slopes) for slopes in line.slopes],
                "low": list(line.low),
                "high": list(line.high),
            }
        return said

    def _record(self, leaf: LeafRows, output: Output) -> str:
        kind, rows = f"{self.context.kind_of_rows} row", self.context.seen
        y = rows.y[leaf.seen, output.place]
        if not len(y):
            return f"No {kind} came to this leaf, so nothing is known about how far it is off."
        tree = self.context.tree
        has_line = tree.lines is not None and tree.lines[leaf.node] is not None
        if has_line:
            y = y - self._said(Rows(rows.X[leaf.seen], y))[:, output.place]
        low, middle, high = (written(float(x)) for x in _quantiles(y))
        of = f" of {output.name}" if len(self.outputs) > 1 else ""
        counted = count_of(len(y), kind)
        if has_line:
            return (
                f"True minus predicted{of} was between {low} and {high} for four of five of {counted} in this leaf "
                f"(median {with_unit(middle, output.unit)})."
            )
        mean = mean_of_rows(y)
        spread = f"; {interval_words(mean, output.unit)}" if mean.has_interval else ""
        return (
            f"Of {counted} in this leaf the mean{of} was {numbers_of(mean, output.unit)[0]}{spread}; four of five "
            f"lay between {low} and {written(float(_quantiles(y)[2]), unit=output.unit)}, the median at {middle}."
        )

    def _caution(self, leaf: LeafRows) -> str:
        if self.context.test is not None or not len(leaf.train):
            return ""
        return " These are the rows that the tree was chosen on, so new rows tend to be off by more."

    def scores(self) -> NDArray[np.float64]:
        """Return the value of each node."""
        return np.asarray(self.context.said.value, dtype=np.float64)

    def left(self, tree: Tree, rows: Rows, output: int | None = None) -> float:
        """Return the loss of a tree as a share of that of the root of the report's tree, 0 where both are 0."""
        said, one = self._said(rows, tree), self.context.tree.value[0]
        places = range(len(self.outputs)) if output is None else (output,)
        with np.errstate(over="ignore"):  # sums of squares of huge targets are infinite
            lost = sum(float(self.loss.rows(rows.y[:, k], said[:, k]).sum()) for k in places)
            single = sum(float(self.loss.rows(rows.y[:, k], one[[k]]).sum()) for k in places)
        return lost / single if single > 0 else (0.0 if lost <= 0 else math.inf)

    def on_frontier(self, tree: Tree) -> Tree:
        """Return a tree without lines that were fitted after the search: the frontier's proofs are of constants."""
        return tree if tree.lines is None or self.has_proven_lines else replace(tree, lines=None)

    def is_front_of(self, result: SolveResult) -> bool:
        """Whether a result is of this tree's criterion, so that the frontier's proofs are of what is drawn.

        Raises
        ------
        InputError
            One of them has lines that were searched with the tree, the other has not.
        """
        asked = result.options.get("criterion"), result.options.get("quantile")
        own = self.loss.criterion, self.loss.quantile if self.loss.criterion == "quantile" else None
        if self.has_proven_lines != (result.options.get("leaf_model") == "simple_linear"):
            raise InputError(
                "leaf_model='simple_linear' has no frontier, and that of regression_frontier is of trees of constants: "
                "leave frontier out, and compare sizes with others={name: tree}."
            )
        return asked == own

    def comparison(self, others: Mapping[str, Tree], fit_models: bool) -> Grid | None:
        """Return what other trees and models leave of the loss of a single leaf."""
        return compare_numbers(self.context, self.loss, others, fit_models)

    def extra_rules(self) -> list[str]:
        """Return the criterion, and what leaves hold."""
        model = self.context.option("leaf_model")
        lines = {
            "linear": "; lines fitted in the leaves afterwards",
            "simple_linear": "; leaves are lines in a column",
        }
        return [f"criterion {self.loss.name}{lines.get(str(model), '')}"]


def read_numbers(tree: Tree, given: Any, n_rows: int, name: str) -> NDArray[np.float64]:
    """Return targets, shape (n_rows, n_outputs).

    Raises
    ------
    InputError
        What is no number, is missing, or has another shape than the answers of the tree.
    """
    try:
        y = check_target(given, n_rows, several=tree.n_outputs > 1)
    except InputError as error:
        raise InputError(f"{name}: {error}" if name != "y" else str(error)) from None
    y = y[:, None] if y.ndim == 1 else y
    if y.shape[1] != tree.n_outputs:
        raise InputError(f"{name} has {y.shape[1]} columns; the tree predicts {tree.n_outputs} numbers.")
    return y


def _outputs(context: Context) -> list[Output]:
    """Names and units of the outputs, as people read them."""
    n, terms = context.tree.n_outputs, context.terms
    names = (terms.targets if terms is not None else None) or [f"output {k + 1}" for k in range(n)]
    if n == 1:
        names = [context.target or "the target"]
    notes = [context.settings.notes.get(name, ColumnNote()) for name in names]
    return [Output(k, note.name or names[k], note.unit) for k, note in enumerate(notes)]


def _quantiles(y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.quantile(y, TAILS, method="inverted_cdf"), dtype=np.float64)


def _middle(y: NDArray[np.float64], unit: str) -> Cell:
    """Where the middle of the rows of a leaf lies, and their median."""
    if not len(y):
        return Cell(title="their middle 80%", kind="range")
    low, middle, high = (float(x) for x in _quantiles(y))
    said = f"{written(low)} to {written(high, unit=unit)}"
    return Cell(said, f"median {written(middle)}", "their middle 80%", "range")
