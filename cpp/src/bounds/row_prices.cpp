// The largest gain of a conjunction, proven by branch and bound (see row_prices.hpp).
//
// For one class the rows divide into positive ones (gain > 0) and negative ones; the potential of a conjunction is the
// sum of its positive rows, and no conjunction inside it gains more. What keeps the enumeration small:
//
//   Order        The branches of a conjunction are its literals, smallest potential first; a branch may use the
//                literals of later branches only (each set of literals is met once). So the rich literals come where
//                nearly nothing is left to add to them.
//   Closure      Without a depth limit, a literal that all positive rows inside satisfy is added at once: for every
//                conjunction T inside, adding it removes negative rows only. So only conjunctions closed over their
//                positive rows are visited, and one whose closure has a literal of an earlier branch was visited
//                there (as in Uno et al. 2004, LCM, and for this problem Eckstein and Goldberg 2012).
//   Unavoidable  A conjunction T inside S that gains more than the bar has only literals of S and literals that
//                alone keep more than the bar (its closure too: each of them keeps at least T). A negative row that
//                satisfies all of those is in every such T, and its loss comes off the potential.
//   Shared       Every other negative row is in T, too, or left out by a literal of T, which leaves out positive rows
//                as well (shared_loss).
//   Bar          Gains up to the bar are not told apart, and the bar rises with the largest gain found.
#include "treewright/bounds/row_prices.hpp"

#include "bounds/row_price_gains.hpp"
#include "treewright/core/arena.hpp"

#include <algorithm>
#include <bit>

namespace treewright::binary {

namespace {

class Enumeration {
   public:
    Enumeration(const Pricing& pricing, std::int64_t bar, std::int64_t max_work, Control& control)
        : data_(pricing.data),
          words_(data_.n_words),
          gains_(data_, pricing.prices, pricing.unit_shift),
          threshold_(gains_.quanta(pricing.leaf_penalty)),
          bar_(gains_.quanta(bar)),
          max_depth_(pricing.max_depth),
          closed_(pricing.unlimited()),
          shared_losses_(pricing.shared_losses),
          max_work_(max_work),
          control_(control),
          slots_(2 * data_.n_columns + 1),
          finds_(data_.n_classes * slots_ * kSeconds) {}

    Violations run() {
        for (class_ = 0; class_ < data_.n_classes; ++class_) {
            slot_ = class_ * slots_ * kSeconds;
            ArenaScope scope(arena_);
            const auto rows = arena_.take<std::uint32_t>(data_.n_rows);
            std::size_t n_positive = 0;
            std::size_t n_negative = 0;
            Node root{};
            for (std::uint32_t r = 0; r < data_.n_rows; ++r) {
                const std::int32_t gain = gains_.of(class_, r);
                if (gain > 0)
                    rows[n_positive++] = r;
                else
                    rows[data_.n_rows - ++n_negative] = r;
                root.potential += std::max(0, gain);
            }
            root.positive = rows.first(n_positive);
            root.negative = rows.last(n_negative);
            root.allowed = arena_.take<std::uint64_t>(2 * words_);
            std::fill(root.allowed.begin(), root.allowed.end(), 0);
            for (std::size_t j = 0; j < data_.n_columns; ++j)
                for (std::size_t half : {std::size_t{0}, words_})
                    root.allowed[half + j / 64] |= std::uint64_t{1} << (j % 64);
            root.excluded = arena_.take<std::uint64_t>(2 * words_);
            std::fill(root.excluded.begin(), root.excluded.end(), 0);
            consider(root);
            visit(root, 0);
        }
        out_.worst = gains_.cost(std::max({worst_, open_, bar_}));
        add_finds(data_, finds_.take(data_.n_rows), out_);
        return std::move(out_);
    }

   private:
    struct Node {
        std::span<const std::uint32_t> positive;
        std::span<const std::uint32_t> negative;
        std::span<std::uint64_t> allowed;   // literals that may be added: ones, then zeros
        std::span<std::uint64_t> excluded;  // literals of earlier branches, here and above
        std::int32_t potential;
    };
    struct Branch {
        std::uint32_t literal;
        std::int32_t potential;
    };

