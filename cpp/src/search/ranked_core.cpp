// The root above depth two on core rows (core_rows.hpp): bounds that hold for all rows, and trees to try on them.
#include "treewright/bounds/core_rows.hpp"
#include "treewright/search/ranked_search.hpp"

#include <algorithm>

namespace treewright::ranked {

// A search over the core either proves that no tree is cheaper than the best one known, or finds a tree that is cheaper
// on the core: its cost there is a bound, and on all rows it is a candidate. If it costs more there, the core takes the
// rows that show it, and twice as many of those that are in doubt.
void Search::prove_on_core(const Node& root, Size size, Outcome& found) {
    const double most = options_.core_share * table_.n_rows;
    if (!core_) core_ = objective_.core_rows(2 * kCoreFactor, most, control_);
    if (*core_ == nullptr) return;
    CoreRows core = **core_;
    Options options = options_for_few_rows();
    options.plain_work *= kCorePatience;
    for (double factor = kCoreFactor; !found.exact() && !control_.stopped(); factor *= 2) {
        core.take(factor);
        core.cover(write(found.plan));
        if (static_cast<double>(core.size()) > most) return;
        if (core.size() == 0) continue;
        const std::unique_ptr<RankedObjective> objective = core.objective();
        Search search(*objective, options, control_, bytes_ / 8);
        search.beside_ = beside_ + bytes();
        const auto try_on_all = [&](PartialTree plan) {
            std::vector<TreeNode> tree = search.write(plan);
            std::size_t at = 0;
            const Outcome all = refit(tree, at, root, size, 0);
            found.offer(all.upper, all.plan);
            control_.incumbent(found.upper);
            return tree;
        };
        search.on_better_ = try_on_all;
        search.last_round_ = last_round_;
        search.core_memo_ = core_memo_;
        Node few;
        make_root(*objective, few);
        search.root_ = search.solve(few, {size.depth - 1, size.leaves}, found.upper, 1);
        const Cost asked = found.upper;
        const Outcome here = search.climb(few, size, {found.lower, asked, PartialTree::leaf()});
        statistics_ += search.statistics();
        statistics_.core_rows = std::max<std::int64_t>(statistics_.core_rows, few.n);
        if (const auto memo = search.store_->memo(few.rows, size)) core_memo_ = {size, *memo};
        if (here.upper < asked) core.cover(try_on_all(here.plan));
        found.lower = std::min(found.upper, std::max(found.lower, here.lower));
    }
}

}  // namespace treewright::ranked
