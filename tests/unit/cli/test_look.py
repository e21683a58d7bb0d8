"""`treewright look`, its file of settings, and the lines before each fit."""

from __future__ import annotations

import csv

import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.convert import load_model


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def messy(tmp_path):
    rows = [["Kunden-Nr.", "PLZ", "Einkommen", "Alter", "Status"]]
    for k in range(120):
        pay = 400 + 613 * (k * 37 % 120)
        rows.append(
            [100000 + k, f"{k % 40:05d}", f"{pay:,}".replace(",", ".") + " €", -999 if k % 11 == 0 else 20 + k % 50,
             "schlecht" if pay < 20_000 else "gut"]
        )  # fmt: skip
    path = tmp_path / "kunden.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    return path


def test_all_proposals_by_one_word(messy, tmp_path):
    seen = run("look", messy, "-t", "Status")
    assert seen.exit_code == 0, seen.output
    options = "--ignore Kunden-Nr. --categorical PLZ --missing Alter=-999"
    assert f"Accept all: treewright fit {messy} --target Status {options}" in seen.stdout
    fixed = run("look", messy, "-t", "Status", "--fix")
    settings = tmp_path / "columns.yaml"
    assert f"--columns {settings}" in fixed.stdout
    out = tmp_path / "m.json"
    done = run("fit", messy, "-t", "Status", "--columns", settings, "-o", out)
    assert done.exit_code == 0, done.output
    columns = {column.name: column for column in load_model(out).tree.columns}
    assert set(columns) == {"PLZ", "Einkommen", "Alter"}
    assert columns["PLZ"].categories[7] == "00007"
    assert columns["Alter"].has_missing
    assert run("verify", out, messy).exit_code == 0
    same = run("fit", messy, "-t", "Status", *options.split())
    assert load_model(out).result.sentence() in same.output


def test_lines_before_a_fit(messy):
    done = run("fit", messy, "-t", "Status", "--max-depth", 1)
    lines = done.stderr.splitlines()
    assert lines[0] == "kunden.csv: 120 rows; numbers: 4 (Kunden-Nr., PLZ, Einkommen, Alter)."
    assert lines[1] == "Labels in Status: gut 88, schlecht 32."
    assert "the unit €" in lines[2]
    assert lines[3].startswith(
        "To look at: Einkommen alone tells Status in every row (up to 19403 against above)"
    )
    assert f"treewright look {messy} --target Status" in lines[3]
    assert done.output.count("the unit €") == 1


@pytest.mark.parametrize("args", [["--out", "x.yaml"], ["--target", "nothing"]])
def test_bad_input(messy, args):
    assert run("look", messy, *args).exit_code == 2


def test_settings_that_are_wrong_are_named(messy, tmp_path):
    path = tmp_path / "columns.yaml"
    path.write_text("columns: {PLZZ: {use: category}}\n")
    done = run("fit", messy, "-t", "Status", "--columns", path)
    assert done.exit_code == 2
    assert "Did you mean 'PLZ'" in done.stderr


@pytest.mark.parametrize(
    ("given", "said", "unsaid"),
    [
        ([], ["--max-depth 4", "--thresholds 16", "--cost-complexity 0.0002"], []),
        (["--max-depth", 2], ["--thresholds 16"], ["--max-depth"]),
        (["--max-depth", 3, "--thresholds", 4], ["--max-depth 2"], ["--thresholds"]),
    ],
)
def test_advice_fits_what_was_given(tmp_path, given, said, unsaid):
    rows = [
        ["a", "b", "c", "y"],
        *[[k * k % 97, k * 31 % 89, k * 7 % 83, k * k * k % 7 % 2] for k in range(600)],
    ]
    path = tmp_path / "hard.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    done = run("fit", path, "-t", "y", "-c", 0.0001, "--step-limit", 1, *given)
    assert done.exit_code == 0, done.output
    advice = done.stderr.splitlines()[-1]
    begins = "Not proven optimal. A proof, of a smaller problem, is likely to come sooner with"
    assert advice.startswith(begins), done.output
    assert all(option in advice for option in said)
    assert not any(option in advice for option in unsaid)


