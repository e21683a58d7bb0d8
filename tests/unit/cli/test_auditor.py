"""An auditor has a model file, the data in some form, and the report: slips are answered with what to give instead."""

import pytest
from click.testing import Result
from typer.testing import CliRunner

from treewright.cli import app


def run(*arguments) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def handed_over(tmp_path):
    rows = [f"{k % 40};{'Łódź' if k % 3 else 'Kraków'};{'nie' if k % 40 < 17 else 'tak'}" for k in range(120)]
    text = "\n".join(["wiek;miasto;zgoda", *rows, ""])
    (tmp_path / "dane.csv").write_bytes(text.encode("cp1250"))
    (tmp_path / "kopia.csv").write_text(text.replace(";", ","), encoding="utf-8")
    (tmp_path / "c.yaml").write_text(
        "encoding: cp1250\ncolumns:\n  miasto: {use: ignore}\n", encoding="utf-8"
    )
    fitted = run(
        "fit", tmp_path / "dane.csv", "-t", "zgoda", "--encoding", "cp1250", "--out", tmp_path / "m.json"
    )
    assert fitted.exit_code == 0, fitted.stderr
    assert (
        run("report", tmp_path / "m.json", tmp_path / "dane.csv", "--out", tmp_path / "r.html").exit_code == 0
    )
    return tmp_path


def test_a_report_in_place_of_the_model_file(handed_over):
    done = run("verify", handed_over / "r.html", handed_over / "dane.csv")
    assert done.exit_code == 2
    assert "This is a web page, not a model file. Give the JSON file" in done.stderr


def test_a_copy_in_another_encoding_and_with_another_separator(handed_over):
    refused = run("verify", handed_over / "m.json", handed_over / "kopia.csv")
    assert refused.exit_code == 2
    assert "UTF-8" in refused.stderr
    assert '--encoding "utf-8"' in refused.stderr
    done = run("verify", handed_over / "m.json", handed_over / "kopia.csv", "--encoding", "utf-8")
    assert done.exit_code == 0, done.stdout + done.stderr


def test_bytes_that_the_known_encoding_lacks(handed_over):
    """ "ć" is c4 87 in UTF-8, and cp1250 has a letter for each; "Ě" is c4 9a; c3 83 ("Ã") has none in cp1250."""
    copy = handed_over / "kopia.csv"
    copy.write_text(copy.read_text(encoding="utf-8").replace("Kraków", "Ã"), encoding="utf-8")
    refused = run("verify", handed_over / "m.json", copy)
    assert 'It is UTF-8: give --encoding "utf-8".' in refused.stderr


def test_the_look_that_a_fit_points_to_knows_what_was_settled(handed_over):
    data = handed_over / "dane.csv"
    data.write_bytes(data.read_bytes() + "5;Łódź;nie\n5;Łódź;nie\n".encode("cp1250"))
    fitted = run("fit", data, "-t", "zgoda", "--columns", handed_over / "c.yaml")
    assert f"See: treewright look {data} --target zgoda --columns {handed_over / 'c.yaml'}" in fitted.stderr
