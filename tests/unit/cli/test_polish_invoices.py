"""A Polish energy supplier's export: another encoding, złoty, two ways to write dates, long numbers, a title above.

Every point was a stumble of a first hour: accepting all proposals did not lead to a fit, and dates, amounts and tax
numbers were told wrongly or not at all.
"""

import json

import pytest
from click.testing import Result
from typer.testing import CliRunner

from treewright.cli import app
from treewright.table import load_csv, look

HEADER = "Nr PPE;NIP;Data umowy;Kwota;Udział nocny;Godz. odczytu;Zaległości;Odcięcie"
DAYS = 27


def run(*arguments) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def rows(n_rows=240):
    lines = []
    for k in range(n_rows):
        day, month = 1 + k % DAYS, 1 + k % 12
        date = (
            f"{2015 + k % 7}-{month:02d}-{day:02d}" if k % 3 == 0 else f"{day:02d}.{month:02d}.{2015 + k % 7}"
        )
        amount = f"{1 + k % 9} {100 + 3 * (k % 99)},{k % 90 + 10} zł"
        share = "brak" if k % 20 == 0 else "b.d." if k % 31 == 0 else f"{k % 60},5 %"
        label = ("tak", "Tak ", "TAK")[k % 3] if k % 5 == 0 else ("nie", "NIE")[k % 2]
        number, nip = 590310600000000001 + 17 * k, 1000000000 + 7919 * k * k
        overdue = 700 if k % 5 == 0 else k % 50
        lines.append(f"{number};{nip};{date};{amount};{share};{k % 24:02d}:{k % 60:02d};{overdue};{label}")
    return lines


@pytest.fixture
def invoices(tmp_path):
    path = tmp_path / "faktury.csv"
    path.write_bytes("\r\n".join([HEADER, *rows(), ""]).encode("cp1250"))
    return path


def test_from_the_file_to_a_proof_by_accepting_all(invoices, tmp_path):
    refused = run("look", invoices, "-t", "Odcięcie")
    assert "--encoding \"cp1250\", which reads 'Udział, Zaległości'" in refused.stdout
    seen = run(
        "look", invoices, "-t", "Odcięcie", "--encoding", "cp1250", "--fix", "--out", tmp_path / "c.yaml"
    )
    assert seen.exit_code == 0, seen.stderr
    for option in (
        "--ignore 'Nr PPE'",
        "--ignore NIP",
        "--missing 'Udział nocny=brak'",
        "--missing 'Udział nocny=b.d.'",
        "--ignore 'Godz. odczytu'",
    ):
        assert option in seen.stdout
    assert "times of day" in seen.stdout
    assert "dates (day.month.year; in 80 rows the year first)" in seen.stdout
    fitted = run(
        *("fit", invoices, "-t", "Odcięcie", "--columns", tmp_path / "c.yaml"),
        *("--max-depth", 2, "--out", tmp_path / "m.json"),
    )
    assert fitted.exit_code == 0, fitted.stderr
    assert "Proven optimal" in fitted.stdout
    assert json.loads((tmp_path / "m.json").read_text())["reading"]["columns"]["Kwota"]["unit"] == "zł"
    assert run("verify", tmp_path / "m.json", invoices).exit_code == 0


def test_dates_that_begin_with_their_year_stand_among_others(invoices):
    csv = load_csv(invoices, target="Odcięcie", encoding="cp1250", ignore=["Nr PPE", "Udział nocny"])
    year = csv.table.X[:, csv.table.names.index("Data umowy (year)")]
    assert year.tolist() == [2015 + k % 7 for k in range(240)]
    month = csv.table.X[:, csv.table.names.index("Data umowy (month)")]
    assert month.tolist() == [1 + k % 12 for k in range(240)]


def test_dates_that_contradict_each_other_are_told_as_dates(tmp_path):
    path = tmp_path / "d.csv"
    dates = [f"{1 + k % 28:02d}{'./'[k % 2]}{1 + k % 12:02d}{'./'[k % 2]}{2000 + k % 20}" for k in range(120)]
    path.write_text("\n".join(["when,y", *(f"{date},{'ab'[k % 2]}" for k, date in enumerate(dates))]))
    (finding,) = (found for found in look(path, target="y").findings if found.column == "when")
    assert "dates that are written in several ways" in finding.text


def test_questions_that_only_a_person_can_answer_stay_open(tmp_path):
    """`--fix` drops no column whose numbers have two readings; it says that the question is left."""
    path = tmp_path / "q.csv"
    numbers = ["1,200", "950", "1500", "2,310"]  # habits that contradict each other
    lines = [f"{numbers[k % 4]};{k % 7};{'ab'[k % 2]}" for k in range(60)]
    path.write_text("\n".join(["amount;size;y", *lines]))
    seen = run("look", path, "-t", "y", "--fix", "--out", tmp_path / "c.yaml")
    assert seen.exit_code == 0, seen.stderr
    assert "use: ignore" not in (tmp_path / "c.yaml").read_text()
    assert "Still to decide: amount (see above)." in seen.stdout
    assert "Still to decide: amount (see above)." in run("look", path, "-t", "y").stdout


@pytest.mark.parametrize(
    ("title", "total", "advice"),
    [
        (
            "Zestawienie faktur;;\r\n\r\n",
            "",
            "from line 3 on: if that is the header, delete the lines above",
        ),
        ("", "RAZEM;4 123,00 zł\r\n", "if this is a total or a remark, delete it"),
    ],
)
def test_a_title_above_or_a_total_below_is_named(tmp_path, title, total, advice):
    path = tmp_path / "f.csv"
    path.write_bytes(f"{title}{HEADER}\r\n{chr(10).join(rows(30))}\n{total}".encode())
    assert advice in run("look", path, "-t", "Odcięcie").stdout
    refused = run("fit", path, "-t", "Odcięcie")
    assert refused.exit_code == 2
    assert advice in refused.stderr
