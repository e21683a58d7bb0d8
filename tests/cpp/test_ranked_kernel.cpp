// The depth-two kernels of every level against a plain double loop, with ties, weights and minimum leaf sizes; and with
// rows in the order of their labels, which stretches of ties then keep.
#include "treewright/space/ranked_node.hpp"
#include "treewright/kernels/pair_kernel.hpp"
#include "treewright/kernels/row_stretches.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using namespace treewright;
using namespace treewright::ranked;

namespace {

struct Case {
    LabelledTable data;
    std::vector<std::vector<std::uint8_t>> on_left;  // [lane][row]
    std::vector<std::uint32_t> left_rows;            // [lane]
    std::vector<std::uint64_t> left_lanes;           // [row]
    std::vector<std::int8_t> sign;
    std::vector<std::uint64_t> lookup;
    std::vector<std::uint8_t> place;
};

Case make_case(std::mt19937& random, std::uint32_t n, std::uint32_t n_classes, bool unit, std::uint32_t min_leaf,
               std::uint32_t n_lanes, bool sorted = false) {
    const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
    Case c;
    LabelledTable& d = c.data;
    d.n_rows = n;
    d.n_columns = 3;
    d.n_classes = n_classes;
    d.min_leaf = min_leaf;
    const std::uint32_t ranks[] = {n, std::max(2u, n / 3), 4};
    for (const std::uint32_t most : ranks)
        for (std::uint32_t i = 0; i < n; ++i)
            d.rank.push_back(sorted && most < n ? static_cast<std::uint32_t>(i + 3 >= n) : below(most));
    for (std::uint32_t i = 0; i < n; ++i) {
        d.label.push_back(static_cast<std::uint16_t>(sorted ? i * n_classes / n : below(n_classes)));
        d.weight.push_back(unit ? static_cast<std::int32_t>(below(8) > 0) : static_cast<std::int32_t>(below(6)));
    }
    for (std::uint32_t y = 0; y < n_classes; ++y)
        for (std::uint32_t k = 0; k < n_classes; ++k) d.cost.push_back(y == k ? 0 : unit ? 1 : 1 + static_cast<int>(y));
    d.prepare();
    c.left_lanes.assign(n, n_lanes < kMaxLanes ? ~std::uint64_t{0} << n_lanes : 0);
    for (std::uint32_t k = 0; k < n_lanes; ++k) {  // splits of all columns by turns
        const std::uint32_t* order = &d.order[std::size_t{k % d.n_columns} * n];
        c.left_rows.push_back((k + 1) * n / (n_lanes + 1));
        c.on_left.emplace_back(n, std::uint8_t{0});
        for (std::uint32_t i = 0; i < c.left_rows[k]; ++i) {
            c.on_left[k][row_of(order[i])] = 1;
            c.left_lanes[row_of(order[i])] |= std::uint64_t{1} << k;
        }
    }
    for (std::uint32_t row = 0; row < n; ++row) {
        c.sign.push_back(static_cast<std::int8_t>(n_classes == 2 ? d.signed_weight[row] : 0));
        // The general form: gains by label.
        c.lookup.push_back(static_cast<std::uint64_t>(d.weight[row]) << 32 | d.label[row]);
        c.place.push_back(static_cast<std::uint8_t>(d.weight[row] == 0 ? kMaxUnitClasses : d.label[row]));
    }
    return c;
}

// Least loss of splitting one side, by definition.
std::int64_t slow_split(const LabelledTable& d, const std::vector<std::uint32_t>& rows) {
    std::vector<std::int64_t> total(d.n_classes, 0);
    for (const std::uint32_t row : rows)
        for (std::uint32_t k = 0; k < d.n_classes; ++k)
            total[k] += std::int64_t{d.weight[row]} * d.cost[d.label[row] * d.n_classes + k];
    std::int64_t best = *std::min_element(total.begin(), total.end());
    for (std::uint32_t c = 0; c < d.n_columns; ++c)
        for (const std::uint32_t at : rows) {
            std::vector<std::int64_t> left(d.n_classes, 0);
            std::size_t n_left = 0;
            for (const std::uint32_t row : rows) {
                if (d.rank_of(c, row) > d.rank_of(c, at)) continue;
                ++n_left;
                for (std::uint32_t k = 0; k < d.n_classes; ++k)
                    left[k] += std::int64_t{d.weight[row]} * d.cost[d.label[row] * d.n_classes + k];
            }
            if (n_left < d.min_leaf || rows.size() - n_left < d.min_leaf) continue;
            std::int64_t right = total[0] - left[0];
            for (std::uint32_t k = 1; k < d.n_classes; ++k) right = std::min(right, total[k] - left[k]);
            best = std::min(best, *std::min_element(left.begin(), left.end()) + right);
        }
    return best;
}

struct alignas(64) Register {
    std::byte bytes[64];
};

void check(std::int64_t got, std::int64_t expected, const char* what) {
    if (got == expected) return;
    std::fprintf(stderr, "%s: got %lld, expected %lld\n", what, static_cast<long long>(got),
                 static_cast<long long>(expected));
    std::exit(1);
}

void run(Case& c, PairKernel kernel, std::uint32_t lanes, const char* name, std::int32_t min_gain = 0,
         PairKernel same_as = nullptr) {
    LabelledTable& d = c.data;
    std::vector<const std::uint32_t*> orders;
    for (std::size_t j = 0; j < d.n_columns; ++j) orders.push_back(&d.order[j * d.n_rows]);
    std::vector<std::uint32_t> classes(d.n_classes);
    for (std::uint32_t k = 0; k < d.n_classes; ++k) classes[k] = k;
    std::vector<std::int32_t> gain[2];
    gain[0].assign(d.n_classes * kMaxLanes, 0);
    gain[1] = gain[0];
    std::vector<std::vector<std::uint32_t>> sides[2];
    for (std::uint32_t k = 0; k < lanes; ++k) {
        sides[0].emplace_back();
        sides[1].emplace_back();
        for (std::uint32_t row = 0; row < d.n_rows; ++row) {
            const int side = c.on_left[k][row] != 0 ? 0 : 1;
            sides[side][k].push_back(row);
            for (std::uint32_t a = 0; a < d.n_classes; ++a)
                gain[side][a * kMaxLanes + k] += d.weight[row] * d.gain[d.label[row] * d.n_classes + a];
        }
    }
    PairTask task;
    task.n = d.n_rows;
    task.orders = orders;
    task.left_lanes = c.left_lanes.data();
    task.sign = c.sign.data();
    task.data = &d;
    task.min_leaf = d.min_leaf;
    task.n_lanes = lanes;
    task.left_rows = c.left_rows.data();
    task.n_classes = d.n_classes;
    task.classes = classes.data();
    task.lookup = c.lookup.data();
    task.place = c.place.data();
    task.min_gain = min_gain;
    task.gain = d.gain.data();
    task.left_gain = gain[0].data();
    task.right_gain = gain[1].data();
    RowStretches stretches;
    std::vector<Register> stretch_sums;
    if (std::all_of(c.sign.begin(), c.sign.end(), [](std::int8_t sign) { return -1 <= sign && sign <= 1; })) {
        Node node;
        node.n = d.n_rows;
        node.columns = {0, 1, 2};
        node.orders = orders;
        stretches.open(d, node, c.sign);
        stretch_sums.resize(kStretchedTogether * stretches.most());
        task.rows = stretches.rows().data();
        task.stretched_columns = stretches.columns();
        task.most_stretches = stretches.most();
        task.stretch_sums = stretch_sums.data();
    }
    kernel(task);
    if (same_as != nullptr) {  // where the slow loop is too slow
        PairTask other = task;
        same_as(other);
        for (std::uint32_t k = 0; k < lanes; ++k) {
            check(task.best_left[k], other.best_left[k], name);
            check(task.best_right[k], other.best_right[k], name);
        }
        return;
    }
    for (std::uint32_t k = 0; k < lanes; ++k)
        for (int side = 0; side < 2; ++side) {
            std::int64_t span = 0;
            for (const std::uint32_t row : sides[side][k]) span += d.span[row];
            std::int64_t leaf = span;
            for (std::uint32_t a = 0; a < d.n_classes; ++a) leaf = std::min(leaf, span - gain[side][a * kMaxLanes + k]);
            const std::int64_t loss = span - (side == 0 ? task.best_left[k] : task.best_right[k]);
            const std::int64_t best = slow_split(d, sides[side][k]);
            if (leaf - best > min_gain)
                check(loss, best, name);
            else  // no better than the leaf
                check(std::min(loss, leaf - min_gain), leaf - min_gain, name);
        }
}

}  // namespace