@pytest.mark.parametrize("how", ["option", "file"])
def test_spellings_of_a_label_become_one_class(tmp_path, how):
    rows = [
        ["x", "y"],
        *[[7 * k, ("Bad", "BAD", "bad ", "Bad")[k % 4] if k < 20 else "good"] for k in range(40)],
    ]
    path, out = tmp_path / "d.csv", tmp_path / "m.json"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert "--merge-labels" in run("look", path, "-t", "y").stdout
    given = ["--merge-labels"]
    if how == "file":
        assert run("look", path, "-t", "y", "--fix").exit_code == 0
        given = ["--columns", tmp_path / "columns.yaml"]
    assert run("fit", path, "-t", "y", "-o", out).exit_code == 0
    assert load_model(out).tree.classes.tolist() == ["BAD", "Bad", "bad", "good"]
    assert run("fit", path, "-t", "y", *given, "--ignore", "nothing").exit_code == 2
    done = run("fit", path, "-t", "y", *given, "-o", out)
    assert done.exit_code == 0, done.output
    assert load_model(out).tree.classes.tolist() == ["Bad", "good"]
    assert run("verify", out, path).exit_code == 0
    assert run("report", out, path, "--no-models", "--out", tmp_path / "r.html").exit_code == 0


HAND_WRITTEN = """about: {owner: Ada}
missing: ["-77"]
columns:
  Kunden-Nr.: {use: quantity, description: first come first}
  Einkommen: {unit: euros, words: {x: y}, missing: ["-5"]}
labels: {GUT: gut}
label-names: {gut: paid}
"""


def test_fix_writes_over_no_settings_that_it_has_not_read(messy, tmp_path):
    settings = tmp_path / "columns.yaml"
    settings.write_text(HAND_WRITTEN)
    done = run("look", messy, "-t", "Status", "--fix")
    assert done.exit_code == 2
    assert f"Add --columns {settings}" in " ".join(done.stderr.split())
    assert settings.read_text() == HAND_WRITTEN
    other = tmp_path / "other.yaml"
    assert run("look", messy, "-t", "Status", "--fix", "--out", other).exit_code == 0
    assert run("look", messy, "-t", "Status", "--fix", "--out", other, "--columns", settings).exit_code == 2


def test_fix_keeps_all_that_the_settings_hold(messy, tmp_path):
    from dataclasses import replace

    from treewright.table import read_settings

    settings = tmp_path / "columns.yaml"
    settings.write_text(HAND_WRITTEN)
    before = read_settings(settings)
    done = run("look", messy, "-t", "Status", "--fix", "--columns", settings)
    assert done.exit_code == 0, done.output
    after = read_settings(settings)
    assert after == replace(
        before, categorical=("PLZ",), missing_in={**before.missing_in, "Alter": ("-999",)}
    )
    assert after.quantity == ("Kunden-Nr.",)
    again = run("look", messy, "-t", "Status", "--fix", "--columns", settings)
    assert again.exit_code == 0, again.output
    assert read_settings(settings) == after


@pytest.mark.parametrize(
    "text",
    [
        "# Settings of the columns: use is quantity, category or ignore.\ncolumns:\n  PLZ: {use: category}  # mail\n",
        "# asked Ada in May\nmissing: ['-7']\n",
    ],
)
def test_fix_loses_no_comments(messy, tmp_path, text):
    settings = tmp_path / "columns.yaml"
    settings.write_text(text)
    done = run("look", messy, "-t", "Status", "--fix", "--columns", settings)
    assert done.exit_code == 2
    assert "holds comments" in " ".join(done.stderr.split())
    assert settings.read_text() == text


