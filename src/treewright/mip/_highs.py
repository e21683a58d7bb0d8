"""The only file that talks to HiGHS.

The solver runs in a thread of its own while this one waits: so Ctrl-C reaches Python at once, and is passed on at the
solver's next callback, or its next look at the clock, as a request to stop. An exception of the user's progress
function must not cross the solver's C++ frames; it is kept, the run is stopped, and it is raised again afterwards.

HiGHS has no limit on memory: the waiting thread watches what the process has grown by. It has one pool of threads for
the whole process, which must keep its size during a run, so runs in one process wait for each other.
"""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import MissingDependencyError
from treewright.mip._model import Model
from treewright.mip._outcome import ENDED_BY_USER, Incumbent, Job, Outcome, resident_memory
from treewright.result import StopReason

try:
    import highspy
except ImportError as error:
    raise MissingDependencyError(
        "Mixed-integer programs need a solver, and HiGHS is not installed. Install the extra that brings it: "
        "pip install 'treewright[mip]' (or gurobipy with a licence, and solver=\"gurobi\")."
    ) from error

__all__ = ["run"]

BETWEEN_REPORTS = 0.05  # seconds
SECONDS_TO_BEGIN = 1.0  # after which a thread is taken never to have been started
_schedulers = threading.Lock()
_pool_size = 0


def run(model: Model, job: Job) -> Outcome:
    """Minimise `model` with HiGHS."""
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in _options(job).items():
        solver.setOptionValue(option, value)
    solver.passModel(_native(model))
    if job.start is not None:
        solution = highspy.HighsSolution()
        solution.col_value = job.start.tolist()
        solver.setSolution(solution)
    watch = _Watch(job)
    solver.setCallback(watch, None)
    kinds = highspy.cb.HighsCallbackType
    for kind in (
        kinds.kCallbackMipInterrupt,
        kinds.kCallbackMipImprovingSolution,
        kinds.kCallbackSimplexInterrupt,
        kinds.kCallbackIpmInterrupt,
    ):
        solver.startCallback(kind)
    with _schedulers:
        _use_threads(job.threads)
        watch.start = time.monotonic()
        _run_beside(solver, watch)
        seconds = time.monotonic() - watch.start
    if watch.error is not None:
        raise watch.error
    try:
        return _outcome(solver, watch, job, seconds)
    except KeyboardInterrupt:  # the solver ended before: its solutions are read again
        watch.stop = watch.stop or StopReason.INTERRUPT
        return _outcome(solver, watch, job, seconds)


