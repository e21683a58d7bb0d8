"""The verbs over folders and Parquet files: fit, verify, predict, and the messages for what does not go together."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from treewright import fit_shards
from treewright.cli import _shards as shards_module
from treewright.cli import app
from treewright.convert import load_model


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3)).round(2)
    frame = pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(
        y=pl.Series(np.where((X[:, 0] > 0.3) ^ (rng.random(2000) < 0.1), "sick", "well"))
    )
    folder: Path = tmp_path_factory.mktemp("cli")
    (folder / "parts").mkdir()
    frame[:1200].write_parquet(folder / "parts" / "0.parquet")
    frame[1200:].write_parquet(folder / "parts" / "1.parquet")
    frame.write_csv(folder / "all.csv")
    return folder


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, done.stderr


def test_a_folder_is_counted_by_default(rows: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    code, printed, said = run("fit", rows / "parts", "-t", "y", "--out", model)
    assert code == 0
    assert "--max-depth 3 and --thresholds 16" in said
    assert "Proven optimal over the given thresholds and 2,000 rows: no tree of depth at most 3" in printed
    assert run("verify", model, rows / "parts")[0] == 0


def test_a_proof_of_few_rows_with_large_costs_is_verified(tmp_path: Path) -> None:
    """Shards are searched in shares of the largest cost: what they round is more than a billionth of these rows."""
    data, model = tmp_path / "data.csv", tmp_path / "model.json"
    data.write_text("a,y\n0,no\n0,yes\n")
    costs = ("--cost", "no:yes=4", "--cost", "yes:no=4")
    shards = ("--shard-rows", 10, "--max-depth", 4, "--thresholds", 16)
    code, printed, _ = run("fit", data, "-t", "y", *shards, *costs, "--out", model)
    assert code == 0
    assert "Proven optimal" in printed
    code, printed, _ = run("verify", model, data)
    assert code == 0, printed


def test_a_large_file_is_counted_unless_something_is_asked(
    rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards_module, "LARGE", 1000)
    _, printed, said = run("fit", rows / "all.csv", "-t", "y")
    assert "2,000 rows: no tree of depth at most 3" in printed
    assert "--max-depth 3 and --thresholds 16" in said
    for asked in (["--max-depth", 1], ["--thresholds", "all"], ["--merge-labels"]):
        _, printed, said = run("fit", rows / "all.csv", "-t", "y", *asked, "--time-limit", 5)
        assert "2,000 rows:" not in printed, asked
        assert "shards" not in said, asked


def test_fit_verify_predict(rows: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model.json", tmp_path / "predictions.csv"
    code, printed, _ = run(
        "fit",
        rows / "parts",
        "-t",
        "y",
        "--shard-rows",
        500,
        "--max-depth",
        2,
        "--thresholds",
        "all",
        "--out",
        model,
    )
    assert code == 0
    assert "4 shards of these rows" in printed
    assert "2,000 rows" in printed
    content = load_model(model)
    assert content.certificate is not None
    assert content.certificate.stats["shards"] == 4
    for data in (rows / "parts", rows / "all.csv"):
        code, printed, _ = run("verify", model, data)
        assert (code, "checks hold" in printed) == (0, True), printed
    code, _, said = run("predict", model, rows / "parts", "--proba", "--out", out)
    assert (code, "Predicted 2,000 rows" in said) == (0, True)
    run("predict", model, rows / "all.csv", "--proba", "--out", tmp_path / "other.csv")
    assert out.read_text() == (tmp_path / "other.csv").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "other.csv", "predictions.csv"]


@pytest.mark.parametrize(
    "asked",
    [
        ["--cost", "sick:well=0.3", "--cost", "well:sick=0.1"],
        ["--class-weight", "sick=0.7", "--class-weight", "well=0.1"],
        ["--class-weight", "sick=3", "--cost", "well:sick=0.5", "--thresholds", "all", "--max-depth", 1],
    ],
    ids=str,
)
def test_costs_and_factors_of_labels(rows: Path, tmp_path: Path, asked: list[object]) -> None:
    models = {source: tmp_path / f"{source}.json" for source in ("parts", "all.csv")}
    asked = ["--max-depth", 2, *asked, "--cost-complexity", 0.001]
    assert run("fit", rows / "parts", "-t", "y", *asked, "--out", models["parts"])[0] == 0
    assert run("fit", rows / "all.csv", "-t", "y", *asked, "--out", models["all.csv"])[0] == 0
    pieces, whole = (load_model(model).certificate for model in models.values())
    assert pieces is not None
    assert whole is not None
    assert pieces.terms is not None
    assert whole.terms is not None
    assert (pieces.terms.costs, pieces.terms.class_weight) == (whole.terms.costs, whole.terms.class_weight)
    assert pieces.objective == pytest.approx(whole.objective, rel=0.05)  # 16 quantiles, or all thresholds
    code, printed, _ = run("verify", models["parts"], rows / "parts")
    assert (code, "checks hold" in printed) == (0, True), printed


def test_a_report_of_a_folder_says_what_can_be_done(rows: Path, tmp_path: Path) -> None:
    model, page = tmp_path / "model.json", tmp_path / "page.html"
    run("fit", rows / "parts", "-t", "y", "--max-depth", 1, "--out", model)
    for given in ([rows / "parts"], [rows / "all.csv", "--test", rows / "parts"]):
        code, _, said = run("report", model, *given, "--out", page, "--no-models")
        assert code == 2
        assert "Give one of its files" in said
        assert f"treewright verify {model} {rows / 'parts'} checks all rows." in said
        assert run("verify", model, rows / "parts")[0] == 0
    assert run("report", model, rows / "parts" / "0.parquet", "--out", page, "--no-models")[0] == 0


def test_a_changed_model_is_refused(rows: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    run("fit", rows / "all.csv", "-t", "y", "--shard-rows", 500, "--max-depth", 2, "--out", model)
    text = model.read_text()
    model.write_text(text.replace('"n_node_samples": 2000', '"n_node_samples": 2001'))
    code, printed, _ = run("verify", model, rows / "parts")
    assert code == 1
    assert "FAIL  rows in each node" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--shard-rows", 500, "--cost", "sick"), "--cost 'sick'; give NAME=NUMBER"),
        (("--shard-rows", 500, "--cost", "sick:dead=2"), "two of the labels sick, well"),
        (("--shard-rows", 500, "--class-weight", "dead=2"), "names the label 'dead'"),
        (("--jobs", 2, "--objective", "leaf-accuracy"), "--jobs is for the exact search"),
        (("--backend", "loky"), "--backend is for shards"),
        (("--shard-rows", 0), "--shard-rows 0"),
    ],
)
def test_what_does_not_go_together_is_told(rows: Path, options: tuple[object, ...], message: str) -> None:
    code, _, said = run("fit", rows / "all.csv", "-t", "y", *options)
    assert code == 2
    assert message in said


def test_one_search_takes_threads(rows: Path, tmp_path: Path) -> None:
    trees = []
    for jobs in (1, 2):
        model = tmp_path / f"{jobs}.json"
        assert (
            run("fit", rows / "all.csv", "-t", "y", "--max-depth", 2, "--jobs", jobs, "--out", model)[0] == 0
        )
        trees.append(json.loads(model.read_text())["nodes"])
    assert trees[0] == trees[1]


def test_an_ordinary_model_is_not_verified_on_a_folder(rows: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    run("fit", rows / "all.csv", "-t", "y", "--max-depth", 1, "--out", model)
    code, _, said = run("verify", model, rows / "parts")
    assert code == 2
    assert "only a model that was fitted on shards" in said


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--max-depth", "4", "--thresholds", "64"], True),
        (["--thresholds", "all"], True),
        (["--max-depth", "3"], False),
    ],
)
def test_after_a_time_limit_it_says_what_brings_a_proof(tmp_path, options, named):
    rows = np.random.default_rng(0).normal(size=(3000, 6)).round(2)
    frame = pl.DataFrame(rows, schema=list("abcdef")).with_columns(
        y=pl.Series(rows[:, 0] * rows[:, 1] > 0).cast(int)
    )
    frame.write_csv(tmp_path / "data.csv")
    fit = [
        "fit",
        str(tmp_path / "data.csv"),
        "-t",
        "y",
        "--shard-rows",
        "1000",
        "--time-limit",
        "0.01",
        "--no-progress",
    ]
    done = CliRunner().invoke(app, [*fit, *options])
    assert done.exit_code == 0, done.output
    said = done.stderr.splitlines()[-1]
    assert said.startswith("Not proven optimal.")
    assert ("--max-depth 2 --thresholds 16" in said) is named
    assert re.search(r"--time-limit \d+\.$", said), said


MEASURED = {
    "seconds_of_dealing": 8.0,
    "seconds_of_searching": 6.0,
    "shards": 30,
    "shards_lost": 24,
    "searches_stopped": 0,
}


def test_after_a_time_limit_the_advice_has_the_times_that_the_run_has_measured() -> None:
    counted = shards_module._advice(3, "auto", 5, {**MEASURED, "counted": True})
    assert (
        "with --max-depth 2 --time-limit 100 (about 38 s, judging by this run, in which reading took 8 s)"
        in counted
    )
    assert counted.endswith("With more time: --time-limit 300.")
    soon = shards_module._advice(3, "auto", 100, {**MEASURED, "counted": True, "shards_lost": 0})
    assert "with --max-depth 2 (about 14 s" in soon
    searched = shards_module._advice(4, "all", 20, {**MEASURED, "counted": False})
    assert (
        "--max-depth 2 --thresholds 16, if the columns are few enough to be counted in one pass (about 10 s, judging"
        in searched
    )
    assert "all 30 shards takes about 46 s, judging by the 6 that were searched" in searched
    assert searched.endswith("--time-limit 100.")
    assert "shards" not in shards_module._advice(
        4, "all", 20, {**MEASURED, "counted": False, "shards_lost": 30}
    )


def test_searches_that_were_stopped_say_nothing_of_the_time_that_all_take() -> None:
    for stopped, words in ((1, "1 search was"), (3, "3 searches were")):
        said = shards_module._advice(
            4, "all", 20, {**MEASURED, "counted": False, "searches_stopped": stopped}
        )
        assert f"{words} stopped before the end, so it is not known how long all 30 shards take." in said
        assert "judging by the 6" not in said
        assert said.endswith("--time-limit 300.")


def test_stopped_searches_are_counted(rows: Path) -> None:
    asked: dict[str, object] = {"max_depth": 3, "cost_complexity": 0.0, "shard_rows": 500, "progress": False}
    whole = fit_shards(rows / "parts", "y", **asked).result_.stats
    stopped = fit_shards(rows / "parts", "y", step_limit=1, **asked).result_.stats
    assert whole["searches_stopped"] == 0
    assert stopped["searches_stopped"] == stopped["searches"] == 4


def test_nothing_smaller_than_depth_two_over_few_thresholds_is_advised() -> None:
    said = shards_module._advice(2, "16", 5, {**MEASURED, "counted": True})
    assert said == "Not proven optimal. With more time: --time-limit 300."
    for depth in (1, 2):
        said = shards_module._advice(depth, "all", 20, {**MEASURED, "counted": False})
        assert "comes with --thresholds 16" in said
        assert "--max-depth" not in said


def test_a_run_that_its_time_limit_ends_measures_what_the_advice_needs(rows: Path) -> None:
    _, _, said = run(
        "fit", rows / "parts", "-t", "y", "--thresholds", "all", "--max-depth", 5, "--time-limit", 0.01
    )
    assert "--max-depth 2 --thresholds 16" in said
    assert "in which reading took" in said
