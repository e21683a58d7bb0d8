// What a leaf is worth, and what it lacks for a target.
//
// The value of a leaf with weight W, of which c in its largest class, is its accuracy c / W, or the lower end of the
// Wilson interval of that accuracy with n = W observations. A target asks every leaf for a value >= q (or > q: strict)
// and for `min_leaf` rows. The search does not ask whether a tree meets a target but by how much it fails: the deficit
//
//   def(leaf) = max(0, A(W) - B c, R (min_leaf - m))        m rows; integers; 0 exactly if the leaf meets the target
//
// summed over the leaves. A sum, not a maximum, so that it is Lipschitz in the rows:
//
//   G(S, d) = min over trees of depth <= d of the sum of def over their leaves on the rows S
//   (1) rows of weight w added to S:      G falls by at most gain_rate * w
//   (2) rows of weight w taken from S:    G falls by at most loss_rate * w
//
// Proof. Take the best tree of the changed set and drop the unchanged set into it (leaves may be empty there; such
// a tree does not undercut the minimum: with the split above an empty leaf dropped, the sum is no larger). A leaf that
// gains weight w: A(W) rises by at least w min A', B c by at most B w, R m by at most R w (weights are >= 1); so its
// def falls by at most w max(B - min A', R) = w gain_rate. A leaf that loses weight w: A(W) falls by at most w max A',
// the other two terms do not fall; so def falls by at most w max A' = w loss_rate. The weights add up to w over the
// leaves.
//
// Accuracy, q = a / b in lowest terms: A(W) = a W + s with s = 1 if strict, B = b. All exact.
//
// Wilson. Its lower end is >= q exactly if c >= C(W) = q W + z sqrt(q (1 - q) W) (the interval inverts the score test
// (c/W - q) / sqrt(q (1 - q) / W) >= z). need(W) is the least whole c whose value meets the target, as computed in
// float64, the same function that reports values; A(W) is C(W) * B rounded and held within B (need(W) - 1) < A(W) <= B
// need(W), so that A(W) - B c > 0 exactly if c < need(W). Below the smallest weight W1 at which any leaf can meet the
// target, all leaves fail anyway, and A goes on as the tangent at W1: C is concave, so the tangent is above it, and A'
// stays small (it enters loss_rate). A' is bounded by a scan of the table, so no property of C is trusted.
//
// Rounded weights. Where the full weights h (whole.hpp) have more bits than the kernels take, a row has the coarse
// weight w = max(1, h / 2^shift rounded), and W, c above are sums of these. What counts is the value in full, c* / W*:
//
//   def(leaf) = max(0, A(W) - B c, R (min_leaf - m), 1 if the leaf does not meet the target in full)
//
// with an A so low that A(W) - B c > 0 only if the leaf fails in full; so def is 0 exactly if the leaf meets the
// target. The last term changes by at most 1, and a row weighs at least 1, so (1) and (2) hold with rates of at least
// 1. Kernels leave the last term out: what they return is a lower bound, and a sum of 0 is looked at again in full
// (Search::confirm). Let e(W) bound the sum of |w - h / 2^shift| over the rows of a leaf of coarse weight W: the
// smaller of the sum over the whole table and W times the largest relative change of a row. In units of 2^shift, if c*
// >= q W* then c - q W >= -e(W), for the change of each row is multiplied by 1 - q or by q. The Wilson bound: c* >=
// C(W*) and C grows with W, so c >= C(W - e(W)) - e(W).
//
// As good. Weights that are real numbers (balanced ones, say) come with the rounding of float64, and so does a Wilson
// bound of any weights: leaves of equal value can differ in the last bits. The second pass asks for the cheapest tree
// with a worst leaf *as good* as the best one, so its target is lowered by 2^-40 of the value (Measure::as_good). Its
// answer is the cheapest among all trees that meet the lowered target, which all trees of equal value do. The first
// pass compares numbers as they are. Accuracies of exact weights are fractions and are not lowered.
#pragma once

#include "treewright/leaf_accuracy/whole.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace treewright::leaf_accuracy {

using Count = std::int64_t;  // weights as the kernels add them, deficits

// Values that differ by less, relatively, are as good: 2^-40, some 1e-12. A value is a sum of up to 10^4 terms that are
// each off by a few 2^-53.
constexpr int kAsGoodBits = 40;

enum class Criterion : std::uint8_t { accuracy, lower_bound };

// The worst leaf of a tree, in full weights.
struct Value {
    Whole correct = 0;
    Whole weight = 1;
};

// A leaf: sums of coarse weights, rows, and its value in full.
struct Leaf {
    Count weight = 0;
    Count largest = 0;
    Count rows = 0;
    Value value{0, 0};
};

