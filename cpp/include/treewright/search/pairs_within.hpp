// How many pairs of a left and a right subtree fit into a set, and how many ways to complete a subtree do: sums over
// cells whose leaves and errors add up to no more than the set allows. Only sums of counts are taken, no differences,
// so floating point loses nothing but its last digits.
#pragma once

#include "treewright/search/set_walk.hpp"
#include "treewright/search/size_cells.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

// For the cells of one node the sums of the first ones of each run.
template <class Sum>
class RunSums {
   public:
    template <class V>
    explicit RunSums(const Cells<V>& cells) : runs_(cells.runs) {
        for (const CellRun& run : cells.runs) {
            first_.push_back(sums_.size());
            sums_.emplace_back();
            for (std::uint32_t i = 0; i < run.n; ++i) {
                Sum next = sums_.back();
                next += Sum(cells.values[run.begin + i]);
                sums_.push_back(next);
            }
        }
    }
    // Of the cells that fit into the set beside a subtree of so many leaves and errors; those of one leaf only if
    // `leaves_too`.
    [[nodiscard]] Sum beside(const SetRule& rule, std::size_t leaves, std::int64_t errors,
                             bool leaves_too = true) const {
        Sum out{};
        for (std::size_t r = 0; r < runs_.size(); ++r) {
            const CellRun& run = runs_[r];
            if (run.leaves + leaves >= rule.max_errors.size()) break;
            if (run.leaves > 1 || leaves_too)
                out += sums_[first_[r] + run.up_to(rule.max_errors[run.leaves + leaves] - errors)];
        }
        return out;
    }

   private:
    std::span<const CellRun> runs_;
    std::vector<std::size_t> first_;  // [run], in sums_
    std::vector<Sum> sums_;
};

// The sum over all pairs that fit; pairs of two leaves only if redundant splits count.
template <class Sum, class A>
[[nodiscard]] Sum pairs_within(const SetRule& rule, const Cells<A>& a, const RunSums<Sum>& b) {
    Sum out{};
    a.each([&](std::uint32_t leaves, std::int64_t errors, const A& value) {
        out += product<Sum>(b.beside(rule, leaves, errors, leaves > 1 || rule.redundant), value);
    });
    return out;
}

}  // namespace treewright::binary
