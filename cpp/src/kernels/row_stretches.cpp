#include "treewright/kernels/row_stretches.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace treewright::ranked {

namespace {

// Nodes of a smaller part of the table leave most of the lines unused that a pass reads.
constexpr std::uint32_t kFewestOfTable = 8;
constexpr std::uint32_t kPieceRows = kStretchRows / 3, kLargePieceRows = kStretchRows;
constexpr std::size_t kMostPieces = std::numeric_limits<std::uint16_t>::max();

}  // namespace

bool RowStretches::suit(const RankedTable& table, const Node& node, std::size_t max_bytes) {
    const std::size_t cells = std::size_t{table.n_rows} * table.n_columns;
    return cells <= max_bytes / (4 * 2 * sizeof(std::uint16_t)) && node.n >= kFarRows &&
           node.n >= table.n_rows / kFewestOfTable && table.n_rows / kLargePieceRows < kMostPieces;
}

void RowStretches::cut(const RankedTable& table) {
    const std::size_t n = table.n_rows;
    const std::size_t length = n / kPieceRows < kMostPieces ? kPieceRows : kLargePieceRows;
    n_pieces_ = (n + length - 1) / length;
    piece_.resize(n * table.n_columns);
    for (std::size_t c = 0; c < table.n_columns; ++c)
        for (std::size_t i = 0; i < n; ++i)
            piece_[c * n + row_of(table.order[c * n + i])] = static_cast<std::uint16_t>(i / length);
    counted_.resize(n_pieces_);
    stretch_of_.resize(n_pieces_);
}

void RowStretches::list_rows(const RankedTable& table, const Node& node) {
    is_here_.assign((table.n_rows + 63) / 64, 0);
    for (std::uint32_t i = 0; i < node.n; ++i) {
        const std::uint32_t row = row_of(node.orders[0][i]);
        is_here_[row / 64] |= std::uint64_t{1} << row % 64;
    }
    rows_.clear();
    for (std::uint32_t word = 0; word < is_here_.size(); ++word)
        for (std::uint64_t rest = is_here_[word]; rest != 0; rest &= rest - 1)
            rows_.push_back(word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
}

void RowStretches::open(const RankedTable& table, const Node& node, std::span<const std::int8_t> sign) {
    if (piece_.empty()) cut(table);
    list_rows(table, node);
    const std::size_t n_columns = node.columns.size();
    stretch_.resize(n_columns * node.n);
    start_.resize(n_columns * (n_pieces_ + 1));
    before_.resize(n_columns * (n_pieces_ + 1));
    columns_.resize(n_columns);
    for (std::size_t at = 0; at < n_columns; ++at)
        count(at, std::span(piece_).subspan(std::size_t{node.columns[at]} * table.n_rows, table.n_rows), sign);
}

void RowStretches::count(std::size_t at, std::span<const std::uint16_t> piece, std::span<const std::int8_t> sign) {
    constexpr std::uint32_t kCounts[] = {1u + (1u << 16), 1u, 1u + (1u << 8)};  // of signs -1, 0, 1
    static_assert(kStretchRows < 256);
    std::fill(counted_.begin(), counted_.end(), 0u);
    for (const std::uint32_t row : rows_) counted_[piece[row]] += kCounts[sign[row] + 1];

    std::uint32_t* start = &start_[at * (n_pieces_ + 1)];
    Sums* before = &before_[at * (n_pieces_ + 1)];
    std::uint32_t s = 0;
    start[0] = start[1] = 0;
    before[0] = before[1] = {};
    for (std::size_t p = 0; p < n_pieces_; ++p) {
        const std::uint32_t n_rows = counted_[p] & 255u;
        if (start[s + 1] - start[s] + n_rows > kStretchRows) {
            ++s;
            start[s + 1] = start[s];
            before[s + 1] = before[s];
        }
        const auto first = static_cast<std::int32_t>(counted_[p] >> 16),
                   second = static_cast<std::int32_t>(counted_[p] >> 8 & 255u);
        stretch_of_[p] = static_cast<std::uint16_t>(s);
        start[s + 1] += n_rows;
        before[s + 1].sum += second - first;
        before[s + 1].n_signed += second + first;
    }
    std::uint16_t* stretch = &stretch_[at * rows_.size()];
    for (std::size_t i = 0; i < rows_.size(); ++i) stretch[i] = stretch_of_[piece[rows_[i]]];
    columns_[at] = {stretch, start, s + 1};
}

std::size_t RowStretches::bytes() const {
    return (piece_.capacity() + stretch_.capacity()) * sizeof(std::uint16_t) +
           rows_.capacity() * sizeof(std::uint32_t) + start_.capacity() * sizeof(std::uint32_t) +
           before_.capacity() * sizeof(Sums);
}

}  // namespace treewright::ranked
