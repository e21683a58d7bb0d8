"""
Can a small tree explain a boosted model?
=========================================

A boosted model is often more accurate than any small tree, and cannot be read. A hybrid tree is a small
tree with a model in each leaf. Where the model says the same as the leaf, the path to the leaf explains
the answer; the report counts for how many rows that is so.

Here a clinic wants to give a reason with every answer about a tumour. The picture at the end shows where
one sentence is enough, and which few cases a person should see.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from treewright import HybridTreeClassifier, OptimalTreeClassifier
from treewright.show import plot_tree

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)

# %%
boosting = HistGradientBoostingClassifier(max_iter=50, random_state=0)
top = OptimalTreeClassifier(cost_complexity=0.01, max_depth=2, thresholds=8)
hybrid = HybridTreeClassifier(top, leaf_estimator=boosting, random_state=0).fit(X_train, y_train)
alone = boosting.fit(X_train, y_train)

# %%
report = hybrid.report(X_test, y_test)
print(report)

# %%
# What the explanation costs: the ensemble of the same kind without a tree on top.
print(f"boosting alone, without any explanation: {alone.score(X_test, y_test):.3f}")

# %%
# Where the tree is enough. Each bar is a leaf of the tree above it, with the rows that were held back. Three
# leaves answer by themselves: their rule is the whole reason. In the last one, where tumours are hard to tell
# apart, a model answers. It mostly says what the leaf says, and the rule is still the reason; the rows in
# colour are those for which no short reason exists, and a doctor should look at them.
right, overruled = hybrid.predict(X_test) == y_test.to_numpy(), report.overruled
kinds = {
    "the rule is the reason, and it is right": (~overruled & right, "#b9c6d3"),
    "the rule is the reason, and it is wrong": (~overruled & ~right, "#5b6b7b"),
    "overruled, now right": (overruled & right, "#1b7f5c"),
    "overruled, now wrong": (overruled & ~right, "#c4472f"),
}
leaves = [leaf.leaf for leaf in report.leaves]
figure, (above, below) = plt.subplots(2, figsize=(9, 7.5), height_ratios=(3, 2), layout="constrained")
plot_tree(hybrid.tree_, ax=above)
start = np.zeros(len(leaves))
for kind, (rows, colour) in kinds.items():
    counts = np.array([np.count_nonzero(rows & (report.leaf == leaf)) for leaf in leaves])
    below.barh(range(len(leaves)), counts, left=start, color=colour, label=f"{kind} ({counts.sum()})")
    start += counts
below.set_yticks(range(len(leaves)), [f"leaf {k + 1}: {leaf.says}" for k, leaf in enumerate(report.leaves)])
below.invert_yaxis()
below.set_xlabel("held-back rows")
below.legend(loc="center right", frameon=False)
below.spines[["top", "right"]].set_visible(False)
