#include "treewright/bounds/row_parts.hpp"

#include "treewright/core/random.hpp"
#include "treewright/space/ranked_node.hpp"

#include <algorithm>

namespace treewright::ranked {

namespace {

// What the rows cost, as numbers that are equal for rows of equal cost.
std::vector<std::uint64_t> contents(const RankedObjective& objective) {
    std::vector<std::uint64_t> content(objective.table().n_rows);
    Node one;
    for (std::uint32_t row = 0; row < content.size(); ++row) {
        one.clear(objective.n_sums());
        const std::uint32_t entry = row << 1;
        objective.add_rows(&entry, 0, 1, one);
        for (const std::int64_t sum : one.sums) content[row] = Random(content[row] + static_cast<std::uint64_t>(sum))();
    }
    return content;
}

}  // namespace

RowParts::RowParts(const RankedObjective& objective, std::size_t part_rows)
    : objective_(objective), drawn_(drawn_rows(objective.table(), contents(objective))) {
    const std::size_t n = drawn_.size(), count = std::max<std::size_t>(1, n / std::max<std::size_t>(1, part_rows));
    for (std::size_t part = 0; part <= count; ++part) first_.push_back(part * n / count);
}

std::unique_ptr<RankedObjective> RowParts::objective(std::size_t part) const {
    return objective_.part(rows(part), penalty(part));
}

Cost RowParts::penalty(std::size_t part) const {
    const double share = static_cast<double>(rows(part).size()) / static_cast<double>(drawn_.size());
    // Rounding of the product is paid for by the last factor.
    return std::max<Cost>(1, static_cast<Cost>(static_cast<double>(objective_.leaf_penalty()) * share * (1 - 1e-14)));
}

Cost RowParts::excess() const {
    Cost sum = 0;
    for (std::size_t part = 0; part < count(); ++part) sum += penalty(part);
    return std::max<Cost>(0, sum - objective_.leaf_penalty());
}

}  // namespace treewright::ranked
