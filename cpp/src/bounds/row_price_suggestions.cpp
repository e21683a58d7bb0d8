// Violated conjunctions quickly: greedy, from every first literal (see row_prices.hpp).
#include "bounds/row_price_gains.hpp"
#include "treewright/bounds/row_prices.hpp"

#include <algorithm>
#include <numeric>

namespace treewright::binary {

namespace {

class Greedy {
   public:
    Greedy(const Pricing& pricing, std::size_t width, Control& control)
        : pricing_(pricing),
          control_(control),
          data_(pricing.data),
          gains_(data_, pricing.prices, pricing.unit_shift),
          threshold_(gains_.quanta(pricing.leaf_penalty)),
          width_(width),
          finds_(data_.n_classes * (2 * data_.n_columns + 1)),
          sums_(gains_.stride()) {}

    Violations run() {
        std::vector<std::uint32_t> all(data_.n_rows);
        std::iota(all.begin(), all.end(), 0U);
        std::vector<std::uint32_t> first;
        std::vector<std::uint32_t> second;
        for (std::size_t k = 0; k < data_.n_classes; ++k) {
            slot_ = k * (2 * data_.n_columns + 1);
            note(k, all);
            for (std::uint32_t literal = 0; literal < 2 * data_.n_columns && pricing_.max_depth >= 1; ++literal) {
                ++slot_;
                if (control_.stopped()) break;
                select(all, literal, first);
                if (potential(k, first) <= threshold_) continue;
                const std::int32_t total = note(k, first);
                if (pricing_.max_depth < 2) continue;
                for (const std::uint32_t next : best_literals(k, first, total)) {
                    select(first, next, second);
                    extend(k, second);
                }
            }
        }
        return report();
    }

   private:
    // Adds the best literal while the gain rises.
    void extend(std::size_t k, std::vector<std::uint32_t>& rows) {
        std::int32_t total = note(k, rows);
        for (std::int32_t depth = 2; depth < pricing_.max_depth; ++depth) {
            gains_.sum(k, rows, sums_.data());
            std::int32_t best = total;
            std::uint32_t best_literal = 0;
            for (std::uint32_t literal = 0; literal < 2 * data_.n_columns; ++literal) {
                const std::int32_t gain = literal % 2 == 1 ? sums_[literal / 2] : total - sums_[literal / 2];
                if (gain > best) {
                    best = gain;
                    best_literal = literal;
                }
            }
            if (best == total) return;
            const std::vector<std::uint32_t> before(rows);
            select(before, best_literal, rows);
            total = note(k, rows);
        }
    }

    std::vector<std::uint32_t> best_literals(std::size_t k, std::span<const std::uint32_t> rows, std::int32_t total) {
        gains_.sum(k, rows, sums_.data());
        std::vector<std::uint32_t> literals(2 * data_.n_columns);
        std::iota(literals.begin(), literals.end(), 0U);
        const auto gain = [&](std::uint32_t literal) {
            return literal % 2 == 1 ? sums_[literal / 2] : total - sums_[literal / 2];
        };
        const std::size_t n = std::min(width_, literals.size());
        std::partial_sort(
            literals.begin(), literals.begin() + static_cast<std::ptrdiff_t>(n), literals.end(),
            [&](std::uint32_t a, std::uint32_t b) { return gain(a) != gain(b) ? gain(a) > gain(b) : a < b; });
        literals.resize(n);
        return literals;
    }

    void select(std::span<const std::uint32_t> from, std::uint32_t literal, std::vector<std::uint32_t>& to) const {
        to.clear();
        for (const std::uint32_t r : from)
            if (data_.bit(r, literal / 2) == (literal % 2 == 1)) to.push_back(r);
    }

    std::int32_t potential(std::size_t k, std::span<const std::uint32_t> rows) const {
        std::int32_t sum = 0;
        for (const std::uint32_t r : rows) sum += std::max(0, gains_.of(k, r));
        return sum;
    }

    std::int32_t note(std::size_t k, std::span<const std::uint32_t> rows) {
        ++out_.explored;
        control_.step(1 + static_cast<std::int64_t>(rows.size() * data_.n_words / 32));
        std::int32_t gain = 0;
        for (const std::uint32_t r : rows) gain += gains_.of(k, r);
        worst_ = std::max(worst_, gain);
        if (gain > threshold_) finds_.keep(slot_, gain, rows, {});
        return gain;
    }

    Violations report() {
        out_.worst = gains_.cost(worst_);
        out_.complete = false;
        add_finds(data_, finds_.take(data_.n_rows), out_);
        return std::move(out_);
    }

    const Pricing& pricing_;
    Control& control_;
    const Dataset& data_;
    Gains gains_;
    std::int32_t threshold_;
    std::size_t width_;
    Finds finds_;
    std::vector<std::int32_t> sums_;
    std::size_t slot_ = 0;
    std::int32_t worst_ = 0;
    Violations out_;
};

}  // namespace

Violations suggest_violations(const Pricing& pricing, std::size_t width, Control& control) {
    return Greedy(pricing, width, control).run();
}

}  // namespace treewright::binary
