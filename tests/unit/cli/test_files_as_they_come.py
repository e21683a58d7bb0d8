"""Files of everyday life: read by evidence at fit, and read again in the same way by every other verb."""

from __future__ import annotations

import csv
import gzip
import json
import time

import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.convert import load_model
from treewright.table import NumberFormat


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def write(path, rows, separator=","):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    return path


@pytest.fixture
def american(tmp_path):
    """Income in thousands with commas decides the label; small ones have none."""
    rows = [["income", "age", "sick"]]
    for k in range(60):
        income = 400 + 613 * k
        rows.append([f"{income:,}", 20 + k % 50, "no" if income < 20_000 else "yes"])
    return write(tmp_path / "us.csv", rows)


def test_american_thousands_are_not_decimal_commas(american, tmp_path):
    out = tmp_path / "m.json"
    done = run("fit", american, "-t", "sick", "-o", out)
    assert done.exit_code == 0, done.output
    assert "commas between thousands" in done.stderr
    assert 15_000 < load_model(out).tree.splits[0].threshold < 25_000
    assert load_model(out).reading.columns == {"income": NumberFormat(".", ",")}
    assert run("verify", out, american).exit_code == 0
    few = write(tmp_path / "few.csv", [["income"], ["1,200"], ["48,000"], ["300"]])
    assert run("predict", out, few).stdout.split() == ["prediction", "no", "yes", "no"]


def test_two_readings_are_both_told_in_options(tmp_path):
    data = write(tmp_path / "d.csv", [["a", "y"], ["52,000", "u"], ["48,500", "v"]], ";")
    done = run("fit", data, "-t", "y")
    assert done.exit_code == 2
    for words in ("52000", "52.000", "--decimal-comma", "--decimal-point"):
        assert words in done.stderr
    out = tmp_path / "m.json"
    for option, threshold in (("--decimal-comma", 50.25), ("--decimal-point", 50_250)):
        assert run("fit", data, "-t", "y", option, "-o", out).exit_code == 0
        assert load_model(out).tree.splits[0].threshold == threshold
        assert run("verify", out, data).exit_code == 0


def test_text_with_commas_is_the_same_at_every_verb(tmp_path):
    rows = [["street", "rate", "y"]]
    rows += [[f"Weg {k % 3}, Ulm", f"{k},5", "u" if k % 3 else "v"] for k in range(30)]
    data, out = write(tmp_path / "d.csv", rows, ";"), tmp_path / "m.json"
    done = run("fit", data, "-t", "y", "--decimal-comma", "-o", out)
    assert done.exit_code == 0, done.output
    assert "Weg 0, Ulm" in done.output
    assert run("verify", out, data).exit_code == 0
    assert run("predict", out, data).stdout.split()[1:] == [row[2] for row in rows[1:]]
    assert run("extend", out, data, "--folds", 2).exit_code == 0
    page = tmp_path / "r.html"
    assert run("report", out, data, "--no-models", "--frontier", 2, "--out", page).exit_code == 0
    table = tmp_path / "f.csv"
    frontier = run("frontier", data, "-t", "y", "--max-leaves", 3, "--leaves", 2, "-o", out, "--table", table)
    assert frontier.exit_code == 0
    assert run("verify", out, data).exit_code == 0


def test_missing_words_and_separator_are_kept(tmp_path):
    rows = [["a", "y"], *[["none" if k % 5 == 0 else k, "u" if k < 10 else "v"] for k in range(20)]]
    data, out = write(tmp_path / "d.txt", rows, "\t"), tmp_path / "m.json"
    assert run("fit", data, "-t", "y", "--missing", "none", "-o", out).exit_code == 0
    assert run("verify", out, data).exit_code == 0
    one = tmp_path / "one.csv"
    one.write_text("a\nnone\n3\n")
    assert run("predict", out, one).exit_code == 0
    one.write_text("a\nnothing\n3\n")
    assert run("predict", out, one).exit_code == 2
    assert run("predict", out, one, "--missing", "nothing").exit_code == 0


def test_dates_are_asked_by_their_parts(tmp_path):
    rows = [["since", "y"]]
    rows += [
        [f"{1 + k % 28:02d}.{1 + k % 12:02d}.{2000 + k % 20}", "old" if k % 20 < 9 else "new"]
        for k in range(60)
    ]
    data, out = write(tmp_path / "d.csv", rows, ";"), tmp_path / "m.json"
    done = run("fit", data, "-t", "y", "-o", out)
    assert done.exit_code == 0, done.output
    assert "since (year) <= 2008.5" in done.output
    assert "holds dates (day.month.year)" in done.stderr
    assert run("verify", out, data).exit_code == 0
    one = tmp_path / "one.csv"
    one.write_text("since\n01.02.2003\n31.12.2012\n")
    assert run("predict", out, one).stdout.split() == ["prediction", "old", "new"]