    void consider(const Node& node) {
        std::int32_t gain = node.potential;
        for (const std::uint32_t r : node.negative) gain += gains_.of(class_, r);
        worst_ = std::max(worst_, gain);
        bar_ = std::max(bar_, gain);
        if (gain > threshold_) finds_.keep(slot_, gain, node.positive, node.negative);
    }

    void visit(const Node& node, std::int32_t depth) {
        ++out_.explored;
        const auto size = static_cast<std::int64_t>(node.positive.size() + node.negative.size());
        work_ += 1 + size / 64;
        if (control_.step(1 + size * static_cast<std::int64_t>(words_) / 32)) work_ = std::max(work_, max_work_);
        if (depth >= max_depth_ || node.potential <= bar_) return;
        ArenaScope scope(arena_);
        const std::span<Branch> branches = viable_branches(node);
        if (branches.empty() || node.potential - loss(node, branches) <= bar_) return;
        if (depth + 1 == max_depth_) return finish(node, branches);
        for (const Branch& branch : branches) {
            if (depth == 0) slot_ = (class_ * slots_ + 1 + branch.literal) * kSeconds;
            if (depth == 1) slot_ = slot_ / kSeconds * kSeconds + (slot_ + 1) % kSeconds;
            // Later branches may not use this literal.
            const std::size_t at = (branch.literal % 2 == 1 ? 0 : words_) + word_of(branch);
            node.allowed[at] &= ~digit_of(branch);
            ArenaScope branch_scope(arena_);
            Node child;
            const bool is_new = branch.potential > bar_ && work_ < max_work_ && enter(node, branch, child);
            if (work_ >= max_work_ && branch.potential > bar_) {
                open_ = std::max(open_, branch.potential);
                out_.complete = false;
            }
            if (is_new) {
                consider(child);
                visit(child, depth + 1);
            }
            node.excluded[at] |= digit_of(branch);
        }
    }

    // The last literal: all gains at once, from the sums over the negative rows.
    void finish(const Node& node, std::span<const Branch> branches) {
        const auto sums = arena_.take<std::int32_t>(gains_.stride());
        gains_.sum(class_, node.negative, sums.data());
        std::int32_t all = 0;
        for (const std::uint32_t r : node.negative) all += gains_.of(class_, r);
        const Branch* best = nullptr;
        std::int32_t best_gain = threshold_;
        for (const Branch& branch : branches) {
            const std::int32_t lost = sums[branch.literal / 2];
            const std::int32_t gain = branch.potential + (branch.literal % 2 == 1 ? lost : all - lost);
            worst_ = std::max(worst_, gain);
            if (gain > best_gain) {
                best_gain = gain;
                best = &branch;
            }
        }
        bar_ = std::max(bar_, worst_);
        Node child;
        if (best != nullptr && enter(node, *best, child)) consider(child);
    }

    [[nodiscard]] static std::size_t word_of(const Branch& b) { return b.literal / 128; }
    [[nodiscard]] static std::uint64_t digit_of(const Branch& b) { return std::uint64_t{1} << (b.literal / 2 % 64); }

    // The literals that keep more than the bar, smallest potential first; drops the others from `allowed`.
    std::span<Branch> viable_branches(const Node& node) {
        const auto branches = arena_.take<Branch>(2 * data_.n_columns);
        std::size_t n = 0;
        {
            const auto sums = arena_.take<std::int32_t>(gains_.stride());
            gains_.sum(class_, node.positive, sums.data());
            for (std::size_t w = 0; w < words_; ++w) {
                for (std::uint32_t value : {0U, 1U}) {
                    std::uint64_t& allowed = node.allowed[value == 1 ? w : words_ + w];
                    for (std::uint64_t left = allowed; left != 0; left &= left - 1) {
                        const std::size_t j = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
                        const std::int32_t potential = value == 1 ? sums[j] : node.potential - sums[j];
                        if (potential > bar_)
                            branches[n++] = {static_cast<std::uint32_t>(2 * j) + value, potential};
                        else
                            allowed &= ~(left & (~left + 1));
                    }
                }
            }
        }
        const auto out = branches.first(n);
        std::sort(out.begin(), out.end(), [](const Branch& a, const Branch& b) {
            return a.potential != b.potential ? a.potential < b.potential : a.literal < b.literal;
        });
        return out;
    }

