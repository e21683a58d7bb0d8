"""`treewright report` calls a claim proven only where the check of the rows looked at it, and it held."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright import OptimalTreeClassifier
from treewright.cli import app
from treewright.convert import save_model

AGES, STATES = [[age] for age in range(20, 60)], ["ill" if 30 < age < 50 else "well" for age in range(20, 60)]


@pytest.fixture
def folder(tmp_path):
    rows = [f"{age},{state}" for (age,), state in zip(AGES, STATES, strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["age,state", *rows]) + "\n")
    return tmp_path


def forged(path):
    """Make the objective of a model's certificate smaller than it is."""
    content = json.loads(path.read_text())
    for field in ("objective", "lower_bound"):
        content["certificate"][field] /= 2
    path.write_text(json.dumps(content))


def page_of(folder):
    out = folder / "page.html"
    args = ["report", folder / "model.json", folder / "data.csv", "-t", "state", "--no-models", "-o", out]
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    assert done.exit_code == 0, done.output
    return done, out.read_text(encoding="utf-8")


@pytest.mark.parametrize("objective", ["accuracy", "f1"])
@pytest.mark.parametrize("is_forged", [False, True])
def test_a_certificate_without_its_question_is_not_called_checked(folder, objective, is_forged):
    import pandas as pd

    X = pd.DataFrame(AGES, columns=["age"]).astype(float)
    model = OptimalTreeClassifier(0.01, objective=objective, max_depth=2, progress=False).fit(X, STATES)
    save_model(folder / "model.json", model)
    if is_forged:
        forged(folder / "model.json")
    done, page = page_of(folder)
    assert "Claimed optimal, not checked" in page
    assert "Only the tree itself was checked, not this certificate" in page
    assert "</span>Proven optimal" not in page
    assert "recomputes every claim" not in page
    assert "Check it yourself" not in page
    assert "Not verified" not in page + done.output  # the tree holds


@pytest.mark.parametrize("objective", ["accuracy", "f1"])
def test_a_certificate_that_fails_is_not_called_proven(folder, objective):
    fit = ["fit", folder / "data.csv", "-t", "state", "-c", 0.01, "--max-depth", 2, "--objective", objective]
    assert CliRunner().invoke(app, [str(arg) for arg in [*fit, "-o", folder / "model.json"]]).exit_code == 0
    done, page = page_of(folder)
    assert "</span>Proven optimal" in page
    assert "Not verified" not in page + done.output
    assert "recomputes every claim" in page
    forged(folder / "model.json")
    done, page = page_of(folder)
    assert "</span>Not verified" in page
    assert "</span>Proven optimal" not in page
    assert "Could another tree be better?" not in page
    note = page[page.index('<p class="note">') :].split("</p>")[0]
    assert "Not verified" in note
    assert "Not verified" in done.stderr
    assert "objective" in done.stderr


def test_leaf_accuracy_is_checked_like_other_trees(folder):
    fit = ["fit", folder / "data.csv", "-t", "state", "--objective", "leaf-accuracy", "--max-depth", 2]
    assert CliRunner().invoke(app, [str(arg) for arg in [*fit, "-o", folder / "model.json"]]).exit_code == 0
    page = page_of(folder)[1]
    assert "</span>Proven optimal" in page
    assert "checks by independent code hold" in page
    assert "That no better tree exists is not among them" in page
    forged(folder / "model.json")
    assert "</span>Not verified" in page_of(folder)[1]


def test_what_a_report_does_not_check_is_a_claim(folder):
    split = folder / "parts"
    split.mkdir()
    (split / "data.csv").write_text((folder / "data.csv").read_text())
    fit = ["fit", split, "-t", "state", "-c", 0.01, "--max-depth", 2, "-o", folder / "model.json"]
    assert CliRunner().invoke(app, [str(arg) for arg in fit]).exit_code == 0
    page = page_of(folder)[1]
    assert "</span>Claimed optimal, not checked" in page
    assert "This is what the model file says of itself" in page


def test_a_born_again_tree_of_a_file_is_a_claim_and_one_just_made_is_not(folder):
    from sklearn.ensemble import RandomForestClassifier

    from treewright import BornAgainTreeClassifier
    from treewright.convert import load_model
    from treewright.show import report

    forest = RandomForestClassifier(3, max_depth=2, random_state=0)
    model = BornAgainTreeClassifier(forest).fit(np.array(AGES, dtype=float), STATES)
    assert "Decides like its ensemble; proven smallest" in report(model, AGES, STATES, fit_models=False)
    save_model(folder / "model.json", model)
    page = report(load_model(folder / "model.json"), AGES, STATES, fit_models=False)
    assert "Decides like its ensemble; smallest (claimed, not checked)" in page
