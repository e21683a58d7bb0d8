#include "treewright/bounds/bound_memos.hpp"

namespace treewright::ranked {

void import_memo(const Memo& memo, const Data& data, const Node& node, Kin kin, Cost loss,
                 std::span<Profile> profiles) {
    for (std::size_t at = 0, i = 0; at < node.columns.size(); ++at) {
        while (i < memo.columns.size() && memo.columns[i] < node.columns[at]) ++i;
        if (i == memo.columns.size()) break;
        if (memo.columns[i] == node.columns[at]) profiles[at].import_from(data, node, at, memo.of(i), kin, loss);
    }
}

}  // namespace treewright::ranked
