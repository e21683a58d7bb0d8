"""Compiled core of treewright; imported by treewright._native only."""

from collections.abc import Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class PairKernel(enum.Enum):
    """How pair matrices are counted."""

    AUTOMATIC = 0

    ROWS = 1

    COLUMNS = 2

class BinaryOptions:
    """Switches of the search over binary columns."""

    def __init__(self) -> None: ...

    @property
    def lookahead(self) -> bool:
        """
        Use that a tree of k leaves costs at least k leaf penalties (Lemma 3.2, Theorems 3.3 to 3.5).
        """

    @lookahead.setter
    def lookahead(self, arg: bool, /) -> None: ...

    @property
    def two_leaves(self) -> bool:
        """
        Compute the best tree of two leaves of each child exactly, and bound the child by it instead of by its leaf.
        """

    @two_leaves.setter
    def two_leaves(self, arg: bool, /) -> None: ...

    @property
    def budgets(self) -> bool:
        """
        Stop a subproblem as soon as it can no longer improve its parent (hierarchical bound, Theorem 3.1).
        """

    @budgets.setter
    def budgets(self, arg: bool, /) -> None: ...

    @property
    def similar_support(self) -> bool:
        """
        Bound a set of rows by a solved set that differs from it in few rows (after Theorem F.1).
        """

    @similar_support.setter
    def similar_support(self, arg: bool, /) -> None: ...

    @property
    def few_rows(self) -> bool:
        """
        Bound a set of rows by a few of its rows that are proven to cost as much as three to five leaves.
        """

    @few_rows.setter
    def few_rows(self, arg: bool, /) -> None: ...

    @property
    def cache(self) -> bool:
        """
        Solve each set of rows only once, whatever the order of the splits that select it (Corollary E.1).
        """

    @cache.setter
    def cache(self, arg: bool, /) -> None: ...

    @property
    def greedy_start(self) -> bool:
        """Start with a greedy tree, so that good trees are known early."""

    @greedy_start.setter
    def greedy_start(self, arg: bool, /) -> None: ...

    @property
    def lattice(self) -> bool:
        """
        If the depth is unlimited and branch and bound does not finish early, solve the problem by a dense dynamic program over groups of columns, provided that it is small enough.
        """

    @lattice.setter
    def lattice(self, arg: bool, /) -> None: ...

    @property
    def kernel(self) -> PairKernel:
        """
        How pair matrices are counted: by rows, by columns, or by the automatic choice.
        """

    @kernel.setter
    def kernel(self, arg: PairKernel, /) -> None: ...

    @property
    def plain_steps(self) -> int:
        """
        Number of subproblems of the plain search, after which the phases for hard problems begin.
        """

    @plain_steps.setter
    def plain_steps(self, arg: int, /) -> None: ...

    @property
    def alone_steps(self) -> int:
        """
        Number of subproblems after which further threads (``Limits(n_jobs=...)``) begin. From then on the result is the first of equally good trees, whatever the number of threads. Only one thread searches if row prices may be needed or the number of leaves is limited.
        """

    @alone_steps.setter
    def alone_steps(self, arg: int, /) -> None: ...

    @property
    def lattice_states(self) -> int:
        """
        Largest number of subsets for which `lattice` tries the dense program: about 25 million per second, with 16 bytes each for two classes.
        """

    @lattice_states.setter
    def lattice_states(self, arg: int, /) -> None: ...

