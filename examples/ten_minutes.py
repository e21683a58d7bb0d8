"""
Ten minutes with treewright
===========================

From a table to a tree that you can read, check, save and use. The table is the breast cancer data
that come with scikit-learn: 569 tumours, thirty measurements each, malignant or benign. Everything
below ran when this page was made.
"""

# %%
# Fit
# ---
# An estimator as in scikit-learn. A split has to pay for itself: with ``cost_complexity=0.01`` each
# further leaf has to correct at least one per cent of the rows. The depth limit keeps the search
# short.
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from treewright import OptimalTreeClassifier
from treewright.show import to_text

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)

model = OptimalTreeClassifier(cost_complexity=0.01, max_depth=3)
model.fit(X_train, y_train)

# %%
# Read
# ----
# The tree in words. Each line is a question, each arrow a decision, with the share of training rows
# for which it is right.
print(to_text(model.tree_))

# %%
# What is proven
# --------------
# The certificate says in one sentence what is known about this tree compared with all others.
print(model.result_.sentence())

# %%
# The numbers behind the sentence:
result = model.result_
print(f"status       {result.status.value}")
print(f"objective    {result.objective:.6f}  = loss {result.loss:.6f} + 0.01 x {result.tree.n_leaves} leaves")
print(f"lower bound  {result.lower_bound:.6f}")
print(f"gap          {result.gap:.1%}")

# %%
# Optimal on the training rows is no promise about new ones. Five-fold cross-validation, beside a
# greedy tree with as many leaves, and beside a boosted ensemble that nobody can read:
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

greedy = DecisionTreeClassifier(max_leaf_nodes=result.tree.n_leaves, max_depth=3, random_state=0)
boosted = HistGradientBoostingClassifier(max_iter=50, random_state=0)
for name, estimator in (("optimal tree", model), ("greedy tree", greedy), ("boosted trees", boosted)):
    scores = cross_validate(estimator, X, y, cv=5, return_train_score=True)
    train, test = scores["train_score"].mean(), scores["test_score"].mean()
    print(f"{name:<14} training rows {train:.3f}   new rows {test:.3f}")

# %%
# The optimal tree wins where it was optimised, on the training rows. On new rows small trees of
# this table are about equal, and the ensemble is better: what the optimal tree adds is that you
# know that no tree of its size fits better.

# %%
# See
# ---
from treewright.show import tree_figure

figure = tree_figure(model.tree_)

# %%
# Why this prediction?
# --------------------
# For one row, the path is the reason.
from treewright.tree import describe, leaf_path

row = X_test.iloc[[0]]
print("predicted:", model.predict(row)[0], " true:", y_test.iloc[0])
for split, goes_left in leaf_path(model.tree_, model.apply(row)[0]):
    print("  because", describe(split, model.tree_.columns, goes_left))

# %%
# Choose the leaf penalty
# --------------------------
# It is a parameter like any other: cross-validation chooses it.
from sklearn.model_selection import GridSearchCV

search = GridSearchCV(OptimalTreeClassifier(max_depth=3), {"cost_complexity": [0.003, 0.01, 0.03, 0.1]}, cv=3)
search.fit(X_train, y_train)
for penalty, mean, deviation in zip(
    search.cv_results_["param_cost_complexity"],
    search.cv_results_["mean_test_score"],
    search.cv_results_["std_test_score"],
    strict=True,
):
    print(f"cost_complexity {penalty:<5}  accuracy {mean:.3f} +- {deviation:.3f}")

# %%
# Save, load, check
# -----------------
# The model file is plain JSON: the tree with its certificate, no training rows, and reading it
# cannot run code.
import tempfile
from pathlib import Path

from treewright.convert import Model, load_model, save_model

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.json"
    save_model(path, Model.of(result))
    print(f"{path.stat().st_size} bytes")
    again = load_model(path)
print((again.tree.predict(X_test.to_numpy()) == model.predict(X_test)).all())

# %%
# Separate code recomputes every claim from the data and the tree:
from treewright.problem import make_problem
from treewright.table import table_from
from treewright.verify import verify

problem = make_problem(table_from(X_train), y_train, cost_complexity=0.01, max_depth=3)
print(verify(problem, result))

# %%
# The same without Python
# -----------------------
# .. code-block:: text
#
#    treewright fit data.csv --target diagnosis --max-depth 3 --out model.json
#    treewright show model.json --out tree.png
#    treewright predict model.json new.csv --out predictions.csv
#    treewright verify model.json data.csv
#
# Next: :doc:`which method you need </which_method>`, and :doc:`how to read a certificate
# </certificate>`.
