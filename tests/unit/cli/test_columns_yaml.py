"""What `look --fix` settles holds in every later verb: encoding, separator, words written in several ways."""

from __future__ import annotations

import shlex

import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.convert import load_model


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def export(tmp_path):
    """A table as a spreadsheet writes it: cp1252 with a euro sign, semicolons, one word in several spellings."""
    path = tmp_path / "kunden.csv"
    lines = ["Wohnart;Größe (€);Status"]
    for k in range(120):
        word = ("Miete", "miete", "MIETE ", "Eigentum", "Straße", "Miete")[k % 6]
        lines.append(
            f"{word};{k * 37 % 120};{'ja' if k % 6 in (0, 1, 2, 5) and k * 37 % 120 > 40 else 'nein'}"
        )
    path.write_text("\n".join(lines), encoding="cp1252")
    return path


def test_the_encoding_that_is_advised_reads_the_euro_sign(export):
    refused = run("fit", export, "-t", "Status")
    assert refused.exit_code == 2
    assert '--encoding "cp1252"' in refused.stderr
    assert '--encoding "cp1252"' in run("look", export, "-t", "Status").stdout
    seen = run("look", export, "-t", "Status", "--encoding", "cp1252")
    assert "Größe (€)" in seen.stdout


def test_the_line_that_accepts_all_repeats_what_was_given(export, tmp_path):
    seen = run(
        "look", export, "-t", "Status", "--encoding", "cp1252", "--separator", ";", "--ignore", "Größe (€)"
    )
    line = next(line for line in seen.stdout.splitlines() if line.startswith("Accept all: treewright "))
    words = shlex.split(line.removeprefix("Accept all: treewright "))
    assert words[-1] == "Wohnart"
    assert {"cp1252", ";", "Größe (€)"} < set(words)
    out = tmp_path / "m.json"
    done = run(*words, "-o", out)
    assert done.exit_code == 0, done.output
    (column,) = load_model(out).tree.columns
    assert column.categories == ("Eigentum", "Miete", "Straße")


def test_words_and_encoding_of_the_file_of_settings_hold_in_every_verb(export, tmp_path):
    settings, out = tmp_path / "columns.yaml", tmp_path / "m.json"
    assert run("look", export, "-t", "Status", "--encoding", "cp1252", "--fix").exit_code == 0
    assert "encoding: cp1252" in settings.read_text(encoding="utf-8")
    assert "Nothing to decide" in run("look", export, "-t", "Status", "--columns", settings).stdout
    done = run("fit", export, "-t", "Status", "--columns", settings, "-o", out)
    assert done.exit_code == 0, done.output
    model = load_model(out)
    assert model.tree.columns[0].categories == ("Eigentum", "Miete", "Straße")
    assert model.reading.words == {"Wohnart": {"MIETE": "Miete", "miete": "Miete"}}
    for given in ([], ["--columns", settings]):  # the model file alone knows it as well
        assert run("verify", out, export, *given).exit_code == 0
    new = tmp_path / "new.csv"
    new.write_text("Wohnart,Größe (€)\nMIETE,100\nmiete,100\nMiete,100\nEigentum,100\n", encoding="cp1252")
    answers = run("predict", out, new).stdout.splitlines()
    assert answers == ["prediction", "ja", "ja", "ja", "nein"]


def test_words_are_merged_in_columns_of_words_only(export):
    done = run("fit", export, "-t", "Status", "--encoding", "cp1252", "--merge-words", "Größe (€)")
    assert done.exit_code == 2
    assert "holds no words" in done.stderr
    assert (
        "Did you mean 'Wohnart'"
        in run(*("fit", export, "-t", "Status", "--encoding", "cp1252", "--merge-words", "Wohnrt")).stderr
    )


@pytest.mark.parametrize("field", ["words: [a]", "words: {a: [b]}"])
def test_settings_of_words_that_are_wrong_are_named(export, tmp_path, field):
    settings = tmp_path / "columns.yaml"
    settings.write_text(f"columns: {{Wohnart: {{{field}}}}}\n")
    done = run("fit", export, "-t", "Status", "--columns", settings)
    assert done.exit_code == 2
    assert "column 'Wohnart', words" in done.stderr


