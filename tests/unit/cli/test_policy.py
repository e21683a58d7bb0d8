"""`treewright fit --task policy`, and the other verbs with a policy tree."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.convert import load_model

RUN = CliRunner()
FIT = ["fit", "trial.csv", "--task", "policy", "--reward", "drug", "--reward", "none"]


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """A drug that helps above fifty."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    age, sex = rng.integers(20, 80, 120), rng.choice(["m", "f"], 120)
    drug, none = (age > 50) * 2 + rng.normal(size=120) / 4, 0.5 + rng.normal(size=120) / 4
    lines = [
        f"{a},{s},{d:.3f},{n:.3f},{w}"
        for a, s, d, n, w in zip(age, sex, drug, none, rng.integers(0, 3, 120), strict=True)
    ]
    (tmp_path / "trial.csv").write_text("\n".join(["age,sex,drug,none,w", *lines]) + "\n")
    return tmp_path


def run(*arguments):
    return RUN.invoke(app, list(arguments))


def test_fit_verify_predict_show_export(trial):
    done = run(*FIT, "--action-cost", "drug=0.2", "--weight", "w", "-o", "m.json", "--require-proof")
    assert done.exit_code == 0, done.output
    assert "Proven optimal over all thresholds" in done.stdout
    assert "mean reward after costs" in done.stdout
    assert "the best action for every row" in done.stdout
    model = load_model("m.json")
    assert model.certificate.terms.rewards == ("drug", "none")
    assert model.certificate.terms.action_costs == (0.2, 0.0)
    assert [column.name for column in model.tree.columns] == ["age", "sex"]
    checked = run("verify", "m.json", "trial.csv")
    assert checked.exit_code == 0, checked.output
    assert "Verified" in checked.stdout
    answers = run("predict", "m.json", "trial.csv").stdout.split()
    assert answers[0] == "prediction"
    assert set(answers[1:]) == {"drug", "none"}
    assert "mean reward" in run("show", "m.json", "--counts").stdout
    for target in ("python", "c", "sql", "rules"):
        assert "drug" in run("export", "m.json", "--to", target).stdout


def test_actions_with_the_names_of_other_rewards_are_found(trial):
    assert run(*FIT, "-o", "m.json").exit_code == 0
    content = json.loads((trial / "m.json").read_text())
    for labels, code, words in (
        (["none", "drug"], 1, "The actions have the names of other columns of rewards."),
        (["drug", "wait"], 1, "The actions have the names of other columns of rewards."),
        (
            ["wait", "treat"],
            0,
            "Not checked: that the actions wait, treat have the rewards drug, none, in this order.",
        ),
    ):
        content["classes"]["labels"] = labels
        (trial / "other.json").write_text(json.dumps(content))
        checked = run("verify", "other.json", "trial.csv")
        assert checked.exit_code == code, checked.output
        assert words in checked.stdout


def test_rows_of_other_rewards_do_not_repeat(trial):
    assert "repeat" not in run(*FIT).output
    assert "repeat" not in run("look", "trial.csv", "--reward", "drug", "--reward", "none").output
    lines = (trial / "trial.csv").read_text().split("\n")
    assert len({line.rsplit(",", 3)[0] for line in lines[1:-1]}) < 120  # of equal features


def test_a_changed_reward_is_found(trial):
    assert run(*FIT, "-o", "m.json").exit_code == 0
    rows = (trial / "trial.csv").read_text().split("\n")
    rows[1:10] = [row.replace(",", ",", 1).rsplit(",", 2)[0] + ",9,1" for row in rows[1:10]]
    (trial / "trial.csv").write_text("\n".join(rows))
    checked = run("verify", "m.json", "trial.csv")
    assert checked.exit_code == 1
    assert "mean rewards of each node" in checked.stdout


def test_a_file_without_the_names_of_rewards(trial):
    assert run(*FIT, "-o", "m.json").exit_code == 0
    content = json.loads((trial / "m.json").read_text())
    del content["certificate"]["terms"]["rewards"]
    (trial / "m.json").write_text(json.dumps(content))
    assert "does not name the columns of the rewards" in run("verify", "m.json", "trial.csv").stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fit", "trial.csv"], "--target"),
        (["fit", "trial.csv", "--task", "policy", "--reward", "drug"], "two at least"),
        ([*FIT, "--reward", "none"], "twice"),
        ([*FIT, "--reward", "sex"], "--reward sex: rewards must be numbers"),
        ([*FIT, "--reward", "nine"], "no column 'nine'"),
        ([*FIT, "--target", "sex"], "takes no --target"),
        ([*FIT, "--thresholds", "4"], "takes no --thresholds"),
        ([*FIT, "--action-cost", "drog=1"], "--action-cost names 'drog'"),
        (["fit", "trial.csv", "-t", "sex", "--reward", "drug"], "--reward is for --task policy"),
        (["fit", "trial.csv", "-t", "sex", "--task", "police"], "'policy'"),
    ],
)
def test_bad_input(trial, arguments, said):
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["predict", "m.json", "trial.csv", "--proba"], "policy tree"),
        (["extend", "m.json", "trial.csv"], "policy tree"),
        (["verify", "m.json", "trial.csv", "--target", "sex"], "policy tree"),
    ],
)
def test_what_a_policy_tree_cannot_do_is_told(trial, arguments, said):
    assert run(*FIT, "-o", "m.json").exit_code == 0
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_actions_have_names_for_people_and_predictions_keep_those_of_the_file(trial):
    names = trial / "columns.yaml"
    names.write_text("label-names: {drug: Give the drug, none: No treatment}\n")
    done = run(*FIT, "--columns", "columns.yaml", "-o", "m.json")
    assert "Give the drug" in done.stdout
    assert "No treatment" in run("show", "m.json", "--columns", "columns.yaml").stdout
    assert set(run("predict", "m.json", "trial.csv").stdout.split()) == {"prediction", "drug", "none"}
    assert (
        run("report", "m.json", "trial.csv", "--columns", "columns.yaml", "-o", "report.html").exit_code == 0
    )
    page = (trial / "report.html").read_text()
    assert "Give the drug</" in page
    assert "for everybody" in page
    names.write_text("labels: {drug: Give the drug}\n")
    done = run(*FIT, "--columns", "columns.yaml")
    assert done.exit_code == 2
    assert "goes under label-names: {drug: Give the drug}" in done.output
    names.write_text("label_names: {drug: Give the drug}\n")
    done = run(*FIT, "--columns", "columns.yaml")
    assert done.exit_code == 2
    assert "did you mean 'label-names'? Known are about," in done.output
