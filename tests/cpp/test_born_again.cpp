// Born-again core under the sanitizers: every instruction set, every goal, trees checked on all cells.
#include "made_ensemble.hpp"
#include "treewright/bornagain/active.hpp"
#include "treewright/bornagain/exact.hpp"
#include "treewright/bornagain/hybrid.hpp"
#include "treewright/bornagain/kernel.hpp"
#include "treewright/core/cpu.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>

using namespace treewright;
using namespace treewright::bornagain;

namespace {

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

std::int32_t decide(const PlaneTree& tree, const std::vector<std::int32_t>& cell, std::size_t& at) {
    // Depth-first order: the left subtree follows its parent, the right one follows the left.
    const PlaneNode node = tree[at++];
    if (node.feature < 0) return node.label;
    const bool left = cell[static_cast<std::size_t>(node.feature)] <= node.plane;
    const std::int32_t first = decide(tree, cell, at);
    const std::int32_t second = decide(tree, cell, at);
    return left ? first : second;
}

template <class Visit>
void for_each_cell(const Ensemble& e, const Visit& visit) {
    std::vector<std::int32_t> cell(e.n_features(), 0);
    while (true) {
        visit(cell);
        std::size_t f = 0;
        while (f < cell.size() && ++cell[f] == e.n_cells[f]) cell[f++] = 0;
        if (f == cell.size()) return;
    }
}

void check_tree(const Ensemble& e, const PlaneTree& tree) {
    for_each_cell(e, [&](const auto& cell) {
        std::size_t at = 0;
        require(decide(tree, cell, at) == e.label(cell), "the tree decides like the ensemble");
        require(at == tree.size(), "the tree is whole");
    });
}

int depth_of(const PlaneTree& tree, std::size_t& at) {
    if (tree[at++].feature < 0) return 0;
    const int left = depth_of(tree, at);
    return 1 + std::max(left, depth_of(tree, at));
}

// Two slabs of a box that are nearly alike have as many splits as the box. Their sum passes 16 bits, and the wrapped
// one is no value of the box: the batch says so, and the table is filled again in 32 bits.
void sums_do_not_wrap() {
    using Value = Splits::Value;
    const std::size_t pitch = 16 / sizeof(Value);
    std::vector<Value> left(pitch + 32, 0), right(left), labels(left), other(pitch + 32, 1);
    const std::vector<Value> deep{31000, 31000, 31001}, flat{2000, 2000, 2001};
    std::copy(deep.begin(), deep.end(), left.begin());
    std::copy(flat.begin(), flat.end(), right.begin());
    const std::vector<std::uint32_t> first{0, 0, 0, 1};  // the third inner box has one split, into the other two
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> halves{{0, 1}};
    const std::size_t lanes = batch_lanes<Splits>();
    std::vector<Value> rows(lanes * pitch + 32, 0), scratch(rows);
    Batch<Splits> batch;
    batch.jobs.push_back({0, 1, labels.data(), other.data()});
    batch.pairs.emplace_back(left.data(), right.data());
    batch.rows = rows.data();
    batch.scratch = scratch.data();
    batch.n_inner = 3;
    batch.pitch = pitch;
    batch.split_first = first.data();
    batch.split_pairs = halves.data();
    run_batch(batch);
    require(batch.overflow || rows[2] == 31001 + 2001 + 1, "a wrapped sum of splits is told");
}

}  // namespace

int main() {
    for (const Simd level : {Simd::plain, Simd::avx2, Simd::avx512}) {
        set_simd_limit(level);
        sums_do_not_wrap();
    }
    set_simd_limit(Simd::avx512);
    std::mt19937 random(7);
    for (int round = 0; round < 12; ++round) {
        const Ensemble e = random_ensemble(random, 3 + round % 4, 3 + round, 2 + round % 2);
        std::int64_t leaves = -1, within = -1;
        int depth = -1;
        for (const Simd limit : {Simd::plain, Simd::avx2, Simd::avx512}) {
            set_simd_limit(limit);
            Control control({});
            const Grid grid = make_grid(e, e.whole(), control);
            const Exact by_depth = solve_exact(grid, Goal::depth, 1, control);
            const Exact by_leaves = solve_exact(grid, Goal::leaves, 1, control);
            const Exact by_both = solve_exact(grid, Goal::depth_leaves, 1, control);
            for (const Exact* result : {&by_depth, &by_leaves, &by_both}) {
                require(result->solved, "solved");
                check_tree(e, result->tree);
            }
            std::size_t at = 0;
            const int least = depth_of(by_depth.tree, at);
            at = 0;
            require(depth_of(by_both.tree, at) == least, "depth-leaves has the least depth");
            require(depth < 0 || (depth == least && leaves == by_leaves.leaves_bound && within == by_both.leaves_bound),
                    "all instruction sets agree");
            depth = least;
            leaves = by_leaves.leaves_bound;
            within = by_both.leaves_bound;
            require(leaves <= within && leaves == static_cast<std::int64_t>(by_leaves.tree.size() + 1) / 2,
                    "the bound on leaves is reached");
        }
        for (const double boxes : {0.0, 50.0, 1e9}) {
            Control control({});
            HybridOptions options;
            options.exact_boxes = boxes;
            options.grid_cells = round % 2 == 0 ? 3e5 : 20.0;
            options.samples = 50;
            const HybridResult result = Hybrid(e, options, control).build();
            require(result.complete && result.leaves >= leaves && result.leaves_bound <= leaves, "hybrid");
            check_tree(e, result.tree);
        }
        std::vector<std::vector<std::int32_t>> cells;
        for_each_cell(e, [&](const auto& cell) {
            if (random() % 7 == 0) cells.push_back(cell);
        });
        if (cells.empty() || cells.size() > 90) continue;
        Control control({1e9, 20000, 1u << 28});
        const ActiveResult active = Active(e, cells, control).run();
        if (active.tree.empty()) continue;
        require(active.leaves_bound <= active.leaves && active.leaves_bound <= leaves, "active bounds");
        for (const auto& cell : cells) {
            std::size_t at = 0;
            require(decide(active.tree, cell, at) == e.label(cell), "the pruned tree keeps the data");
        }
    }
    std::puts("born again: ok");
    return 0;
}
