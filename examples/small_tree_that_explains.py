"""
Can a small tree explain a boosted model?
=========================================

A boosted model is often more accurate than any small tree, and cannot be read. A hybrid tree is a small
tree with a model in each leaf. Where the model says the same as the leaf, the path to the leaf explains
the answer; the report counts for how many rows that is so.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from treewright import HybridTreeClassifier, OptimalTreeClassifier

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
