"""TabM (Gorishniy, Kotelnikov, Babenko, ICLR 2025), 32 members as it proposes, in two blocks of 128 units.

The package's own size (three blocks of 512) takes minutes a training on one core; the rest is its advice: columns by
quantiles, AdamW of rate 0.002 and decay 0.0003, batches of 256, the mean of the members' losses, patience 16. A small
table has few steps an epoch: patience is 100 steps and training 1000 at least, as for latent trees.
"""

from __future__ import annotations

from typing import Any

from _forest_worker import serve

EPOCHS, PATIENCE, BATCH = 200, 16, 256
LEAST_STEPS, LEAST_PATIENCE = 1000, 100


def answer(train: Any, target: Any, mask: Any, test: Any, classify: bool, seed: int) -> Any:
    """Train with the rows that are not held out; the epoch of the least error on these answers."""
    import numpy as np
    import torch
    from sklearn.preprocessing import QuantileTransformer
    from tabm import TabM

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    quantiles = max(min((~mask).sum() // 30, 1000), 10)
    scaler = QuantileTransformer(n_quantiles=quantiles, output_distribution="normal", random_state=seed)
    center, scale = (0.0, 1.0) if classify else (target[~mask].mean(), target[~mask].std())
    scaler.fit(train[~mask])

    def columns(rows: Any) -> Any:
        return torch.as_tensor(scaler.transform(rows), dtype=torch.float32)

    x, held, new = columns(train[~mask]), columns(train[mask]), columns(test)
    goal = torch.as_tensor((target - center) / scale, dtype=torch.long if classify else torch.float32)
    y, truth = goal[torch.as_tensor(~mask)], goal[torch.as_tensor(mask)]
    n_outputs = int(target.max()) + 1 if classify else 1
    model = TabM.make(n_num_features=x.shape[1], d_out=n_outputs, n_blocks=2, d_block=128)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=3e-4)

    def loss(out: Any, y: Any) -> Any:
        each, repeated = out.flatten(0, 1), y.repeat_interleave(out.shape[1])
        if classify:
            return torch.nn.functional.cross_entropy(each, repeated)
        return torch.nn.functional.mse_loss(each[:, 0], repeated)

    @torch.no_grad()
    def said(rows: Any) -> Any:
        model.eval()
        out = model(rows)
        return out.softmax(2).mean(1).argmax(1).numpy() if classify else out.mean(1)[:, 0].numpy()

    an_epoch = -(-len(x) // BATCH)
    patience = max(PATIENCE, -(-LEAST_PATIENCE // an_epoch))
    best, answers, waited = np.inf, None, 0
    for _ in range(max(EPOCHS, -(-LEAST_STEPS // an_epoch))):
        model.train()
        for rows in torch.randperm(len(x)).split(BATCH):
            optimizer.zero_grad()
            loss(model(x[rows]), y[rows]).backward()
            optimizer.step()
        told, known = said(held), truth.numpy()
        error = np.mean(told != known) if classify else np.mean((told - known) ** 2)
        waited += 1
        if error < best:
            best, answers, waited = error, said(new), 0
        if waited > patience:
            break
    return answers if classify else answers * scale + center


if __name__ == "__main__":
    serve("tabm", answer)
