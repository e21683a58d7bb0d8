"""The only file that talks to Gurobi, which is used where it is installed and asked for (``solver="gurobi"``)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright.errors import MissingDependencyError, SolverError
from treewright.mip._model import Model
from treewright.mip._outcome import ENDED_BY_USER, Incumbent, Job, Outcome
from treewright.result import StopReason

try:
    import gurobipy
except ImportError as error:
    raise MissingDependencyError(
        'solver="gurobi" needs the package gurobipy and a licence of Gurobi (pip install gurobipy). '
        "The default, solver=\"highs\", needs neither: pip install 'treewright[mip]'."
    ) from error

__all__ = ["run"]


def run(model: Model, job: Job) -> Outcome:
    """Minimise `model` with Gurobi.

    Raises
    ------
    SolverError
        Gurobi refuses the model: no licence, or one too small for it.
    """
    try:
        with gurobipy.Env(params={"OutputFlag": 0}) as environment, gurobipy.Model(env=environment) as native:
            return _run(model, job, native)
    except gurobipy.GurobiError as error:
        raise SolverError(f'Gurobi ended with an error: {error}. solver="highs" needs no licence.') from error


def _run(model: Model, job: Job, native: Any) -> Outcome:
    kinds = np.where(model.integer, "I", "C")
    x = native.addMVar(
        model.n_variables, lb=model.lower, ub=model.upper, obj=model.cost / model.unit, vtype=kinds
    )
    native.ObjCon = model.offset / model.unit
    matrix = model.matrix()
    lower, upper = model.row_bounds
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    native.addMConstr(matrix[has_lower], x, ">", lower[has_lower])
    native.addMConstr(matrix[has_upper], x, "<", upper[has_upper])
    settings: dict[str, Any] = {"Threads": job.threads, "Seed": job.seed, "MIPGap": 0.0, "MIPGapAbs": 1e-9}
    if job.limits.time_limit is not None:
        settings["TimeLimit"] = float(job.limits.time_limit)
    if job.limits.step_limit is not None:
        settings["NodeLimit"] = float(job.limits.step_limit)
    if job.limits.memory_limit is not None:
        settings["SoftMemLimit"] = job.limits.memory_limit / 1e9
    for name, value in settings.items():
        native.setParam(name, value)
    if job.start is not None:
        x.Start = job.start
    incumbents: list[Incumbent] = []
    raised: list[BaseException] = []
    stops: list[StopReason] = []

    def watch(state: Any, where: int) -> None:
        codes = gurobipy.GRB.Callback
        try:
            if where == codes.MIPSOL:
                values = np.asarray(state.cbGetSolution(x), dtype=np.float64)[job.keep]
                objective = job.unit * float(state.cbGet(codes.MIPSOL_OBJ))
                incumbents.append(Incumbent(float(state.cbGet(codes.RUNTIME)), objective, values))
            elif where == codes.MIP and job.report is not None:
                best, bound = float(state.cbGet(codes.MIP_OBJBST)), float(state.cbGet(codes.MIP_OBJBND))
                told = (
                    _finite(best, math.inf, job.unit),
                    _finite(bound, -math.inf, job.unit),
                    int(state.cbGet(codes.MIP_NODCNT)),
                )
                if job.report(float(state.cbGet(codes.RUNTIME)), *told):
                    stops.append(StopReason.CALLBACK)
                    state.terminate()
        except BaseException as error:
            raised.append(error)
            state.terminate()

    native.optimize(watch)
    if raised:
        raise raised[0]
    return _outcome(native, x, job, incumbents, stops)


def _outcome(native: Any, x: Any, job: Job, incumbents: list[Incumbent], stops: list[StopReason]) -> Outcome:
    codes = gurobipy.GRB
    if native.SolCount:
        values = np.asarray(x.X, dtype=np.float64)[job.keep]
        incumbents.append(Incumbent(float(native.Runtime), job.unit * float(native.ObjVal), values))
    reasons = {
        codes.TIME_LIMIT: StopReason.TIME_LIMIT,
        codes.NODE_LIMIT: StopReason.STEP_LIMIT,
        codes.MEM_LIMIT: StopReason.MEMORY_LIMIT,
        codes.INTERRUPTED: StopReason.INTERRUPT,
    }
    proven = native.Status == codes.OPTIMAL
    stop = stops[0] if stops else reasons.get(native.Status)
    infeasible = native.Status in (codes.INFEASIBLE, codes.INF_OR_UNBD)
    return Outcome(
        proven=proven,
        infeasible=infeasible,
        stop=None if proven and stop not in ENDED_BY_USER else stop,
        incumbents=tuple(incumbents),
        bound=-math.inf if infeasible else _finite(float(native.ObjBound), -math.inf, job.unit),
        nodes=int(native.NodeCount),
        seconds=float(native.Runtime),
        solver="Gurobi " + ".".join(map(str, gurobipy.gurobi.version())),
        words=next((name for name in dir(codes.Status) if getattr(codes.Status, name) == native.Status), ""),
    )


def _finite(value: float, otherwise: float, unit: float) -> float:
    return unit * value if abs(value) < 1e99 else otherwise
