"""The package GRANDE 0.1.6 itself, a few trees on a small table: its first weights, batches, and weights at the end.

`python -m benchmarks.latent port` asks for these and trains `_grande.py` from the same start.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np

N_TREES, DEPTH, BATCH = 16, 3, 64


def trained(X: Any, y: Any, held: Any, truth: Any, objective: str, epochs: int, seed: int) -> dict[str, Any]:
    """Fit step by step, so that each batch is seen; patience is longer than the training."""
    import pandas as pd
    import sklearn.preprocessing
    import sklearn.utils.class_weight  # noqa: F401 - GRANDE uses both without importing them
    import tensorflow as tf
    from GRANDE import GRANDE

    tf.config.run_functions_eagerly(True)
    seen: dict[str, Any] = {"batches": []}

    class Watched(GRANDE):  # type: ignore[misc]
        def preprocess_data(self, *given: Any) -> Any:
            made = super().preprocess_data(*given)
            seen["x"], seen["held"] = (np.asarray(made[k], dtype=np.float32) for k in (0, 2))
            return made

        def build_model(self) -> None:
            super().build_model()
            seen["columns"] = np.asarray(self.features_by_estimator)
            seen["first"] = weights(self)

        def train_step(self, data: Any) -> Any:
            seen["batches"].append([np.asarray(part) for part in data])
            return super().train_step(data)

    def weights(model: Any) -> list[Any]:
        own = (model.estimator_weights, model.split_values, model.split_index_array, model.leaf_classes_array)
        return [weight.numpy().copy() for weight in own]

    names = [f"x{j}" for j in range(X.shape[1])]
    params = GRANDE.default_parameters() | {"depth": DEPTH, "n_estimators": N_TREES}
    params["loss"] = "mse" if objective == "regression" else "crossentropy"
    params["use_class_weights"] = objective != "regression"
    arguments = {
        "epochs": epochs,
        "early_stopping_epochs": epochs + 1,
        "batch_size": BATCH,
        "cat_idx": [],
        "objective": objective,
        "random_seed": seed,
        "verbose": 0,
    }
    model = Watched(params=params, args=arguments)
    frames = [pd.DataFrame(part, columns=names) for part in (X, held)]
    model.fit(X_train=frames[0], y_train=pd.Series(y), X_val=frames[1], y_val=pd.Series(truth))
    batches = seen.pop("batches")
    number = {row.tobytes(): k for k, row in enumerate(seen["x"])}
    order = [[number[row.tobytes()] for row in batch[0].astype(np.float32)] for batch in batches]
    weighed = [batch[2].tolist() if len(batch) > 2 else None for batch in batches]
    return {
        "x": seen["x"].tolist(),
        "held": seen["held"].tolist(),
        "columns": seen["columns"].tolist(),
        "first": [weight.tolist() for weight in seen["first"]],
        "last": [weight.tolist() for weight in weights(model)],
        "order": order,
        "class weights of rows": weighed,
    }


def main() -> None:
    """Answer one message."""
    message = json.load(sys.stdin)
    given = [np.asarray(message[name]) for name in ("X", "y", "held", "truth")]
    with contextlib.redirect_stdout(sys.stderr):
        found = trained(*given, message["objective"], message["epochs"], message["seed"])
    print(json.dumps({"status": "done", "version": "0.1.6"} | found))


if __name__ == "__main__":
    main()
