"""
How do I draw a tree with its certificate?
==========================================

Makes the picture of the README; run as a script, it takes the name of the file to write.
"""

import sys
import textwrap

from sklearn.datasets import load_breast_cancer

from treewright import OptimalTreeClassifier
from treewright.show import tree_figure

data = load_breast_cancer(as_frame=True)
labels = data.target.map({0: "malignant", 1: "benign"})
model = OptimalTreeClassifier(cost_complexity=0.005, max_depth=3).fit(data.data, labels)

figure = tree_figure(model.tree_)
figure.text(0.5, -0.02, textwrap.fill(model.result_.sentence(), 90), ha="center", va="top", fontsize=10)
if len(sys.argv) > 1:
    words = " | ".join(text.get_text() for ax in figure.axes for text in ax.texts)
    figure.savefig(sys.argv[1], bbox_inches="tight", dpi=110, metadata={"Description": words})
print(model.result_.sentence())
