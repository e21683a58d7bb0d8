// Pair matrices and child costs: every kernel and instruction set equals plain loops over rows.
#include "check.hpp"
#include "made_input.hpp"
#include "treewright/kernels/pair_matrix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <vector>

using namespace treewright;
using namespace treewright::binary;

namespace {

constexpr std::array kLevels{Simd::plain, Simd::avx2, Simd::avx512};
constexpr std::array kKernels{PairKernel::automatic, PairKernel::rows, PairKernel::columns};

template <class Acc>
void run(Dice& dice, std::size_t n_columns, std::size_t n_rows, std::size_t n_classes, bool counted,
         std::int64_t scale) {
    const MadeInput in(dice, n_columns, n_rows, n_classes, scale);
    const Dataset data = reduce(in.view(counted, true));
    const std::size_t channels = n_classes + (counted ? 1 : 0);
    Rows<Acc> rows;
    rows.n_columns = data.n_columns;
    rows.n_words = data.n_words;
    rows.n_classes = n_classes;
    rows.n_channels = channels;
    rows.bits = data.bits;
    rows.mean_square_ones = dice.coin() ? 1 : 1e6;  // either choice of the automatic kernel
    rows.mean_cost_digits = 4;
    for (std::size_t r = 0; r < data.n_rows; ++r)
        for (std::size_t k = 0; k < channels; ++k)
            rows.cost.push_back(static_cast<Acc>(k < n_classes ? data.cost[r * n_classes + k] : data.count[r]));

    for (const Acc c : rows.cost)
        rows.n_digits = std::max(rows.n_digits, static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(c))));

    std::vector<std::uint32_t> chosen;
    for (std::uint32_t r = 0; r < data.n_rows; ++r)
        if (dice.below(4) > 0) chosen.push_back(r);
    std::vector<std::int32_t> columns;
    std::vector<std::uint64_t> mask(data.n_words, 0);
    for (std::size_t j = 0; j < data.n_columns; ++j)
        if (dice.below(5) > 0) {
            columns.push_back(static_cast<std::int32_t>(j));
            mask[j / 64] |= std::uint64_t{1} << (j % 64);
        }
    const std::size_t m = columns.size();
    if (m == 0) return;
    const Active active{columns, mask};
    std::vector<Acc> total(channels, 0);
    for (const std::uint32_t r : chosen)
        for (std::size_t k = 0; k < channels; ++k) total[k] += rows.cost[r * channels + k];

    // The slow twin.
    const auto has = [&](std::uint32_t r, std::size_t i) { return data.bit(r, static_cast<std::size_t>(columns[i])); };
    const auto sum = [&](std::size_t k, auto&& keep) {
        Acc s = 0;
        for (const std::uint32_t r : chosen)
            if (keep(r)) s += rows.cost[r * channels + k];
        return s;
    };
    const auto leaf = [&](auto&& keep) {
        if (counted && sum(n_classes, keep) < Acc{3}) return kInfeasible<Acc>;
        Acc best = sum(0, keep);
        for (std::size_t k = 1; k < n_classes; ++k) best = std::min(best, sum(k, keep));
        return best;
    };

    const std::size_t stride = Pairs<Acc>::stride_of(m);
    for (const Simd level : kLevels) {
        if (level > detected_simd()) continue;
        for (const PairKernel kernel : kKernels) {
            std::vector<Acc> memory(channels * m * stride + 16, Acc{-7});
            auto* aligned = reinterpret_cast<Acc*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
            Pairs<Acc> pairs{aligned, m, stride, channels};
            if (aligned + pairs.entries() > memory.data() + memory.size()) {
                memory.resize(memory.size() + 64);
                aligned = reinterpret_cast<Acc*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
                pairs.data = aligned;
            }
            PairScratch scratch;
            const auto check_pairs = [&](auto&& keep) {
                for (std::size_t k = 0; k < channels; ++k)
                    for (std::size_t i = 0; i < m; ++i) {
                        for (std::size_t j = 0; j < m; ++j) {
                            const Acc expected =
                                sum(k, [&](std::uint32_t r) { return keep(r) && has(r, i) && has(r, j); });
                            check(pairs.at(k, i, j) == expected, "a pair's cost is the sum over its rows");
                            check(j < pairs.first(i) || pairs.row(k, i)[j] == expected, "a row begins with its block");
                        }
                        for (std::size_t j = m; j < stride; ++j) check(pairs.row(k, i)[j] == 0, "and ends in zeros");
                    }
            };
            BitColumns bits;
            lay(level, rows, chosen, active, bits);
            const std::size_t where = dice.below(m);
            count_pairs_where(level, bits, where, pairs, scratch);
            check_pairs([&](std::uint32_t r) { return has(r, where); });
            count_pairs(level, kernel, rows, chosen, active, pairs, scratch);
            check_pairs([](std::uint32_t) { return true; });

            std::array<std::vector<Acc>, 4> out;
            for (auto& o : out) o.assign(stride, 0);
            const ChildCosts<Acc> costs{{out[0].data(), out[1].data()}, {out[2].data(), out[3].data()}};
            std::vector<Acc> scan_scratch;
            scan_children(level, pairs, {}, n_classes, total.data(), Acc{3}, costs, scan_scratch);
            for (std::size_t i = 0; i < m; ++i)
                for (const int side : {0, 1}) {
                    const auto here = [&](std::uint32_t r) { return has(r, i) == (side == 1); };
                    check(costs.leaf[side][i] >= kInfeasible<Acc> ? leaf(here) >= kInfeasible<Acc>
                                                                  : costs.leaf[side][i] == leaf(here),
                          "the cost of a child as a leaf");
                    Acc two = kInfeasible<Acc>;
                    for (std::size_t j = 0; j < m; ++j) {
                        const Acc a = leaf([&](std::uint32_t r) { return here(r) && !has(r, j); });
                        const Acc b = leaf([&](std::uint32_t r) { return here(r) && has(r, j); });
                        if (a < kInfeasible<Acc> && b < kInfeasible<Acc>) two = std::min<Acc>(two, a + b);
                    }
                    // Two leaves of which one is empty cost what one leaf costs: left in or out, it is the same.
                    const Acc one = std::min(leaf(here), kInfeasible<Acc>);
                    check(std::min(one, costs.two[side][i]) == std::min(one, two),
                          "the cost of a child as its best one or two leaves");
                }

            // parent - one child = other child
            std::vector<std::uint32_t> half(chosen.begin(),
                                            chosen.begin() + static_cast<std::ptrdiff_t>(chosen.size() / 2));
            std::vector<Acc> other_memory(pairs.entries() + 16), rest_memory(pairs.entries() + 16);
            const auto align = [](std::vector<Acc>& v) {
                return reinterpret_cast<Acc*>((reinterpret_cast<std::uintptr_t>(v.data()) + 63) / 64 * 64);
            };
            other_memory.resize(pairs.entries() + 64);
            rest_memory.resize(pairs.entries() + 64);
            Pairs<Acc> other{align(other_memory), m, stride, channels};
            Pairs<Acc> rest{align(rest_memory), m, stride, channels};
            count_pairs(level, kernel, rows, half, active, other, scratch);
            subtract(level, pairs, other, rest);
            for (std::size_t k = 0; k < channels; ++k)
                for (std::size_t i = 0; i < m; ++i)
                    for (std::size_t j = i; j < m; ++j)
                        check(rest.at(k, i, j) == pairs.at(k, i, j) - other.at(k, i, j), "subtraction");

            if (!scans_differences(n_classes, channels)) continue;
            std::array<std::vector<Acc>, 4> unwritten = out;
            const ChildCosts<Acc> same{{unwritten[0].data(), unwritten[1].data()},
                                       {unwritten[2].data(), unwritten[3].data()}};
            std::vector<Acc> left = total;
            for (const std::uint32_t r : half)
                for (std::size_t k = 0; k < channels; ++k) left[k] -= rows.cost[r * channels + k];
            scan_children(level, rest, {}, n_classes, left.data(), Acc{3}, costs, scan_scratch);
            scan_children(level, pairs, other, n_classes, left.data(), Acc{3}, same, scan_scratch);
            check(out == unwritten, "a difference is scanned as it is when it is written down");
        }
    }
}

}  // namespace

int main() {
    Dice dice(4);
    for (int trial = 0; trial < 36; ++trial) {
        const std::size_t columns = trial % 12 == 0 ? 60 + dice.below(20) : 2 + dice.below(20);
        const std::size_t rows = trial % 12 == 0 ? 40 : 1 + dice.below(180);
        const std::size_t classes = 2 + dice.below(3);
        const bool counted = dice.coin();
        run<std::int32_t>(dice, columns, rows, classes, counted, 1);
        run<std::int64_t>(dice, columns, rows, classes, counted, std::int64_t{1} << 33);
    }
    std::puts("kernels: ok");
}
