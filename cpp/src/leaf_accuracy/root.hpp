// The splits of the root at one target, shared by the threads that look for one that meets it, or for all that do.
#pragma once

#include "treewright/leaf_accuracy/search.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace treewright::leaf_accuracy {

struct Search::Hunt {
    struct Column {
        ColumnOfPairs of;
        std::unique_ptr<OpenColumn> open{};  // from the first question to the last
        std::vector<std::size_t> meeting{};  // splits, where all are looked for
        std::size_t inside = 0;              // threads
        bool begun = false;
    };
    const Node& node;
    std::uint32_t depth;
    const PairAnswer& pairs;
    Boxes& boxes;
    bool all;  // does not end at the first split that meets the target
    std::vector<Column> columns{};
    // Of threads: all below and the columns are behind `mutex`.
    std::mutex mutex{};
    std::condition_variable changed{};
    Count lower = 0;        // of the columns that are done
    Outcome found{};        // a tree that meets the target
    bool unwound = false;   // a question was left without an answer
    bool together = false;  // helpers were called

    // The column to ask about next, or none: one without a thread while there is any, so that what one question of a
    // column teaches is known before the next; else one with the fewest.
    [[nodiscard]] Column* next();
    [[nodiscard]] bool busy() const;
};

// What a helping thread works with; kept from one target to the next.
struct Search::Helper {
    explicit Helper(const Search& lead) : control(lead.control_.helper()), search(lead, control) {}
    Control control;
    Search search;
};

}  // namespace treewright::leaf_accuracy
