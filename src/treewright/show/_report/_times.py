"""The report of a survival tree: hazards and survival curves of its leaves, and how well they foretell events.

A leaf has one hazard ratio, and the hazard of all training rows times this ratio is what it foretells (LeBlanc and
Crowley 1992). What was seen is held against that: events beside those that were expected, and the order of the times.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of
from treewright.errors import InputError
from treewright.problem import check_survival
from treewright.show._report._cells import (
    Cell,
    Grid,
    Row,
    Titled,
    estimate_cells,
    heads,
    interval_cells,
    number,
    share_cell,
    words,
)
from treewright.show._report._classes import group_head, rule_cells
from treewright.show._report._curves import Curves, draw_curves
from treewright.show._report._estimates import (
    interval_words,
    numbers_of,
    written,
)
from treewright.show._report._rows import Rows
from treewright.show._report._task import Card, Context, Group, LeafRows, Task
from treewright.show._report._time_estimates import (
    EVENT,
    TIME,
    event_and_time,
    half_deviance_of,
    order_of_times,
    ratio_of_events,
    survival_at,
)
from treewright.show._values import value_words
from treewright.show._words import percent
from treewright.survival import (
    SurvivalCurve,
    censoring_curve,
    integrated_brier_score,
    kaplan_meier,
)
from treewright.table import ColumnNote
from treewright.tree import Tree, leaves_in_words

__all__ = ["TimeTask", "read_times"]

MOMENTS = 100  # at which the Brier score is taken


class TimeTask(Task):
    """A tree that tells groups of different hazard apart."""

    answer_name = "hazard ratio"
    verifier = "verify_survival"
    bar_words = "Its bar shows where the hazard ratio lies between the smallest and the largest."
    finds = "the hazard ratio, the reasons for it, and the nearest changes to a higher and to a lower one"
    promise = "how well it foretells"
    errors_link = "Evidence"
    reason_words = (
        "Each question on the path changes the hazard ratio of the training rows that remain. The questions about one "
        "column are one reason; its weight is by how much they raised or lowered that ratio, and the reason with the "
        "largest weight comes first."
    )
    errors_title = "How well it foretells, and for whom"
    left_words = "Share of the deviance of a single leaf that is left"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        note = context.settings.notes.get(context.target or "", ColumnNote())
        self.unit = note.unit
        event, time = event_and_time(context.train)
        self.moments, at = np.unique(time, return_inverse=True)
        dying = np.bincount(at.reshape(-1), weights=event, minlength=len(self.moments))
        leaving = np.bincount(at.reshape(-1), minlength=len(self.moments))
        self.hazard = np.cumsum(dying / leaving[::-1].cumsum()[::-1])  # Nelson-Aalen
        self.horizon = (
            float(np.quantile(time[event], 0.5, method="inverted_cdf")) if event.any() else math.nan
        )

    @staticmethod
    def read(tree: Tree, given: Any, n_rows: int, name: str) -> NDArray[np.float64]:
        """Return events and times, shape (n_rows, 2); see `read_times`."""
        return read_times(tree, given, n_rows, name)

    @cached_property
    def curves(self) -> dict[int, SurvivalCurve]:
        """The Kaplan-Meier curve of the training rows of each leaf that has rows, by its node."""
        event, time = event_and_time(self.context.train)
        return {
            leaf.node: kaplan_meier(event[leaf.train], time[leaf.train])
            for leaf in self.leaves
            if len(leaf.train)
        }

    def _baseline(self, rows: Rows) -> NDArray[np.float64]:
        """The cumulative hazard of all training rows until the time of each row."""
        place = np.searchsorted(self.moments, rows.y[:, TIME], side="right")
        return np.asarray(np.concatenate(([0.0], self.hazard))[place])

    def _expected(self, rows: Rows) -> NDArray[np.float64]:
        """The events that the tree expects of each row until its time."""
        return np.asarray(self.context.tree.predict(rows.X) * self._baseline(rows))

    def cards(self) -> list[Card]:
        """Return the concordance."""
        cards = []
        for rows, kind in ((self.context.test, "test"), (self.context.train, "training")):
            if rows is None:
                continue
            order = order_of_times(self.context.tree, rows)
            events = f"{count_of(int(rows.y[:, EVENT].sum()), 'event')} in {count_of(len(rows), 'row')}"
            small = f"{interval_words(order)}; 0.5 is chance; {events}"
            if kind == "training":
                small = f"0.5 is chance; {events}; the tree was chosen on these rows"
            cards.append(Card(f"Concordance on {kind} rows", numbers_of(order)[0], small))
        return cards

    def leaf_tables(self, leaves: Sequence[LeafRows]) -> list[Titled]:
        """Return rules and hazard ratios, and what was seen of the rows of each leaf."""
        tree, test = self.context.said, self.context.test
        train = self.context.train
        ratios = [
            ratio_of_events(train.y[leaf.train, EVENT], self._baseline(train)[leaf.train]) for leaf in leaves
        ]
        hazards = interval_cells(ratios)
        on_train = self._seen(train, [leaf.train for leaf in leaves], "training")
        lines = []
        for k, leaf in enumerate(leaves):
            said = value_words(tree, leaf.node, self.context.digits, plain=False)
            answer = Cell(said, title="hazard ratio", kind="answer")
            cells = (hazards[k], *on_train[k], number(self._median(leaf.node), "median time"))
            lines.append(Row(*rule_cells(leaf, answer, *cells)))
        caption = (
            "A hazard ratio of 2 is twice the hazard of all training rows. Intervals are of 95%: of ratios by the "
            "logarithm of the events, of shares Wilson\u2019s with as many rows as the Kaplan-Meier curve is worth "
            f"(Dorey and Korn 1987).{self.context.optimistic_leaves}"
        )
        head = heads("Leaf", "If", "hazard ratio", "95% interval", *self._heads("training"), "#median time")
        tables = [Titled("", "", Grid(caption, head, tuple(lines)))]
        if test is None:
            return tables
        parts = [leaf.seen for leaf in leaves]
        event, expected = test.y[:, EVENT], self._expected(test)
        counted = estimate_cells(
            [ratio_of_events(event[here], expected[here]) for here in parts], "for each expected"
        )
        on_test = self._seen(test, parts, "test")
        rows = []
        for k, leaf in enumerate(leaves):
            said = value_words(tree, leaf.node, self.context.digits, plain=False)
            foretold = number(written(float(expected[parts[k]].sum())), "expected")
            cells = (Cell(said, title="hazard ratio", kind="answer"), *on_test[k], foretold, counted[k])
            rows.append(Row(words(str(leaf.number)), cells))
        caption = "Events of the test rows beside those that the hazard ratios foretell: 1 for each expected is right."
        head = heads("Leaf", "hazard ratio", *self._heads("test"), "#expected", "for each expected")
        return [*tables, Titled("The same on test rows", "", Grid(caption, head, tuple(rows)))]

    @property
    def _until(self) -> str:
        return f"without the event after {self._moment(self.horizon)}"

    def _heads(self, kind: str) -> list[str]:
        return [f"#{kind} rows", "#events", *([self._until] if math.isfinite(self.horizon) else [])]

    def _seen(self, rows: Rows, parts: Sequence[NDArray[np.int64]], kind: str) -> list[list[Cell]]:
        """Rows, events and the share without one, of some rows each."""
        made = []
        for here in parts:
            events = int(rows.y[here, EVENT].sum())
            cells = [number(f"{len(here):,}", f"{kind} rows"), number(f"{events:,}", "events")]
            if math.isfinite(self.horizon):
                cells.append(share_cell(survival_at(rows, here, self.horizon), self._until))
            made.append(cells)
        return made

    @property
    def curves_drawn(self) -> Curves:  # type: ignore[override]  # other tasks have none
        """The Kaplan-Meier curves of the leaves."""
        named = [
            (f"leaf {leaf.number}", self.curves[leaf.node])
            for leaf in self.leaves
            if leaf.node in self.curves
        ]
        return draw_curves(named, float(self.moments[-1]), self.unit)

    def _median(self, node: int) -> str:
        curve = self.curves.get(node)
        if curve is None:
            return "not known"
        return written(curve.median, unit=self.unit) if math.isfinite(curve.median) else "not reached"

    def error_tables(self) -> list[Titled]:
        """Return concordance, Brier score, and events beside those expected."""
        parts = [("training rows", self.context.train)]
        parts += [] if self.context.test is None else [("test rows", self.context.test)]
        orders = estimate_cells([order_of_times(self.context.tree, rows) for _, rows in parts], "concordance")
        lines = []
        for (name, rows), order in zip(parts, orders, strict=True):
            own, single = self._brier(rows)
            lines.append(
                Row(
                    words(name),
                    (
                        *self._events(rows, np.ones(len(rows), dtype=np.bool_)),
                        order,
                        number(written(own), "integrated Brier score"),
                        number(written(single), "of one curve for all"),
                    ),
                )
            )
        caption = (
            "The concordance is the share, of the pairs of rows that can be compared, whose events come in the order "
            "of their hazard ratios; equal ratios count as half. The integrated Brier score is the mean squared error "
            "of the survival curves of the leaves over time, 0 at best; beside it that of one curve for all training "
            f"rows.{self.context.optimistic}"
        )
        head = ("Counted on", "#Rows", "#Events", "#Expected", "Concordance")
        more = ("#Integrated Brier score", "#Of one curve for all")
        return [Titled("", "", Grid(caption, heads(*head, *more), tuple(lines), "rates stack"))]

    def _events(self, rows: Rows, here: NDArray[np.bool_]) -> tuple[Cell, ...]:
        expected = float(self._expected(rows)[here].sum())
        return (
            number(f"{int(here.sum()):,}", "rows"),
            number(f"{int(rows.y[here, EVENT].sum()):,}", "events"),
            number(written(expected), "expected"),
        )

    def _brier(self, rows: Rows) -> tuple[float, float]:
        """The integrated Brier score of the tree and of one curve; NaN where it cannot be taken."""
        event, time = event_and_time(rows)
        known, whole = event_and_time(self.context.train)
        censoring = censoring_curve(known, whole)
        gone = censoring.times[censoring.survival <= 0]
        last = min(float(time.max()), float(whole[known].max()) if known.any() else 0.0)
        moments = np.unique(np.quantile(time, np.linspace(0, 1, MOMENTS), method="inverted_cdf"))
        moments = moments[(moments <= last) & (moments < min(gone, default=math.inf))]
        if len(moments) < 2:
            return math.nan, math.nan
        curves = [self.curves.get(int(node)) for node in self.context.tree.apply(rows.X)]
        one = kaplan_meier(known, whole)
        at = {id(curve): (curve or one)(moments) for curve in {id(c): c for c in curves}.values()}
        shares = np.array([at[id(curve)] for curve in curves])
        same = np.broadcast_to(one(moments), shares.shape)
        try:
            own, single = (
                integrated_brier_score(event, time, said, moments, censoring) for said in (shares, same)
            )
        except InputError:  # rows whose weight for censoring is not known
            return math.nan, math.nan
        return own, single

    def group_tables(self, title: str, groups: Sequence[Group]) -> list[Titled]:
        """Return the events of each group beside those that the tree expects, and the order within it."""
        rows = self.context.seen
        expected = self._expected(rows)
        event = rows.y[:, EVENT]
        ratios = estimate_cells(
            [ratio_of_events(event[here], expected[here]) for _, here in groups], "for each expected"
        )
        orders = estimate_cells(
            [order_of_times(self.context.tree, Rows(rows.X[here], rows.y[here])) for _, here in groups],
            "concordance",
        )
        lines = tuple(
            Row(group_head(name, int(here.sum())), (*self._events(rows, here), ratio, order))
            for (name, here), ratio, order in zip(groups, ratios, orders, strict=True)
        )
        caption = (
            f"Of the {self.context.kind_of_rows} rows of each group: more than 1 event for each expected means that "
            "the tree takes the hazard for smaller than it is. Groups whose intervals overlap may not differ at all."
            f"{self.context.optimistic}"
        )
        head = ("#Rows", "#Events", "#Expected", "For each expected", "Concordance")
        return [Titled("Events by", title, Grid(caption, heads(title, *head), lines, "rates stack"))]

    def form_words(self) -> dict[str, Any]:
        """Return the words of hazards."""
        return {
            "answer": "Hazard ratio",
            "by": "side",
            "change": "The nearest changes to a higher and to a lower hazard",
            "fixed": "Every leaf has the same hazard, so nothing changes it",
            "none": "No change that is allowed leads to another hazard",
            "noneOfOne": "No allowed change of one column alone leads to another hazard",
            "scale": 1,
            "more": "raises it by ",
            "less": "lowers it by ",
            "outputs": [{"name": "", "unit": ""}],
        }

    def says(self, leaf: LeafRows) -> dict[str, Any]:
        """Return the hazard ratio of a leaf, and what was seen of its rows."""
        return {
            "answer": leaf.number,
            "says": value_words(self.context.said, leaf.node, self.context.digits, plain=False),
            "values": [float(self.context.said.value[leaf.node, 0])],
            "record": self._record(leaf),
        }

    def _moment(self, time: float) -> str:
        """A time in words: a number alone could be of anything."""
        return written(time, unit=self.unit) if self.unit else f"time {written(time)}"

    def _record(self, leaf: LeafRows) -> str:
        kind, rows = f"{self.context.kind_of_rows} row", self.context.seen
        if not len(leaf.seen):
            return f"No {kind} came to this leaf, so nothing is known about how well it foretells."
        n, seen = len(leaf.seen), int(rows.y[leaf.seen, EVENT].sum())
        expected = written(float(self._expected(rows)[leaf.seen].sum()))
        words_of = f"Of {count_of(n, kind)} in this leaf {seen:,} had the event; {expected} were expected."
        share = survival_at(rows, leaf.seen, self.horizon) if math.isfinite(self.horizon) else None
        if share is not None and share.is_known:
            ends = f"95% interval {percent(share.low)} to {percent(share.high)}"
            after = self._moment(self.horizon)
            words_of += f" After {after}, {percent(share.value)} were without it ({ends})."
        median = self.curves[leaf.node].median if leaf.node in self.curves else math.inf
        if math.isfinite(median):
            words_of += f" Half of its training rows had it by {self._moment(median)}."
        return f"{words_of} A ratio of 1 is the hazard of all training rows.{self.context.optimistic}"

    def scores(self) -> NDArray[np.float64]:
        """Return the hazard ratio of each node."""
        return np.asarray(self.context.said.value, dtype=np.float64)

    def left(self, tree: Tree, rows: Rows) -> float:
        """Return the deviance of a tree as a share of that of the hazard of all training rows."""
        one = self._baseline(rows)
        of_tree = tree.predict(rows.X) * one
        lost, single = (half_deviance_of(rows.y[:, EVENT], hazard) for hazard in (of_tree, one))
        return lost / single if single > 0 else (0.0 if lost <= 0 else math.inf)

    def comparison(self, others: Mapping[str, Tree], fit_models: bool) -> Grid | None:
        """Return the concordance of other survival trees."""
        if not others:
            return None
        rows = self.context.seen
        named = [("This tree", self.context.tree), *others.items()]
        orders = estimate_cells([order_of_times(tree, rows) for _, tree in named], "concordance")
        lines = [
            Row(words(name), (words(leaves_in_words(tree), "size"), order), is_own=k == 0)
            for k, ((name, tree), order) in enumerate(zip(named, orders, strict=True))
        ]
        caption = f"Concordance on the {self.context.kind_of_rows} rows."
        return Grid(caption, heads("Tree", "Size", "Concordance"), tuple(lines))


def read_times(tree: Tree, given: Any, n_rows: int, name: str) -> NDArray[np.float64]:
    """Return events (0 or 1) and times, shape (n_rows, 2).

    Raises
    ------
    InputError
        Events or times that cannot be used.
    """
    try:
        event, time = check_survival(given, n_rows)
    except InputError as error:
        raise InputError(f"{name}: {error}" if name != "y" else str(error)) from None
    return np.column_stack([event.astype(np.float64), time])
