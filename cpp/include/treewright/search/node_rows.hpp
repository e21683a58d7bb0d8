// Which rows are in each node of a near-optimal set's graph, without holding them all: a child has its parent's rows on
// one side, whatever the parent, so rows pass down the graph some at a time.
#pragma once

#include "treewright/search/near_optimal.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

// Calls use(node, row) for every row of every node. `ones` has a bit a row and column, (n_rows + 63) / 64 words a
// column of the graph: the rows on the side of the edges' second child. False if `stop()`, asked now and then, was
// true.
template <class Use, class Ask>
bool each_row_of_each_node(const NearOptimalGraph& graph, std::span<const std::uint64_t> ones, std::size_t n_rows,
                           const Use& use, const Ask& stop) {
    constexpr std::size_t kWords = 8;  // rows at once / 64
    const std::size_t stride = (n_rows + 63) / 64;
    std::vector<std::uint64_t> held(graph.nodes.size() * kWords);
    std::vector<std::uint8_t> known(graph.nodes.size());
    for (std::size_t first = 0; first < stride; first += kWords) {
        const std::size_t n = std::min(kWords, stride - first);
        std::fill(known.begin(), known.end(), 0);
        std::fill_n(held.begin(), n, ~std::uint64_t{0});
        if (const std::size_t last = n_rows - 64 * (stride - 1); first + n == stride && last < 64)
            held[n - 1] = (std::uint64_t{1} << last) - 1;
        known[0] = 1;
        for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
            if (node % 4096 == 0 && stop()) return false;
            if (known[node] == 0) continue;  // no tree comes here
            const std::uint64_t* here = held.data() + node * kWords;
            std::uint64_t some = 0;
            for (std::size_t w = 0; w < n; ++w) some |= here[w];
            for (const SetEdge& edge : graph.edges_of(node)) {
                const std::uint64_t* column = ones.data() + static_cast<std::size_t>(edge.column) * stride + first;
                for (int side : {0, 1}) {
                    const std::size_t child = edge.child[side];
                    if (known[child] != 0) continue;
                    known[child] = 1;
                    for (std::size_t w = 0; w < n; ++w)
                        held[child * kWords + w] = here[w] & (side == 1 ? column[w] : ~column[w]);
                }
            }
            if (some == 0) continue;
            for (std::size_t w = 0; w < n; ++w)
                for (std::uint64_t left = here[w]; left != 0; left &= left - 1)
                    use(node, 64 * (first + w) + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }
    return true;
}

}  // namespace treewright::binary
