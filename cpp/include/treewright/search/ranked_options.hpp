// The switches of the search over ranked columns, a line each in ranked_options.def.
#pragma once

#include <cstdint>

namespace treewright::ranked {

struct Options {
#define OPTION(type, name, value, text) type name = value;
#define SETTING(type, name, value, text)
#include "treewright/search/ranked_options.def"
#undef OPTION
#undef SETTING
    std::uint32_t threads = 1;  // of the search, the calling one among them (ranked_search.hpp); a limit, not a switch
};

}  // namespace treewright::ranked
