// The splits of a node by one column: all of them from a sort, or from sums over ranks, or first those between blocks
// of ranks and then those inside of some blocks.
#include "treewright/leaf_accuracy/data.hpp"

#include <algorithm>
#include <bit>

namespace treewright::leaf_accuracy {

namespace {

constexpr std::size_t kRowsOfBlock = 16;
constexpr std::size_t kBytesOfBlocks = std::size_t{1} << 19;  // their sums stay in the cache

}  // namespace

void Sorter::sums(const Node& node, std::uint32_t column, SortedColumn& out) {
    if (data_.n_ranks[column] * data_.n_classes() > node.rows.size()) return sort(node, column, out);
    sum_groups(node, column, 0, out);
}

unsigned Sorter::bits_of_blocks(const Node& node, std::uint32_t column) const {
    const std::size_t n_ranks = data_.n_ranks[column], n_classes = data_.n_classes(), n = node.rows.size();
    if (n_ranks * n_classes <= n) return 0;
    const std::size_t bytes = n_classes * (sizeof(Count) + (data_.full.empty() ? 0 : sizeof(Whole)));
    const std::size_t most = std::max<std::size_t>(1, std::min(n / kRowsOfBlock, kBytesOfBlocks / bytes));
    return static_cast<unsigned>(std::bit_width((n_ranks - 1) / most));
}

void Sorter::sums_of_blocks(const Node& node, std::uint32_t column, unsigned bits, SortedColumn& out) {
    sum_groups(node, column, bits, out);
}

void Sorter::sum_groups(const Node& node, std::uint32_t column, unsigned bits, SortedColumn& out) {
    const std::size_t n_classes = data_.n_classes(), n_groups = ((data_.n_ranks[column] - 1) >> bits) + 1;
    const std::size_t n_sums = n_groups * n_classes;
    const std::uint32_t* rank = &data_.table.rank[std::size_t{column} * data_.n_rows()];
    out.clear(column);
    start_.assign(n_groups, 0);
    weight_.assign(n_sums, 0);
    full_.assign(data_.full.empty() ? 0 : n_sums, 0);
    for (const std::uint32_t row : node.rows) {
        const std::uint32_t group = rank[row] >> bits;
        const std::size_t at = group * n_classes + data_.table.label[row];
        ++start_[group];
        weight_[at] += data_.table.weight[row];
        if (!full_.empty()) full_[at] += data_.full[row];
    }
    std::uint32_t position = 0;
    for (std::uint32_t g = 0; g < n_groups; ++g) {
        if (start_[g] == 0) continue;
        const std::size_t at = g * n_classes, before = out.left.size() - n_classes;  // of the last split, if any
        position += start_[g];
        if (position == node.rows.size()) break;
        const bool first = out.splits.empty();
        out.splits.push_back({position, (g + 1) << bits});
        for (std::size_t k = 0; k < n_classes; ++k) {
            out.left.push_back(weight_[at + k] + (first ? 0 : out.left[before + k]));
            if (!full_.empty()) out.full.push_back(full_[at + k] + (first ? Whole{0} : out.full[before + k]));
        }
    }
}

void Sorter::sums_inside(const Node& node, const SortedColumn& blocks, unsigned bits, const std::vector<bool>& open,
                         SortedColumn& out) {
    const std::uint32_t column = blocks.column;
    const std::uint32_t* rank = &data_.table.rank[std::size_t{column} * data_.n_rows()];
    const std::size_t n_classes = data_.n_classes(), n_splits = blocks.splits.size();
    start_.assign(((data_.n_ranks[column] - 1) >> bits) + 1, static_cast<std::uint32_t>(n_splits));  // [group] block
    for (std::uint32_t i = 0; i < n_splits; ++i) start_[(blocks.splits[i].rank >> bits) - 1] = i;
    entries_.clear();
    for (const std::uint32_t row : node.rows)
        if (open[start_[rank[row] >> bits]]) entries_.push_back((std::uint64_t{rank[row]} << 32) | row);
    std::sort(entries_.begin(), entries_.end());
    out.clear(column);
    std::vector<Count> sum(n_classes);
    std::vector<Whole> full(data_.full.empty() ? 0 : n_classes);
    std::uint32_t before = 0, position = 0;
    std::size_t block = n_splits + 1;  // of the row before
    for (const std::uint64_t entry : entries_) {
        const auto here = static_cast<std::uint32_t>(entry >> 32), row = static_cast<std::uint32_t>(entry);
        if (start_[here >> bits] != block) {
            block = start_[here >> bits];
            position = block == 0 ? 0 : blocks.splits[block - 1].position;
            for (std::size_t k = 0; k < n_classes; ++k) {
                const std::size_t at = (block - 1) * n_classes + k;
                sum[k] = block == 0 ? 0 : blocks.left[at];
                if (!full.empty()) full[k] = block == 0 ? Whole{0} : blocks.full[at];
            }
        } else if (here != before) {
            out.splits.push_back({position, before + 1});
            out.left.insert(out.left.end(), sum.begin(), sum.end());
            out.full.insert(out.full.end(), full.begin(), full.end());
        }
        before = here;
        ++position;
        sum[data_.table.label[row]] += data_.table.weight[row];
        if (!full.empty()) full[data_.table.label[row]] += data_.full[row];
    }
}

void Sorter::sort(const Node& node, std::uint32_t column, SortedColumn& out) {
    const std::uint32_t* rank = &data_.table.rank[std::size_t{column} * data_.n_rows()];
    const std::size_t n = node.rows.size(), n_classes = data_.n_classes();
    const std::size_t n_ranks = data_.n_ranks[column];
    out.rows.resize(n);
    if (n_ranks <= 2 * n + 16) {
        start_.assign(n_ranks + 1, 0);
        for (const std::uint32_t row : node.rows) ++start_[rank[row] + 1];
        for (std::size_t r = 0; r < n_ranks; ++r) start_[r + 1] += start_[r];
        for (const std::uint32_t row : node.rows) out.rows[start_[rank[row]]++] = row;
    } else {
        entries_.resize(n);
        for (std::size_t i = 0; i < n; ++i) entries_[i] = (std::uint64_t{rank[node.rows[i]]} << 32) | node.rows[i];
        std::sort(entries_.begin(), entries_.end());
        for (std::size_t i = 0; i < n; ++i) out.rows[i] = static_cast<std::uint32_t>(entries_[i]);
    }
    out.clear(column);
    std::vector<Count> sum(n_classes, 0);
    std::vector<Whole> full(data_.full.empty() ? 0 : n_classes, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t row = out.rows[i];
        if (i > 0 && rank[row] != rank[out.rows[i - 1]]) {
            out.splits.push_back({i, rank[out.rows[i - 1]] + 1});
            out.left.insert(out.left.end(), sum.begin(), sum.end());
            out.full.insert(out.full.end(), full.begin(), full.end());
        }
        sum[data_.table.label[row]] += data_.table.weight[row];
        if (!full.empty()) full[data_.table.label[row]] += data_.full[row];
    }
}

}  // namespace treewright::leaf_accuracy
