#include "treewright/bounds/bound_memos.hpp"

namespace treewright::ranked {

void import_memo(const Memo& memo, const RankedTable& table, const Node& node, Relation relation, Cost loss,
                 std::span<IntervalBounds> profiles) {
    for (std::size_t at = 0, i = 0; at < node.columns.size(); ++at) {
        while (i < memo.columns.size() && memo.columns[i] < node.columns[at]) ++i;
        if (i == memo.columns.size()) break;
        if (memo.columns[i] == node.columns[at]) profiles[at].import_from(table, node, at, memo.of(i), relation, loss);
    }
}

}  // namespace treewright::ranked