    // The allowed literals of columns 64 * word to 64 * word + 63 that exclude a row.
    [[nodiscard]] std::uint64_t excluding(const Node& node, std::uint32_t row, std::size_t word) const {
        const std::uint64_t bits = data_.bits[row * words_ + word];
        return (node.allowed[word] & ~bits) | (node.allowed[words_ + word] & bits);
    }

    // No conjunction of allowed literals gains more than the potential less this.
    std::int32_t loss(const Node& node, std::span<const Branch> branches) {
        ArenaScope scope(arena_);
        const auto avoidable = arena_.take<std::uint32_t>(node.negative.size());
        std::size_t n = 0;
        std::int32_t unavoidable = 0;
        for (const std::uint32_t r : node.negative) {
            std::uint64_t excludes = 0;
            for (std::size_t w = 0; w < words_; ++w) excludes |= excluding(node, r, w);
            if (excludes == 0)
                unavoidable -= gains_.of(class_, r);
            else
                avoidable[n++] = r;
        }
        if (!shared_losses_ || n == 0 || node.potential - unavoidable <= bar_) return unavoidable;
        return unavoidable + shared_loss(node, branches, avoidable.first(n));
    }

    // Divide the gain of each positive row equally among the allowed literals that exclude it; a literal l pays the
    // shares of the rows that it excludes, pay(l) in all. Let w(n) be the loss of a negative row n, W(l) the sum of w
    // over the negative rows that l excludes, and
    //
    //     beta(n) = w(n) * min(1, smallest pay(l) / W(l) of the allowed literals l that exclude n).
    //
    // Every conjunction T of allowed literals loses at least the sum of all beta. Proof: a positive row that T leaves
    // out is excluded by some literals of T, whose shares of it add up to its gain at most. So T loses, in positive
    // rows, at least the sum of pay(l) over its literals. As beta(n) <= w(n) * pay(l) / W(l) where l excludes n, pay(l)
    // is at least the sum of beta over the rows that l excludes; so T pays beta for every negative row that it leaves
    // out. Of one that it keeps it loses w(n) >= beta(n). All roundings are down.
    std::int32_t shared_loss(const Node& node, std::span<const Branch> branches,
                             std::span<const std::uint32_t> avoidable) {
        const auto share = arena_.take<std::int32_t>(node.positive.size());
        std::int32_t all_shares = 0;
        for (std::size_t i = 0; i < share.size(); ++i) {
            int literals = 0;
            for (std::size_t w = 0; w < words_; ++w) literals += std::popcount(excluding(node, node.positive[i], w));
            share[i] = literals == 0 ? 0 : gains_.of(class_, node.positive[i]) / literals;
            all_shares += share[i];
        }
        const auto shares = arena_.take<std::int32_t>(gains_.stride());  // of the rows where a column is one
        gains_.sum(share, node.positive, shares.data());
        std::int32_t all_gains = 0;
        for (const std::uint32_t r : avoidable) all_gains += gains_.of(class_, r);
        const auto gains = arena_.take<std::int32_t>(gains_.stride());
        gains_.sum(class_, avoidable, gains.data());

        // pay(l) / W(l), at most 1, in parts of kWhole: of the literals that exclude zeros and those that exclude ones.
        const auto zeros = arena_.take<std::int32_t>(gains_.stride());
        const auto ones = arena_.take<std::int32_t>(gains_.stride());
        std::fill(zeros.begin(), zeros.end(), kWhole);
        std::fill(ones.begin(), ones.end(), kWhole);
        for (const Branch& branch : branches) {
            const std::size_t j = branch.literal / 2;
            const bool one = branch.literal % 2 == 1;
            const std::int64_t pay = one ? all_shares - shares[j] : shares[j];
            const std::int64_t lost = one ? gains[j] - all_gains : -gains[j];
            if (pay < lost) (one ? zeros : ones)[j] = static_cast<std::int32_t>(pay * kWhole / lost);
        }
        std::int64_t loss = 0;
        for (const std::uint32_t r : avoidable)
            loss += -std::int64_t{gains_.of(class_, r)} * gains_.smallest(r, zeros.data(), ones.data()) / kWhole;
        return static_cast<std::int32_t>(loss);
    }

