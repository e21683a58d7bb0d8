"""
Can one tree replace my forest exactly?
=======================================

Yes. A forest votes, and nobody can follow a vote of many trees. A born-again tree decides like the
forest for every row that there can be, not only for those at hand, and separate code checks that. The
price is its size, so keep the forest small.
"""

# %%
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from treewright.bornagain import Ensemble, forecast, prune, solve
from treewright.show import tree_figure
from treewright.verify import check_faithful

X, y = load_iris(return_X_y=True, as_frame=True)
y = load_iris().target_names[y]
forest = RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, y)
ensemble = Ensemble.from_model(forest)
print(forecast(ensemble, descents=20).sentence())

# %%
result = solve(ensemble, objective="leaves")
print(result.sentence())
figure = tree_figure(result.tree)

# %%
# The independent check looks at boxes of the whole space, not at sampled rows:
print(check_faithful(result.tree, ensemble).sentence())

# %%
# Splits that no training row needs can go. The smaller tree decides like the forest on the training
# rows, no longer everywhere.
small = prune(result.tree, X.to_numpy())
print(f"{result.tree.n_leaves} leaves before, {small.n_leaves} after")
print(check_faithful(small, ensemble).sentence())
