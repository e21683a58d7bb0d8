"""CART, tuned: scikit-learn's greedy trees of the same depth, and of them the one of least objective on the table.

Gini and entropy, each with its whole path of cost-complexity pruning: what a user can get from a greedy tree by
trying. It knows no bound, so it is never called optimal. Runs in treewright's own environment.
"""

import numpy as np
from _worker import Answer, Run, objective, serve
from sklearn.tree import DecisionTreeClassifier

CRITERIA = ("gini", "entropy")


def make(job, arrays):
    X, y = arrays["X"].astype(np.float64), arrays["y"]
    best = {}

    def fit():
        best.clear()
        for criterion in CRITERIA:
            settings = {"criterion": criterion, "max_depth": job["max_depth"], "random_state": 0}
            path = DecisionTreeClassifier(**settings).cost_complexity_pruning_path(X, y).ccp_alphas
            middles = np.sqrt(np.maximum(path, 0) * np.maximum(np.append(path[1:], path[-1]), 0))
            for alpha in np.unique(np.append(middles, 0.0))[:: max(1, len(middles) // 50)]:
                model = DecisionTreeClassifier(**settings, ccp_alpha=alpha).fit(X, y)
                value = objective(model.predict(X), y, model.get_n_leaves(), job["cost_complexity"])
                if not best or value < best["value"]:
                    best.update(value=value, model=model)

    def read():
        model = best["model"]
        return Answer(
            predictions=model.predict(X),
            n_leaves=model.get_n_leaves(),
            depth=model.get_depth(),
            status="unproven",
            predict=model.predict,
        )

    return Run(fit, read)


if __name__ == "__main__":
    serve("cart", "scikit-learn", make)
