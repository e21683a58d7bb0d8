// Fewest leaves within the least depth against a recursion over boxes, on labels for which one tree of the fewest leaves
// would be too deep.
#include "check.hpp"
#include "made_ensemble.hpp"
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

}  // namespace

int main() {
    std::mt19937 random(5);
    int searched = 0, dearer = 0;
    for (int round = 0; round < 60; ++round) {
        const Ensemble e = random_ensemble(random, 3, 5 + round % 5, 2 + round % 2);
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
        searched += found.states > 0 ? 1 : 0;
        dearer += plain.fewest(e.whole(), 20) < splits ? 1 : 0;
    }
    check(searched > 5 && dearer > 3, "trees of the fewest leaves that are too deep");
    std::puts("depth budget: ok");
}
