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
#include <optional>
#include <stdexcept>
#include <utility>

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

// What a search is asked beside its objective.
struct Run {
    std::uint32_t min_leaf, depth, max_leaves;
    const Options& options;
    Control control;
};

// What a search has found.
struct Answer {
    Outcome outcome;
    std::vector<TreeNode> tree;
    Statistics statistics;

    template <class AnySearch>
    [[nodiscard]] static Answer of(AnySearch&& search, Size limits) {
        Answer found;
        found.outcome = search.run(limits);
        found.tree = search.write(found.outcome.plan);
        found.statistics = search.statistics();
        return found;
    }
};

inline nanobind::dict result_of(const Answer& found, const Control& control) {
    nanobind::dict result;
    result["lower"] = found.outcome.lower;
    result["upper"] = found.outcome.upper;
    result["nodes"] = to_python(found.tree);
    add_run(result, control);
    result["pair_solves"] = found.statistics.pair_solves;
    result["passes"] = found.statistics.passes;
    result["row_steps"] = found.statistics.row_steps;
    result["subproblems"] = found.statistics.nodes;
    result["cache_hits"] = found.statistics.cache_hits;
    result["gaps_closed"] = found.statistics.gaps_closed;
    result["core_rows"] = found.statistics.core_rows;
    result["parts"] = found.statistics.parts;
    result["bytes"] = found.statistics.bytes;
    return result;
}

// What a tree may be at most; 0 leaves is no limit of them.
[[nodiscard]] inline Size limits_of(std::uint32_t depth, std::uint32_t max_leaves) {
    if (depth < 1 || max_leaves == 1) throw std::invalid_argument("ranked search: parameter below 1");
    return {depth, max_leaves == 0 ? Size::kAny : max_leaves};
}

inline void require_options(const Options& options) {
    if (options.lanes < 1 || options.lanes > 64 || !(options.slack >= 0) || !(options.core_share >= 0) ||
        options.part_rows < 1)
        throw std::invalid_argument("ranked search: an option is out of range");
}

// `make` prepares the table and gives the objective; it runs without the interpreter's lock, as the search does.
inline nanobind::dict run_search(Run& run, const std::function<std::unique_ptr<RankedObjective>()>& make) {
    const Options& options = run.options;
    Control& control = run.control;
    const Size limits = limits_of(run.depth, run.max_leaves);
    require_options(options);
    Answer found;
    {
        nanobind::gil_scoped_release release;
        const std::unique_ptr<RankedObjective> objective = make();
        std::optional<RowGroups> groups;
        if (GroupSearch::fits(*objective, options, limits))
            groups = RowGroups::of(*objective, *objective->two_sums(), control);
        if (groups)
            found = Answer::of(GroupSearch(*objective, options, control, std::move(*groups)), limits);
        else  // also where the limits ended while rows were grouped: it leaves the best tree of one split
            found = Answer::of(Search(*objective, options, control), limits);
    }
    return result_of(found, control);
}

// The same where the table needs no look once it is prepared; `rest` follows it in the objective's constructor.
template <class Objective, class Table, class... Rest>
nanobind::dict run_over(Run& run, const std::shared_ptr<Table>& table, Rest... rest) {
    return run_search(run, [&] {
        table->prepare();
        return std::make_unique<Objective>(table, rest...);
    });
}

// Binds a search: what is its own, then what every run is asked.
template <class... Own, class... Names>
void bind_search(nanobind::module_& m, const char* name, nanobind::dict (*solve)(Run&, Own...), const char* text,
                 Names... names) {
    using nanobind::arg;
    m.def(
        name,
        [solve](Own... own, std::uint32_t min_leaf, std::uint32_t depth, std::uint32_t max_leaves,
                const Options& options, double time_limit, std::int64_t step_limit, std::size_t memory_limit,
                nanobind::object report) {
            Run run{min_leaf, depth, max_leaves, options,
                    make_control(time_limit, step_limit, memory_limit, std::move(report))};
            return solve(run, std::move(own)...);
        },
        arg(names)..., arg("min_leaf"), arg("depth"), arg("max_leaves"), arg("options"), arg("time_limit"),
        arg("step_limit"), arg("memory_limit"), arg("report").none(), text);
}

}  // namespace treewright::ranked
