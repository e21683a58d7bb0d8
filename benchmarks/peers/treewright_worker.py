"""treewright through its estimator, the way a user calls it: binarized matrix in, fitted estimator out.

With the option `switch_off` (names of `SearchOptions`, may be empty) the steps below the estimator are called
instead, from the same matrix: table, cuts, problem, search. That is for the ablation table.
"""

from _worker import Answer, Run, serve

import treewright


def make(job, arrays):
    X, y = arrays["X"], arrays["y"]
    if X.dtype == "uint8":
        X = X.astype(bool)  # 0/1 bytes are booleans, as for the peers
    options = dict(job.get("options", {}))
    switch_off = options.pop("switch_off", None)
    return estimate(job, options, X, y) if switch_off is None else search(job, switch_off, X, y)


def estimate(job, options, X, y):
    """Time `OptimalTreeClassifier.fit`."""
    model = treewright.OptimalTreeClassifier(
        cost_complexity=job["cost_complexity"],
        max_depth=job["max_depth"],
        time_limit=job["time_limit"],
        **options,
    )
    return Run(lambda: model.fit(X, y), lambda: read(model.result_, model.predict(X)))


def search(job, switch_off, X, y):
    """Time table, cuts, problem and search, some bounds off."""
    from treewright.binarize import midpoints
    from treewright.problem import make_problem
    from treewright.search import Limits, SearchOptions, solve
    from treewright.table import table_from

    done = []

    def fit():
        table = table_from(X)
        problem = make_problem(table, y, cost_complexity=job["cost_complexity"], max_depth=job["max_depth"])
        options = SearchOptions(**dict.fromkeys(switch_off, False))
        limits = Limits(time_limit=job["time_limit"])
        done[:] = [solve(problem, midpoints(table), limits=limits, options=options)]

    return Run(fit, lambda: read(done[0], done[0].tree.predict(X.astype(float))))


def read(result, predictions):
    """Return a SolveResult as an answer."""
    return Answer(
        predictions=predictions,
        n_leaves=result.tree.n_leaves,
        depth=result.tree.depth,
        status=status_word(result),
        lower_bound=float(result.lower_bound),
        own_objective=float(result.objective),
        notes=list(result.notes),
        extra={
            "status": result.status.name,
            "stop_reason": result.stop_reason.name if result.stop_reason else None,
            "scope": result.scope,
            **{k: v for k, v in result.stats.items() if isinstance(v, int | float | str)},
        },
    )


def status_word(result):
    """Return the word of the worker protocol for a SolveResult."""
    if result.status.name == "OPTIMAL":
        return "optimal"
    if result.status.name == "OPTIMAL_UNDER_GUESSES":
        return "guessed"
    return (
        "time_out"
        if result.stop_reason is not None and result.stop_reason.name == "TIME_LIMIT"
        else "unproven"
    )


if __name__ == "__main__":
    serve("treewright", "treewright", make)
