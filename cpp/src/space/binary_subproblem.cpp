#include "treewright/space/binary_subproblem.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace treewright::binary {

namespace {

template <class Acc>
Rows<Acc> make_rows(const Dataset& data, bool counted) {
    Rows<Acc> rows;
    rows.n_columns = data.n_columns;
    rows.n_words = data.n_words;
    rows.n_classes = data.n_classes;
    rows.n_channels = data.n_classes + (counted ? 1 : 0);
    rows.bits = data.bits;
    rows.cost.resize(data.n_rows * rows.n_channels);
    for (std::size_t r = 0; r < data.n_rows; ++r) {
        for (std::size_t k = 0; k < rows.n_channels; ++k) {
            const std::int64_t value = k < data.n_classes ? data.cost[r * data.n_classes + k] : data.count[r];
            rows.cost[r * rows.n_channels + k] = static_cast<Acc>(value);
            const auto digits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(value)));
            rows.mean_cost_digits += digits;
            rows.n_digits = std::max(rows.n_digits, digits);
        }
        int ones = 0;
        for (std::size_t w = 0; w < data.n_words; ++w) ones += std::popcount(data.bits[r * data.n_words + w]);
        rows.mean_square_ones += static_cast<double>(ones) * ones;
    }
    if (data.n_rows > 0) {
        rows.mean_cost_digits /= static_cast<double>(data.n_rows);
        rows.mean_square_ones /= static_cast<double>(data.n_rows);
    }
    return rows;
}

}  // namespace

template <class Acc>
std::size_t Subproblem<Acc>::local_column(std::int32_t column) const {
    return static_cast<std::size_t>(std::lower_bound(active.columns.begin(), active.columns.end(), column) -
                                    active.columns.begin());
}

template <class Acc>
std::size_t Subproblems<Acc>::bytes_needed(const Dataset& data, bool counted) {
    const std::size_t matrix = data.n_columns * Pairs<Acc>::stride_of(data.n_columns) * sizeof(Acc);
    return (1 + kMatricesOfChild) * matrix * (data.n_classes + (counted ? 1 : 0));
}

template <class Acc>
bool Subproblems<Acc>::has_room(std::size_t bytes) const {
    return bytes <= max_bytes_ && arena_.used() <= max_bytes_ - bytes;
}

template <class Acc>
Subproblems<Acc>::Subproblems(const Dataset& data, PairKernel kernel, bool counted, Control& control,
                              std::size_t max_bytes)
    : data_(data),
      kernel_(kernel),
      simd_(simd()),
      control_(control),
      max_bytes_(std::max(max_bytes, kGranted)),
      rows_(make_rows<Acc>(data, counted)) {
    const std::size_t m = data.n_columns;
    const auto rows = arena_.take<std::uint32_t>(data.n_rows);
    std::iota(rows.begin(), rows.end(), 0U);
    const auto columns = arena_.take<std::int32_t>(m);
    std::iota(columns.begin(), columns.end(), 0);
    const auto mask = arena_.take<std::uint64_t>(data.n_words);
    std::fill(mask.begin(), mask.end(), 0);
    for (std::size_t j = 0; j < m; ++j) mask[j / 64] |= std::uint64_t{1} << (j % 64);
    const auto key = arena_.take<std::uint64_t>(2 * data.n_words);
    std::fill(key.begin(), key.end(), 0);
    const auto total = arena_.take<Acc>(rows_.n_channels);
    std::fill(total.begin(), total.end(), Acc{0});
    for (std::size_t r = 0; r < data.n_rows; ++r)
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += rows_.cost[r * total.size() + k];

    const Active active{columns, mask};
    root_ = {rows, active, {nullptr, 0, 0, rows_.n_channels}, total, key, {}, 0};
    if (m > kMaxColumns || !has_room(bytes_needed(data, counted))) control_.halt(Stop::memory);
    if (control_.glance()) return;  // before hundreds of megabytes are taken
    Pairs<Acc>& pairs = root_.pairs;
    pairs = {nullptr, m, Pairs<Acc>::stride_of(m), rows_.n_channels};
    pairs.data = arena_.take<Acc>(pairs.entries()).data();
    count_pairs(simd_, kernel_, rows_, rows, active, pairs, pair_scratch_, &control_);
    is_whole_ = !control_.over();
    if (is_whole_) weigh(root_);
}

