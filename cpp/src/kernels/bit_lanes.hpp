// The two steps of the bit kernels (kernels/pair_matrix.cpp) on 16 columns side by side, for each instruction set:
//   add    turns up to 32 rows into one word for each column; `bit` says which bit of a row is the column's, 0 for
//          none, and the words are ORed into `out`;
//   mask   out = words AND rows, lane by lane;
//   count  counts the ones of column AND mask over n words, for n_blocks blocks of columns that lie n_words apart and
//          for kMasks masks side by side, whose words lie kLanes apart; the sums of mask g go to out[g]. kGroup masks
//          at once cost least.
#pragma once

#include "treewright/kernels/pair_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#endif

namespace treewright::binary {

struct PlainLanes {
    [[gnu::always_inline]] static void add(const std::uint32_t* rows, std::size_t n, const Lanes& bit, Lanes& out) {
        Lanes words{};
        for (std::size_t r = n; r-- > 0;)
            for (std::size_t l = 0; l < kLanes; ++l)
                words.of[l] = (words.of[l] << 1) | ((rows[r] & bit.of[l]) != 0 ? 1U : 0U);
        for (std::size_t l = 0; l < kLanes; ++l) out.of[l] |= words.of[l];
    }
    [[gnu::always_inline]] static void mask(const Lanes& words, std::uint32_t rows, Lanes& out) {
        for (std::size_t l = 0; l < kLanes; ++l) out.of[l] = words.of[l] & rows;
    }
    static constexpr std::size_t kGroup = 1;
    template <std::size_t kMasks>
    [[gnu::always_inline]] static void count(const Lanes* columns, std::size_t n_words, std::size_t n_blocks,
                                             const std::uint32_t* mask, std::size_t n, std::uint32_t* const* out) {
        static_assert(kMasks == 1);
        for (std::size_t b = 0; b < n_blocks; ++b) {
            Lanes sum{};
            for (std::size_t w = 0; w < n; ++w) {
                for (std::size_t l = 0; l < kLanes; ++l) {  // vectorises, where std::popcount would call a function
                    std::uint32_t v = columns[b * n_words + w].of[l] & mask[w * kLanes];
                    v -= (v >> 1) & 0x55555555U;
                    v = (v & 0x33333333U) + ((v >> 2) & 0x33333333U);
                    v = (v + (v >> 4)) & 0x0f0f0f0fU;
                    v += v >> 8;
                    sum.of[l] += (v + (v >> 16)) & 0x3fU;
                }
            }
            std::copy_n(sum.of, kLanes, out[0] + b * kLanes);
        }
    }
};

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
class Avx2Lanes {
   public:
    [[gnu::target("avx2")]] static void add(const std::uint32_t* rows, std::size_t n, const Lanes& bit, Lanes& out) {
        const __m256i zero = _mm256_setzero_si256();
        const __m256i bits[2] = {load(bit.of), load(bit.of + 8)};
        __m256i words[2] = {zero, zero};
        __m256i row_bit = _mm256_set1_epi32(1);
        for (std::size_t r = 0; r < n; ++r, row_bit = _mm256_slli_epi32(row_bit, 1)) {
            const __m256i row = _mm256_set1_epi32(static_cast<int>(rows[r]));
            for (int half : {0, 1}) {
                const __m256i is_zero = _mm256_cmpeq_epi32(_mm256_and_si256(row, bits[half]), zero);
                words[half] = _mm256_or_si256(words[half], _mm256_andnot_si256(is_zero, row_bit));
            }
        }
        store(out.of, _mm256_or_si256(load(out.of), words[0]));
        store(out.of + 8, _mm256_or_si256(load(out.of + 8), words[1]));
    }
    [[gnu::target("avx2")]] static void mask(const Lanes& words, std::uint32_t rows, Lanes& out) {
        const __m256i here = _mm256_set1_epi32(static_cast<int>(rows));
        store(out.of, _mm256_and_si256(load(words.of), here));
        store(out.of + 8, _mm256_and_si256(load(words.of + 8), here));
    }
    static constexpr std::size_t kGroup = 1;
    template <std::size_t kMasks>
    [[gnu::target("avx2")]] static void count(const Lanes* columns, std::size_t n_words, std::size_t n_blocks,
                                              const std::uint32_t* mask, std::size_t n, std::uint32_t* const* out) {
        static_assert(kMasks == 1);
        constexpr std::size_t kBytesHold = 31;  // words of at most 8 ones a byte
        for (std::size_t b = 0; b < n_blocks; ++b) {
            const Lanes* words = columns + b * n_words;
            __m256i sum[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
            for (std::size_t w = 0; w < n;) {
                const std::size_t end = std::min(n, w + kBytesHold);
                __m256i bytes[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
                for (; w < end; ++w) {
                    const __m256i here = _mm256_set1_epi32(static_cast<int>(mask[w * kLanes]));
                    for (int half : {0, 1})
                        bytes[half] = _mm256_add_epi8(
                            bytes[half], ones_per_byte(_mm256_and_si256(here, load(words[w].of + 8 * half))));
                }
                // Unsigned bytes times one: sums of two, then of four.
                for (int half : {0, 1})
                    sum[half] = _mm256_add_epi32(
                        sum[half], _mm256_madd_epi16(_mm256_maddubs_epi16(bytes[half], _mm256_set1_epi8(1)),
                                                     _mm256_set1_epi16(1)));
            }
            store_anywhere(out[0] + b * kLanes, sum[0]);
            store_anywhere(out[0] + b * kLanes + 8, sum[1]);
        }
    }

   private:
    [[gnu::always_inline, gnu::target("avx2")]] static __m256i load(const std::uint32_t* from) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
    }
    [[gnu::always_inline, gnu::target("avx2")]] static void store(std::uint32_t* to, __m256i v) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(to), v);
    }
    [[gnu::always_inline, gnu::target("avx2")]] static void store_anywhere(std::uint32_t* to, __m256i v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
    }
    // By table look-up of half bytes.
    [[gnu::always_inline, gnu::target("avx2")]] static __m256i ones_per_byte(__m256i v) {
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3,
                                               1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i low = _mm256_set1_epi8(15);
        return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                               _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
    }
};

