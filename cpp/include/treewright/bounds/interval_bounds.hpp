// What is known about the splits of one column of a node: bounds at the splits solved so far, and what they say
// between.
//
// Split c sends the groups 0..c-1 (the first p(c) rows) left: L_c grows with c, R_c shrinks. A point holds valid lower
// bounds l <= f(L_c), r <= f(R_c) on the optima of the two sides at the depth that is left. W(c) is the total span of
// the first p(c) rows: what those rows can add to the cost of any tree, in cost units.
//
// Rules (m = minimum leaf size; S inside S', both with a feasible tree):
//  (M) monotone, m = 1:  f(S) <= f(S'). Take an optimal tree of S' for S: no row's cost is negative, so the loss cannot
//      grow, and leaves that receive no row can only be removed. False for m > 1: that tree may starve a leaf of S.
//  (Z) Lipschitz, any m: f(S') <= f(S) + W(S' \ S). Take an optimal tree of S for S' with the same leaf labels: every
//      leaf keeps its rows, so it stays feasible, and an added row costs at most its span. So
//      f(S) >= f(S') - W(S' \ S).
// Hence for points a < b and a split c between them
//      f(L_c) >= l_a (M), l_b - (W(b) - W(c)) (Z);    f(R_c) >= r_b (M), r_a - (W(c) - W(a)) (Z)
// and for f(L_c) + f(R_c):
//      l_a + r_b (M+M) and l_b + r_a - (W(b) - W(a)) (Z+Z: the two losses are together exactly the rows of the gap): if
//      either reaches the target, the gap is closed;
//      s_a - (W(c) - W(a)) (M+Z) and s_b - (W(b) - W(c)), where s_a >= l_a + r_a bounds the cost of split a: the gap
//      shrinks from its ends. Take the two optimal trees of split c > a for split a: that of the left side loses rows,
//      which costs nothing (M); that of the right side gains those between, which costs at most their span (Z).
//  (S) superadditive, m = 1:  f(A + B) >= f(A) + e(B) for sets A, B that share no row, where e(B) is the least loss of
//      a tree of the same size, without its leaf penalties. Take an optimal tree of A + B: what it costs on A, leaves
//      that receive no row left out, is at least f(A); its loss on B at least e(B).
// So for a split c between a and b, with M_c the rows from a to c and N_c those from c to b: f(L_c) + f(R_c) >= l_a +
// r_b + e(M_c) + e(N_c). For all splits from c to d at once: the rows a to c are on the left of each, those from d to b
// on the right, so e(M_c) + e(N_d) is added to all. Few rows of many errors close wide gaps
// (Search::rows_between_close). s_a is more than l_a + r_a where the two sides share a limit of leaves, or where a
// bound of the whole was imported: of a subset as it is (M on both sides), of a superset less the span of the rows more
// (Z on both sides, each row on one). The ends, split 0 and split G, are points that are no splits: there l or r is the
// cost of one leaf (every tree has one), and the other is any bound on f(S) one level down, from which only (Z) and (M)
// are drawn for proper splits. A target only falls, so what is closed stays closed.
#pragma once

#include "treewright/core/cost.hpp"
#include "treewright/search/ranked_options.hpp"
#include "treewright/space/ranked_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

struct Node;
class RankedObjective;

struct SplitBounds {
    static constexpr std::uint32_t kNoTag = 0xffffffffu;
    std::uint32_t split;
    Cost left;
    Cost right;
    Cost sum = 0;                // lower bound of both sides together, if more than left + right
    Cost between = 0;            // what the rows up to the next point add, at every open split before it (rule S)
    std::uint32_t tag = kNoTag;  // for the owner of the profile

    [[nodiscard]] Cost cost() const { return std::max(sum, left + right); }
};

// Bounds of a split of another node, told by the rank of its first row on the right.
struct Hint {
    std::uint32_t rank;
    Cost left;
    Cost right;
    Cost sum;
};

// Whose profile bounds are taken from: the same rows, fewer (rule M) or more (rule Z).
enum class Relation : std::uint8_t { same, subset, superset };

