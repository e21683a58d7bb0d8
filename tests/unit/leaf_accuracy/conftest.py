"""One thread a test: on a busy machine OpenMP's threads wait for each other, longer than tiny fits take."""

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with threadpool_limits(limits=1):
        yield
