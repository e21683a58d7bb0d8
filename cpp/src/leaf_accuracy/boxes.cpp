// Bounds of the sets of rows that two splits of a node leave, told between its children.
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>

namespace treewright::leaf_accuracy {

namespace {

constexpr std::size_t kMostBoxed = 1024;  // cuts of a node with a table of boxes: 64 MiB at most

}  // namespace

// The table of the node's boxes: for children that branch themselves; kept from an earlier cut where the node is the same.
void Search::open_boxes(const Node& node, std::uint32_t depth, Level& here) {
    Boxes& boxes = here.boxes;
    const std::size_t n_cuts = here.pairs.cuts.size(), current = cuts_.size() - 1;
    if (!options_.neighbours || depth < 4 || n_cuts > kMostBoxed) {
        boxes.size = 0;
        return;
    }
    const bool same = boxes.size == 2 * n_cuts && boxes.rows == node.key && boxes.depth == depth;
    if (same && boxes.cut != current && options_.convert) {
        const Conversion& convert = conversion(static_cast<std::int32_t>(boxes.cut));
        for (Boxes::Cell& cell : boxes.cells) cell.lower = convert.lower(cell.lower, depth - 2, cell.weight);
    }
    if (!same || (boxes.cut != current && !options_.convert)) boxes.cells.assign(4 * n_cuts * n_cuts, {});
    boxes.rows = node.key;
    boxes.depth = depth;
    boxes.cut = current;
    boxes.size = 2 * n_cuts;
    boxes.first.assign(data_.table.n_columns + 1, n_cuts);
    for (std::size_t i = n_cuts; i-- > 0;) boxes.first[here.pairs.cuts[i].column] = i;
    for (std::size_t c = data_.table.n_columns; c-- > 0;) boxes.first[c] = std::min(boxes.first[c], boxes.first[c + 1]);
}

void Search::read_boxes(const Node& node, Level& here, const Origin& origin) {
    if (origin.boxes == nullptr) return;
    Boxes& boxes = *origin.boxes;
    const std::size_t from = boxes.first[origin.column], to = boxes.first[origin.column + 1], side = origin.number % 2;
    std::size_t cut = boxes.first[here.sorted.column];
    for (std::size_t i = 0; i < here.sorted.cuts.size(); ++i) {
        while (origin.pairs->cuts[cut].rank != here.sorted.cuts[i].rank) ++cut;
        const Count left = here.left_weight[i], right = node.total - left;
        for (std::size_t other = from; other < to; ++other) {
            const Boxes::Cell& a = boxes.at(2 * cut, 2 * other + side);
            if (a.lower > 0) raise(here.left[i], moved(a.lower, left - a.weight));
            const Boxes::Cell& b = boxes.at(2 * cut + 1, 2 * other + side);
            if (b.lower > 0) raise(here.right[i], moved(b.lower, right - b.weight));
        }
    }
}

// A cut of the node stands for all cuts of the node above that divide its rows in the same way.
void Search::write_boxes(const Node& node, const Level& here, const Origin& origin) {
    if (origin.boxes == nullptr) return;
    Boxes& boxes = *origin.boxes;
    const SortedColumn& sorted = here.sorted;
    const std::uint32_t most = data_.table.rank_of(sorted.column, sorted.rows.back());
    const std::size_t to = boxes.first[sorted.column + 1];
    const auto write = [&](std::size_t number, Count lower, Count weight) {
        if (lower > 0) boxes.at(number, origin.number) = boxes.at(origin.number, number) = {lower, weight};
    };
    std::size_t i = 0;
    for (std::size_t cut = boxes.first[sorted.column]; cut < to; ++cut) {
        const std::uint32_t rank = origin.pairs->cuts[cut].rank;
        if (sorted.cuts.empty() || rank < sorted.cuts[0].rank) continue;
        if (rank > most) break;
        while (i + 1 < sorted.cuts.size() && sorted.cuts[i + 1].rank <= rank) ++i;
        write(2 * cut, here.left[i].lower, here.left_weight[i]);
        write(2 * cut + 1, here.right[i].lower, node.total - here.left_weight[i]);
    }
}

}  // namespace treewright::leaf_accuracy
