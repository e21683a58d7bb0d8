"""
What do I get if the time runs out?
===================================

The best tree so far, a bound that holds for all trees, and a warning that names smaller problems and
how long they take. Nothing is lost, and nothing is claimed that was not proven.
"""

# %%
import warnings

from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from treewright import OptimalTreeClassifier

X, y = load_digits(return_X_y=True)

# %%
# 1797 images of digits, 64 columns of grey values, unlimited depth: far too much for two seconds.
seen = []


def watch(progress):
    """Keep what the search reports; returning True would stop it."""
    seen.append((progress.seconds, progress.objective, progress.lower_bound))


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", ConvergenceWarning)
    model = OptimalTreeClassifier(cost_complexity=0.01, time_limit=2, progress=watch).fit(X, y)
print(*(str(warning.message) for warning in caught), sep="\n")

# %%
# The sentence in numbers: the tree's objective, and what no tree can be below.
result = model.result_
print(f"{result.objective:.4f} >= optimum >= {result.lower_bound:.4f}   ({result.stop_reason.value})")

# %%
# What was known at each moment of the search: the best tree so far, and the bound. Where the two lines
# meet, a tree is proven optimal; here the time ends first, and the space between them is what is
# still unknown.
import matplotlib.pyplot as plt

seconds, objective, bound = zip(*seen, strict=True)
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.step(seconds, objective, where="post", color="#0b5394", label="best tree so far")
axes.step(seconds, bound, where="post", color="0.45", linestyle="--", label="no tree is below")
axes.set(xlabel="seconds", ylabel="objective", ylim=(0, None))
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)

# %%
# What helps: a depth limit, a larger leaf penalty, fewer thresholds. With two limits at once the
# same table is solved to the end:
model = OptimalTreeClassifier(cost_complexity=0.01, max_depth=2, thresholds=4).fit(X, y)
print(model.result_.sentence())

# %%
# A limit in steps instead of seconds stops at the same place on every machine:
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    model = OptimalTreeClassifier(cost_complexity=0.01, max_depth=3, thresholds=4, step_limit=50).fit(X, y)
print(model.result_.sentence())
