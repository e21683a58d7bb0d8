"""The tables of the documentation: every number comes from a results file."""

import json
import re
import statistics
from pathlib import Path

import pytest
from benchmarks import published

ROOT = Path(__file__).resolve().parents[3]
ABOUT = {
    "benchmark": "made-up",
    "made": "2026-01-01",
    "machine": {"processor": "P", "cores": 2, "system": "Linux", "python": "3.11", "load_average": [0.5]},
    "versions": {"treewright": "0.1.0"},
    "options": {"time_limit": 20.0, "sets": {"a": 1}},
}


def answer(solver, objective, seconds, status="optimal", **more):
    return {"solver": solver, "objective": objective, "cpu_seconds": seconds, "status": status, **more}


def test_answers_are_one_row_a_problem() -> None:
    rows = [
        {
            "data": "car",
            "n_rows": 10,
            "n_columns": 2,
            "cost_complexity": 0.01,
            "max_depth": None,
            "reference": 0.2,
            "answers": [
                answer("ours", 0.2, 0.001),
                answer("theirs", 0.25, 1.0),
                answer("slow", 0.3, 20.0, "time_out"),
                {"solver": "gone", "status": "killed"},
            ],
        }
    ]
    line = published.table({**ABOUT, "rows": rows}).splitlines()[-1]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells == [
        "car",
        "10 x 2",
        "0.01",
        "unlimited",
        "0.200000",
        "0.001 s",
        "1 s (not optimal, 0.250000)",
        "20 s (no proof, 0.300000)",
        "killed",
    ]


def test_other_rows_show_their_plain_values() -> None:
    rows = [
        {"data": "a|b", "seconds": 0.123456, "who": {"test": 0.5}, "list": [1]},
        {"data": "c", "proven": True},
    ]
    header, _, first, second = published.table({**ABOUT, "rows": rows}).splitlines()
    assert [cell.strip() for cell in header.strip("|").split("|")] == [
        "data",
        "seconds",
        "who: test",
        "proven",
    ]
    assert "a\\|b" in first
    assert "0.1235" in first
    assert "yes" in second


def test_a_mean_and_its_error_are_shown() -> None:
    rows = [{"data": "a", "near": [0.93687, 0.00065], "losses": [0.1, 0.2, 0.3], "paper": [1.0, 2]}]
    header, _, line = published.table({**ABOUT, "rows": rows}).splitlines()
    assert [cell.strip() for cell in header.strip("|").split("|")] == ["data", "near"]
    assert "0.9369 ± 0.00065" in line


def test_about_says_when_and_where() -> None:
    text = published.about({**ABOUT, "rows": []})
    assert "2026-01-01" in text
    assert "treewright 0.1.0" in text
    assert "time limit 20" in text


