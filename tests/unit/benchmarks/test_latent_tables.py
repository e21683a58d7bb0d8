"""The tables of the latent ensembles: means with standard errors, and counts of where the sum is better and worse."""

import numpy as np
import pytest
from benchmarks._latent_tables import KEPT, ensemble_tables, kernel_tables

pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from benchmarks._latent_ensemble import summary


def lines(data, method, errors):
    return [
        {
            "data": data,
            "method": method,
            "seed": 700 + k,
            "rows": 100,
            "seconds": 1.0,
            "error": error,
            "commit": "c",
        }
        for k, error in enumerate(errors)
    ]


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_summary_is_mean_and_standard_error():
    (row,) = summary(lines("raisin", "one tree", [0.1, 0.2, 0.3]))
    assert row["error"] == pytest.approx(0.2)
    assert row["standard error"] == pytest.approx(np.std([0.1, 0.2, 0.3], ddof=1) / 3**0.5)
    assert row["errors"] == {"700": 0.1, "701": 0.2, "702": 0.3}


def test_a_peer_that_failed_says_why():
    (row,) = summary(
        [
            {
                "data": "raisin",
                "method": "tabm",
                "seed": 700,
                "rows": 9,
                "seconds": 0,
                "commit": "c",
                "failed": "no",
            }
        ]
    )
    assert row["failed"] == "no"
    assert "error" not in row


def test_tables_pair_the_splits():
    rows = summary(
        [
            *lines("a", "sum of ten", [0.1, 0.2]),
            *lines("a", "forest", [0.2, 0.3002]),
            *lines("b", "sum of ten", [0.2, 0.2]),
            *lines("b", "forest", [0.1]),
        ]
    )
    errors, compared = ensemble_tables(rows)
    assert cells(errors.splitlines()[2]) == ["a", "0.1500 ± 0.0500 (2)", "0.2501 ± 0.0501 (2)"]
    assert cells(errors.splitlines()[3]) == ["b", "0.2000 ± 0.0000 (2)", "0.1000 (1)"]
    assert cells(compared.splitlines()[2]) == ["forest", "2", "1", "1", "1", "0", "1.10"]


def test_kernels_show_the_memory_that_the_page_speaks_of():
    (table,) = kernel_tables([{"n": 10, "depth": 3, "layer forward": {"cpu_ms": 0.02}, KEPT: 0.7}])
    header, _, line = table.splitlines()
    assert cells(header)[-1].startswith("bytes kept for the backward pass")
    assert cells(line) == ["10", "3", "0.02", "1.40"]
