"""Reading an array needs numpy alone: frames, CSV and scikit-learn load when they are used."""

import subprocess
import sys

HEAVY = ("narwhals", "pandas", "polars", "pyarrow", "scipy", "sklearn")


def test_nothing_heavy_is_loaded_with_the_packages():
    code = (
        "import sys, numpy as np, treewright.table as t, treewright.binarize as b, treewright.problem as p\n"
        "import treewright.datasets as d\n"
        "table = t.table_from(np.array([[1.0], [2.0]])); b.auto_splits(table); p.make_problem(table, [0, 1])\n"
        f"d.tic_tac_toe(); print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
