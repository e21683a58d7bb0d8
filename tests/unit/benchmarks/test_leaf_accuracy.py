"""The benchmark of leaf accuracy: the paper's typed figures, the rebuilt data sets, means and differences."""

import numpy as np
import polars as pl
import pytest
from benchmarks._leaf_accuracy_data import MOST_TRAINING_ROWS, PAPER, SETS, balanced, load, split
from benchmarks.leaf_accuracy import mean, report

from shared_folder import shared


@pytest.mark.shared
def test_tables_8_and_9_are_typed_right():
    """The authors' own results file has the same means for the proposed model."""
    path = shared("data/leaf_accuracy/paper_results/warmstart_base_results.csv.gz")
    results = pl.read_csv(path)
    for paper in PAPER.values():
        kind = {8: "categorical", 9: "numerical"}[paper.table]
        rows = results.filter((pl.col("DataType") == kind) & (pl.col("DatasetName") == paper.row))
        assert len(rows) == 10
        assert rows["ReducedTestLeafAcc"].mean() == pytest.approx(paper.leaf_proposed, abs=6e-5)
        assert rows["ExtendedTestAcc"].mean() == pytest.approx(paper.hybrid_proposed, abs=6e-5)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["compas", "eye", "bank", "heloc", "magic", "pol"])
def test_the_rebuilt_tables_have_the_papers_rows(name):
    rows = load(name, shared("data"))
    assert len(rows.X) == PAPER[name].n_rows
    assert rows.y.mean() == 0.5
    assert abs(rows.X.shape[1] - PAPER[name].n_columns) <= 1  # one column of heloc is unknown
    assert np.isfinite(rows.X).all()
    train, test = split(rows, 0)
    n_test = -(-len(rows.X) // 5)  # scikit-learn rounds the test part up
    assert len(test.X) == n_test
    assert len(train.X) == min(MOST_TRAINING_ROWS, len(rows.X) - n_test)


def test_balanced():
    X, y = np.arange(10.0)[:, None], np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    rows = balanced(X, y)
    assert rows.y.tolist() == [0, 0, 0, 1, 1, 1]
    assert rows.X[:, 0].tolist() == sorted(rows.X[:, 0])
    assert PAPER.keys() == SETS.keys()


def test_report_says_what_failed_and_what_was_gained():
    tree = {"status": "done", "seconds": 1.0, "leaves": 4, "train": 0.7, "leaf_train": 0.6}
    hybrid = {"boosting": {"test": 0.75, "explained": 0.9}}
    answers = [
        {"data": "heloc", "method": "cart", "test": 0.7, "leaf_test": 0.5, "hybrids": hybrid, **tree},
        {"data": "heloc", "method": "cart", "test": 0.6, "leaf_test": 0.4, "hybrids": hybrid, **tree},
        {
            "data": "heloc", "method": "exact", "test": 0.7, "leaf_test": 0.65, "objective": 0.7, **tree,
            "hybrids": {"boosting": {"test": 0.76, "explained": 0.8}}, "status": "OPTIMAL",
        },
        {"data": "heloc", "method": "boosting", "status": "done", "test": 0.77},
        {"data": "heloc", "method": "mip", "status": "error", "error": "MemoryError: "},
    ]  # fmt: skip
    assert mean(answers, "heloc", "cart", "leaf_test") == pytest.approx(0.45)
    assert mean(answers, "heloc", "cart", "hybrids", "boosting", "test") == 0.75
    assert mean(answers, "heloc", "oct", "test") is None
    text = "\n".join(report(answers))
    lines = [" ".join(line.replace("|", " ").split()) for line in text.splitlines()]
    assert "mip failed 1 times: MemoryError:" in lines
    assert "leaf accuracy exact cart 1 +0.2000 +0.2000 +0.2000" in lines
    assert "hybrid accuracy exact + boosting boosting 1 -0.0100 -0.0100 -0.0100" in lines
    assert "hybrid accuracy exact + boosting cart + boosting 1 +0.0100 +0.0100 +0.0100" in lines
    assert "heloc paper, CART (Table 9) 10 - - - - 0.4881 - -" in lines