template <class Acc>
Subproblems<Acc>::Subproblems(const Subproblems& lead, Control& control, std::size_t max_bytes)
    : data_(lead.data_),
      kernel_(lead.kernel_),
      simd_(lead.simd_),
      control_(control),
      max_bytes_(std::max(max_bytes, kGranted)),
      rows_(lead.rows_),
      root_(lead.root_),
      is_whole_(lead.is_whole_) {}

template <class Acc>
Subproblem<Acc> Subproblems<Acc>::matching(std::span<const std::uint64_t> key, std::span<const std::uint32_t> rows) {
    const std::size_t w = data_.n_words;
    const auto columns = arena_.take<std::int32_t>(data_.n_columns);
    const auto mask = arena_.take<std::uint64_t>(w);
    std::fill(mask.begin(), mask.end(), 0);
    std::size_t m = 0;
    for (std::size_t j = 0; j < data_.n_columns; ++j) {
        if (((key[j / 64] | key[w + j / 64]) >> (j % 64)) & 1U) continue;
        columns[m++] = static_cast<std::int32_t>(j);
        mask[j / 64] |= std::uint64_t{1} << (j % 64);
    }
    const auto total = arena_.take<Acc>(rows_.n_channels);
    std::fill(total.begin(), total.end(), Acc{0});
    for (const std::uint32_t r : rows)
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += rows_.cost[r * total.size() + k];
    Pairs<Acc> pairs{nullptr, m, Pairs<Acc>::stride_of(m), rows_.n_channels};
    pairs.data = arena_.take<Acc>(pairs.entries()).data();
    const Active active{columns.first(m), mask};
    count_pairs(simd_, kernel_, rows_, rows, active, pairs, pair_scratch_, &control_);
    Subproblem<Acc> node{rows, active, pairs, total, key, {}, 0};
    weigh(node);
    return node;
}

template <class Acc>
Subproblem<Acc> Subproblems<Acc>::some_rows(const Subproblem<Acc>& node, std::span<const std::uint32_t> rows) {
    const auto total = arena_.take<Acc>(rows_.n_channels);
    std::fill(total.begin(), total.end(), Acc{0});
    for (const std::uint32_t r : rows)
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += rows_.cost[r * total.size() + k];
    Subproblem<Acc> out{rows, node.active, node.pairs, total, {}, {}, 0};
    out.pairs.data = nullptr;
    if (control_.over() || !has_room(kMatricesOfChild * node.pairs.entries() * sizeof(Acc))) return out;
    out.pairs.data = arena_.take<Acc>(out.pairs.entries()).data();
    count_pairs(simd_, kernel_, rows_, rows, out.active, out.pairs, pair_scratch_, &control_);
    weigh(out);
    return out;
}

template <class Acc>
void Subproblems<Acc>::weigh(Subproblem<Acc>& node) {
    const std::size_t next = node.pairs.stride + 1;  // on the diagonal
    const auto ones = arena_.take<Acc>(node.pairs.size);
    std::fill(ones.begin(), ones.end(), Acc{0});
    for (std::size_t k = 0; k < node.pairs.n_channels; ++k) {
        const Acc* diagonal = node.pairs.row(k, 0);
        for (std::size_t i = 0; i < ones.size(); ++i) ones[i] += diagonal[i * next];
        if (node.less.data == nullptr) continue;
        const Acc* less = node.less.row(k, 0);
        for (std::size_t i = 0; i < ones.size(); ++i) ones[i] -= less[i * next];
    }
    node.ones = ones;
    node.weight = std::accumulate(node.total.begin(), node.total.end(), Acc{0});
}

