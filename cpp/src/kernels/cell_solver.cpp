#include "treewright/kernels/cell_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treewright::ranked {

namespace {
constexpr std::uint32_t kAbsent = 0xffffffffu;
constexpr double kMaxLeaf = 0x1p110;  // beyond all gains; single precision goes on to 2^127
}  // namespace

CellSolver::CellSolver(const RowGroups& groups, const TwoSums& sums, std::uint32_t min_leaf, Control& control)
    : groups_(groups),
      sums_(sums),
      control_(control),
      kernels_(cell_kernels(simd())),
      counts_(min_leaf > 1),
      place_(groups.splits.size(), kAbsent) {
    task_.form = sums.form;
    task_.leaf = std::min(sums.leaf, kMaxLeaf);
    task_.min_count = min_leaf;
    if (sums.form != TwoSums::Form::events_log) return;
    for (std::uint32_t g = 0; g < groups.n_groups; ++g)
        steepness_.push_back(groups.a[g] > 0 ? std::log(groups.a[g] / std::max(groups.b[g], 1.0))
                                             : -std::numeric_limits<double>::infinity());
}

void CellSolver::load(std::span<const std::uint32_t> set, std::span<const std::uint32_t> columns) {
    const auto p = static_cast<std::uint32_t>(columns.size());
    const std::uint32_t stride = (p + CellTask::kLanes - 1) / CellTask::kLanes * CellTask::kLanes;
    task_.n_columns = p;
    task_.stride = stride;
    const std::size_t plane = std::size_t{p} * stride;
    for (std::uint32_t k = 0; k < p; ++k) place_[columns[k]] = k;
    const auto fit = [](auto& array, std::size_t n) {
        if (array.size() < n) array.resize(n);
        return array.data();
    };
    task_.added = fit(added_, 2 * plane);
    if (counts_) task_.added_rows = fit(added_rows_, plane);
    for (int s = 0; s < (counts_ ? 3 : 2); ++s) {
        single_[s].assign(stride, 0);
        task_.single[s] = single_[s].data();
        task_.pair[s] = fit(pair_[s], plane);
        task_.total[s] = 0;
    }
    for (int c = 0; c < 4; ++c) task_.value[c] = fit(value_[c], plane);
    for (int s = 0; s < 2; ++s) task_.side[s] = fit(side_[s], stride);
    begin_.clear();
    list_.clear();
    sum_.clear();
    for (const std::uint32_t g : set) {
        begin_.push_back(static_cast<std::uint32_t>(list_.size()));
        for (const std::uint32_t split : groups_.ones(g))
            if (place_[split] != kAbsent) list_.push_back(place_[split]);
        sum_.push_back({groups_.a[g], groups_.b[g], static_cast<double>(groups_.group[g].n)});
        task_.total[0] += groups_.a[g];
        task_.total[1] += groups_.b[g];
        task_.total[2] += groups_.group[g].n;
    }
    begin_.push_back(static_cast<std::uint32_t>(list_.size()));
    for (const std::uint32_t split : columns) place_[split] = kAbsent;
    level(set);
}

// Squares: with the targets less a number c, -(B - c A)^2 / A is -B^2 / A + 2 c B - c^2 A, and the last two terms are
// the same for all trees. c is whole, and so near the mean that the squares are what the set's own variance makes them.
// Their sum over cells is at most that over groups, for gains are superadditive.
//
// Events: with B times 2^k, A log(B / A) is more by A k log 2. k makes B / A nearly 1. For a cell of more hazard than
// events, A log(B / A) <= B / e; of any other, log(A / B) is at most that of its steepest group. The error has a term
// of A itself, too (cell_kernel.hpp).
void CellSolver::level(std::span<const std::uint32_t> set) {
    double& all_a = task_.total[0];
    double& all_b = task_.total[1];
    magnitude_ = 0;
    task_.b_unit = 1;
    if (all_a <= 0) return;
    if (sums_.form == TwoSums::Form::minus_square) {
        const double mean = std::trunc(all_b / all_a);
        double largest = 0;
        for (const Sums& group : sum_) largest += std::abs(group.b - mean * group.a);
        const double less = largest < 0x1p53 ? mean : 0;  // so that sums stay whole
        all_b -= less * all_a;
        for (Sums& group : sum_) {
            group.b -= less * group.a;
            if (group.a > 0) magnitude_ += group.b * group.b / group.a;
        }
    } else {
        const int k = std::ilogb(all_a) - std::ilogb(std::max(all_b, 1.0));
        task_.b_unit = std::ldexp(1.0, k);
        all_b *= task_.b_unit;
        for (Sums& group : sum_) group.b *= task_.b_unit;
        double steepest = 0;
        for (const std::uint32_t g : set) steepest = std::max(steepest, steepness_[g] - k * std::log(2.0));
        magnitude_ = all_a * (1 + steepest) + all_b / 2;
    }
}

// The cost of one leaf tells what all trees have in common.
Cost CellSolver::bound(double value, Cost one_leaf) const {
    const double tie = std::ldexp(1.0, sums_.tie_bits), whole_cost = static_cast<double>(one_leaf) / tie;
    const double more = sums_.unit * (value - sums_.leaf);
    const double rounding = std::ldexp(std::abs(whole_cost) + std::abs(more), -50) + 4;
    const double least = whole_cost + more - (2 * sums_.error_of(8) + sums_.unit * error() + rounding);
    return static_cast<Cost>(std::floor(least)) * (Cost{1} << sums_.tie_bits);
}

