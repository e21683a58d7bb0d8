// Values by the size of a subtree, its leaves and its errors: how many subtrees there are of that size
// (tree_counts.hpp), or what the best of them is worth (tree_extremes.hpp). A value `V` has V::none(), true of a
// default one, operator+= to join the values of two sets of subtrees, and product<Out>(a, b) for the pairs of a left
// and a right subtree. Rounded counts have cells of zero trees, too, where that makes longer runs, which a kernel
// convolves.
#pragma once

#include "treewright/kernels/ways_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace treewright::binary {

inline constexpr std::size_t kMaxDenseBytes = std::size_t{1} << 26;

template <class V>
inline constexpr bool kHasLanes = false;
template <std::size_t kLanes>
inline constexpr bool kHasLanes<LaneWays<kLanes>> = true;

// Cells of equal leaves and successive errors.
struct CellRun {
    std::uint32_t leaves;
    std::uint32_t n;      // cells
    std::int64_t errors;  // of the first
    std::size_t begin;    // value of the first

    // How many of its cells have at most so many errors: the first ones.
    [[nodiscard]] std::size_t up_to(std::int64_t most) const {
        return most < errors ? 0 : static_cast<std::size_t>(std::min<std::int64_t>(n, most - errors + 1));
    }
};

// The cells of one node, ascending by leaves, then errors.
template <class V>
struct Cells {
    std::span<const CellRun> runs;
    const V* values = nullptr;

    [[nodiscard]] bool empty() const { return runs.empty(); }
    // Calls use(leaves, errors, value) for every cell.
    template <class Use>
    void each(const Use& use) const {
        for (const CellRun& run : runs)
            for (std::uint32_t i = 0; i < run.n; ++i) use(run.leaves, run.errors + i, values[run.begin + i]);
    }
};

// The cells of many nodes, one after the other.
template <class V>
class CellStore {
   public:
    void begin_node() { first_run_ = runs_.size(); }
    void push(std::uint32_t leaves, std::int64_t errors, const V& value) {
        if constexpr (requires { V::kLongestGap; })
            if (runs_.size() > first_run_ && runs_.back().leaves == leaves)
                for (std::int64_t gap = errors - runs_.back().errors - runs_.back().n; gap > 0 && gap <= V::kLongestGap;
                     --gap) {
                    ++runs_.back().n;
                    values_.emplace_back();
                }
        const bool follows = runs_.size() > first_run_ && runs_.back().leaves == leaves &&
                             runs_.back().errors + runs_.back().n == errors && runs_.back().n + 1 != 0;
        if (!follows) runs_.push_back({leaves, 0, errors, values_.size()});
        ++runs_.back().n;
        values_.push_back(value);
    }
    // Forgets the node that was pushed last.
    void drop_last_node() {
        if (runs_.size() == first_run_) return;
        values_.resize(runs_[first_run_].begin);
        runs_.resize(first_run_);
    }
    // The runs of the node that was pushed last.
    [[nodiscard]] std::pair<std::size_t, std::size_t> last_node() const { return {first_run_, runs_.size()}; }
    [[nodiscard]] Cells<V> cells(std::size_t first_run, std::size_t last_run) const {
        return {std::span(runs_).subspan(first_run, last_run - first_run), values_.data()};
    }
    [[nodiscard]] std::size_t bytes() const {
        return runs_.capacity() * sizeof(CellRun) + values_.capacity() * sizeof(V);
    }
    void shrink() {
        runs_.shrink_to_fit();
        values_.shrink_to_fit();
    }
    void clear() { *this = {}; }

   private:
    std::size_t first_run_ = 0;
    std::vector<CellRun> runs_;
    std::vector<V> values_;
};

// The ranges of errors of a node's cells, by leaves.
struct CellRange {
    std::vector<std::int64_t> least;  // [leaves]; a large number if there is nothing
    std::vector<std::int64_t> most;   // [leaves]; -1 if there is nothing
    std::size_t n_products = 0;       // sums of two cells that fall into them, at most

    static constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::max();

    void reset(std::size_t n_leaves) {
        least.assign(n_leaves, kNothing);
        most.assign(n_leaves, -1);
        n_products = 0;
    }
    void reach(std::size_t leaves, std::int64_t errors) {
        if (leaves < least.size()) least[leaves] = std::min(least[leaves], errors);
        ++n_products;
    }
    void reach(std::span<const CellRun> a, std::span<const CellRun> b) {
        for (const CellRun& x : a)
            for (const CellRun& y : b) {
                if (x.leaves + y.leaves >= least.size()) break;
                std::int64_t& entry = least[x.leaves + y.leaves];
                entry = std::min(entry, x.errors + y.errors);
                n_products += static_cast<std::size_t>(x.n) * y.n;
            }
    }
};

