// Survival trees: rows have an event or were censored, and the cumulative hazard of the whole table at their time. A
// leaf has one hazard ratio theta, and its loss is the least over theta of the sum over its rows of half their deviance
// (LeBlanc and Crowley 1992, Relative Risk Trees for Censored Survival Data, Biometrics 48):
//     theta h_i - d_i log(theta h_i) + d_i log d_i - d_i >= 0,
// with d_i the weight of an event (0: censored) and h_i the weighted hazard. With D and H their sums, theta = D / H and
//     L = D log(H / D) - sum d_i log(h_i / d_i),        L = 0 where D = 0.
//
// As sums of losses of rows that are not negative, with one theta for a leaf, L is monotone and superadditive. A
// logarithm has no exact value, so L is computed in double precision, in units of 2^-scale, with an error below `slack`
// units (proof at `largest_error` in survival.cpp). All hazards are divided by v, a power of two of at most the least
// h_i / d_i: D log v is taken from both terms of L, and small logarithms have small errors. The integer loss of a set S
// of n >= 1 rows is
//     l(S) = floor(p - K),  p = computed D log(H / (D v)) 2^scale,  K = sum (k_i - 4 slack) + 3 slack,
// k_i an integer of at most d_i log(h_i / (d_i v)) 2^scale. Then with e = slack:
//  l >= 0           L - sum of errors of k_i is not negative, so p - K >= -e + 4 e n - 3 e >= 0.
//  superadditive    p(A + B) - K(A + B) >= G(A + B) - e - 3 e, with G = L 2^scale + 4 e n and so on, superadditive; and
//                   p(A) - K(A) + p(B) - K(B) <= G(A) + G(B) + 2 e - 6 e: the same. And floor(a) + floor(b) <= floor(a
//                   + b).
//  monotone         a row more adds 4 e to G, which the two errors of 2 e cannot undo.
// Of what is added, 4 slack a row is the same for every tree, and - 3 slack a leaf is a part of the leaf penalty. A row
// more may cost any amount, so the loss is not `similar`.
#pragma once

#include "treewright/objective/logarithms.hpp"
#include "treewright/objective/table_objective.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace treewright::ranked {

struct EventTable : RankedTable {
    static constexpr std::int64_t kLargestEvents = std::int64_t{1} << 50;
    static constexpr std::int64_t kLargestHazard = std::int64_t{1} << 61;
    static constexpr std::int64_t kLargestTerm = std::int64_t{1} << 51;  // of events times logarithm, in units

    std::vector<std::int64_t> events;  // [row]: d_i >= 0
    std::vector<std::int64_t> hazard;  // [row]: h_i >= 0, at least d_i
    int scale = 0;                     // 2^scale units make one of loss

    // Derived by prepare().
    std::vector<std::int64_t> constant;  // [row]: k_i - 4 slack
    double per_event = 1;                // v
    std::int64_t slack = 0;
    double units = 1;  // 2^scale

    void prepare();
    // With the constants of all rows, which have room for errors of larger sums: so integer losses of parts and of the
    // whole are those of one function of sets.
    void take(const EventTable& other, std::span<const std::uint32_t> rows);
    // D log(H / (D v)) in units, D >= 1 and H >= D.
    [[nodiscard]] double events_times_log(std::int64_t d, std::int64_t h) const {
        const auto own = static_cast<double>(d);
        return times_log(own, static_cast<double>(h) / per_event / own, units);
    }
    // Units by which that may be off, D and H sums over any rows.
    [[nodiscard]] double largest_error() const;
    // And what that is at most, and a unit of loss more for each event.
    [[nodiscard]] double largest_term() const;

   private:
    [[nodiscard]] double all_events() const;
    [[nodiscard]] double log_most() const;  // of H / (D v)
    [[nodiscard]] double power_below_quotients() const;
};

class Survival final : public TableObjective<Survival, EventTable> {
   public:
    // One unit of loss counts 2^tie_bits.
    Survival(std::shared_ptr<const EventTable> data, int tie_bits, Cost leaf_penalty);

    void add_row(std::uint32_t row, Node& node) const {
        node.sums[kEvents] += data_->events[row];
        node.sums[kHazard] += data_->hazard[row];
        node.sums[kConstant] += data_->constant[row];
    }
    [[nodiscard]] auto over(std::shared_ptr<const EventTable> data, Cost penalty) const {
        return std::make_unique<Survival>(std::move(data), tie_bits_, penalty);
    }

    [[nodiscard]] Cost leaf_cost(const Node& node) const override {
        return node.n == 0 ? leaf_penalty()
                           : loss_cost(node.sums[kEvents], node.sums[kHazard], node.sums[kConstant]) + leaf_penalty();
    }
    [[nodiscard]] Stump best_stump(const Node& node) const override;
    [[nodiscard]] std::unique_ptr<PairSolver> pair_solver(const Options& options, Control& control) const override;
    // Hazards rounded to what double precision can add exactly; none where that is too coarse for an event's hazard.
    [[nodiscard]] std::optional<TwoSums> two_sums() const override;

   private:
    // The place of the sums of a node.
    static constexpr std::size_t kEvents = 0, kHazard = 1, kConstant = 2, kSums = 3;

    // Cost of the loss of a leaf with these sums over at least one row, without the penalty.
    [[nodiscard]] Cost loss_cost(std::int64_t events, std::int64_t hazard, std::int64_t constant) const;

    int tie_bits_;
};

}  // namespace treewright::ranked
