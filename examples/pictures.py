"""
Which pictures are there?
=========================

Beside the tree itself: the search, the leaves, the regions, the front. As a script with the name of a
folder it writes the pictures of docs/pictures.md.
"""

import sys
from pathlib import Path

from matplotlib.text import Text
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import train_test_split

from treewright import OptimalTreeClassifier, accuracy_frontier, compare_with_cart
from treewright.show import (
    ProgressRecorder,
    plot_decision_regions,
    plot_frontier,
    plot_leaf_accuracies,
    plot_search_progress,
    plot_tree,
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
# The tree; the best tree so far and the bound; how often each leaf is right; what a tree says over two columns;
# trees of growing size; CART and the best possible tree of its size.
tree = plot_tree(model)
leaf_accuracies = plot_leaf_accuracies(model, X, y, X_test, y_test)
search_progress = plot_search_progress(recorder, model)
decision_regions = plot_decision_regions(small, flowers.data, species)
front = plot_frontier(frontier, chosen=2)
compared = compare_with_cart(X, y, X_test, y_test)
beside_cart = compared.plot().axes[0]

pictures = {
    "tree": tree,
    "search_progress": search_progress,
    "leaf_accuracies": leaf_accuracies,
    "decision_regions": decision_regions,
    "frontier": front,
    "beside_cart": beside_cart,
}
if len(sys.argv) > 1:
    for name, ax in pictures.items():
        ax.figure.canvas.draw()
        words = " | ".join(filter(None, (text.get_text() for text in ax.figure.findobj(Text))))
        ax.figure.savefig(Path(sys.argv[1]) / f"{name}.png", dpi=90, metadata={"Description": words})
print(model.result_.sentence())
print(compared.sentence())
