"""GRANDE (Marton, Luedtke, Bartelt, Stuckenschmidt, ICLR 2024), with 128 trees of depth 5 and batches of 256 rows.

The package's example has 2048 trees and batches of 64 rows, for a GPU. Classes are not weighted, since errors are
counted; all else is as in that example.
"""

from __future__ import annotations

from typing import Any

from _forest_worker import serve

RATES = {"weights": 0.005, "index": 0.01, "values": 0.01, "leaf": 0.01}


def answer(train: Any, target: Any, mask: Any, test: Any, classify: bool, seed: int) -> Any:
    """Train with the rows that are not held out, which stop the training; the package keeps the best weights."""
    import numpy as np
    import pandas as pd
    import tensorflow as tf
    from GRANDE import GRANDE

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    objective = ("binary" if target.max() == 1 else "classification") if classify else "regression"
    params = {
        "depth": 5,
        "n_estimators": 128,
        **{f"learning_rate_{of}": rate for of, rate in RATES.items()},
        "optimizer": "adam",
        "cosine_decay_steps": 0,
        "loss": "crossentropy" if classify else "mse",
        "focal_loss": False,
        "temperature": 0.0,
        "from_logits": True,
        "use_class_weights": False,
        "dropout": 0.0,
        "selected_variables": 0.8,
        "data_subset_fraction": 1.0,
    }
    args = {
        "epochs": 1000,
        "early_stopping_epochs": 25,
        "batch_size": 256,
        "cat_idx": [],
        "objective": objective,
        "random_seed": seed,
        "verbose": 0,
    }
    model = GRANDE(params=params, args=args)
    known = pd.Series(target)

    def part(rows: Any, of: Any) -> Any:
        return rows[of].reset_index(drop=True)

    columns = pd.DataFrame(train)
    model.fit(
        X_train=part(columns, ~mask),
        y_train=part(known, ~mask),
        X_val=part(columns, mask),
        y_val=part(known, mask),
    )
    said = np.asarray(model.predict(pd.DataFrame(test)))
    return said.argmax(axis=1) if classify else said


if __name__ == "__main__":
    serve("GRANDE", answer)
