// The three loops where the search spends its time, each compiled for several instruction sets.
//
// A subproblem is a set of rows S. Its pair matrix holds, for every channel k and every two active columns i, j, the
// cost of predicting class k on the rows of S where both are one. Everything the search asks about S, about its
// children and about the children's two-leaf trees is read from this matrix, with no further pass over rows.
#pragma once

#include "treewright/space/binary_dataset.hpp"
#include "treewright/core/control.hpp"
#include "treewright/core/cpu.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

// The rows with costs in the accumulator type (int32 where every sum fits, else int64).
template <class Acc>
struct Rows {
    std::size_t n_columns = 0;
    std::size_t n_words = 0;
    std::size_t n_classes = 0;
    std::size_t n_channels = 0;       // n_classes, plus one for row counts with a minimum leaf size
    unsigned n_digits = 1;            // binary digits of the largest cost
    std::vector<std::uint64_t> bits;  // n_rows x n_words
    std::vector<Acc> cost;            // n_rows x n_channels
    double mean_square_ones = 0;      // mean over rows of (ones in the row)^2
    double mean_cost_digits = 0;      // mean over rows of the binary digits of all its costs
};

// Columns that are not constant on the current rows, ascending, with a mask per word to extract them quickly.
struct Active {
    std::span<const std::int32_t> columns;
    std::span<const std::uint64_t> mask;  // n_words
};

inline constexpr std::size_t kLanes = 16;          // columns that the kernels handle side by side
inline constexpr std::size_t kMaxColumns = 65535;  // local column numbers take 16 bits

// Counts work in additions of one number, and tells the clock after some thousand of them.
class Pulse {
   public:
    explicit Pulse(Control* control) : control_(control) {}
    // True if the run is over.
    bool after(std::size_t additions) {
        work_ += additions;
        if (work_ < kBeat || control_ == nullptr) return false;
        const std::size_t beats = work_ / kBeat;
        work_ %= kBeat;
        return control_->must_abandon(static_cast<std::int64_t>(beats));
    }

   private:
    static constexpr std::size_t kBeat = 4096;
    Control* control_;
    std::size_t work_ = 0;
};

// channel k, column i -> row of `stride` entries over j. The matrix is symmetric and half of it is enough; row i holds
// values from the first column of i's block of 16 on, so that the kernels work on whole blocks, and zeros past the last
// column.
template <class Acc>
struct Pairs {
    Acc* data = nullptr;
    std::size_t size = 0;
    std::size_t stride = 0;
    std::size_t n_channels = 0;

    [[nodiscard]] Acc* row(std::size_t k, std::size_t i) const { return data + (k * size + i) * stride; }
    [[nodiscard]] Acc at(std::size_t k, std::size_t i, std::size_t j) const {
        return i <= j ? row(k, i)[j] : row(k, j)[i];
    }
    [[nodiscard]] std::size_t entries() const { return n_channels * size * stride; }
    [[nodiscard]] static std::size_t first(std::size_t i) { return i / kLanes * kLanes; }
    static std::size_t stride_of(std::size_t size) { return (size + kLanes - 1) / kLanes * kLanes; }
};

// Costs (in weight units) of the children of every split: as a leaf, and as the best tree of two leaves.
// Index [side][i], side 1 = rows where column i is one. Unreachable (too few rows) is kInfeasible. There is room for
// Pairs::stride columns.
template <class Acc>
struct ChildCosts {
    Acc* leaf[2];
    Acc* two[2];
};

template <class Acc>
inline constexpr Acc kInfeasible = static_cast<Acc>(Acc{1} << (8 * sizeof(Acc) - 3));

// One binary digit of a channel's costs: the rows that have it lie in words first to last - 1.
struct Plane {
    std::uint32_t channel;
    std::uint32_t digit;
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t at;  // its words begin at at * n_words
};

// Rows as bits: a word holds 32 rows of one column, and the words of 16 columns lie side by side.
struct alignas(64) Lanes {
    std::uint32_t of[kLanes];
};
struct BitColumns {
    std::size_t n_words = 0;
    std::vector<Lanes> columns;  // block of 16 columns x word
    std::vector<Plane> planes;
    std::vector<std::uint32_t> plane_words;

    // The words of the block that holds column j.
    [[nodiscard]] const Lanes* block(std::size_t j) const { return columns.data() + j / kLanes * n_words; }
};

// Scratch memory of count_pairs, kept between calls.
struct PairScratch {
    BitColumns bits;
    std::vector<Lanes> masks;
    std::vector<Lanes> sums;
    std::vector<std::uint16_t> ones;
};

enum class PairKernel : std::uint8_t { automatic, rows, columns };

// Fills `out` for the given rows and active columns. All loops here that may take long look at the clock of `control`,
// if there is one; once it is over (Control::over), they return with garbage, and nothing may be concluded from it.
template <class Acc>
void count_pairs(Simd level, PairKernel kernel, const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                 const Active& active, Pairs<Acc>& out, PairScratch& scratch, Control* control = nullptr);

// The same in two steps, for the children of one set of rows: lay it out once, then count the rows where a column is
// one. Where that pays, a child need not have its rows picked out and laid out for itself.
inline constexpr std::size_t kEveryRow = static_cast<std::size_t>(-1);
template <class Acc>
[[nodiscard]] bool pays_to_lay(Simd level, PairKernel kernel, const Rows<Acc>& data, const Active& active);
template <class Acc>
void lay(Simd level, const Rows<Acc>& data, std::span<const std::uint32_t> rows, const Active& active, BitColumns& out);
template <class Acc>
void count_pairs_where(Simd level, const BitColumns& bits, std::size_t where, Pairs<Acc>& out, PairScratch& scratch,
                       Control* control = nullptr);

// out = a - b, entry by entry.
template <class Acc>
void subtract(Simd level, const Pairs<Acc>& a, const Pairs<Acc>& b, Pairs<Acc>& out, Control* control = nullptr);

// Leaf and two-leaf costs of all children. `total` has one sum a channel; `min_count` applies to the last channel
// when there are more channels than classes. With data in `less` (see scans_differences) the matrix is pairs - less.
template <class Acc>
void scan_children(Simd level, const Pairs<Acc>& pairs, const Pairs<Acc>& less, std::size_t n_classes, const Acc* total,
                   Acc min_count, const ChildCosts<Acc>& out, std::vector<Acc>& scratch, Control* control = nullptr);

// Whether a difference can be scanned without being written down.
[[nodiscard]] constexpr bool scans_differences(std::size_t n_classes, std::size_t n_channels) {
    return n_classes == 2 && n_channels == 2;
}

// Local bit masks of the columns that are constant one / constant zero on one child, from row i of the matrix, the
// weight of the ones of each column and that of all rows.
template <class Acc>
void constant_columns(Simd level, const Pairs<Acc>& pairs, std::span<const Acc> weight_of_ones, Acc weight,
                      std::size_t i, int side, std::span<std::uint64_t> ones, std::span<std::uint64_t> zeros,
                      std::vector<Acc>& scratch);

}  // namespace treewright::binary
