"""
Is every rule of the tree right often enough?
=============================================

A tree that is right on 95 % of all rows can have a leaf that is right on 60 % of its own, and the people
in that leaf are decided about by little more than a coin. Ask for the tree whose worst leaf is most
accurate, and see what that costs on all rows.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from treewright import LeafAccuracyTreeClassifier, OptimalTreeClassifier
from treewright.leaf_accuracy import leaf_accuracy_score
from treewright.show import tree_figure

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)

# %%
limits = {"max_depth": 2, "min_samples_leaf": 30, "thresholds": 8}
usual = OptimalTreeClassifier(cost_complexity=0.005, **limits).fit(X_train, y_train)
worst = LeafAccuracyTreeClassifier(criterion="accuracy", **limits).fit(X_train, y_train)
for name, model in (("fewest errors", usual), ("best worst leaf", worst)):
    print(
        f"{name:<16} worst leaf: training rows {leaf_accuracy_score(model.tree_, X_train, y_train):.3f}, "
        f"new rows {leaf_accuracy_score(model.tree_, X_test, y_test):.3f}; "
        f"all new rows {model.score(X_test, y_test):.3f}"
    )

# %%
# What is proven: on the training rows no tree within the limits has a better worst leaf.
print(worst.result_.sentence())
figure = tree_figure(worst.tree_)

# %%
# The best of very many trees looks too good on the rows it was chosen by: on new rows the worst leaf can be
# worse than that of the usual tree. What helps are large leaves and few of them. With
# ``criterion="lower_bound"`` a small leaf has to make up for being small:
careful = LeafAccuracyTreeClassifier(criterion="lower_bound", **limits).fit(X_train, y_train)
print(careful.result_.sentence())
print(f"worst leaf on new rows {leaf_accuracy_score(careful.tree_, X_test, y_test):.3f}")
