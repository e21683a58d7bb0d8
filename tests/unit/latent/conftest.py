"""Latent trees need PyTorch; one thread, so that sums are in one order and times are of one core."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")
torch.set_num_threads(1)