template <class Acc>
void Subproblems<Acc>::scan(const Subproblem<Acc>& node, std::int64_t min_count, const ChildCosts<Acc>& out) {
    scan_children(simd_, node.pairs, node.less, data_.n_classes, node.total.data(), static_cast<Acc>(min_count), out,
                  scan_scratch_, &control_);
    for (std::size_t i = 0; i < node.ones.size(); ++i) {
        if (node.ones[i] != 0 && node.ones[i] != node.weight) continue;
        // Constant here: not a split (a leaf may cost nothing).
        for (int side : {0, 1}) out.leaf[side][i] = out.two[side][i] = kInfeasible<Acc>;
    }
}

template <class Acc>
Acc Subproblems<Acc>::cheapest(const Subproblem<Acc>& node) const {
    return *std::min_element(node.total.begin(), node.total.begin() + static_cast<std::ptrdiff_t>(data_.n_classes));
}

template <class Acc>
ChildPattern Subproblems<Acc>::child_pattern(const Subproblem<Acc>& node, std::size_t column, int side) {
    const std::size_t m = node.pairs.size;
    const std::size_t w = data_.n_words;
    ChildPattern out;
    out.key = arena_.take<std::uint64_t>(2 * w);
    std::copy(node.key.begin(), node.key.end(), out.key.begin());
    ArenaScope scope(arena_);
    const auto ones = arena_.take<std::uint64_t>((m + 63) / 64);
    const auto zeros = arena_.take<std::uint64_t>((m + 63) / 64);
    constant_columns(simd_, node.pairs, node.ones, node.weight, column, side, ones, zeros, constant_scratch_);
    const auto scatter = [&](std::span<const std::uint64_t> local, std::size_t half) {
        for (std::size_t lw = 0; lw < local.size(); ++lw) {
            for (std::uint64_t left = local[lw]; left != 0; left &= left - 1) {
                const auto j = static_cast<std::size_t>(
                    node.active.columns[lw * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
                out.key[half * w + j / 64] |= std::uint64_t{1} << (j % 64);
                ++out.n_fixed;
            }
        }
    };
    scatter(ones, 0);
    scatter(zeros, 1);
    return out;
}

template <class Acc>
void Subproblems<Acc>::split(const Subproblem<Acc>& node, std::size_t column, Sides<Acc>& sides) {
    const auto j = static_cast<std::size_t>(node.active.columns[column]);
    const std::size_t word = j / 64;
    const unsigned digit = j % 64;
    const auto zeros = arena_.take<std::uint32_t>(node.rows.size());
    const auto ones = arena_.take<std::uint32_t>(node.rows.size());
    std::size_t n[2] = {0, 0};
    for (const std::uint32_t r : node.rows) {
        const std::uint64_t one = (data_.bits[r * data_.n_words + word] >> digit) & 1U;
        zeros[n[0]] = r;
        ones[n[1]] = r;
        n[1] += one;
        n[0] += 1 - one;
    }
    sides.rows[0] = zeros.first(n[0]);
    sides.rows[1] = ones.first(n[1]);
    sides.small_side = n[1] <= n[0] ? 1 : 0;
    sides.small = node.pairs;
    sides.small.data = arena_.take<Acc>(node.pairs.entries()).data();
    count_pairs(simd_, kernel_, rows_, sides.rows[sides.small_side], node.active, sides.small, pair_scratch_,
                &control_);
}

template <class Acc>
bool Subproblems<Acc>::lay_out(const Subproblem<Acc>& node) {
    if (!pays_to_lay(simd_, kernel_, rows_, node.active)) return false;
    lay(simd_, rows_, node.rows, node.active, laid_out_);
    return true;
}

// The side where the column is one, without its rows.
template <class Acc>
void Subproblems<Acc>::count_ones(const Subproblem<Acc>& node, std::size_t column, Sides<Acc>& sides) {
    sides.small_side = 1;
    sides.small = node.pairs;
    sides.small.data = arena_.take<Acc>(node.pairs.entries()).data();
    count_pairs_where(simd_, laid_out_, column, sides.small, pair_scratch_, &control_);
}

template <class Acc>
Subproblem<Acc> Subproblems<Acc>::make_child(const Subproblem<Acc>& node, std::size_t column, int side,
                                             std::span<const std::uint64_t> key, bool narrow, Sides<Acc>& sides) {
    const bool on_bits = sides.on_bits && !narrow;
    const auto total = arena_.take<Acc>(node.total.size());
    for (std::size_t k = 0; k < total.size(); ++k) {
        const Acc one = node.pairs.at(k, column, column);
        total[k] = side == 1 ? one : node.total[k] - one;
    }
    if (!has_room(kMatricesOfChild * node.pairs.entries() * sizeof(Acc))) {
        control_.halt(Stop::memory);
        control_.grace(0);  // nor is there room to write trees from matrices
    }
    if (control_.over()) return {{}, node.active, {nullptr, 0, 0, node.pairs.n_channels}, total, key, {}, 0};
    if (on_bits && sides.small_side < 0) count_ones(node, column, sides);
    if (!on_bits && sides.rows[0].empty()) split(node, column, sides);  // both sides of a split have rows
    Subproblem<Acc> child{sides.rows[side], node.active, sides.small, total, key, {}, 0};
    const bool is_difference = side != sides.small_side;
    if (is_difference && sides.to_scan && !narrow && scans_differences(data_.n_classes, node.pairs.n_channels)) {
        child.pairs = node.pairs;
        child.less = sides.small;
    } else if (is_difference) {
        child.pairs.data = arena_.take<Acc>(node.pairs.entries()).data();
        subtract(simd_, node.pairs, sides.small, child.pairs, &control_);  // sibling = parent - other sibling
    }
    if (narrow) drop_constant_columns(child);
    weigh(child);
    return child;
}

template <class Acc>
void Subproblems<Acc>::drop_constant_columns(Subproblem<Acc>& node) {
    const std::size_t w = data_.n_words;
    const auto columns = arena_.take<std::int32_t>(node.pairs.size);
    const auto local = arena_.take<std::uint32_t>(node.pairs.size);
    const auto mask = arena_.take<std::uint64_t>(w);
    std::size_t m = 0;
    for (std::size_t j = 0; j < node.pairs.size; ++j) {
        const auto column_j = static_cast<std::size_t>(node.active.columns[j]);
        if (((node.key[column_j / 64] | node.key[w + column_j / 64]) >> (column_j % 64)) & 1U) continue;
        columns[m] = node.active.columns[j];
        local[m++] = static_cast<std::uint32_t>(j);
    }
    if (m == node.pairs.size) return;
    for (std::size_t word = 0; word < w; ++word)
        mask[word] = node.active.mask[word] & ~(node.key[word] | node.key[w + word]);
    node.active = {columns.first(m), mask};
    const Pairs<Acc> wide = node.pairs;
    node.pairs = {nullptr, m, Pairs<Acc>::stride_of(m), wide.n_channels};
    node.pairs.data = arena_.take<Acc>(node.pairs.entries()).data();
    Pulse pulse(&control_);
    for (std::size_t k = 0; k < wide.n_channels; ++k) {
        for (std::size_t i = 0; i < m; ++i) {
            if (pulse.after(m)) return;
            const Acc* from = wide.row(k, local[i]);
            Acc* to = node.pairs.row(k, i);
            for (std::size_t j = node.pairs.first(i); j < i; ++j) to[j] = wide.at(k, local[i], local[j]);
            for (std::size_t j = i; j < m; ++j) to[j] = from[local[j]];
            std::fill(to + m, to + node.pairs.stride, Acc{0});
        }
    }
}

template struct Subproblem<std::int32_t>;
template struct Subproblem<std::int64_t>;
template class Subproblems<std::int32_t>;
template class Subproblems<std::int64_t>;

}  // namespace treewright::binary
