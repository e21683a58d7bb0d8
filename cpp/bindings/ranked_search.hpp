// Runs a search over ranked columns for Python: what every objective's binding shares.
#pragma once

#include "arrays.hpp"
#include "check.hpp"
#include "control.hpp"
#include "ranked_tree.hpp"
#include "treewright/objective/ranked_objective.hpp"
#include "treewright/search/group_search.hpp"
#include "treewright/search/ranked_search.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>

namespace treewright::ranked {

// Copies ranks of shape (columns, rows).
inline void set_ranks(RankedTable& table, const Matrix<std::uint32_t>& rank, std::size_t n_rows,
                      std::uint32_t min_leaf) {
    if (rank.shape(1) != n_rows) throw std::invalid_argument("ranked search: arrays of different lengths");
    if (n_rows == 0 || n_rows >= (std::size_t{1} << 31)) throw std::invalid_argument("ranked search: row count");
    if (min_leaf < 1) throw std::invalid_argument("ranked search: min_leaf below 1");
    require_ranks({rank.data(), rank.size()}, n_rows);
    table.n_rows = static_cast<std::uint32_t>(n_rows);
    table.n_columns = static_cast<std::uint32_t>(rank.shape(0));
    table.min_leaf = min_leaf;
    table.rank.assign(rank.data(), rank.data() + rank.size());
}

// `make` prepares the table and gives the objective; it runs without the interpreter's lock, as the search does.
inline nanobind::dict run_search(const std::function<std::unique_ptr<RankedObjective>()>& make, std::uint32_t depth,
                                 std::uint32_t max_leaves, const Options& options, Control& control) {
    if (depth < 1 || max_leaves == 1) throw std::invalid_argument("ranked search: parameter below 1");
    if (options.lanes < 1 || options.lanes > 64 || !(options.slack >= 0) || !(options.core_share >= 0) ||
        options.part_rows < 1)
        throw std::invalid_argument("ranked search: an option is out of range");
    Outcome outcome;
    std::vector<TreeNode> tree;
    Statistics statistics;
    {
        nanobind::gil_scoped_release release;
        const std::unique_ptr<RankedObjective> objective = make();
        const Size limits{depth, max_leaves == 0 ? Size::kAny : max_leaves};
        const auto run = [&](auto&& search) {
            outcome = search.run(limits);
            tree = search.write(outcome.plan);
            statistics = search.statistics();
        };
        if (GroupSearch::fits(*objective, options, limits))
            run(GroupSearch(*objective, options, control));
        else
            run(Search(*objective, options, control));
    }
    nanobind::dict result;
    result["lower"] = outcome.lower;
    result["upper"] = outcome.upper;
    result["nodes"] = to_python(tree);
    add_run(result, control);
    result["pair_solves"] = statistics.pair_solves;
    result["passes"] = statistics.passes;
    result["row_steps"] = statistics.row_steps;
    result["subproblems"] = statistics.nodes;
    result["cache_hits"] = statistics.cache_hits;
    result["gaps_closed"] = statistics.gaps_closed;
    result["core_rows"] = statistics.core_rows;
    result["parts"] = statistics.parts;
    result["bytes"] = statistics.bytes;
    return result;
}

}  // namespace treewright::ranked
