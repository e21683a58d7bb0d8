"""`treewright verify`: check a saved tree and its claims against the data, or against an ensemble.

The file is longer than 400 lines because one command checks models of every kind, and other commands use its functions.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli._csv_options import CsvOptions, reads_csv
from treewright.cli._exits import CHECK_FAILED, exits_by_code
from treewright.cli._folders import as_one_file
from treewright.cli._options import KnownTarget, ModelPath, SettingsFile
from treewright.cli._other_settings import with_other_settings
from treewright.cli._output import say
from treewright.cli._policy import check_policy
from treewright.cli._probability import check_probability, check_row_costs
from treewright.cli._query import read_set
from treewright.cli._question import F1
from treewright.cli._read_csv import labels_like, read_csv, settings_with, with_absent
from treewright.cli._reborn_checks import objective_of_model, refuse_claims_of_rows
from treewright.cli._reborn_domain import within_claimed
from treewright.cli._reborn_everywhere import check_near_everywhere, is_near_everywhere
from treewright.cli._reborn_values import check_near_values
from treewright.cli._regression import check_regression
from treewright.cli._shards import is_stream, verify_stream
from treewright.cli._survival import check_survival_tree
from treewright.cli._verify_set import claimed_problem, is_set, set_holds_on
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Model, Terms
    from treewright.problem import F1Problem, Problem
    from treewright.table import CsvTable
    from treewright.verify import VerificationReport

__all__ = [
    "checked",
    "label_column",
    "problem_of",
    "refuse_other_question",
    "seen_columns",
    "terms_of",
    "verify",
]
OBJECTIVES = {  # of each kind of tree that is verified against the labels, numbers or rewards of a table
    "classification": ("accuracy", "balanced_accuracy", "f1", "brier", "log_loss", "row_costs"),
    "regression": ("squared_error", "poisson", "gamma", "absolute_error", "quantile"),
    "policy": ("policy",),
    "survival": ("survival",),
}
TERMS = {  # that state the loss of labels, and the objectives that take them
    "costs": ("accuracy", "balanced_accuracy"),
    "class_weight": ("accuracy", "f1"),
}


@reads_csv
@exits_by_code
def verify(
    model: ModelPath,
    data: Annotated[
        Path | None,
        typer.Argument(
            help="CSV file with a header line (plain or gzip), Parquet or Arrow file; after a fit on shards, the "
            "folder.",
            show_default=False,
        ),
    ] = None,
    ensemble: Annotated[
        Path | None,
        typer.Option(
            "--ensemble",
            help="Model file (XGBoost JSON, LightGBM text, published forest, reborn --forest-out) that the tree was "
            "made from.",
        ),
    ] = None,
    target: KnownTarget = None,
    *,
    how: CsvOptions,
    columns: SettingsFile = None,
) -> None:
    """Recompute everything that a model file claims from the data that it was made from.

    The checker shares no code with the search. It cannot prove again that no better tree exists, but it compares the
    proven bound with this tree and all its prunings. With --ensemble it proves that the tree and the ensemble make the
    same decision on every possible row, or shows a row on which they differ.

    \b
    Examples:
      treewright verify model.json data.csv
      treewright verify model.json --ensemble forest.json
      treewright verify set.json data.csv
      treewright verify near.json data.csv --target yhat

    Exit codes: 0 every check holds, 1 a check failed, 2 bad input.
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import load_model
    from treewright.result import BornAgainResult, ShardsResult

    if data is None and ensemble is None:
        raise InputError("There is nothing to verify against: give the CSV file, or --ensemble FILE.")
    csv_options: dict[str, Any] = {"settings": columns, **how}
    if is_set(model):
        if data is None:
            raise InputError("A set of near-optimal trees is verified against its rows: give the CSV file.")
        found, best = read_set(model)
        rows = read_csv(
            data,
            target=target_column(best, target),
            weight=terms_of(best).weight,
            columns=best.tree.columns,
            reading=best.reading,
            **csv_options,
        )
        assert rows.target is not None  # the label column was read
        problem = (
            problem_of(best, rows)
            if _has_terms(best)
            else claimed_problem(found, rows.table, labels_like(rows.target, best.tree))
        )
        if not set_holds_on(found, problem):
            raise typer.Exit(CHECK_FAILED)
        return
    content = load_model(model)
    holds = True
    if ensemble is not None:
        holds = _decides_like(content, ensemble, with_rows=data is not None)
    if data is not None:
        if (
            isinstance(content.result, BornAgainResult)
            and content.result.options.get("objective") == "values"
        ):
            _refuse_other_terms(content)
            near = check_near_values(content, data, target, csv_options)
            say(str(near))
            if not _has_terms(content):
                say("The file does not hold the question, so tolerance and limits are those that it claims.")
            if not near.ok:
                raise typer.Exit(CHECK_FAILED)
            return
        if isinstance(content.result, BornAgainResult):
            if content.result.options.get("objective") == "labels":
                raise InputError(
                    "This tree repeats the answers of a model, not the labels of a table. Make it again to check it: "
                    "treewright.bornagain.distil_labels with the same rows and answers."
                )
            if content.result.options.get("objective") == "values-everywhere":
                raise InputError(
                    "This tree is near a regression ensemble on every row, whatever the rows of a table: leave the CSV "
                    "file out and add --ensemble FILE."
                )
            raise InputError(
                "This tree repeats the decisions of an ensemble, not the labels of a table: leave the CSV file out "
                "and add --ensemble FILE."
            )
        if isinstance(content.result, ShardsResult):
            refuse_other_question(content)
            settings = settings_with(columns, **how, reading=content.reading)
            holds = verify_stream(content, data, target, settings) and holds
            if not holds:
                raise typer.Exit(CHECK_FAILED)
            return
        if is_stream(data):
            raise InputError(
                f"{data} is read in pieces, against which only a model that was fitted on shards is checked. Give the "
                f"file that this model was fitted on; or, if all rows fit into memory, make one file of them: "
                f"{as_one_file(data)}, in Python."
            )
        holds = _holds_on(content, data, target, csv_options) and holds
    if not holds:
        raise typer.Exit(CHECK_FAILED)


