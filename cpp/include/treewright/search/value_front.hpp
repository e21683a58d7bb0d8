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

__extension__ using WideInt = __int128;

template <class Value>  // costs times weights: std::int64_t or WideInt
struct SizedValue {
    std::uint32_t leaves;
    std::int64_t errors;
    Value value;
};

template <class Value>
class ValueFront {
   public:
    using Sized = SizedValue<Value>;

    // `most` errors by leaves: subtrees of more, or of more leaves than it tells, are left out. It stays as it is until
    // `give`.
    void begin(std::span<const std::int64_t> most) {
        most_ = most;
        if (of_.size() < most_.size()) of_.resize(most_.size());
        for (std::size_t leaves = 0; leaves < most_.size(); ++leaves) of_[leaves].clear();
    }

    void add(std::uint32_t leaves, std::int64_t errors, Value value) {
        if (leaves >= most_.size() || errors > most_[leaves]) return;
        Front& front = of_[leaves];
        const std::size_t at = after(front, errors);
        if (at == 0 || front[at - 1].value < value) put(front, at, {leaves, errors, value});
    }
    // All pairs of a subtree of either side but those of two leaves; both ascend by leaves, then by errors and values.
    void add_pairs(std::span<const Sized> zero, std::span<const Sized> one) {
        each_size(one, [&](std::span<const Sized> ones) {
            each_size(zero, [&](std::span<const Sized> zeros) {
                const std::uint32_t leaves = zeros.front().leaves + ones.front().leaves;
                if (leaves <= 2 || leaves >= most_.size()) return;
                const bool fewer = zeros.size() < ones.size();
                add_sums(fewer ? zeros : ones, fewer ? ones : zeros, leaves);
            });
        });
    }
    // Appends what is left, ascending by leaves, then errors.
    void give(std::vector<Sized>& out) {
        fewer_.clear();
        for (std::size_t leaves = 1; leaves < most_.size(); ++leaves) {
            if (leaves == 1) {
                out.insert(out.end(), of_[1].begin(), of_[1].end());
                continue;
            }
            kept_.clear();
            auto below = fewer_.begin();
            for (const Sized& own : of_[leaves]) {
                while (below != fewer_.end() && below->errors <= own.errors) ++below;
                if (below == fewer_.begin() || std::prev(below)->value < own.value) kept_.push_back(own);
            }
            out.insert(out.end(), kept_.begin(), kept_.end());
            join();
        }
    }

   private:
    using Front = std::vector<Sized>;  // errors and values ascend

    template <class Use>
    static void each_size(std::span<const Sized> side, const Use& use) {
        for (std::size_t first = 0, last = 0; first < side.size(); first = last) {
            while (last < side.size() && side[last].leaves == side[first].leaves) ++last;
            use(side.subspan(first, last - first));
        }
    }
    // All of some beside all of others, of one size each. The errors and values of both ascend, so what one of the
    // front makes needless is passed by its value alone, mostly to the end, and the front is walked once for each of
    // `some`, from where the one before began.
    void add_sums(std::span<const Sized> some, std::span<const Sized> others, std::uint32_t leaves) {
        Front& front = of_[leaves];
        const std::int64_t least = some.front().errors + others.front().errors;
        if (least > most_[leaves]) return;
        std::size_t begin = after(front, least);
        if (begin > 0 && front[begin - 1].value >= some.back().value + others.back().value) return;
        for (const Sized& a : some) {
            while (begin < front.size() && front[begin].errors <= a.errors + others.front().errors) ++begin;
            const std::int64_t most = most_[leaves] - a.errors;
            std::size_t at = begin;
            for (auto b = others.begin();;) {
                if (at > 0) {
                    const Value needless = front[at - 1].value - a.value;
                    if (others.back().value <= needless) break;
                    while (b->value <= needless) ++b;
                }
                if (b == others.end() || b->errors > most) break;
                const Sized sum{leaves, a.errors + b->errors, a.value + b->value};
                while (at < front.size() && front[at].errors <= sum.errors) ++at;
                if (at > 0 && front[at - 1].value >= sum.value) continue;
                at = put(front, at, sum);
                ++b;
            }
        }
    }
    // How many of a front have no more errors.
    static std::size_t after(const Front& front, std::int64_t errors) {
        std::size_t at = 0;
        while (at < front.size() && front[at].errors <= errors) ++at;
        return at;
    }
    // Puts what nothing before `at` makes needless in its place, and takes out what it makes needless. Returns the
    // place behind it.
    static std::size_t put(Front& front, std::size_t at, const Sized& own) {
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
                   [](const Sized& a, const Sized& b) { return a.errors < b.errors; });
        fewer_.clear();
        for (const Sized& some : joined_) {
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
