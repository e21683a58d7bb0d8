// Pair matrices, counted in one of two ways: for every row every two ones, or on bits.
//
// On bits: 32 rows of one column are a word, and the words of 16 columns lie side by side. For column i a register of
// 16 words is ANDed with i's word and its ones are counted into 16 sums, one for each column j: nothing is added across
// a register, and nothing is left over at the end of a row. That matters, because most subproblems have a few hundred
// rows at most and fewer than 32 columns. A cost that is not 0 or 1 is counted digit by digit.
#include "treewright/kernels/pair_matrix.hpp"

#include "kernels/bit_lanes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace treewright::binary {

namespace {

// --- row by row -----------------------------------------------------------------------------------------------

// Calls f(local position) for every active one of the row, ascending.
template <class F>
inline void for_each_active_one(const std::uint64_t* words, const Active& active, const std::uint16_t* local_of,
                                F&& f) {
    for (std::size_t w = 0; w < active.mask.size(); ++w)
        for (std::uint64_t left = words[w] & active.mask[w]; left != 0; left &= left - 1)
            f(local_of[w * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
}

template <class Acc>
void pairs_by_rows(const Rows<Acc>& data, std::span<const std::uint32_t> rows, const Active& active, Pairs<Acc>& out,
                   std::vector<std::uint16_t>& scratch, Control* control) {
    Pulse pulse(control);
    const std::size_t m = active.columns.size();
    // Block by block: of thousands of columns and some classes it is gigabytes of new memory.
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    for (std::size_t at = 0, n = 0; at < out.entries(); at += n) {
        n = std::min(kBlock, out.entries() - at);
        if (pulse.after(n / 4)) return;
        std::fill_n(out.data + at, n, Acc{0});
    }
    scratch.resize(data.n_words * 64 + m);
    std::uint16_t* local_of = scratch.data() + m;
    for (std::size_t j = 0; j < m; ++j) local_of[active.columns[j]] = static_cast<std::uint16_t>(j);
    std::uint16_t* ones = scratch.data();
    for (const std::uint32_t r : rows) {
        std::size_t n = 0;
        for_each_active_one(data.bits.data() + r * data.n_words, active, local_of,
                            [&](std::uint16_t j) { ones[n++] = j; });
        if (pulse.after(n * n / 2 * data.n_channels)) return;
        const Acc* cost = data.cost.data() + r * data.n_channels;
        for (std::size_t k = 0; k < data.n_channels; ++k) {
            const Acc c = cost[k];
            if (c == 0) continue;
            for (std::size_t a = 0; a < n; ++a) {
                Acc* row = out.row(k, ones[a]);
                for (std::size_t b = a; b < n; ++b) row[ones[b]] += c;
            }
        }
    }
    for (std::size_t k = 0; k < data.n_channels; ++k)
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = out.first(i); j < i; ++j) out.row(k, i)[j] = out.row(k, j)[i];
}

// --- on bits --------------------------------------------------------------------------------------------------

// The columns of one block that lie in one half of one word of the rows.
struct Piece {
    std::size_t block;
    std::size_t word;
    unsigned shift;
    Lanes bit;
};

std::vector<Piece> pieces_of(const Active& active) {
    std::vector<Piece> out;
    for (std::size_t j = 0; j < active.columns.size(); ++j) {
        const auto column = static_cast<std::size_t>(active.columns[j]);
        const auto shift = static_cast<unsigned>(column % 64 / 32 * 32);
        if (out.empty() || out.back().block != j / kLanes || out.back().word != column / 64 ||
            out.back().shift != shift)
            out.push_back({j / kLanes, column / 64, shift, {}});
        out.back().bit.of[j % kLanes] = std::uint32_t{1} << (column % 32);
    }
    return out;
}

template <class Acc, class Instructions>
[[gnu::always_inline]] inline void lay_columns(const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                                               const Active& active, BitColumns& out) {
    out.n_words = (rows.size() + 31) / 32;
    out.columns.assign(out.n_words * (Pairs<Acc>::stride_of(active.columns.size()) / kLanes), Lanes{});
    const std::vector<Piece> pieces = pieces_of(active);
    std::uint32_t half_words[32];
    for (std::size_t word = 0; word < out.n_words; ++word) {
        const auto here = rows.subspan(32 * word, std::min<std::size_t>(32, rows.size() - 32 * word));
        const Piece* last = nullptr;
        for (const Piece& piece : pieces) {
            if (last == nullptr || last->word != piece.word || last->shift != piece.shift) {
                const std::uint64_t* words = data.bits.data() + piece.word;
                for (std::size_t r = 0; r < here.size(); ++r)
                    half_words[r] = static_cast<std::uint32_t>(words[here[r] * data.n_words] >> piece.shift);
            }
            Instructions::add(half_words, here.size(), piece.bit, out.columns[piece.block * out.n_words + word]);
            last = &piece;
        }
    }
}

template <class Acc>
[[gnu::always_inline]] inline void lay_planes(const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                                              BitColumns& out) {
    const std::size_t n_planes = data.n_channels * data.n_digits;
    out.plane_words.assign(n_planes * out.n_words, 0);
    out.planes.clear();
    for (std::uint32_t p = 0; p < n_planes; ++p)
        out.planes.push_back({p / data.n_digits, p % data.n_digits, static_cast<std::uint32_t>(out.n_words), 0, p});
    std::uint64_t cost[32];
    for (std::uint32_t word = 0; word < out.n_words; ++word) {
        const std::size_t n = std::min<std::size_t>(32, rows.size() - 32 * word);
        for (std::size_t k = 0; k < data.n_channels; ++k) {
            std::uint64_t digits = 0;
            for (std::size_t r = 0; r < n; ++r)
                digits |= cost[r] = static_cast<std::uint64_t>(data.cost[rows[32 * word + r] * data.n_channels + k]);
            for (; digits != 0; digits &= digits - 1) {
                const auto digit = static_cast<unsigned>(std::countr_zero(digits));
                std::uint32_t ones = 0;
                for (std::size_t r = 0; r < n; ++r) ones |= static_cast<std::uint32_t>((cost[r] >> digit) & 1U) << r;
                Plane& plane = out.planes[k * data.n_digits + digit];
                out.plane_words[plane.at * out.n_words + word] = ones;
                plane.first = std::min(plane.first, word);
                plane.last = word + 1;
            }
        }
    }
    std::erase_if(out.planes, [](const Plane& plane) { return plane.last == 0; });
}

// Writes the sums of one column, the first of a channel over what was there before.
template <class Acc>
[[gnu::always_inline]] inline void write_sums(const std::uint32_t* sums, unsigned digit, bool first, std::size_t n,
                                              Acc* row) {
    for (std::size_t j = 0; j < n; ++j) {
        const auto sum = static_cast<Acc>(static_cast<Acc>(sums[j]) << digit);
        row[j] = first ? sum : static_cast<Acc>(row[j] + sum);
    }
}

// Counts the pairs of the rows where column `where` is one, or of all rows.
template <class Acc, class Instructions>
[[gnu::always_inline]] inline void pairs_on_bits(const BitColumns& bits, std::size_t where, Pairs<Acc>& out,
                                                 PairScratch& scratch, Control* control) {
    Pulse pulse(control);
    const std::size_t n_blocks = out.stride / kLanes;
    scratch.masks.resize(bits.n_words);
    scratch.sums.resize(n_blocks * Instructions::kGroup);
    std::size_t n_written = 0;  // channels
    const auto fill = [&](std::size_t end) {
        for (; n_written < end; ++n_written) std::fill_n(out.row(n_written, 0), out.size * out.stride, Acc{0});
    };
    for (const Plane& plane : bits.planes) {
        fill(plane.channel);
        const bool first = n_written == plane.channel;
        n_written = plane.channel + 1;
        const bool in_place = first && plane.digit == 0 && sizeof(Acc) == sizeof(std::uint32_t);
        const std::size_t n = plane.last - plane.first;
        const std::uint32_t* chosen = bits.plane_words.data() + plane.at * bits.n_words + plane.first;
        for (std::size_t block = 0; block < n_blocks; ++block) {
            const Lanes* columns = bits.columns.data() + block * bits.n_words + plane.first;
            for (std::size_t w = 0; w < n; ++w) {
                std::uint32_t rows = chosen[w];
                if (where != kEveryRow) rows &= bits.block(where)[plane.first + w].of[where % kLanes];
                Instructions::mask(columns[w], rows, scratch.masks[w]);
            }
            const std::size_t end = std::min(out.size, (block + 1) * kLanes), width = (n_blocks - block) * kLanes;
            for (std::size_t i = block * kLanes; i < end;) {
                const std::size_t n_columns = end - i < Instructions::kGroup ? 1 : Instructions::kGroup;
                if (pulse.after((n + 8) * width / 4 * n_columns)) return;
                std::uint32_t* sums[Instructions::kGroup];
                for (std::size_t g = 0; g < n_columns; ++g)
                    sums[g] = in_place
                                  ? reinterpret_cast<std::uint32_t*>(out.row(plane.channel, i + g)) + block * kLanes
                                  : scratch.sums[g * n_blocks].of;
                const std::uint32_t* mask = scratch.masks.data()->of + i % kLanes;
                if (n_columns == 1)
                    Instructions::template count<1>(columns, bits.n_words, n_blocks - block, mask, n, sums);
                else
                    Instructions::template count<Instructions::kGroup>(columns, bits.n_words, n_blocks - block, mask, n,
                                                                       sums);
                for (std::size_t g = 0; g < n_columns && !in_place; ++g)
                    write_sums(sums[g], plane.digit, first, width, out.row(plane.channel, i + g) + block * kLanes);
                i += n_columns;
            }
        }
    }
    fill(out.n_channels);
}

template <class Acc, class Instructions>
[[gnu::always_inline]] inline void lay_all(const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                                           const Active& active, BitColumns& out) {
    lay_columns<Acc, Instructions>(data, rows, active, out);
    lay_planes(data, rows, out);
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
// GCC and Clang inline the bodies above into these functions and vectorise them for the named instruction set.
namespace avx2 {
template <class Acc>
[[gnu::target("avx2")]] void lay_(const Rows<Acc>& data, std::span<const std::uint32_t> rows, const Active& active,
                                  BitColumns& out) {
    lay_all<Acc, Avx2Lanes>(data, rows, active, out);
}
template <class Acc>
[[gnu::target("avx2")]] void count(const BitColumns& bits, std::size_t where, Pairs<Acc>& out, PairScratch& scratch,
                                   Control* control) {
    pairs_on_bits<Acc, Avx2Lanes>(bits, where, out, scratch, control);
}
}  // namespace avx2
namespace avx512 {
template <class Acc>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")]] void lay_(
    const Rows<Acc>& data, std::span<const std::uint32_t> rows, const Active& active, BitColumns& out) {
    lay_all<Acc, Avx512Lanes>(data, rows, active, out);
}
template <class Acc>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,prefer-vector-width=512")]] void count(
    const BitColumns& bits, std::size_t where, Pairs<Acc>& out, PairScratch& scratch, Control* control) {
    pairs_on_bits<Acc, Avx512Lanes>(bits, where, out, scratch, control);
}
}  // namespace avx512
#endif

}  // namespace

