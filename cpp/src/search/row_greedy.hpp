// Trees from rows alone, without pair matrices: what a run that was stopped has time for.
//
// The best single split of some rows takes one pass over their ones. Once a search is over its tree is completed with
// such splits, and compared with the greedy tree of nothing else; so whatever stopped a run, its tree is no worse than
// the best tree of one split, nor than the greedy tree of the depth allowed. Work is counted, not timed, so that every
// run gives the same tree; past kMaxWork nothing more is split.
#pragma once

#include "treewright/search/binary_search.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace treewright::binary {

class RowGreedy {
   public:
    // Additions of one number, less than a tenth of a second.
    static constexpr std::int64_t kMaxWork = 100'000'000;

    struct Split {
        std::int32_t column = Entry::kLeaf;
        std::int64_t leaf = 0;   // cost of the rows as a leaf, in weight units
        std::int64_t split = 0;  // as two
    };

    RowGreedy(const Dataset& data, std::int64_t min_count)
        : data_(data), min_count_(min_count), n_sums_(data.n_classes + 1), sums_(data.n_columns * n_sums_) {}

    [[nodiscard]] std::vector<std::uint32_t> all_rows() const {
        std::vector<std::uint32_t> rows(data_.n_rows);
        std::iota(rows.begin(), rows.end(), 0U);
        return rows;
    }

    // Cost of the rows as a leaf, in weight units.
    [[nodiscard]] std::int64_t leaf(std::span<const std::uint32_t> rows) const {
        std::vector<std::int64_t> total(n_sums_, 0);
        for (const std::uint32_t r : rows) add(r, total.data());
        return cost(total);
    }

    // The best split of the rows if it costs less than a leaf; kLeaf if none does, or if no work is left.
    [[nodiscard]] Split best(std::span<const std::uint32_t> rows) {
        std::vector<std::int64_t> total(n_sums_, 0);
        for (const std::uint32_t r : rows) add(r, total.data());
        Split out{Entry::kLeaf, cost(total), 0};
        out.split = out.leaf;
        if (out.leaf == 0 || work_ >= kMaxWork) return out;
        std::fill(sums_.begin(), sums_.end(), 0);
        work_ += static_cast<std::int64_t>(sums_.size());
        for (const std::uint32_t r : rows) {
            std::int64_t ones = 0;
            for (std::size_t w = 0; w < data_.n_words; ++w) {
                for (std::uint64_t left = data_.bits[r * data_.n_words + w]; left != 0; left &= left - 1, ++ones)
                    add(r, sums_.data() + (w * 64 + static_cast<std::size_t>(std::countr_zero(left))) * n_sums_);
            }
            work_ += ones * static_cast<std::int64_t>(n_sums_);
        }
        std::vector<std::int64_t> rest(n_sums_);
        for (std::size_t j = 0; j < data_.n_columns; ++j) {
            const std::span<const std::int64_t> one{sums_.data() + j * n_sums_, n_sums_};
            for (std::size_t k = 0; k < n_sums_; ++k) rest[k] = total[k] - one[k];
            if (one.back() == 0 || rest.back() == 0) continue;
            const std::int64_t both = std::min(kInfinity, cost(one) + cost(rest));
            if (both < out.split) {
                out.split = both;
                out.column = static_cast<std::int32_t>(j);
            }
        }
        return out;
    }

    [[nodiscard]] std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> sides(
        std::span<const std::uint32_t> rows, std::int32_t column) const {
        std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> out;
        for (const std::uint32_t r : rows)
            (data_.bit(r, static_cast<std::size_t>(column)) ? out.second : out.first).push_back(r);
        return out;
    }

    // Trees of 1, 2, ... leaves, each the one before with its most rewarding leaf split.
    [[nodiscard]] std::vector<Shape> by_leaves(std::int32_t max_depth, std::size_t max_leaves) {
        struct Grown {
            Split split;
            std::int32_t depth;  // left below
            std::vector<std::uint32_t> rows;
            std::size_t children = 0;  // of the first
        };
        std::vector<Grown> nodes;
        using Gain = std::pair<std::int64_t, std::size_t>;
        std::priority_queue<Gain, std::vector<Gain>, std::greater<>> open;  // least change of cost, oldest node
        const auto grow = [&](std::vector<std::uint32_t> rows, std::int32_t depth) {
            Split split = depth > 0 ? best(rows) : Split{};
            if (split.column != Entry::kLeaf) open.emplace(split.split - split.leaf, nodes.size());
            nodes.push_back({split, depth, std::move(rows), 0});
        };
        grow(all_rows(), max_depth);
        std::vector<Shape> shapes;
        while (true) {
            Shape shape;
            std::vector<std::size_t> pending{0};
            while (!pending.empty()) {
                const Grown& node = nodes[pending.back()];
                pending.pop_back();
                shape.push_back(node.children == 0 ? Entry::kLeaf : node.split.column);
                if (node.children == 0) continue;
                pending.push_back(node.children + 1);
                pending.push_back(node.children);
            }
            shapes.push_back(std::move(shape));
            if (open.empty() || shapes.size() >= max_leaves) return shapes;
            const std::size_t at = open.top().second;
            open.pop();
            auto [zeros, ones] = sides(nodes[at].rows, nodes[at].split.column);
            nodes[at].children = nodes.size();
            nodes[at].rows.clear();
            const std::int32_t depth = below(nodes[at].depth);
            grow(std::move(zeros), depth);
            grow(std::move(ones), depth);
        }
    }

   private:
    // The last sum counts input rows.
    void add(std::uint32_t row, std::int64_t* sums) const {
        const std::int64_t* cost = data_.cost.data() + row * data_.n_classes;
        for (std::size_t k = 0; k < data_.n_classes; ++k) sums[k] += cost[k];
        sums[data_.n_classes] += data_.count[row];
    }
    [[nodiscard]] std::int64_t cost(std::span<const std::int64_t> sums) const {
        if (sums.back() < min_count_) return kInfinity;
        return *std::min_element(sums.begin(), sums.end() - 1);
    }

    const Dataset& data_;
    std::int64_t min_count_;
    std::size_t n_sums_;
    std::vector<std::int64_t> sums_;  // column x class
    std::int64_t work_ = 0;
};

}  // namespace treewright::binary
