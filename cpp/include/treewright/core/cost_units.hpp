// Integer cost units.
//
// One weight unit is 2^shift cost units and a leaf costs c = round(penalty * 2^shift) + 1 cost units (0 if the leaf
// penalty is 0), so all comparisons are exact and ties are deterministic. The added unit makes the tree with fewer
// leaves win when two trees cost the same; it moves a comparison only where two trees differ by less than leaves *
// 2^(1-shift) of one weight unit, far below what float64 shows of the objective.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace treewright::binary {

struct Units {
    int shift = 0;
    std::int64_t leaf_penalty = 0;

    // `total` bounds every sum of weights; `penalty` is the leaf penalty in weight units.
    static Units make(std::int64_t total, double penalty) {
        Units units;
        units.shift = std::clamp(58 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(total + 1))), 0, 32);
        // A leaf penalty above all errors together makes a single leaf optimal, and so does any larger one.
        const double capped = std::min(penalty, static_cast<double>(total) + 1.0);
        if (capped > 0) units.leaf_penalty = std::llround(std::ldexp(capped, units.shift)) + 1;
        return units;
    }

    // Weight units that one cost unit of a lower bound proves. Every leaf was charged up to 1.5 cost units too much:
    // with q the exact penalty in cost units and W >= 0 the errors, W + L*q >= q / (q + 1.5) * (W + L*(q + 1.5)). A
    // leaf charged one unit may cost next to nothing: then nothing is left.
    [[nodiscard]] double bound_unit() const {
        const auto charged = static_cast<double>(leaf_penalty);
        return std::ldexp(leaf_penalty > 0 ? std::max(0.0, charged - 1.5) / charged : 1.0, -shift);
    }

    [[nodiscard]] double to_weight(std::int64_t cost) const { return std::ldexp(static_cast<double>(cost), -shift); }
};

}  // namespace treewright::binary
