"""The verbs, their exit codes and their messages."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright import OptimalTreeClassifier
from treewright.cli import app
from treewright.cli._wording import effort
from treewright.convert import load_model, save_model
from treewright.datasets import tic_tac_toe
from treewright.result import SolveStatus, StopReason

PROGRAM = [sys.executable, "-c", "from treewright.cli import main; main()"]


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def write_csv(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


@pytest.fixture
def data(tmp_path):
    """Numbers, categories, 0/1, missing values; weights; text labels."""
    rng = np.random.default_rng(0)
    rows = [["id", "age", "colour", "smoker", "w", "sick"]]
    for k in range(200):
        age = int(rng.integers(20, 80))
        colour = str(rng.choice(["red", "green", "blue"]))
        smoker = int(rng.integers(0, 2))
        sick = (age > 50 and smoker) or (colour == "red" and age > 35)
        if rng.random() < 0.05:
            sick = not sick
        rows.append(
            [
                k,
                "" if rng.random() < 0.1 else age,
                colour,
                smoker,
                int(rng.integers(1, 4)),
                "yes" if sick else "no",
            ]
        )
    return write_csv(tmp_path / "data.csv", rows)


@pytest.fixture
def model(data, tmp_path):
    out = tmp_path / "model.json"
    result = run("fit", data, "--target", "sick", "--ignore", "id", "--ignore", "w", "-c", 0.02, "--out", out)
    assert result.exit_code == 0, result.output
    return out


def test_fit_prints_tree_and_certificate_and_saves_them(data, model):
    result = run("fit", data, "-t", "sick", "-x", "id", "-x", "w", "-c", 0.02)
    assert result.exit_code == 0
    assert "Proven optimal over" in result.output
    assert "→ yes" in result.output
    loaded = load_model(model)
    assert loaded.result.status is SolveStatus.OPTIMAL
    assert loaded.certificate.terms.target == "sick"
    assert loaded.result.sentence() in result.output


def test_fit_equals_the_estimator(data, model):
    import polars as pl

    frame = pl.read_csv(data).drop("id", "w", "sick")
    labels = pl.read_csv(data)["sick"].to_numpy()
    estimator = OptimalTreeClassifier(0.02).fit(frame, labels)
    tree = load_model(model).tree
    assert estimator.result_.objective == load_model(model).result.objective
    np.testing.assert_array_equal(estimator.tree_.value, tree.value)
    assert [c.name for c in estimator.tree_.columns] == [c.name for c in tree.columns]


def test_predict(data, model, tmp_path):
    rows = read_rows(data)
    shuffled = write_csv(tmp_path / "new.csv", [[row[k] for k in (3, 2, 1)] for row in rows])  # other order
    result = run("predict", model, shuffled, "--proba", "--leaf")
    assert result.exit_code == 0, result.output
    predicted = list(csv.DictReader(result.stdout.splitlines()))
    assert len(predicted) == 200
    wrong = sum(p["prediction"] != row[5] for p, row in zip(predicted, rows[1:], strict=True))
    assert wrong / 200 == pytest.approx(load_model(model).result.loss)
    tree = load_model(model).tree
    assert {int(row["leaf"]) for row in predicted} == set(
        range(1, tree.n_leaves + 1)
    )  # as the report counts them
    for row in predicted:
        share = {label: float(row[f"probability of {label}"]) for label in ("no", "yes")}
        assert sum(share.values()) == pytest.approx(1.0)
        assert max(share, key=share.get) == row["prediction"]
    out = tmp_path / "predictions.csv"
    assert run("predict", model, data, "--out", out).exit_code == 0
    assert out.read_text().split() == ["prediction", *(p["prediction"] for p in predicted)]


def test_predict_refuses_what_the_tree_has_never_seen(data, model, tmp_path):
    new = write_csv(tmp_path / "new.csv", [["age", "colour", "smoker"], [30, "violet", 1]])
    result = run("predict", model, new)
    assert result.exit_code == 2
    assert "violet" in result.stderr
    new = write_csv(tmp_path / "new.csv", [["age", "smoker"], [30, 1]])
    result = run("predict", model, new)
    assert result.exit_code == 2
    assert "lacks columns that the tree needs: 'colour'" in result.stderr


def test_show_text_dot_and_pictures(model, tmp_path):
    text = run("show", model)
    assert text.exit_code == 0
    assert "Proven optimal" in text.output
    assert run("show", model, "--ascii").output.split("Proven")[0].isascii()
    dot = run("show", model, "--format", "dot")
    assert dot.output.startswith("digraph Tree {")
    heads = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "dot": b"digraph", "txt": "├".encode()}
    for suffix, head in heads.items():
        out = tmp_path / f"tree.{suffix}"
        result = run("show", model, "--out", out)
        assert result.exit_code == 0, result.output
        assert out.read_bytes().startswith(head)
    assert run("show", model, "--format", "png").exit_code == 2
    assert run("show", model, "--format", "gif").exit_code == 2
    assert run("show", model, "--out", tmp_path / "tree.gif").exit_code == 2
    assert run("show", model, "--orientation", "up", "--out", tmp_path / "tree.png").exit_code == 2


def test_without_matplotlib_show_names_the_extra_and_the_formats_that_need_none(model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("show", model, "--out", tmp_path / "tree.png")
    assert result.exit_code == 2
    assert "pip install 'treewright[plot]'" in result.stderr
    assert "--format text and --format dot work" in result.stderr


def test_verify_accepts_the_truth_and_finds_a_lie(data, model, tmp_path):
    result = run("verify", model, data)
    assert result.exit_code == 0, result.output
    assert "Verified: 21 of 21" in result.output
    document = json.loads(model.read_text())
    document["certificate"]["objective"] *= 0.9
    lie = tmp_path / "lie.json"
    lie.write_text(json.dumps(document))
    result = run("verify", lie, data)
    assert result.exit_code == 1
    assert "FAIL" in result.output
    assert "NOT verified" in result.output
    rows = read_rows(data)
    rows[5][5] = "yes" if rows[5][5] == "no" else "no"
    other = write_csv(tmp_path / "other.csv", rows)
    assert run("verify", model, other).exit_code == 1


@pytest.mark.parametrize(
    "options",
    [
        ["--objective", "balanced_accuracy"],
        ["--class-weight", "balanced"],
        ["--class-weight", "yes=2.5"],
        ["--cost", "yes:no=5"],
        ["--weight", "w", "--min-samples-leaf", "0.05"],
        ["--max-depth", "2", "--max-leaf-nodes", "3", "--thresholds", "8"],
        ["--categorical", "smoker", "--missing", "red"],
    ],
    ids=" ".join,
)
def test_every_question_is_kept_in_the_file_and_verified(data, tmp_path, options):
    out = tmp_path / "model.json"
    ignored = ["-x", "id"] if "--weight" in options else ["-x", "id", "-x", "w"]
    result = run("fit", data, "-t", "sick", *ignored, "-c", 0.02, *options, "-o", out)
    assert result.exit_code == 0, result.output
    result = run("verify", out, data)
    assert result.exit_code == 0, result.output


def test_verify_a_tree_without_certificate(data, tmp_path):
    import polars as pl

    frame = pl.read_csv(data).select("age", "colour", "smoker")
    estimator = OptimalTreeClassifier(0.02).fit(frame, pl.read_csv(data)["sick"].to_numpy())
    save_model(tmp_path / "bare.json", estimator.tree_)
    result = run("verify", tmp_path / "bare.json", data)
    assert result.exit_code == 2
    assert "--target" in result.stderr
    result = run("verify", tmp_path / "bare.json", data, "--target", "sick")
    assert result.exit_code == 0, result.output
    assert "only the tree itself" in result.output


def test_integer_labels(tmp_path):
    rows = [["x", "y"], *([k, int(k > 3)] for k in range(10))]
    data = write_csv(tmp_path / "data.csv", rows)
    assert run("fit", data, "-t", "y", "-o", tmp_path / "m.json").exit_code == 0
    assert load_model(tmp_path / "m.json").tree.classes.tolist() == [0, 1]
    assert run("verify", tmp_path / "m.json", data).exit_code == 0


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["-t", "absent"], "absent"),
        (["-t", "sick", "-c", "-1"], "--cost-complexity -1"),
        (["-t", "sick", "--max-depth", "-1"], "--max-depth -1"),
        (["-t", "sick", "--min-samples-leaf", "many"], "min-samples-leaf"),
        (["-t", "sick", "--thresholds", "some"], "thresholds"),
        (["-t", "sick", "--objective", "beauty"], "objective"),
        (["-t", "sick", "--class-weight", "yes"], "NAME=NUMBER"),
        (["-t", "sick", "--class-weight", "maybe=2"], "maybe"),
        (["-t", "sick", "--cost", "yes:perhaps=2"], "TRUE:PREDICTED"),
        (["-t", "sick", "--weight", "colour"], "colour"),
        (["-t", "sick", "--time-limit", "0"], "--time-limit"),
        (["-t", "sick", "--encoding", "klingon"], "klingon"),
        (["-t", "sick", "-o", "/no/such/folder/model.json"], "Cannot write"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_code_two_and_says_what_to_do(data, args, says):
    result = run("fit", data, *args)
    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


def test_usage_errors_are_code_two(data):
    assert run("fit", data).exit_code == 2
    assert run("fly").exit_code == 2
    assert run("fit", data, "-t", "sick", "--max-depth", "deep").exit_code == 2


def test_unwritable_output_is_found_before_the_search(data, tmp_path, monkeypatch):
    def search(*args, **kwargs):
        raise AssertionError("the search must not start")

    monkeypatch.setattr("treewright.search.solve", search)
    assert run("fit", data, "-t", "sick", "-o", tmp_path).exit_code == 2
    assert run("fit", data, "-t", "sick", "-o", tmp_path / "absent" / "m.json").exit_code == 2


def test_a_decimal_comma_is_found_kept_and_used_again(tmp_path):
    data = tmp_path / "semi.csv"
    data.write_text("a;y\n1,5;x\n2,5;z\n3,5;z\n")
    out = tmp_path / "m.json"
    result = run("fit", data, "-t", "y", "-o", out)
    assert result.exit_code == 0
    assert "a decimal comma: '1,5' is 1.5" in result.stderr
    assert load_model(out).tree.splits[0].threshold == 2.0
    assert run("verify", out, data).exit_code == 0
    assert run("predict", out, data).stdout.split() == ["prediction", "x", "z", "z"]


def test_damaged_files(data, model, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text(model.read_text()[:-40])
    for verb in (
        ["show", bad],
        ["predict", bad, data],
        ["verify", bad, data],
        ["show", tmp_path / "absent.json"],
    ):
        result = run(*verb)
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: ")
    assert run("fit", tmp_path / "absent.csv", "-t", "y").exit_code == 2


def test_require_proof(tmp_path):
    data = write_hard_csv(tmp_path)
    out = tmp_path / "model.json"
    args = ["fit", data, "-t", "y", "-c", 0.001, "--step-limit", 200, "-o", out]
    result = run(*args)
    assert result.exit_code == 0
    assert "Not proven optimal" in result.output
    assert "Not proven optimal" in result.stderr
    assert run(*args, "--require-proof").exit_code == 1
    loaded = load_model(out).result
    assert loaded.status is SolveStatus.FEASIBLE
    assert loaded.stop_reason is StopReason.STEP_LIMIT
    assert run("verify", out, data).exit_code == 0


def test_help_has_examples_and_exit_codes():
    for verb in ("fit", "predict", "show", "verify", "reborn"):
        result = run(verb, "--help")
        assert result.exit_code == 0
        assert f"\n    treewright {verb} " in result.output  # an example on a line of its own
        assert "Exit codes: 0" in result.output
    assert "130  interrupted" in run("--help").output
    assert run("--version").output.startswith("treewright ")


def test_demo():
    result = run("demo", "--time-limit", 3)
    assert result.exit_code == 0, result.output
    assert "tic-tac-toe" in result.output
    assert (
        len(re.findall(r"(\d+) of \1 checks hold", result.output)) == 3
    )  # 19, and more of a search that was stopped
    lines = [line.split() for line in result.output.splitlines()]
    ours = [float(line[3]) for line in lines if line[:1] == ["treewright"]]
    cart = [float(line[4]) for line in lines if line[:1] == ["CART"]]
    assert len(ours) == len(cart) == 3
    assert all(a <= b for a, b in zip(ours, cart, strict=True))


def write_hard_csv(folder, n_rows=1500, n_columns=60):
    """Random labels on many 0/1 columns: no search ends soon."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (n_rows, n_columns + 1)).tolist()
    return write_csv(folder / "hard.csv", [[*(f"b{j}" for j in range(n_columns)), "y"], *rows])


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.clock
def test_interrupt_saves_the_incumbent(tmp_path):
    data, out = write_hard_csv(tmp_path), tmp_path / "model.json"
    process = subprocess.Popen(
        [*PROGRAM, "fit", str(data), "-t", "y", "-c", "0.0005", "--time-limit", "120", "-o", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert any("Searching" in process.stderr.readline() for _ in range(4))
    time.sleep(2.5)  # longer than a progress bar would wait
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "Interrupted. The best tree found so far is saved" in stderr
    assert "Traceback" not in stderr
    assert "searching" not in stderr  # not a terminal, so no bar
    assert load_model(out).result.stop_reason is StopReason.INTERRUPT
    assert "interrupted" in stdout
    assert run("verify", out, data).exit_code == 0


def test_exit_codes_of_the_real_program(data, model, tmp_path):
    def code(*args):
        done = subprocess.run([*PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        return done.returncode

    assert code("verify", model, data) == 0
    assert code("show", tmp_path / "absent.json") == 2
    document = json.loads(model.read_text())
    document["certificate"]["loss"] += 0.1
    (tmp_path / "lie.json").write_text(json.dumps(document))
    assert code("verify", tmp_path / "lie.json", data) == 1


@pytest.mark.skipif(os.name != "posix", reason="pipes through head")
def test_a_reader_that_leaves_is_no_error(data, model):
    rows = read_rows(data)
    write_csv(data, [rows[0], *(rows[1:] * 300)])
    program = subprocess.Popen(
        [*PROGRAM, "predict", str(model), str(data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    program.stdout.readline()
    program.stdout.close()
    error = program.stderr.read()
    program.stderr.close()
    assert program.wait(timeout=60) == 0, error
    assert error == b""


def test_a_terminal_without_box_lines_gets_ascii(model):
    done = subprocess.run(
        [*PROGRAM, "show", str(model)],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert b"|- " in done.stdout


def test_import_is_light():
    heavy = ("matplotlib", "torch", "sklearn", "pandas", "polars", "scipy", "numpy")
    code = f"import sys, treewright.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_demo_data_can_be_fitted_from_a_file(tmp_path):
    data = tic_tac_toe()
    letters = [
        [column.categories[int(code)] for column, code in zip(data.table.columns, row, strict=True)]
        for row in data.table.X
    ]
    path = write_csv(
        tmp_path / "t.csv",
        [[*data.table.names, "y"], *([*row, label] for row, label in zip(letters, data.y, strict=True))],
    )
    out = tmp_path / "m.json"
    assert run("fit", path, "-t", "y", "-c", 0.02, "-o", out).exit_code == 0
    assert run("verify", out, path).exit_code == 0


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_progress_bar_on_long_runs_in_a_terminal_only(tmp_path):
    import fcntl
    import pty
    import struct
    import termios

    data = write_hard_csv(tmp_path)
    args = [
        *PROGRAM,
        "fit",
        str(data),
        "-t",
        "y",
        "-c",
        "0.0005",
        "--time-limit",
        "8",
    ]  # on a busy machine seconds go into reading
    terminal, stderr = pty.openpty()
    fcntl.ioctl(stderr, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))  # rows, columns
    process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=stderr)
    os.close(stderr)
    parts: list[bytes] = []

    def read_terminal() -> None:  # all the time, or the command waits for room in the terminal
        try:
            while part := os.read(terminal, 100_000):
                parts.append(part)
        except OSError:  # the command has closed its end
            pass

    reader = threading.Thread(target=read_terminal)
    reader.start()
    try:
        out, _ = process.communicate(timeout=120)
    finally:
        process.kill()
        reader.join()
        os.close(terminal)
    seen = b"".join(parts).decode(errors="replace")
    assert process.returncode == 0
    assert "searching" in seen
    assert "gap" in seen
    assert b"searching" not in out


def test_the_effort_is_said_in_good_grammar():
    assert effort({"seconds": 0.5, "subproblems": 1}) == "Search: 0.500 s, 1 subproblem."
    assert effort({"seconds": 1.25, "subproblems": 1234}) == "Search: 1.250 s, 1,234 subproblems."


@pytest.mark.parametrize("spelling", ["balanced-accuracy", "balanced_accuracy"])
def test_an_objective_is_spelt_as_options_are_or_as_in_python(tmp_path, spelling):
    rows = [["x", "y"], *[[k, int(k > 3)] for k in range(6)]]
    model = tmp_path / "model.json"
    found = run("fit", write_csv(tmp_path / "d.csv", rows), "-t", "y", "--objective", spelling, "-o", model)
    assert found.exit_code == 0, found.output
    assert load_model(model).certificate.terms.objective == "balanced_accuracy"


@pytest.mark.parametrize("option", [("--criterion", "accuracy"), ("--confidence", "0.9")])
def test_options_of_the_worst_leaf_are_refused_without_it(tmp_path, option):
    rows = [["x", "y"], *[[k, int(k > 3)] for k in range(6)]]
    found = run("fit", write_csv(tmp_path / "d.csv", rows), "-t", "y", *option)
    assert found.exit_code == 2
    assert f"{option[0]} is for --objective leaf-accuracy" in found.output


def test_the_best_worst_leaf_is_saved_as_such_and_verifies(data, tmp_path):
    out = tmp_path / "model.json"
    options = ("--objective", "leaf-accuracy", "--max-depth", 2, "--min-samples-leaf", 20, "--ignore", "id")
    done = run("fit", data, "-t", "sick", *options, "-o", out)
    assert done.exit_code == 0, done.output
    assert "lower confidence bound of the worst leaf" in done.output
    assert load_model(out).certificate.terms.min_samples_leaf == 20
    assert run("verify", out, data).exit_code == 0


@pytest.mark.parametrize("option", [("-c", "0.01"), ("--max-leaf-nodes", "3"), ("--cost", "yes:no=2")])
def test_the_best_worst_leaf_has_no_use_for_prices_and_costs(data, option):
    done = run("fit", data, "-t", "sick", "--objective", "leaf-accuracy", *option)
    assert done.exit_code == 2
    assert "leave them out" in done.output
