// What a look for the best single split keeps of a set of rows: sums, of which the loss of a leaf is a function, and
// for the rows of a bucket what bounds the splits inside it.
//
// Every loss here is a concave function f of the sums with f(t s) = t f(s), so f(s + r) >= f(s) + f(r). A split of a
// bucket adds a part v of its sums to A, the rows left of it, and the rest B - v to C, those right of it. It costs
//     F(v) = f(A + v) + f(B - v + C),
// which is concave in v, so over a polytope that holds every v it is least at a corner. `least_inside` is a lower bound
// of F; each kind of rows says how it comes to it. (f(A) + f(C) is one always, but a weak one for squares and entropy:
// what a split gains on noise does not grow with the rows, the loss of a bucket does.)
#pragma once

#include "treewright/tree/single_split.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace treewright::tree {

// The weights of classes.
class ClassWeights {
   public:
    using Number = double;
    [[nodiscard]] std::size_t n_sums() const { return rows_.n_classes; }
    [[nodiscard]] std::size_t n_beside() const { return 0; }
    [[nodiscard]] double always() const { return 0.0; }
    void add(double* sums, std::uint32_t row) const { sums[rows_.y[row]] += rows_.weight[row]; }

   protected:
    explicit ClassWeights(const LabelledRows& rows) : rows_(rows) {}
    const LabelledRows& rows_;
};

// The cheapest prediction for labels. For predictions a on the left and b on the right a row of class k pays the lesser
// of its two costs at least; all pairs are tried where classes are few. Where each mistake costs one, the pair (a, b)
// of two classes pays all but A_a + B_a + B_b + C_b, and (a, a) all but A_a + B_a + C_a: the best partner of a is the
// best or the second best b, so no pair is tried.
class Votes : public ClassWeights {
   public:
    explicit Votes(const LabelledRows& rows)
        : ClassWeights(rows), best_(rows.n_classes * rows.n_classes * rows.n_classes) {
        const std::size_t n = rows.n_classes;
        if (n > kFewClasses) best_.clear();
        for (std::size_t i = 0; i < best_.size(); ++i)
            best_[i] = std::min(cost(i % n, i / n % n), cost(i % n, i / n / n));
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t c = 0; c < n; ++c) plain_ = plain_ && cost(k, c) == (k == c ? 0.0 : 1.0);
    }
    [[nodiscard]] double loss(const double* sums) const {
        const std::size_t n = rows_.n_classes;
        if (plain_) {
            double all = 0, most = 0;
            for (std::size_t k = 0; k < n; ++k) all += sums[k], most = std::max(most, sums[k]);
            return all - most;
        }
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < n; ++c) least = std::min(least, paid(sums, c));
        return least;
    }
    [[nodiscard]] double least_inside(const double* A, const double* B, const double* C) const {
        const std::size_t n = rows_.n_classes;
        if (plain_) return least_plain(A, B, C);
        if (best_.empty()) return loss(A) + loss(C);
        double least = std::numeric_limits<double>::infinity();
        const double* best = best_.data();
        for (std::size_t a = 0; a < n; ++a) {
            const double left = paid(A, a);
            for (std::size_t b = 0; b < n; ++b, best += n) {
                double inside = 0;
                for (std::size_t k = 0; k < n; ++k) inside += B[k] * best[k];
                least = std::min(least, left + inside + paid(C, b));
            }
        }
        return least;
    }

   private:
    static constexpr std::size_t kFewClasses = 12;
    [[nodiscard]] double least_plain(const double* A, const double* B, const double* C) const {
        const std::size_t n = rows_.n_classes;
        double all = 0, best = -1, second = 0;
        std::size_t at = n;
        for (std::size_t k = 0; k < n; ++k) {
            all += A[k] + B[k] + C[k];
            const double right = B[k] + C[k];
            if (right > best)
                second = std::exchange(best, right), at = k;
            else
                second = std::max(second, right);
        }
        second = std::max(second, 0.0);
        double most = 0;
        for (std::size_t k = 0; k < n; ++k)
            most = std::max({most, A[k] + B[k] + (k == at ? second : best), A[k] + B[k] + C[k]});
        return all - most;
    }
    [[nodiscard]] double cost(std::size_t k, std::size_t c) const { return rows_.costs[k * rows_.n_classes + c]; }
    [[nodiscard]] double paid(const double* sums, std::size_t c) const {
        double sum = 0;
        for (std::size_t k = 0; k < rows_.n_classes; ++k) sum += sums[k] * cost(k, c);
        return sum;
    }
    std::vector<double> best_;  // [a][b][k]: the lesser of two costs
    bool plain_ = true;
};

