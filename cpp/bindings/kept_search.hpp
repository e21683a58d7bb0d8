// A search over binary columns that later questions go on with: the graphs of near-optimal trees, one budget after the
// other.
#pragma once

#include "near_optimal_set.hpp"
#include "treewright/core/control.hpp"
#include "treewright/search/binary_search.hpp"
#include "treewright/search/near_optimal.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace treewright::near_optimal {

// What it has solved is solved, as long as no run was stopped.
template <class Acc>
struct KeptSearch {
    Settings settings;
    std::unique_ptr<Control> control;  // the search refers to it; a new run has a new one in it
    std::unique_ptr<Search<Acc>> search;

    // All trees within a budget. `rows`: `searched`, and perhaps rows behind it that cost nothing.
    [[nodiscard]] NearOptimalSet set_of(const Dataset& rows, const Dataset& searched, const Settings& asked,
                                        std::int64_t budget, Control its_control) {
        if (answers(asked)) {
            *control = std::move(its_control);
        } else {
            *this = {asked, std::make_unique<Control>(std::move(its_control)), nullptr};
            search = std::make_unique<Search<Acc>>(searched, asked, std::span<const std::int64_t>{}, *control);
        }
        NearOptimalGraph graph;
        {
            nanobind::gil_scoped_release release;
            graph = near_optimal_graph(rows, *search, asked.max_depth, budget, *control);
        }
        // In terms of the input: its position of each column, and the side where that column is zero first.
        std::vector<std::int32_t> source;
        for (const Column& column : rows.columns) source.push_back(column.source);
        for (SetEdge& edge : graph.edges)
            if (rows.columns[static_cast<std::size_t>(edge.column)].flipped) std::swap(edge.child[0], edge.child[1]);
        const Stop stop = control->reason();
        const std::int64_t steps = control->steps();
        if (control->ended()) *this = {};
        return {std::move(graph),
                std::move(source),
                asked.leaf_penalty,
                asked.unit_shift,
                std::max<std::int64_t>(asked.min_count, 1),
                asked.threads,
                stop,
                steps};
    }

   private:
    [[nodiscard]] bool answers(const Settings& asked) const {
        return search != nullptr && settings.leaf_penalty == asked.leaf_penalty &&
               settings.unit_shift == asked.unit_shift && settings.threads == asked.threads;
    }
};

}  // namespace treewright::near_optimal
