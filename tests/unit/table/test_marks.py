"""Marks of a laboratory and short amounts are told for what they are, and are no units."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.table import load_csv, look


def written(folder, name, values):
    path = folder / "rows.csv"
    path.write_text(
        f"{name};other\n" + "".join(f"{value};{k % 7}\n" for k, value in enumerate(values)), encoding="utf-8"
    )
    return path


@pytest.mark.parametrize(
    "mark", [lambda k: f"{k}.5 H" if k % 3 else f"{k}.5", lambda k: f"{k}.5{(' H', '', ' L', '')[k % 4]}"]
)
def test_high_and_low_results(tmp_path, mark):
    """Most of them, and few: H is not the unit of hours, L not that of litres."""
    [finding, *_] = look(written(tmp_path, "CRP", map(mark, range(60)))).findings
    assert "as laboratories mark high and low values" in finding.text
    assert "Delete these marks in the file" in finding.text
    assert "missing" not in finding.text


def test_units_of_every_number_stay_units(tmp_path):
    seen = look(written(tmp_path, "stay", (f"{k} h" for k in range(60))))
    assert not any("laborator" in finding.text for finding in seen.findings)
    houses = [
        f"{k % 30} H" if k % 5 == 0 else f"{k % 30}" if k % 5 == 1 else f"Mill {k % 20}" for k in range(60)
    ]
    assert not any("laborator" in finding.text for finding in look(written(tmp_path, "at", houses)).findings)


def test_results_with_other_words(tmp_path):
    fields = [f"{k}.5{(' H', '', ' L', '')[k % 4]}" if k % 10 else "n.d." for k in range(60)]
    seen = look(written(tmp_path, "CRP", fields))
    assert seen.findings[0].action == "missing"
    assert "holds a mark of a laboratory" in seen.findings[0].text


def test_short_amounts(tmp_path):
    fields = [f"${300 + k},000" if k % 3 else f"${300 + k}k" for k in range(60)]
    path = written(tmp_path, "price", fields)
    [finding, *_] = look(path).findings
    assert "Write these amounts with all their digits in the file" in finding.text
    done = CliRunner().invoke(app, ["fit", str(path), "-t", "price", "--task", "regression"])
    assert done.exit_code == 2
    assert "with all their digits" in done.stderr
    assert "categorical" not in done.stderr


def test_amounts_without_cents_are_numbers(tmp_path):
    """As Swiss and German shops write them; half of a column was taken for identifiers."""
    seen = look(written(tmp_path, "Lohn", (f"{80 + k}'{100 + k}{'.-' if k % 2 else ''}" for k in range(60))))
    assert seen.kinds["numbers"][0] == "Lohn"
    euros = load_csv(
        written(tmp_path, "Preis", (f"1.{100 + k},{'- €' if k % 2 else '50 €'}" for k in range(60)))
    )
    assert euros.table.X[:2, 0].tolist() == [1100.5, 1101.0]


def test_fractions_and_ages_in_years_and_months(tmp_path):
    parts = look(
        written(tmp_path, "pack", (["1/2", "1", "2", "1/4", "3"][k % 5] for k in range(60)))
    ).findings
    assert "such as 0.5 for 1/2" in parts[0].text
    ages = look(written(tmp_path, "served", (f"{k} yrs {k % 12} mos" for k in range(60)))).findings
    assert "years and months (0 yrs 0 mos" in ages[0].text
    assert "38 for 3 years 2 months" in ages[0].text