def _decides_like(content: Model, path: Path, *, with_rows: bool) -> bool:
    """Prove that the tree and the ensemble of a file decide alike everywhere, or show where they do not."""
    from treewright.convert import Ensemble
    from treewright.result import BornAgainResult
    from treewright.verify import check_faithful, verify_born_again

    claim = content.certificate
    if is_near_everywhere(content):
        _refuse_other_terms(content)
        return check_near_everywhere(content, path)
    if claim is not None:
        refuse_claims_of_rows(claim, path)
    routes_missing = any(column.has_missing for column in content.tree.columns)
    model = Ensemble.load(path, missing="route" if routes_missing else "refuse")
    model = within_claimed(model, claim)
    report = check_faithful(content.tree, model)
    say(report.sentence())
    if claim is None:
        say("The file holds no certificate, so only that both decide alike was checked.")
    if claim is None or not report.faithful:
        return report.faithful
    result = content.result
    if not isinstance(result, BornAgainResult) or result.options.get("objective") == "active":
        if with_rows:
            return True  # the certificate is held against them
        raise InputError(
            f"The certificate of the file speaks of rows, so {path.name} says nothing about it; only that both decide "
            "alike was proven."
        )
    checked = verify_born_again(model, result)
    say(str(checked))
    return checked.ok


def _holds_on(content: Model, data: Path, target: str | None, csv_options: dict[str, Any]) -> bool:
    """Recompute what the file claims from the table, and print the report."""
    refuse_other_question(content)
    columns = seen_columns(content, target)
    csv = read_csv(
        data,
        target=columns[0] if columns else None,
        weight=terms_of(content).weight,
        columns=content.tree.columns,
        needed=content.tree.asked,
        reading=content.reading,
        **csv_options,
    )
    report, asked = checked(content, csv, data, columns, csv_options)
    say(str(with_absent(report, csv)))
    if not asked:
        say("The file holds no certificate with its question, so only the tree itself was checked.")
        if not report.ok and content.tree.predicts_classes:
            say(
                "A tree made with weights of rows or classes, or with costs, fails such a check: the file lacks them."
            )
    return report.ok


def refuse_other_question(content: Model) -> None:
    """Raise an error if the file asks for what such a tree is not made for.

    Raises
    ------
    InputError
        It does.
    """
    terms = terms_of(content)
    if _has_terms(content) and terms.objective not in (
        *OBJECTIVES[content.tree.kind.value],
        *objective_of_model(content),
    ):
        raise InputError(
            f"The model file holds a {content.tree.kind.value} tree and asks for {terms.objective!r}, which such trees "
            "are not made for."
        )
    _refuse_other_terms(content)


def _refuse_other_terms(content: Model) -> None:
    """Raise an error if the file states costs or weights of classes that its objective does not take."""
    terms = terms_of(content)
    for name, objectives in TERMS.items():
        if getattr(terms, name) is not None and terms.objective not in objectives:
            raise InputError(
                f"The model file asks for {terms.objective!r} and has {name} in its terms, which do not go together: "
                "no such tree can have been made."
            )


def seen_columns(content: Model, target: str | None) -> tuple[str, ...]:
    """Return the columns of labels, of times, or of all outputs; none of a policy tree, whose rewards the file names.

    Raises
    ------
    InputError
        Nobody named them, or they were named for a policy tree.
    """
    from treewright.tree import TreeKind

    if content.tree.kind is TreeKind.POLICY:
        if target is not None:
            raise InputError("--target: this is a policy tree, whose rewards the file names; leave it out.")
        return ()
    if content.tree.n_outputs > 1:
        return _outputs_of(content, target)
    return (target_column(content, target),)