def test_a_quantity_by_a_word_is_no_longer_asked_about(tmp_path):
    rows = [f"{100 + k},{k % 9} trips,{k % 2}" for k in range(40)]
    data = tmp_path / "data.csv"
    data.write_text("\n".join(["id,term,y", *rows]) + "\n")
    settings = tmp_path / "settled.yaml"
    settings.write_text("columns: {id: {use: quantity}, term: {use: quantity}}\n")
    seen = run("look", data, "-t", "y", "--columns", settings)
    assert "id differs" not in seen.stdout
    assert "numbers with 'trips' behind them" in seen.stdout
    assert "--ignore" not in seen.stdout
    again = run("look", data, "-t", "y", "--columns", settings, "--ignore", "id", "--fix", "--out", settings)
    assert again.exit_code == 0, again.output
    assert settings.read_text().splitlines()[1:] == [
        "columns:",
        "  id: {use: ignore}",
        "  term: {use: quantity}",
    ]


def test_words_settled_twice_are_all_kept():
    from treewright.cli._kept_settings import with_kept
    from treewright.table import Settings

    kept = Settings(words={"town": {"ULM": "Ulm", "BERN": "bern"}})
    both = with_kept(Settings(words={"town": {"bern": "Bern"}}), kept)
    assert both.words == {"town": {"bern": "Bern", "ULM": "Ulm", "BERN": "Bern"}}


def test_what_no_option_settles_is_said_behind_the_command(messy, tmp_path):
    """A person who accepts all and fits would run into it."""
    lines = messy.read_text("utf-8").splitlines()
    lines[3] = lines[3].rpartition(";")[0] + ";"
    messy.write_text("\n".join(lines) + "\n", "utf-8")
    for more in ((), ("--fix",)):
        said = run("look", messy, "-t", "Status", *more).stdout
        assert "1. The target 'Status' is missing in 1 row of kunden.csv (line 4)." in said
        assert said.splitlines()[-1] == "But first, in the file itself: point 1 above."


def test_the_decimal_mark_of_one_column(tmp_path):
    """Amounts of another country in a file of decimal commas were read as 92.486, with one line among many."""
    data, out = tmp_path / "loans.csv", tmp_path / "m.json"
    rows = "".join(f"${20 + 7 * k},{100 + k};{k % 9},5;{'uv'[k > 8]}\n" for k in range(17))
    data.write_text(f"limit;rate;y\n{rows}")
    assert "--decimal limit=point, or =comma" in run("look", data, "-t", "y").output.replace("\n", " ")
    for given in (("--decimal", "limit"), ("--decimal", "limit=7"), ("--decimal", "other=point")):
        assert run("fit", data, "-t", "y", *given).exit_code == 2
    done = run("fit", data, "-t", "y", "--decimal", "limit=point", "-o", out)
    assert "limit <= 79608" in done.stdout
    seen = run("look", data, "-t", "y", "--decimal", "limit=point", "--fix")
    assert seen.exit_code == 0
    assert "limit: {decimal: point}" in (tmp_path / "columns.yaml").read_text()
    done = run("fit", data, "-t", "y", "--columns", tmp_path / "columns.yaml")
    assert "limit <= 79608" in done.stdout
    assert run("verify", out, data).exit_code == 0


@pytest.fixture
def endless(tmp_path):
    rows = [
        f"{k},{'inf' if k % 9 == 0 else '-inf' if k == 1 else k % 17},{'b' if k % 17 > 8 else 'a'}"
        for k in range(90)
    ]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["id,x,y", *rows]) + "\n")
    return path


def test_an_infinite_number_may_mean_missing(endless, tmp_path):
    seen = run("look", endless, "-t", "y")
    assert "holds 'inf' in 10 rows, '-inf' in 1 row (the first in line 2): infinite" in seen.stdout
    assert "--missing x=inf --missing x=-inf --ignore id" in seen.stdout
    assert run("look", endless, "-t", "y", "--fix").exit_code == 0
    for given in (["--columns", tmp_path / "columns.yaml"], ["--missing", "inf", "--missing", "-inf"]):
        done = run("fit", endless, "-t", "y", "--max-depth", 1, *given)
        assert done.exit_code == 0, done.output
        assert "'inf' is taken as missing in x (10 rows)." in done.stderr


