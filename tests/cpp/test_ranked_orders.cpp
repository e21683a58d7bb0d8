// Partition and group starts of every level against their definition, with ties and sides of any size.
#include "treewright/space/orders.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

using namespace treewright;
using namespace treewright::ranked;

namespace {

// Entries of rows of ascending rank: row * 2 + whether the rank is new.
std::vector<std::uint32_t> entries_of(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& rank) {
    std::vector<std::uint32_t> entries;
    for (std::size_t i = 0; i < rows.size(); ++i)
        entries.push_back(rows[i] * 2 + (i == 0 || rank[rows[i]] != rank[rows[i - 1]] ? 1u : 0u));
    return entries;
}

void compare(std::mt19937& random, const OrderKernels& kernels, std::size_t n, std::uint32_t step, unsigned share) {
    constexpr std::size_t kPadding = OrderKernels::kPadding;
    std::vector<std::uint32_t> rows(n), rank(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<std::uint32_t>(i);
    std::shuffle(rows.begin(), rows.end(), random);
    for (std::size_t i = 1; i < n; ++i) rank[rows[i]] = rank[rows[i - 1]] + (random() % step == 0 ? 1 : 0);
    const std::vector<std::uint32_t> order = entries_of(rows, rank);
    std::vector<std::uint8_t> goes_left(n + kPadding);
    std::vector<std::uint32_t> side[2];  // right, left
    for (std::size_t i = 0; i < n; ++i) goes_left[i] = random() % 8 < share ? 1 : 0;
    for (const std::uint32_t row : rows) side[goes_left[row]].push_back(row);

    std::vector<std::uint32_t> left(side[1].size() + kPadding), right(side[0].size() + kPadding);
    kernels.partition(order.data(), n, goes_left.data(), left.data(), right.data());
    left.resize(side[1].size());
    right.resize(side[0].size());
    check(left == entries_of(side[1], rank), "left side");
    check(right == entries_of(side[0], rank), "right side");

    std::vector<std::uint32_t> starts, found(n + kPadding);
    for (std::size_t i = 1; i < n; ++i)
        if ((order[i] & 1u) != 0) starts.push_back(static_cast<std::uint32_t>(i));
    found.resize(kernels.group_starts(order.data(), n, found.data()));
    check(found == starts, "group starts");
}

}  // namespace

int main() {
    std::mt19937 random(11);
    for (const Simd level : {Simd::plain, Simd::avx2, Simd::avx512}) {
        if (level > detected_simd()) continue;
        for (std::size_t n = 1; n < 200; ++n)
            for (const std::uint32_t step : {1u, 3u, 20u})
                for (const unsigned share : {0u, 1u, 4u, 8u}) compare(random, order_kernels(level), n, step, share);
        std::printf("level %d: partition and group starts as defined\n", static_cast<int>(level));
    }
    return 0;
}
