"""One HTML file about one tree, for the people it decides about and those who answer for it.

The file holds everything: styles, program, the tree as data. It opens without a network and forbids itself to use one,
follows the reader's light or dark theme, prints, and works by keyboard and screen reader. Cost: predictions on all rows
and, unless switched off, the training of four models of scikit-learn.
"""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from treewright import __version__
from treewright.convert import Model, Terms, write_bytes
from treewright.errors import InputError
from treewright.result import BornAgainResult, LeafAccuracyResult, SolveResult
from treewright.show._report._audit import facts, rates_of_classes, rates_of_groups
from treewright.show._report._certificate import explain
from treewright.show._report._compare import compare
from treewright.show._report._embed import embedded_model, script_json, used_columns
from treewright.show._report._frontier import better_than, chart
from treewright.show._report._leaves import Leaf, confusion, count_right, describe_leaves
from treewright.show._report._page import render_page
from treewright.show._report._reading import reading_facts, with_units
from treewright.show._report._rows import Rows, read_rows, rows_seen_before
from treewright.show._report._steps import picture
from treewright.show._titles import column_words, in_words_of_people, label_words, settings_from
from treewright.table import Settings
from treewright.tree import LinearSplit, Tree

__all__ = ["report"]

MOST_LEAVES = 1000  # listed as rules
MOST_CLASSES = 12  # in the table of mistakes


