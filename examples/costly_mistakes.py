"""
What if one mistake is worse than another?
==========================================

A tumour that is called benign and is not can kill; one that is called malignant and is not means
another examination. Counting both as one mistake is wrong. Say what each mistake costs: the tree then
minimises the cost, and the proof is about the cost. Here a missed malignant tumour costs ten times as
much as a false alarm.
"""

# %%
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix

from treewright import OptimalTreeClassifier
from treewright.show import tree_figure

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})

# %%
# ``costs[i, j]`` is what it costs to say class j where class i is true; classes are sorted: benign,
# malignant.
costs = np.array([[0, 1], [10, 0]])
equal = OptimalTreeClassifier(cost_complexity=0.01, max_depth=2).fit(X, y)
weighed = OptimalTreeClassifier(cost_complexity=0.01, max_depth=2, costs=costs).fit(X, y)
for name, model in (("equal costs", equal), ("missing one costs ten", weighed)):
    table = confusion_matrix(y, model.predict(X), labels=["benign", "malignant"])
    print(f"{name}: {table[0, 1]} false alarms, {table[1, 0]} missed")

# %%
# The tree with equal costs. Look at the leaves that say benign: the larger one is wrong about one
# tumour in twenty.
figure = tree_figure(equal.tree_)

# %%
# With a cost of ten, a leaf says benign only if it is nearly sure, and the first threshold has moved
# down: more tumours are called malignant, many of them needlessly.
figure = tree_figure(weighed.tree_)

# %%
# The objective is now cost per row, and the sentence speaks of it.
print(weighed.result_.sentence())

# %%
# Other ways to say it: ``class_weight={"malignant": 10}``, which also counts in the shares that a
# leaf shows, and ``objective="balanced_accuracy"``, which gives all classes the same total weight.
balanced = OptimalTreeClassifier(cost_complexity=0.01, max_depth=2, objective="balanced_accuracy").fit(X, y)
print(balanced.result_.sentence())