def checked(
    content: Model, csv: CsvTable, data: Path, columns: tuple[str, ...], csv_options: dict[str, Any]
) -> tuple[VerificationReport, bool]:
    """Hold a model of any task against its table; also returns whether its certificate was part of that.

    What fails names the settings of this call that the fit did not have.
    """
    report, asked = _checked(content, csv, data, columns, csv_options)
    return with_other_settings(report, content.reading, **csv_options), asked


def _checked(
    content: Model, csv: CsvTable, data: Path, columns: tuple[str, ...], csv_options: dict[str, Any]
) -> tuple[VerificationReport, bool]:
    from treewright.tree import TreeKind

    objective = terms_of(content).objective
    if content.tree.kind is TreeKind.POLICY:
        return check_policy(content, csv, data, csv_options)
    if content.tree.kind is TreeKind.SURVIVAL:
        return check_survival_tree(content, csv, data, columns[0], csv_options)
    if content.tree.kind is TreeKind.REGRESSION:
        return check_regression(content, csv, data, columns, csv_options)
    if objective in ("brier", "log_loss"):
        return check_probability(content, csv)
    if objective == "row_costs":
        return check_row_costs(content, csv, data, csv_options)
    return check_claims(content, csv)


def _has_terms(content: Model) -> bool:
    return content.certificate is not None and content.certificate.terms is not None


def terms_of(content: Model) -> Terms:
    """The question that the tree answers; without one in the file, only that it has few errors, or a large F1."""
    from treewright.convert import Terms
    from treewright.result import F1Result

    claim = content.certificate
    if claim is not None and claim.terms is not None:
        return claim.terms
    return Terms(cost_complexity=0.0, objective=F1 if isinstance(content.result, F1Result) else "accuracy")


def label_column(content: Model, target: str | None) -> str:
    """The column of labels: the one named, or the one that fit used.

    Raises
    ------
    InputError
        A regression tree, or nobody named the column.
    """
    if not content.tree.predicts_classes:
        raise InputError(f"This is a {content.tree.kind.value} tree; give one that predicts classes.")
    return target_column(content, target)


def target_column(content: Model, target: str | None) -> str:
    """The column of labels, or of a regression tree's target: the one named, or the one that fit used."""
    column = target or terms_of(content).target
    if column is None:
        raise InputError("The model file does not name the column to predict: add --target NAME.")
    return column


def _outputs_of(content: Model, target: str | None) -> tuple[str, ...]:
    """The columns of the outputs of a regression tree: those named, or those that fit used."""
    n_outputs, named = content.tree.n_outputs, terms_of(content).targets
    names = named if target is None else tuple(name.strip() for name in target.split(","))
    if names is None or len(names) != n_outputs:
        raise InputError(
            f"The tree predicts {n_outputs} outputs: name their columns in order, with commas between: --target a,b."
        )
    return names


def check_claims(content: Model, csv: CsvTable) -> tuple[VerificationReport, bool]:
    """Hold a model against its table; also returns whether its certificate was part of that."""
    from treewright.verify import verify as check
    from treewright.verify import verify_f1

    asked = _has_terms(content)
    claim = content.result if asked and content.result is not None else content.tree
    if terms_of(content).objective == F1:
        return verify_f1(_f1_problem_of(content, csv), claim), asked
    least = terms_of(content).min_leaf_accuracy
    return check(problem_of(content, csv), claim, min_leaf_accuracy=least), asked


def problem_of(content: Model, csv: CsvTable) -> Problem:
    """State the question that a model answers again, with its table."""
    from treewright.problem import make_problem

    tree, terms = content.tree, terms_of(content)
    if terms.objective not in ("accuracy", "balanced_accuracy"):
        raise InputError(
            f"This tree was made for another loss ({terms.objective}); give one of fewest errors or least costs."
        )
    assert csv.target is not None  # callers read the label column
    return make_problem(
        csv.table,
        labels_like(csv.target, tree),
        costs=terms.costs,
        objective=terms.objective,  # type: ignore[arg-type]  # one of the two
        **_asked_of(content, csv),
    )


def _f1_problem_of(content: Model, csv: CsvTable) -> F1Problem:
    """State the question of a tree of largest F1 again."""
    from treewright.problem import make_f1_problem

    assert csv.target is not None  # callers read the label column
    return make_f1_problem(csv.table, labels_like(csv.target, content.tree), **_asked_of(content, csv))


def _asked_of(content: Model, csv: CsvTable) -> dict[str, Any]:
    """What problems of labels have in common: weights, the penalty of a leaf and the limits."""
    tree, terms = content.tree, terms_of(content)
    assert tree.classes is not None  # the kind of the tree was looked at
    factors = terms.class_weight
    by_label = (
        dict(zip(tree.classes.tolist(), factors, strict=True)) if isinstance(factors, tuple) else factors
    )
    limits = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    return {
        "sample_weight": csv.sample_weight,
        "class_weight": by_label,
        **{name: getattr(terms, name) for name in limits},
    }
