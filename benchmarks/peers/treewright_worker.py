"""treewright through its estimator, the way a user calls it: binarized matrix in, fitted estimator out.

The option `switch_off` names switches of `BinaryOptions` to turn off, for the ablation table; the others are
parameters of the estimator.
"""

from _worker import Answer, Run, serve

from treewright import OptimalTreeClassifier
from treewright.search import BinaryOptions


def make(job, arrays):
    X, y = arrays["X"], arrays["y"]
    if X.dtype == "uint8":
        X = X.astype(bool)  # 0/1 bytes are booleans, as for the peers
    options = dict(job.get("options", {}))
    switches = BinaryOptions(**dict.fromkeys(options.pop("switch_off", ()), False))
    model = OptimalTreeClassifier(
        cost_complexity=job["cost_complexity"],
        max_depth=job["max_depth"],
        time_limit=job["time_limit"],
        search_options=switches,
        **options,
    )
    return Run(lambda: model.fit(X, y), lambda: read(model.result_, model.predict(X), model.predict))


def read(result, predictions, predict=None):
    """Return a SolveResult as an answer."""
    return Answer(
        predictions=predictions,
        n_leaves=result.tree.n_leaves,
        depth=result.tree.depth,
        status=status_word(result),
        lower_bound=float(result.lower_bound),
        own_objective=float(result.objective),
        notes=list(result.notes),
        predict=predict,
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
