"""One HTML file about one tree, for the people it decides about and those who answer for it.

The file holds everything: styles, program, the tree as data. It opens without a network and forbids itself to use one,
follows the reader's light or dark theme, prints, and works by keyboard and screen reader. Cost: predictions on all rows
and, unless switched off, the training of four models of scikit-learn.
"""

from __future__ import annotations

import datetime
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from treewright import __version__
from treewright._arguments import check_arguments, refuse_lossy
from treewright._plural import kind_of
from treewright.convert import Model, Terms, write_bytes
from treewright.errors import InputError
from treewright.result import BornAgainResult, SolveResult, why_stopped_at_one_leaf
from treewright.show._report._asked import terms_told, verifying_call
from treewright.show._report._audit import facts, groups_of_rows
from treewright.show._report._certificate import Certificate, explain
from treewright.show._report._checked import as_checked, failed_checks
from treewright.show._report._embed import embedded_model, script_json, used_columns
from treewright.show._report._frontier import better_than, chart, frontier_table
from treewright.show._report._page import render_page
from treewright.show._report._reading import reading_facts, with_units
from treewright.show._report._rows import read_rows, rows_seen_before
from treewright.show._report._steps import picture
from treewright.show._report._task import Context, Task
from treewright.show._report._tasks import task_of
from treewright.show._titles import ColumnWords, column_words, in_words_of_people, label_words, settings_from
from treewright.table import ColumnNote, Settings
from treewright.tree import LinearSplit, Tree, TreeKind

if TYPE_CHECKING:
    from treewright.verify import VerificationReport

__all__ = ["report"]

MOST_LEAVES_NAMED = 12
HYBRID = (
    "This is the tree on top of a hybrid, by itself. In {} a model answers, and the hybrid can decide otherwise than "
    "this page says. How often it does: model.report(X, y)."
)


def _of_a_hybrid(tree: Tree, extensions: Mapping[int, Any]) -> list[str]:
    """Return the remark that names the leaves in which a model answers, by their numbers in the report."""
    numbers = tree.is_leaf.cumsum()
    own = [str(numbers[leaf]) for leaf, one in extensions.items() if one.model is not None]
    if not own:
        return []
    where = f"leaf {own[0]}" if len(own) == 1 else f"leaves {', '.join(own[:-1])} and {own[-1]}"
    if len(own) > MOST_LEAVES_NAMED:
        where = f"{len(own)} of its {tree.n_leaves} leaves"
    return [HYBRID.format(where)]


