"""gosdt with its own guesses: thresholds by its binarizer, lower bounds by `y_ref`.

Runs in gosdt's environment. A job is a JSON object: arrays (npz with X, y, X_test, y_test), n_estimators and
max_depth of the reference, cells (pairs of price and depth), time_limit, columns (where to write the 0/1
columns and the reference's predictions).
"""

import json
import math
import sys
import time

import numpy as np
from gosdt import GOSDTClassifier, ThresholdGuessBinarizer
from sklearn.ensemble import GradientBoostingClassifier


def leaves(node):
    return 1 if "prediction" in node else leaves(node["true"]) + leaves(node["false"])


def predict(node, X):
    if "prediction" in node:
        return np.full(len(X), node["prediction"], dtype=np.int64)
    goes = X[:, node["feature"]] != 0
    out = np.empty(len(X), dtype=np.int64)
    out[goes], out[~goes] = predict(node["true"], X[goes]), predict(node["false"], X[~goes])
    return out


def main():
    job = json.loads(sys.stdin.read())
    data = np.load(job["arrays"])
    X, y, X_test, y_test = (data[name] for name in ("X", "y", "X_test", "y_test"))
    model = {"n_estimators": job["n_estimators"], "max_depth": job["max_depth"], "random_state": 0}
    start = time.process_time()
    GradientBoostingClassifier(**model).fit(X, y)
    once = time.process_time() - start
    start = time.process_time()
    guesser = ThresholdGuessBinarizer(**model).fit(X, y)
    guessing = time.process_time() - start
    Z, Z_test = guesser.transform(X).astype(bool), guesser.transform(X_test).astype(bool)
    y_ref = GradientBoostingClassifier(**model).fit(Z.astype(float), y).predict(Z.astype(float))
    np.savez(job["columns"], Z=Z, Z_test=Z_test, y_ref=y_ref)
    best = GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=0).fit(X, y)
    rows = []
    for price, depth in job["cells"]:
        tree = GOSDTClassifier(
            regularization=price,
            allow_small_reg=True,
            depth_budget=depth,
            time_limit=math.ceil(job["time_limit"]),
            worker_limit=1,
        )
        row = {"cost_complexity": price, "max_depth": depth}
        start = time.process_time()
        try:
            tree.fit(Z, y, y_ref=y_ref)
        except Exception as error:  # its own exceptions have no common class
            row |= {"status": type(error).__name__, "seconds": time.process_time() - start}
            rows.append(row)
            continue
        row["seconds"] = time.process_time() - start
        root = json.loads(tree.result_.model)[0]
        wrong = (tree.classes_[predict(root, Z)] != y).mean()
        row |= {
            "status": str(tree.result_.status).rsplit(".", 1)[-1],
            "leaves": leaves(root),
            "objective": wrong + price * leaves(root),
            "train": 1 - wrong,
            "test": float((tree.classes_[predict(root, Z_test)] == y_test).mean()),
        }
        rows.append(row)
    answer = {
        "status": "done",
        "seconds_of_reference": once,
        "seconds_of_guessing": guessing,
        "thresholds": [(int(j), float(t)) for j, t in guesser.thresholds_],
        "black_box_test": float(best.score(X_test, y_test)),
        "rows": rows,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
