// Depth-two kernels for any processor, and the choice.
#include "treewright/leaf_accuracy/pair_sweep.hpp"
#include "treewright/leaf_accuracy/pair_table.hpp"

#include "treewright/leaf_accuracy/pair_table_impl.hpp"

namespace treewright::leaf_accuracy {

namespace {

struct PlainBits {
    using V = Lanes<std::uint64_t, 16>::Vector;
    static V popcount(V x) {  // sums of neighbouring bits, pairs, quads; then of the eight bytes
        const V two = x - ((x >> 1) & 0x5555555555555555u);
        const V four = (two & 0x3333333333333333u) + ((two >> 2) & 0x3333333333333333u);
        const V eight = (four + (four >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        V all = eight + (eight >> 8);
        all += all >> 16;
        all += all >> 32;
        return all & 0x7fu;
    }
    static void compare(const std::uint8_t* codes, std::size_t n_words, std::uint8_t least, std::uint64_t* words) {
        for (std::size_t w = 0; w < n_words; ++w) {
            std::uint64_t word = 0;
            for (std::size_t k = 0; k < 64; ++k) word |= std::uint64_t{codes[w * 64 + k] >= least} << k;
            words[w] = word;
        }
    }
};

}  // namespace

const PairTableKernels& pair_table_kernels_plain() { return kernels<16, PlainBits>(); }

const PairTableKernels& pair_table_kernels(Simd level) {
    return kernels_for(level, pair_table_kernels_plain, pair_table_kernels_avx2, pair_table_kernels_avx512);
}

}  // namespace treewright::leaf_accuracy
