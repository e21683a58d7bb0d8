"""treewright, under the definitions that the job asks for."""

from _set_worker import serve

from treewright import near_optimal_trees


def count(job, X, y):
    rule, rows = job["rule"], job["bound_rows"]
    found = near_optimal_trees(
        X,
        1 - y if rule == "treefarms" else y,  # of equally cheap labels TreeFARMS takes the second
        cost_complexity=job["cost_complexity"],
        max_depth=job["max_depth"],
        epsilon=job["epsilon"],
        max_objective=None if rows is None else rows / len(y),
        leaf_labels="cheapest" if rule == "treefarms" else "any",
        redundant_splits=rule != "treefarms",
        thresholds="all",
        time_limit=job["wall_limit"],
        progress=False,
    )
    if found.status_ != "complete":
        raise TimeoutError(found.status_)
    return {
        "trees": str(found.n_trees_),
        "graph_megabytes": found.counts.graph.arrays["bytes"] / 1e6,
        "least": round((found.best.loss + job["cost_complexity"] * found.best.tree.n_leaves) * len(y)),
    }


if __name__ == "__main__":
    serve("treewright", count)
