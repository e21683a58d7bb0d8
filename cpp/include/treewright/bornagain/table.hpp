// Optimal values of all boxes: the dynamic program of Vidal and Schiffer 2020 (equation 4) as a dense table.
//
//   V(box) = 0 if all its cells have one label, else 1 + min over splits of combine(V(left), V(right))
//
// Lemma 2 (no scan for the first case). If a box has a split into two homogeneous halves (value 0), then it is
// homogeneous exactly if its lowest and its highest cell have the same label, for these lie in different halves; and
// a homogeneous box has only such splits. So the test costs two labels (the paper's indicator in equation 4).
//
// Where we differ from the published program, which memoises regions top-down: boxes are visited from small to large,
// so no hashing or recursion is needed; rows of boxes with the same values are shared (layout.hpp, lemma 1, and equal
// rows are stored once); splits on irrelevant planes are skipped; a batch of rows is solved with vector instructions
// (kernel.hpp). Published forest Pima-Diabetes 1, leaves: 20 s by the published program, 0.1 s here; Breast-Cancer 1,
// depth: 13.7 s and 760 MB, against 0.2 s and 60 MB (benchmarks/born_again; the two were not run side by side).
//
// Threads. The boxes of one level need only rows of lower levels, so several threads take its batches one after another
// and meet where rows are stored, behind one lock. What a row holds, which rows are equal, and how many batches there
// are does not depend on who computed them; only the numbers of rows do, and nothing is chosen by them.
#pragma once

#include "treewright/bornagain/kernel.hpp"
#include "treewright/bornagain/layout.hpp"
#include "treewright/core/control.hpp"

#include <memory>
#include <mutex>
#include <type_traits>

namespace treewright::bornagain {

template <class Policy>
class Table {
   public:
    using Value = typename Policy::Value;

    // `other_bytes` of another table count against the same limit.
    Table(const Layout& layout, std::size_t threads, std::size_t other_bytes = 0);

    // Fills the table; false if `control` stopped or values overflowed (then `overflow()`).
    bool fill(Control& control);

    [[nodiscard]] Value value(std::size_t outer, std::size_t inner) const {
        return row(row_of_[layout_.number[outer]])[inner];
    }
    // Largest value so far: by Theorem 3 (a box inside another one is not harder) a lower bound of the whole.
    [[nodiscard]] Value largest() const { return largest_; }
    [[nodiscard]] bool overflow() const { return overflow_; }
    [[nodiscard]] std::size_t bytes() const;
    [[nodiscard]] std::size_t rows() const { return n_rows_; }

    // Value of a box from the values of its halves.
    [[nodiscard]] static Value join(Value a, Value b);

   private:
    // What one thread fills rows with.
    struct Desk {
        explicit Desk(const Table& table);
        std::vector<Value> rows, scratch;
        Batch<Policy> batch;
        std::vector<std::uint32_t> numbers;  // of the rows of the batch
        std::vector<std::size_t> t;          // digits of the outer box at hand
    };
    // The boxes of one level while its batches are taken.
    struct Level {
        std::size_t first, last;  // numbers
        std::size_t batch;        // boxes of a batch
        std::size_t next;         // not taken yet; behind the lock
    };

    void fill_level(Level& level, Control& control, Desk& desk);
    void fill_cell_row(std::size_t number, Desk& desk) const;  // level 0: one outer cell
    void add_job(std::size_t number, Desk& desk) const;
    void keep(Desk& desk, Control& control);
    [[nodiscard]] std::uint32_t keep(const Value* row, std::uint64_t hash);
    void grow_index();
    [[nodiscard]] const Value* row(std::uint32_t id) const {
        return chunks_[id >> kChunkBits].get() + (id & (kChunkRows - 1)) * pitch_;
    }
    [[nodiscard]] std::uint64_t hash(const Value* values) const;

    static constexpr unsigned kChunkBits = 12;
    static constexpr std::uint32_t kChunkRows = 1u << kChunkBits;
    static constexpr std::size_t kSlack = 64 / sizeof(Value);

    const Layout& layout_;
    std::size_t pitch_;
    std::vector<std::unique_ptr<Value[]>> chunks_;  // as many as there may be: threads read some while others are made
    std::uint32_t n_rows_ = 0;
    std::vector<std::uint32_t> row_of_;  // by number
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t id_plus_one = 0;
    };
    std::vector<Slot> index_;  // of row contents, open addressing
    std::vector<Value> low_labels_, high_labels_;
    std::size_t lanes_;
    std::size_t threads_;
    std::size_t other_bytes_;
    std::mutex mutex_;  // of rows, their index, and what follows, while a level is filled
    Value largest_ = 0;
    bool overflow_ = false;
};

}  // namespace treewright::bornagain
