// Switches of the sweep engine. Every one changes only the work, never the optimum (tests/unit/search/test_sweep.py).
#pragma once

#include <cstdint>

namespace treewright::ranked {

struct Options {
    bool monotone = true;   // bounds of a subset hold for a superset (interval_bounds.hpp); needs min_leaf == 1
    bool lipschitz = true;  // bounds of a superset hold for a subset, less the rows between (interval_bounds.hpp)
    bool between = true;  // rows between two cuts add what they cost by themselves (interval_bounds.hpp); min_leaf == 1
    bool leaf_count = true;   // a deeper tree has more leaves, and every leaf costs (ranked_search.hpp)
    bool shallower = true;    // the optimum of one level less first: incumbent and bound
    bool cache = true;        // remember bounds by row set and depth
    bool neighbours = true;   // depth-two subproblems take bounds from the neighbouring cuts' (interval_bounds.hpp)
    bool fair_shares = true;  // sides above depth two are asked for a share of a bound at a time (ranked_search.hpp)
    bool resume = true;       // an unfinished node asked again goes on where it stopped (bound_memos.hpp)
    bool rising = true;       // a long run proves rising bounds of the root, one after another (ranked_search.hpp)
    std::int64_t plain_work = 6'000'000'000;  // ... after passes of about so many nanoseconds at the root
    bool core = true;                    // ... and before that looks at few rows first (core_rows.hpp); min_leaf == 1
    std::int64_t core_passes = 2000;     // ... after so many passes at the root, or a third of plain_work
    double core_share = 0.45;            // ... if they are, and twice as many likely rows, no more of all than this
    bool parts = true;                   // ... and then at parts of the rows, whose bounds add up (row_parts.hpp)
    std::uint32_t part_rows = 32768;     // ... of so many rows, if there are four or more
    std::uint64_t sharing_work = 20000;  // ... where a kernel pass takes at least so many steps
    double slack = 0.5;                  // extra child budget, in rows' worth of cost per row of half the open interval
    std::uint32_t threads = 1;           // of the search, the calling one among them (ranked_search.hpp)
    std::int64_t alone_work = 30'000'000;  // ... after passes of about so many nanoseconds by the calling one
    std::uint32_t lanes = 64;              // most cuts in one pass of the depth-two kernel
    bool groups = true;    // few cuts and a loss of two sums: the search over groups of equal rows (group_search.hpp)
    bool segments = true;  // ... and its bound by the cheapest clusters on a line (segmentation.hpp)
};

}  // namespace treewright::ranked