// Log loss of shares. With g(n) = n log n, N = sum of n_k on the left and N', n'_k on the right,
//     F = g(N) + g(N') - sum_k (g(n_k) + g(n'_k)) = [g(N) + g(N') - t N] + sum_k [t n_k - g(n_k) - g(n'_k)]
// for every t. The first bracket is convex in N; with t = log(N / N') at A it is least there. Each of the others is
// concave in n_k, so least with none or all rows of class k of the bucket on the left.
class Shares : public ClassWeights {
   public:
    explicit Shares(const LabelledRows& rows) : ClassWeights(rows) {}
    [[nodiscard]] double loss(const double* sums) const {
        double all = 0, own = 0;
        for (std::size_t k = 0; k < rows_.n_classes; ++k) all += sums[k], own += times_log(sums[k]);
        return times_log(all) - own;
    }
    [[nodiscard]] double least_inside(const double* A, const double* B, const double* C) const {
        double left = 0, right = 0;
        for (std::size_t k = 0; k < rows_.n_classes; ++k) left += A[k], right += B[k] + C[k];
        if (!(left > 0 && right > 0)) return loss(A) + loss(C);
        const double tilt = std::log(left / right);
        double least = times_log(left) + times_log(right) - tilt * left;
        for (std::size_t k = 0; k < rows_.n_classes; ++k) {
            const double none = tilt * A[k] - times_log(A[k]) - times_log(B[k] + C[k]);
            if (!(B[k] > 0)) {
                least += none;
                continue;
            }
            least += std::min(none, tilt * (A[k] + B[k]) - times_log(A[k] + B[k]) - times_log(C[k]));
        }
        return least;
    }

   private:
    static double times_log(double n) { return n > 0 ? n * std::log(n) : 0.0; }
};

// The least of some numbers, several chains of comparisons at a time: one alone waits for each result.
template <class Number>
[[nodiscard]] Number least_of(const Number* numbers, std::size_t n) {
    constexpr std::size_t kChains = 128 / sizeof(Number);
    Number least = numbers[0];
    std::size_t k = 0;
    if (n >= 2 * kChains) {
        std::array<Number, kChains> chain;
        std::copy(numbers, numbers + kChains, chain.begin());
        for (k = kChains; k + kChains <= n; k += kChains)
            for (std::size_t i = 0; i < kChains; ++i) chain[i] = numbers[k + i] < chain[i] ? numbers[k + i] : chain[i];
        for (const Number one : chain) least = std::min(least, one);
    }
    for (; k < n; ++k) least = std::min(least, numbers[k]);
    return least;
}

// Adds numbers to sums two at a time, as the oldest registers hold: they could be the same memory, as far as a compiler
// knows.
template <class Number>
inline void add_numbers(Number* sums, const Number* numbers, std::size_t n) {
    constexpr std::size_t kStep = 16 / sizeof(Number);
    std::size_t k = 0;
    for (; k + kStep <= n; k += kStep) {
        std::array<Number, kStep> sum;
        for (std::size_t i = 0; i < kStep; ++i) sum[i] = static_cast<Number>(sums[k + i] + numbers[k + i]);
        std::copy(sum.begin(), sum.end(), sums + k);
    }
    for (; k < n; ++k) sums[k] = static_cast<Number>(sums[k] + numbers[k]);
}

// The cheapest of some actions. Each row pays its cheapest one at least: its sum over the bucket is what F has beside
// f(A) + f(C).
template <class Costs>
class CheapestAction {
   public:
    using Number = Costs;
    [[nodiscard]] std::size_t n_sums() const { return n_actions_; }
    [[nodiscard]] std::size_t n_beside() const { return 1; }
    [[nodiscard]] double always() const { return 0.0; }
    [[nodiscard]] double loss(const Number* sums) const { return static_cast<double>(least_of(sums, n_actions_)); }
    [[nodiscard]] double least_inside(const Number* A, const Number* B, const Number* C) const {
        return loss(A) + loss(C) + static_cast<double>(B[n_actions_]);
    }

   protected:
    explicit CheapestAction(const SummedRows& rows) : n_actions_(rows.n_sums) {}
    [[nodiscard]] std::size_t n_actions() const { return n_actions_; }

