#include "treewright/leaf_accuracy/target.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace treewright::leaf_accuracy {

namespace {

// a * b in two halves.
std::array<Whole, 2> product(Whole a, Whole b) {
    constexpr Whole low = ~std::uint64_t{0};
    const Whole a0 = a & low, a1 = a >> 64, b0 = b & low, b1 = b >> 64;
    const Whole first = a0 * b0, middle = a1 * b0 + (first >> 64), other = a0 * b1 + (middle & low);
    return {a1 * b1 + (middle >> 64) + (other >> 64), (other << 64) | (first & low)};
}

// A(W) of rounded weights: low enough by construction, whatever its shape.
Count relaxed(double least, double unit) { return static_cast<Count>(std::floor(least * unit)) - 1; }

}  // namespace

int compare_ratios(Whole a, Whole b, Whole c, Whole d) {
    const auto left = product(a, d), right = product(b, c);
    const std::size_t half = left[0] == right[0] ? 1 : 0;
    return (left[half] > right[half]) - (left[half] < right[half]);
}

double Measure::of(double correct, double weight, double observations) const {
    const double p = correct / weight;
    if (criterion == Criterion::accuracy) return p;
    const double n = weight * observations;
    const double square = z * z / n;
    return (p + square / 2 - z * std::sqrt(p * (1 - p) / n + square / (4 * n))) / (1 + square);
}

bool Measure::less(Value a, Value b) const {
    if (criterion == Criterion::accuracy) return compare_ratios(a.correct, a.weight, b.correct, b.weight) < 0;
    return of(a) < of(b);
}

Value Measure::as_good(Value value) const {
    if (!real_weights || criterion != Criterion::accuracy) return value;
    for (; value.weight < Whole{1} << 101; value.weight *= 2) value.correct *= 2;  // for the digits of the difference
    return {value.correct - (value.correct >> kAsGoodBits), value.weight};
}

Value Measure::in_lowest_terms(Value value) const {
    if (criterion != Criterion::accuracy) return value;
    Whole divisor = value.weight;
    for (Whole rest = value.correct; rest > 0;) divisor = std::exchange(rest, divisor % rest);
    return {value.correct / divisor, value.weight / divisor};
}

double Measure::as_good(double bound) { return bound - std::ldexp(std::abs(bound), -kAsGoodBits); }

Target Target::at(const Measure& measure, const Rounding& rounding, Value value, bool strict, Count min_leaf,
                  Count total) {
    if (measure.criterion == Criterion::lower_bound)
        return at_bound(measure, rounding, measure.of(value), strict, min_leaf, total);
    Target target;
    target.value_ = value;
    target.q = measure.of(value);
    target.strict = strict;
    target.min_leaf = min_leaf;
    if (!rounding.any) {
        const auto correct = static_cast<Count>(value.correct), weight = static_cast<Count>(value.weight);
        const Count divisor = std::gcd(correct, weight);
        target.slope = correct / divisor;
        target.per_row = weight / divisor;
        target.offset = strict ? 1 : 0;
        target.size_rate = std::max<Count>(1, target.per_row - target.slope);
        target.gain_rate = target.size_rate;
        target.loss_rate = target.slope;
        return target;
    }
    target.per_row = Count{1} << 24;
    const auto unit = static_cast<double>(target.per_row);
    // e(W) as a line: through 0, or at the height of the whole table; the one that is lower at a quarter of the rows.
    const bool by_share = rounding.share * static_cast<double>(total) < 4 * rounding.most;
    target.slope = std::max<Count>(0, relaxed(by_share ? target.q - rounding.share : target.q, unit));
    target.offset = by_share ? 0 : -static_cast<Count>(std::ceil(rounding.most * unit));
    target.size_rate = std::max<Count>(1, target.per_row - target.slope);
    target.gain_rate = target.size_rate;
    target.loss_rate = std::max<Count>(1, target.slope);
    return target;
}

