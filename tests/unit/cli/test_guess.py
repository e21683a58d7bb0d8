"""`treewright fit --guess`: what is guessed, from which reference, and options that contradict each other."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.convert import load_model
from treewright.errors import InputError
from treewright.guess import named_reference
from treewright.guess._named import REFERENCES
from treewright.result import SolveStatus
from treewright.search._solve import solve_binary


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 4)).round(2)
    y = np.where((X[:, 0] > 0.3) ^ (X[:, 1] > 0), "bad", "good")
    with open(tmp_path / "data.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "d", "risk"])
        writer.writerows([*row, label] for row, label in zip(X.tolist(), y.tolist(), strict=True))
    return tmp_path / "data.csv"


@pytest.fixture
def guided_ends_first(monkeypatch):
    monkeypatch.setattr("treewright.search._guided.solve_beside", solve_binary)


@pytest.mark.parametrize("name", REFERENCES)
def test_guessed_thresholds_and_bounds_are_saved_as_such_and_verify(data, tmp_path, name, guided_ends_first):
    out = tmp_path / "model.json"
    options = ("--reference", name, "--n-estimators", 10, "--reference-depth", 2)
    done = run("fit", data, "-t", "risk", "--guess", "thresholds,bounds", *options, "--out", out)
    assert done.exit_code == 0, done.output
    model = load_model(out)
    assert model.result.status is SolveStatus.OPTIMAL_UNDER_GUESSES
    assert "guessed thresholds" in done.output
    assert "if the guesses hold" in done.output
    assert run("verify", out, data).exit_code == 0


def test_guessed_depth_is_the_depth_that_the_file_states(data, tmp_path):
    out = tmp_path / "model.json"
    done = run("fit", data, "-t", "risk", "--guess", "depth", "--n-estimators", 1, "-o", out)
    assert done.exit_code == 0, done.output
    model = load_model(out)
    assert model.certificate.terms.max_depth == model.result.stats["guessed_depth"] == 7
    assert model.tree.depth <= 7


def test_a_conditional_answer_is_no_proof(data, guided_ends_first):
    options = ("fit", data, "-t", "risk", "--guess", "bounds", "--require-proof")
    assert run(*options).exit_code == 1


def test_an_exact_search_that_ends_first_is_a_proof(data):
    done = run("fit", data, "-t", "risk", "--guess", "bounds", "--max-depth", 2, "--require-proof")
    assert done.exit_code == 0, done.output
    assert "The guessed lower bounds were not needed" in done.output


def test_guessed_thresholds_say_that_all_of_them_were_not_tried(data):
    done = run("fit", data, "-t", "risk", "--guess", "thresholds", "--n-estimators", 3, "--max-depth", 2)
    assert done.exit_code == 0, done.output
    assert "all thresholds was not tried; leave the guess of thresholds out" in done.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--guess", "everything"), "'everything'"),
        (("--reference", "gbdt"), "nothing is guessed"),
        (("--n-estimators", "5"), "nothing is guessed"),
        (("--guess", "bounds", "--guess-tolerance", "0.1"), "--guess thresholds"),
        (("--guess", "thresholds", "--thresholds", "all"), "contradict"),
        (("--guess", "depth", "--max-depth", "3"), "contradict"),
        (("--guess", "bounds", "--reference", "oracle"), "oracle"),
        (("--guess", "bounds", "--n-estimators", "0"), "at least 1"),
        (("--guess", "bounds", "--method", "latent"), "--guess"),
    ],
)
def test_contradictions_are_refused(data, options, words):
    done = run("fit", data, "-t", "risk", *options)
    assert done.exit_code == 2
    assert words in done.output


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr("treewright.guess._named.find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install lightgbm"):
        named_reference("lightgbm")
