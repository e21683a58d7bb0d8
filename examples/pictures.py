"""
Which pictures are there?
=========================

Beside the tree itself: the search, the leaves, the regions, the front. As a script with the name of a
folder it writes the pictures of docs/pictures.md.
"""

import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import train_test_split

from treewright import OptimalTreeClassifier, accuracy_frontier
from treewright.show import (
    ProgressRecorder,
    plot_decision_regions,
    plot_frontier,
    plot_leaf_accuracies,
    plot_search_progress,
)

data = load_breast_cancer(as_frame=True)
labels = data.target.map({0: "malignant", 1: "benign"})
X, X_test, y, y_test = train_test_split(data.data, labels, random_state=0)

recorder = ProgressRecorder()
model = OptimalTreeClassifier(cost_complexity=0.01, max_depth=3, progress=recorder).fit(X, y)
frontier = accuracy_frontier(X, y, max_depth=3, max_leaves=8, thresholds=20)

flowers = load_iris(as_frame=True)
species = flowers.target_names[flowers.target]
small = OptimalTreeClassifier(cost_complexity=0.01).fit(flowers.data, species)

# %%
# The best tree so far and the bound; how often each leaf is right; what a tree says over two columns;
# trees of growing size.
search_progress = plot_search_progress(recorder, model.result_)
leaf_accuracies = plot_leaf_accuracies(model.tree_, X, y, X_test, y_test)
decision_regions = plot_decision_regions(small.tree_, flowers.data, species)
front = plot_frontier(frontier, chosen=2)

pictures = {
    "search_progress": search_progress,
    "leaf_accuracies": leaf_accuracies,
    "decision_regions": decision_regions,
    "frontier": front,
}
if len(sys.argv) > 1:
    for name, ax in pictures.items():
        ax.figure.savefig(Path(sys.argv[1]) / f"{name}.png", dpi=90)
print(model.result_.sentence())
