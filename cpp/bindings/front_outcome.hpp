// What Python is told of a search for the cheapest tree of each number of leaves.
#pragma once

#include "treewright/search/front.hpp"

#include <cstddef>
#include <vector>

namespace treewright::binary {

struct FrontOutcome {
    std::vector<Bounds> bounds;  // in weight units above what every tree pays
    std::vector<Shape> shapes;
    std::size_t cache_entries = 0;
    std::size_t cache_shed = 0;
    std::size_t bytes = 0;
};

template <class Acc>
[[nodiscard]] FrontOutcome search_front(const Dataset& data, const Settings& settings, Control& control) {
    FrontOutcome out;
    FrontSearch<Acc> engine(data, settings, control);
    engine.run();
    for (std::size_t l = 0; l < engine.lower().size(); ++l) {
        out.bounds.push_back({engine.lower()[l], engine.upper()[l]});
        if (engine.upper()[l] >= kInfeasible<Acc>) break;  // no tree has enough rows in its leaves
        out.shapes.push_back(engine.tree(l + 1));
    }
    out.cache_entries = engine.cache().size();
    out.cache_shed = engine.cache().shed_count();
    out.bytes = engine.bytes();
    return out;
}

}  // namespace treewright::binary