// Joins values by size up to the most errors of a range: in a table where that is small, else in a list that is merged
// as it grows.
template <class V>
class CellSums {
   public:
    // The range stays as it is until `give`.
    void reset(const CellRange& range) {
        range_ = &range;
        first_.assign(range.least.size() + 1, 0);
        constexpr double most = static_cast<double>(kMaxDenseBytes / sizeof(V));
        double width = 0;
        for (std::size_t l = 0; l < range.least.size(); ++l) {
            const bool some = range.least[l] <= range.most[l];
            width += some ? static_cast<double>(range.most[l] - range.least[l]) + 1 : 0;
            first_[l + 1] = width < most ? static_cast<std::size_t>(width) : 0;
        }
        dense_ = width < most && width < kDenseAlways + 4 * static_cast<double>(range.n_products);
        each_marked([&](std::size_t cell) { table_[cell] = V{}; });
        const std::size_t n_cells = dense_ ? first_.back() : 0;
        if (table_.size() < n_cells) table_.resize(n_cells);
        marked_.assign((n_cells + 63) / 64, 0);
        list_.clear();
        merge_at_ = kFirstMerge;
    }
    [[nodiscard]] bool holds(std::size_t leaves, std::int64_t errors) const {
        return leaves < range_->most.size() && errors <= range_->most[leaves];
    }
    void add(std::size_t leaves, std::int64_t errors, const V& value) {
        if (!holds(leaves, errors)) return;
        if (dense_) {
            const std::size_t cell = place(leaves, errors);
            mark(cell, 1);
            table_[cell] += value;
            return;
        }
        list_.push_back({static_cast<std::uint32_t>(leaves), errors, value});
        if (list_.size() >= merge_at_) merge();
    }
    // All pairs of a subtree of `a` and one of `b`, those of two leaves only if `leaf_pairs`; `factor` scales one of
    // them.
    template <class A, class B, class Factor>
    void add_products(const Cells<A>& a, const Cells<B>& b, const Factor& factor, bool leaf_pairs) {
        if (dense_ && !a.empty() && !b.empty() && a.runs.back().leaves + b.runs.back().leaves > 2) {
            // Single leaves are too few for a kernel.
            if constexpr (std::is_same_v<V, Ways> && std::is_same_v<A, Ways> && std::is_same_v<B, Ways>)
                return convolve(a, b, factor.value, leaf_pairs);
            if constexpr (kHasLanes<V>) return convolve_lanes(a, b, factor, leaf_pairs);
        }
        for (const CellRun& x : a.runs)
            for (std::uint32_t i = 0; i < x.n; ++i)
                add_products_of(x.leaves, x.errors + i, product<V>(a.values[x.begin + i], factor), b, leaf_pairs);
    }
    // Calls use(leaves, errors, value) for every value there is, ascending.
    template <class Use>
    void give(const Use& use) {
        if (dense_) {
            std::uint32_t leaves = 0;
            each_marked([&](std::size_t cell) {
                while (cell >= first_[leaves + 1]) ++leaves;
                if (!table_[cell].none())
                    use(leaves, range_->least[leaves] + static_cast<std::int64_t>(cell - first_[leaves]), table_[cell]);
            });
            return;
        }
        merge();
        for (const Entry& entry : list_)
            if (!entry.value.none()) use(entry.leaves, entry.errors, entry.value);
    }
    [[nodiscard]] std::size_t bytes() const {
        return table_.capacity() * sizeof(V) + marked_.capacity() * 8 + list_.capacity() * sizeof(Entry);
    }

   private:
    static constexpr std::size_t kFirstMerge = std::size_t{1} << 16;
    static constexpr double kDenseAlways = 1024;  // cells: a table up to this size is never slower than a list
    struct Entry {
        std::uint32_t leaves;
        std::int64_t errors;
        V value;
    };

