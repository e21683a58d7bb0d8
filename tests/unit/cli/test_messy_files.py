"""The first hour of an analyst with a messy file: nothing is misread without a word, and all is said at once."""

from __future__ import annotations

import csv
import datetime
import random

import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.table import load_csv, look


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    """Ids, dates, money, percentages, thousands, codes, fillers, variants, constants, repeated rows."""
    rnd = random.Random(0)
    rows = []
    for k in range(300):
        day = datetime.date(2021, 1, 1) + datetime.timedelta(days=rnd.randint(0, 900))
        amount = rnd.randint(500, 90000)
        rows.append(
            [
                101000 + k, f"{day:%d.%m.%Y}", f"${amount:,}", f"{rnd.randint(1, 999) / 10} %".replace(".", ","),
                f"{rnd.randint(1, 99999):05d}", rnd.choice([1, 2, 3, 7]), "DE",
                rnd.choice(["Bad", "BAD", "bad "]) if amount > 30000 else rnd.choice(["Good", "good"]),
                rnd.choice([rnd.randint(0, 40), -999]), f"{rnd.randint(100, 99999):,}".replace(",", "."),
            ]
        )  # fmt: skip
    header = [
        "Kunden-Nr.",
        "Eintritt",
        "Betrag",
        "Quote",
        "PLZ",
        "Filiale",
        "Land",
        "Status",
        "Jahre",
        "Umsatz",
    ]
    path = tmp_path_factory.mktemp("messy") / "messy.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows, rows[3]])
    return path


def test_each_case_is_found_and_named(messy):
    said = str(look(messy, target="Status"))
    for words in (
        "Kunden-Nr. differs in nearly every row",
        "'Eintritt' holds dates",
        "PLZ is read as a quantity",
        "Filiale is read as a quantity",
        "Land has one value only",
        "Jahre holds -999",
        "Status writes the same word in several ways",
        "1 row repeats",
        "'Quote' is read as numbers with a decimal comma and the unit %",
        "'Betrag' is read as numbers with commas between thousands and the unit $",
    ):
        assert words in said
    assert "two ways" not in said


def test_money_with_three_digits_behind_the_mark_is_thousands(messy):
    """In a file whose other numbers have decimal commas: '$699' and '$50,990' together are no decimals."""
    table = load_csv(messy, target="Status").table
    values = table.X[:, table.names.index("Betrag")]
    assert values.min() >= 500
    assert values.max() <= 90000
    assert (values == values.round()).all()


def test_the_target_of_a_regression_is_read_like_any_other_column(messy):
    """Its 47.930 was 47.93 beside 120, though the file has decimal commas: no column of it was true."""
    fit = (
        "fit",
        messy,
        "--task",
        "regression",
        "--max-depth",
        1,
        "--time-limit",
        20,
        "-x",
        "Kunden-Nr.",
        "-t",
    )
    done = run(*fit, "Umsatz")
    assert done.exit_code == 0, done.output
    with open(messy) as file:
        truth = [int(row["Umsatz"].replace(".", "")) for row in csv.DictReader(file)]
    assert f"Umsatz: mean {sum(truth) / len(truth):.6g}," in done.output
    assert run(*fit, "Betrag").exit_code == 0


def test_a_target_that_is_a_quantity_points_to_regression(messy):
    assert (
        "fit a regression tree (treewright fit --task regression)"
        in run("look", messy, "-t", "Betrag").output
    )
    done = run("fit", messy, "-t", "Umsatz")
    assert done.exit_code == 2
    assert "it is a quantity, and each number would be a class" in done.output
    assert "--task regression" in done.output


def test_fix_settles_all_and_keeps_what_people_wrote(messy, tmp_path):
    first, second, model = tmp_path / "a.yaml", tmp_path / "b.yaml", tmp_path / "model.json"
    assert run("look", messy, "-t", "Status", "--fix", "-o", first).exit_code == 0
    told = run("look", messy, "-t", "Status", "--columns", first).output
    assert "Betrag alone tells Status in every row" in told
    assert "use: quantity" not in first.read_text()
    kept = first.read_text().replace("columns:\n", "columns:\n  Betrag: {use: quantity}\n", 1)
    first.write_text(kept + "about: {owner: me}\n")
    again = run("look", messy, "-t", "Status", "--columns", first, "--fix", "-o", second)
    assert "1 row repeats" in again.output
    assert "\n  2. " not in again.output  # the rows are the only thing that no option settles
    assert "owner: me" in second.read_text()
    done = run("fit", messy, "-t", "Status", "--columns", second, "--max-depth", 2, "--out", model)
    assert done.exit_code == 0, done.output
    assert "Bad" in done.output
    assert "BAD" not in model.read_text().split('"labels"')[0]


def test_all_columns_that_cannot_be_read_are_named_at_once(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(
        "a,b,c,y\n" + "".join(f"{k},{k}.5,x,{k % 2}\n" for k in range(30)) + "oops,1,x,1\n2,hm,x,0\n"
    )
    done = run("fit", path, "-t", "y")
    assert done.exit_code == 2
    assert "2 columns of bad.csv cannot be read" in done.output
    assert "'oops'" in done.output
    assert "'hm'" in done.output
