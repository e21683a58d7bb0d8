// Stretches of a node's orders against the orders, for nodes of all rows and of some; and depth-two problems of many
// rows, solved by stretches, against the same rows with twice the weight, which other kernels solve.
#include "check.hpp"
#include "treewright/core/arena.hpp"
#include "treewright/kernels/class_pair_solver.hpp"
#include "treewright/kernels/row_stretches.hpp"
#include "treewright/objective/misclassification.hpp"
#include "treewright/space/orders.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

using namespace treewright;
using namespace treewright::ranked;

namespace {

std::shared_ptr<LabelledTable> make_table(std::uint32_t n, std::uint32_t seed, std::int32_t weight) {
    std::mt19937 random(seed);
    const auto table = std::make_shared<LabelledTable>();
    table->n_rows = n;
    table->n_columns = 3;
    table->n_classes = 2;
    for (const std::uint32_t most : {n, n / 9 + 2, 3u})  // all different, some equal, many equal
        for (std::uint32_t i = 0; i < n; ++i) table->rank.push_back(static_cast<std::uint32_t>(random() % most));
    for (std::uint32_t i = 0; i < n; ++i) {
        const bool likely = (table->rank[i] > n / 3) != (table->rank[n + i] > n / 20);
        table->label.push_back(static_cast<std::uint16_t>(random() % 5 == 0 ? !likely : likely));
        table->weight.push_back(random() % 8 == 0 ? 0 : weight);
    }
    table->cost = {0, 1, 1, 0};
    table->prepare();
    return table;
}

void check_stretches(const LabelledTable& table, const Node& node) {
    const std::vector<std::int8_t> sign(table.signed_weight.begin(), table.signed_weight.end());
    RowStretches stretches;
    for (int again = 0; again < 2; ++again) stretches.open(table, node, sign);
    const auto rows = stretches.rows();
    check(rows.size() == node.n && std::is_sorted(rows.begin(), rows.end()), "the rows of the node, ascending");
    for (std::size_t at = 0; at < node.columns.size(); ++at) {
        const auto& [stretch, start, n_stretches] = stretches.columns()[at];
        check(n_stretches <= stretches.most() && start[0] == 0 && start[n_stretches] == node.n,
              "stretches from the first row to the last");
        std::int32_t sum = 0, n_signed = 0;
        for (std::uint32_t s = 0; s < n_stretches; ++s) {
            check(start[s] < start[s + 1] && start[s + 1] - start[s] <= kStretchRows,
                  "stretches of some rows, not too many");
            check(stretches.before(at)[s].sum == sum && stretches.before(at)[s].n_signed == n_signed,
                  "signs before a stretch");
            for (std::uint32_t i = start[s]; i < start[s + 1]; ++i) {
                const std::uint32_t row = row_of(node.orders[at][i]);
                const auto place = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
                check(rows[static_cast<std::size_t>(place)] == row && stretch[place] == s, "the stretch of a row");
                sum += sign[row];
                n_signed += sign[row] != 0;
            }
        }
        check(stretches.before(at)[n_stretches].sum == sum && stretches.before(at)[n_stretches].n_signed == n_signed,
              "signs of all rows");
    }
}

struct Halves {
    Stack stack;
    Node root, left, right;
    Halves(const RankedObjective& objective, std::size_t at, std::uint32_t position) {
        std::vector<std::uint8_t> goes_left(objective.table().n_rows + OrderKernels::kPadding);
        make_root(objective, root);
        divide(objective, root, at, position, stack, goes_left, left, right);
    }
};

}  // namespace

int main() {
    for (const std::uint32_t n : {41u, 42u, 43u, 126u, 127u, 1000u, 5000u}) {
        const auto table = make_table(n, n, 1);
        const Misclassification objective(table, 4, 1);
        const Halves nodes(objective, 0, n / 3 + 1);
        for (const Node* node : {&nodes.root, &nodes.left, &nodes.right})
            if (node->n > 0) check_stretches(*table, *node);
    }
    constexpr std::uint32_t kRows = 70'000;
    constexpr Cost kUnit = 1024;
    const auto one = make_table(kRows, 1, 1), two = make_table(kRows, 1, 2);
    for (const Cost leaf : {Cost{1}, 300 * kUnit}) {
        const Misclassification by_stretches(one, 2 * kUnit, leaf), plain(two, kUnit, leaf);
        for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
            const Halves of_one(by_stretches, at, kRows / 20), of_two(plain, at, kRows / 20);
            Options options;
            Control control({});
            ClassPairSolver first(by_stretches, options, control), second(plain, options, control);
            const Node* const pairs[][2] = {
                {&of_one.root, &of_two.root}, {&of_one.right, &of_two.right}, {&of_one.left, &of_two.left}};
            for (const auto& [node, twice] : pairs) {
                check(RowStretches::suit(*one, *node, kRows * 48) == (node->n >= kFarRows), "which nodes are large");
                check(!RowStretches::suit(*one, *node, kRows * 48 - 1), "not beyond a quarter of the memory");
                for (const bool three_leaves : {false, true}) {
                    const Outcome found = first.solve(*node, three_leaves, kNoCost);
                    const Outcome expected = second.solve(*twice, three_leaves, kNoCost);
                    check(found.exact() && found.upper == expected.upper && found.lower == expected.lower,
                          "the same optimum as with twice the weight");
                }
            }
        }
    }
    std::puts("stretches are those of the orders, and passes over them find the same optima");
    return 0;
}
