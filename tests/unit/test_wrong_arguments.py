"""Every public function answers wrong arguments with an error of the library that names the parameter.

A new public function stands in `CALLS`, or in `STEPS` if only the library calls it.
"""

from __future__ import annotations

import importlib
import inspect
import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression

import treewright
from treewright import _arguments
from treewright.errors import InputError, InputTypeError, TreewrightError

ROWS = pd.DataFrame({"a": np.arange(60.0) % 13, "b": np.arange(60.0) % 7})
XN = ROWS.to_numpy()
NUMBERS = np.arange(60.0) % 13
LABELS = np.array(["yes", "no"])[(NUMBERS > 6).astype(int)]
EVENT, TIME = np.arange(60) % 2 == 0, NUMBERS + 1
WRONG = ("nonsense", object(), math.nan, -1.5, [], 10**30)
OTHERS = {  # who look at these are libraries that are called with them, in their own words
    ("estimators.compare_with_cart", "y"), ("leaf_accuracy.tuned_cart", "X"), ("leaf_accuracy.tuned_cart", "y"),
    ("leaf_accuracy.tuned_cart", "max_depth"), ("leaf_accuracy.tuned_cart", "min_samples_leaf"),
    ("leaf_accuracy.tuned_cart", "cv"), ("leaf_accuracy.tuned_cart", "random_state"),
    ("estimators.compare_with_cart", "max_leaf_nodes"), ("estimators.compare_with_cart", "max_depth"),
    ("estimators.compare_with_cart", "min_samples_leaf"), ("policy.doubly_robust_scores", "random_state"),
    ("show.plot_decision_regions", "ax"),
}  # fmt: skip
TOO_MUCH = {
    ("bornagain.solve", "samples"),
    ("near_optimal.column_importance", "n_trees"),
}  # as much work as asked for


@cache
def things() -> dict[str, Any]:
    """What the calls are about, made once."""
    from treewright import bornagain, problem, survival, table

    found: dict[str, Any] = {"table": table.table_from(ROWS)}
    found["model"] = treewright.OptimalTreeClassifier(max_depth=2, progress=False).fit(ROWS, LABELS)
    found["regressor"] = treewright.OptimalTreeRegressor(max_depth=2, progress=False).fit(ROWS, NUMBERS)
    found["y"] = np.array(list(zip(EVENT, TIME, strict=True)), dtype=[("e", bool), ("t", float)])
    found["survival"] = treewright.OptimalSurvivalTree(max_depth=1, progress=False).fit(ROWS, found["y"])
    limits: Any = {"max_depth": 2, "thresholds": 3, "cost_complexity": 0.05, "progress": False}
    found["set"] = treewright.near_optimal_trees(ROWS, LABELS, **limits)
    found["forest"] = RandomForestClassifier(3, max_depth=2, random_state=0).fit(XN, LABELS)
    found["ensemble"] = bornagain.Ensemble.from_model(found["forest"])
    numbers = RandomForestRegressor(2, max_depth=2, random_state=0).fit(XN, NUMBERS)
    found["numbers"] = bornagain.NumberEnsemble.from_model(numbers)
    found["problem"] = problem.make_problem(found["table"], LABELS, max_depth=2)
    found["curve"] = survival.kaplan_meier(~EVENT, TIME)
    front: Any = {"max_leaves": 3, "max_depth": 2, "progress": False}
    found["frontier"] = treewright.accuracy_frontier(ROWS, LABELS, **front)
    return found