   private:
    std::size_t n_actions_;
};

class Actions : public CheapestAction<double> {
   public:
    explicit Actions(const SummedRows& rows) : CheapestAction(rows), costs_(rows.numbers) {
        least_.reserve(costs_.size() / n_actions());
        for (std::size_t at = 0; at < costs_.size(); at += n_actions())
            least_.push_back(least_of(&costs_[at], n_actions()));
    }
    void add(double* sums, std::uint32_t row) const {
        add_numbers(sums, &costs_[row * n_actions()], n_actions());
        sums[n_actions()] += least_[row];
    }

   private:
    std::span<const double> costs_;
    std::vector<double> least_;  // [row]
};

// The same where all costs are small multiples of one, as 0 and 1 are, and no sum of them passes 16 bits: a quarter of
// the memory, four times the numbers in a register. 1,000 rows, 333 actions and 10,000 columns took 3.3 s as doubles.
class SmallCosts : public CheapestAction<std::int16_t> {
   public:
    // The unit of all costs; 0 where there is none, or a sum may be too large: what all rows cost at most.
    [[nodiscard]] static double unit_of(const SummedRows& rows) {
        double unit = std::numeric_limits<double>::infinity();
        for (const double cost : rows.numbers) {
            if (!(cost >= 0)) return 0.0;
            if (cost > 0 && cost < unit) unit = cost;
            if (cost > kLargest * unit) return 0.0;
        }
        double all = 0;
        for (std::size_t at = 0; at < rows.numbers.size(); at += rows.n_sums) {
            double most = 0;
            for (const double cost : rows.numbers.subspan(at, rows.n_sums)) {
                const double times = cost / unit;
                if (times != std::floor(times) || times * unit != cost) return 0.0;
                most = std::max(most, times);
            }
            all += most;
            if (all > kLargest) return 0.0;
        }
        return std::isfinite(unit) ? unit : 0.0;
    }
    SmallCosts(const SummedRows& rows, double unit)
        : CheapestAction(rows), costs_(rows.numbers.size() / n_actions() * width()) {
        std::int16_t* own = costs_.data();
        for (std::size_t at = 0; at < rows.numbers.size(); at += n_actions(), own += width()) {
            for (std::size_t k = 0; k < n_actions(); ++k)
                own[k] = static_cast<std::int16_t>(rows.numbers[at + k] / unit);
            own[n_actions()] = least_of(own, n_actions());
        }
    }
    void add(std::int16_t* sums, std::uint32_t row) const { add_numbers(sums, &costs_[row * width()], width()); }

   private:
    static constexpr double kLargest = 32767;
    [[nodiscard]] std::size_t width() const { return n_actions() + 1; }
    std::vector<std::int16_t> costs_;  // [row]: of the actions, then the least of them
};

// Of rows with a mass m >= 0 and a number s each, let B be a bucket of mass `all`, and for some ratio c let the s - c m
// that are positive add up to `above`, the others to -`below`. Every part (m, s) of B then has 0 <= m <= all and
// -below <= s - c m <= above. Returns the least of `cost`, which is concave, at the four corners of that.
template <class Cost>
[[nodiscard]] double least_at_corners(double all, double c, double above, double below, const Cost& cost) {
    return std::min({cost(0.0, above), cost(0.0, -below), cost(all, c * all + above), cost(all, c * all - below)});
}

// Squared error of shares: W - sum_k n_k^2 / W. F is a sum over classes, each at least what it is at the best corner; a
// row of weight w has the mass w and the number w, or 0 if it is of another class.
class Gini : public ClassWeights {
   public:
    explicit Gini(const LabelledRows& rows) : ClassWeights(rows) {}
    [[nodiscard]] double loss(const double* sums) const {
        double all = 0, of_shares = 0;
        for (std::size_t k = 0; k < rows_.n_classes; ++k) all += sums[k];
        if (!(all > 0)) return 0.0;
        // No square of a sum: weights may be of any size.
        for (std::size_t k = 0; k < rows_.n_classes; ++k) of_shares += sums[k] * (sums[k] / all);
        return all - of_shares;
    }
    [[nodiscard]] double least_inside(const double* A, const double* B, const double* C) const {
        double left = 0, all = 0, right = 0;
        for (std::size_t k = 0; k < rows_.n_classes; ++k) left += A[k], all += B[k], right += C[k];
        double least = left + all + right;
        for (std::size_t k = 0; k < rows_.n_classes; ++k) {
            const double c = (A[k] + B[k] + C[k]) / (left + all + right);
            least += least_at_corners(all, c, (1 - c) * B[k], c * (all - B[k]), [&](double m, double s) {
                return minus_square(left + m, A[k] + s) + minus_square(right + (all - m), C[k] + (B[k] - s));
            });
        }
        return least;
    }
    // -s^2 / m, which is concave.
    [[nodiscard]] static double minus_square(double m, double s) {
        if (m > 0) return -s * (s / m);
        return s == 0 ? 0.0 : -std::numeric_limits<double>::infinity();
    }
};