def test_columns_that_were_left_out_are_named(endless, tmp_path):
    endless.write_text(endless.read_text().replace("inf", "5"))
    out, page = tmp_path / "m.json", tmp_path / "m.html"
    plain = run("fit", endless, "-t", "y", "--max-depth", 1)
    assert "Left out" not in plain.output
    assert "To look at: id " in plain.stderr
    done = run("fit", endless, "-t", "y", "--max-depth", 1, "--ignore", "id", "--out", out)
    assert "Left out: id.\n" in done.stderr
    assert run("report", out, endless, "--out", page, "--no-models").exit_code == 0
    assert "<dt>Columns left out</dt><dd><bdi>id</bdi></dd>" in page.read_text()


def test_columns_of_rewards_are_not_left_out(tmp_path):
    path = tmp_path / "trial.csv"
    path.write_text("x,a,b,name\n" + "".join(f"{k},{k % 3},{k % 5},p{k}\n" for k in range(60)))
    out, page = tmp_path / "m.json", tmp_path / "m.html"
    given = ["--task", "policy", "--reward", "a", "--reward", "b", "--ignore", "name"]
    done = run("fit", path, *given, "--max-depth", 1, "--out", out)
    assert "Left out: name.\n" in done.stderr
    assert run("report", out, path, "--out", page).exit_code == 0
    assert "<dt>Columns left out</dt><dd><bdi>name</bdi></dd>" in page.read_text()


