"""GRANDE with the parameters of its package's own example, trained by `_grande.py`.

2,048 trees of depth 5, batches of 64, at most 1,000 epochs, patience 25, columns by quantiles with a little noise. A
graphics processor is used where there is one.
"""

from __future__ import annotations

from typing import Any

from _forest_worker import device, serve

VERSION = "0.1.6 in PyTorch"
N_TREES, DEPTH, EPOCHS, PATIENCE, BATCH = 2048, 5, 1000, 25, 64
NOISE = 1e-4


def answer(train: Any, target: Any, mask: Any, test: Any, classify: bool, seed: int) -> Any:
    """Train with the rows that are not held out; these choose the epoch."""
    import numpy as np
    import torch
    from _grande import Forest, Rows, columns_of_trees, first_weights, fit
    from sklearn.preprocessing import QuantileTransformer

    place = device(torch)
    rng = np.random.default_rng(seed)
    own = train[~mask].astype(np.float64)
    noisy = own + NOISE / np.maximum(own.std(axis=0), NOISE) * rng.normal(size=own.shape)
    scaler = QuantileTransformer(
        n_quantiles=min(len(own), 1000), output_distribution="normal", random_state=seed
    ).fit(noisy)
    center, scale = (0, 1) if classify else (target[~mask].mean(), target[~mask].std())
    counts = np.bincount(target[~mask].astype(int)) if classify else np.ones(1)
    of_class = len(own) / (len(counts) * np.maximum(counts, 1))  # "balanced"

    def columns(rows: Any) -> Any:
        return torch.as_tensor(scaler.transform(rows), dtype=torch.float32, device=place)

    def rows(part: Any) -> Rows:
        goal = (target[part] - center) / scale
        weight = of_class[target[part].astype(int)] if classify else np.ones(len(goal))
        return Rows(
            columns(train[part]),
            torch.as_tensor(goal, dtype=torch.long if classify else torch.float32, device=place),
            torch.as_tensor(weight, dtype=torch.float32, device=place),
        )

    torch.manual_seed(seed)
    kind = "numbers" if not classify else "two classes" if len(counts) == 2 else "classes"
    read = columns_of_trees(train.shape[1], N_TREES, rng)
    weights = first_weights(N_TREES, read.shape[1], len(counts) if kind == "classes" else 0, DEPTH)
    forest = Forest(torch.as_tensor(read, device=place), {n: w.to(place) for n, w in weights.items()})
    batches = list(torch.randperm(len(own)).to(place).split(BATCH))
    fit(forest, rows(~mask), rows(mask), kind, batches, EPOCHS, PATIENCE)
    with torch.no_grad():
        said = torch.cat([forest(part) for part in columns(test).split(BATCH * 8)])
    if kind == "numbers":
        return said.cpu().numpy() * scale + center
    return (said > 0).long().cpu().numpy() if kind == "two classes" else said.argmax(1).cpu().numpy()


if __name__ == "__main__":
    serve(answer, VERSION)