class BinaryProblem:
    """A problem over binary columns, reduced to distinct rows and columns."""

    def __init__(self, goes_right: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, leaf_penalty: float, min_count: int, equivalent_points: bool, guess: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, packed: bool = False, near_optimal: bool = False) -> None:
        """`near_optimal`: all trees within a budget are asked for, too."""

    def search(self, *, max_depth: int, max_leaves: int, options: BinaryOptions, price_rows: object | None, fewest_leaves: bool, recheck: tuple[int, int] | None = None, threads: int = 1, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
        """
        Search for the cheapest tree. Bounds are in weight units. `recheck`: of a guess, (steps before, most steps).
        """

    def near_optimal(self, *, leaf_penalty: int, unit_shift: int, budget: int, max_depth: int, threads: int, time_limit: float, memory_limit: int, report: object | None) -> NearOptimalSet:
        """
        Return all trees within the budget. Of the price of the search, what it has solved is solved.
        """

    def front(self, *, max_depth: int, max_leaves: int, options: BinaryOptions, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
        """
        Search for the cheapest tree of each number of leaves. Bounds are in weight units.
        """

    def suggest_violations(self, prices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_depth: int, width: int) -> dict:
        """
        Find conjunctions that cost less than the prices of their rows, quickly.
        """

    def bound_violations(self, prices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_depth: int, bar: int, max_work: int, shared_losses: bool = True) -> dict:
        """Bound by how much prices exceed the costs of any conjunction."""

    def row_cost(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Return the largest cost of each distinct row, in weight units."""

    def row_bits(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """Return the distinct rows as zeros and ones, one after another."""

    def row_class(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Return the cheapest class of each distinct row."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def base_cost(self) -> int: ...

    @property
    def leaf_penalty(self) -> int: ...

    @property
    def unit_shift(self) -> int: ...

    @property
    def can_count_leaves(self) -> bool: ...

class BornAgainEnsemble:
    """A tree ensemble over the cells of its thresholds."""

def bornagain_ensemble(feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], plane: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], roots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cells: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, link: int, single: bool, exact: bool, divisor: float, cutoff: float) -> BornAgainEnsemble: ...

def bornagain_forecast(ensemble: BornAgainEnsemble, cell_limit: float, time_limit: float) -> dict: ...

def bornagain_exact(ensemble: BornAgainEnsemble, goal: int, threads: int, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict: ...

def bornagain_hybrid(ensemble: BornAgainEnsemble, exact_boxes: float, grid_cells: float, samples: int, max_leaves: float, seed: int, descents: int, threads: int, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict: ...

def bornagain_active(ensemble: BornAgainEnsemble, cells: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict: ...

def bornagain_find_other(ensemble: BornAgainEnsemble, lo: Sequence[int], hi: Sequence[int], label: int) -> object: ...

def bornagain_label(ensemble: BornAgainEnsemble, cell: Sequence[int]) -> int: ...

def count_codes(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, triples: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Adds rows to the cells of (class, code, code, code) of triples of columns.
    """

def code_values(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Writes how many thresholds lie below each value, 255 for NaN."""

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

def exact_sum(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The exactly rounded sum; see treewright.search._exact_sum."""

@overload
def latent_layer_forward(left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], score_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], pruning: float, offset: float, fixed: bool, z: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], state: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> bool: ...

@overload
def latent_layer_forward(left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], score_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pruning: float, offset: float, fixed: bool, z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], state: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> bool:
    """
    Fill z and state = (a, slope) from scores s; False if a score is not finite.
    """

@overload
def latent_layer_backward(left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], score_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offset: float, state: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], grad_z: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], grad_a: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], grad_s: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def latent_layer_backward(left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], score_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], offset: float, state: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], grad_z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], grad_a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], grad_s: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Fill grad_s."""

@overload
def latent_project_forward(q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], pruning: float, z: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], state: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> bool: ...

@overload
def latent_project_forward(q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pruning: float, z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], state: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> bool:
    """
    Fill z, state = (a, slope) and group from scores q (rows, nodes); False if a score is not finite.
    """

@overload
def latent_project_backward(q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], state: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], grad_z: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], grad_a: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], grad_q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def latent_project_backward(q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], state: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], grad_z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], grad_a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], grad_q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Fill grad_q."""