struct Avx512Lanes {
    [[gnu::target("avx512f")]] static void add(const std::uint32_t* rows, std::size_t n, const Lanes& bit, Lanes& out) {
        const __m512i bits = _mm512_load_si512(bit.of);
        __m512i words = _mm512_load_si512(out.of);
        __m512i row_bit = _mm512_set1_epi32(1);
        for (std::size_t r = 0; r < n; ++r, row_bit = _mm512_add_epi32(row_bit, row_bit)) {
            const __mmask16 ones = _mm512_test_epi32_mask(_mm512_set1_epi32(static_cast<int>(rows[r])), bits);
            words = _mm512_mask_or_epi32(words, ones, words, row_bit);
        }
        _mm512_store_si512(out.of, words);
    }
    [[gnu::target("avx512f")]] static void mask(const Lanes& words, std::uint32_t rows, Lanes& out) {
        _mm512_store_si512(out.of,
                           _mm512_and_si512(_mm512_load_si512(words.of), _mm512_set1_epi32(static_cast<int>(rows))));
    }
    static constexpr std::size_t kGroup = 4;
    template <std::size_t kMasks>
    [[gnu::target("avx512f,avx512vpopcntdq")]] static void count(const Lanes* columns, std::size_t n_words,
                                                                 std::size_t n_blocks, const std::uint32_t* mask,
                                                                 std::size_t n, std::uint32_t* const* out) {
        for (std::size_t b = 0; b < n_blocks; ++b) {
            __m512i sum[kMasks];
            for (__m512i& one : sum) one = _mm512_setzero_si512();
            for (std::size_t w = 0; w < n; ++w) {
                const __m512i words = _mm512_load_si512(columns[b * n_words + w].of);
                for (std::size_t g = 0; g < kMasks; ++g) {
                    const __m512i here = _mm512_set1_epi32(static_cast<int>(mask[w * kLanes + g]));
                    sum[g] = _mm512_add_epi32(sum[g], _mm512_popcnt_epi32(_mm512_and_si512(words, here)));
                }
            }
            for (std::size_t g = 0; g < kMasks; ++g) _mm512_storeu_si512(out[g] + b * kLanes, sum[g]);
        }
    }
};
#endif

}  // namespace treewright::binary
