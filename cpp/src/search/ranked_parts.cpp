// The root above depth two on parts of the rows, one after another: bounds that add up (row_parts.hpp).
#include "treewright/bounds/row_parts.hpp"
#include "treewright/search/ranked_search.hpp"

#include <algorithm>

namespace treewright::ranked {

// Each part is searched from the best tree of all rows, which is a good one for any part. The first part's own best
// tree is a candidate for all. If the first part takes too long, so will the others.
void Search::prove_on_parts(const Node& root, Size size, Outcome& found) {
    const RowParts parts(objective_, options_.part_rows);
    const Cost excess = parts.excess(), leaves = size.max_leaves(table_.n_rows);
    if (excess > kNoCost / leaves) return;
    const std::vector<TreeNode> best = write(found.plan);
    Options options = options_for_few_rows();
    options.rising = false;
    Cost sum = -excess * leaves;
    for (std::size_t part = 0; part < parts.count() && !control_.stopped(); ++part) {
        const std::unique_ptr<RankedObjective> objective = parts.objective(part);
        Search search(*objective, options, control_, bytes_ / 8);
        search.beside_ = beside_ + bytes();
        search.on_better_ = [](PartialTree) {};  // a better tree of the part need not be one of all rows
        Node few;
        make_root(*objective, few);
        control_.pause_after(options_.plain_work / std::max<std::int64_t>(pass_work(few), 1));
        search.root_ = search.solve(few, {size.depth - 1, size.leaves}, kNoCost, 1);
        std::size_t at = 0;
        const Outcome known = search.refit(best, at, few, size, 0);
        // Not from search.root_.lower: what trees of one level less cost at least, one more level may undercut.
        const Outcome here = search.climb(few, size, {0, known.upper, known.plan});
        const bool paused = control_.stopped();
        control_.resume();
        statistics_ += search.statistics();
        ++statistics_.parts;
        sum += here.lower;
        found.lower = std::min(found.upper, std::max(found.lower, sum));
        control_.lower_bound(found.lower);
        if (part > 0) continue;
        if (here.upper < known.upper) {
            const std::vector<TreeNode> tree = search.write(here.plan);
            at = 0;
            const Outcome all = refit(tree, at, root, size, 0);
            found.offer(all.upper, all.plan);
            control_.incumbent(found.upper);
        }
        if (paused) return;
    }
}

}  // namespace treewright::ranked
