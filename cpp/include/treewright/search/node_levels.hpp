// The nodes of a set's graph level by level, those of one level by several threads.
//
// A pass from the leaves up needs of deeper levels only what is finished, so the nodes of one level are independent of
// each other. Threads take some of them at a time, for they differ: one near the root may need as long as a thousand
// leaves. What a pass keeps of a node must go behind a lock of its own, or to a place that is the node's alone.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/core/crew.hpp"
#include "treewright/search/set_walk.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace treewright::binary {

// Calls visit(node, desk), which returns false to end the walk, for every node that trees reach, from the deepest level
// up to node `first`; between levels it calls after(the level that is done) in the calling thread. A Desk is what one
// thread works with. False if the walk was ended or stopped.
template <class Desk, class Visit, class After>
bool visit_levels(const SetWalk& walk, std::size_t first, Control& control, const Visit& visit, const After& after) {
    constexpr std::size_t kLeastEdges = 2048;  // of a level for several threads: an edge takes .1 microseconds or more
    constexpr std::size_t kMostAtOnce = 64;
    struct Helper {
        explicit Helper(Control& head) : control(head.helper()) {}
        Control control;
        Desk desk;
    };
    const NearOptimalGraph& graph = walk.graph();
    const std::size_t threads = walk.rule().threads;
    std::vector<std::unique_ptr<Helper>> helpers;
    Desk desk;
    for (std::size_t last = graph.nodes.size(), begin; last > first; last = begin) {
        const std::size_t level = walk.level(last - 1);
        std::size_t edges = 0;
        for (begin = last; begin > first && walk.level(begin - 1) == level; --begin)
            edges += graph.edges_of(begin - 1).size();
        const std::size_t n_nodes = last - begin, most = std::min(threads, n_nodes);
        const std::size_t at_once = std::clamp<std::size_t>(n_nodes / (8 * threads), 1, kMostAtOnce);
        std::atomic<std::size_t> next{0};
        std::atomic<bool> ended{false};
        const auto work = [&](Desk& own, Control& its_control) {
            while (!ended) {
                const std::size_t taken = next.fetch_add(at_once);
                if (taken >= n_nodes) return;
                for (std::size_t i = taken; i < std::min(taken + at_once, n_nodes); ++i) {
                    const std::size_t n = last - 1 - i;
                    if (!walk.reached(n)) continue;
                    const auto n_edges = static_cast<std::int64_t>(graph.edges_of(n).size());
                    if (its_control.poll(1 + n_edges) || !visit(n, own)) {
                        ended = true;
                        return;
                    }
                }
            }
        };
        Crew crew(control);
        if (most > 1 && edges >= kLeastEdges) {
            while (helpers.size() + 1 < most) helpers.push_back(std::make_unique<Helper>(control));
            crew.call(helpers, [&work](Helper& helper) { work(helper.desk, helper.control); });
        }
        work(desk, control);
        crew.watch();
        crew.finish();
        if (ended || control.stopped()) return false;
        if (begin > first) after(level);
    }
    return true;
}

}  // namespace treewright::binary
