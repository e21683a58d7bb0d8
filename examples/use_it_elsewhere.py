"""
How do I use the tree without this library?
===========================================

As a tree of scikit-learn, as SQL, Python or C, as rules in words: each says the same as the tree, or
refuses.
"""

# %%
from sklearn.datasets import load_iris
from sklearn.tree import export_text

from treewright import OptimalTreeClassifier
from treewright.convert import to_python, to_sklearn, to_sql
from treewright.show import to_rules

X, y = load_iris(return_X_y=True, as_frame=True)
X.columns = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
y = load_iris().target_names[y]
tree = OptimalTreeClassifier(cost_complexity=0.02).fit(X, y).tree_

# %%
# Rules in words:
print(to_rules(tree))

# %%
# A fitted ``DecisionTreeClassifier``, for everything that knows such trees (SHAP, dtreeviz, exporters):
fitted = to_sklearn(tree, X)
print(export_text(fitted, feature_names=list(X.columns)))
print((fitted.predict(X) == tree.predict(X.to_numpy())).all())

# %%
# SQL for a table with these columns:
print(to_sql(tree, table="flowers"))

# %%
# Python without any import:
print(to_python(tree))
