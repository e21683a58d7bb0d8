// Costs of trees: integers, so that comparisons are exact and a tie is a tie.
#pragma once

#include <cstdint>

namespace treewright::ranked {

using Cost = std::int64_t;
inline constexpr Cost kNoCost = std::int64_t{1} << 62;  // above every cost

}  // namespace treewright::ranked