// Open splits first..last between two neighbouring points; empty if first > last.
struct Gap {
    std::uint32_t first;
    std::uint32_t last;
    Cost bound;  // no split of the gap costs less
    [[nodiscard]] bool open() const { return first <= last; }
};

class IntervalBounds {
   public:
    // Starts afresh for column number `at` of `node`; `whole` is a lower bound of the node one level down. With
    // `any_size` l and r of all points bound the optima with leaves of any size, and so those with m rows in each,
    // which are no less; rule M holds of them whatever m is. A point's sum still bounds the cost of its split with
    // leaves of m rows, but of these rows alone.
    void reset(const RankedObjective& objective, const Options& options, const Node& node, std::size_t at, Cost whole,
               bool any_size = false);
    // Starts afresh for the same node and another target. Bounds of points hold for any target; what rows between two
    // points add was said of the splits that were open under the old one, and is forgotten.
    void reopen(Cost whole);

    [[nodiscard]] std::size_t n_splits() const { return position_.size(); }  // legal or not
    // Rows on the left of split c in 0..n_splits() + 1.
    [[nodiscard]] std::uint32_t position(std::uint32_t split) const {
        return split == 0 ? 0 : split > position_.size() ? n_rows_ : position_[split - 1];
    }

    // Whether both sides of the split have rows enough for a leaf.
    [[nodiscard]] bool legal(std::uint32_t split) const { return first_legal_ <= split && split <= last_legal_; }

    [[nodiscard]] const std::vector<SplitBounds>& points() const { return points_; }
    [[nodiscard]] Gap gap(std::size_t left_point, Cost target) const;
    // Number of the last point at or before `split`.
    [[nodiscard]] std::size_t point_before(std::uint32_t split) const;

    // Whether the split of a point may still be cheaper than `target`.
    [[nodiscard]] bool open(const SplitBounds& point, Cost target) const {
        return point.cost() < target && legal(point.split);
    }

    // Says what the rows between a point and the next add to any split that is open under the present target.
    void add_between(std::size_t left_point, Cost between) { points_[left_point].between = between; }

    // Adds a split, or better bounds of one, and draws conclusions for its neighbours.
    void insert(SplitBounds point);

    // Takes the points of a profile of the same column over related rows; `loss` is the span of the rows that a
    // superset has more. Call before any insert().
    void import_from(const RankedTable& table, const Node& node, std::size_t at, std::span<const Hint> hints,
                     Relation relation, Cost loss);
    // Writes down the points of this profile; those without which the gap would still reach `target` are left out.
    void export_to(const RankedTable& table, const Node& node, std::size_t at, Cost target,
                   std::vector<Hint>& hints) const;

    // What the neighbouring points say about a split.
    [[nodiscard]] SplitBounds bounds(std::uint32_t split) const;

    // A lower bound over all splits: what is not open under `target` is at least `target`.
    [[nodiscard]] Cost lower_bound(Cost target) const;

    // Whether a subset costs no more than its superset (rules M and S).
    [[nodiscard]] bool monotone() const { return monotone_; }

    [[nodiscard]] Cost span_between(std::uint32_t first, std::uint32_t last) const {
        return span_(last) - span_(first);
    }

   private:
    [[nodiscard]] Cost gap_bound(const SplitBounds& a, const SplitBounds& b) const;
    void spread();  // draws all conclusions between neighbouring points
    [[nodiscard]] Cost span_(std::uint32_t split) const;
    [[nodiscard]] std::uint32_t first_beyond(Cost span) const;  // first split with W(split) > span
    [[nodiscard]] std::uint32_t last_before(Cost span) const;   // last split with W(split) < span

    std::vector<std::uint32_t> position_;  // [split - 1]
    std::vector<Cost> prefix_;             // [split - 1], empty if every span is one
    std::vector<SplitBounds> points_;
    std::uint32_t n_rows_ = 0;
    std::uint32_t first_legal_ = 1, last_legal_ = 0;
    Cost unit_ = 1;
    Cost total_span_ = 0;
    bool any_size_ = false;
    bool monotone_ = true;
    bool lipschitz_ = true;
    Cost leaf_ = 1;
};

}  // namespace treewright::ranked