double CellSolver::error() const { return std::ldexp(magnitude_ + 8 * std::abs(task_.leaf), -20); }

bool CellSolver::add_pairs() {
    for (std::uint32_t g = 0; g + 1 < begin_.size(); ++g) {
        const std::uint32_t end = begin_[g + 1];
        if (counts(end - begin_[g])) return false;
        for (std::uint32_t u = begin_[g]; u < end; ++u) {
            const std::uint32_t i = list_[u];
            single_[0][i] += sum_[g].a;
            single_[1][i] += sum_[g].b;
            if (counts_) single_[2][i] += sum_[g].rows;
            add_to(std::size_t{i} * task_.stride, u + 1, end, g);
        }
    }
    return true;
}

// Adds the sums of a group to the entries list_[begin] .. list_[end - 1] of a row of the planes.
inline void CellSolver::add_to(std::size_t row, std::uint32_t begin, std::uint32_t end, std::uint32_t g) {
    double* const to = task_.added + 2 * row;
    const double a = sum_[g].a, b = sum_[g].b;
    for (std::uint32_t v = begin; v < end; ++v) {
        double* const both = to + 2 * list_[v];
        both[0] += a;
        both[1] += b;
    }
    if (!counts_) return;
    double* const to_rows = task_.added_rows + row;
    const double n = sum_[g].rows;
    for (std::uint32_t v = begin; v < end; ++v) to_rows[list_[v]] += n;
}

// Counts the additions of a group with so many ones to go; true if the run has ended.
bool CellSolver::counts(std::uint32_t n_ones) {
    additions_ += 4 + std::int64_t{n_ones} * n_ones / 2;
    if (additions_ < kAdditionsPerPoll) return false;
    const std::int64_t cost = additions_ / kAdditionsPerUnit;
    additions_ = 0;
    return control_.poll(cost);
}

bool CellSolver::add_triples(std::uint32_t i) {
    for (std::uint32_t at = column_begin_[i]; at < column_begin_[i + 1]; at += 2) {
        const std::uint32_t g = column_list_[at], end = begin_[g + 1];
        if (counts(end - column_list_[at + 1])) return false;
        for (std::uint32_t u = column_list_[at + 1] + 1; u + 1 < end; ++u)
            add_to(std::size_t{list_[u]} * task_.stride, u + 1, end, g);
    }
    return true;
}

bool CellSolver::solve(std::span<const std::uint32_t> set, std::span<const std::uint32_t> columns, int depth,
                       std::vector<double>& value) {
    ++n_solves;
    load(set, columns);
    const std::uint32_t p = task_.n_columns;
    if (control_.step(1 + std::int64_t{p} * p / kAdditionsPerUnit) || !add_up(depth)) {
        added_.clear();  // the next solve has a right to empty planes
        added_rows_.clear();
        return false;
    }
    value.resize(p);
    const double one_leaf = whole();
    for (std::uint32_t i = 0; i < p; ++i) value[i] = double{side_[0][i]} + double{side_[1][i]} - one_leaf;
    return true;
}

bool CellSolver::add_up(int depth) {
    if (!add_pairs()) return false;
    kernels_.pairs(task_);
    const std::uint32_t p = task_.n_columns;
    n_cells += std::int64_t{p} * p * 2;
    if (depth < 3 || p < 3) return true;
    const std::size_t plane = std::size_t{p} * task_.stride;
    for (int c = 0; c < 4; ++c) {
        split_[c].assign(plane, std::numeric_limits<float>::infinity());
        task_.split[c] = split_[c].data();
    }
    column_begin_.assign(p + 1, 0);
    for (const std::uint32_t column : list_) column_begin_[column + 1] += 2;
    for (std::uint32_t i = 0; i < p; ++i) column_begin_[i + 1] += column_begin_[i];
    column_list_.resize(list_.size() * 2);
    for (std::uint32_t g = 0; g + 1 < begin_.size(); ++g)
        for (std::uint32_t u = begin_[g]; u < begin_[g + 1]; ++u) {
            std::uint32_t& next = column_begin_[list_[u]];
            column_list_[next] = g;
            column_list_[next + 1] = u;
            next += 2;
        }
    for (std::uint32_t i = p; i > 0; --i) column_begin_[i] = column_begin_[i - 1];
    column_begin_[0] = 0;
    for (std::uint32_t i = 0; i + 2 < p; ++i) {
        const std::int64_t rest = p - i;
        additions_ += rest * rest;
        if (!add_triples(i)) return false;
        kernels_.slab(task_, i);
        n_cells += rest * rest * 4;
    }
    kernels_.below(task_);
    return true;
}

double CellSolver::whole() const {
    const double a = task_.total[0], b = task_.total[1];
    if (a <= 0) return 0;
    return sums_.form == TwoSums::Form::minus_square ? -b * b / a : a * std::log(std::max(b, task_.b_unit) / a);
}

std::size_t CellSolver::bytes() const {
    const auto of = [](const auto& array) { return array.capacity() * sizeof array[0]; };
    std::size_t n = of(added_) + of(added_rows_) + of(list_) + of(column_list_) + of(sum_) + of(steepness_);
    for (const auto& plane : pair_) n += of(plane);
    for (const auto* planes : {&value_, &split_})
        for (const auto& plane : *planes) n += of(plane);
    return n;
}

}  // namespace treewright::ranked