def report(
    model: Any,
    X: Any,
    y: Any,
    *,
    X_test: Any = None,
    y_test: Any = None,
    frontier: Sequence[SolveResult] | None = None,
    others: Mapping[str, Any] | None = None,
    fit_models: bool = True,
    verification: VerificationReport | None = None,
    claim_checked: bool = True,
    title: str | None = None,
    target: str | None = None,
    files: Mapping[str, str] | None = None,
    settings: Settings | str | Path | None = None,
    groups: Mapping[str, ArrayLike] | None = None,
    date: str | None = None,
    digits: int | None = 6,
    out: str | Path | None = None,
) -> str:
    """Return a web page that shows a tree, how often it is right or how far it is off, and what is proven about it.

    Parameters
    ----------
    model : fitted estimator, SolveResult, Model or Tree
        Anything with one tree, of any kind. A certificate is shown if it comes with one. Of a latent tree the hardened
        one is shown.
    X : array-like or frame of shape (n_rows, n_columns), or Table
        The rows that the tree was made from.
    y : array-like of shape (n_rows,) or (n_rows, n), structured array, or pair of arrays
        Their targets, as `fit` takes them: labels; one number or several for a regression tree; the rewards of all
        actions for a policy tree; event and time for a survival tree.
    X_test, y_test : like X and y, default=None
        Rows that the tree has not seen. Without them the page says that its figures are optimistic.
    frontier : sequence of SolveResult, default=None
        The best trees by number of leaves, on the same table; shown as a chart.
    others : mapping from name to model, default=None
        Other trees over the same columns, of the same kind, to be compared on the same rows.
    fit_models : bool, default=True
        Whether to fit CART, gradient boosting, a random forest and a linear model for comparison; for policy and
        survival trees none is fitted.
    verification : VerificationReport, default=None
        What `treewright.verify.verify` found; its counts are shown, and if a check failed nothing is called proven.
        Without it, the statements of a model file are called claimed, not checked.
    claim_checked : bool, default=True
        Whether `verification` is of the certificate; False if it is of the tree alone.
    title : str, default=None
        Heading of the page.
    target : str, default=None
        Name of the column that was predicted; None takes it from the model, if it has one.
    files : mapping, default=None
        Names of the files "model", "data" and "test", to be mentioned in the page.
    settings : Settings or path of a columns.yaml, default=None
        Names, descriptions, units, codes and allowed changes of columns, names of labels, purpose and owner. Readers
        see these instead of the words of the file.
    groups : mapping from name to array-like of shape (n_rows,), default=None
        Groups for which errors are shown separately, such as ``{"sex": sex}``: one value for each test row, or for each
        training row if there are no test rows. Numbers with more than ten values are cut at their quartiles. The tree
        need not use these columns.
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
        The model has no tree, `X` has other columns than the tree, `y` does not fit, test rows have no `y_test`, the
        frontier or other trees are of another table, groups have another length, the settings cannot be read, or the
        file cannot be written.

    Notes
    -----
    The page holds counts, and of each column that the tree splits on its range, spread and one typical value; no row
    of the data. A tree of 20 leaves on 10,000 rows takes about 100 kB.

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
    check_arguments(
        report,
        locals(),
        "frontier",
        "others",
        "verification",
        "title",
        "target",
        "files",
        "settings",
        "groups",
        "date",
        "digits",
        "out",
    )
    refuse_lossy("y", y)
    hardened = _hardened(model)
    tree, result, terms = _parts(model if hardened is None else hardened)
    remarks = [] if hardened is None else [hardened.sentence]
    if hasattr(model, "extensions_"):
        remarks += _of_a_hybrid(model.tree_, model.extensions_)
    if digits is not None and digits < 1:
        raise InputError(f"digits={digits}; give at least 1, or None for all digits.")
    if (X_test is None) != (y_test is None):
        raise InputError("Give both X_test and y_test, or neither.")
    kind = task_of(tree, result, terms)
    train = read_rows(tree, X, y, "X", kind.read)
    test = None if X_test is None else read_rows(tree, X_test, y_test, "X_test", kind.read)
    if terms is None:
        terms = terms_told(model, tree, result, train)
    trees = {name: _other_tree(name, other, tree) for name, other in (others or {}).items()}
    reading = model.reading if isinstance(model, Model) else None
    known = with_units(settings_from(settings), reading)
    words = column_words(tree, known)
    target = target if target is not None else (terms.target if terms is not None else None)
    outcome = known.notes.get(target or "", ColumnNote()).name or target
    said = in_words_of_people(tree, words, _labels(tree, known, outcome or ""))
    task = kind(Context(tree, said, result, terms, train, test, known, digits, target))
    drawn = None if frontier is None else chart(task, frontier)
    better = None if frontier is None else better_than(result, terms, frontier)
    groups_seen = groups_of_rows(groups or {}, len(task.context.seen), known)
    used = used_columns(tree)
    data = embedded_model(task, words)
    named = dict(files or {})
    stopped = "" if result is None else why_stopped_at_one_leaf(result)
    page = render_page(
        picture(said, digits, task.costs_shown, task.leaf_unit),
        task=task,
        title=title or (f"A decision tree for {outcome}" if outcome else "A decision tree"),
        outcome=outcome,
        version=__version__,
        has_linear=any(isinstance(split, LinearSplit) for split in tree.splits),
        used=used,
        columns=data["columns"],
        n_columns=len(tree.columns),
        n_train=len(train),
        n_test=None if test is None else len(test),
        by_group=[table for name, parts in groups_seen for table in task.group_tables(name, parts)],
        column_words=[words[j] for j in used],
        facts=facts(
            known,
            result,
            terms,
            train,
            test,
            date or today(),
            named,
            reading_facts(reading),
            task.extra_rules(),
        ),
        contact=known.about.get("contact") or known.about.get("owner") or "",
        date=date or today(),
        certificate=as_checked(
            _named(explain(result, terms, len(train), better, task.not_proven), words),
            verification,
            claim_checked,
            of_file=isinstance(model, Model),
        ),
        warnings=[*failed_checks(verification), *filter(None, [stopped]), *_warnings(task), *remarks],
        chart=drawn,
        frontier_table=None if drawn is None else frontier_table(task, drawn),
        scope=result.scope if result is not None and drawn is not None else "",
        comparison=task.comparison(trees, fit_models),
        model_name=named.get("model"),
        model_data=named.get("data"),
        test_data=named.get("test"),
        command=_command(result, named),
        call=verifying_call(model, result, task.verifier),
        claim_checked=claim_checked,
        digits=digits,
        model_json=script_json(data),
    )
    if out is not None:
        write_bytes(out, page.encode("utf-8"))
    return page


def _named(certificate: Certificate, words: Sequence[ColumnWords]) -> Certificate:
    """The certificate with people's names where notes list columns: "net income (7 of 495), age (7 of 50)"."""
    notes = certificate.notes
    for said in words:
        if said.own:
            listed = rf"(?<=[:,] ){re.escape(said.own)}(?= \([0-9,]+ of [0-9,]+\))"
            notes = tuple(re.sub(listed, said.name.replace("\\", r"\\"), note) for note in notes)
    return replace(certificate, notes=notes)


