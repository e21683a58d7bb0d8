"""
How do I get a proven tree from a CSV file?
===========================================

You have a CSV file and want a tree that you can hand on: with what was proven about it, and in a file
that others can check. This script writes a small table of its own (the breast cancer data that come
with scikit-learn), fits a tree, prints it with its certificate, saves the model and reads it back.

In the picture, follow the questions from the top; each box at the bottom says what is predicted there,
for how many rows, and for which share of them that is right. The certificate says over which
thresholds the tree is the best one: here quantiles, because ``thresholds=8`` was given.
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer

from treewright import OptimalTreeClassifier
from treewright.convert import Model, load_model, save_model
from treewright.show import to_text, tree_figure
from treewright.table import load_csv

frame = load_breast_cancer(as_frame=True).frame
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "data.csv"
    frame[["mean radius", "mean texture", "worst area", "worst smoothness", "target"]].to_csv(
        path, index=False
    )

    data = load_csv(path, target="target")
    model = OptimalTreeClassifier(cost_complexity=0.02, thresholds=8)
    model.fit(frame[list(data.table.names)], data.target)

    print(to_text(model.tree_))
    print(model.result_.sentence())
    for note in model.result_.notes:
        print("Note:", note)

    figure = tree_figure(model.tree_)

    saved = Path(folder) / "model.json"
    save_model(saved, Model.of(model.result_))
    again = load_model(saved)
    assert (again.tree.predict(data.table.X) == model.predict(frame[list(data.table.names)])).all()