def test_a_model_file_without_a_reading_still_works(american, tmp_path):
    """Files of earlier releases have no such field; numbers are then read by evidence again."""
    out = tmp_path / "m.json"
    assert run("fit", american, "-t", "sick", "-o", out).exit_code == 0
    document = json.loads(out.read_text())
    del document["reading"]
    out.write_text(json.dumps(document))
    assert load_model(out).reading is None
    assert run("verify", out, american).exit_code == 0
    assert run("predict", out, american).exit_code == 0


class TestOnlyWhatTheTreeAsks:
    """Columns that no split asks about block nothing."""

    @pytest.fixture
    def fitted(self, tmp_path):
        rows = [["asked", "text", "number", "y"]]
        rows += [[k, "ab"[k % 2], k % 7, "u" if k < 20 else "v"] for k in range(40)]
        data, out = write(tmp_path / "d.csv", rows), tmp_path / "m.json"
        assert run("fit", data, "-t", "y", "-o", out).exit_code == 0
        assert load_model(out).tree.asked == {0}
        return out

    @pytest.mark.parametrize(
        "rows",
        [
            [["asked", "text", "number", "y"], [3, "new", 1, "u"], [30, "", "many", "v"]],
            [["y", "asked"], ["u", 3], ["v", 30]],
        ],
        ids=["new values", "missing columns"],
    )
    def test_predict_and_report(self, fitted, tmp_path, rows):
        new = write(tmp_path / "new.csv", rows)
        assert run("predict", fitted, new).stdout.split() == ["prediction", "u", "v"]
        done = run("verify", fitted, new)
        assert done.exit_code == 1, done.output  # other rows; the columns are no fault
        assert "ok      columns" in done.output or "columns" in done.output
        assert run("report", fitted, new, "--no-models", "--out", tmp_path / "r.html").exit_code == 0

    def test_verify_the_training_rows(self, fitted, tmp_path):
        rows = [["y", "asked"], *[["u" if k < 20 else "v", k] for k in range(40)]]
        assert run("verify", fitted, write(tmp_path / "less.csv", rows)).exit_code == 0

    def test_what_is_asked_is_needed(self, fitted, tmp_path):
        done = run("predict", fitted, write(tmp_path / "new.csv", [["text"], ["a"]]))
        assert done.exit_code == 2
        assert "'asked'" in done.stderr


class TestHostileFiles:
    @pytest.mark.clock
    def test_many_columns_are_read_in_linear_time(self, tmp_path):
        def seconds(n):
            path = tmp_path / "wide.csv"
            path.write_text(",".join(f"c{j}" for j in range(n)) + ",y\n" + (",".join("1" * n) + ",u\n") * 2)
            from treewright.table import load_csv

            started = time.process_time()
            load_csv(path, target="y")
            return time.process_time() - started

        seconds(100)  # libraries
        assert seconds(20_000) < 8 * seconds(5_000) + 0.5

    def test_a_gzip_file_that_grows_without_end_is_refused(self, tmp_path, monkeypatch):
        from treewright.table import _file_bytes

        monkeypatch.setattr(_file_bytes, "SMALL_GZIP", 1 << 20)
        path = tmp_path / "bomb.csv.gz"
        path.write_bytes(gzip.compress(b"a,y\n" + b"1,u\n" * 10**6))
        done = run("fit", path, "-t", "y")
        assert done.exit_code == 2
        assert "times its size" in done.stderr
        assert "gunzip" in done.stderr
        path.write_bytes(
            gzip.compress(b"a,y\n" + b"".join(b"%d,u\n%d,v\n" % (k, k + 7) for k in range(200_000)))
        )
        assert run("predict", path, path).exit_code == 2  # no model, but the table is not the reason
        assert "times its size" not in run("fit", path, "-t", "y", "--max-depth", 1).output


@pytest.mark.parametrize("label", ["=cmd|' /C calc'!A0", "+1+2", "-x", "@SUM(A1)", "\t=1"])
def test_labels_that_a_spreadsheet_would_run(tmp_path, label):
    rows = [["x", "y"], *[[k, label if k < 5 else "-1"] for k in range(10)]]
    data, out, page = write(tmp_path / "d.csv", rows), tmp_path / "m.json", tmp_path / "p.csv"
    assert run("fit", data, "-t", "y", "-o", out).exit_code == 0
    assert run("predict", out, data, "--out", page, "--proba").exit_code == 0
    label = label.strip()
    with open(page, newline="") as file:
        assert list(csv.reader(file))[1][0] == label
    assert run("predict", out, data, "--out", page, "--proba", "--spreadsheet-safe").exit_code == 0
    with open(page, newline="") as file:
        read = list(csv.reader(file))
    assert read[1][0] == f"'{label}"
    assert read[-1][0] == "-1"  # a number is no formula
    assert read[1][1:] == ["0.0", "1.0"] or read[1][1:] == ["1.0", "0.0"]
    assert not any(cell.startswith(("=", "+", "@")) for row in read for cell in row)