int main() {
    std::mt19937 random(7);
    for (const Simd level : {Simd::plain, Simd::avx2, Simd::avx512}) {
        if (level > detected_simd()) {
            std::printf("level %d: not on this processor\n", static_cast<int>(level));
            continue;
        }
        const PairKernels& kernels = pair_kernels(level);
        for (const std::uint32_t n : {5u, 40u, 126u, 127u, 300u, 4200u}) {
            if (n > 300 && level != detected_simd()) continue;  // the slow loop is slow
            const std::int32_t min_gain = n % 2 == 0 ? 0 : static_cast<std::int32_t>(random() % 4);
            Case unit = make_case(random, n, 2, true, 1, std::min(kernels.unit_lanes, n > 300 ? 1u : 63u));
            run(unit, kernels.unit16, static_cast<std::uint32_t>(unit.left_rows.size()), "unit16", min_gain);
            run(unit, kernels.unit32, static_cast<std::uint32_t>(unit.left_rows.size()), "unit32", min_gain);
            run(unit, kernels.unit_stretches, static_cast<std::uint32_t>(unit.left_rows.size()), "stretches", min_gain);
            if (n > 300) continue;
            for (const std::uint32_t n_classes : {3u, 7u, 16u}) {
                Case units = make_case(random, n, n_classes, true, 1, kernels.unit_lanes);
                run(units, kernels.unit_classes16, kernels.unit_lanes, "unit_classes16", min_gain);
                run(units, kernels.unit_classes32, kernels.unit_lanes, "unit_classes32", min_gain);
            }
            for (const std::uint32_t min_leaf : {1u, 3u}) {
                if (n < 40 && min_leaf > 1) continue;
                Case two = make_case(random, n, 2, false, min_leaf, kernels.lanes32);
                run(two, kernels.signed16, kernels.lanes32, "signed16");
                run(two, kernels.signed32, kernels.lanes32, "signed32");
                Case many = make_case(random, n, 5, false, min_leaf, kernels.lanes32);
                run(many, kernels.classes16, kernels.lanes32, "classes16");
                run(many, kernels.classes32, kernels.lanes32, "classes32");
            }
        }
        // Several groups of stretches.
        Case large = make_case(random, 6000, 2, true, 1, kernels.unit_lanes);
        run(large, kernels.unit_stretches, kernels.unit_lanes, "groups of stretches", 3, kernels.unit32);
        // Stretches of ties as long as several chunks of the kernels: inside is no split, whatever the sums there say.
        for (const std::uint32_t n_classes : {2u, 3u, 5u}) {
            constexpr std::uint32_t kRows = 600, kLanes = 3;
            Case unit = make_case(random, kRows, n_classes, true, 1, kLanes, true);
            Case any = make_case(random, kRows, n_classes, false, 1, kLanes, true);
            if (n_classes == 2) {
                run(unit, kernels.unit16, kLanes, "unit16, sorted");
                run(unit, kernels.unit32, kLanes, "unit32, sorted");
                run(unit, kernels.unit_stretches, kLanes, "stretches, sorted");
                run(any, kernels.signed16, kLanes, "signed16, sorted");
                run(any, kernels.signed32, kLanes, "signed32, sorted");
            } else {
                run(unit, kernels.unit_classes16, kLanes, "unit_classes16, sorted");
                run(unit, kernels.unit_classes32, kLanes, "unit_classes32, sorted");
                run(any, kernels.classes16, kLanes, "classes16, sorted");
                run(any, kernels.classes32, kLanes, "classes32, sorted");
            }
        }
        std::printf("level %d: kernels equal the slow loop\n", static_cast<int>(level));
    }
    return 0;
}
