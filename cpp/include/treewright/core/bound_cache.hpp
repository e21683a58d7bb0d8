// Bounds by (row set, limits of the tree).
#pragma once

#include "treewright/core/rowset_cache.hpp"
#include "treewright/search/outcome.hpp"

namespace treewright::ranked {

using Cache = RowsetCache<Outcome>;

}  // namespace treewright::ranked
