#include "treewright/leaf_accuracy/cut.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace treewright::leaf_accuracy {

double Measure::of(Value value) const {
    const double p = static_cast<double>(value.correct) / static_cast<double>(value.weight);
    if (criterion == Criterion::accuracy) return p;
    const double n = static_cast<double>(value.weight) * scale;
    const double square = z * z / n;
    return (p + square / 2 - z * std::sqrt(p * (1 - p) / n + square / (4 * n))) / (1 + square);
}

bool Measure::less(Value a, Value b) const {
    if (criterion == Criterion::accuracy) return a.correct * b.weight < b.correct * a.weight;
    return of(a) < of(b);
}

Cut Cut::at(const Measure& measure, Value value, bool strict, Count min_leaf, Count total) {
    if (measure.criterion == Criterion::lower_bound)
        return at_bound(measure, measure.of(value), strict, min_leaf, total);
    const Count divisor = std::gcd(value.correct, value.weight);
    Cut cut;
    cut.numerator_ = cut.slope = value.correct / divisor;
    cut.denominator_ = cut.per_row = value.weight / divisor;
    cut.q = measure.of(value);
    cut.strict = strict;
    cut.offset = strict ? 1 : 0;
    cut.min_leaf = min_leaf;
    cut.size_rate = std::max<Count>(1, cut.per_row - cut.slope);
    cut.gain_rate = cut.size_rate;
    cut.loss_rate = cut.slope;
    return cut;
}

Cut Cut::at_bound(const Measure& measure, double q, bool strict, Count min_leaf, Count total) {
    Cut cut;
    cut.q = q;
    cut.strict = strict;
    cut.min_leaf = min_leaf;
    cut.per_row = Count{1} << 16;
    while (cut.per_row > 1 && cut.per_row * (2 * total + 64) >= (Count{1} << 30)) cut.per_row /= 2;
    const auto unit = static_cast<double>(cut.per_row);
    const double spread = measure.z * std::sqrt(std::max(0.0, q * (1 - q)) / measure.scale);
    const auto meets = [&](Count c, Count w) {
        const double value = measure.of({c, w});
        return strict ? value > q : value >= q;
    };

    std::vector<Count> wanted(static_cast<std::size_t>(total) + 1);
    Count first = total + 1;  // W1
    Count need = 0;
    for (Count w = 1; w <= total; ++w) {
        const double least = q * static_cast<double>(w) + spread * std::sqrt(static_cast<double>(w));
        need = std::clamp<Count>(static_cast<Count>(std::ceil(least)), 0, w + 1);
        while (need > 0 && meets(need - 1, w)) --need;
        while (need <= w && !meets(need, w)) ++need;
        if (need <= w && w >= min_leaf) first = std::min(first, w);
        const double exact = std::ceil(least * unit);
        wanted[static_cast<std::size_t>(w)] = std::clamp(
            static_cast<Count>(std::min(exact, unit * static_cast<double>(w + 1))), cut.per_row * (need - 1) + 1, cut.per_row * need);
    }
    // Below W1: the tangent, and above what any leaf could have.
    const auto at_first = static_cast<std::size_t>(std::min(first, total));
    const Count tangent = first < total ? wanted[at_first + 1] - wanted[at_first] : cut.per_row;
    for (Count w = std::min(first - 1, total); w >= 0; --w) {
        const Count line = first <= total ? wanted[at_first] - tangent * (first - w) : 0;
        wanted[static_cast<std::size_t>(w)] = std::max(line, cut.per_row * w + 1);
    }
    Count least_rise = cut.per_row, most_rise = 0;
    for (std::size_t w = 0; w + 1 < wanted.size(); ++w) {
        least_rise = std::min(least_rise, wanted[w + 1] - wanted[w]);
        most_rise = std::max(most_rise, wanted[w + 1] - wanted[w]);
    }
    cut.table.assign(wanted.begin(), wanted.end());
    cut.size_rate = std::max<Count>(1, cut.per_row - static_cast<Count>(std::floor(q * unit)));
    cut.gain_rate = std::max(cut.size_rate, cut.per_row - least_rise);
    cut.loss_rate = std::max<Count>(0, most_rise);
    return cut;
}

const Cut& Cut::none() {
    static const Cut cut = [] {
        Cut free;
        free.per_row = free.size_rate = free.min_leaf = 0;
        return free;
    }();
    return cut;
}

Count Cut::deficit(Count weight, Count largest, Count rows) const {
    return std::max({Count{0}, wanted(weight) - per_row * largest, size_rate * (min_leaf - rows)});
}

bool Cut::met_by(const Measure& measure, Value value) const {
    if (measure.criterion == Criterion::lower_bound) return strict ? measure.of(value) > q : measure.of(value) >= q;
    const Count left = value.correct * denominator_, right = numerator_ * value.weight;
    return strict ? left > right : left >= right;
}

Conversion::Conversion(const Cut& old, const Cut& now) {
    from = static_cast<double>(old.per_row);
    to = static_cast<double>(now.per_row);
    ratio = std::min(1.0, static_cast<double>(now.size_rate) / to / (static_cast<double>(old.size_rate) / from));
    harder = now.implies(old);
    if (old.table.empty()) {
        per_leaf = static_cast<double>(old.offset) / from;
        per_weight = std::max(0.0, old.q - now.q);
    } else {
        for (std::size_t w = 0; w < old.table.size(); ++w)
            per_leaf = std::max(per_leaf, old.table[w] / from - now.table[w] / to);
    }
}

Count Conversion::lower(Count known, std::uint32_t depth, Count weight) const {
    if (known <= 0) return 0;
    const double rows = static_cast<double>(known) / from - std::ldexp(per_leaf, static_cast<int>(depth)) - per_weight * static_cast<double>(weight);
    // Pays for the rounding of these few operations, each of relative error 2^-53.
    const double rounding = 1e-9 * (static_cast<double>(known) / from + 1.0) + 1e-14 * static_cast<double>(weight);
    const double bound = to * (ratio * rows - rounding);
    return std::max<Count>(harder ? 1 : 0, bound > 0 ? static_cast<Count>(std::floor(bound)) : 0);
}

}  // namespace treewright::leaf_accuracy
