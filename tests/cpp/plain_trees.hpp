// Every tree by plain recursion over the input rows, and a walk that adds up what a shape costs.
#pragma once

#include "check.hpp"
#include "made_input.hpp"
#include "treewright/search/binary_search.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

inline constexpr std::int64_t kNever = std::int64_t{1} << 50;

struct Rules {
    std::int64_t leaf_penalty;  // in weight units
    std::int32_t max_depth;
    std::int32_t max_leaves;
    std::size_t min_count;
};

// Every tree, by plain recursion.
inline std::int64_t plain(const MadeInput& in, const Rules& rules, const std::vector<std::size_t>& rows,
                          std::int32_t depth, std::int32_t leaves) {
    std::int64_t best = kNever;
    if (rows.size() >= rules.min_count)
        for (std::size_t k = 0; k < in.n_classes; ++k) {
            std::int64_t cost = rules.leaf_penalty;
            for (const std::size_t r : rows) cost += in.price(r, k);
            best = std::min(best, cost);
        }
    if (depth == 0 || leaves == 1) return best;
    for (std::size_t j = 0; j < in.n_columns; ++j) {
        std::vector<std::size_t> side[2];
        for (const std::size_t r : rows) side[in.bit(r, j)].push_back(r);
        if (side[0].empty() || side[1].empty()) continue;
        for (std::int32_t left = 1; left < leaves; ++left)
            best = std::min(
                best, plain(in, rules, side[0], depth - 1, left) + plain(in, rules, side[1], depth - 1, leaves - left));
    }
    return best;
}

// What the shape costs on the input rows; checks that it keeps the rules.
struct Walk {
    const MadeInput& in;
    const treewright::binary::Dataset& data;
    const treewright::binary::Shape& shape;
    const Rules& rules;
    std::size_t at = 0;
    std::int32_t leaves = 0;

    std::int64_t go(const std::vector<std::size_t>& rows, std::int32_t depth) {
        check(at < shape.size(), "the shape is whole");
        check(!rows.empty(), "no empty side");
        const std::int32_t column = shape[at++];
        if (column < 0) {
            ++leaves;
            check(rows.size() >= rules.min_count, "enough rows in a leaf");
            std::int64_t best = kNever;
            for (std::size_t k = 0; k < in.n_classes; ++k) {
                std::int64_t cost = rules.leaf_penalty;
                for (const std::size_t r : rows) cost += in.price(r, k);
                best = std::min(best, cost);
            }
            return best;
        }
        check(depth > 0, "not too deep");
        const treewright::binary::Column& c = data.columns[static_cast<std::size_t>(column)];
        std::vector<std::size_t> side[2];  // zeros of the reduced column first
        for (const std::size_t r : rows) side[in.bit(r, static_cast<std::size_t>(c.source)) != c.flipped].push_back(r);
        const std::int64_t left = go(side[0], depth - 1);
        return left + go(side[1], depth - 1);
    }
};