    // Makes the branch's conjunction; false if it was or will be visited elsewhere.
    bool enter(const Node& node, const Branch& branch, Node& child) {
        const std::size_t word = word_of(branch);
        const std::uint64_t digit = digit_of(branch);
        const std::uint64_t flip = branch.literal % 2 == 1 ? 0 : ~std::uint64_t{0};
        const auto positive = arena_.take<std::uint32_t>(node.positive.size());
        const auto negative = arena_.take<std::uint32_t>(node.negative.size());
        const auto common = arena_.take<std::uint64_t>(2 * words_);
        std::fill(common.begin(), common.end(), ~std::uint64_t{0});
        std::size_t n = 0;
        for (const std::uint32_t r : node.positive) {
            const std::uint64_t* bits = data_.bits.data() + r * words_;
            if (((bits[word] ^ flip) & digit) == 0) continue;
            positive[n++] = r;
            for (std::size_t w = 0; w < words_; ++w) {
                common[w] &= bits[w];
                common[words_ + w] &= ~bits[w];
            }
        }
        child.positive = positive.first(n);
        child.potential = branch.potential;
        child.allowed = arena_.take<std::uint64_t>(2 * words_);
        if (!closed_) {
            std::fill(common.begin(), common.end(), 0);
            common[(flip != 0 ? words_ : 0) + word] = digit;
        }
        child.excluded = arena_.take<std::uint64_t>(2 * words_);
        for (std::size_t w = 0; w < 2 * words_; ++w) {
            if (closed_ && (common[w] & node.excluded[w]) != 0) return false;
            child.allowed[w] = node.allowed[w] & ~common[w];
            child.excluded[w] = node.excluded[w];
        }
        n = 0;
        for (const std::uint32_t r : node.negative) {
            const std::uint64_t* bits = data_.bits.data() + r * words_;
            std::uint64_t outside = 0;
            for (std::size_t w = 0; w < words_; ++w) outside |= (common[w] & ~bits[w]) | (common[words_ + w] & bits[w]);
            if (outside == 0) negative[n++] = r;
        }
        child.negative = negative.first(n);
        return closed_ || child.positive.size() < node.positive.size() || child.negative.size() < node.negative.size();
    }

    static constexpr std::int32_t kWhole = 1 << 20;
    static constexpr std::size_t kSeconds = 32;  // slots for second literals

    const Dataset& data_;
    std::size_t words_;
    Gains gains_;
    std::int32_t threshold_;
    std::int32_t bar_;
    std::int32_t max_depth_;
    bool closed_;
    bool shared_losses_;
    std::int64_t max_work_;
    Control& control_;
    std::int64_t work_ = 0;
    std::int32_t worst_ = 0;  // largest gain found
    std::int32_t open_ = 0;   // largest potential left unexplored
    Arena arena_;
    std::size_t slots_;
    Finds finds_;
    std::size_t class_ = 0;
    std::size_t slot_ = 0;  // class, first literal, rank of the second
    Violations out_;
};

}  // namespace

Violations bound_violations(const Pricing& pricing, std::int64_t bar, std::int64_t max_work, Control& control) {
    return Enumeration(pricing, bar, max_work, control).run();
}

}  // namespace treewright::binary