def calls(folder: Path) -> dict[str, dict[str, Any]]:
    """A right call of each function."""
    from treewright.convert import save_model, to_json
    from treewright.near_optimal import save_near_optimal

    made = things()
    model, tree, table, problem = made["model"], made["model"].tree_, made["table"], made["problem"]
    ensemble, every = made["ensemble"], made["set"]
    save_model(folder / "model.json", model)
    save_near_optimal(folder / "set.json", every)
    (folder / "columns.yaml").write_text("missing: ['-9']\n")
    ROWS.assign(y=LABELS).to_csv(folder / "rows.csv", index=False)
    small: dict[str, Any] = {"max_depth": 2, "max_leaves": 4}
    labelled: dict[str, Any] = {"X": ROWS, "y": LABELS}
    times: dict[str, Any] = {"event": EVENT, "time": TIME}
    return {
        "audit.audit_groups": {"model": model, **labelled, "groups": {"b": ROWS["b"]}},
        "audit.group_rows": {"title": "b", "values": ROWS["b"]},
        "binarize.auto_splits": {"table": table},
        "binarize.given_splits": {"table": table, "thresholds": {"a": [3.0]}},
        "binarize.midpoints": {"table": table},
        "binarize.quantiles": {"table": table, "n_bins": 3},
        "bornagain.agreement": {"tree": tree, "ensemble": ensemble, "X": XN},
        "bornagain.distil": {"ensemble": ensemble, "X": XN, **small},
        "bornagain.distil_labels": {"labels": LABELS, "X": XN, **small},
        "bornagain.distil_values": {"predicted": NUMBERS, "X": XN, "tolerance": 3.0, **small},
        "bornagain.forecast": {"ensemble": ensemble},
        "bornagain.label_agreement": {"tree": tree, "labels": LABELS, "X": XN},
        "bornagain.leaf_scores": {"tree": tree, "ensemble": ensemble, "X": XN},
        "bornagain.near_everywhere": {"model": made["numbers"], "tolerance": 3.0, "step_limit": 10_000},
        "bornagain.prune": {"tree": tree, "X": XN},
        "bornagain.solve": {"ensemble": ensemble},
        "bornagain.solve_active": {"ensemble": ensemble, "X": XN},
        "bornagain.value_agreement": {
            "tree": made["regressor"].tree_, "predicted": NUMBERS, "X": XN, "tolerance": 3.0
        },
        "convert.float32_conflicts": {"tree": tree, "X": XN},
        "convert.from_json": {"text": to_json(model)},
        "convert.from_sklearn": {"model": made["forest"].estimators_[0]},
        "convert.load_model": {"path": folder / "model.json"},
        "convert.save_model": {"path": folder / "copy.json", "model": model},
        "convert.save_numbers": {"path": folder / "numbers.json", "model": made["numbers"]},
        "convert.to_c": {"tree": model},
        "convert.to_json": {"model": model},
        "convert.to_onnx": {"tree": model},
        "convert.to_python": {"tree": model},
        "convert.to_sklearn": {"tree": model},
        "convert.to_sklearn_pipeline": {"tree": model},
        "convert.to_sql": {"tree": model},
        "datasets.monks": {"problem": 1},
        "estimators.compare_with_cart": {**labelled, "max_leaf_nodes": 3, "max_depth": 2},
        "estimators.leaf_probabilities": {"model": model, **labelled},
        "guess.depth_of_ensemble": {"n_estimators": 3, "max_depth": 1},
        "guess.guess_depth": {"reference": made["forest"]},
        "leaf_accuracy.leaf_accuracy_score": {"tree": model, **labelled},
        "leaf_accuracy.leaf_table": {"tree": model, **labelled},
        "leaf_accuracy.tuned_cart": {**labelled, "max_depth": 1, "min_samples_leaf": 20, "cv": 2},
        "near_optimal.column_importance": {
            **labelled, "max_depth": 1, "thresholds": 3, "n_resamples": 2, "n_trees": 3
        },
        "near_optimal.fewest_columns": {"trees": every},
        "near_optimal.gap_frontier": {"trees": every, "group": LABELS == "yes"},
        "near_optimal.load_near_optimal": {"path": folder / "set.json"},
        "near_optimal.near_optimal_trees": {
            **labelled, "max_depth": 1, "thresholds": 3, "cost_complexity": 0.05
        },
        "near_optimal.save_near_optimal": {"path": folder / "other.json", "trees": every},
        "near_optimal.solve_near_optimal": {"problem": problem, "thresholds": 3},
        "policy.doubly_robust_scores": {
            "X": ROWS, "action": LABELS, "outcome": NUMBERS, "cv": 2, "propensities": [0.5, 0.5],
            "outcome_model": LinearRegression(),
        },
        "problem.make_f1_problem": {"table": table, "y": LABELS},
        "problem.make_policy_problem": {"table": table, "rewards": np.stack([NUMBERS, 6 - NUMBERS], axis=1)},
        "problem.make_probability_problem": {"table": table, "y": LABELS},
        "problem.make_problem": {"table": table, "y": LABELS},
        "problem.make_regression_problem": {"table": table, "y": NUMBERS},
        "problem.make_row_costs_problem": {"table": table, "y": LABELS, "row_costs": np.ones((60, 2))},
        "problem.make_survival_problem": {"table": table, "y": made["y"]},
        "search.accuracy_frontier": {**labelled, "max_leaves": 3, "max_depth": 2},
        "search.regression_frontier": {"X": ROWS, "y": NUMBERS, "max_leaves": 3, "max_depth": 2},
        "search.roc_frontier": {**labelled, "max_depth": 1},
        "search.check_n_jobs": {"n_jobs": 1},
        "search.leaf_value": {"correct": 3.0, "weight": 5.0},
        "search.solve": {"problem": problem, "thresholds": 3},
        "shards.fit_shards": {
            "source": ROWS, "target": LABELS, "max_depth": 1, "thresholds": 3, "shard_rows": 30
        },
        "show.choose_page": {"trees": every},
        "show.plot_decision_regions": {"tree": model, "X": ROWS},
        "show.plot_frontier": {"results": made["frontier"]},
        "show.plot_leaf_accuracies": {"tree": model, **labelled},
        "show.plot_survival_curves": {"model": made["survival"]},
        "show.plot_tree": {"tree": model},
        "show.plot_trees_beside": {"trees": [model, model], "titles": ["a", "b"]},
        "show.report": {"model": model, **labelled, "fit_models": False},
        "show.rules": {"tree": model},
        "show.rules_frame": {"tree": model},
        "show.to_graphviz": {"tree": model},
        "show.to_rules": {"tree": model},
        "show.to_text": {"tree": model},
        "show.with_titles": {"tree": tree, "settings": None},
        "sources.open_source": {"source": ROWS, "y": LABELS},
        "survival.brier_score": {
            **times, "survival": np.full((60, 1), 0.5), "times": [4.0], "censoring": made["curve"]
        },
        "survival.censoring_curve": times,
        "survival.concordance_index": {**times, "risk": NUMBERS},
        "survival.integrated_brier_score": {
            **times, "survival": np.full((60, 2), 0.5), "times": [4.0, 6.0], "censoring": made["curve"]
        },
        "survival.kaplan_meier": times,
        "table.encode_like": {"X": ROWS, "columns": table.columns},
        "table.expand_dates": {"frame": ROWS},
        "table.header_of": {"path": folder / "rows.csv"},
        "table.load_csv": {"path": folder / "rows.csv", "target": "y"},
        "table.load_groups": {"path": folder / "rows.csv", "name": "b"},
        "table.look": {"data": ROWS, "target": LABELS},
        "table.read_settings": {"path": folder / "columns.yaml"},
        "table.table_from": {"X": ROWS},
        "table.to_frame": {"columns": {"a": [1, 2]}},
        "tree.wilson_interval": {"correct": 3, "total": 5},
        "verify.verify": {"problem": problem, "claim": tree},
    }  # fmt: skip


