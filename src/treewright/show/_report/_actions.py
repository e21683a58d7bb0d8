"""The report of a policy tree: which action each leaf takes, and what every action earns there, costs taken off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._by_name import by_name
from treewright._plural import count_of
from treewright.errors import InputError
from treewright.problem import check_action_costs, check_rewards
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
from treewright.show._report._estimates import (
    interval_words,
    mean_of_rows,
    numbers_of,
    standard_error_words,
    written,
)
from treewright.show._report._rows import Rows
from treewright.show._report._task import Card, Context, Group, LeafRows, Task
from treewright.show._words import printable
from treewright.tree import Tree, leaves_in_words

__all__ = ["ActionTask", "read_rewards"]


class ActionTask(Task):
    """A tree that says which action to take."""

    answer_name = "action"
    verifier = "verify_policy"
    legend_name = "Colours of the actions"
    finds = "the action, the reasons for it, and the nearest change that leads to another one"
    promise = "what that is worth"
    errors_link = "Value"
    reason_words = (
        "Each question on the path changes how much more the chosen action earns than the best of the others, in the "
        "mean of the training rows that remain. The questions about one column are one reason; its weight is by how "
        "much they raised that difference, and the reason with the largest weight comes first. A question can also "
        "lower it: then it spoke against the action."
    )
    errors_title = "What the policy is worth, and for whom"
    left_words = "Share of the regret of the best single action that is left"
    not_proven = (
        "the value on test rows, with its interval, is the evidence for that. Nor that the rewards are right: rewards "
        "that were estimated hold only if what their estimate assumes does"
    )

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        assert context.tree.classes is not None  # a policy tree has actions
        self.costs = check_action_costs(context.option("action_costs"), context.tree.classes)
        gains = context.train.y - self.costs
        self.best = int(gains.mean(axis=0).argmax())  # the best single action of the training rows
        self.costs_shown = self.costs if self.costs.any() else None
        self.after = " after costs" if self.costs.any() else ""

    @staticmethod
    def read(tree: Tree, given: Any, n_rows: int, name: str) -> NDArray[np.float64]:
        """Return rewards in the order of the tree's actions; see `read_rewards`."""
        return read_rewards(tree, given, n_rows, name)

    @property
    def legend(self) -> list[str]:
        """The actions."""
        assert self.context.said.classes is not None  # a policy tree has actions
        return [str(action) for action in self.context.said.classes.tolist()]

    def _chosen(self, rows: Rows, tree: Tree | None = None) -> NDArray[np.int64]:
        own = tree or self.context.tree
        return own.prediction[own.apply(rows.X)].astype(np.int64)

    def _gains(self, rows: Rows, chosen: NDArray[np.int64] | int) -> NDArray[np.float64]:
        """What each row earns by an action, costs taken off."""
        after = rows.y - self.costs
        return np.asarray(after[np.arange(len(rows)), chosen])

    def cards(self) -> list[Card]:
        """Return the value of the policy, and what it gains over the best single action."""
        cards = []
        for rows, kind in ((self.context.test, "test"), (self.context.train, "training")):
            if rows is None:
                continue
            own = self._gains(rows, self._chosen(rows))
            value, more = mean_of_rows(own), mean_of_rows(own - self._gains(rows, self.best))
            small = (
                f"standard error {standard_error_words(value)}; {numbers_of(more)[0]} more than "
                f"{self.legend[self.best]!r} for all ({interval_words(more)})"
            )
            if kind == "training":
                small += "; the tree was chosen on these rows"
            cards.append(Card(f"Mean reward{self.after} on {kind} rows", numbers_of(value)[0], small))
        return cards

    def leaf_tables(self, leaves: Sequence[LeafRows]) -> list[Titled]:
        """Return rules, actions, and the mean reward of every action in each leaf."""
        tree, test = self.context.said, self.context.test
        made = []
        for rows, kind in ((self.context.train, "training"), (test, "test")):
            if rows is None:
                continue
            parts = [leaf.train if kind == "training" or leaf.test is None else leaf.test for leaf in leaves]
            means = [
                [mean_of_rows(self._gains(rows, k)[part]) for part in parts] for k in range(len(self.legend))
            ]
            scale = [mean for column in means for mean in column]  # the actions of a leaf are compared
            columns = [
                estimate_cells(column, f"mean of {name}", scale=scale)
                for name, column in zip(self.legend, means, strict=True)
            ]
            lines = []
            for place, (leaf, part) in enumerate(zip(leaves, parts, strict=True)):
                klass = int(tree.prediction[leaf.node])
                answer = Cell(self.legend[klass], title="then", kind="answer", klass=klass)
                cells = [number(f"{len(part):,}", f"{kind} rows")]
                cells += [column[place] for column in columns]
                head, anchored, anchor = rule_cells(leaf, answer, *cells)
                is_first = kind == "training"
                lines.append(Row(head, anchored if is_first else anchored[1:], anchor if is_first else ""))
            first = ["Leaf", "If", "then"] if kind == "training" else ["Leaf", "then"]
            caption = (
                f"Mean reward{self.after} of every action for the {kind} rows of each leaf, as if all of them got "
                "it. The interval below is where that of further rows like these may lie (95%, Student)"
                + (
                    "; the leaves were chosen on these rows, so what they gain is optimistic."
                    if kind == "training"
                    else "."
                )
            )
            grid = Grid(caption, heads(*first, f"#{kind} rows", *self.legend), tuple(lines))
            made.append(Titled("" if kind == "training" else "The same on test rows", "", grid))
        return made

    def error_tables(self) -> list[Titled]:
        """Return the policy beside single actions, and how often each action is taken."""
        return [self._policies(), self._actions()]

    def _policies(self) -> Titled:
        rows, labels = self.context.seen, self.legend
        own = self._gains(rows, self._chosen(rows))
        policies = [("this tree", own)]
        policies += [(f"{name} for everybody", self._gains(rows, k)) for k, name in enumerate(labels)]
        policies.append(
            ("the best action for every row, known only afterwards", (rows.y - self.costs).max(axis=1))
        )
        values = [mean_of_rows(gains) for _, gains in policies]
        shown = estimate_cells(values, "mean reward")
        beside = estimate_cells(
            [mean_of_rows(own - gains) for _, gains in policies[1:]], "this tree has more"
        )
        lines = []
        for k, (name, _) in enumerate(policies):
            more = beside[k - 1] if k else Cell()
            error = number(standard_error_words(values[k]), "standard error")
            lines.append(Row(words(name), (shown[k], error, more), is_own=k == 0))
        kind = self.context.kind_of_rows
        caption = (
            f"Mean reward{self.after} of the {kind} rows. \u201cThis tree has more\u201d is the mean difference over "
            f"the same rows.{self.context.optimistic}"
        )
        head = ("Policy", "Mean reward", "#Standard error", "This tree has more")
        return Titled("", "", Grid(caption, heads(*head), tuple(lines), "rates stack"))

    def _actions(self) -> Titled:
        rows = self.context.seen
        chosen = self._chosen(rows)
        given = estimate_cells(
            [mean_of_rows(self._gains(rows, k)[chosen == k]) for k in range(len(self.legend))],
            "their mean reward",
        )
        lines = [
            Row(
                words(name),
                (
                    number(written(float(self.costs[k])), "cost"),
                    number(f"{int((chosen == k).sum()):,}", "rows that get it"),
                    rate_cell(Count.of(chosen == k), "share of rows"),
                    given[k],
                ),
            )
            for k, name in enumerate(self.legend)
        ]
        caption = (
            f"What an action costs each time, how many of the {self.context.kind_of_rows} rows get it from the tree, "
            f"and the mean reward{self.after} of these rows."
        )
        head = ("Action", "#Cost", "#Rows that get it", "Their share", "Their mean reward")
        return Titled("Who gets which action", "", Grid(caption, heads(*head), tuple(lines), "rates stack"))

    def group_tables(self, title: str, groups: Sequence[Group]) -> list[Titled]:
        """Return the value of the policy in each group, and who gets which action there."""
        rows = self.context.seen
        chosen = self._chosen(rows)
        own = self._gains(rows, chosen)
        more = own - self._gains(rows, self.best)
        values = estimate_cells([mean_of_rows(own[here]) for _, here in groups], "mean reward")
        gains = estimate_cells(
            [mean_of_rows(more[here]) for _, here in groups], "more than one action for all"
        )
        lines = []
        for k, (name, here) in enumerate(groups):
            shares = [
                rate_cell(Count.of(chosen[here] == action), f"get {label}")
                for action, label in enumerate(self.legend)
            ]
            n_rows = int(here.sum())
            cells = (number(f"{n_rows:,}", "rows"), values[k], gains[k], *shares)
            lines.append(Row(group_head(name, n_rows), cells))
        single = self.legend[self.best]
        caption = (
            f"Of the {self.context.kind_of_rows} rows of each group: mean reward{self.after}, how much more that is "
            f"than with {single!r} for everybody, and the share that gets each action. Groups whose intervals "
            f"overlap may not differ at all.{self.context.optimistic}"
        )
        head = ["#Rows", "Mean reward", "More than one action for all"]
        head += [f"Get {label}" for label in self.legend]
        return [Titled("Rewards by", title, Grid(caption, heads(title, *head), tuple(lines), "rates stack"))]

    def form_words(self) -> dict[str, Any]:
        """Return the words of actions."""
        return {
            "answer": "Action",
            "by": "answer",
            "change": "The nearest change that leads to another action",
            "changes": "The nearest changes that lead to other actions",
            "fixed": "Every leaf takes the same action, so nothing changes it",
            "none": "No change that is allowed leads to another action",
            "noneOfOne": "No allowed change of one column alone leads to another action",
            "scale": 1,
            "more": "for the action: +",
            "less": "against the action: \u2212",
        }

    def says(self, leaf: LeafRows) -> dict[str, Any]:
        """Return the action of a leaf, and what it and the others earned there."""
        klass = int(self.context.said.prediction[leaf.node])
        return {"answer": klass, "says": printable(self.legend[klass]), "record": self._record(leaf, klass)}

    def _record(self, leaf: LeafRows, klass: int) -> str:
        kind, rows = f"{self.context.kind_of_rows} row", self.context.seen
        if not len(leaf.seen):
            return f"No {kind} came to this leaf, so nothing is known about what its action earns."
        others = [k for k in range(len(self.legend)) if k != klass]
        means = {k: mean_of_rows(self._gains(rows, k)[leaf.seen]) for k in [klass, *others]}
        next_best = max(others, key=lambda k: means[k].value)
        more = mean_of_rows((self._gains(rows, klass) - self._gains(rows, next_best))[leaf.seen])
        counted = count_of(len(leaf.seen), kind)
        caution = "" if self.context.test is not None else CHOSEN_ON
        return (
            f"For {counted} in this leaf its mean reward{self.after} is {numbers_of(means[klass])[0]}, that of "
            f"{printable(self.legend[next_best])} {numbers_of(means[next_best])[0]}; the difference is "
            f"{numbers_of(more)[0]} ({interval_words(more)}).{caution}"
        )

    def scores(self) -> NDArray[np.float64]:
        """Return how much more each action earns than the best of the others, among the training rows of each node."""
        after = self.context.said.value - self.costs
        found = np.empty_like(after)
        for action in range(after.shape[1]):
            found[:, action] = after[:, action] - np.delete(after, action, axis=1).max(axis=1)
        return found

    def left(self, tree: Tree, rows: Rows) -> float:
        """Return the regret of a tree as a share of that of the best single action of the training rows."""
        best = math.fsum((rows.y - self.costs).max(axis=1))
        regret = best - math.fsum(self._gains(rows, self._chosen(rows, tree)))
        single = best - math.fsum(self._gains(rows, self.best))
        return regret / single if single > 0 else 0.0

    def comparison(self, others: Mapping[str, Tree], fit_models: bool) -> Grid | None:
        """Return other policy trees beside this one; single actions stand above."""
        if not others:
            return None
        rows = self.context.seen
        own = self._gains(rows, self._chosen(rows))
        named = [("This tree", self.context.tree), *others.items()]
        gains = [self._gains(rows, self._chosen(rows, tree)) for _, tree in named]
        values = estimate_cells([mean_of_rows(each) for each in gains], "mean reward")
        beside = estimate_cells([mean_of_rows(own - each) for each in gains[1:]], "this tree has more")
        lines = [
            Row(
                words(name),
                (words(leaves_in_words(tree), "size"), values[k], beside[k - 1] if k else Cell()),
                is_own=k == 0,
            )
            for k, (name, tree) in enumerate(named)
        ]
        caption = f"Mean reward{self.after} on the {self.context.kind_of_rows} rows."
        head = ("Policy", "Size", "Mean reward", "This tree has more")
        return Grid(caption, heads(*head), tuple(lines))

    def extra_rules(self) -> list[str]:
        """Return the costs of the actions."""
        pairs = (f"{name} {written(float(cost))}" for name, cost in zip(self.legend, self.costs, strict=True))
        return [f"costs of actions: {', '.join(pairs)}"] if self.costs.any() else ["actions cost nothing"]


CHOSEN_ON = " The tree was chosen on these rows, so the difference is optimistic."


def read_rewards(tree: Tree, given: Any, n_rows: int, name: str) -> NDArray[np.float64]:
    """Return rewards of shape (n_rows, n_actions), in the order of the tree's actions.

    Raises
    ------
    InputError
        No finite number for each row and action of the tree, or columns with other names than the actions.
    """
    assert tree.classes is not None  # a policy tree has actions
    try:
        rewards, names = check_rewards(given, n_rows)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    actions = [str(action) for action in tree.classes.tolist()]
    if rewards.shape[1] != len(actions):
        raise InputError(
            f"{name} has {rewards.shape[1]} columns; the tree has the actions {', '.join(actions[:10])}."
        )
    return by_name(rewards, names, actions, name, others=False)
