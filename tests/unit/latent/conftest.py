"""One thread for PyTorch, so that sums are in one order; the tests skip without it."""

try:
    import torch
except ImportError:
    pass
else:
    torch.set_num_threads(1)