STEPS = {  # they get what the library made; a type checker is their guard
    "binarize": """
        candidates_of candidates_of_text count_splits even_level fewer_notes gaps_of_ranks known_split
        make_splits ranks_of scope_of_all thresholds_below value_ranks
    """,
    "bornagain": """
        find_other_decision
    """,
    "convert": """
        check_writable float32_threshold read_forest_file write_bytes
    """,
    "datasets": """
        breast_cancer digits iris tic_tac_toe wine
    """,
    "estimators": """
        importances_without raise_on_interrupt
    """,
    "guess": """
        eliminate_columns faithful_tree guess_splits guessed_lower_bound largest_magnitude make_reference
        most_lost named_reference predictions_of reference_costs rows_by_number rows_in_time thresholds_in_use
    """,
    "lines": """
        check_leaf_model fit_lines fit_ridge solve_frontier_with_lines solve_with_lines with_lines
    """,
    "mip": """
        make_formulation solve
    """,
    "policy": """
        policy_value
    """,
    "problem": """
        apply_class_weight check_min_samples_leaf check_sample_weight encode_labels
    """,
    "result": """
        asked_to_stop chosen_options constraints_in_words is_shallow_note note_of_rounding shallow_note told_to_stop
    """,
    "search": """
        answers_in_order choose_engine forecast_search integer_costs leaf_accuracy_result_of progress_bar
        ranked_splits regression_loss result_of search_with_same_guesses simple_line_importances solve_binary
        solve_f1 solve_frontier solve_guided solve_leaf_accuracy solve_policy solve_probability solve_ranked
        solve_regression solve_regression_frontier solve_roc solve_row_costs solve_simple_lines solve_survival
        solve_with_leaf_accuracy stop_reason threads_of thresholds_from_reference whole_weights
    """,
    "show": """
        notebook_html plot_active_nodes plot_latent_tree plot_latent_tree_by_class plot_roc_frontier
        plot_search_progress routing_shares tree_figure
    """,
    "sources": """
        encoded_pieces
    """,
    "table": """
        encode_column is_no_class is_unit load_leniently look_at need_polars read_columns rename_labels renamed
        settings_of settings_text spellings with_blank_column
    """,
    "tree": """
        all_leaf_conditions at_least at_most describe exactly grow grow_policy grow_regression grow_survival
        label_positions leaf_conditions leaf_path leaves_in_words mean_of merge_equal_leaves percent_at_least
        percent_at_most power_at_most prune_empty_leaves quantile_of reduce_tree relation split_at subject
    """,
    "verify": """
        check_faithful count_near_optimal furthest_apart verify_born_again verify_f1 verify_near_everywhere
        verify_near_values verify_policy verify_probability verify_regression verify_row_costs verify_shards
        verify_survival
    """,
}


