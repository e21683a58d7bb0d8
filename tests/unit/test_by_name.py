"""Rewards, costs and chances in a frame: the names of its columns say which is which, whatever their order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright import OptimalPolicyTree, OptimalTreeClassifier
from treewright.errors import InputError
from treewright.policy import doubly_robust_scores

x = np.arange(40.0)[:, None]
ends = [[0.0], [39.0]]
rewards = pd.DataFrame({"drug": x[:, 0] - 20, "wait": np.zeros(40)})


def arrow_table(frame):
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    return arrow.table({str(name): frame[name].to_numpy() for name in frame})


FRAMES = [lambda frame: frame, pl.from_pandas, arrow_table]


@pytest.mark.parametrize("frame", FRAMES)
def test_rewards_go_by_the_names_of_the_actions(frame):
    for actions in (["wait", "drug"], ["drug", "wait"], None):
        model = OptimalPolicyTree(max_depth=1, actions=actions).fit(x, frame(rewards))
        assert model.predict(ends).tolist() == ["wait", "drug"]
        assert model.value(x, frame(rewards)) == model.value(x, frame(rewards[["wait", "drug"]]))
        assert model.value(x, frame(rewards)).value == pytest.approx(4.75)


def test_other_names_leave_the_order_as_it_is():
    other = rewards.rename(columns="gain by {}".format)
    model = OptimalPolicyTree(max_depth=1, actions=["drug", "wait"]).fit(x, other)
    assert model.predict(ends).tolist() == ["wait", "drug"]
    assert (
        model.value(x, other) == model.value(x, rewards) == model.value(x, pd.DataFrame(rewards.to_numpy()))
    )
    with pytest.raises(InputError, match="rewards has the names off, on, which are to be drug, wait"):
        model.value(x, pd.DataFrame(rewards.to_numpy(), columns=["off", "on"]))


def test_numbers_of_columns_are_no_names():
    model = OptimalPolicyTree(max_depth=1, actions=[1, 2]).fit(x, pd.DataFrame(rewards.to_numpy()))
    assert model.predict(ends).tolist() == [2, 1]


def test_a_mix_of_names_is_refused():
    some = rewards.rename(columns={"drug": "surgery"})
    with pytest.raises(InputError, match="rewards has the names surgery, wait"):
        OptimalPolicyTree(actions=["wait", "drug"]).fit(x, some)
    with pytest.raises(InputError, match="rewards has the names surgery, wait"):
        OptimalPolicyTree().fit(x, rewards).score(x, some)


def test_action_costs_of_a_series_go_by_name():
    costs = pd.Series({"wait": 0.0, "drug": 100.0})
    model = OptimalPolicyTree(action_costs=costs).fit(x, rewards)
    assert model.predict(x).tolist() == ["wait"] * 40


@pytest.mark.parametrize(
    ("labels", "names"),
    [([False, True], ["True", "False"]), ([0, 1], ["1", "0"]), (["no", "yes"], ["yes", "no"])],
)
@pytest.mark.parametrize("frame", FRAMES)
def test_row_costs_go_by_the_names_of_the_classes(frame, labels, names):
    is_high = x[:, 0] >= 20
    costs = pd.DataFrame({names[0]: np.where(is_high, 0, 5.0), names[1]: np.where(is_high, 5.0, 0)})
    y = np.array(labels)[is_high.astype(int)]
    model = OptimalTreeClassifier(max_depth=1).fit(x, y, row_costs=frame(costs))
    assert model.predict(ends).tolist() == labels
    with pytest.raises(InputError, match="row_costs has the names"):
        OptimalTreeClassifier().fit(x, y, row_costs=frame(costs.rename(columns={names[0]: "other"})))


@pytest.mark.parametrize("form", ["rows", "series"])
def test_propensities_go_by_the_names_of_the_actions(form):
    rng = np.random.default_rng(0)
    action = np.where(rng.random(400) < 0.8, "b", "a")
    chance = pd.Series({"b": 0.8, "a": 0.2})
    given = chance if form == "series" else pd.DataFrame([chance] * 400)
    scores = doubly_robust_scores(np.ones((400, 1)), action, np.ones(400), propensities=given, method="ipw")
    assert scores.propensities[0].tolist() == [0.2, 0.8]
    with pytest.raises(InputError, match="propensities has the names b, c, which are to be a, b"):
        doubly_robust_scores(
            np.ones((400, 1)),
            action,
            np.ones(400),
            propensities=given.set_axis(["b", "c"], axis=given.ndim - 1),
        )
