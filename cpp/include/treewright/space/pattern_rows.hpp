// The rows that closed patterns select, what the ones of each column cost there, and the patterns of both sides of a
// split, from the rows themselves: no pair matrix is made. Here rows that cost nothing count as all others do.
#pragma once

#include "treewright/core/arena.hpp"
#include "treewright/space/binary_dataset.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

template <class Acc>
class PatternRows {
   public:
    explicit PatternRows(const Dataset& data);

    [[nodiscard]] std::size_t n_rows() const { return data_.n_rows; }
    // Ascending, in the arena. `key`: columns that are one, columns that are zero.
    [[nodiscard]] std::span<const std::uint32_t> matching(std::span<const std::uint64_t> key, Arena& arena) const;

    // What each class costs, and how many input rows there are: over some rows, and over those where a column is one
    // (column x sums, all 0 for columns of which `key` says that they are one).
    struct Sums {
        std::span<const Acc> all, ones;

        [[nodiscard]] std::span<const Acc> of_ones(std::size_t column) const {
            return ones.subspan(column * all.size(), all.size());
        }
    };
    [[nodiscard]] Sums sums(std::span<const std::uint32_t> rows, std::span<const std::uint64_t> key,
                            Arena& arena) const;

    // The bits of some rows: word x row.
    [[nodiscard]] std::span<const std::uint64_t> bits_of(std::span<const std::uint32_t> rows, Arena& arena) const;
    // The closed patterns of both sides of a split of rows with these bits, side by side.
    [[nodiscard]] std::span<const std::uint64_t> closed(std::span<const std::uint64_t> bits, std::size_t column,
                                                        Arena& arena) const;

    [[nodiscard]] std::size_t bytes() const { return columns_.capacity() * 8 + sums_.capacity() * sizeof(Acc); }

   private:
    template <std::size_t kSums>
    void add_rows(std::span<const std::uint32_t> rows, std::span<const std::uint64_t> skipped, Acc* all,
                  Acc* ones) const;

    const Dataset& data_;
    std::size_t n_sums_;                  // a row
    std::size_t n_words_;                 // a column
    std::vector<std::uint64_t> columns_;  // column x n_words_: 64 rows a word
    std::vector<Acc> sums_;               // row x n_sums_
};

}  // namespace treewright::binary