def test_a_column_that_only_the_settings_know_is_told_with_their_file(tmp_path):
    (tmp_path / "data.csv").write_text("size,y\n" + "".join(f"{k},{k % 2}\n" for k in range(20)))
    for entry in ("{use: category}", "{use: ignore}", "{missing: ['9']}", "{words: {a: b}}"):
        (tmp_path / "columns.yaml").write_text(f"columns:\n  sise: {entry}\n")
        fit = ["fit", str(tmp_path / "data.csv"), "-t", "y", "--columns", str(tmp_path / "columns.yaml")]
        done = CliRunner().invoke(app, fit)
        assert done.exit_code == 2
        assert "has no column 'sise'. Did you mean 'size'?" in done.stderr
        assert "The name stands in columns.yaml: correct it there, or take its entry out." in done.stderr
    told = CliRunner().invoke(app, ["fit", str(tmp_path / "data.csv"), "-t", "y", "--ignore", "sise"]).stderr
    assert "columns.yaml" not in told


@pytest.mark.parametrize(
    ("command", "columns"),
    [
        (("--task", "regression", "--target", "a"), ("a",)),
        (("--task", "regression", "--target", "a,b"), ("a", "b")),
        (("--task", "survival", "--target", "a", "--event", "seen"), ("a",)),
        (("--task", "policy", "--reward", "a", "--reward", "b"), ("a", "b")),
        (("--target", "seen", "--row-cost", "1=a", "--row-cost", "0=b"), ("a", "b")),
    ],
)
@pytest.mark.parametrize(("mark", "other"), [("comma", "point"), ("point", "comma")])
def test_the_decimal_mark_of_an_outcome_is_that_of_the_file_of_settings(
    tmp_path, command, columns, mark, other
):
    """`2,125` alone may be either; `fit`, `verify` and `report` read it alike."""
    data, settings, out = tmp_path / "d.csv", tmp_path / "columns.yaml", tmp_path / "m.json"
    rows = [f"{k % 7};{1 + k % 3},{125 + k};{4 - k % 3},{250 + k};{k % 2}" for k in range(60)]
    data.write_text("\n".join(["x;a;b;seen", *rows]), encoding="utf-8")
    settings.write_text(f"columns: {{a: {{decimal: {mark}}}, b: {{decimal: {mark}}}}}", encoding="utf-8")
    left_out = [name for name in ("a", "b", "seen") if name not in columns and name not in command]
    ignored = [word for name in left_out for word in ("--ignore", name)]
    done = run("fit", data, *command, *ignored, "--max-depth", 1, "--columns", settings, "-o", out)
    assert done.exit_code == 0, done.output
    checked = run("verify", out, data, "--columns", settings)
    assert checked.exit_code == 0, checked.output
    assert run("report", out, data, "--columns", settings, "--out", tmp_path / "r.html").exit_code == 0
    assert run("verify", out, data).exit_code == 2  # nothing says which of the two it is
    settings.write_text(settings.read_text(encoding="utf-8").replace(mark, other), encoding="utf-8")
    scale_free = "survival" in command  # a hazard ratio is the same in days and in thousands of days
    assert run("verify", out, data, "--columns", settings).exit_code == (0 if scale_free else 1)


def test_a_code_for_missing_in_the_target_is_that_of_the_file_of_settings(tmp_path):
    """A fit that took -9 for a number is one that `verify` with the same settings refuses to check."""
    data, settings = tmp_path / "d.csv", tmp_path / "columns.yaml"
    data.write_text("\n".join(["x,y", *(f"{k % 5},{-9 if k == 3 else k}.5" for k in range(40))]))
    settings.write_text('columns: {y: {missing: ["-9.5"]}}', encoding="utf-8")
    done = run("fit", data, "--task", "regression", "-t", "y", "--columns", settings)
    assert done.exit_code == 2
    assert "'y'" in done.stderr
    assert "missing" in done.stderr


@pytest.mark.parametrize("folder", [False, True])
def test_the_order_that_the_dates_decided_at_the_fit_goes_before_the_file_of_settings(tmp_path, folder):
    data, new, settings, out = (tmp_path / name for name in ("a.csv", "new.csv", "columns.yaml", "m.json"))
    rows = [(month, month + 12) for month in range(1, 13) for _ in range(4)]
    data.write_text("day,y\n" + "".join(f"{m}/{d}/2020,{'a' if m > 6 else 'b'}\n" for m, d in rows))
    settings.write_text("dates: day-first\n")  # of another column, or a mistake
    assert run("fit", data, "-t", "y", "--columns", settings, "-o", out).exit_code == 0
    assert run("verify", out, data, "--columns", settings).exit_code == 0
    new.write_text("day\n1/7/2020\n7/1/2020\n")  # nothing here decides it
    if folder:
        (tmp_path / "folder").mkdir()
        new = new.rename(tmp_path / "folder" / "new.csv").parent
    said = run("predict", out, new, "--columns", settings)
    assert said.stdout.split() == ["prediction", "b", "a"]
