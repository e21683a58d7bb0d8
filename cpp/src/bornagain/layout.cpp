#include "treewright/bornagain/layout.hpp"

#include <algorithm>
#include <cstring>

namespace treewright::bornagain {

Intervals::Intervals(std::int32_t cells) : n(cells) {
    for (std::int32_t length = 0; length < n; ++length)
        for (std::int32_t from = 0; from + length < n; ++from) {
            a.push_back(from);
            b.push_back(from + length);
        }
}

namespace {

// How many leading axes are outer: few enough boxes outside, then enough inside for whole vectors.
std::size_t count_outer(const std::vector<std::int32_t>& n) {
    double inner = 1.0, outer = 1.0;
    for (const double cells : n) outer *= cells * (cells + 1) / 2;
    std::size_t axes = n.size();
    while (axes > 0 && (inner < Layout::kMinInner || outer > static_cast<double>(Layout::kMaxOuter))) {
        --axes;
        const double cells = n[axes];
        inner *= cells * (cells + 1) / 2;
        outer /= cells * (cells + 1) / 2;
    }
    return axes;
}

}  // namespace

double Layout::forecast_bytes(const Grid& grid) {
    const std::size_t axes = count_outer(grid.n);
    double outer = 1.0, inner = 1.0, splits = 0.0, relevance = 0.0;
    for (std::size_t k = 0; k < grid.n.size(); ++k) {
        const double cells = grid.n[k], intervals = cells * (cells + 1) / 2;
        (k < axes ? outer : inner) *= intervals;
        (k < axes ? relevance : splits) += k < axes ? (cells - 1) / intervals : (cells - 1) / 3;
    }
    double outer_cells = 1.0;
    for (std::size_t k = 0; k < axes; ++k) outer_cells *= grid.n[k];
    // Index, splits of the inner boxes, labels at their corners, and the work space of one batch.
    return outer * (8.0 + relevance) + inner * (12.0 + 8.0 * splits + 4.0 * outer_cells + 256.0);
}

Layout::Layout(const Grid& source, Control& control) : grid(source), n_outer_axes(count_outer(source.n)) {
    const std::size_t d = grid.n.size();
    for (const auto n : grid.n) axis.emplace_back(n);
    stride.assign(d, 0);
    cell_stride_.assign(d, 0);
    std::size_t cells = 1;
    for (std::size_t k = d; k-- > 0;) {
        cell_stride_[k] = cells;
        cells *= static_cast<std::size_t>(grid.n[k]);
        std::size_t& boxes = k < n_outer_axes ? n_outer : n_inner;
        stride[k] = boxes;
        boxes *= axis[k].count();
        (k < n_outer_axes ? outer_cells : inner_cells) *= static_cast<std::size_t>(grid.n[k]);
    }
    fill_inner();
    relevance_.resize(n_outer_axes);
    relevance_stride_.resize(n_outer_axes);
    plane_stride_.resize(n_outer_axes);
    for (std::size_t k = 0; k < n_outer_axes && !control.step(256); ++k) fill_relevance(k);
    if (!control.stopped()) find_tight(control);
}

std::size_t Layout::bytes() const {
    std::size_t sum = 4 * (number.size() + tight.size() + inner_low.size() * 3) + 8 * split_pairs.size();
    for (const auto& table : relevance_) sum += table.size();
    return sum;
}

void Layout::fill_inner() {
    const std::size_t d = axis.size();
    std::vector<std::size_t> t(d, 0);
    for (std::size_t x = 0; x < n_inner; ++x) {
        std::size_t low = 0, high = 0;
        split_first.push_back(static_cast<std::uint32_t>(split_pairs.size()));
        for (std::size_t k = n_outer_axes; k < d; ++k) {
            const std::int32_t from = axis[k].a[t[k]], to = axis[k].b[t[k]];
            low += static_cast<std::size_t>(from) * cell_stride_[k];
            high += static_cast<std::size_t>(to) * cell_stride_[k];
            const std::size_t rest = x - t[k] * stride[k];
            for (std::int32_t m = from; m < to; ++m)
                split_pairs.emplace_back(rest + axis[k].index(from, m) * stride[k],
                                         rest + axis[k].index(m + 1, to) * stride[k]);
        }
        inner_low.push_back(static_cast<std::uint32_t>(low));
        inner_high.push_back(static_cast<std::uint32_t>(high));
        for (std::size_t k = d; k-- > n_outer_axes;) {
            if (++t[k] < axis[k].count()) break;
            t[k] = 0;
        }
    }
    split_first.push_back(static_cast<std::uint32_t>(split_pairs.size()));
}

// Relevance of every plane of axis k over every box of the other outer axes: singles by comparing labels, then
// intervals as the union of a shorter interval and a single, one axis after the other.
void Layout::fill_relevance(std::size_t k) {
    auto& strides = relevance_stride_[k];
    strides.assign(n_outer_axes, 0);
    std::size_t size = 1;
    for (std::size_t j = n_outer_axes; j-- > 0;) {
        strides[j] = size;
        size *= j == k ? static_cast<std::size_t>(grid.n[k]) - 1 : axis[j].count();
    }
    plane_stride_[k] = strides[k];
    auto& table = relevance_[k];
    table.assign(size, 0);
    std::vector<std::int32_t> z(n_outer_axes, 0);
    while (true) {
        std::size_t cell = 0, at = 0;
        for (std::size_t j = 0; j < n_outer_axes; ++j) {
            cell += static_cast<std::size_t>(z[j]) * cell_stride_[j];
            at += static_cast<std::size_t>(z[j]) * strides[j];
        }
        const std::uint8_t* here = &grid.labels[cell];
        table[at] = std::memcmp(here, here + cell_stride_[k], inner_cells) != 0;
        std::size_t j = n_outer_axes;
        while (j-- > 0) {
            if (++z[j] < grid.n[j] - (j == k ? 1 : 0)) break;
            z[j] = 0;
        }
        if (j == static_cast<std::size_t>(-1)) break;
    }
    for (std::size_t j = 0; j < n_outer_axes; ++j) {
        if (j == k) continue;
        const std::size_t run = strides[j], block = run * axis[j].count();
        for (std::size_t start = 0; start < size; start += block) {
            for (std::size_t t = static_cast<std::size_t>(grid.n[j]); t < axis[j].count(); ++t) {
                const std::int32_t from = axis[j].a[t], to = axis[j].b[t];
                std::uint8_t* whole = &table[start + t * run];
                const std::uint8_t* shorter = &table[start + axis[j].index(from, to - 1) * run];
                const std::uint8_t* single = &table[start + axis[j].index(to, to) * run];
                for (std::size_t i = 0; i < run; ++i) whole[i] = shorter[i] | single[i];
            }
        }
    }
}

std::size_t Layout::relevance_base(std::size_t k, const std::vector<std::size_t>& t) const {
    std::size_t base = 0;
    for (std::size_t j = 0; j < n_outer_axes; ++j)
        if (j != k) base += t[j] * relevance_stride_[k][j];
    return base;
}

void Layout::find_tight(Control& control) {
    number.resize(n_outer);
    std::vector<std::size_t> t(n_outer_axes, 0), base(n_outer_axes, 0);
    std::vector<std::uint32_t> level;  // of tight boxes
    for (std::size_t outer = 0; outer < n_outer; ++outer) {
        if (outer % 4096 == 0 && control.step(64)) return;
        std::size_t inside = outer;  // a box with one slab less and the same values
        std::uint32_t length = 0;
        for (std::size_t k = 0; k < n_outer_axes && inside == outer; ++k) {
            const std::int32_t from = axis[k].a[t[k]], to = axis[k].b[t[k]];
            length += static_cast<std::uint32_t>(to - from);
            if (from == to) continue;
            if (!relevant(k, base[k], from)) {
                inside = outer - (t[k] - axis[k].index(from + 1, to)) * stride[k];
            } else if (!relevant(k, base[k], to - 1)) {
                inside = outer - (t[k] - axis[k].index(from, to - 1)) * stride[k];
            }
        }
        if (inside == outer) {
            number[outer] = static_cast<std::uint32_t>(tight.size());
            tight.push_back(static_cast<std::uint32_t>(outer));
            level.push_back(length);
        } else {
            number[outer] = number[inside];
        }
        for (std::size_t j = n_outer_axes; j-- > 0;) {
            const bool carry = ++t[j] == axis[j].count();
            for (std::size_t k = 0; k < n_outer_axes; ++k) {
                if (k == j) continue;
                base[k] = carry ? base[k] - (axis[j].count() - 1) * relevance_stride_[k][j]
                                : base[k] + relevance_stride_[k][j];
            }
            if (!carry) break;
            t[j] = 0;
        }
    }
    // Renumber by level, so that a row needs only rows of lower numbers.
    const std::uint32_t levels = level.empty() ? 0 : *std::max_element(level.begin(), level.end()) + 1;
    level_first.assign(levels + 1, 0);
    for (const auto l : level) ++level_first[l + 1];
    for (std::size_t l = 0; l < levels; ++l) level_first[l + 1] += level_first[l];
    std::vector<std::size_t> next(level_first.begin(), level_first.end());
    std::vector<std::uint32_t> renumbered(tight.size()), sorted(tight.size());
    for (std::size_t i = 0; i < tight.size(); ++i) {
        renumbered[i] = static_cast<std::uint32_t>(next[level[i]]++);
        sorted[renumbered[i]] = tight[i];
    }
    tight = std::move(sorted);
    for (auto& n : number) n = renumbered[n];
}

}  // namespace treewright::bornagain