class LeafAccuracyOptions:
    """
    Switches of the search for the best worst leaf; none changes an optimum.
    """

    def __init__(self) -> None: ...

    @property
    def cache(self) -> bool:
        """Store what is proven, by set of rows and depth."""

    @cache.setter
    def cache(self, arg: bool, /) -> None: ...

    @property
    def propagate(self) -> bool:
        """
        If a threshold is proven to fall short of the required accuracy, use the shortfall to bound the other thresholds of its column.
        """

    @propagate.setter
    def propagate(self, arg: bool, /) -> None: ...

    @property
    def neighbours(self) -> bool:
        """
        If a threshold is proven to fall short of the required accuracy, use the shortfall to bound the same threshold below other splits.
        """

    @neighbours.setter
    def neighbours(self, arg: bool, /) -> None: ...

    @property
    def convert(self) -> bool:
        """Use what is proven for one required accuracy also for the next."""

    @convert.setter
    def convert(self, arg: bool, /) -> None: ...

    @property
    def deepen(self) -> bool:
        """Solve smaller depths first."""

    @deepen.setter
    def deepen(self, arg: bool, /) -> None: ...

    @property
    def refute(self) -> bool:
        """Spend part of a long search on upper bounds."""

    @refute.setter
    def refute(self, arg: bool, /) -> None: ...

    @property
    def slack(self) -> float:
        """
        In a sweep, prove for one side of a split what is enough to exclude this share of the open thresholds next to it.
        """

    @slack.setter
    def slack(self, arg: float, /) -> None: ...

    @property
    def dense_splits(self) -> int:
        """
        Largest number of thresholds for which the depth-two step examines all pairs; sets of rows with more use sweeps.
        """

    @dense_splits.setter
    def dense_splits(self, arg: int, /) -> None: ...

    @property
    def block_rows(self) -> int:
        """
        Smallest number of rows for which the best single split is searched in blocks of neighbouring thresholds.
        """

    @block_rows.setter
    def block_rows(self, arg: int, /) -> None: ...

    @property
    def alone_work(self) -> int:
        """
        Work after which further threads (``Limits(n_jobs=...)``) begin, in units of about 20 microseconds. From then on the result is the same for any number of threads.
        """

    @alone_work.setter
    def alone_work(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int:
        """Threads of the search, the calling one among them."""

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

def leaf_accuracy_solve(rank: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], full: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, shift: int, n_classes: int, min_leaf: int, depth: int, lower_bound: bool, z: float, scale: float, real_weights: bool, target: tuple[int, int] | None, unit: tuple[int, int], leaf: tuple[int, int], options: LeafAccuracyOptions, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
    """
    Tree with the best worst leaf over all splits of ranked columns; see treewright.search._leaf_accuracy.
    """

def line_losses(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], apart: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Squared error of the best line in each column over some rows; see treewright.search._simple_lines.
    """

class NearOptimalCounts:
    """How many trees there are, by leaves and errors, at every node."""

    @property
    def complete(self) -> bool: ...

    @property
    def too_many(self) -> bool:
        """More than 2^1000 trees."""

    @property
    def stop(self) -> Stop: ...

    @property
    def bytes(self) -> int: ...

    def cells(self, node: int) -> tuple:
        """Return leaves, errors and counts (rows of 64-bit words) of a node."""

    def root_edges(self) -> object:
        """Return the trees that begin with each edge of the root."""

class NearOptimalShares:
    """How many trees there are, in floating point, at every node."""

    @property
    def stop(self) -> Stop: ...

    def leaves(self, *, to_side: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], by_node: bool, time_limit: float, memory_limit: int) -> object:
        """
        Return what stopped it, and the trees in which each node, or with `by_node=False` any, is a leaf of each class. `to_side` has for each edge how many of its columns send one row to either side, or is empty.
        """

class NearOptimalExtremes:
    """The largest sums of leaf values, by leaves and errors, at every node."""

    @property
    def complete(self) -> bool: ...

    @property
    def stop(self) -> Stop: ...

    def cells(self, node: int) -> tuple:
        """Return leaves, errors and sums of a node."""

class NearOptimalReliance:
    """By how much the cost of a tree rises if columns are drawn anew."""

    @property
    def stop(self) -> Stop: ...

    def of(self, *, copies_of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], time_limit: float, memory_limit: int, report: object | None) -> tuple:
        """
        Return what stopped it, and the least and the most of it over all trees, times the total weight, if the columns that make so many copies of each edge are drawn anew; None if there is no tree.
        """

class NearOptimalSet:
    """The trees within one budget, as a graph."""

    @staticmethod
    def of_arrays(*, depth: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], budget: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_edge: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], last_edge: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_cost: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_penalty: int, unit_shift: int, min_count: int) -> NearOptimalSet:
        """
        Make a graph of what `arrays` returned, or of what was derived from that.
        """

    def arrays(self) -> dict:
        """Return the graph: nodes, edges, and how the run ended."""

    def count(self, *, max_errors: Sequence[int], copies: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], any_label: bool, redundant: bool, time_limit: float, memory_limit: int, report: object | None, root_only: bool) -> NearOptimalCounts:
        """
        Count the trees by leaves and errors at every node, or at the root alone.
        """

    def extremes(self, *, max_errors: Sequence[int], copies: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], any_label: bool, redundant: bool, leaf_value: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], time_limit: float, memory_limit: int) -> NearOptimalExtremes:
        """Find the largest sums of leaf values (node x class)."""

    def shares(self, *, max_errors: Sequence[int], copies: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], any_label: bool, redundant: bool, time_limit: float, memory_limit: int, report: object | None) -> NearOptimalShares:
        """Count the trees in floating point, at every node."""

    def reliance(self, *, max_errors: Sequence[int], copies: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], any_label: bool, redundant: bool, time_limit: float, memory_limit: int, ones: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_at_root: bool, report: object | None) -> NearOptimalReliance:
        """Make what the reliance on every column needs."""

    def least_with_columns(self, *, max_errors: Sequence[int], copies: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], any_label: bool, redundant: bool, time_limit: float, memory_limit: int, kind: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], on_columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int, report: object | None) -> tuple:
        """
        Return what stopped it, and the fewest errors of a tree with a split on each column (column x leaves); 2^62 for none.
        """

    def trees_without_columns(self, *, max_errors: Sequence[int], copies: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], any_label: bool, redundant: bool, time_limit: float, memory_limit: int, kind: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], on_columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int, first: int, last: int, report: object | None) -> tuple:
        """
        Return what stopped it, and for each column from `first` on the number of trees of at least two leaves without a split on it, and by leaves the fewest errors of a tree without one; 2^62 for none.
        """

    def sum_by_row(self, ones: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object:
        """
        Sum shares (node x class) over the nodes of each row; `ones` are 64 rows a word for each column.
        """

    def sum_by_node(self, ones: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, value: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object:
        """Sum values (row x class) over the rows of each node."""

class SplitList:
    """The splits of a tree, depth-first, left before right."""

    def __init__(self, kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], category_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def tree_counts(splits: SplitList, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> tuple:
    """
    Left and right child, rows, and weight of each class of every node; see treewright.search._counted.
    """

def cheapest_pruning(splits: SplitList, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], unit: tuple[int, int], leaf: tuple[int, int], least: float, seconds: float) -> tuple:
    """Splits of the cheapest pruning; see treewright.search._prune."""

def cheapest_loss_pruning(splits: SplitList, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], kind: int, sums: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], unit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], one_leaf: float, leaf: int, seconds: float) -> tuple:
    """
    Splits of the cheapest pruning for an additive loss; see treewright.search._prune_additive.
    """

def best_worst_leaf(splits: SplitList, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], unit: tuple[int, int], leaf: tuple[int, int], z: float, scale: float, seconds: float) -> tuple:
    """
    Splits of the pruning with the best worst leaf; see treewright.search._prune.
    """

def best_split_of_labels(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: int, y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], min_leaf: int, below: float) -> object:
    """
    Column, the values around the threshold, and whether missing values go left; see treewright.search._single_split.
    """

def best_of_packed_splits(packed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], min_leaf: int) -> object:
    """
    Number of the best of splits whose rows are bits; see treewright.search._single_split.
    """

def best_split_of_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: int, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], min_leaf: int, below: float) -> object:
    """The same for rows of whose sums the loss of a leaf is a function."""

def best_split_of_targets(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], up: float, down: float, min_leaf: int, below: float) -> tuple:
    """
    The same for the quantile loss of targets, and how many columns had to be ranked for it.
    """

class RankedOptions:
    """Switches of the search over ranked columns; none changes the optimum."""

    def __init__(self) -> None: ...

    @property
    def monotone(self) -> bool:
        """
        Use that a lower bound for a set of rows also holds for its supersets (bounds/interval_bounds.hpp). Automatically off if ``min_samples_leaf > 1``.
        """

    @monotone.setter
    def monotone(self, arg: bool, /) -> None: ...

    @property
    def lipschitz(self) -> bool:
        """
        Use that a lower bound for a set of rows, minus the weight of the rows that are removed, holds for its subsets (bounds/interval_bounds.hpp).
        """

    @lipschitz.setter
    def lipschitz(self, arg: bool, /) -> None: ...

    @property
    def between(self) -> bool:
        """
        Add to a bound what the rows between two thresholds cost by themselves (bounds/interval_bounds.hpp). Automatically off if ``min_samples_leaf > 1``.
        """

    @between.setter
    def between(self, arg: bool, /) -> None: ...

    @property
    def any_size(self) -> bool:
        """
        With ``min_samples_leaf > 1``: first find the splits that cannot be excluded for leaves of any size, then solve only these (search/ranked_any_size.cpp).
        """

    @any_size.setter
    def any_size(self, arg: bool, /) -> None: ...

    @property
    def leaf_count(self) -> bool:
        """Use that a deeper tree has more leaves, each with its penalty."""

    @leaf_count.setter
    def leaf_count(self, arg: bool, /) -> None: ...

    @property
    def shallower(self) -> bool:
        """
        Solve every node with one level less first, for an incumbent and a bound.
        """

    @shallower.setter
    def shallower(self, arg: bool, /) -> None: ...

    @property
    def cache(self) -> bool:
        """Store bounds by set of rows and depth."""

    @cache.setter
    def cache(self, arg: bool, /) -> None: ...

    @property
    def neighbours(self) -> bool:
        """
        Use bounds of neighbouring thresholds in subproblems (bounds/interval_bounds.hpp), if a kernel pass takes at least `sharing_work` steps.
        """

    @neighbours.setter
    def neighbours(self, arg: bool, /) -> None: ...

    @property
    def fair_shares(self) -> bool:
        """
        In subproblems of depth four or more, first prove for each side of a split only its likely share of the bound.
        """

    @fair_shares.setter
    def fair_shares(self, arg: bool, /) -> None: ...

    @property
    def resume(self) -> bool:
        """
        If an unfinished node is needed again with a larger budget, continue where its search stopped.
        """

    @resume.setter
    def resume(self, arg: bool, /) -> None: ...

    @property
    def rising(self) -> bool:
        """
        In a long search, prove rising lower bounds of the root one after another instead of the optimum at once.
        """

    @rising.setter
    def rising(self, arg: bool, /) -> None: ...

    @property
    def plain_work(self) -> int:
        """
        Work of the search before `rising` begins, in units of about a nanosecond: a kernel pass takes rows times columns units, and four to eight times as many with many classes or other losses.
        """

    @plain_work.setter
    def plain_work(self, arg: int, /) -> None: ...

    @property
    def early_work(self) -> int:
        """
        For misclassification costs and depth four or more: work that a long search spends on proving half of the best cost, before the rest of the plain search, so that its bound is worth reading early. In the units of `plain_work`; 0 is none.
        """

    @early_work.setter
    def early_work(self, arg: int, /) -> None: ...

    @property
    def core(self) -> bool:
        """
        For misclassification costs: before `rising`, a long search solves the problem for few rows, whose optimum is a lower bound for all rows (bounds/core_rows.hpp). Automatically off without `monotone`, or if ``min_samples_leaf > 1``.
        """

    @core.setter
    def core(self, arg: bool, /) -> None: ...

    @property
    def core_passes(self) -> int:
        """
        Number of passes of the kernel before `core` and `parts` begin, or a third of `plain_work` if that is less.
        """

    @core_passes.setter
    def core_passes(self, arg: int, /) -> None: ...

    @property
    def core_share(self) -> float:
        """
        Largest share of all rows that `core` may use. It is skipped if its first rows, doubled once, would be more.
        """

    @core_share.setter
    def core_share(self, arg: float, /) -> None: ...

    @property
    def parts(self) -> bool:
        """
        After `core`, a long search over many rows solves the problem for parts of the rows, whose lower bounds add up to one for all rows (bounds/row_parts.hpp).
        """

    @parts.setter
    def parts(self, arg: bool, /) -> None: ...

    @property
    def part_rows(self) -> int:
        """
        Approximate number of rows of each part; `parts` is used only if there are at least four.
        """

    @part_rows.setter
    def part_rows(self, arg: int, /) -> None: ...

    @property
    def alone_work(self) -> int:
        """
        Work after which further threads (``Limits(n_jobs=...)``) begin, in the units of `plain_work`.
        """

    @alone_work.setter
    def alone_work(self, arg: int, /) -> None: ...

    @property
    def together_work(self) -> int:
        """
        Smallest work of one pass over the rows of a node below the root, in the units of `plain_work`, for which several threads search it together while they have nothing else to do.
        """

    @together_work.setter
    def together_work(self, arg: int, /) -> None: ...

    @property
    def sharing_work(self) -> int:
        """
        Smallest number of steps of a kernel pass (rows times columns, as for `plain_work`) for which `neighbours` is used.
        """

    @sharing_work.setter
    def sharing_work(self, arg: int, /) -> None: ...

    @property
    def slack(self) -> float:
        """
        Additional budget of a child, as a multiple of the cost that the rows in half of the open interval can have; four times as much for children of depth two.
        """

    @slack.setter
    def slack(self, arg: float, /) -> None: ...

    @property
    def lanes(self) -> int:
        """
        Largest number of thresholds in one pass of the depth-two kernel, 1 to 64; fewer if registers are narrower.
        """

    @lanes.setter
    def lanes(self, arg: int, /) -> None: ...

    @property
    def compact_rows(self) -> bool:
        """
        For the squared error of one output with all weights one: the depth-two kernel reads each row as one number of eight bytes (kernels/moment_kernel.hpp).
        """

    @compact_rows.setter
    def compact_rows(self, arg: bool, /) -> None: ...

    @property
    def target_bins(self) -> bool:
        """
        For the absolute error and quantiles: exclude columns that cannot have the best split, by sums over few bins of targets (objective/column_bounds.hpp).
        """

    @target_bins.setter
    def target_bins(self, arg: bool, /) -> None: ...

    @property
    def groups(self) -> bool:
        """
        Search a table of up to 512 binary columns, or of up to 64 thresholds, as groups of equal rows (search/group_search.hpp). Used if the loss is the squared error of one output or the survival loss, and the number of leaves is not limited. Of the other switches, only `segments` and `alone_work` matter then.
        """

    @groups.setter
    def groups(self, arg: bool, /) -> None: ...

    @property
    def segments(self) -> bool:
        """
        In a search with `groups`, bound the cost by the cheapest clusters of the groups on a line (bounds/segmentation.hpp).
        """

    @segments.setter
    def segments(self, arg: bool, /) -> None: ...

    @property
    def threads(self) -> int:
        """Threads of the search, the calling one among them."""

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

class RankedProblem:
    """
    A problem over all splits of ranked columns; see treewright.search._solve_ranked.
    """

    def __init__(self, rank: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, unit: int, leaf: int, min_leaf: int) -> None:
        """
        `unit`, a power of two, is what one unit of cost counts, `leaf` what a leaf does.
        """

    def search(self, *, depth: int, max_leaves: int, options: RankedOptions, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
        """
        Search for the cheapest tree, whose cost is beyond what every tree pays.
        """

    def near_optimal(self, *, split: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_split: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_penalty: int, unit_shift: int, budget: int, max_depth: int, threads: int, time_limit: float, memory_limit: int, report: object | None) -> NearOptimalSet:
        """
        Return all trees within the budget. `split` numbers the splits of all columns, in order of their ranks, those of column c from `first_split[c]` on; -1: another column has the same split. In the units of the search, what it has solved is solved.
        """

    @property
    def base_cost(self) -> int: ...

    @property
    def leaf_penalty(self) -> int: ...

    @property
    def unit_shift(self) -> int: ...

def squared_error_solve(rank: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weighted: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], shift: int, tie_bits: int, leaf: int, min_leaf: int, depth: int, max_leaves: int, options: RankedOptions, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
    """
    Best tree for squared error over all splits of ranked columns; see treewright.search._additive.
    """

def action_costs_solve(rank: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], tie_bits: int, leaf: int, min_leaf: int, depth: int, max_leaves: int, options: RankedOptions, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
    """
    Best tree of actions over all splits of ranked columns; see treewright.search._additive.
    """

def survival_solve(rank: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], events: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hazard: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: int, tie_bits: int, leaf: int, min_leaf: int, depth: int, max_leaves: int, options: RankedOptions, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
    """
    Best survival tree over all splits of ranked columns; see treewright.search._additive.
    """

def log_loss_solve(rank: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, scale: int, tie_bits: int, leaf: int, min_leaf: int, depth: int, max_leaves: int, options: RankedOptions, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
    """
    Best probability tree for log loss over all splits of ranked columns; see treewright.search._additive.
    """

def pinball_solve(rank: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], up: int, down: int, shift: int, tie_bits: int, leaf: int, min_leaf: int, depth: int, max_leaves: int, options: RankedOptions, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
    """
    Best tree of quantiles over all splits of ranked columns; see treewright.search._additive.
    """

def simple_lines_solve(rank: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: int, tie_bits: int, leaf: int, min_leaf: int, depth: int, max_leaves: int, options: RankedOptions, time_limit: float, step_limit: int, memory_limit: int, report: object | None) -> dict:
    """
    Best tree of lines in one column over all splits of ranked columns; see treewright.search._simple_lines.
    """

def rank_values(column: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple:
    """
    Writes the rank of each value of a column; returns the values and the known rows.
    """

def rank_by_thresholds(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_lowest: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Writes for groups of thresholds of a column how many of them lie below each value.
    """

def write_threshold_bits(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Writes where each threshold sends each row, as bits."""

class ValueBuckets:
    """A column in buckets of neighbouring values, each sorted when needed."""

    def __init__(self, column: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def n_known(self) -> int:
        """Rows with a value."""

    @property
    def n_gaps(self) -> int:
        """Gaps between neighbouring distinct values."""

    def gap(self, which: int) -> tuple:
        """Returns the values around a gap, and the rows on its left."""

    def first_with(self, rows: float) -> int:
        """
        Returns the first gap with as many rows on its left, or the number of gaps.
        """

def running_weights(before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_known: int, rank: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object:
    """
    Returns the weight of the rows with at most each value, added row by row.
    """
