"""
How much better than a greedy tree is an optimal one?
=====================================================

Tic-tac-toe: all 958 boards on which a game can end; did "x" win? The rule is known exactly, and
greedy trees have a hard time with it, because no single square says much: three in a row win
together. For each number of leaves the table counts the mistakes of the tree that a greedy method
grows, and of the best tree that there is.
"""

# %%
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from treewright import OptimalTreeClassifier
from treewright.datasets import tic_tac_toe

data = tic_tac_toe()
print(data.description)

# %%
# scikit-learn's tree needs 0/1 columns; both methods get the same ones, "this square holds this
# mark".
columns = []
for j, column in enumerate(data.table.columns):
    for code in range(len(column.categories)):
        columns.append(data.table.X[:, j] == code)
X = np.column_stack(columns)

print("leaf penalty   leaves   wrong: greedy   wrong: optimal   proven")
rows = []
for penalty in (0.03, 0.02, 0.01, 0.005, 0.002):
    optimal = OptimalTreeClassifier(cost_complexity=penalty).fit(X, data.y)
    leaves = optimal.get_n_leaves()
    greedy = DecisionTreeClassifier(max_leaf_nodes=max(2, leaves), random_state=0).fit(X, data.y)
    wrong = [int((tree.predict(X) != data.y).sum()) for tree in (greedy, optimal)]
    rows.append((leaves, *wrong))
    print(f"{penalty:<15}   {leaves:>6}   {wrong[0]:>13}   {wrong[1]:>14}   {optimal.result_.status.value}")

# %%
import matplotlib.pyplot as plt

leaves, of_greedy, of_optimal = (np.array(column) for column in zip(*rows, strict=True))
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
axes.plot(leaves, of_greedy / len(X), "s--", color="0.45", label="greedy (CART)")
axes.plot(leaves, of_optimal / len(X), "o-", color="#0b5394", label="optimal")
axes.set(xlabel="leaves", ylabel="share of wrong rows", ylim=(0, None))
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)

# %%
# These rows are all boards that exist, so here a smaller training error is a better tree. On a
# sample it need not be.