class _Watch:
    """The callback: keeps solutions, reports, and says when to stop."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.start = time.monotonic()
        self.stop: StopReason | None = None
        self.error: BaseException | None = None
        self.incumbents: list[Incumbent] = []
        self.reported = -math.inf
        self.memory = resident_memory() if job.held is None else job.held

    def __call__(self, kind: Any, message: str, out: Any, answer: Any, data: Any) -> None:
        try:
            self._see(kind, out)
        except KeyboardInterrupt:  # of the user's progress function
            self.stop = self.stop or StopReason.INTERRUPT
        except BaseException as error:
            self.error = error
        if (self.stop is not None or self.error is not None) and answer is not None:
            answer.user_interrupt = True

    def has_grown(self) -> bool:
        """Whether the process has grown by more than the memory limit."""
        limit = self.job.limits.memory_limit
        return limit is not None and resident_memory() - self.memory > limit

    def _see(self, kind: Any, out: Any) -> None:
        now = time.monotonic() - self.start
        kinds = highspy.cb.HighsCallbackType
        if kind == kinds.kCallbackMipImprovingSolution:
            values = np.asarray(out.mip_solution, dtype=np.float64)[self.job.keep]
            self.incumbents.append(
                Incumbent(now, self.job.unit * float(out.objective_function_value), values)
            )
            return
        if now - self.reported < BETWEEN_REPORTS:
            return
        self.reported = now
        if kind == kinds.kCallbackMipInterrupt and self.job.report is not None:
            objective = self.incumbents[-1].objective if self.incumbents else math.inf
            bound, nodes = _finite(float(out.mip_dual_bound), self.job.unit), max(0, int(out.mip_node_count))
            if self.job.report(now, objective, bound, nodes):
                self.stop = self.stop or StopReason.CALLBACK


def _run_beside(solver: Any, watch: _Watch) -> None:
    """Run the solver in a thread; Ctrl-C here asks it to stop.

    Presolve takes seconds for a large program and calls nothing back, but it reads the time limit as it goes.
    """
    began, ended = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        try:
            solver.run()
        finally:
            ended.set()

    def end(reason: StopReason) -> None:
        watch.stop = watch.stop or reason
        solver.setOptionValue("time_limit", 0.0)

    try:
        threading.Thread(target=work, daemon=True).start()
    except KeyboardInterrupt:  # `start` waits for the thread, which may run by now and must not be left alone
        if not began.wait(SECONDS_TO_BEGIN):
            raise
        end(StopReason.INTERRUPT)
    over = False
    while not over:
        try:
            over = ended.wait(BETWEEN_REPORTS)
            if not over and watch.has_grown():
                end(StopReason.MEMORY_LIMIT)
        except KeyboardInterrupt:
            end(StopReason.INTERRUPT)


def _use_threads(threads: int) -> None:
    global _pool_size
    if threads != _pool_size:
        highspy.Highs.resetGlobalScheduler(True)
        _pool_size = threads


def _options(job: Job) -> dict[str, Any]:
    options: dict[str, Any] = {
        "output_flag": False,
        "threads": job.threads,
        "random_seed": job.seed,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 1e-9,
    }
    if job.limits.time_limit is not None:
        options["time_limit"] = float(job.limits.time_limit)
    if job.limits.step_limit is not None:
        options["mip_max_nodes"] = min(int(job.limits.step_limit), 2**31 - 1)
    return options


def _native(model: Model) -> Any:
    matrix = model.matrix()
    lower, upper = model.row_bounds
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = model.n_variables, matrix.shape[0]
    lp.offset_ = model.offset / model.unit
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.cost / model.unit, model.lower, _infinite(model.upper)
    lp.row_lower_, lp.row_upper_ = _infinite(lower), _infinite(upper)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = model.n_variables, matrix.shape[0]
    lp.a_matrix_.start_ = matrix.indptr.astype(np.int32)
    lp.a_matrix_.index_ = matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = matrix.data
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    lp.integrality_ = [kinds[int(whole)] for whole in model.integer]
    return lp


def _infinite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(values, -highspy.kHighsInf, highspy.kHighsInf)


def _finite(bound: float, unit: float) -> float:
    return unit * bound if abs(bound) < 1e30 else -math.inf


def _outcome(solver: Any, watch: _Watch, job: Job, seconds: float) -> Outcome:
    status, states, info = solver.getModelStatus(), highspy.HighsModelStatus, solver.getInfo()
    incumbents = list(watch.incumbents)
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        values = np.asarray(solver.getSolution().col_value, dtype=np.float64)[job.keep]
        incumbents.append(Incumbent(seconds, job.unit * float(info.objective_function_value), values))
    stop = watch.stop
    if stop is None and status == states.kTimeLimit:
        stop = StopReason.TIME_LIMIT
    if stop is None and status == states.kSolutionLimit:  # also of nodes
        stop = StopReason.STEP_LIMIT
    proven = status == states.kOptimal
    return Outcome(
        proven=proven,
        infeasible=status in (states.kInfeasible, states.kUnboundedOrInfeasible),
        stop=None if proven and stop not in ENDED_BY_USER else stop,
        incumbents=tuple(incumbents),
        bound=_finite(float(info.mip_dual_bound), job.unit),
        nodes=max(0, int(info.mip_node_count)),
        seconds=seconds,
        solver=f"HiGHS {solver.version()}",
        words=str(solver.modelStatusToString(status)),
    )
