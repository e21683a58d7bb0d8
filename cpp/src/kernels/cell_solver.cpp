#include "treewright/kernels/cell_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treewright::ranked {

namespace {
constexpr std::uint32_t kAbsent = 0xffffffffu;
}

CellSolver::CellSolver(const RowGroups& groups, const TwoSums& sums, std::uint32_t min_leaf, Control& control)
    : groups_(groups),
      sums_(sums),
      control_(control),
      kernels_(cell_kernels(simd())),
      counts_(min_leaf > 1),
      place_(groups.splits.size(), kAbsent) {
    task_.form = sums.form;
    task_.leaf = sums.leaf;
    task_.min_count = min_leaf;
}

void CellSolver::load(std::span<const std::uint32_t> set, std::span<const std::uint32_t> columns) {
    const auto p = static_cast<std::uint32_t>(columns.size());
    const std::uint32_t stride = (p + CellTask::kLanes - 1) / CellTask::kLanes * CellTask::kLanes;
    task_.n_columns = p;
    task_.stride = stride;
    const std::size_t plane = std::size_t{p} * stride;
    for (std::uint32_t k = 0; k < p; ++k) place_[columns[k]] = k;
    const int n_sums = counts_ ? 3 : 2;
    for (int s = 0; s < n_sums; ++s) {
        single_[s].assign(stride, 0);
        pair_[s].assign(plane, 0);
        sum_[s].clear();
        task_.total[s] = 0;
        task_.single[s] = single_[s].data();
        task_.pair[s] = pair_[s].data();
    }
    for (int c = 0; c < 4; ++c) {
        if (value_[c].size() < plane) value_[c].resize(plane);
        task_.value[c] = value_[c].data();
    }
    for (int s = 0; s < 2; ++s) {
        if (side_[s].size() < stride) side_[s].resize(stride);
        task_.side[s] = side_[s].data();
    }
    begin_.clear();
    list_.clear();
    for (const std::uint32_t g : set) {
        begin_.push_back(static_cast<std::uint32_t>(list_.size()));
        for (const std::uint32_t split : groups_.ones(g))
            if (place_[split] != kAbsent) list_.push_back(place_[split]);
        sum_[0].push_back(groups_.a[g]);
        sum_[1].push_back(groups_.b[g]);
        if (counts_) sum_[2].push_back(groups_.group[g].n);
    }
    begin_.push_back(static_cast<std::uint32_t>(list_.size()));
    for (const std::uint32_t split : columns) place_[split] = kAbsent;
}

bool CellSolver::add_pairs() {
    for (std::uint32_t g = 0; g + 1 < begin_.size(); ++g) {
        const std::uint32_t end = begin_[g + 1];
        if (counts(end - begin_[g])) return false;
        const double a = sum_[0][g], b = sum_[1][g], n = counts_ ? sum_[2][g] : 0;
        task_.total[0] += a;
        task_.total[1] += b;
        task_.total[2] += n;
        for (std::uint32_t u = begin_[g]; u < end; ++u) {
            const std::uint32_t i = list_[u];
            single_[0][i] += a;
            single_[1][i] += b;
            if (counts_) single_[2][i] += n;
            add_to(pair_, std::size_t{i} * task_.stride, u + 1, end, a, b, n);
        }
    }
    return true;
}

// Adds the sums of a group to the entries list_[begin] .. list_[end - 1] of a row of planes.
inline void CellSolver::add_to(std::vector<double> (&planes)[3], std::size_t row, std::uint32_t begin,
                               std::uint32_t end, double a, double b, double n) {
    double* const to_a = planes[0].data() + row;
    double* const to_b = planes[1].data() + row;
    for (std::uint32_t v = begin; v < end; ++v) {
        to_a[list_[v]] += a;
        to_b[list_[v]] += b;
    }
    if (!counts_) return;
    double* const to_n = planes[2].data() + row;
    for (std::uint32_t v = begin; v < end; ++v) to_n[list_[v]] += n;
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
        const double a = sum_[0][g], b = sum_[1][g], n = counts_ ? sum_[2][g] : 0;
        if (counts(end - column_list_[at + 1])) return false;
        for (std::uint32_t u = column_list_[at + 1] + 1; u + 1 < end; ++u)
            add_to(triple_, std::size_t{list_[u]} * task_.stride, u + 1, end, a, b, n);
    }
    return true;
}

bool CellSolver::solve(std::span<const std::uint32_t> set, std::span<const std::uint32_t> columns, int depth,
                       std::vector<double>& value) {
    ++n_solves;
    load(set, columns);
    const std::uint32_t p = task_.n_columns;
    if (control_.step(1 + std::int64_t{p} * p / kAdditionsPerUnit) || !add_pairs()) return false;
    kernels_.pairs(task_);
    n_cells += std::int64_t{p} * p * 2;
    if (depth >= 3 && p >= 3) {
        const std::size_t plane = std::size_t{p} * task_.stride;
        for (int s = 0; s < (counts_ ? 3 : 2); ++s) {
            if (triple_[s].size() < plane) triple_[s].resize(plane);
            std::fill_n(triple_[s].begin(), plane, 0.0);
            task_.triple[s] = triple_[s].data();
        }
        for (int c = 0; c < 4; ++c) {
            split_[c].assign(plane, std::numeric_limits<double>::infinity());
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
    }
    value.resize(p);
    for (std::uint32_t i = 0; i < p; ++i) value[i] = side_[0][i] + side_[1][i];
    return true;
}

double CellSolver::whole() const {
    const double a = task_.total[0], b = task_.total[1];
    if (a <= 0) return 0;
    return sums_.form == TwoSums::Form::minus_square ? -b * b / a : a * std::log(std::max(b, 1.0) / a);
}

std::size_t CellSolver::bytes() const {
    std::size_t n = 0;
    for (const auto* arrays : {&pair_, &triple_})
        for (const auto& x : *arrays) n += x.capacity() * sizeof(double);
    for (const auto* arrays : {&value_, &split_})
        for (const auto& x : *arrays) n += x.capacity() * sizeof(double);
    return n + (list_.capacity() + column_list_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace treewright::ranked