def report(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    frontier: Sequence[SolveResult] | None = None,
    others: Mapping[str, Any] | None = None,
    fit_models: bool = True,
    verification: Any = None,
    title: str | None = None,
    target: str | None = None,
    files: Mapping[str, str] | None = None,
    settings: Settings | str | Path | None = None,
    groups: Mapping[str, ArrayLike] | None = None,
    date: str | None = None,
    digits: int | None = 6,
    out: str | Path | None = None,
) -> str:
    """Return a web page that shows a classification tree, how often it is right, and what is proven about it.

    Parameters
    ----------
    model : fitted estimator, SolveResult, Model or Tree
        Anything with one tree of classes. A certificate is shown if it comes with one. Of a latent tree the hardened
        one is shown.
    X : array-like or frame of shape (n_rows, n_columns), or Table
        The rows that the tree was made from.
    y : array-like of shape (n_rows,)
        Their labels.
    X_test, y_test : like X and y, default=None
        Rows that the tree has not seen. Without them the page says that its accuracies are optimistic.
    frontier : sequence of SolveResult, default=None
        The best trees by number of leaves, on the same table; shown as a chart.
    others : mapping from name to model, default=None
        Other trees over the same columns and classes, to be compared on the same rows.
    fit_models : bool, default=True
        Whether to fit CART, gradient boosting, a random forest and logistic regression for comparison.
    verification : VerificationReport, default=None
        What `treewright.verify.verify` found; its counts are shown.
    title : str, default=None
        Heading of the page.
    target : str, default=None
        Name of the column of labels; None takes it from the model, if it has one.
    files : mapping, default=None
        Names of the files "model", "data" and "test", to be mentioned in the page.
    settings : Settings or path of a columns.yaml, default=None
        Names, descriptions, units, codes and allowed changes of columns, names of labels, purpose and owner: what
        people read in the place of the words of the file.
    groups : mapping from name to array-like of shape (n_rows,), default=None
        Groups for whom the error rates are shown apart, such as ``{"sex": sex}``: one value for each test row, or for
        each training row if there are no test rows. Numbers of more than ten values are cut at their quartiles. The
        tree need not know these columns.
    date : str, default=None
        Of the report; None is today.
    digits : int or None, default=6
        Significant digits of numbers in the page, which decides with all digits; None shows all.
    out : str or Path, default=None
        File to write: whole, or not at all.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        A model without a tree of classes, other columns than the tree's, labels that do not fit, test rows without
        labels, a frontier or other trees of another table, groups of another length, settings that cannot be read, or
        a file that cannot be written.

    Notes
    -----
    The page holds counts, and of each column that the tree splits on its range, spread and one typical value; no row
    of the data. A tree of 20 leaves on 10,000 rows takes about 70 kB.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier(cost_complexity=0.02).fit(X, y)
    >>> page = report(model, X, y, fit_models=False)
    >>> page.startswith("<!DOCTYPE html>")
    True
    """
    tree, result, terms = _parts(model)
    remarks = [model.harden().sentence] if hasattr(model, "harden") else []
    if tree.classes is None or not tree.predicts_classes:
        raise InputError(
            f"This is a {tree.kind.value} tree; the report is of trees that predict classes. For this one: "
            "treewright.show.rules and plot_tree, and treewright verify."
        )
    if digits is not None and digits < 1:
        raise InputError(f"digits={digits}; give at least 1, or None for all digits.")
    if (X_test is None) != (y_test is None):
        raise InputError("Give both X_test and y_test, or neither.")
    train = read_rows(tree, X, y, "X")
    test = None if X_test is None or y_test is None else read_rows(tree, X_test, y_test, "X_test")
    trees = {name: _other_tree(name, other, tree) for name, other in (others or {}).items()}
    limits = result.options if result is not None else {}
    contenders = compare(
        tree, train, test, others=trees, fit_models=fit_models, max_depth=limits.get("max_depth")
    )
    reading = model.reading if isinstance(model, Model) else None
    known = with_units(settings_from(settings), reading)
    words, labels = column_words(tree, known), label_words(tree, known)
    seen = train if test is None else test  # the rows that accuracies are believed of
    by_group = rates_of_groups(tree, seen, labels, groups or {}, known)
    own = tree
    drawn = None if frontier is None else chart(tree, frontier, train, test, result)
    better = None if frontier is None else better_than(result, terms, frontier)
    tree = in_words_of_people(tree, words, labels)
    leaves = describe_leaves(tree, train, test, digits)
    data = embedded_model(tree, train.X, leaves, words)
    named = dict(files or {})
    target = target if target is not None else (terms.target if terms is not None else None)
    page = render_page(
        picture(tree, digits),
        title=title or (f"A decision tree for {target}" if target else "A decision tree"),
        target=target,
        version=__version__,
        classes=labels,
        has_bars=bool((tree.value.sum(axis=1) > 0).any()),
        has_linear=any(isinstance(split, LinearSplit) for split in tree.splits),
        used=used_columns(tree),
        columns=data["columns"],
        n_columns=len(tree.columns),
        n_train=len(train),
        train_count=count_right(tree, train),
        test_count=None if test is None else count_right(tree, test),
        leaves=_listed(leaves),
        confusion=_mistakes(tree, seen, labels),
        by_class=rates_of_classes(tree, seen, labels),
        by_group=by_group,
        column_words=[words[j] for j in used_columns(tree)],
        facts=facts(known, result, terms, train, test, date or today(), named, reading_facts(reading)),
        contact=known.about.get("contact") or known.about.get("owner") or "",
        date=date or today(),
        certificate=explain(result, terms, len(train), better),
        checks=_checks(verification),
        warnings=[*_warnings(own, result, train, test, leaves, terms), *remarks],
        chart=drawn,
        scope=result.scope if type(result) is SolveResult else "",
        contenders=contenders,
        model_name=named.get("model"),
        model_data=named.get("data"),
        test_data=named.get("test"),
        command=_command(result, named),
        digits=digits,
        model_json=script_json(data),
    )
    if out is not None:
        write_bytes(out, page.encode("utf-8"))
    return page


def _parts(model: Any) -> tuple[Tree, SolveResult | None, Terms | None]:
    """The tree, its certificate and the question it answers, from whatever holds them."""
    if isinstance(model, Tree):
        return model, None, None
    if isinstance(model, SolveResult):
        return model.tree, model, None
    if isinstance(model, Model):
        return model.tree, model.result, model.certificate.terms if model.certificate else None
    tree, result = getattr(model, "tree_", None), getattr(model, "result_", None)
    if tree is None and hasattr(
        model, "harden"
    ):  # a latent tree, whose soft model decides a little differently
        tree = model.harden().tree
    if not isinstance(tree, Tree):
        raise InputError(
            f"model is a {type(model).__name__} without a tree; give a fitted tree estimator, a SolveResult, a Model "
            "or a Tree."
        )
    return tree, result if isinstance(result, SolveResult) and result.tree is tree else None, None


