// What passes over the graph of a near-optimal set find, as Python sees it: counts, shares and extremes.
#pragma once

#include "control.hpp"
#include "arrays.hpp"
#include "check.hpp"
#include "treewright/search/near_optimal.hpp"
#include "treewright/search/reliance.hpp"
#include "treewright/search/tree_counts.hpp"
#include "treewright/search/tree_extremes.hpp"
#include "treewright/search/tree_shares.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace treewright::near_optimal {

namespace nb = nanobind;
using namespace treewright::binary;

template <class T, class Get, class Range>
nb::ndarray<nb::numpy, T, nb::ndim<1>> column_of(const Range& range, const Get& get) {
    std::vector<T> values;
    values.reserve(range.size());
    for (const auto& item : range) values.push_back(static_cast<T>(get(item)));
    return treewright::to_numpy(std::move(values));
}
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> copy_of(const std::vector<T>& values) {
    return column_of<T>(values, [](const T& value) { return value; });
}

inline constexpr std::int64_t kNoSteps = std::numeric_limits<std::int64_t>::max();

// Words of numbers as an array of shape (n, n_words).
inline nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>> matrix_of(WideNumbers numbers) {
    const std::size_t n = numbers.words.size() / numbers.n_words;
    return treewright::to_numpy(std::move(numbers.words), {n, numbers.n_words});
}

using Graph = std::shared_ptr<const NearOptimalGraph>;

// How many trees there are.
class NearOptimalCounts {
   public:
    NearOptimalCounts(Graph graph, SetRule rule, bool root_only, Control control) : graph_(std::move(graph)) {
        {
            nb::gil_scoped_release release;
            counts_ = std::make_unique<TreeCounts>(*graph_, std::move(rule), root_only, control);
        }
        stop_ = control.reason();
        root_only_ = root_only;
    }
    [[nodiscard]] bool complete() const { return counts_->complete(); }
    [[nodiscard]] bool too_many() const { return counts_->too_many(); }
    [[nodiscard]] treewright::Stop stop() const { return stop_; }
    [[nodiscard]] std::size_t bytes() const { return counts_->bytes(); }
    [[nodiscard]] nb::tuple cells(std::size_t node) const {
        treewright::require(complete() && node < graph_->nodes.size() && (node == 0 || !root_only_),
                            "cells: not counted");
        SizeCounts found = counts_->cells(node);
        return nb::make_tuple(copy_of(found.leaves), copy_of(found.errors), matrix_of(std::move(found.counts)));
    }
    [[nodiscard]] nb::object root_edges() const {
        treewright::require(complete(), "root_edges: not counted");
        return nb::cast(matrix_of(counts_->root_edges()));
    }

   private:
    Graph graph_;
    std::unique_ptr<TreeCounts> counts_;
    treewright::Stop stop_ = treewright::Stop::none;
    bool root_only_ = false;
};

// In which share of the trees a node is a leaf.
class NearOptimalShares {
   public:
    NearOptimalShares(Graph graph, SetRule rule, Control control) : graph_(std::move(graph)) {
        {
            nb::gil_scoped_release release;
            shares_ = std::make_unique<TreeShares>(*graph_, std::move(rule), control);
        }
        stop_ = control.reason();
    }
    [[nodiscard]] treewright::Stop stop() const { return stop_; }
    // An empty `to_side` is all columns.
    [[nodiscard]] nb::object leaves(const Vector<std::uint32_t>& to_side, bool by_node, double time_limit,
                                    std::size_t memory_limit) const {
        treewright::require(shares_->complete(), "leaves: not counted");
        treewright::require(to_side.shape(0) == 0 || to_side.shape(0) == 2 * graph_->edges.size(),
                            "leaves: shapes do not agree");
        Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, nb::none());
        std::vector<double> found;
        {
            nb::gil_scoped_release release;
            found = shares_->leaves_in_trees(span_of(to_side), control);
            if (!by_node) {
                for (std::size_t i = graph_->n_classes; i < found.size(); ++i) found[i % graph_->n_classes] += found[i];
                found.resize(std::min(found.size(), graph_->n_classes));
            }
        }
        return nb::make_tuple(control.reason(), copy_of(found));
    }

   private:
    Graph graph_;
    std::unique_ptr<TreeShares> shares_;
    treewright::Stop stop_ = treewright::Stop::none;
};

// The largest sums over leaves.
class NearOptimalExtremes {
   public:
    NearOptimalExtremes(Graph graph, SetRule rule, const std::vector<std::int64_t>& leaf_value, Control control)
        : graph_(std::move(graph)) {
        {
            nb::gil_scoped_release release;
            extremes_ = std::make_unique<TreeExtremes>(*graph_, std::move(rule), leaf_value, control);
        }
        stop_ = control.reason();
    }
    [[nodiscard]] bool complete() const { return extremes_->complete(); }
    [[nodiscard]] treewright::Stop stop() const { return stop_; }
    [[nodiscard]] nb::tuple cells(std::size_t node) const {
        treewright::require(complete() && node < graph_->nodes.size(), "cells: not solved");
        const SizeExtremes found = extremes_->cells(node);
        return nb::make_tuple(copy_of(found.leaves), copy_of(found.errors), copy_of(found.values));
    }

   private:
    Graph graph_;
    std::unique_ptr<TreeExtremes> extremes_;
    treewright::Stop stop_ = treewright::Stop::none;
};

// By how much the cost of a tree rises if columns are drawn anew.
class NearOptimalReliance {
   public:
    struct Rows {
        std::vector<std::uint64_t> ones;
        std::size_t n_rows;
        std::vector<std::int64_t> weight, cost;
    };

    NearOptimalReliance(Graph graph, SetRule rule, Rows rows, bool leaf_at_root, Control control)
        : graph_(std::move(graph)), rule_(std::move(rule)), rows_(std::move(rows)) {
        {
            nb::gil_scoped_release release;
            columns_ = std::make_unique<RelianceOfColumns>(
                *graph_, rule_, RelianceRows{rows_.ones, rows_.n_rows, rows_.weight, rows_.cost, leaf_at_root},
                control);
        }
        stop_ = control.reason();
    }
    NearOptimalReliance(const NearOptimalReliance&) = delete;  // the passes point into it
    NearOptimalReliance& operator=(const NearOptimalReliance&) = delete;

    [[nodiscard]] treewright::Stop stop() const { return stop_; }
    [[nodiscard]] nb::tuple of(const Vector<std::uint32_t>& copies_of, double time_limit, std::size_t memory_limit,
                               nb::object report) const {
        treewright::require(stop_ == treewright::Stop::none, "of: not made");
        treewright::require(copies_of.shape(0) == rule_.copies.size(), "of: shapes do not agree");
        for (std::size_t e = 0; e < rule_.copies.size(); ++e)
            treewright::require(copies_of.data()[e] <= rule_.copies[e], "of: more copies than there are");
        Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report));
        std::optional<std::pair<double, double>> found;
        {
            nb::gil_scoped_release release;
            found = columns_->of(span_of(copies_of), control);
        }
        if (!found) return nb::make_tuple(control.reason(), nb::none());
        return nb::make_tuple(control.reason(), nb::make_tuple(found->first, found->second));
    }

   private:
    Graph graph_;
    SetRule rule_;
    Rows rows_;
    std::unique_ptr<RelianceOfColumns> columns_;
    treewright::Stop stop_ = treewright::Stop::none;
};

}  // namespace treewright::near_optimal