// The larger of a number and 0 without a branch, which noise takes for every other row: 60 ms of a million rows and ten
// columns.
inline double positive_part(double number) { return 0.5 * number + 0.5 * std::abs(number); }

// A mass m and sums s: a leaf loses -s^2 / m for each output for squared error, s log(m / s) for the deviance, and a
// constant of its rows, which every tree pays. F is a sum over outputs, each at least what it is at the best corner, c
// being the ratio of all rows; `above` stands beside the sums of a bucket.
class Ratios {
   public:
    using Number = double;
    explicit Ratios(const SummedRows& rows)
        : numbers_(rows.numbers.data()),
          stride_(rows.n_sums),
          squares_(rows.kind == LossSums::Kind::squares),
          mass_(squares_ ? 0 : 1),
          first_(squares_ ? 2 : 0),
          n_outputs_(squares_ ? rows.n_sums - 2 : 1),
          ratio_(n_outputs_) {
        std::vector<double> all(rows.n_sums, 0.0);
        for (std::size_t at = 0; at < rows.numbers.size(); at += rows.n_sums)
            for (std::size_t k = 0; k < rows.n_sums; ++k) all[k] += rows.numbers[at + k];
        for (std::size_t k = 0; k < n_outputs_; ++k) ratio_[k] = all[mass_] > 0 ? all[first_ + k] / all[mass_] : 0.0;
        always_ = squares_ ? all[1] : -all[2];
    }
    [[nodiscard]] std::size_t n_sums() const { return 1 + n_outputs_; }
    [[nodiscard]] std::size_t n_beside() const { return n_outputs_; }
    // Reads the numbers as they came: a copy of a million rows takes more time than what it spares.
    void add(double* sums, std::uint32_t row) const {
        const double* const numbers = numbers_ + row * stride_;
        const double mass = numbers[mass_];
        const double* const own = numbers + first_;
        sums[0] += mass;
        add_numbers(sums + 1, own, n_outputs_);
        double* const above = sums + 1 + n_outputs_;
        for (std::size_t k = 0; k < n_outputs_; ++k) above[k] += positive_part(own[k] - ratio_[k] * mass);
    }
    [[nodiscard]] double always() const { return always_; }
    [[nodiscard]] double loss(const double* sums) const {
        if (!(sums[0] > 0)) return 0.0;
        double loss = 0.0;
        for (std::size_t k = 0; k < n_outputs_; ++k)
            if (squares_ || sums[1 + k] > 0) loss += term(sums[0], sums[1 + k]);  // no events, up to rounding: no loss
        return loss;
    }
    [[nodiscard]] double least_inside(const double* A, const double* B, const double* C) const {
        double least = 0.0;
        for (std::size_t k = 0; k < n_outputs_; ++k) {
            const double all = B[0], total = B[1 + k], above = B[1 + n_outputs_ + k];
            const double below = std::max(0.0, above - (total - ratio_[k] * all));
            least += least_at_corners(all, ratio_[k], above, below, [&](double m, double s) {
                return term(A[0] + m, A[1 + k] + s) + term(C[0] + (all - m), C[1 + k] + (total - s));
            });
        }
        return least;
    }

   private:
    // Without a mass, or below 0 events, there is no leaf: a corner there bounds nothing.
    [[nodiscard]] double term(double m, double s) const {
        if (squares_) return Gini::minus_square(m, s);
        if (m > 0 && s > 0) return s * std::log(m / s);
        return s == 0 ? 0.0 : -std::numeric_limits<double>::infinity();
    }
    const double* numbers_;
    std::size_t stride_;
    bool squares_;
    std::size_t mass_, first_;  // where the mass and the first sum stand among the numbers of a row
    std::size_t n_outputs_;
    std::vector<double> ratio_;
    double always_ = 0.0;
};

}  // namespace treewright::tree
