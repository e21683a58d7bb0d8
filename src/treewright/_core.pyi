"""Compiled core of treewright; imported by treewright._native only."""

import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class PairKernel(enum.Enum):
    """How pair matrices are counted."""

    AUTOMATIC = 0

    ROWS = 1

    COLUMNS = 2

class BitsOptions:
    """Switches of the search over binary columns."""

    def __init__(self) -> None: ...

    @property
    def lookahead(self) -> bool: ...

    @lookahead.setter
    def lookahead(self, arg: bool, /) -> None: ...

    @property
    def two_leaves(self) -> bool: ...

    @two_leaves.setter
    def two_leaves(self, arg: bool, /) -> None: ...

    @property
    def budgets(self) -> bool: ...

    @budgets.setter
    def budgets(self, arg: bool, /) -> None: ...

    @property
    def similar_support(self) -> bool: ...

    @similar_support.setter
    def similar_support(self, arg: bool, /) -> None: ...

    @property
    def cache(self) -> bool: ...

    @cache.setter
    def cache(self, arg: bool, /) -> None: ...

    @property
    def greedy_start(self) -> bool: ...

    @greedy_start.setter
    def greedy_start(self, arg: bool, /) -> None: ...

    @property
    def lattice(self) -> bool: ...

    @lattice.setter
    def lattice(self, arg: bool, /) -> None: ...

    @property
    def kernel(self) -> PairKernel: ...

    @kernel.setter
    def kernel(self, arg: PairKernel, /) -> None: ...

    @property
    def plain_steps(self) -> int: ...

    @plain_steps.setter
    def plain_steps(self, arg: int, /) -> None: ...

class BitsProblem:
    """A problem over binary columns, reduced to distinct rows and columns."""

    def __init__(self, goes_right: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, leaf_price: float, min_count: int, equivalent_points: bool, guess: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def search(self, *, max_depth: int, max_leaves: int, options: BitsOptions, prices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
        """Search for the cheapest tree. Bounds are in weight units."""

    def find_violations(self, prices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_depth: int, most_found: int, most_explored: int) -> dict:
        """Find conjunctions that cost less than the prices of their rows."""

    def row_cost(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Return the largest cost of each distinct row, in weight units."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def base_cost(self) -> int: ...

    @property
    def leaf_price(self) -> int: ...

    @property
    def unit_shift(self) -> int: ...

class Stop(enum.Enum):
    """Why a run ended before its proof."""

    NONE = 0

    TIME = 1

    STEPS = 2

    MEMORY = 3

    INTERRUPT = 4

    CALLBACK = 5

class Simd(enum.Enum):
    """Instruction-set level of the kernels."""

    PLAIN = 0

    AVX2 = 1

    AVX512 = 2

def simd() -> Simd:
    """Return the level in use."""

def detected_simd() -> Simd:
    """Return the best level of this machine."""

def set_simd_limit(limit: Simd) -> None:
    """Use no level above `limit`."""