def _labels(tree: Tree, known: Settings, outcome: str) -> list[str] | None:
    """What people read in the place of each label; numbers alone say nothing, so the target's name goes with them."""
    if tree.classes is None:
        return None
    labels = label_words(tree, known)
    numbers = all(isinstance(label, (int, float)) for label in tree.classes.tolist())
    if not (outcome and numbers) or tree.kind is TreeKind.POLICY or known.label_names:
        return labels
    return [f"{outcome} = {label}" for label in labels]


def _parts(model: Any) -> tuple[Tree, SolveResult | None, Terms | None]:
    """The tree, its certificate and the question it answers, from whatever holds them."""
    model = getattr(model, "best_estimator_", model)
    if isinstance(model, Tree):
        return model, None, None
    if isinstance(model, SolveResult):
        return model.tree, model, None
    if isinstance(model, Model):
        return model.tree, model.result, model.certificate.terms if model.certificate else None
    hardened = _hardened(model)
    if hardened is not None:
        return hardened.tree, None, None
    tree, result = getattr(model, "tree_", None), getattr(model, "result_", None)
    if not isinstance(tree, Tree):
        if hasattr(model, "steps"):
            raise InputError(
                "model is a Pipeline: its tree asks about what the steps before it make of X. Give the last step and "
                "such an X: report(model[-1], model[:-1].transform(X), y)."
            )
        raise InputError(
            f"model is {kind_of(model)} without a tree; give a fitted tree estimator, a SolveResult, a Model "
            "or a Tree."
        )
    return tree, result if isinstance(result, SolveResult) and result.tree is tree else None, None


def _hardened(model: Any) -> Any:
    """Return what a latent tree hardens to, with a sentence on how often the two differ; None of other models."""
    model = getattr(model, "best_estimator_", model)
    found = model.harden() if hasattr(model, "harden") else model
    is_one = isinstance(getattr(found, "tree", None), Tree) and isinstance(
        getattr(found, "sentence", None), str
    )
    return found if is_one else None


def today() -> str:
    """Return the date as year-month-day."""
    return datetime.date.today().isoformat()


def _other_tree(name: str, model: Any, tree: Tree) -> Tree:
    other = _parts(model)[0]
    if [column.name for column in other.columns] != [column.name for column in tree.columns] or any(
        a.categories != b.categories for a, b in zip(other.columns, tree.columns, strict=True)
    ):
        raise InputError(f"others[{name!r}] has other columns than the model; compare trees of one table.")
    if other.kind is not tree.kind:
        raise InputError(
            f"others[{name!r}] is a {other.kind.value} tree, the model a {tree.kind.value} tree; compare trees of one "
            "kind."
        )
    if other.n_outputs != tree.n_outputs or not _same_actions(other, tree):
        raise InputError(f"others[{name!r}] says other things than the model; compare trees for one target.")
    return other


def _same_actions(a: Tree, b: Tree) -> bool:
    """Whether two policy trees know the same actions in one order, which rewards have; of other trees always."""
    if a.kind is not TreeKind.POLICY or a.classes is None or b.classes is None:
        return True
    return list(map(str, a.classes.tolist())) == list(map(str, b.classes.tolist()))


def _warnings(task: Task) -> list[str]:
    """What a reader has to know before believing a number of this page."""
    context, said = task.context, []
    tree, train, test, terms = context.tree, context.train, context.test, context.terms
    counts = [int(tree.n_node_samples[leaf.node]) for leaf in task.leaves]
    if any(counts) and counts != [len(leaf.train) for leaf in task.leaves]:
        said.append(
            f"The {len(train):,} training rows of this report fall into the leaves in other numbers than when the tree "
            "was made, so they are not the same rows, or some of them have weight zero."
        )
    seen = 0 if test is None else rows_seen_before(train, test)
    if test is not None and seen:
        said.append(
            f"{seen:,} of the {len(test):,} test rows are also training rows: they are equal in every column and in "
            "what was seen. Figures of these test rows say little about new rows."
        )
    if test is None:
        said.append("No test rows were given; all figures are those of the rows that the tree was chosen on.")
    said += task.warnings()
    if terms is not None and terms.weight:
        said.append("The tree was made for weighted rows; the figures of this report count every row as one.")
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
