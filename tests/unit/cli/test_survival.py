"""`treewright fit --task survival`, and the other verbs with a survival tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.convert import load_model

RUN = CliRunner()
FIT = ["fit", "patients.csv", "--task", "survival", "--target", "months", "--event", "died"]


@pytest.fixture
def patients(tmp_path, monkeypatch):
    """Older patients die sooner."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 150)
    time, end = rng.exponential(np.where(age > 50, 3.0, 15.0)), rng.uniform(2, 20, 150)
    rows = zip(age, rng.choice(["m", "f"], 150), np.minimum(time, end), time <= end, strict=True)
    lines = [f"{a},{s},{t:.2f},{int(d)}" for a, s, t, d in rows]
    (tmp_path / "patients.csv").write_text("\n".join(["age,sex,months,died", *lines]) + "\n")
    return tmp_path


def run(*arguments):
    return RUN.invoke(app, list(arguments))


def test_fit_verify_predict_show_export(patients):
    done = run(*FIT, "--max-depth", "2", "-o", "m.json", "--require-proof")
    assert done.exit_code == 0, done.output
    for said in ("Proven optimal over all thresholds", "hazard ratio", "had the event; concordance"):
        assert said in done.stdout
    model = load_model("m.json")
    assert (model.certificate.terms.event, model.certificate.terms.target) == ("died", "months")
    assert [column.name for column in model.tree.columns] == ["age", "sex"]
    checked = run("verify", "m.json", "patients.csv")
    assert checked.exit_code == 0, checked.output
    answers = run("predict", "m.json", "patients.csv").stdout.split()
    assert len(set(answers[1:])) == model.tree.n_leaves
    assert "hazard ratio" in run("show", "m.json").stdout
    assert "hazard ratio" in run("export", "m.json", "--to", "python").stdout


@pytest.mark.parametrize(
    ("seen", "not_seen"),
    [("Yes", "no"), ("DEAD", "alive"), ("event", "Censored"), ("Ja", "nein"), ("verstorben", "lebt")],
)
def test_events_may_be_words(patients, seen, not_seen):
    """The same tree as of 1 and 0; any other word is refused, an unknown event too."""
    assert run(*FIT, "--max-depth", "2", "-o", "numbers.json").exit_code == 0
    head, *rows = (patients / "patients.csv").read_text().split()
    rows = [row[:-1] + (seen if row.endswith(",1") else not_seen) for row in rows]
    (patients / "patients.csv").write_text("\n".join([head, *rows]))
    done = run(*FIT, "--max-depth", "2", "-o", "words.json")
    assert done.exit_code == 0, done.output
    assert run("verify", "words.json", "patients.csv").exit_code == 0
    same = [load_model(name).tree.n_node_samples.tolist() for name in ("numbers.json", "words.json")]
    assert same[0] == same[1]
    for odd in ("perhaps", ""):
        (patients / "patients.csv").write_text("\n".join([head, *rows, f"40,m,2.5,{odd}"]))
        assert "--event died: events must be 1 or 0" in run(*FIT).stderr


def test_a_changed_event_is_found(patients):
    assert run(*FIT, "--max-depth", "1", "-o", "m.json").exit_code == 0
    rows = (patients / "patients.csv").read_text().split("\n")
    rows[1:9] = [row.rsplit(",", 1)[0] + ",1" for row in rows[1:9]]
    (patients / "patients.csv").write_text("\n".join(rows))
    checked = run("verify", "m.json", "patients.csv")
    assert checked.exit_code == 1
    assert "hazard ratio of each node" in checked.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fit", "patients.csv", "--task", "survival", "--target", "months"], "needs --event"),
        (["fit", "patients.csv", "--task", "survival", "--event", "died"], "--target"),
        (["fit", "patients.csv", "-t", "sex", "--event", "died"], "--event is for --task survival"),
        ([*FIT[:-1], "sex"], "--event sex: events must be 1 or 0, or words such as yes and no"),
        ([*FIT[:-1], "age"], "--event age: events must be 1 or 0, or words such as yes and no"),
        ([*FIT, "--cost", "a:b=1"], "takes no --cost"),
    ],
)
def test_bad_input(patients, arguments, said):
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["predict", "m.json", "patients.csv", "--proba"]],
)
def test_what_a_survival_tree_cannot_do_is_told(patients, arguments):
    assert run(*FIT, "--max-depth", "1", "-o", "m.json").exit_code == 0
    done = run(*arguments)
    assert done.exit_code == 2
    assert "survival tree" in done.stderr