    [[nodiscard]] std::size_t place(std::size_t leaves, std::int64_t errors) const {
        return first_[leaves] + static_cast<std::size_t>(errors - range_->least[leaves]);
    }
    // Cells of the table that may hold something: all others are as they were made.
    void mark(std::size_t first, std::size_t n) {
        const std::size_t last = first + n;
        for (std::size_t at = first; at < last;) {
            const std::size_t bits = std::min(last - at, 64 - at % 64);
            marked_[at / 64] |= (~std::uint64_t{0} >> (64 - bits)) << (at % 64);
            at += bits;
        }
    }
    template <class Use>
    void each_marked(const Use& use) const {
        for (std::size_t word = 0; word < marked_.size(); ++word)
            for (std::uint64_t bits = marked_[word]; bits != 0; bits &= bits - 1)
                use(64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
    }
    // The pairs of subtrees of so many leaves and errors, worth `value`, and one of `b`.
    template <class B>
    void add_products_of(std::uint32_t x_leaves, std::int64_t x_errors, const V& value, const Cells<B>& b,
                         bool leaf_pairs) {
        for (const CellRun& y : b.runs) {
            const std::size_t leaves = x_leaves + y.leaves;
            if (leaves >= range_->most.size()) break;
            if (leaves == 2 && !leaf_pairs) continue;
            const std::size_t n = y.up_to(range_->most[leaves] - x_errors);
            if (n == 0) continue;
            const auto* const from = b.values + y.begin;
            if (dense_) {
                const std::size_t cell = place(leaves, x_errors + y.errors);
                mark(cell, n);
                V* const to = table_.data() + cell;
                for (std::size_t j = 0; j < n; ++j) to[j] += product<V>(value, from[j]);
            } else {
                for (std::size_t j = 0; j < n; ++j)
                    add(leaves, x_errors + y.errors + static_cast<std::int64_t>(j), product<V>(value, from[j]));
            }
        }
    }
    // Where the sums of two runs begin, of which `n_out` at most are kept.
    V* sums_of(std::size_t leaves, const CellRun& x, const CellRun& y, std::int64_t n_out) {
        const std::size_t cell = place(leaves, x.errors + y.errors);
        mark(cell, std::min(std::size_t{x.n} + y.n - 1, static_cast<std::size_t>(n_out)));
        return table_.data() + cell;
    }
    void convolve(const Cells<Ways>& a, const Cells<Ways>& b, double factor, bool leaf_pairs) {
        padded_.clear();
        for (const CellRun& y : b.runs) {
            padded_.resize(padded_.size() + kWaysPadding);
            padded_.insert(padded_.end(), b.values + y.begin, b.values + y.begin + y.n);
            padded_.resize(padded_.size() + kWaysPadding);
        }
        for (const CellRun& x : a.runs) {
            std::size_t at = 0;
            for (const CellRun& y : b.runs) {
                const Ways* const from = padded_.data() + at;
                at += y.n + 2 * kWaysPadding;
                const std::size_t leaves = x.leaves + y.leaves;
                if (leaves >= range_->most.size()) break;
                const std::int64_t n_out = range_->most[leaves] - x.errors - y.errors + 1;
                if ((leaves == 2 && !leaf_pairs) || n_out <= 0) continue;
                V* const to = sums_of(leaves, x, y, n_out);
                kernels_->convolve(a.values + x.begin, x.n, factor, from, y.n, to, static_cast<std::size_t>(n_out));
            }
        }
    }
    template <std::size_t kLanes>
    void convolve_lanes(const Cells<LaneWays<kLanes>>& a, const Cells<LaneWays<kLanes>>& b,
                        const LaneWays<kLanes>& factor, bool leaf_pairs) {
        const auto kernel = kernels_->convolve_lanes<kLanes>();
        for (const CellRun& x : a.runs)
            for (const CellRun& y : b.runs) {
                const std::size_t leaves = x.leaves + y.leaves;
                if (leaves >= range_->most.size()) break;
                const std::int64_t n_out = range_->most[leaves] - x.errors - y.errors + 1;
                if ((leaves == 2 && !leaf_pairs) || n_out <= 0) continue;
                V* const to = sums_of(leaves, x, y, n_out);
                kernel(a.values + x.begin, x.n, factor, b.values + y.begin, y.n, to, static_cast<std::size_t>(n_out));
            }
    }
    void merge() {
        std::sort(list_.begin(), list_.end(), [](const Entry& a, const Entry& b) {
            return std::pair(a.leaves, a.errors) < std::pair(b.leaves, b.errors);
        });
        std::size_t n = 0;
        for (std::size_t i = 0; i < list_.size(); ++i) {
            if (n > 0 && list_[n - 1].leaves == list_[i].leaves && list_[n - 1].errors == list_[i].errors)
                list_[n - 1].value += list_[i].value;
            else
                list_[n++] = list_[i];
        }
        list_.resize(n);
        merge_at_ = std::max(kFirstMerge, 2 * n);
    }

    const CellRange* range_ = nullptr;
    const WaysKernels* kernels_ = &ways_kernels(simd());
    std::vector<Ways> padded_;
    std::vector<std::size_t> first_;  // [leaves], in the table
    bool dense_ = true;
    std::vector<V> table_;
    std::vector<std::uint64_t> marked_;  // bits of its cells
    std::vector<Entry> list_;
    std::size_t merge_at_ = kFirstMerge;
};

}  // namespace treewright::binary
