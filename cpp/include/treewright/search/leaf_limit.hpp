// The cheapest tree of at most K leaves.
//
//   1. The front's fast trees (front.hpp): incumbents of at most K leaves at once.
//   2. The search without the limit, for its plain steps. Its bound holds with the limit too, which only removes trees,
//      and a tree it found is an answer if it has at most K leaves: the answer, if it was proven best of any size.
//   3. Where the limit still binds, the front at the price of a leaf (F5 of front.hpp).
//
// A limit binds only where a tree of more leaves could be wanted: L leaves cost at least L*c, so a tree no dearer than
// U, a cost that is known, has at most U / c of them. If it does not bind, every tree that costs at most U keeps it, and
// the search without a limit, with all its phases, ends with the answer or with none better than the one at hand.
//
// A stop leaves the best tree of at most K leaves from all of these, and the best bound.
#pragma once

#include "treewright/search/binary_search.hpp"

#include <cstdint>
#include <span>

namespace treewright::bits {

// Of a search for one tree, with or without a limit on its leaves.
struct Outcome {
    Shape shape;
    Bounds bounds{};
    bool leaf_limit_is_slack = false;  // the search without the limit is to go on
    std::size_t cache_entries = 0;
    std::size_t cache_shed = 0;
    std::size_t bytes = 0;
};

// Of the settings, `max_leaves` is K >= 1.
template <class Acc>
[[nodiscard]] Outcome search_few_leaves(const Dataset& data, const Settings& settings,
                                        std::span<const std::int64_t> prices, Control& control);

}  // namespace treewright::bits
