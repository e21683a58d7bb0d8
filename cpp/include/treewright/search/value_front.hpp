// The subtrees of one node that may be part of the best tree: those of which none of no more leaves and no more errors
// has at least their value. Such a one could take their place in every tree, since the most errors that a set allows
// fall with the leaves. Single leaves are compared among themselves alone: beside another leaf their label decides
// whether the split is redundant, so there they replace nothing, and pairs of leaves are not made of fronts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace treewright::bits {

__extension__ using WideInt = __int128;  // costs times weights

struct SizedValue {
    std::uint32_t leaves;
    std::int64_t errors;
    WideInt value;
};

class ValueFront {
   public:
    // `most` errors by leaves: subtrees of more, or of more leaves than it tells, are left out. It stays as it is until
    // `give`.
    void begin(std::span<const std::int64_t> most) {
        most_ = most;
        if (of_.size() < most_.size()) of_.resize(most_.size());
        for (std::size_t leaves = 0; leaves < most_.size(); ++leaves) of_[leaves].clear();
    }

    void add(std::uint32_t leaves, std::int64_t errors, WideInt value) {
        if (leaves >= most_.size() || errors > most_[leaves]) return;
        std::vector<SizedValue>& front = of_[leaves];  // errors and values ascend
        auto at = front.end();
        while (at != front.begin() && std::prev(at)->errors > errors) --at;
        if (at != front.begin() && std::prev(at)->value >= value) return;
        auto last = at;
        while (last != front.end() && last->value <= value) ++last;
        if (at != front.begin() && std::prev(at)->errors == errors) --at;
        if (at == last) {
            front.insert(at, {leaves, errors, value});
        } else {
            *at = {leaves, errors, value};
            front.erase(std::next(at), last);
        }
    }
    // All pairs of a subtree of either side but those of two leaves; both ascend by leaves, then errors.
    void add_pairs(std::span<const SizedValue> zero, std::span<const SizedValue> one) {
        for (auto first = one.begin(), last = first; first != one.end(); first = last) {
            const std::uint32_t leaves_of_one = first->leaves;
            while (last != one.end() && last->leaves == leaves_of_one) ++last;
            for (const SizedValue& a : zero) {
                const std::uint32_t leaves = a.leaves + leaves_of_one;
                if (leaves >= most_.size()) break;
                if (leaves == 2) continue;
                const std::int64_t most = most_[leaves] - a.errors;
                for (auto b = first; b != last && b->errors <= most; ++b)
                    add(leaves, a.errors + b->errors, a.value + b->value);
            }
        }
    }
    // Appends what is left, ascending by leaves, then errors.
    void give(std::vector<SizedValue>& out) {
        fewer_.clear();
        for (std::size_t leaves = 1; leaves < most_.size(); ++leaves) {
            if (leaves == 1) {
                out.insert(out.end(), of_[1].begin(), of_[1].end());
                continue;
            }
            kept_.clear();
            auto below = fewer_.begin();
            for (const SizedValue& own : of_[leaves]) {
                while (below != fewer_.end() && below->errors <= own.errors) ++below;
                if (below == fewer_.begin() || std::prev(below)->value < own.value) kept_.push_back(own);
            }
            out.insert(out.end(), kept_.begin(), kept_.end());
            join();
        }
    }

   private:
    void join() {  // kept_ has nothing that fewer_ makes needless
        joined_.clear();
        std::merge(fewer_.begin(), fewer_.end(), kept_.begin(), kept_.end(), std::back_inserter(joined_),
                   [](const SizedValue& a, const SizedValue& b) { return a.errors < b.errors; });
        fewer_.clear();
        for (const SizedValue& some : joined_) {
            if (!fewer_.empty() && some.value <= fewer_.back().value) continue;
            if (!fewer_.empty() && some.errors == fewer_.back().errors) fewer_.pop_back();
            fewer_.push_back(some);
        }
    }

    std::span<const std::int64_t> most_;
    std::vector<std::vector<SizedValue>> of_;        // [leaves]
    std::vector<SizedValue> fewer_, kept_, joined_;  // errors and values ascend in each
};

}  // namespace treewright::bits