def test_the_columns_of_the_other_findings_are_named(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [f"{k},{k % 23},1,{'ab'[k % 23 > 9]}" for k in range(90)]
    path.write_text("\n".join(["id,x,same,y", *rows]) + "\n")
    said = run("fit", path, "-t", "y", "--max-depth", 1).stderr
    assert " And 2 more: id, same. See: " in said


def test_a_label_that_is_a_formula_is_told(tmp_path):
    path, out = tmp_path / "rows.csv", tmp_path / "m.json"
    for label, told in (("=1+1", True), ("-1", False)):
        path.write_text("x,y\n" + "".join(f"{k},{label if k > 20 else 'no'}\n" for k in range(40)))
        assert run("fit", path, "-t", "y", "--max-depth", 1, "--out", out).exit_code == 0
        done = run("predict", out, path)
        assert ("would run the label '=1+1' as a formula; add --spreadsheet-safe" in done.stderr) is told
        assert "spreadsheet" not in run("predict", out, path, "--spreadsheet-safe").stderr


@pytest.mark.parametrize("by_file", [False, True], ids=["command", "columns.yaml"])
def test_an_encoding_is_an_option_that_accepting_all_accepts(tmp_path, by_file):
    """It was called a fault of the file, and the command that accepts all failed."""
    data, out = tmp_path / "kunden.csv", tmp_path / "m.json"
    rows = "".join(f"{100_000 + k};{k % 30};{'schön' if k % 30 > 14 else 'häßlich'}\n" for k in range(90))
    data.write_text(f"Kunden-Nr;Größe;Urteil\n{rows}", encoding="cp1252")
    seen = run("look", data, "-t", "Urteil", *(["--fix"] if by_file else []))
    assert "But first" not in seen.stdout
    if by_file:
        options = ["--columns", tmp_path / "columns.yaml"]
    else:
        (accept,) = (line for line in seen.stdout.splitlines() if line.startswith("Accept all: "))
        options = accept.partition(" --target Urteil ")[2].split()
        assert options == ["--encoding", "cp1252", "--ignore", "Kunden-Nr"]
    done = run("fit", data, "-t", "Urteil", *options, "-o", out)
    assert done.exit_code == 0, done.output
    assert load_model(out).tree.classes.tolist() == ["häßlich", "schön"]


def test_one_label_and_no_column_that_is_left(tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("a,b,y\n" + "1,2,yes\n" * 8)
    said = run("look", data, "-t", "y").stdout
    assert "1. The target y is yes in every row: there is nothing to predict." in said
    assert "Without these columns none is left to split on" in said
    assert "Accept all" not in said, "a fit without columns is refused"
    settled, again = tmp_path / "settled.yaml", tmp_path / "again.yaml"
    assert run("look", data, "-t", "y", "--fix", "-o", settled).exit_code == 0
    assert run("look", data, "-t", "y", "--columns", settled, "--fix", "-o", again).exit_code == 0
    assert again.read_text() == settled.read_text()
    assert run("fit", data, "-t", "y", "--columns", settled).exit_code == 0
    refused = run("fit", data, "-t", "y", "--ignore", "a", "--ignore", "b")
    assert refused.exit_code == 2
    assert "its columns are 'a', 'b', 'y', and 'a', 'b' are left out. Keep at least one." in refused.output
    assert "is yes in every row" in run("fit", data, "-t", "y").stderr


def test_codes_that_begin_with_0_are_told_before_a_fit(tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("bezirk,x,y\n" + "".join(f"{k % 90:02d},{k % 7},{'uv'[k % 7 > 3]}\n" for k in range(200)))
    assert "some values begin with 0" in run("look", data, "-t", "y").stdout
    assert "bezirk" in run("fit", data, "-t", "y").stderr.partition("To look at: ")[2]


def test_a_number_in_brackets_may_be_negative(tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("profit,y\n" + "".join(f"{k if k % 3 else f'({k})'},{'uv'[k % 2]}\n" for k in range(60)))
    said = run("look", data, "-t", "y").output.replace("\n", " ")
    assert "'(0)' may be a negative amount" in said
    assert "write -0 in the file" in said
    assert "--missing profit" not in said


def test_notes_before_and_after_a_search_name_options_and_count_in_english(tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("a,b,y\n" + "".join(f"{k},{k % 2},{'uv'[k % 7 > 3]}\n" for k in range(700)))
    said = run("near-optimal", data, "-t", "y", "--max-depth", 1).stdout
    assert '--thresholds "auto" offers' in said
    assert "thresholds=" not in said
    assert "in 1 column: a" in said


@pytest.fixture
def spelled(tmp_path):
    """Words in several spellings, some of which mean missing; a short answer is one only beside yes and no."""
    owners = ["YES", "y", "yes", "y", "no", "No", "unknown", "UNKNOWN", "yes", "n"]
    sizes = ["4", "5", "6", "n/x", "6", "7", "8", "8", "9", "1"]
    path = tmp_path / "d.csv"
    rows = [
        f"{k},{owner},{size},{'ab'[k % 2]}" for k, (owner, size) in enumerate(zip(owners, sizes, strict=True))
    ]
    path.write_text("\n".join(["x,owner,size,z", *rows, ""]))
    return path


def test_one_run_settles_words_and_what_they_become(spelled, tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    run("look", spelled, "-t", "z", "--fix", "-o", first)
    again = run("look", spelled, "-t", "z", "--columns", first, "--fix", "-o", second)
    assert first.read_text() == second.read_text()
    assert "owner" not in again.stdout.partition("To decide")[2]
    for given in (["--columns", first], accepted(spelled, "-t", "z")):
        assert run("fit", spelled, "-t", "z", "-o", tmp_path / "m.json", *given).exit_code == 0
        columns = {column.name: column for column in load_model(tmp_path / "m.json").tree.columns}
        assert set(columns["owner"].categories) == {"y", "No"}
        assert columns["owner"].has_missing
        assert columns["size"].has_missing


def accepted(path, *roles):
    """The words of the command that accepts all proposals, after its target."""
    said = run("look", path, *roles).stdout
    return next(line for line in said.splitlines() if line.startswith("Accept all")).split()[7:]


def test_columns_that_are_no_features(tmp_path):
    path, out = tmp_path / "d.csv", tmp_path / "columns.yaml"
    rows = [f"{k},{k * 7 % 31},{k % 2},{k % 5},{k * 17 % 100}" for k in range(1, 41)]
    path.write_text("\n".join(["w_id,t,died,a,b", *rows, ""]))
    assert "--ignore w_id" in run("look", path, "-t", "died").stdout
    cases = [
        (["-t", "died", "--weight", "w_id"], "--target died --weight w_id"),
        (
            ["-t", "t", "--event", "died", "--weight", "w_id"],
            "--task survival --target t --event died --weight w_id",
        ),
        (["--reward", "t", "--reward", "w_id"], "--task policy --reward t --reward w_id"),
        (
            ["-t", "died", "--row-cost", "0=t", "--row-cost", "1=w_id"],
            "--target died --row-cost 0=t --row-cost 1=w_id",
        ),
        (["-t", "t,w_id"], "--task regression --target t,w_id"),
    ]
    for roles, said in cases:
        seen = run("look", path, *roles, "--missing", "a=-1")
        assert seen.exit_code == 0, seen.output
        assert "w_id" not in seen.stdout
        fixed = run("look", path, *roles, "--fix", "-o", out)
        assert f"Use it: treewright fit {path} {said} --columns {out}" in fixed.stdout
        assert run("fit", path, *said.split(), "--columns", out, "--max-depth", 1).exit_code == 0
        assert "w_id" not in out.read_text()
        out.unlink()
    assert "the same column, 'w_id'" in run("look", path, "-t", "w_id", "--weight", "w_id").stderr
    assert "leave one of them out" in run("look", path, "-t", "t", "--reward", "a").stderr


def test_a_fit_says_how_to_look_with_its_roles(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("id,w,y\n" + "".join(f"{k},{1 + k % 3},{k % 2}\n" for k in range(40)))
    for verb in (["fit"], ["near-optimal", "--max-depth", 1], ["frontier", "--max-leaves", 2]):
        done = run(verb[0], path, *verb[1:], "-t", "y", "--weight", "w")
        assert f"See: treewright look {path} --target y --weight w" in done.stderr


def test_a_few_prices_are_no_classes(tmp_path):
    """A fit refuses labels that are not whole, however few they are."""
    path = tmp_path / "ketchup.csv"
    path.write_text(
        "id,price,ounces\n" + "".join(f"{k},{0.79 + k % 3 / 10:.2f},{k % 7}\n" for k in range(60))
    )
    seen = run("look", path, "--target", "price")
    assert "The target price holds numbers that are not whole, such as 0.79" in seen.stdout
    accepted = "--task regression --target price --ignore id"
    assert f"Accept all: treewright fit {path} {accepted}" in " ".join(seen.stdout.split())
    assert run("fit", path, "--target", "price", "--ignore", "id").exit_code == 2
    assert run("fit", path, *accepted.split()).exit_code == 0


def test_what_is_accepted_of_a_quantity_can_be_followed(tmp_path, monkeypatch):
    """The fit without --task regression refused it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "houses.csv").write_text(
        "id,size,price\n" + "".join(f"H{k},{k % 50},{k % 50 * 731 + k}\n" for k in range(100))
    )
    seen = run("look", "houses.csv", "--target", "price")
    assert "Accept all: treewright fit houses.csv --task regression --target price --ignore id" in seen.stdout


def test_a_name_that_ends_in_a_stop_gets_no_second_one(capsys):
    from treewright.cli._read_csv import note_left_out

    note_left_out(["Kunden-Nr."])
    note_left_out(["id"])
    assert capsys.readouterr().err == "Left out: Kunden-Nr.\nLeft out: id.\n"
