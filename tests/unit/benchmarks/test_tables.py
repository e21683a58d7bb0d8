"""Tables and verdicts: what is printed must follow from the answers."""

import pytest
from benchmarks._compare import clocked, disagreements, print_comparison, speed_lines
from benchmarks._tables import factor, format_table, show_depth, summary_cell, tells_factor


def answer(solver, seconds, objective=0.25, status="optimal", **more):
    return {"solver": solver, "status": status, "objective": objective, "wall_seconds": seconds, **more}


def row(*answers, reference=None, data="monk1", cost=0.01, depth=3):
    known = {} if reference is None else {"reference": reference}
    size = {"n_rows": 124, "n_columns": 11}
    return {
        "data": data,
        "cost_complexity": cost,
        "max_depth": depth,
        **size,
        **known,
        "answers": list(answers),
    }


def test_table_is_aligned_markdown():
    text = format_table(["name", "n"], [["a", 5], ["longer", 12]])
    assert text == "| name   |  n |\n|--------|---:|\n| a      |  5 |\n| longer | 12 |"


def test_table_refuses_a_ragged_row():
    with pytest.raises(ValueError, match="3 cells, the header has 2"):
        format_table(["a", "b"], [[1, 2, 3]])


def test_factor_of_finished_and_open_runs():
    ours = answer("treewright", 0.01)
    assert factor(ours, answer("gosdt", 2.0)) == (pytest.approx(200), False)
    assert factor(ours, answer("gosdt", 20.0, status="time_out")) == (pytest.approx(2000), True)
    killed = {"solver": "gosdt", "status": "killed", "process_seconds": 40.0}
    assert factor(ours, killed) == (pytest.approx(4000), True)
    assert factor(answer("treewright", 1.0, status="time_out"), answer("gosdt", 2.0)) is None
    assert factor(ours, None) is None
    assert [tells_factor(x) for x in ((200.0, False), (2000.0, True), None)] == ["200x", ">2e+03x", "-"]


def test_cells_say_what_is_unproven_and_what_is_wrong():
    assert summary_cell(answer("gosdt", 0.1234)) == "0.123"
    assert summary_cell(answer("gosdt", 20, status="time_out", gap=0.5)) == "20 time_out 0.250000 gap 50.0%"
    assert summary_cell(answer("streed", 1.5, objective=0.3), best=0.25) == "1.5 WRONG 0.300000"
    capped = answer("streed", 1.5, objective=0.3, notes=["depth capped at 20"])
    assert summary_cell(capped, best=0.25) == "1.5 capped 0.300000"
    assert summary_cell({"solver": "gosdt", "status": "killed"}) == "killed"
    assert summary_cell(None) == "-"
    assert show_depth(None) == "unlimited"


def test_comparison_names_every_solver():
    text = print_comparison([row(answer("treewright", 0.01), answer("gosdt", 1.0))], ["treewright", "gosdt"])
    header, _, line = text.splitlines()
    assert header.split("|")[7:10] == [" treewright s ", " gosdt s ", " gosdt "]
    assert line.split()[-2] == "100x"


def test_disagreements_are_found_against_the_reference_and_among_answers():
    right, wrong = answer("treewright", 1), answer("streed", 1, objective=0.26)
    assert disagreements([row(right, wrong, reference=0.25)]) == [
        "monk1 0.01 depth 3: streed says 0.260000000 is optimal; 0.250000000 is reached"
    ]
    assert len(disagreements([row(right, wrong)])) == 1
    assert disagreements([row(right, answer("streed", 1, objective=0.26, status="time_out"))]) == []
    # A value below the reference is as wrong as one above it.
    assert len(disagreements([row(answer("treewright", 1, objective=0.2), reference=0.25)])) == 1


def test_speed_lines_count_only_rows_that_take_time_and_name_those_that_miss():
    rows = [
        row(answer("treewright", 0.001), answer("gosdt", 0.5)),  # under the second: not counted
        row(answer("treewright", 0.001), answer("gosdt", 5.0)),  # 5000x
        row(answer("treewright", 0.1), answer("gosdt", 5.0), data="car"),  # 50x: missed
        row(answer("treewright", 0.1), answer("gosdt", 20.0, status="time_out")),  # >200x
        row(answer("treewright", 4.0), answer("gosdt", 20.0, status="time_out"), data="ttt"),  # >5x
        row(answer("treewright", 60, status="time_out"), answer("gosdt", 5.0), data="fico"),  # we lost
    ]
    head, *lines = speed_lines(rows, ["gosdt"], 100, 1.0)
    assert head.startswith(
        "at least 100x faster than gosdt where over 1 s: 2 rows met, 2 missed, 1 undecided"
    )
    assert head.endswith("smallest factor 5")
    assert [line.split()[:2] for line in lines] == [
        ["missed:", "car"],
        ["missed:", "fico"],
        ["undecided:", "ttt"],
    ]
    assert "we did not" in lines[1]


def test_speed_lines_take_the_best_peer():
    head, line = speed_lines(
        [row(answer("treewright", 0.1), answer("streed", 0.5), answer("dl85", 50.0))],
        ["streed", "dl85"],
        10,
        0.1,
    )
    assert ": 0 rows met, 1 missed" in head
    assert "5x streed" in line
    # One that finished counts before one that did not, whatever their order.
    late = answer("streed", 60.0, status="time_out")
    head, *_ = speed_lines(
        [row(answer("treewright", 0.1), late, answer("dl85", 5.0))], ["streed", "dl85"], 10, 0.1
    )
    assert head.endswith("smallest factor 50")


def test_no_verdict_without_a_peer():
    assert speed_lines([row(answer("treewright", 0.1))], ["gosdt"], 100, 1.0) == []


def test_clock_changes_what_is_shown_and_nothing_else():
    rows = [row(answer("gosdt", 2.0, cpu_seconds=0.5), {"solver": "streed", "status": "killed"})]
    shown = clocked(rows, "cpu")
    assert shown[0]["answers"][0]["wall_seconds"] == 0.5
    assert shown[0]["answers"][1] == {"solver": "streed", "status": "killed"}
    assert rows[0]["answers"][0]["wall_seconds"] == 2.0
    assert clocked(rows, "wall") == rows
    with pytest.raises(ValueError, match="give 'wall' or 'cpu'"):
        clocked(rows, "sun")
