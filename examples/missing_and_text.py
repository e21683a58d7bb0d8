"""
What happens to missing values and text?
========================================

They are used as they are: no filling in, no dummy columns. A missing value goes to the side that
fits the labels better, and the tree may also ask whether a value is known. Text is split one
category against the rest.

Here a bank refuses applicants without a job, and those with a low income who are not employed; one in
ten applicants did not state an income. The tree gets this table as it is. In its picture, look for
"or missing": it stands on the side to which unknown incomes go.
"""

# %%
import numpy as np
import pandas as pd

from treewright import OptimalTreeClassifier
from treewright.show import tree_figure

rng = np.random.default_rng(0)
n = 500
frame = pd.DataFrame(
    {
        "income": rng.normal(3000, 900, n).round(),
        "job": rng.choice(["employed", "self-employed", "none"], n, p=[0.6, 0.25, 0.15]),
        "has account": rng.random(n) < 0.8,
    }
)
refused = ((frame["income"] < 2400) & (frame["job"] != "employed")) | (frame["job"] == "none")
frame.loc[rng.random(n) < 0.1, "income"] = np.nan  # one in ten did not say
label = np.where(refused, "refused", "granted")
print(frame.head().to_string())

# %%
model = OptimalTreeClassifier(cost_complexity=0.01).fit(frame, label)
figure = tree_figure(model.tree_)
print(model.result_.sentence())

# %%
# New rows may have missing values in any column, also in those that had none before: they go with
# the larger side.
new = pd.DataFrame({"income": [np.nan, 1800.0], "job": ["self-employed", None], "has account": [True, False]})
print(model.predict(new))

# %%
# A category that the tree has never seen is an error, not a guess.
from treewright.errors import InputError

try:
    model.predict(new.assign(job=["student", "none"]))
except InputError as error:
    print(error)
