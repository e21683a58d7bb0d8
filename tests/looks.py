"""A table to look at, and what a look found in it."""

import numpy as np
import pandas as pd


def frame(**columns):
    """Return an ordinary table of 200 rows with labels `y`, and with other columns."""
    rng = np.random.default_rng(0)
    own = {"age": rng.integers(18, 80, 200), "weight": rng.normal(70, 9, 200), "y": ["good", "bad"] * 100}
    return pd.DataFrame(own | columns)


def found(seen):
    """Return the column and the action of each finding."""
    return {(finding.column, finding.action) for finding in seen.findings}
