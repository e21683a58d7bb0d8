"""A build of treewright that answers one problem a line, until its input ends: `benchmarks.builds`.

It uses only what every build has: the estimators and their parameters. Seconds are those of the processor in `fit`.
"""

import json
import sys
import time
import warnings

import numpy as np

import treewright as tw


def answer(problem):
    arrays = np.load(problem["arrays"], allow_pickle=False)
    X, y = arrays["X"], arrays["y"]
    if X.dtype == "uint8":
        X = X.astype(bool)
    model = getattr(tw, problem["estimator"])(progress=False, **problem["parameters"])
    began = time.process_time()
    result = model.fit(X, y).result_
    seconds = time.process_time() - began
    return {
        "seconds": seconds,
        "status": result.status.name,
        "objective": float(result.objective),
        "lower_bound": float(result.lower_bound),
    }


def main():
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
