"""`treewright extend`: a model in each leaf of a saved tree, and for which rows the tree still explains the answer.

Nothing but text is written. Leaf models are objects of other libraries, and the way to store those, a pickle,
runs code when it is loaded; so a hybrid tree is not saved but made again, from the model file, the rows and the
seed, which give the same answers each time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli._csv_options import OPTIONS, CsvOptions, reads_csv
from treewright.cli._exits import exits_by_code
from treewright.cli._options import Csv, KnownTarget, ModelPath, SettingsFile, SpreadsheetSafe
from treewright.cli._output import note, say
from treewright.cli._read_csv import column_names, labels_like, read_csv, settings_with
from treewright.cli._stop import ending_at_once
from treewright.cli._verify import label_column, terms_of
from treewright.cli._write_csv import csv_text
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.leaf_accuracy import Extension, HybridReport, Shared, Tuning
    from treewright.tree import Tree

__all__ = ["extend"]

LEAF_MODELS = {"boosting": "scikit-learn's histogram boosting", "xgboost": "XGBoost"}


@reads_csv
@exits_by_code
def extend(
    model: ModelPath,
    data: Csv,
    rows: Annotated[
        Path | None,
        typer.Option(
            help="CSV file of other rows to predict; if it has labels, correct predictions are counted.",
            metavar="CSV",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="CSV file to write, with the prediction for each row.")
    ] = None,
    target: KnownTarget = None,
    columns: SettingsFile = None,
    leaf_model: Annotated[
        str, typer.Option(help="'boosting' (scikit-learn) or 'xgboost' (needs treewright[xgboost]).")
    ] = "boosting",
    tune: Annotated[
        str,
        typer.Option(
            help="'rounds': for each leaf, choose by cross-validation whether the tree, a model of all rows or a "
            "model of the leaf's own predicts in it, and the rounds of boosting. A number: this many trials of "
            "all parameters (needs treewright[tune]). 'none': every leaf gets its model with default parameters.",
            metavar="rounds|TRIALS|none",
        ),
    ] = "rounds",
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Time limit of the trials for all leaves, in seconds; each fold has this limit for itself.",
            show_default="none",
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(help="Number of folds of the cross-validation, if --rows is not given.", min=2)
    ] = 5,
    seed: Annotated[
        int, typer.Option(help="Seed of folds, leaf models and tuning.", min=0, max=2**32 - 1)
    ] = 0,
    spreadsheet_safe: SpreadsheetSafe = False,
    *,
    how: CsvOptions,
) -> None:
    """Put a model into each leaf of a saved tree, and say for which rows the tree still explains the answer.

    Without --rows the leaf models are cross-validated on DATA. With --rows they are trained on all of DATA, and the
    rows of the other file are predicted. The hybrid tree itself is not saved: stored leaf models would be pickles, and
    loading a pickle runs code. The same command gives the same answers again, except with --time-limit.

    \b
    Examples:
      treewright extend model.json data.csv
      treewright extend model.json train.csv --rows test.csv --out answers.csv
      treewright extend model.json data.csv --leaf-model xgboost --tune 50

    Exit codes: 0 done, 2 bad input, 130 interrupted by Ctrl-C, 143 ended by SIGTERM
    (nothing is written).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    import numpy as np

    from treewright.convert import check_writable, load_model, write_bytes
    from treewright.leaf_accuracy import (
        HybridReport,
        check_tunable,
        classify,
        extend_leaves,
        held_out_answers,
        make_leaf_model,
        shared_model,
        treatments,
        where_the_model_is_better,
    )
    from treewright.tree import leaves_in_words, reduce_tree

    if leaf_model not in LEAF_MODELS:
        raise InputError(f"--leaf-model {leaf_model!r}; give 'boosting' or 'xgboost'.")
    tuning = _tuning(tune, time_limit)
    if out is not None:
        check_writable(out)
    content = load_model(model)
    column = label_column(content, target)
    assert content.tree.classes is not None  # label_column refuses regression trees
    leaf = make_leaf_model(None if leaf_model == "boosting" else leaf_model)
    if tuning is not None and tuning.how == "optuna":
        check_tunable(leaf)
    tree = reduce_tree(content.tree)
    csv_options: dict[str, Any] = {
        "columns": tree.columns, "reading": content.reading, "settings": columns, **how
    }  # fmt: skip
    train = read_csv(data, target=column, weight=terms_of(content).weight, **csv_options)
    assert train.target is not None  # a target was named
    labels = labels_like(train.target, tree)
    X, y, weight = train.table.X, _positions(labels, tree, data), train.sample_weight
    if weight is not None:
        kept = np.flatnonzero(weight > 0)
        X, y, weight, labels = X[kept], y[kept], weight[kept], labels[kept]
    other = None if rows is None else _read_rows(rows, column, tree, csv_options)
    random = np.random.RandomState(seed)
    options: dict[str, Any] = {"tuning": tuning, "random_state": random}
    share = tuning is not None and tuning.how == "rounds"
    shares: dict[str, Any] = {"try_settings": leaf_model == "boosting"}
    dropped = content.tree.n_leaves - tree.n_leaves
    if dropped:
        note(
            f"{dropped} {'leaf was' if dropped == 1 else 'leaves were'} empty or had a sibling of the same label; "
            "leaf numbers are those after merging."
        )
    note(f"{len(y):,} rows, {leaves_in_words(tree)}. {_working(leaf_model, tuning, 1 if other else folds)}")
    new_labels: NDArray[Any] | None
    if other is None:
        answers, alone = ending_at_once(
            lambda: held_out_answers(tree, X, y, weight, leaf, folds=folds, share=share, **shares, **options)
        )
        treated = treatments(tree, X, y)
        new_X, new_labels = X, labels
        heading = (
            f"Leaf models cross-validated on {data} ({folds} folds). The tree was not made again: if it comes "
            "from these rows, its own share of right answers is that of training, which is optimistic."
        )
    else:
        new_X, new_labels = other
        random.randint(2**31 - 1)  # drawn for a top in `HybridTreeClassifier`: the same answers

        def extended() -> tuple[dict[int, Extension], Shared | None]:
            shared = shared_model(tree, X, y, weight, leaf, random_state=random, **shares) if share else None
            return extend_leaves(tree, X, y, weight, leaf, shared=shared, **options), shared

        extensions, shared = ending_at_once(extended)
        treated = {number: extension.treatment for number, extension in extensions.items()}
        answers = classify(tree, extensions, new_X)
        alone = None if shared is None else shared.classify(tree, new_X)
        heading = f"Leaf models trained on {data}, rows of {rows}."
    leaf_of_row = tree.apply(new_X)
    report = HybridReport(
        tree=tree,
        treatments=treated,
        leaf=leaf_of_row,
        explained=content.tree.classes[tree.prediction[leaf_of_row]],
        predicted=content.tree.classes[answers],
        y=new_labels,
    )
    say(heading)
    say()
    say(str(report))
    accuracy, of_tree = report.accuracy, report.top_accuracy
    if accuracy is not None and of_tree is not None and accuracy <= of_tree:
        note(
            f"The hybrid tree is right on {100 * accuracy:.1f}% of these rows, the tree alone on {100 * of_tree:.1f}%: "
            "the leaf models gain nothing here. Use the tree."
        )
    elif accuracy is not None and alone is not None:
        of_model = float(np.mean(content.tree.classes[alone] == new_labels))
        if better := where_the_model_is_better(accuracy, of_model, len(alone), "these rows"):
            note(better)
    if out is not None:
        write_bytes(out, _as_csv(report, spreadsheet_safe).encode("utf-8"))
        note(f"Wrote the predictions for {len(answers):,} rows to {out}.")


