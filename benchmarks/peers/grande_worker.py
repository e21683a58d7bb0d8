"""GRANDE (Marton, Luedtke, Bartelt, Stuckenschmidt, ICLR 2024) with the parameters of its package's own example.

Where we differ: 256 trees instead of 2048, which take many minutes a training on one core; and, as for the other
models that train by epochs, 1000 steps and patience of 100 at least on small tables.
"""

from __future__ import annotations

from typing import Any

from _forest_worker import serve

N_TREES, EPOCHS, PATIENCE, BATCH = 256, 100, 25, 64
LEAST_STEPS, LEAST_PATIENCE = 1000, 100


def answer(train: Any, target: Any, mask: Any, test: Any, classify: bool, seed: int) -> Any:
    """Train with the rows that are not held out; these choose the epoch."""
    import pandas as pd
    import sklearn.preprocessing
    import sklearn.utils.class_weight  # noqa: F401 - GRANDE uses both without importing them
    import tensorflow as tf
    from GRANDE import GRANDE

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    names = [f"x{j}" for j in range(train.shape[1])]
    rows, held, new = (pd.DataFrame(part, columns=names) for part in (train[~mask], train[mask], test))
    y, truth = pd.Series(target[~mask]), pd.Series(target[mask])
    an_epoch = -(-len(rows) // BATCH)
    objective = "regression" if not classify else "binary" if target.max() == 1 else "classification"
    model = GRANDE(
        params={
            "depth": 5,
            "n_estimators": N_TREES,
            "learning_rate_weights": 0.005,
            "learning_rate_index": 0.01,
            "learning_rate_values": 0.01,
            "learning_rate_leaf": 0.01,
            "optimizer": "adam",
            "cosine_decay_steps": 0,
            "loss": "crossentropy" if classify else "mse",
            "focal_loss": False,
            "temperature": 0.0,
            "from_logits": True,
            "use_class_weights": classify,
            "dropout": 0.0,
            "selected_variables": 0.8,
            "data_subset_fraction": 1.0,
        },
        args={
            "epochs": max(EPOCHS, -(-LEAST_STEPS // an_epoch)),
            "early_stopping_epochs": max(PATIENCE, -(-LEAST_PATIENCE // an_epoch)),
            "batch_size": BATCH,
            "cat_idx": [],
            "objective": objective,
            "random_seed": seed,
            "verbose": 0,
        },
    )
    model.fit(X_train=rows, y_train=y, X_val=held, y_val=truth)
    said = model.predict(new)
    return said.argmax(axis=1) if classify else said


if __name__ == "__main__":
    serve("grande", answer)
