"""`treewright report` of model files of every task: rewards, events and outputs are read as the file names them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from treewright.cli import app

FITS = {
    "regression": ("--task", "regression", "-t", "cost"),
    "outputs": ("--task", "regression", "-t", "cost,days"),
    "quantile": ("--task", "regression", "-t", "cost", "--criterion", "quantile", "--quantile", "0.8"),
    "linear": ("--task", "regression", "-t", "cost", "--leaf-model", "linear"),
    "policy": ("--task", "policy", "--reward", "wait", "--reward", "pill", "--action-cost", "pill=.2"),
    "simple lines": ("--task", "regression", "-t", "cost", "--leaf-model", "simple-linear"),
    "survival": ("--task", "survival", "-t", "time", "--event", "dead"),
    "probability": ("--task", "probability", "-t", "dead"),
    "row costs": ("-t", "dead", "--row-cost", "yes=cost", "--row-cost", "no=days"),
}
SEEN = ("cost", "days", "wait", "pill", "time", "dead")


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """train.csv and test.csv, with what every task needs."""
    at = tmp_path_factory.mktemp("tasks")
    rng = np.random.default_rng(0)
    n = 300
    rows = pd.DataFrame({"age": rng.integers(20, 80, n), "risk": rng.normal(size=n).round(2)})
    rows["cost"] = (100 + 3 * rows.age + rng.normal(0, 5, n)).round(1)
    rows["days"] = (rows.age / 3 + rng.normal(0, 2, n)).round(1)
    rows["wait"], rows["pill"] = rng.normal(size=n).round(3), (rows.risk + rng.normal(size=n)).round(3)
    time, censored = rng.exponential(1 / np.exp(rows.risk)), rng.exponential(2, n)
    rows["time"] = np.minimum(time, censored).round(3)
    rows["dead"] = np.where(time <= censored, "yes", "no")
    rows["ward"] = rng.choice(["north", "south"], n)
    rows[:200].to_csv(at / "train.csv", index=False)
    rows[200:].to_csv(at / "test.csv", index=False)
    return at


def fit(folder, task):
    model = folder / f"{task}.json"
    unused = [
        word
        for name in SEEN
        if not re.search(rf"\b{name}\b", " ".join(FITS[task]))
        for word in ("--ignore", name)
    ]
    done = run(
        "fit", folder / "train.csv", *FITS[task], *unused, "-c", 0.01, "--max-depth", 2, "--min-samples-leaf", 10,
        "--out", model,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return model


@pytest.mark.parametrize("task", FITS)
def test_a_report_of_every_task(folder, task):
    model, out = fit(folder, task), folder / f"{task}.html"
    rows = (folder / "train.csv", "--test", folder / "test.csv", "--group", "ward", "--no-models")
    frontier = ("--frontier", 3) if task in ("regression", "outputs", "quantile", "linear") else ()
    done = run("report", model, *rows, *frontier, "--out", out)
    assert done.exit_code == 0, done.output
    text = out.read_text(encoding="utf-8")
    assert "Proven optimal" in text
    assert "<bdi>north" in text
    held, checks = re.search(r"(\d+) of (\d+) checks by independent code hold", text).groups()
    assert held == checks
    assert f"treewright verify {model.name}".split()[0] in text
    assert ("frontier-title" in text) == bool(frontier)


@pytest.mark.parametrize("task", ["policy", "survival", "probability", "row costs", "simple lines"])
def test_what_has_no_frontier_says_so(folder, task):
    done = run("report", fit(folder, task), folder / "train.csv", "--frontier", 3, "--out", folder / "x.html")
    assert done.exit_code == 2
    assert "compare sizes with --compare" in done.stderr
    assert task != "row costs" or "the same in every row" in done.stderr


def test_a_policy_has_no_target(folder):
    model = fit(folder, "policy")
    done = run("report", model, folder / "train.csv", "--target", "cost", "--out", folder / "x.html")
    assert done.exit_code == 2
    assert "whose rewards the file names" in done.stderr