def _tuning(tune: str, time_limit: float | None) -> Tuning | None:
    """Return what `--tune` and `--time-limit` ask for."""
    from treewright.leaf_accuracy import Tuning

    trials = int(tune) if tune.isdecimal() else 0
    if tune not in ("none", "rounds") and trials == 0:
        raise InputError(f"--tune {tune!r}; give 'rounds', a number of trials above 0, or 'none'.")
    if time_limit is not None and (trials == 0 or not time_limit > 0):
        raise InputError("--time-limit takes seconds above 0, and goes with --tune and a number of trials.")
    if tune == "none":
        return None
    return Tuning(how="rounds") if tune == "rounds" else Tuning(trials, time_limit)


def _working(leaf_model: str, tuning: Tuning | None, times: int) -> str:
    """Say what is about to be done, for it may take minutes."""
    what = f"Fitting {LEAF_MODELS[leaf_model]} in each leaf"
    if tuning is not None:
        how = "choosing its rounds" if tuning.how == "rounds" else f"{tuning.n_trials} trials of tuning"
        what += f", after {how}"
    return f"{what}{f', {times} times' if times > 1 else ''}; Ctrl-C stops."


def _positions(labels: NDArray[Any], tree: Tree, path: Path) -> NDArray[np.int64]:
    """Return where each label stands among the classes of the tree."""
    from treewright.tree import label_positions

    assert tree.classes is not None  # checked by the caller
    return label_positions(labels, tree.classes, f"{path.name} holds")


def _read_rows(
    path: Path, column: str, tree: Tree, csv_options: dict[str, Any]
) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """Read other rows, and their labels if the file has them."""
    expected = [tree.columns[j].name for j in sorted(tree.asked)]
    kept = settings_with(csv_options["settings"], **{name: csv_options[name] for name in OPTIONS})
    header = column_names(
        path, kept.separator, kept.encoding, reading=csv_options["reading"], expected=expected
    )
    has_labels = column in header
    read = read_csv(path, target=column if has_labels else None, **csv_options)
    if read.target is None:
        return read.table.X, None
    labels = labels_like(read.target, tree)
    _positions(labels, tree, path)  # refuses labels that the tree does not know
    return read.table.X, labels


def _as_csv(report: HybridReport, spreadsheet_safe: bool) -> str:
    """One line per row: its leaf, what the tree says, the answer, and whether the tree explains it."""
    explained = ["no" if overruled else "yes" for overruled in report.overruled.tolist()]
    numbers = report.tree.is_leaf.cumsum()[
        report.leaf
    ]  # from the left, as in the report and in `predict --leaf`
    columns = (numbers.tolist(), report.explained.tolist(), report.predicted.tolist(), explained)
    return csv_text(
        [("leaf", "tree", "prediction", "explained"), *zip(*columns, strict=True)], spreadsheet_safe
    )
