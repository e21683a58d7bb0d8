"""`treewright fit` for every criterion and for costs of rows: fit, verify, and what is refused."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.convert import load_model


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    x, z = rng.integers(0, 9, 80), rng.integers(0, 3, 80)
    label = np.where(rng.random(80) < 0.2 + 0.07 * x, "yes", "no")
    frame = pd.DataFrame({"x": x, "z": z, "number": rng.poisson(x + 0.1) + 1, "label": label})
    frame["cost_yes"], frame["cost_no"] = (label == "no") * rng.random(80), (label == "yes") * rng.random(80)
    frame.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


ASKED = {
    "poisson": (["-t", "number", "--task", "regression", "--criterion", "poisson"], "Poisson deviance left"),
    "gamma": (["-t", "number", "--task", "regression", "--criterion", "gamma"], "gamma deviance left"),
    "absolute_error": (["-t", "number", "--task", "regression", "--criterion", "absolute-error"], "absolute error"),
    "quantile": (
        ["-t", "number", "--task", "regression", "--criterion", "quantile", "--quantile", "0.9"],
        "quantile loss of the 0.9 quantile left",
    ),
    "brier": (["-t", "label", "--task", "probability"], "Brier score of a single leaf left"),
    "log_loss": (["-t", "label", "--task", "probability", "--criterion", "log-loss"], "log loss of a single leaf left"),
    "row_costs": (["-t", "label", "--row-cost", "no=cost_no", "--row-cost", "yes=cost_yes"], "mean cost"),
}  # fmt: skip


@pytest.mark.parametrize("objective", ASKED)
def test_fit_and_verify(objective, data, tmp_path):
    arguments, words = ASKED[objective]
    out = tmp_path / "model.json"
    done = run("fit", data, *arguments, "--max-depth", 2, "-c", "0.02", "-o", out, "--require-proof")
    assert done.exit_code == 0, done.output
    assert words in done.output
    terms = load_model(out).certificate.terms
    assert (terms.objective, terms.max_depth, terms.cost_complexity) == (objective, 2, 0.02)
    columns = [column.name for column in load_model(out).tree.columns]
    assert ("cost_no" in columns) is (
        objective != "row_costs"
    )  # no tree asks for the costs that it is judged by
    checked = run("verify", out, data)
    assert checked.exit_code == 0, checked.output
    rows = pd.read_csv(data)
    rows["number"], rows["cost_no"] = rows["number"].iloc[::-1].to_numpy(), rows["cost_yes"]
    rows["label"] = rows["label"].iloc[::-1].to_numpy()
    rows.to_csv(tmp_path / "other.csv", index=False)
    assert run("verify", out, tmp_path / "other.csv").exit_code == 1
    assert run("predict", out, data).exit_code == 0
    assert run("show", out).exit_code == 0
    if "number" not in arguments:  # a tree of classes
        page = tmp_path / "report.html"
        assert run("report", out, data, "-o", page).exit_code == 0
        unit = "in units of the mean cost of a row" if objective == "row_costs" else "of a single leaf"
        assert re.search(f"a leaf costs 0.02 [a-zA-Z ]*{unit}", page.read_text())


def test_a_leaf_may_cost_more_than_one(data, tmp_path):
    """Costs of rows are in units of the user: the model file of such a penalty could not be read again."""
    out = tmp_path / "model.json"
    assert run("fit", data, *ASKED["row_costs"][0], "--max-depth", 2, "-c", "1.5", "-o", out).exit_code == 0
    assert load_model(out).certificate.terms.cost_complexity == 1.5
    checked = run("verify", out, data)
    assert checked.exit_code == 0, checked.output
    content = json.loads(out.read_text())
    content["certificate"]["terms"]["objective"] = "accuracy"
    out.write_text(json.dumps(content))
    assert "1.5 is not accepted; it must be a number from 0 to 1" in run("verify", out, data).stderr


def test_a_leaf_may_cost_more_than_all_rows(tmp_path):
    """What is rounded is then a share of the penalty, and was held against the costs alone."""
    table, out = tmp_path / "data.csv", tmp_path / "model.json"
    table.write_text("x,label,cost,weight\n1,yes,1,1\n0,yes,0,1e9\n")
    arguments = ["-t", "label", "--row-cost", "yes=cost", "--weight", "weight"]
    assert run("fit", table, *arguments, "-o", out).exit_code == 0
    checked = run("verify", out, table)
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "number", "--task", "regression", "--criterion", "log-loss"], "--task regression has 'squared-error'"),
        (["-t", "label", "--task", "probability", "--criterion", "gini"], "has 'brier', 'log-loss'"),
        (["-t", "number", "--task", "regression", "--criterion", "quantile"], "needs --quantile"),
        (["-t", "number", "--task", "regression", "--quantile", ".9"], "--quantile is for"),
        (["-t", "label", "--criterion", "poisson"], "--criterion is for --objective leaf-accuracy"),
        (["-t", "label", "--row-cost", "no=cost_no"], "Give CLASS=COLUMN once for each"),
        (["-t", "label", "--row-cost", "cost_no"], "give CLASS=COLUMN"),
        (["-t", "label", "--row-cost", "no=cost_no", "--row-cost", "no=cost_yes"], "class no twice"),
        (["-t", "z", "--row-cost", "0=x", "--row-cost", "1=label", "--row-cost", "2=x"], "costs must be numbers"),
        (["-t", "label", "--row-cost", "no=x", "--cost", "yes:no=2"], "--row-cost goes without --cost"),
        (["-t", "number", "--task", "regression", "--row-cost", "no=x"], "takes no --row-cost"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(arguments, message, data):
    done = run("fit", data, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr.replace("\n", " ")


@pytest.mark.parametrize("command", [["fit"], ["frontier", "--max-leaves", "3"]])
def test_rounded_logarithms_are_answered_with_a_criterion_without_them(command, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000).round(2)
    pd.DataFrame({"x": x, "hits": rng.poisson(2_000_000 * (1 + 0.0003 * x))}).to_csv(
        tmp_path / "hits.csv", index=False
    )
    asked = ["-t", "hits", "--task", "regression", "--criterion", "poisson", "--max-depth", "2"]
    done = run(command[0], tmp_path / "hits.csv", *command[1:], *asked)
    assert done.exit_code == 0, done.output
    assert "Note: Logarithms" in done.stdout
    assert "What may bring one: --criterion squared-error, which needs no logarithms." in done.stderr
