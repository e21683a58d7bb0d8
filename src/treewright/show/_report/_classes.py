"""The report of a tree of classes: how often it is right, leaf by leaf, for each label and for each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of
from treewright.errors import InputError
from treewright.result import BornAgainResult, F1Result, LeafAccuracyResult, RowCostsResult
from treewright.show._breaks import longest_piece
from treewright.show._report._cells import (
    Cell,
    Grid,
    Row,
    Titled,
    count_cells,
    heads,
    number,
    share_words,
    spread_words,
    words,
)
from treewright.show._report._compare import Contender, compare
from treewright.show._report._counts import Count, confusion, count_right, is_right
from treewright.show._report._f1 import f1_card_words
from treewright.show._report._rows import Rows
from treewright.show._report._task import Card, Context, Group, LeafRows, Task
from treewright.show._words import leaf_words, percent, printable
from treewright.tree import Tree

__all__ = ["ClassTask", "chance_words", "read_labels", "rule_cells"]

MOST_CLASSES = 12  # in the table of mistakes
MOST_BY_LABEL = 4  # classes that have columns of their own in tables of groups
MOST_ABREAST = 3  # classes whose counts stand side by side on a phone
MOST_LETTERS = 30  # of the longest words in the heads of these columns and of the rows
FEW_ROWS = 30
UNKNOWN = -1  # class of a label that the tree cannot predict


class ClassTask(Task):
    """A tree that predicts classes."""

    legend_name = "Colours of the classes"
    finds = "the decision, the reasons for it, and the nearest change that would flip it"
    answer_name = "decision"
    button = "Decide"
    promise = "how often it is right"
    holds = "counts"
    errors_title = "Which mistakes, and for whom"
    errors_link = "Mistakes"
    reason_words = (
        "Each question on the path changes how frequent the decided class is among the training rows that remain. The "
        "questions about one column are one reason; its weight is by how much they raised that share, and the reason "
        "with the largest weight comes first. A question can also lower it: then it spoke against the decision."
    )
    left_words = "Share of wrong decisions"
    not_proven = "the accuracy on test rows, with its interval, is the evidence for that"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        if isinstance(context.result, RowCostsResult):
            self.verifier = "verify_row_costs"
        if self._is_for_f1:
            self.verifier = "verify_f1"
            self.not_proven = "the F1 on test rows, with its interval, is the evidence for that"
        if (context.tree.value.sum(axis=1) > 0).any():
            of = "the ensemble's decisions" if isinstance(context.result, BornAgainResult) else "the classes"
            self.bar_words = f"Its bar shows the shares of {of} among the training rows there."

    @staticmethod
    def read(tree: Tree, given: Any, n_rows: int, name: str) -> NDArray[np.int64]:
        """Return the class of each label; see `read_labels`."""
        return read_labels(tree, given, n_rows, name)

    @property
    def legend(self) -> list[str]:
        """The classes."""
        assert self.context.said.classes is not None  # a tree of classes
        return [str(label) for label in self.context.said.classes.tolist()]

    def cards(self) -> list[Card]:
        """Return how often it is right."""
        train, test = self.context.train, self.context.test
        right = count_right(self.context.tree, train)
        worse = "" if test is not None else ", so it tends to do worse on new ones"
        chosen = f"{right.right:,} of {right.rows:,}; the tree was chosen on these rows{worse}"
        cards = [Card("Right on training rows", share_words(right), chosen)]
        if test is not None:
            count = count_right(self.context.tree, test)
            small = f"{count.right:,} of {count.rows:,}; 95% interval {spread_words(count)}"
            cards.insert(0, Card("Right on test rows", share_words(count), small))
        return [*self._f1_cards(), *cards]

    @property
    def _is_for_f1(self) -> bool:
        return isinstance(self.context.result, F1Result) or self.context.option("objective") == "f1"

    def _f1_cards(self) -> list[Card]:
        """F1, of a tree that was made for it."""
        cards: list[Card] = []
        if not self._is_for_f1:
            return cards
        name = f"F1 of {printable(self.legend[1])}"
        for rows, kind in ((self.context.test, "test"), (self.context.train, "training")):
            if rows is not None:
                value, small = f1_card_words(self.context.tree, rows, with_interval=kind == "test")
                small += "" if kind == "test" else "; the tree was chosen on these rows"
                cards.append(Card(f"{name} on {kind} rows", value, small))
        return cards

    def leaf_tables(self, leaves: Sequence[LeafRows]) -> list[Titled]:
        """Return rules, decisions and how often these are right."""
        tree, test = self.context.said, self.context.test
        right = is_right(tree, self.context.train)
        right_on_test = None if test is None else is_right(tree, test)
        rows = []
        for leaf in leaves:
            cells: tuple[Cell, ...] = count_cells(Count.of(right[leaf.train]), "right on training rows")
            if leaf.test is not None and right_on_test is not None:
                cells += count_cells(Count.of(right_on_test[leaf.test]), "right on test rows")
            label = leaf_words(tree, leaf.node, self.context.digits).label
            answer = Cell(label, title="then", kind="answer", klass=int(tree.prediction[leaf.node]))
            rows.append(Row(*rule_cells(leaf, answer, *cells)))
        head = ["Leaf", "If", "then", "#right on training rows", "95% interval"]
        head += [] if test is None else ["#right on test rows", "95% interval"]
        caption = (
            "Whoever meets all conditions of a leaf gets its decision. Every row counts as one. The interval is where "
            "the share of right decisions of further rows like these may lie (95%, Wilson); on training rows it is "
            "optimistic, because the tree was chosen on them."
        )
        return [Titled("", "", Grid(caption, heads(*head), tuple(rows)))]

    def error_tables(self) -> list[Titled]:
        """Return error rates of the rows of each label, and which label was taken for which."""
        kind, seen = self.context.kind_of_rows, self.context.seen
        wrong = ~is_right(self.context.tree, seen)
        rates = "these rates are optimistic."
        caption = f"How often the tree is wrong on the {kind} rows of each label."
        if self.context.test is None:
            caption += f" These are the rows that the tree was chosen on, so {rates}"
        rows = [
            Row(words(label), error_cells(Count.of(wrong[seen.y == k])))
            for k, label in enumerate(self.legend)
        ]
        head = heads("True label", "#Rows", "#Wrong", "#Error rate", "95% interval")
        by_label = Titled("", "", Grid(caption, head, tuple(rows), "narrow rates stack"))
        return [by_label, *self._confusion()]

    def _confusion(self) -> list[Titled]:
        """The table of true against predicted classes; none if there are too many classes to read."""
        labels = self.legend
        if not 1 < len(labels) <= MOST_CLASSES:
            return []
        counts = confusion(self.context.tree, self.context.seen).tolist()
        names = [*labels, "another label"] if any(counts[-1]) else labels
        rows = [
            Row(
                words(name),
                tuple(number(f"{n:,}", f"decided {label}") for n, label in zip(line, labels, strict=True)),
            )
            for name, line in zip(names, counts, strict=False)
        ]
        kind = self.context.kind_of_rows.capitalize()
        caption = f"{kind} rows: one line for each true label, one column for each decision of the tree."
        head = heads("True label", *(f"#decided {label}" for label in labels))
        letters = max(map(longest_piece, names)) + sum(map(longest_piece, labels))
        look = "narrow" if len(labels) <= MOST_ABREAST and letters <= MOST_LETTERS else "narrow stack"
        return [Titled("Labels and decisions", "", Grid(caption, head, tuple(rows), look))]

    def group_tables(self, title: str, groups: Sequence[Group]) -> list[Titled]:
        """Return error rates of groups; of few classes also among the rows of each label."""
        seen = self.context.seen
        wrong = ~is_right(self.context.tree, seen)
        labels = self.legend if len(self.legend) <= MOST_BY_LABEL else []
        rows = []
        for name, here in groups:
            cells = list(error_cells(Count.of(wrong[here])))
            for k, label in enumerate(labels):
                count = Count.of(wrong[here & (seen.y == k)])
                said = f"wrong among {label}"
                small = f"{count.right:,} of {count.rows:,}; {spread_words(count)}" if count.rows else ""
                cells.append(number(share_words(count), said, small))
            rows.append(Row(group_head(name, int(here.sum())), tuple(cells)))
        columns = (f"#Wrong among {label}" for label in labels)
        head = heads(title, "#Rows", "#Wrong", "#Error rate", "95% interval", *columns)
        caption = (
            f"Of the {self.context.kind_of_rows} rows of each group. Groups whose intervals overlap may not differ "
            "at all."
        )
        return [Titled("Error rates by", title, Grid(caption, head, tuple(rows), "rates stack"))]

    def form_words(self) -> dict[str, Any]:
        """Return the words of decisions."""
        return {
            "answer": "Decision",
            "by": "answer",
            "change": "The nearest change that flips it",
            "changes": "The nearest changes that flip it",
            "fixed": "Every leaf decides the same, so nothing flips it",
            "none": "No change that is allowed flips this decision",
            "noneOfOne": "No allowed change of one column alone flips this decision",
            "scale": 100,
            "unit": "points",
            "one": "point",
            "more": "for the decision: +",
            "less": "against the decision: \u2212",
        }

    def says(self, leaf: LeafRows) -> dict[str, Any]:
        """Return the class of a leaf and how often it was right."""
        tree = self.context.said
        seen = self.context.seen
        right = tree.prediction[leaf.node] == seen.y[leaf.seen]
        klass = int(tree.prediction[leaf.node])
        return {"answer": klass, "says": self._label(klass), "record": self._record(Count.of(right))}

    def _label(self, klass: int) -> str:
        return printable(self.legend[klass])

    def _record(self, count: Count) -> str:
        kind = f"{self.context.kind_of_rows} row"
        if not count.rows:
            return f"No {kind} came to this leaf, so nothing is known about how often it is right."
        caution = "" if self.context.test is not None else CHOSEN_ON
        rows = count_of(count.rows, kind)
        return (
            f"Of {rows} in this leaf {count.right:,} ({percent(count.share)}) were decided right; 95% interval "
            f"{spread_words(count)}.{caution}"
        )

    def scores(self) -> NDArray[np.float64]:
        """Return the share of each class among the training rows of each node."""
        return np.round(self.context.said.node_shares, 4)

    def left(self, tree: Tree, rows: Rows) -> float:
        """Return the share of wrong decisions."""
        return 1.0 - count_right(tree, rows).share

    def left_words_of(self, left: float, n_rows: int) -> tuple[str, str]:
        """Return wrong rows, and their share below."""
        return f"{round(left * n_rows):,}", percent(left)

    @property
    def left_of_own(self) -> str:
        """How many training rows it gets wrong."""
        right = count_right(self.context.tree, self.context.train)
        return f"is wrong on {right.rows - right.right:,} training rows"

    def comparison(self, others: Mapping[str, Tree], fit_models: bool) -> Grid | None:
        """Return how often others are right, and on how many rows only one of two is."""
        context = self.context
        limit = context.result.options.get("max_depth") if context.result is not None else None
        contenders = compare(
            context.tree, context.train, context.test, others=others, fit_models=fit_models, max_depth=limit
        )
        if len(contenders) < 2:
            return None
        has_test = context.test is not None
        head = ["Model", "Size", "#Right on training rows"]
        head += ["#Right on test rows", "95% interval"] if has_test else []
        caption = (
            "scikit-learn's models with their own defaults. \u201cOnly this tree\u201d and \u201conly the other\u201d "
            "count the rows on which one is right and the other is wrong; chance is the probability of a difference at "
            "least as large if neither was better (sign test)."
        )
        rows = tuple(_contender(c, is_own=k == 0) for k, c in enumerate(contenders))
        return Grid(caption, heads(*head, "#Only this tree", "#Only the other", "#Chance"), rows)

    def warnings(self) -> list[str]:
        """Return labels that are unknown, and what the tree was made for if not to be right most often."""
        context, said = self.context, []
        for rows, kind in ((context.train, "training"), (context.test, "test")):
            unknown = 0 if rows is None else int((rows.y < 0).sum())
            if unknown:
                said.append(
                    f"{unknown:,} {kind} rows have a label that the tree cannot predict; they count as wrong."
                )
        terms, result = context.terms, context.result
        has_other_loss = terms is not None and (
            terms.costs is not None or terms.objective != "accuracy" or terms.class_weight
        )
        if has_other_loss or self._is_for_f1:
            said.append(
                "The tree was not made to be right most often, but for the objective that the certificate names."
            )
        if isinstance(result, LeafAccuracyResult):
            said.append("The tree was made for the best worst leaf, not to be right most often.")
        if isinstance(result, BornAgainResult):
            said.append(
                "The tree repeats the decisions of an ensemble; it was not made for these labels directly."
            )
        return said


CHOSEN_ON = " These are the rows that the tree was chosen on, so this share is optimistic."


def rule_cells(leaf: LeafRows, answer: Cell, *cells: Cell) -> tuple[Cell, tuple[Cell, ...], str]:
    """Return what a `Row` of a leaf takes: its number, its rule and what is known of it, and its id."""
    head = words(str(leaf.number))
    return head, (Cell(kind="rule", rule=leaf.rule), answer, *cells), f"leaf-{leaf.number}"


def group_head(name: str, n_rows: int) -> Cell:
    """Return the name of a group, and a word of care if it is small."""
    return words(name, small="few rows" if n_rows < FEW_ROWS else "")


def error_cells(wrong: Count) -> tuple[Cell, ...]:
    """Return rows, wrong ones, their share and its interval."""
    _, interval = count_cells(wrong, "")
    return (
        number(f"{wrong.rows:,}", "rows"),
        number(f"{wrong.right:,}", "wrong"),
        number(share_words(wrong), "error rate"),
        interval,
    )


def chance_words(probability: float) -> str:
    """Return a probability in the digits that are read."""
    if probability < 0.001:
        return "< 0.001"
    return f"{probability:.3f}" if probability < 0.1 else f"{probability:.2f}"


def _contender(c: Contender, is_own: bool) -> Row:
    cells = [words(c.size, "size"), number(share_words(c.train), "right on training rows")]
    if c.test is not None:
        cells += count_cells(c.test, "right on test rows")
    if is_own:
        cells += [Cell(), Cell(), Cell()]
    else:
        cells += [
            number(f"{c.only_tree:,}", "only this tree"),
            number(f"{c.only_this:,}", "only the other"),
            number(chance_words(c.chance), "chance"),
        ]
    return Row(words(c.name), tuple(cells), is_own=is_own)


def read_labels(tree: Tree, given: Any, n_rows: int, name: str) -> NDArray[np.int64]:
    """Return the class of each label, -1 for one that the tree has never seen.

    Raises
    ------
    InputError
        As many labels as rows are not there, a missing label, or no label that the tree knows.
    """
    assert tree.classes is not None  # a tree of classes
    labels = np.asarray(given)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.shape != (n_rows,):
        table = name.replace("y", "X")
        raise InputError(
            f"{name} has shape {labels.shape}, {table} has {n_rows} rows; give one label per row."
        )
    missing = sum(label is None or label != label for label in labels.tolist())  # NaN != NaN
    if missing:
        raise InputError(f"{name} is missing in {missing} rows; leave these rows out, or fill them in.")
    known = tree.classes.tolist()
    position = {label: k for k, label in enumerate(known)}
    if not any(label in position for label in labels.tolist()):  # "1" in a file may be 1 in the tree
        position = {str(label): k for k, label in enumerate(known)}
        labels = labels.astype(str)
    found = np.array([position.get(label, UNKNOWN) for label in labels.tolist()], dtype=np.int64)
    if (found == UNKNOWN).all():
        raise InputError(
            f"{name} holds no label of the tree: it predicts {', '.join(map(str, known[:10]))}; came "
            f"{', '.join(sorted({str(label) for label in labels.tolist()})[:10])}. Is it the right column?"
        )
    return found
