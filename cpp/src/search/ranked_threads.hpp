// The threads that help with the splits of a node: each has a search of its own on the store of the one it helps.
#pragma once

#include "treewright/search/ranked_search.hpp"

#include <cstddef>

namespace treewright::ranked {

// What a helping thread works with; kept from one node to the next.
struct Search::Helper {
    Helper(Search& lead, std::size_t bytes)
        : control(lead.control_.helper()), search(lead.objective_, lead.options_, control, bytes, lead.store_) {}
    Control control;
    Search search;
};

}  // namespace treewright::ranked
