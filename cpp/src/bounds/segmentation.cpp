#include "treewright/bounds/segmentation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace treewright::ranked {

namespace {
constexpr std::int64_t kValuesPerPoll = 1 << 16;
constexpr std::int64_t kValuesPerUnit = 1024;  // of the control's steps
}  // namespace

Segmentation::Segmentation(const RowGroups& groups, const TwoSums& sums, Control& control)
    : groups_(groups), sums_(sums), control_(control), leaf_(sums.leaf - sums.leaf_error / sums.unit) {}

bool Segmentation::useful() const {
    double apart = 0, all_a = 0, all_b = 0;
    for (std::uint32_t g = 0; g < groups_.n_groups; ++g) {
        apart += loss(groups_.a[g], groups_.b[g]);
        all_a += groups_.a[g];
        all_b += groups_.b[g];
    }
    return leaf_ > 0 && 1000 * leaf_ * groups_.n_groups >= loss(all_a, all_b) - apart;
}

// Compared as integers: both numbers of a group are whole and below 2^53.
std::vector<std::uint32_t> Segmentation::order() const {
    __extension__ using Product = __int128;
    std::vector<std::uint32_t> all(groups_.n_groups);
    std::iota(all.begin(), all.end(), 0u);
    const auto weighs_nothing = [&](std::uint32_t g) { return groups_.a[g] == 0 && groups_.b[g] == 0; };
    const auto rest = std::stable_partition(all.begin(), all.end(), weighs_nothing);
    std::stable_sort(rest, all.end(), [&](std::uint32_t g, std::uint32_t h) {
        const auto product = [](double x, double y) {
            return Product{static_cast<std::int64_t>(x)} * static_cast<std::int64_t>(y);
        };
        return product(groups_.b[g], groups_.a[h]) < product(groups_.b[h], groups_.a[g]);
    });
    return all;
}

// Whole numbers; below 1 is 0.
double Segmentation::loss(double a, double b) const {
    if (a < 1) return 0;
    return sums_.form == TwoSums::Form::minus_square ? -b * b / a : a * std::log(std::max(b, 1.0) / a);
}

double Segmentation::value(std::uint32_t from, std::uint32_t to) {
    ++n_values;
    return f_[from] + (loss(a_[to] - a_[from], b_[to] - b_[from]) + leaf_);
}

// The best that end where a sixteenth of the groups does.
Cost Segmentation::some_clusters(std::span<const std::uint32_t> set, Cost one_leaf) const {
    constexpr std::size_t kParts = 16;
    double a[kParts + 1], b[kParts + 1], f[kParts + 1];
    const std::size_t n = set.size(), parts = std::min(kParts, n);
    a[0] = b[0] = f[0] = 0;
    for (std::size_t part = 1, i = 0; part <= parts; ++part) {
        double sum_a = a[part - 1], sum_b = b[part - 1];
        for (const std::size_t end = n * part / parts; i < end; ++i) {
            sum_a += groups_.a[set[i]];
            sum_b += groups_.b[set[i]];
        }
        a[part] = sum_a;
        b[part] = sum_b;
    }
    for (std::size_t j = 1; j <= parts; ++j) {
        f[j] = f[0] + loss(a[j], b[j]) + leaf_;
        for (std::size_t i = 1; i < j; ++i) f[j] = std::min(f[j], f[i] + loss(a[j] - a[i], b[j] - b[i]) + leaf_);
    }
    const double more = sums_.unit * (f[parts] - loss(a[parts], b[parts]) - sums_.leaf);
    return one_leaf + static_cast<Cost>(std::ldexp(more, sums_.tie_bits));
}

Cost Segmentation::bound(std::span<const std::uint32_t> set, Cost one_leaf) {
    const auto n = static_cast<std::uint32_t>(set.size());
    a_.resize(n + 1);
    b_.resize(n + 1);
    f_.resize(n + 1);
    a_[0] = b_[0] = f_[0] = 0;
    double largest = 0;  // of |g| added up over any clusters
    for (std::uint32_t j = 0; j < n; ++j) {
        const double a = groups_.a[set[j]], b = groups_.b[set[j]];
        a_[j + 1] = a_[j] + a;
        b_[j + 1] = b_[j] + b;
        // Squares: g is superadditive, all terms of one sign. Logarithms of numbers below 2^53 are below 37.
        largest += sums_.form == TwoSums::Form::minus_square ? -loss(a, b) : 74 * a;
    }
    queue_.assign(1, {0, 1});
    std::size_t head = 0;
    for (std::uint32_t j = 1;; ++j) {
        while (head + 1 < queue_.size() && queue_[head + 1].first <= j) ++head;
        f_[j] = value(queue_[head].from, j);
        if (j == n) break;
        if (n_values - n_polled_ >= kValuesPerPoll) {
            const std::int64_t steps = (n_values - n_polled_) / kValuesPerUnit;
            n_polled_ = n_values;
            if (control_.poll(steps)) return 0;
        }
        if (value(j, n) >= value(queue_.back().from, n)) continue;  // nor is it better before
        std::uint32_t high = n;  // an end at which it is better than the last of the queue
        while (queue_.back().first > j &&
               value(j, queue_.back().first) < value(queue_.back().from, queue_.back().first)) {
            high = queue_.back().first;
            queue_.pop_back();
        }
        std::uint32_t low = std::max(queue_.back().first, j) + 1;
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (value(j, middle) < value(queue_.back().from, middle))
                high = middle;
            else
                low = middle + 1;
        }
        queue_.push_back({j, high});
    }
    const double tie = std::ldexp(1.0, sums_.tie_bits), g = n;
    const double in_common = static_cast<double>(one_leaf) / tie - sums_.unit * (loss(a_[n], b_[n]) + sums_.leaf);
    const double rounding = std::ldexp(2 * (largest + std::abs(sums_.leaf)), -49) * ((2 * g + 1) * g + 4) * sums_.unit +
                            std::ldexp(static_cast<double>(one_leaf) / tie, -50);
    const double least = sums_.unit * f_[n] + in_common - (2 * sums_.error + sums_.leaf_error + rounding + 4);
    return least <= 0 ? 0 : static_cast<Cost>(std::floor(least)) * (Cost{1} << sums_.tie_bits);
}

}  // namespace treewright::ranked
