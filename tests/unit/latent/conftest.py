"""One thread for PyTorch, so that sums are in one order and times are of one core; the tests skip without it."""

try:
    import torch
except ImportError:
    pass
else:
    torch.set_num_threads(1)