def steps() -> set[str]:
    return {f"{package}.{name}" for package, names in STEPS.items() for name in names.split()}


def public_functions() -> dict[str, Callable[..., Any]]:
    found: dict[int, tuple[str, Callable[..., Any]]] = {}
    for package in treewright._PACKAGES:
        if package in ("latent", "errors"):  # tensors; and no functions
            continue
        module = importlib.import_module(f"treewright.{package}")
        for name in module.__all__:
            if inspect.isfunction(getattr(module, name)):
                found.setdefault(id(getattr(module, name)), (f"{package}.{name}", getattr(module, name)))
    return dict(found.values())


def test_every_public_function_is_called_or_named_as_a_step(tmp_path: Path) -> None:
    assert set(public_functions()) == set(calls(tmp_path)) | steps()
    assert not set(calls(tmp_path)) & steps()


@pytest.mark.parametrize("name", sorted(set(public_functions()) - steps()))
@pytest.mark.filterwarnings("ignore")
def test_wrong_arguments_are_answered_with_the_name_of_the_parameter(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where a wrong path is a file
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    function, right = public_functions()[name], calls(tmp_path)[name]
    if "progress" in inspect.signature(function).parameters:
        right["progress"] = (
            None if name.startswith(("bornagain.", "search.solve", "near_optimal.solve")) else False
        )
    function(**right)
    named = re.search(r"check_arguments\(([^)]*\))([^)]*)\)", inspect.getsource(function))
    names = re.findall(r'"(\w+)"', named[2]) if named else []
    checked = {parameter: _arguments.checked_kinds(function)[parameter] for parameter in names}
    found = []
    for parameter, about in inspect.signature(function).parameters.items():
        if about.kind in (about.VAR_POSITIONAL, about.VAR_KEYWORD) or (name, parameter) in OTHERS:
            continue
        for wrong in WRONG:
            if wrong == 10**30 and (name, parameter) in TOO_MUCH:
                continue
            kinds = checked.get(parameter, ())
            try:
                function(**{**right, parameter: wrong})
            except TreewrightError as error:
                fits = not kinds or any(_arguments._fits(wrong, kind, parameter) for kind in kinds)
                if not fits and parameter not in str(error):
                    found.append(f"{parameter}={wrong!r:.20}: does not say which: {error}")
            except Exception as error:
                found.append(f"{parameter}={wrong!r:.20}: {type(error).__name__} {error}")
            else:
                if kinds and type(wrong) is object:
                    found.append(f"{parameter}={wrong!r:.20}: accepted")
        pyplot.close("all")
    assert not found, "\n".join(found)


ANY_VALUE = {("audit.group_rows", "values")}  # groups may be of any kind: nothing of a complex number is lost


def arrays_of(right: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """The arguments that are arrays or frames, as arrays."""
    given = {k: v.to_numpy() if isinstance(v, (pd.DataFrame, pd.Series)) else v for k, v in right.items()}
    return {k: v for k, v in given.items() if isinstance(v, np.ndarray) and v.size > 1}


def lossy(array: NDArray[Any]) -> list[Any]:
    """The array with masked values, with complex numbers, and with a whole number beyond float64."""
    mask = np.zeros(array.shape, dtype=np.bool_)
    mask.flat[0] = True
    if array.dtype.kind not in "bif":
        return [np.ma.array(array, mask=mask)] if array.dtype.names is None else []
    huge = array.astype(object)
    huge.flat[0] = 10**400
    return [np.ma.array(array, mask=mask), array + 1j, huge]


@pytest.mark.parametrize(
    "name",
    sorted(name for name in public_functions().keys() - steps() if name not in ("sources.open_source",)),
)
@pytest.mark.filterwarnings("ignore")
def test_masked_complex_and_huge_numbers_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """numpy reads masked values as known ones, drops the imaginary part, and has no float for 10**400."""
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("matplotlib.pyplot").switch_backend("Agg")
    function, right = public_functions()[name], calls(tmp_path)[name]
    arrays = arrays_of(right)
    if "sample_weight" in inspect.signature(function).parameters:
        arrays["sample_weight"] = np.ones(60)
    for parameter, array in arrays.items():
        for wrong in lossy(array):
            if (name, parameter) in ANY_VALUE and not isinstance(wrong, np.ma.MaskedArray):
                continue
            if name == "leaf_accuracy.tuned_cart" and wrong.dtype == object:  # scikit-learn's own words
                continue
            with pytest.raises(TreewrightError):
                function(**{**right, parameter: wrong})


def test_masked_labels_and_weights_have_no_score() -> None:
    masked = np.ma.array(np.ones(60), mask=np.arange(60) == 3)
    from treewright import BornAgainTreeClassifier, BornAgainTreeRegressor

    reborn = BornAgainTreeClassifier().fit(XN, LABELS)
    numbers = BornAgainTreeRegressor(max_depth=1).fit(XN, NUMBERS)
    for model, y in (
        (things()["model"], LABELS),
        (reborn, LABELS),
        (things()["regressor"], NUMBERS),
        (numbers, NUMBERS),
    ):
        X = ROWS if hasattr(model, "search_options") else XN
        assert model.score(X, y) == model.score(X, y, np.ones(60))
        for other in ({"sample_weight": masked}, {"sample_weight": np.ones(60) + 1j}):
            with pytest.raises(InputError, match="sample_weight"):
                model.score(X, y, **other)
        with pytest.raises(InputError, match="y is a masked array"):
            model.score(X, np.ma.array(y, mask=np.arange(60) == 3))
    for fit, y in ((reborn.fit, LABELS), (numbers.fit, NUMBERS)):
        with pytest.raises(InputError, match="masked"):
            fit(XN, np.ma.array(y, mask=np.arange(60) == 3))
    for call in (lambda X: reborn.fit(X, LABELS), reborn.predict):
        with pytest.raises(InputError, match="X is a masked array"):
            call(np.ma.array(XN, mask=XN > 11))


def takes(
    size: int | float = 1,
    names: list[str] | list[int] | None = None,
    step_limit: int | None = None,
    anything: Any = None,
) -> None:
    _arguments.check_arguments(takes, locals(), "size", "names", "step_limit")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"size": "big"}, "size='big'; give a whole number or a number."),
        ({"size": math.nan}, "size=nan; give a number."),
        ({"size": 10**30}, f"size={10**30}; give a number below 2**63."),
        ({"size": True}, "size=True; give a whole number or a number."),
        ({"names": "age"}, "names='age'; give a list of names or positions or None."),
        ({"step_limit": 1.5}, "step_limit=1.5; give a whole number or None."),
        ({"names": object()}, "names is an object; give a list of names or positions or None."),
    ],
)
def test_what_a_message_says(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        takes(**given)
    assert str(caught.value) == said


def test_what_a_hint_allows_passes() -> None:
    takes(size=np.int64(3), names=np.array(["a"]), step_limit=4e9, anything=object())  # type: ignore[arg-type]
    takes(size=np.float32(0.5), names=(0, 1), step_limit=np.int32(3))  # type: ignore[arg-type]


def test_events_that_are_numbers_are_truth_values() -> None:
    from treewright.survival import concordance_index, kaplan_meier

    as_numbers, risk = EVENT.astype(int), NUMBERS[::-1]
    assert concordance_index(as_numbers, TIME, risk) == concordance_index(EVENT, TIME, risk)
    np.testing.assert_array_equal(kaplan_meier(as_numbers, TIME).survival, kaplan_meier(EVENT, TIME).survival)
    with pytest.raises(InputError, match="event holds values besides 0 and 1"):
        concordance_index(as_numbers + 1, TIME, risk)
    with pytest.raises(InputError, match="time is missing in 1 rows"):
        kaplan_meier([True, False], [1.0, math.nan])
    with pytest.raises(
        InputError, match=r"sample_weight has shape \(1,\); give one number for each of 60 rows"
    ):
        kaplan_meier(EVENT, TIME, [1.0])
    with pytest.raises(InputTypeError, match=r"time=\[<object object.*give an array of numbers"):
        kaplan_meier([True], [object()])
