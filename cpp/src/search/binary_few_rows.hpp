// B8 (bounds/few_rows.hpp) in the search: children are bounded by the few rows that are known, and of a child that was
// proven to cost up to five leaves, rows are left out as long as the others still prove it.
//
// A proof for rows T goes as solve() does, without a cache, whose keys are sets that splits select: a tree of at most
// three leaves costs no less than the best of depth two, exact from T's matrix; one of four or more costs no less than
// the floor (B3); and if that is not enough, for every split of T one side must prove what the other leaves to be
// proven. A column that is constant on T splits nothing. A proof that is not found says nothing.
#pragma once

#include "bounds/few_rows.hpp"
#include "treewright/search/binary_search.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace treewright::binary {

namespace {
constexpr std::int64_t kMostStepsOfFewRows = 1000;  // for one set
constexpr std::int64_t kFewRowsBegin = 10;          // after this part of the plain steps: most problems end before
constexpr std::size_t kMostBytesOfFewRows = std::size_t{1} << 23;
}  // namespace

template <class Acc>
void Search<Acc>::each_of_few_rows(const std::function<void(std::span<const std::uint64_t>, std::int64_t)>& use) const {
    if (few_rows_ != nullptr) few_rows_->each(use);
}

// Bounds of the sides of all open splits, or of one side, which must not be settled.
template <class Acc>
void Search<Acc>::bound_by_few_rows(Branch& here) {
    if (!options_.few_rows || here.depth <= 3) return;
    here.row_bits = arena_.take<std::uint64_t>(FewRows::words_of(data_));
    FewRows::mark(here.node.rows, here.row_bits);
    if (few_rows_ == nullptr) return;
    Children& children = here.children;
    for (std::size_t i = 0; i < here.node.pairs.size; ++i)
        for (int side : {0, 1})
            if (children.lower[0][i] + children.lower[1][i] < here.target &&
                children.lower[side][i] < children.upper[side][i])
                static_cast<void>(raised_by_few_rows(here, i, side));
}

template <class Acc>
bool Search<Acc>::raised_by_few_rows(Branch& here, std::size_t column, int side) {
    if (here.row_bits.empty() || few_rows_ == nullptr) return false;
    ArenaScope scope(arena_);
    const auto rows = arena_.take<std::uint64_t>(here.row_bits.size());
    few_rows_->take_side(here.row_bits, static_cast<std::size_t>(here.node.active.columns[column]), side, rows);
    std::int64_t& lower = here.children.lower[side][column];
    const std::int64_t before = lower;
    lower = std::max(lower, std::min(here.children.upper[side][column], few_rows_->bound(rows, lower)));
    return lower > before;
}

// Of `rows` in a node, which cost `proven` at least.
template <class Acc>
void Search<Acc>::learn_few_rows(const Node& node, std::span<const std::uint32_t> rows, std::int64_t proven) {
    if (!options_.few_rows || control_.stopped() || rows.empty() || proven > FewRows::kMostLeaves * c_ ||
        control_.steps() < options_.plain_steps / kFewRowsBegin)
        return;
    if (few_rows_ == nullptr) {
        if (FewRows::most_bytes(data_) > std::min(kMostBytesOfFewRows, max_bytes_ / 16)) {
            options_.few_rows = false;
            return;
        }
        few_rows_ = std::make_unique<FewRows>(data_, c_);
    }
    if (!few_rows_->wants_more(control_.steps())) return;
    const std::int64_t before = control_.steps();
    std::vector<std::uint32_t> kept(rows.begin(), rows.end());
    if (proves(node, kept, proven)) {
        leave_out_rows(node, kept, proven);
        if (!control_.stopped()) few_rows_->add(kept, proven);
    }
    few_rows_->took(control_.steps() - before);
    if (few_rows_->pays()) return;
    few_rows_.reset();
    options_.few_rows = false;
}

// Fewer and fewer at a time, in an order drawn with a fixed seed: rows next to each other may be alike.
template <class Acc>
void Search<Acc>::leave_out_rows(const Node& node, std::vector<std::uint32_t>& rows, std::int64_t proven) {
    const std::int64_t end = control_.steps() + kMostStepsOfFewRows;
    std::mt19937_64 random(rows.size());
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random() % i]);
    std::vector<std::uint32_t> fewer;
    for (std::size_t n = rows.size() / 2; n > 0; n /= 2) {
        for (std::size_t at = 0; at < rows.size() && control_.steps() < end;) {
            const auto first = rows.begin() + static_cast<std::ptrdiff_t>(at);
            const auto last = rows.begin() + static_cast<std::ptrdiff_t>(std::min(at + n, rows.size()));
            fewer.assign(rows.begin(), first);
            fewer.insert(fewer.end(), last, rows.end());
            if (proves(node, fewer, proven)) {
                rows.swap(fewer);
            } else {
                at += n;
            }
        }
    }
}

// Whether some rows of a node are proven to cost `needed` at least. False if the run is over.
template <class Acc>
bool Search<Acc>::proves(const Node& node, std::span<const std::uint32_t> rows, std::int64_t needed) {
    if (rows.empty()) return needed <= 0;
    ArenaScope scope(arena_);
    const auto bits = arena_.take<std::uint64_t>(FewRows::words_of(data_));
    FewRows::mark(rows, bits);
    if (few_rows_->bound(bits, needed - 1) >= needed) return true;
    const Node part{subproblems_.some_rows(node, rows), 0, 0};
    if (part.pairs.data == nullptr || control_.step(part.work())) return false;
    const Children children = bound_children(part, kUnlimited);
    if (control_.over()) return false;
    if (best_of_depth_two(part, kUnlimited, children).value < needed) return false;
    if (needed <= floor_of_four_leaves({})) return true;
    const auto side_rows = arena_.take<std::uint32_t>(rows.size());
    for (std::size_t i = 0; i < part.pairs.size; ++i) {
        const auto j = static_cast<std::size_t>(part.active.columns[i]);
        const auto side_proves = [&](int side) {
            if (children.lower[side][i] >= children.upper[side][i]) return false;
            const auto is_there = [&](std::uint32_t r) { return static_cast<int>(data_.bit(r, j)) == side; };
            const auto end = std::copy_if(rows.begin(), rows.end(), side_rows.begin(), is_there);
            const auto n = static_cast<std::size_t>(end - side_rows.begin());
            return proves(node, side_rows.first(n), needed - children.lower[1 - side][i]);
        };
        if (children.lower[0][i] + children.lower[1][i] < needed && !side_proves(0) && !side_proves(1)) return false;
    }
    return true;
}

}  // namespace treewright::binary
