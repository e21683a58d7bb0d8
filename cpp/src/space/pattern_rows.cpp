#include "treewright/space/pattern_rows.hpp"

#include <algorithm>
#include <bit>

namespace treewright::binary {

namespace {

template <class F>
void for_each_one(std::uint64_t word, std::size_t first, F&& f) {
    for (; word != 0; word &= word - 1) f(first + static_cast<std::size_t>(std::countr_zero(word)));
}

}  // namespace

template <class Acc>
PatternRows<Acc>::PatternRows(const Dataset& data)
    : data_(data),
      n_sums_(data.n_classes + 1),
      n_words_((data.n_rows + 63) / 64),
      columns_(data.n_columns * n_words_),
      sums_(data.n_rows * n_sums_) {
    for (std::size_t r = 0; r < data.n_rows; ++r) {
        for (std::size_t w = 0; w < data.n_words; ++w)
            for_each_one(data.bits[r * data.n_words + w], 64 * w, [&](std::size_t column) {
                columns_[column * n_words_ + r / 64] |= std::uint64_t{1} << (r % 64);
            });
        for (std::size_t k = 0; k < data.n_classes; ++k)
            sums_[r * n_sums_ + k] = static_cast<Acc>(data.cost[r * data.n_classes + k]);
        sums_[r * n_sums_ + data.n_classes] = static_cast<Acc>(data.count[r]);
    }
}

// The columns of the pattern are ANDed.
template <class Acc>
std::span<const std::uint32_t> PatternRows<Acc>::matching(std::span<const std::uint64_t> key, Arena& arena) const {
    const auto rows = arena.take<std::uint32_t>(data_.n_rows);
    ArenaScope scope(arena);
    const auto here = arena.take<std::uint64_t>(n_words_);
    std::fill(here.begin(), here.end(), ~std::uint64_t{0});
    if (data_.n_rows % 64 != 0) here.back() = ~(~std::uint64_t{0} << (data_.n_rows % 64));
    for (std::size_t w = 0; w < key.size(); ++w) {
        const std::uint64_t flip = w < data_.n_words ? 0 : ~std::uint64_t{0};
        for_each_one(key[w], w % data_.n_words * 64, [&](std::size_t column) {
            const std::uint64_t* bits = columns_.data() + column * n_words_;
            for (std::size_t i = 0; i < here.size(); ++i) here[i] &= bits[i] ^ flip;
        });
    }
    std::size_t n = 0;
    for (std::size_t i = 0; i < here.size(); ++i)
        for_each_one(here[i], 64 * i, [&](std::size_t r) { rows[n++] = static_cast<std::uint32_t>(r); });
    return rows.first(n);
}

template <class Acc>
typename PatternRows<Acc>::Sums PatternRows<Acc>::sums(std::span<const std::uint32_t> rows,
                                                       std::span<const std::uint64_t> key, Arena& arena) const {
    const auto all = arena.take<Acc>(n_sums_);
    const auto ones = arena.take<Acc>(data_.n_columns * n_sums_);
    std::fill(all.begin(), all.end(), Acc{0});
    std::fill(ones.begin(), ones.end(), Acc{0});
    const auto skipped = key.first(data_.n_words);
    if (n_sums_ == 3)
        add_rows<3>(rows, skipped, all.data(), ones.data());
    else
        add_rows<0>(rows, skipped, all.data(), ones.data());
    return {all, ones};
}

// With the number of sums known to the compiler, or 0.
template <class Acc>
template <std::size_t kSums>
void PatternRows<Acc>::add_rows(std::span<const std::uint32_t> rows, std::span<const std::uint64_t> skipped, Acc* all,
                                Acc* ones) const {
    const std::size_t n = kSums > 0 ? kSums : n_sums_;
    const auto add = [n](const Acc* of_row, Acc* to) {
        for (std::size_t k = 0; k < n; ++k) to[k] += of_row[k];
    };
    for (const std::uint32_t r : rows) {
        const Acc* of_row = sums_.data() + r * n;
        add(of_row, all);
        for (std::size_t w = 0; w < skipped.size(); ++w)
            for_each_one(data_.bits[r * skipped.size() + w] & ~skipped[w], 64 * w,
                         [&](std::size_t column) { add(of_row, ones + column * n); });
    }
}

template <class Acc>
std::span<const std::uint64_t> PatternRows<Acc>::bits_of(std::span<const std::uint32_t> rows, Arena& arena) const {
    const auto bits = arena.take<std::uint64_t>(data_.n_words * rows.size());
    for (std::size_t w = 0; w < data_.n_words; ++w)
        for (std::size_t i = 0; i < rows.size(); ++i)
            bits[w * rows.size() + i] = data_.bits[rows[i] * data_.n_words + w];
    return bits;
}

// Without branches, and side by side, so that the loop is one over vectors.
template <class Acc>
std::span<const std::uint64_t> PatternRows<Acc>::closed(std::span<const std::uint64_t> bits, std::size_t column,
                                                        Arena& arena) const {
    const std::size_t n_words = data_.n_words, n = bits.size() / n_words;
    const std::uint64_t* of_split = bits.data() + column / 64 * n;
    const unsigned digit = column % 64;
    const auto keys = arena.take<std::uint64_t>(4 * n_words);  // side x (in all rows, in none)
    for (std::size_t w = 0; w < n_words; ++w) {
        const std::uint64_t* here = bits.data() + w * n;
        std::uint64_t in_all[2] = {~std::uint64_t{0}, ~std::uint64_t{0}}, in_some[2] = {0, 0};
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t one = std::uint64_t{0} - ((of_split[i] >> digit) & 1U);
            in_all[0] &= here[i] | one;
            in_all[1] &= here[i] | ~one;
            in_some[0] |= here[i] & ~one;
            in_some[1] |= here[i] & one;
        }
        const std::size_t used = data_.n_columns - 64 * w;  // columns from here on
        const std::uint64_t columns = used < 64 ? ~(~std::uint64_t{0} << used) : ~std::uint64_t{0};
        for (std::size_t side : {0, 1}) {
            keys[2 * n_words * side + w] = in_all[side] & columns;
            keys[2 * n_words * side + n_words + w] = ~in_some[side] & columns;
        }
    }
    return keys;
}

template class PatternRows<std::int32_t>;
template class PatternRows<std::int64_t>;

}  // namespace treewright::binary