@pytest.mark.parametrize("path", published.results(), ids=lambda path: path.stem)
def test_stored_results_can_be_shown(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    command = published.command_of(path.stem).split()
    assert (ROOT / f"{command[2].replace('.', '/')}.py").exists()
    assert published.about(content)
    assert "`" not in published.subject_of(path.stem)
    assert len(published.subject_of(path.stem)) > 15
    assert published.table(content).count("\n") > 1


def test_the_command_has_the_options_that_were_used() -> None:
    guessing = {"options": {"folds": 5, "peer_time_limit": 20.0, "sets": {"spiral": []}}}
    command, unknown = published.made_by("guessing", guessing)
    assert command == "python -m benchmarks.guessing --folds 5 --peer-time-limit 20.0"
    assert unknown == "other options not recorded"
    nothing = {"options": {"threads": 1}}
    assert published.made_by("latent-tables", nothing) == (
        "python -m benchmarks.latent tables",
        "options not recorded",
    )
    assert published.made_by("latent-step", nothing) == (
        "python -m benchmarks.latent step",
        "",
    )  # it has none
    assert published.made_by("builds", {"options": {"other": "a commit", "turns": 4}}) == (
        "python -m benchmarks.builds OTHER --turns 4",  # an interpreter, which no file stores
        "other options not recorded",
    )
    known = {"command": "python -m benchmarks.latent tables --splits 2", "options": {}}
    assert published.made_by("latent-tables", known) == (known["command"], "")


def test_a_file_without_a_benchmark_is_refused() -> None:
    assert published.command_of("sparse-grid") == "python -m benchmarks.sparse grid"
    assert published.command_of("row_prices") == "python -m benchmarks.row_prices"
    with pytest.raises(ValueError, match="name a results file after"):
        published.command_of("nothing-known")


def test_the_readme_repeats_the_stored_results() -> None:
    """The seconds in the README's table are those of the grid, to two digits."""
    grid = json.loads((ROOT / "benchmarks" / "results" / "sparse-grid.json").read_text(encoding="utf-8"))
    known = {
        (
            row["data"].removesuffix("-binary").removesuffix("_binary"),
            f"{row['cost_complexity']:g}",
            row["max_depth"],
        ): row
        for row in grid["rows"]
    }
    table = (
        (ROOT / "README.md")
        .read_text(encoding="utf-8")
        .partition("| table | leaf penalty |")[2]
        .partition("\n\n")[0]
    )
    checked, name = 0, ""
    for line in table.splitlines()[2:]:
        data, cost, depth, optimum, *seconds = (cell.strip(" *") for cell in line.strip("|").split("|"))
        name = re.sub(r" .*", "", data)
        row = next(
            row
            for (known_name, price, limit), row in known.items()
            if known_name.startswith(name)
            and float(price) == float(cost)
            and limit == (None if depth == "unlimited" else int(depth))
        )
        assert float(optimum) == pytest.approx(row["reference"], abs=1e-6)
        for cell, stored in zip(seconds, row["answers"], strict=True):
            assert_cell_says(cell, stored, line)
            checked += 1
    assert checked == 12


def assert_cell_says(cell: str, stored: dict, line: str) -> None:
    """Seconds of a proof; or "> seconds (objective)" of an answer without one."""
    shown = re.fullmatch(r"(> )?(\d*\.?\d+)(?: \((\.\d+)\))?", cell)
    assert shown is not None, line
    said = float(shown[2])
    assert (stored["status"] == "optimal") is (shown[1] is None is shown[3]), line
    if stored["status"] == "optimal":
        digits = 0.51 * 10.0 ** -len(shown[2].partition(".")[2])
        assert stored["cpu_seconds"] == pytest.approx(said, abs=digits), line
    else:
        assert 0.95 * said <= stored["cpu_seconds"] < 1.1 * said, line
        assert stored["objective"] == pytest.approx(float(shown[3]), abs=5.1e-5), line


def seconds_of(rows: list[dict], solver: str) -> list[tuple[float, float]]:
    """Processor seconds of treewright and of another solver on each problem."""
    both = [{answer["solver"]: answer["cpu_seconds"] for answer in row["answers"]} for row in rows]
    return [(answers["treewright"], answers[solver]) for answers in both]


def test_the_sentences_below_that_table_are_those_of_the_results() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    folder = ROOT / "benchmarks" / "results"
    grid = json.loads((folder / "sparse-grid.json").read_text(encoding="utf-8"))["rows"]
    slower = [all(theirs["cpu_seconds"] > ours["cpu_seconds"] for theirs in peers) for ours, *peers in
              (row["answers"] for row in grid)]  # fmt: skip
    assert all(slower)
    assert f"Both other solvers took longer on all {len(grid)} problems of that run" in readme
    assert "at least 36 times as long as treewright (median at least 196)" in readme
    assert "STreeD at least 15 times (median at least 60)" in readme
    for solver, least, median in (("gosdt", 36, 196), ("streed", 15, 60)):
        factors = [theirs / ours for ours, theirs in seconds_of(grid, solver) if theirs > 0.1]
        assert (int(min(factors)), int(statistics.median(factors))) == (least, median)
    near = [theirs / ours for ours, theirs in seconds_of(grid, "streed") if theirs < 1.5 * ours]
    assert "STreeD was 7 to 44% slower on eight of monk1" in readme
    assert (len(near), round(min(near), 2), round(max(near), 2)) == (8, 1.07, 1.44)
    rows = json.loads((folder / "sparse-dl85.json").read_text(encoding="utf-8"))["rows"]
    pairs = seconds_of([row for row in rows if row["max_depth"] == 2], "dl85")
    ahead = [ours - theirs for ours, theirs in pairs if theirs < ours]
    assert (
        f"DL8.5 was faster on {len(ahead)} of {len(pairs)} problems of depth 2 without a leaf penalty "
        "(`sparse-dl85`), by at most 1.2 ms" in readme
    )
    assert round(1000 * max(ahead), 1) == 1.2
    rows = json.loads((folder / "continuous-grid.json").read_text(encoding="utf-8"))["rows"]
    own = [(row["max_depth"], row["answers"][0]) for row in rows]
    proven = sum(answer["status"] == "optimal" for _, answer in own)
    assert len({row["data"] for row in rows}) == 10
    assert f"{proven} of {len(rows)} problems of depth 2 to 4 are proven within 120 s" in readme
    third = [answer for depth, answer in own if depth == 3]
    assert all(answer["status"] == "optimal" and answer["cpu_seconds"] < 1 for answer in third)
    assert "all of depth 3 within a second" in readme