template <class Acc>
void lay(Simd level, const Rows<Acc>& data, std::span<const std::uint32_t> rows, const Active& active,
         BitColumns& out) {
    switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        case Simd::avx512:
            return avx512::lay_(data, rows, active, out);
        case Simd::avx2:
            return avx2::lay_(data, rows, active, out);
#endif
        default:
            return lay_all<Acc, PlainLanes>(data, rows, active, out);
    }
}

template <class Acc>
void count_pairs_where(Simd level, const BitColumns& bits, std::size_t where, Pairs<Acc>& out, PairScratch& scratch,
                       Control* control) {
    switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        case Simd::avx512:
            return avx512::count(bits, where, out, scratch, control);
        case Simd::avx2:
            return avx2::count(bits, where, out, scratch, control);
#endif
        default:
            return pairs_on_bits<Acc, PlainLanes>(bits, where, out, scratch, control);
    }
}

template <class Acc>
void count_pairs(Simd level, PairKernel kernel, const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                 const Active& active, Pairs<Acc>& out, PairScratch& scratch, Control* control) {
    if (kernel == PairKernel::automatic) {
        // Estimated cycles. By rows: one read-modify-write for every two ones. On bits: rows, digits and blocks to lay
        // out, then a step for every word and digit of each column beside 16 others.
        const auto m = static_cast<double>(active.columns.size());
        const auto n = static_cast<double>(rows.size());
        const double blocks = std::ceil(m / kLanes);
        const double share = m / static_cast<double>(data.n_columns);
        const double by_rows = n * (8 + 0.9 * data.mean_square_ones * share * share);
        const double step = level == Simd::avx512 ? 1.5 : level == Simd::avx2 ? 5 : 18;
        const double to_lay = level == Simd::avx512 ? 1.5 : level == Simd::avx2 ? 3 : 8;
        const double digits = data.mean_cost_digits;
        const double on_bits =
            n * (6 + 2 * digits + blocks * to_lay) + m * (blocks + 1) / 2 * digits * (15 + n / 32 * step);
        kernel = by_rows <= on_bits ? PairKernel::rows : PairKernel::columns;
    }
    if (kernel == PairKernel::rows) {
        pairs_by_rows(data, rows, active, out, scratch.ones, control);
    } else {
        lay(level, data, rows, active, scratch.bits);
        count_pairs_where(level, scratch.bits, kEveryRow, out, scratch, control);
    }
}

