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

namespace treewright::binary {

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
        Front& front = of_[leaves];
        const std::size_t at = after(front, errors);
        if (at == 0 || front[at - 1].value < value) put(front, at, {leaves, errors, value});
    }
    // All pairs of a subtree of either side but those of two leaves; both ascend by leaves, then by errors and values.
    void add_pairs(std::span<const SizedValue> zero, std::span<const SizedValue> one) {
        for (auto first = one.begin(), last = first; first != one.end(); first = last) {
            while (last != one.end() && last->leaves == first->leaves) ++last;
            for (const SizedValue& a : zero) {
                const std::uint32_t leaves = a.leaves + first->leaves;
                if (leaves >= most_.size()) break;
                if (leaves > 2) add_beside(a, std::span(first, last), leaves);
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
    using Front = std::vector<SizedValue>;  // errors and values ascend

    // One subtree beside each of some others. Their errors and values ascend, so what one of the front makes needless
    // is passed by its value alone, mostly to the end, and the front is walked once.
    void add_beside(const SizedValue& a, std::span<const SizedValue> others, std::uint32_t leaves) {
        Front& front = of_[leaves];
        const std::int64_t most = most_[leaves] - a.errors;
        std::size_t at = after(front, a.errors + others.front().errors);
        for (auto b = others.begin();;) {
            if (at > 0) {
                const WideInt needless = front[at - 1].value - a.value;
                if (others.back().value <= needless) return;
                while (b != others.end() && b->value <= needless) ++b;
            }
            if (b == others.end() || b->errors > most) return;
            const SizedValue sum{leaves, a.errors + b->errors, a.value + b->value};
            while (at < front.size() && front[at].errors <= sum.errors) ++at;
            if (at > 0 && front[at - 1].value >= sum.value) continue;
            at = put(front, at, sum);
            ++b;
        }
    }
    // How many of a front have no more errors.
    static std::size_t after(const Front& front, std::int64_t errors) {
        const auto more = std::ranges::upper_bound(front, errors, {}, &SizedValue::errors);
        return static_cast<std::size_t>(more - front.begin());
    }
    // Puts what nothing before `at` makes needless in its place, and takes out what it makes needless. Returns the
    // place behind it.
    static std::size_t put(Front& front, std::size_t at, const SizedValue& own) {
        std::size_t last = at;
        while (last < front.size() && front[last].value <= own.value) ++last;
        if (at > 0 && front[at - 1].errors == own.errors) --at;
        const auto place = front.begin() + static_cast<std::ptrdiff_t>(at);
        if (at == last) {
            front.insert(place, own);
        } else {
            *place = own;
            front.erase(place + 1, front.begin() + static_cast<std::ptrdiff_t>(last));
        }
        return at + 1;
    }
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
    std::vector<Front> of_;  // [leaves]
    Front fewer_, kept_, joined_;
};

}  // namespace treewright::binary
