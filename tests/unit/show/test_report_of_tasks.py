"""The report of regression, policy, survival and probability trees: its figures, its claims, and what it refuses."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from task_reports import N_TRAIN, TASKS, made, page_of_task
from treewright import (
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    regression_frontier,
)
from treewright.convert import Model, Terms
from treewright.errors import InputError
from treewright.policy import policy_value
from treewright.result import SolveStatus, StopReason
from treewright.show import report
from treewright.show._report._cells import estimate_cells
from treewright.show._report._estimates import Estimate, mean_of_rows, numbers_of
from treewright.show._report._losses import Loss
from treewright.survival import concordance_index, concordance_with_error, kaplan_meier
from treewright.table import ColumnNote, Settings


def text_of(page):
    body = re.sub(r"<(style|script)[^>]*>.*?</\1>", "", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body.replace("<wbr>", ""))).split())


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_a_report(task):
    text = text_of(page_of_task(task, groups={"ward": made(task).test[0].ward.to_numpy()}, date="2026-01-31"))
    for words in (
        "Proven optimal",
        "on test rows",
        "The leaves, as rules",
        "What is not proven?",
        "Limits and rules",
    ):
        assert words in text
    assert made(task).model.result_.sentence() in text
    assert " by ward" in text
    for group in ("north", "south", "west"):
        assert group in text
    assert "not the same rows" not in text
    assert "nan" not in text.casefold().split()


def test_errors_are_those_of_the_rows():
    one = made("squared_error")
    X, y = one.test
    error = np.sqrt(np.mean((one.model.predict(X) - y) ** 2))
    text = text_of(page_of_task("squared_error", target="y"))
    shown = re.search(r"Typical error on test rows (\S+) root mean squared error", text)
    assert float(shown[1]) == pytest.approx(error, rel=5e-3)
    left = 100 * np.sum((one.model.predict(X) - y) ** 2) / np.sum((one.train[1].mean() - y) ** 2)
    assert f"{left:.1f}% of the squared error of a single leaf left" in text


@pytest.mark.parametrize("criterion", ["poisson", "gamma", "absolute_error", "quantile", "squared_error"])
def test_losses_are_those_of_scikit_learn(criterion):
    from sklearn.metrics import (
        mean_absolute_error,
        mean_gamma_deviance,
        mean_pinball_loss,
        mean_poisson_deviance,
        mean_squared_error,
    )

    rng = np.random.default_rng(0)
    y, said = rng.integers(1, 9, 50).astype(float), rng.uniform(0.5, 6, 50)
    expected = {
        "poisson": lambda: mean_poisson_deviance(y, said) / 2,
        "gamma": lambda: mean_gamma_deviance(y, said) / 2,
        "absolute_error": lambda: mean_absolute_error(y, said),
        "quantile": lambda: mean_pinball_loss(y, said, alpha=0.8),
        "squared_error": lambda: mean_squared_error(y, said),
    }[criterion]()
    assert Loss(criterion, 0.8).rows(y, said).mean() == pytest.approx(expected)


def test_what_the_leaves_leave_is_what_was_proven():
    """The page's share of the loss of a single leaf is the result's own, on the training rows."""
    for task in (
        "squared_error",
        "absolute_error",
        "quantile",
        "poisson",
        "gamma",
        "outputs",
        "policy",
        "survival",
    ):
        one = made(task)
        text = text_of(page_of_task(task, frontier=[one.model.result_]))
        (left,) = re.findall(r"Place \d+ (\S+)% ", text)
        assert float(left) == pytest.approx(100 * one.model.result_.loss, abs=0.051), task


def test_the_value_of_a_policy_has_its_standard_error():
    one = made("policy")
    X, rewards = one.test
    chosen = (one.model.predict(X) == "treat").astype(int)
    gains = rewards.to_numpy()[np.arange(len(X)), chosen] - 0.1 * chosen
    value = policy_value(gains)
    text = text_of(page_of_task("policy"))
    shown = re.search(r"Mean reward after costs on test rows (\S+) standard error (\S+);", text)
    assert float(shown[1]) == pytest.approx(value.value, abs=5e-4)
    assert float(shown[2]) == pytest.approx(value.standard_error, rel=0.06)
    assert one.model.value(X, rewards).value == pytest.approx(value.value)
    treated = int(chosen.sum())
    assert f"treat 0.1 {treated} {100 * treated / len(X):.1f}%" in text
    assert "costs of actions: wait 0, treat 0.1" in text
    assert "if what their estimate assumes" in text or "hold only if what their estimate assumes does" in text


def test_rewards_are_matched_by_the_names_of_the_actions():
    one = made("policy")
    (X, rewards), (X_test, _) = one.train, one.test
    turned = rewards[["treat", "wait"]]
    assert report(one.model, X, rewards, date="x") == report(one.model, X, turned, date="x")
    with pytest.raises(InputError, match="y has the names wait, cut, which are to be wait, treat"):
        report(one.model, X, rewards.rename(columns={"treat": "cut"}))
    with pytest.raises(InputError, match="y_test: rewards has shape"):
        report(one.model, X, rewards, X_test=X_test, y_test=np.zeros(len(X_test)))


def test_survival_figures_are_those_of_the_rows():
    one = made("survival")
    X, (event, time) = one.test
    order = concordance_index(event, time, one.model.predict(X))
    text = text_of(
        page_of_task("survival", settings=Settings(notes={"t": ColumnNote(unit="years")}), target="t")
    )
    shown = re.search(r"Concordance on test rows (\S+) 95% interval", text)
    assert float(shown[1]) == pytest.approx(order, abs=5e-4)
    assert page_of_task("survival").count('<path class="curve') == one.model.tree_.n_leaves
    _, (seen, whole) = one.train
    horizon = np.quantile(whole[seen], 0.5, method="inverted_cdf")
    leaf = one.model.tree_.apply(one.model._encode(one.train[0]))
    for node in np.flatnonzero(one.model.tree_.is_leaf):
        share = float(kaplan_meier(seen[leaf == node], whole[leaf == node])(horizon))
        assert f"{100 * share:.1f}%" in text


def test_the_error_of_a_concordance_is_that_of_repeated_draws():
    rng = np.random.default_rng(1)
    found, errors = [], []
    for _ in range(200):
        x = rng.integers(0, 3, 120)
        time, censored = rng.exponential(np.exp(-0.7 * x)), rng.exponential(1.0, 120)
        event, seen = time <= censored, np.minimum(time, censored).round(2)
        index, error = concordance_with_error(event, seen, x.astype(float))
        assert index == pytest.approx(concordance_index(event, seen, x.astype(float)), abs=1e-12)
        found.append(index)
        errors.append(error)
    assert np.std(found) == pytest.approx(np.mean(errors), rel=0.15)


def test_shares_of_a_probability_tree_stand_beside_what_happened():
    one = made("probability")
    X, y = one.test
    shares = one.model.predict_proba(X)
    score = np.mean(np.sum((shares - (y[:, None] == one.model.classes_)) ** 2, axis=1))
    text = text_of(page_of_task("probability"))
    shown = re.search(rf"test rows {len(X)} (\S+) ", text[text.index("Counted on") :])
    assert float(shown[1]) == pytest.approx(score, abs=5e-4)
    assert "What leaves say, and what happened" in text


def test_lines_are_called_what_they_are():
    after, chosen = text_of(page_of_task("linear")), text_of(page_of_task("simple_linear"))
    assert "the lines were fitted afterwards and are no part of the proof" in after
    assert "with a line in one column in every leaf" in chosen
    data = json.loads(re.search(r'id="model">(.*?)</script>', page_of_task("linear"), re.S)[1])
    assert any("line" in node for node in data["nodes"])


def test_models_are_compared_by_what_they_leave():
    text = text_of(page_of_task("squared_error", fit_models=True))
    for words in ("CART with as many leaves", "Gradient boosting", "Random forest", "Linear regression"):
        assert words in text
    for task in ("absolute_error", "quantile"):  # models of means are no rivals in other losses
        assert "Random forest" not in text_of(page_of_task(task, fit_models=True))
    assert "Compared" not in text_of(page_of_task("policy", fit_models=True))
    other = made("policy").model
    small = OptimalPolicyTree(0.9, action_costs={"treat": 0.1}).fit(*made("policy").train)
    assert "the small one" in text_of(page_of_task("policy", others={"the small one": small}))
    with pytest.raises(InputError, match="compare trees of one kind"):
        page_of_task("squared_error", others={"policy": other})


def test_a_frontier_of_regression_trees():
    X, y = made("squared_error").train
    front = regression_frontier(X, y, max_leaves=4, max_depth=2, min_samples_leaf=10, progress=False)
    text = text_of(page_of_task("squared_error", frontier=front))
    assert "Share of the squared error of a single leaf that is left" in text
    assert "this tree" in text
    assert "Yes, with other splits" not in text


def test_a_frontier_of_another_loss_is_refused():
    """Its proofs are not of what the chart draws."""
    X, y = made("absolute_error").train
    front = regression_frontier(X, y, max_leaves=2, max_depth=1, progress=False)
    with pytest.raises(InputError, match=r"another loss \(squared_error\)"):
        page_of_task("absolute_error", frontier=front)


def test_a_frontier_of_constants_holds_no_lines():
    X, y = made("linear").train
    front = regression_frontier(X, y, max_leaves=4, max_depth=2, min_samples_leaf=10, progress=False)
    one = made("linear").model.result_
    text = text_of(page_of_task("linear", frontier=front))
    assert "a single leaf that is left by constants in the leaves" in text
    assert "the lines in this report's tree were fitted after the search, and are not drawn here" in text
    (left,) = re.findall(r"(\S+)% (?:\S+% )?yes this tree", text)
    assert float(left) == pytest.approx(100 * one.loss, abs=0.051)
    assert one.stats["loss_with_lines"] < 0.9 * one.loss


@pytest.mark.parametrize(
    ("task", "front"), [("simple_linear", "squared_error"), ("squared_error", "simple_linear")]
)
def test_lines_that_were_searched_have_no_frontier(task, front):
    with pytest.raises(InputError, match="leaf_model='simple_linear' has no frontier"):
        page_of_task(task, frontier=[made(front).model.result_])


def test_huge_targets_do_not_break_the_page():
    X, y = np.arange(8.0)[:, None], np.repeat([1e160, 3e160], 4)
    model = OptimalTreeRegressor(0.02, max_depth=1).fit(X, y)
    assert "Proven optimal" in report(model, X, y + 1e155, fit_models=False)


def test_without_test_rows_the_page_says_so():
    X, y = made("squared_error").train
    text = text_of(report(made("squared_error").model, X, y, fit_models=False))
    assert "No test rows were given" in text
    assert "so new rows tend to be off by more" in page_of_task("squared_error", X_test=None, y_test=None)


@pytest.mark.parametrize(
    ("task", "given", "said"),
    [
        ("squared_error", ["a"] * N_TRAIN, "not a number"),
        ("squared_error", np.zeros(5), "inconsistent numbers of samples"),
        ("outputs", np.zeros(N_TRAIN), "the tree predicts 2 numbers"),
        ("survival", np.zeros(N_TRAIN), r"give \(n_rows, 2\) with event and time"),
        ("policy", np.zeros((N_TRAIN, 3)), "3 columns"),
    ],
)
def test_what_does_not_fit_is_refused(task, given, said):
    with pytest.raises(InputError, match=said):
        report(made(task).model, made(task).train[0], given)


def test_a_tree_without_its_question_is_one_of_squared_errors():
    one = made("squared_error")
    text = text_of(report(one.model.tree_, *one.train, fit_models=False))
    assert "Nothing claimed" in text
    assert "root mean squared error" in text
    content = Model.of(one.model.result_, Terms(0.02, objective="squared_error", target="cost"))
    assert "A decision tree for cost" in report(content, *one.train, fit_models=False)


def test_a_share_of_nothing_that_happens_loses_infinitely_much():
    """The leaf says that nobody is ill; somebody is."""
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    model = OptimalProbabilityTree(0.02, max_depth=1).fit(X, y)
    text = text_of(report(model, X, y, X_test=X, y_test=1 - y, fit_models=False))
    assert re.search(r"test rows 8 2 \S.* infinite", text)
    assert mean_of_rows(np.array([1.0, np.inf])).value == np.inf


def test_numbers_have_the_decimals_that_their_interval_needs():
    assert numbers_of(Estimate(12.34567, 12.1, 12.6, 9), "kW") == ("12.346 kW", "12.100 to 12.600 kW")
    assert numbers_of(Estimate(123456.7, 113456.0, 133456.0, 9)) == ("123,457", "113,456 to 133,456")
    assert numbers_of(Estimate(-1e-18, -1.0, 1.0, 9))[0] == "0"
    assert numbers_of(Estimate(3.0, float("nan"), float("nan"), 1)) == ("3", "")


@pytest.mark.parametrize("task", ["squared_error", "survival"])
def test_intervals_of_training_rows_are_called_optimistic(task):
    said = "On training rows these are optimistic, because the tree was chosen on them."
    assert said in text_of(page_of_task(task))
    alone = page_of_task(task, X_test=None, y_test=None)
    assert said in text_of(alone)
    records = re.findall(r'"record": ?"([^"]*)"', alone)
    assert records
    assert all("the tree was chosen on" in record for record in records)


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (Terms(0.02, objective="squared_error", weight="w"), "gets its number, the weighted mean of"),
        (Terms(0.02, objective="squared_error"), "gets its number, the mean of its training rows."),
        (None, "the mean of its training rows (weighted, if they had weights)"),
    ],
)
def test_the_number_of_a_leaf_is_a_weighted_mean_where_rows_had_weights(terms, said):
    one = made("squared_error")
    model = one.model
    if terms is not None:
        model = Model.of(model.result_, terms)
    assert said in text_of(report(model, *one.train, fit_models=False))


def test_what_a_concordance_counts_is_said():
    text = text_of(page_of_task("survival"))
    assert "of the pairs of rows that can be compared" in text
    assert "equal ratios count as half" in text


def test_the_picture_of_a_policy_says_the_rewards_of_its_table():
    one = made("policy")
    X, rewards = one.train
    tree = one.model.tree_
    page = page_of_task("policy")
    text = text_of(page)
    shown = [
        float(each.replace("\u2212", "-")) for each in re.findall(r"mean reward after costs (\S+),", text)
    ]
    assert len(shown) == tree.n_leaves
    gains, leaf = rewards.to_numpy() - [0, 0.1], one.model.apply(X)
    means = [gains[leaf == node, tree.prediction[node]].mean() for node in np.unique(leaf)]
    np.testing.assert_allclose(sorted(shown), sorted(means), rtol=1e-4, atol=1e-6)


def test_a_concordance_without_events_says_why_it_is_not_known():
    one = made("survival")
    X = one.test[0]
    none = text_of(page_of_task("survival", y_test=(np.zeros(len(X), dtype=bool), np.ones(len(X)))))
    assert "not known without events" in none
    assert "too few rows for an interval; 0.5" not in none
    single = text_of(page_of_task("survival", X_test=X[:1], y_test=(np.zeros(1, dtype=bool), np.ones(1))))
    assert "0 events in 1 row" in single
    assert "events in 1 rows" not in single
    pair = text_of(page_of_task("survival", X_test=X[:1], y_test=(np.ones(1, dtype=bool), np.ones(1))))
    assert "no two rows can be compared" in pair
    assert "1 event in 1 row" in pair


def test_scores_count_the_rows_whose_label_is_known():
    X, y = made("probability").test
    y = y.astype(object)
    y[:5] = "dead"
    text = text_of(page_of_task("probability", y_test=y))
    assert re.search(rf"test rows {len(X) - 5} \d", text[text.index("Counted on") :])


def test_models_that_predict_alike_are_equally_good():
    """CART finds the same tree; its sums are added up in another order, and its gap was 2e-15 points."""
    row = re.search(
        r"CART with as many leaves.*?Gradient", text_of(page_of_task("squared_error", fit_models=True))
    )[0]
    assert "e-1" not in row
    assert " 0 0 to 0 " in row


def test_leaves_of_the_drawn_tree_have_the_unit_of_the_target():
    settings = Settings(notes={"stay": ColumnNote("length of stay", unit="days")})
    page = page_of_task("squared_error", settings=settings, target="stay")
    leaf = re.search(r'class="tw-node tw-leaf".*?</li>', page, flags=re.S)[0]
    assert re.search(r"\d days", re.sub(r"<[^>]+>", "", leaf))


def test_a_quantile_loss_is_not_called_a_typical_error():
    """A mean quantile loss of 0.34 stood as the typical error of a tree that is 2.3 too high on average."""
    text = text_of(page_of_task("quantile"))
    level = made("quantile").model.quantile
    assert "Typical error" not in text
    assert re.search(
        rf"Mean quantile loss on test rows \S+ each unit that is too low counts {level:g}, ", text
    )


def test_the_actions_of_a_leaf_have_one_scale():
    """Each column had its own, so that the mark of a smaller reward could stand to the right of a larger one."""
    page = page_of_task("policy")
    leaves = page.split('id="leaves"')[1].split("What the policy is worth")[0].split("<tr")
    compared = 0
    for row in leaves:
        cells = re.findall(r'class="estimate"[^>]*>(.*?)</td>', row, flags=re.S)
        marks = [re.search(r'class="at" x="([\d.]+)"', cell) for cell in cells]
        means = [re.search(r"[\u2212-]?\d+\.?\d*", re.sub(r"<[^>]+>", "", cell)) for cell in cells]
        if len(cells) > 1 and all(marks) and all(means):
            values = [float(mean[0].replace("\u2212", "-")) for mean in means]
            assert np.argsort(values).tolist() == np.argsort([float(mark[1]) for mark in marks]).tolist()
            compared += 1
    assert compared > 1


def test_a_single_estimate_has_no_picture():
    """Its interval would fill the whole scale, however small it is."""
    one, two = Estimate(0.5, 0.4, 0.6, 100), Estimate(0.7, 0.6, 0.8, 100)
    assert [cell.bar for cell in estimate_cells([one], "mean")] == [None]
    assert all(cell.bar is not None for cell in estimate_cells([one, two], "mean"))


def test_what_several_outputs_leave_together_is_not_called_that_of_the_first():
    card = re.search(r"Typical error of output 1 on test rows.*?</div>", page_of_task("outputs"), re.DOTALL)
    assert card is not None
    assert ", the 2 outputs together" in card.group()
    assert "together" not in page_of_task("squared_error").partition("The tree</h2>")[0]


def test_a_stopped_single_leaf_is_not_called_the_best_answer():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    model = OptimalTreeClassifier(0.4).fit(X, y)
    assert model.tree_.n_leaves == 1
    best, why = (
        "one answer is best for all rows",
        "a single leaf because the search ended (time limit reached)",
    )
    page = report(model, X, y, fit_models=False)
    assert best in page
    assert why not in page
    model.result_ = replace(model.result_, status=SolveStatus.FEASIBLE, stop_reason=StopReason.TIME_LIMIT)
    page = report(model, X, y, fit_models=False)
    assert best not in page
    assert "this tree gives one answer for all rows" in page
    assert why in page