// How leaves are compared. One unit of weight in full is `scale` observations of the interval.
struct Measure {
    Criterion criterion = Criterion::accuracy;
    double z = 0.0;
    double scale = 1.0;
    bool real_weights = false;  // they stand for real numbers, and are as float64 has them

    [[nodiscard]] double of(Value value) const {
        return of(static_cast<double>(value.correct), static_cast<double>(value.weight), scale);
    }
    [[nodiscard]] double of(double correct, double weight, double observations) const;
    [[nodiscard]] bool less(Value a, Value b) const;  // exact for accuracy
    // Of bounds: whether what is at most `a` is below `b`. A bound is computed by other operations than what it bounds,
    // so values of the Wilson interval have to differ by more than these round.
    [[nodiscard]] bool surely_less(Value a, Value b) const {
        return criterion == Criterion::accuracy ? less(a, b) : of(a) < as_good(of(b));
    }

    // The least value that counts as good as `value` (see above): an accuracy, or a bound.
    [[nodiscard]] Value as_good(Value value) const;
    [[nodiscard]] static double as_good(double bound);
    // The same accuracy in lowest terms; a bound as it is.
    [[nodiscard]] Value in_lowest_terms(Value value) const;
};

// What the coarse weights differ by from the full ones, in units of 2^shift (see above).
struct Rounding {
    bool any = false;
    int shift = 0;
    double most = 0.0;   // sum over all rows
    double share = 0.0;  // largest relative change of a row

    [[nodiscard]] double of(Count weight) const { return std::min(most, share * static_cast<double>(weight)); }
};

struct Target {
    double q = 0.0;
    bool strict = false;
    Count per_row = 1;    // B: deficit of one missing right unit of weight
    Count slope = 0;      // accuracy: a
    Count offset = 0;     // accuracy: s; below 0 where weights were rounded
    Count size_rate = 1;  // R
    Count gain_rate = 1;
    Count loss_rate = 1;
    Count min_leaf = 1;
    std::vector<std::int32_t> table;  // lower_bound: A(W), W = 0 .. total weight

    // All leaves at `value` or better; strictly better if `strict`.
    static Target at(const Measure& measure, const Rounding& rounding, Value value, bool strict, Count min_leaf,
                     Count total);
    // All leaves with a lower bound >= q.
    static Target at_bound(const Measure& measure, const Rounding& rounding, double q, bool strict, Count min_leaf,
                           Count total);

    // Met by every leaf.
    static const Target& none();

    [[nodiscard]] Count wanted(Count weight) const {
        return table.empty() ? slope * weight + offset : table[static_cast<std::size_t>(weight)];
    }
    // As the kernels count it: without the last term of rounded weights.
    [[nodiscard]] Count deficit(Count weight, Count largest, Count rows) const {
        return std::max({Count{0}, wanted(weight) - per_row * largest, size_rate * (min_leaf - rows)});
    }
    [[nodiscard]] Count deficit(const Measure& measure, const Rounding& rounding, const Leaf& leaf) const {
        const Count coarse = deficit(leaf.weight, leaf.largest, leaf.rows);
        return coarse > 0 || !rounding.any || met_by(measure, leaf.value) ? coarse : 1;
    }
    // Whether a tree that meets this target meets `other` too, for targets of one measure.
    [[nodiscard]] bool implies(const Target& other) const;
    [[nodiscard]] bool met_by(const Measure& measure, Value value) const;
    // Whether nothing that is worth at most `bound` meets it.
    [[nodiscard]] bool out_of_reach(const Measure& measure, Value bound) const {
        return table.empty() ? !met_by(measure, bound) : measure.of(bound) < Measure::as_good(q);
    }

   private:
    Value value_{};  // accuracy: q exactly
};

// A lower bound of G at one target says something about G at another. Per leaf, in rows (def / B):
//   accuracy: A'(W)/B' >= A(W)/B - max(0, a/B - a'/B') W - max(0, s/B - s'/B'), and the size term shrinks by (R'/B') /
//   (R/B); Wilson: A'(W)/B' >= A(W)/B - e with e the largest difference over all W.
// Of rounded weights, def is at most 1 above that without the last term: 1 / B more per leaf.
// Summed over at most 2^d leaves and a total weight of W(S):
//   G' / B' >= ratio (G / B - 2^d per_leaf - per_weight W(S)),   ratio = min(1, (R'/B') / (R/B)).
struct Conversion {
    double ratio = 1.0;
    double per_leaf = 0.0;
    double per_weight = 0.0;
    double from = 1.0;    // B
    double to = 1.0;      // B'
    bool harder = false;  // a tree that meets the new target meets the old one: what failed still fails

    Conversion() = default;
    Conversion(const Target& old, const Target& now, const Rounding& rounding);
    [[nodiscard]] Count lower(Count known, std::uint32_t depth, Count weight) const;
};

}  // namespace treewright::leaf_accuracy