// Counting a child among all rows of the node takes more steps, but its rows need not be found and laid out. CPU
// milliseconds without and with it: tic-tac-toe (18 columns, depth 5) 9.7, 8.2; german-credit (112, depth 4) 100, 108;
// compas (12, depth 5, large costs) 0.70, 0.86; with AVX2, heart-cleveland (54, depth 4) 20, 19 and anneal (93, depth
// 4) 5.7, 6.3.
template <class Acc>
bool pays_to_lay(Simd level, PairKernel kernel, const Rows<Acc>& data, const Active& active) {
    if (kernel != PairKernel::automatic) return kernel == PairKernel::columns;
    const std::size_t most = level == Simd::avx512 ? 64 : level == Simd::avx2 ? 32 : 0;
    return active.columns.size() <= most && data.mean_cost_digits <= 2;
}

template bool pays_to_lay(Simd, PairKernel, const Rows<std::int32_t>&, const Active&);
template bool pays_to_lay(Simd, PairKernel, const Rows<std::int64_t>&, const Active&);
template void lay(Simd, const Rows<std::int32_t>&, std::span<const std::uint32_t>, const Active&, BitColumns&);
template void lay(Simd, const Rows<std::int64_t>&, std::span<const std::uint32_t>, const Active&, BitColumns&);
template void count_pairs_where(Simd, const BitColumns&, std::size_t, Pairs<std::int32_t>&, PairScratch&, Control*);
template void count_pairs_where(Simd, const BitColumns&, std::size_t, Pairs<std::int64_t>&, PairScratch&, Control*);
template void count_pairs(Simd, PairKernel, const Rows<std::int32_t>&, std::span<const std::uint32_t>, const Active&,
                          Pairs<std::int32_t>&, PairScratch&, Control*);
template void count_pairs(Simd, PairKernel, const Rows<std::int64_t>&, std::span<const std::uint32_t>, const Active&,
                          Pairs<std::int64_t>&, PairScratch&, Control*);

}  // namespace treewright::binary
