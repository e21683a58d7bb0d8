// Bounds of the sets of rows that two splits of a node leave, told between its children.
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>

namespace treewright::leaf_accuracy {

namespace {

constexpr std::size_t kMaxBoxed = 1024;  // splits of a node with a table of boxes: 64 MiB at most

}  // namespace

// The table of the node's boxes: for children that branch themselves; kept from an earlier target where the node is the
// same.
void Search::open_boxes(const Node& node, std::uint32_t depth, Level& here) {
    Boxes& boxes = here.boxes;
    const std::size_t n_splits = here.pairs.splits.size(), current = targets_.size() - 1;
    if (!options_.neighbours || depth < 4 || n_splits > kMaxBoxed) {
        boxes.size = 0;
        return;
    }
    const bool same = boxes.size == 2 * n_splits && boxes.rows == node.key && boxes.depth == depth;
    if (same && boxes.target != current && options_.convert) {
        const Conversion& convert = conversion(static_cast<std::int32_t>(boxes.target));
        for (Boxes::Cell& cell : boxes.cells) cell.lower = convert.lower(cell.lower, depth - 2, cell.weight);
    }
    if (!same || (boxes.target != current && !options_.convert)) boxes.cells.assign(4 * n_splits * n_splits, {});
    boxes.rows = node.key;
    boxes.depth = depth;
    boxes.target = current;
    boxes.size = 2 * n_splits;
    boxes.first.assign(data_.table.n_columns + 1, n_splits);
    for (std::size_t i = n_splits; i-- > 0;) boxes.first[here.pairs.splits[i].column] = i;
    for (std::size_t c = data_.table.n_columns; c-- > 0;) boxes.first[c] = std::min(boxes.first[c], boxes.first[c + 1]);
}

void Search::read_boxes(const Node& node, OpenColumn& here, const Origin& origin) {
    if (origin.boxes == nullptr) return;
    Boxes& boxes = *origin.boxes;
    const std::scoped_lock lock(boxes.mutex);
    const std::size_t from = boxes.first[origin.column], to = boxes.first[origin.column + 1], side = origin.number % 2;
    std::size_t split = boxes.first[here.sorted.column];
    for (std::size_t i = 0; i < here.sorted.splits.size(); ++i) {
        while (origin.pairs->splits[split].rank != here.sorted.splits[i].rank) ++split;
        const Count left = here.left_weight[i], right = node.total - left;
        for (std::size_t other = from; other < to; ++other) {
            const Boxes::Cell& a = boxes.at(2 * split, 2 * other + side);
            if (a.lower > 0) raise(here.left[i], moved(a.lower, left - a.weight));
            const Boxes::Cell& b = boxes.at(2 * split + 1, 2 * other + side);
            if (b.lower > 0) raise(here.right[i], moved(b.lower, right - b.weight));
        }
    }
}

// A split of the node stands for all splits of the node above that divide its rows in the same way.
void Search::write_boxes(const Node& node, const OpenColumn& here, const Origin& origin) {
    if (origin.boxes == nullptr) return;
    Boxes& boxes = *origin.boxes;
    const std::scoped_lock lock(boxes.mutex);
    const SortedColumn& sorted = here.sorted;
    const std::uint32_t most = data_.table.rank_of(sorted.column, sorted.rows.back());
    const std::size_t to = boxes.first[sorted.column + 1];
    const auto write = [&](std::size_t number, Count lower, Count weight) {
        if (lower > 0) boxes.at(number, origin.number) = boxes.at(origin.number, number) = {lower, weight};
    };
    std::size_t i = 0;
    for (std::size_t split = boxes.first[sorted.column]; split < to; ++split) {
        const std::uint32_t rank = origin.pairs->splits[split].rank;
        if (sorted.splits.empty() || rank < sorted.splits[0].rank) continue;
        if (rank > most) break;
        while (i + 1 < sorted.splits.size() && sorted.splits[i + 1].rank <= rank) ++i;
        write(2 * split, here.left[i].lower, here.left_weight[i]);
        write(2 * split + 1, here.right[i].lower, node.total - here.left_weight[i]);
    }
}

}  // namespace treewright::leaf_accuracy
