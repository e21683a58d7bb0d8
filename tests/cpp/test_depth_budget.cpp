// Fewest leaves within the least depth against a recursion over boxes, on labels for which trees of the fewest leaves
// would be too deep.
#include "check.hpp"
#include "made_ensemble.hpp"
#include "treewright/bornagain/depth_budget.hpp"
#include "treewright/bornagain/exact.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

using namespace treewright;
using namespace treewright::bornagain;

namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 4;

// The fewest splits of a faithful tree of a box within a depth, tried out.
class Plain {
   public:
    explicit Plain(const Ensemble& e) : e_(e) {}

    std::int64_t fewest(const Box& box, int depth) {
        if (is_homogeneous(box)) return 0;
        if (depth == 0) return kNone;
        const auto [known, fresh] = of_.try_emplace({box.lo, box.hi, depth}, kNone);
        if (!fresh) return known->second;
        std::int64_t best = kNone;
        Box part = box;
        for (std::size_t f = 0; f < box.lo.size(); ++f) {
            for (std::int32_t plane = box.lo[f]; plane < box.hi[f]; ++plane) {
                part.hi[f] = plane;
                const std::int64_t left = fewest(part, depth - 1);
                part.hi[f] = box.hi[f];
                part.lo[f] = plane + 1;
                if (left < best) best = std::min(best, 1 + left + fewest(part, depth - 1));
                part.lo[f] = box.lo[f];
            }
        }
        return of_[{box.lo, box.hi, depth}] = best;
    }

   private:
    bool is_homogeneous(const Box& box) {
        std::vector<std::int32_t> cell = box.lo;
        const std::uint8_t label = e_.label(cell);
        while (true) {
            if (e_.label(cell) != label) return false;
            std::size_t f = 0;
            while (f < cell.size() && ++cell[f] > box.hi[f]) {
                cell[f] = box.lo[f];
                ++f;
            }
            if (f == cell.size()) return true;
        }
    }

    const Ensemble& e_;
    std::map<std::tuple<std::vector<std::int32_t>, std::vector<std::int32_t>, int>, std::int64_t> of_;
};

// One object asked for one depth after the other: what it keeps of one says nothing false of another.
void many_budgets(const Grid& grid, const Box& whole, Plain& plain, int depth) {
    Control control({});
    const Layout layout(grid, control);
    Table<Depth> depths(layout, 1);
    Table<SplitsDepth> splits(layout, 1, depths.bytes());
    check(depths.fill(control) && splits.fill(control), "tables without a limit");
    DepthBudget<SplitsDepth> search(layout, depths, splits, control);
    for (const int more : {0, 1, 2, 3, 1, 0, -1}) {
        Cursor box = Cursor::whole(layout);
        const std::int64_t expected = plain.fewest(whole, depth + more);
        const std::int64_t found = search.fewest(box, depth + more, DepthBudget<SplitsDepth>::kInfeasible);
        check(expected >= kNone ? found >= DepthBudget<SplitsDepth>::kInfeasible : found == expected, "any depth");
    }
}

}  // namespace

int main() {
    std::mt19937 random(5);
    int searched = 0, dearer = 0;
    for (int round = 0; round < 40; ++round) {
        const Ensemble e = random_ensemble(random, 3, 7 + round % 7, 2 + round % 2);
        Control control({});
        const Grid grid = make_grid(e, e.whole(), control);
        const Exact found = solve_exact(grid, Goal::depth_leaves, 1, control);
        Plain plain(e);
        int depth = 0;
        while (plain.fewest(e.whole(), depth) >= kNone) ++depth;
        const std::int64_t splits = plain.fewest(e.whole(), depth);
        check(found.solved && found.depth_bound == depth, "the least depth");
        check(found.leaves_bound == splits + 1, "the fewest leaves within it");
        check(static_cast<std::int64_t>(found.tree.size()) == 2 * splits + 1, "a tree of so many");
        if (!grid.n.empty()) many_budgets(grid, e.whole(), plain, depth);
        searched += found.states > 0 ? 1 : 0;
        dearer += plain.fewest(e.whole(), 20) < splits ? 1 : 0;
    }
    check(searched > 5 && dearer > 3, "trees of the fewest leaves that are too deep");
    std::puts("depth budget: ok");
}
