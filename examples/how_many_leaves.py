"""
How many leaves do I need?
==========================

Each further leaf makes the tree longer to read and a little better on the training rows. The frontier has
the best tree of every number of leaves, from one search; cross-validation says which of them to use.
"""

# %%
from sklearn.datasets import load_breast_cancer

from treewright import OptimalTreeClassifierCV, accuracy_frontier
from treewright.show import tree_figure

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X.filter(like="worst")
y = y.map({0: "malignant", 1: "benign"})

# %%
# Ten of the columns and six quantile bins keep the search short; the certificates say that the proof
# is about these thresholds.
frontier = accuracy_frontier(X, y, max_leaves=6, max_depth=3, thresholds=6)
print("leaves   wrong rows   no tree has fewer than")
for point in frontier:
    wrong, bound = round(point.loss * len(X)), point.lower_bound * len(X)
    print(f"{point.tree.n_leaves:>6}   {wrong:>10}   {bound:>12.0f}   {point.status.value}")

# %%
# The line falls steeply at first: look for the place from which a further leaf gains little. Both lines lie
# on each other, because every point is proven.
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
leaves = [point.tree.n_leaves for point in frontier]
axes.plot(leaves, [point.loss for point in frontier], "o-", color="#0b5394", label="best tree")
axes.plot(leaves, [point.lower_bound for point in frontier], "--", color="0.45", label="no tree is below")
axes.set(xlabel="leaves", ylabel="training loss", ylim=(0, None))
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)

# %%
# More leaves always fit the training rows better. Which tree is best on new rows? Cross-validation
# along the frontier, and the smallest tree within one standard error of the best:
model = OptimalTreeClassifierCV(max_leaves=6, max_depth=3, thresholds=6, progress=False).fit(X, y)
for size, mean, error in zip(
    model.cv_results_["n_leaves"],
    model.cv_results_["mean_test_score"],
    model.cv_results_["standard_error"],
    strict=True,
):
    print(f"{size} {'leaf' if size == 1 else 'leaves'}: held-out loss {-mean:.3f} +- {error:.3f}")
print(model.result_.sentence())

# %%
# The tree that was chosen, to read from left to right. Larger trees are within the error of this one.
figure = tree_figure(model.tree_)