def test_words_of_an_event_and_dates_as_times_are_told_with_the_way_out(patients):
    head, *rows = (patients / "patients.csv").read_text().split()
    days = [f"{k % 28 + 1:02d}/{k % 12 + 1:02d}/2019" for k in range(len(rows))]
    words = [row[:-1] + ("relapse" if row.endswith(",1") else "none") for row in rows]
    lines = [f"{row},{day}" for row, day in zip(words, days, strict=True)]
    (patients / "patients.csv").write_text("\n".join([f"{head},last_seen", *lines]))
    unknown = run(*FIT, "--ignore", "last_seen").stderr
    assert "Column 'died' holds 'relapse', 'none'" in unknown
    assert "Write 1 in the file where the event was seen" in unknown
    dates = run(
        "fit", "patients.csv", "--task", "survival", "--target", "last_seen", "--event", "died"
    ).stderr
    assert "must hold numbers, but holds dates such as" in dates
    assert "add a column with this time to the file" in dates
    (patients / "patients.csv").write_text(
        "\n".join([head, *(row.replace("relapse", "Deceased") for row in words)])
    )
    assert "'none'" in run(*FIT).stderr
    living = [row.replace("relapse", "Deceased").replace("none", "living") for row in words]
    (patients / "patients.csv").write_text("\n".join([head, *living]))
    assert run(*FIT, "--max-depth", "1").exit_code == 0


@pytest.mark.parametrize("unit", [1, 30])
def test_the_last_date_of_a_time_is_told(patients, unit):
    """Of the days, and of whole months; not of dates that have nothing to do with the time."""
    rng = np.random.default_rng(1)
    begun = np.datetime64("2015-01-01") + rng.integers(0, 1500, 150)
    days = rng.integers(30, 2500, 150)
    rows = zip(
        begun, begun + days, days // unit, rng.integers(0, 2, 150), rng.integers(20, 80, 150), strict=True
    )
    text = "\n".join(["enrolled,last_seen,months,died,age", *(",".join(map(str, row)) for row in rows)])
    (patients / "patients.csv").write_text(text)
    seen = run("look", "patients.csv", "--target", "months", "--event", "died")
    assert "last_seen is the end of a time that begins with enrolled, and months is this time" in seen.stdout
    assert "--ignore last_seen" in seen.stdout
    assert "Labels" not in seen.stdout
    assert "is the end of a time" in run(*FIT, "--max-depth", "1").stderr
    as_number = run("fit", "patients.csv", "--task", "regression", "--target", "months", "--max-depth", "1")
    assert "is the end of a time" in as_number.stderr
    assert "Nothing to decide" in run("look", "patients.csv", "--target", "age", "--event", "died").stdout


def test_codes_of_events_and_negative_times_are_told_in_words_of_the_command_line(tmp_path, monkeypatch):
    """It said "event holds 2" and "time is negative in row 3 (counted from 0)"; R codes events as 1 and 2."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{k % 7},{k % 5 - 1},{1 + k % 2},{k % 3 - 1}" for k in range(40)]
    Path("lung.csv").write_text("\n".join(["age,time,status,w", *rows]) + "\n")
    command = ["fit", "lung.csv", "--task", "survival", "--event", "status", "--target"]
    coded = run(*command, "age").stderr
    assert "--event status: events must be 1 or 0" in coded
    assert "Column 'status' holds 1, 2. " in coded
    assert "in R, 2 is often the event, and 1 is censored." in coded
    negative = run(*command, "time").stderr
    assert (
        "--target time: times must be numbers of at least 0. Column 'time' is negative in 8 rows of lung.csv"
        in negative
    )
    assert "(lines 2, 7, 12, 17, 22, ...), such as -1." in negative
    weight = run("fit", "lung.csv", "-t", "status", "--weight", "w").stderr
    assert (
        "The weight 'w' is negative in 14 rows of lung.csv (lines 2, 5, 8, 11, 14, ...), such as -1."
        in weight
    )
