"""
How do I make a slow search fast?
=================================

Ask a boosted model first: which thresholds matter, and how few errors are possible. The result says
which guess it rests on, and what can have been lost.
"""

# %%
import warnings

from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from treewright import OptimalTreeClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
ways = {
    "all thresholds": {},
    "eight quantiles": {"thresholds": 8},
    "guessed thresholds": {"thresholds": "guess"},
    "guessed thresholds and bounds": {"thresholds": "guess", "guess_lower_bounds": True},
}
for name, options in ways.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = OptimalTreeClassifier(cost_complexity=0.01, time_limit=5, **options).fit(X, y)
    result = model.result_
    print(f"{name}: objective {result.objective:.4f}, {result.stats['seconds']:.3f} s of search")
    print("   ", result.sentence())
    for note in result.notes:
        print("    Note:", note)

# %%
# The last of these trees:
from treewright.show import tree_figure

figure = tree_figure(model.tree_)

# %%
# Compare the objectives, not only the seconds: quantiles and guessed thresholds are proofs over
# fewer trees.
