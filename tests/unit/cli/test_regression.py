"""`--task regression`: fit, verify, predict, show and export; targets that cannot be used; limits."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.convert import load_model
from treewright.errors import InputError
from treewright.result import RegressionResult, SolveStatus, StopReason


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def write_csv(path, rows, delimiter=","):
    with open(path, "w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return path


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def made_rows(n_rows=120):
    """Areas with gaps, cities, weights, and a price with decimals."""
    rng = np.random.default_rng(0)
    rows = [["area", "city", "w", "price"]]
    for _ in range(n_rows):
        area, city = round(float(rng.uniform(30, 200)), 1), str(rng.choice(["Rome", "Oslo", "Bonn"]))
        price = 1000 * area * (2 if city == "Oslo" else 1) + 10_000 * rng.standard_normal()
        gap = rng.random() < 0.1
        rows.append(["" if gap else area, city, int(rng.integers(1, 4)), f"{price:.2f}"])
    return rows


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "data.csv", made_rows())


@pytest.fixture
def model(data, tmp_path):
    out = tmp_path / "model.json"
    result = run("fit", data, "-t", "price", "--task", "regression", "-x", "w", "--max-depth", 2, "-o", out)
    assert result.exit_code == 0, result.output
    assert "Proven optimal over all thresholds" in result.output
    assert "price: mean" in result.output
    return out


def test_the_file_holds_the_certificate_and_its_question(model):
    content = load_model(model)
    assert isinstance(content.result, RegressionResult)
    assert content.result.status is SolveStatus.OPTIMAL
    terms = content.certificate.terms
    assert (terms.target, terms.max_depth, terms.cost_complexity) == ("price", 2, 0.01)
    assert terms.objective == "squared_error"


def test_every_check_holds_on_its_own_data(data, model):
    result = run("verify", model, data)
    assert result.exit_code == 0, result.output
    assert "21 of 21 checks hold" in result.output
    passed = [line for line in result.output.splitlines() if line.startswith("ok")]
    assert not [line for line in passed if "classification" in line or "differ" in line]


def test_a_changed_target_or_certificate_is_found(data, model, tmp_path):
    rows = made_rows()
    rows[1][3] = "0"
    other = run("verify", model, write_csv(tmp_path / "other.csv", rows))
    assert other.exit_code == 1
    assert "mean of each node" in other.output
    content = json.loads(model.read_text())
    content["certificate"]["loss"] /= 2
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(content))
    assert run("verify", forged, data).exit_code == 1


def test_predictions_are_the_means_of_the_leaves(data, model):
    tree = load_model(model).tree
    result = run("predict", model, data, "--leaf")
    assert result.exit_code == 0, result.output
    found = list(csv.DictReader(result.stdout.splitlines()))
    rows = read_rows(data)
    assert len(found) == len(rows)
    for leaf in {row["leaf"] for row in found}:
        here = [k for k, row in enumerate(found) if row["leaf"] == leaf]
        mean = np.mean([float(rows[k]["price"]) for k in here])
        assert [float(found[k]["prediction"]) for k in here] == pytest.approx([mean] * len(here))
    assert len({row["leaf"] for row in found}) == tree.n_leaves


def test_it_is_shown_as_text_and_pictures(model, tmp_path):
    shown = run("show", model)
    assert shown.exit_code == 0
    assert "% of the variance left" in shown.output
    for suffix in (".dot", ".svg", ".png"):
        out = tmp_path / f"tree{suffix}"
        assert run("show", model, "--out", out).exit_code == 0
        assert out.stat().st_size > 200


def test_exports_answer_as_the_tree(data, model, tmp_path):
    expected = [row[0] for row in csv.reader(run("predict", model, data).stdout.splitlines())][1:]
    source = run("export", model, "--to", "python", "--name", "price_of")
    assert source.exit_code == 0
    session = {}
    exec(source.stdout, session)
    for row, value in zip(read_rows(data), expected, strict=True):
        area = float(row["area"]) if row["area"] else None
        assert session["price_of"]({"area": area, "city": row["city"]}) == float(value)
    sql = run("export", model, "--to", "sql", "--table", "houses")
    assert sql.exit_code == 0
    assert "houses" in sql.stdout
    rules = run("export", model, "--to", "rules")
    assert rules.stdout.count("then ") == load_model(model).tree.n_leaves
    assert run("export", model, "--out", tmp_path / "tree.c").exit_code == 0


def test_weights_change_the_means(data, tmp_path):
    out = tmp_path / "weighted.json"
    fitted = run(
        "fit", data, "-t", "price", "--task", "regression", "--weight", "w", "--max-depth", 1, "-o", out
    )
    assert fitted.exit_code == 0, fitted.output
    assert run("verify", out, data).exit_code == 0
    rows = read_rows(data)
    price, weight = [float(r["price"]) for r in rows], [float(r["w"]) for r in rows]
    assert load_model(out).tree.value[0, 0] == pytest.approx(np.average(price, weights=weight))


def test_a_target_with_decimal_commas_is_read_as_numbers(data, model, tmp_path):
    rows = made_rows()
    for row in rows[1:]:
        row[3] = row[3].replace(".", ",")
    commas = write_csv(tmp_path / "commas.csv", rows, delimiter=";")
    out = tmp_path / "commas.json"
    fitted = run("fit", commas, "-t", "price", "--task", "regression", "-x", "w", "--max-depth", 2, "-o", out)
    assert fitted.exit_code == 0, fitted.output
    assert load_model(out).tree.value.tolist() == load_model(model).tree.value.tolist()
    assert run("verify", out, commas).exit_code == 0


def test_a_limit_keeps_a_tree_with_a_gap(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.random((300, 6)).round(4)
    y = X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(300)
    rows = [[f"x{j}" for j in range(6)] + ["y"], *np.column_stack([X, y]).tolist()]
    data = write_csv(tmp_path / "noise.csv", rows)
    out = tmp_path / "open.json"
    asked = ("fit", data, "-t", "y", "--task", "regression", "-c", 0, "--max-depth", 4, "-o", out)
    result = run(*asked, "--step-limit", 50)
    assert result.exit_code == 0, result.output
    assert "Not proven optimal (step limit reached)" in result.output
    claim = load_model(out).result
    assert claim.stop_reason is StopReason.STEP_LIMIT
    assert 0 < claim.gap <= 1
    assert load_model(out).tree.n_leaves > 1
    assert run("verify", out, data).exit_code == 0
    assert run(*asked, "--step-limit", 50, "--require-proof").exit_code == 1


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (["red", "blue", "green"], "needs a target of numbers"),
        (["1.5", "2.5", "much"], "needs a target of numbers"),
        (["1", "2", "inf"], "target"),
        (["1", "2", ""], "missing"),
    ],
)
def test_targets_that_are_no_finite_numbers_are_refused(tmp_path, values, word):
    rows = [["x", "y"], *([k, values[k % 3]] for k in range(30))]
    result = run("fit", write_csv(tmp_path / "bad.csv", rows), "-t", "y", "--task", "regression")
    assert result.exit_code == 2
    assert word in result.output
    assert "'y'" in result.output


def test_a_constant_target_is_one_leaf(tmp_path):
    rows = [["x", "y"], *([k, 7.5] for k in range(30))]
    data, out = write_csv(tmp_path / "same.csv", rows), tmp_path / "same.json"
    result = run("fit", data, "-t", "y", "--task", "regression", "-o", out)
    assert result.exit_code == 0, result.output
    assert "All targets are equal" in result.output
    assert load_model(out).tree.n_leaves == 1
    assert run("verify", out, data).exit_code == 0


def test_classification_points_to_regression(data, tmp_path):
    result = run("fit", data, "-t", "price")
    assert result.exit_code == 2
    assert "--task regression" in result.output
    rows = [["x", "y"], *([k % 5, k] for k in range(60))]
    whole = run("fit", write_csv(tmp_path / "whole.csv", rows), "-t", "y", "--max-depth", 1)
    assert whole.exit_code == 2  # each of 60 numbers would be a class of one row
    assert "--task regression" in whole.stderr


@pytest.mark.parametrize(
    "option",
    [
        ("--method", "latent"),
        ("--objective", "leaf-accuracy"),
        ("--class-weight", "balanced"),
        ("--thresholds", "8"),
        ("--guess", "thresholds"),
        ("--merge-labels",),
        ("--cost", "a:b=2"),
    ],
)
def test_options_of_classification_are_refused(data, option):
    result = run("fit", data, "-t", "price", "--task", "regression", *option)
    assert result.exit_code == 2
    assert option[0] in result.output


def test_what_is_for_classes_alone_says_so(data, model, tmp_path):
    for verb, words in (
        (("predict", model, data, "--proba"), "no classes"),
        (("show", model, "--counts"), "no classes"),
        (("extend", model, data), "regression tree"),
    ):
        result = run(*verb)
        assert result.exit_code == 2, result.output
        assert words in result.output
    assert run("fit", data, "-t", "price", "--task", "clustering").exit_code == 2
    done = run(
        "report", model, data, "--out", tmp_path / "page.html"
    )  # CART, boosting and a forest beside it
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("verb", "solver"),
    [
        (("fit", "-t", "price", "--task", "regression"), "solve_regression"),
        (("fit", "-t", "city"), "solve"),
        (("frontier", "-t", "city"), "solve_frontier"),
    ],
)
def test_the_time_of_reading_counts_once(data, monkeypatch, verb, solver):
    """What is left of the limit after reading runs from then on, not from the start of the program."""
    import treewright.search
    from treewright.cli._clock import Clock

    given = []

    def captured(*args, limits, **options):
        given.append(limits)
        raise InputError("enough")

    monkeypatch.setattr(Clock, "left", lambda clock: 5.0)
    monkeypatch.setattr(treewright.search, solver, captured)
    assert "enough" in run(verb[0], data, *verb[1:]).output
    assert [(limits.time_limit, limits.begun) for limits in given] == [(5.0, None)]


def test_several_targets_are_fitted_verified_and_predicted(tmp_path):
    rng = np.random.default_rng(2)
    rows = [["x", "high", "wide", "b,c"]]
    for _ in range(60):
        x = rng.random()
        rows.append([round(x, 3), round(float(x > 0.5), 2), round(3 * float(x > 0.2), 2), round(x, 2)])
    data, out = write_csv(tmp_path / "data.csv", rows), tmp_path / "model.json"
    fit = ("fit", data, "--task", "regression", "--ignore", "b,c")
    done = run(*fit, "-t", "high, wide", "-o", out)
    assert done.exit_code == 0, done.output
    assert "summed variance of 2 outputs" in done.output
    assert "Variance left of each output: high 0%, wide 0%" in done.output
    model = load_model(out)
    assert model.certificate.terms.targets == ("high", "wide")
    assert run("verify", out, data).exit_code == 0
    assert (
        run("verify", out, data, "--target", "wide,high").exit_code == 1
    )  # the values are those of the other
    predicted = tmp_path / "predicted.csv"
    assert run("predict", out, data, "-o", predicted).exit_code == 0
    assert [float(row["prediction of wide"]) for row in read_rows(predicted)] == [row[2] for row in rows[1:]]
    for target, words in (("high,", "name each column once"), ("high,high", "name each column once")):
        refused = run(*fit, "-t", target)
        assert refused.exit_code == 2
        assert words in refused.output
    refused = run(*fit, "-t", "high,wide", "--criterion", "poisson")
    assert refused.exit_code == 2
    assert "takes one" in refused.output
    named = run("fit", data, "--task", "regression", "-t", "b,c")  # a single column of that name
    assert named.exit_code == 0
    assert "b,c: mean" in named.output


def test_lines_in_leaves(data, tmp_path):
    out = tmp_path / "lines.json"
    asked = ("fit", data, "-t", "price", "--task", "regression", "-x", "w", "--max-depth", 1)
    fitted = run(*asked, "--leaf-model", "linear", "-o", out)
    assert fitted.exit_code == 0, fitted.output
    assert "the lines in its leaves were fitted afterwards" in fitted.output
    assert ", with its lines " in fitted.output
    assert "* (area - " in fitted.output
    plain = run(*asked)
    proof = next(line for line in plain.output.splitlines() if line.startswith("Proven optimal"))
    assert proof in fitted.output
    verified = run("verify", out, data)
    assert verified.exit_code == 0, verified.output
    assert "loss with lines" in verified.output
    assert run("predict", out, data, "-o", tmp_path / "said.csv").exit_code == 0
    tree = load_model(out).tree
    said = [float(row["prediction"]) for row in read_rows(tmp_path / "said.csv")]
    assert len(set(said)) > tree.n_leaves
    refused = run("export", out, "--to", "sklearn", "-o", tmp_path / "tree.joblib")
    assert refused.exit_code == 2
    for other in (("--leaf-model", "cubic"), ("--leaf-model", "linear", "--criterion", "poisson")):
        refused = run(*asked, *other)
        assert refused.exit_code == 2
        assert "--leaf-model" in refused.output


def test_lines_of_several_outputs(data, tmp_path):
    out = tmp_path / "lines.json"
    asked = ("fit", data, "-t", "price,w", "--task", "regression", "--max-depth", 1, "--leaf-model", "linear")
    fitted = run(*asked, "-o", out)
    assert fitted.exit_code == 0, fitted.output
    assert "Variance left of each output" in fitted.output
    assert {len(line.slopes) for line in load_model(out).tree.lines if line is not None} == {2}
    assert run("verify", out, data).exit_code == 0