def today() -> str:
    """Return the date as year-month-day."""
    return datetime.date.today().isoformat()


def _other_tree(name: str, model: Any, tree: Tree) -> Tree:
    other = _parts(model)[0]
    if [column.name for column in other.columns] != [column.name for column in tree.columns] or any(
        a.categories != b.categories for a, b in zip(other.columns, tree.columns, strict=True)
    ):
        raise InputError(f"others[{name!r}] has other columns than the model; compare trees of one table.")
    if not other.predicts_classes:
        raise InputError(
            f"others[{name!r}] is a {other.kind.value} tree; compare trees that predict classes."
        )
    return other


def _listed(leaves: list[Leaf]) -> list[Leaf]:
    """All leaves, or those with the most rows if there are too many for a page."""
    if len(leaves) <= MOST_LEAVES:
        return leaves
    kept = sorted(leaves, key=lambda leaf: -leaf.train.rows)[:MOST_LEAVES]
    return sorted(kept, key=lambda leaf: leaf.number)


def _mistakes(tree: Tree, rows: Rows, labels: list[str]) -> list[tuple[str, list[int]]]:
    """The table of true against predicted classes; none if there are too many classes to read."""
    if not 1 < len(labels) <= MOST_CLASSES:
        return []
    counts = confusion(tree, rows).tolist()
    shown = list(zip(labels, counts, strict=False))
    return [*shown, ("another label", counts[-1])] if any(counts[-1]) else shown


def _checks(verification: Any) -> dict[str, Any] | None:
    if verification is None:
        return None
    return {
        "all": len(verification.checks),
        "held": sum(check.ok for check in verification.checks),
        "failed": [check.name for check in verification.failed],
    }


def _warnings(
    tree: Tree,
    result: SolveResult | None,
    train: Rows,
    test: Rows | None,
    leaves: list[Leaf],
    terms: Terms | None,
) -> list[str]:
    """What a reader has to know before believing a number of this page."""
    said = []
    counts = [int(tree.n_node_samples[leaf.node]) for leaf in leaves]
    if any(counts) and counts != [leaf.train.rows for leaf in leaves]:
        said.append(
            f"The {len(train):,} training rows of this report fall into the leaves in other numbers than when the tree "
            "was made, so they are not the same rows."
        )
    for rows, kind in ((train, "training"), (test, "test")):
        unknown = 0 if rows is None else int((rows.labels < 0).sum())
        if unknown:
            said.append(
                f"{unknown:,} {kind} rows have a label that the tree cannot predict; they count as wrong."
            )
    seen = 0 if test is None else rows_seen_before(train, test)
    if test is not None and seen:
        said.append(
            f"{seen:,} of the {len(test):,} test rows are also training rows: they are equal in every column and the "
            "label. Accuracies on these test rows say little about new rows."
        )
    if test is None:
        said.append("No test rows were given; accuracies are those of the rows that the tree was chosen on.")
    if terms is not None and (terms.costs is not None or terms.objective != "accuracy" or terms.class_weight):
        said.append(
            "The tree was not made to be right most often, but for the objective that the certificate names."
        )
    elif terms is not None and terms.weight:
        said.append("The tree was made for weighted rows; accuracies count every row as one.")
    if isinstance(result, LeafAccuracyResult):
        said.append("The tree was made for the best worst leaf, not to be right most often.")
    if isinstance(result, BornAgainResult):
        said.append(
            "The tree repeats the decisions of an ensemble; it was not made for these labels directly."
        )
    return said


def _command(result: SolveResult | None, files: Mapping[str, str]) -> str:
    """Return the command that verifies the tree, or nothing: an ensemble alone does not say on which rows it agrees."""
    parts = ["treewright", "verify", files.get("model", "model.json")]
    if isinstance(result, BornAgainResult):
        everywhere = result.scope.startswith("all rows") and "of the domain" not in result.scope
        if result.options.get("objective") in ("rows", "active") or not everywhere:
            return ""
        return shlex.join([*parts, "--ensemble", "FILE"])
    return shlex.join([*parts, *([files["data"]] if "data" in files else [])])
