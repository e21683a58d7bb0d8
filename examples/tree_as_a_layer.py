"""
How do I train a tree by gradients?
===================================

When a loss cannot be searched exactly, or a tree is to be part of a neural network, it can be trained
by gradients. A latent tree is such a layer: its splits are sums of columns, a row goes down several
branches at once with a share each, and afterwards it is turned into a tree in which each row takes
one branch. Nothing is proven about it. Needs PyTorch.
"""

# %%
import numpy as np
import pandas as pd
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split

from treewright import LatentTreeRegressor

X, y = make_friedman1(n_samples=1500, noise=1.0, random_state=0)
X = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = LatentTreeRegressor(depth=3, epochs=40, random_state=0, progress=False).fit(X_train, y_train)
print(f"R2 on new rows: soft model {model.score(X_test, y_test):.3f}")

# %%
# The width of each branch is the share of rows that go through it: branches that nearly no row takes
# can be cut.
from treewright.show import plot_latent_tree

axes = plot_latent_tree(model, X_test)

# %%
hard = model.harden()
print(hard.sentence)
error = np.mean((hard.tree.predict(X_test.to_numpy()) - y_test) ** 2)
print(f"R2 on new rows: hard tree {1 - error / np.var(y_test):.3f}, {hard.tree.n_leaves} leaves")