Target Target::at_bound(const Measure& measure, const Rounding& rounding, double q, bool strict, Count min_leaf,
                        Count total) {
    Target target;
    target.q = q;
    target.strict = strict;
    target.min_leaf = min_leaf;
    target.per_row = Count{1} << 16;
    while (target.per_row > 1 && target.per_row * (2 * total + 64) >= (Count{1} << 30)) target.per_row /= 2;
    const auto unit = static_cast<double>(target.per_row);
    const double observations = std::ldexp(measure.scale, rounding.shift);  // of a unit of coarse weight
    const double spread = measure.z * std::sqrt(std::max(0.0, q * (1 - q)) / observations);
    const auto least = [&](double w) { return q * w + spread * std::sqrt(w); };
    const auto meets = [&](Count c, Count w) {
        const double value = measure.of(static_cast<double>(c), static_cast<double>(w), observations);
        return strict ? value > q : value >= q;
    };

    std::vector<Count> wanted(static_cast<std::size_t>(total) + 1);
    Count first = total + 1;  // W1
    Count need = 0;
    for (Count w = 1; w <= total; ++w) {
        if (rounding.any) {
            const double change = rounding.of(w), weight = static_cast<double>(w);
            const double low = std::clamp(least(std::max(0.0, weight - change)) - change, 0.0, weight + 1);
            wanted[static_cast<std::size_t>(w)] = relaxed(low, unit);
            if (wanted[static_cast<std::size_t>(w)] <= target.per_row * w && w >= min_leaf) first = std::min(first, w);
            continue;
        }
        need = std::clamp<Count>(static_cast<Count>(std::ceil(least(static_cast<double>(w)))), 0, w + 1);
        while (need > 0 && meets(need - 1, w)) --need;
        while (need <= w && !meets(need, w)) ++need;
        if (need <= w && w >= min_leaf) first = std::min(first, w);
        const double exact = std::ceil(least(static_cast<double>(w)) * unit);
        wanted[static_cast<std::size_t>(w)] =
            std::clamp(static_cast<Count>(std::min(exact, unit * static_cast<double>(w + 1))),
                       target.per_row * (need - 1) + 1, target.per_row * need);
    }
    // Below W1: the tangent, and above what any leaf could have.
    const auto at_first = static_cast<std::size_t>(std::min(first, total));
    const Count tangent = first < total ? wanted[at_first + 1] - wanted[at_first] : target.per_row;
    for (Count w = std::min(first - 1, total); w >= 0; --w) {
        const Count line = first <= total ? wanted[at_first] - tangent * (first - w) : 0;
        wanted[static_cast<std::size_t>(w)] = std::max(line, target.per_row * w + 1);
    }
    Count min_rise = target.per_row, max_rise = rounding.any ? 1 : 0;
    for (std::size_t w = 0; w + 1 < wanted.size(); ++w) {
        min_rise = std::min(min_rise, wanted[w + 1] - wanted[w]);
        max_rise = std::max(max_rise, wanted[w + 1] - wanted[w]);
    }
    target.table.assign(wanted.begin(), wanted.end());
    target.size_rate = std::max<Count>(1, target.per_row - static_cast<Count>(std::floor(q * unit)));
    target.gain_rate = std::max(target.size_rate, target.per_row - min_rise);
    target.loss_rate = max_rise;
    return target;
}

const Target& Target::none() {
    static const Target target = [] {
        Target free;
        free.per_row = free.size_rate = free.min_leaf = 0;
        return free;
    }();
    return target;
}

bool Target::implies(const Target& other) const {
    const bool bound = !table.empty();
    const int order = bound ? (q > other.q) - (q < other.q)
                            : compare_ratios(value_.correct, value_.weight, other.value_.correct, other.value_.weight);
    return order > 0 || (order == 0 && (strict || !other.strict));
}

bool Target::met_by(const Measure& measure, Value value) const {
    if (measure.criterion == Criterion::lower_bound) return strict ? measure.of(value) > q : measure.of(value) >= q;
    const int order = compare_ratios(value.correct, value.weight, value_.correct, value_.weight);
    return strict ? order > 0 : order >= 0;
}

Conversion::Conversion(const Target& old, const Target& now, const Rounding& rounding) {
    from = static_cast<double>(old.per_row);
    to = static_cast<double>(now.per_row);
    ratio = std::min(1.0, static_cast<double>(now.size_rate) / to / (static_cast<double>(old.size_rate) / from));
    harder = now.implies(old);
    if (old.table.empty()) {
        per_leaf = std::max(0.0, static_cast<double>(old.offset) / from - static_cast<double>(now.offset) / to);
        per_weight = std::max(0.0, static_cast<double>(old.slope) / from - static_cast<double>(now.slope) / to);
    } else {
        for (std::size_t w = 0; w < old.table.size(); ++w)
            per_leaf = std::max(per_leaf, old.table[w] / from - now.table[w] / to);
    }
    if (rounding.any) per_leaf += 1 / from;
}

Count Conversion::lower(Count known, std::uint32_t depth, Count weight) const {
    if (known <= 0) return 0;
    const double rows = static_cast<double>(known) / from - std::ldexp(per_leaf, static_cast<int>(depth)) -
                        per_weight * static_cast<double>(weight);
    // Pays for the rounding of these few operations, each of relative error 2^-53.
    const double rounding = 1e-9 * (static_cast<double>(known) / from + 1.0) + 1e-14 * static_cast<double>(weight);
    const double bound = to * (ratio * rows - rounding);
    return std::max<Count>(harder ? 1 : 0, bound > 0 ? static_cast<Count>(std::floor(bound)) : 0);
}

}  // namespace treewright::leaf_accuracy
