#include "treewright/objective/ranked_objective.hpp"

#include "treewright/bounds/core_rows.hpp"
#include "treewright/kernels/stump_pair_solver.hpp"

#include <limits>

namespace treewright::ranked {

std::unique_ptr<PairSolver> RankedObjective::pair_solver(const Options& options, Control& control) const {
    return std::make_unique<StumpPairSolver>(*this, options, control);
}

void RankedObjective::prefix_spans(std::span<const std::uint32_t>, std::span<const std::uint32_t> positions,
                                   std::vector<Cost>& prefix) const {
    prefix.insert(prefix.end(), positions.size(), std::numeric_limits<Cost>::max() / 4);
}

std::unique_ptr<CoreRows> RankedObjective::core_rows(double, double, Control&) const { return nullptr; }

}  // namespace treewright::ranked
