#include "treewright/search/near_optimal.hpp"

#include <algorithm>
#include <numeric>

namespace treewright::bits {

namespace {

// A node of the next level as an edge asks for it: several edges may ask for the same rows.
struct Request {
    std::uint32_t edge;
    std::uint8_t side;
    std::int64_t budget;
};

// What all edges into the next level ask for.
struct Level {
    std::vector<Request> requests;
    std::vector<std::uint64_t> keys;   // request x key_words
    std::vector<std::int64_t> totals;  // request x (classes + 1)
};

// Makes one node of all requests for the same rows, with the largest budget asked, and tells their edges.
void add_nodes(Level& level, std::int32_t depth, NearOptimalGraph& graph) {
    const std::size_t w = graph.key_words;
    const auto key = [&](std::uint32_t r) { return std::span(level.keys).subspan(r * w, w); };
    std::vector<std::uint32_t> order(level.requests.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::lexicographical_compare(key(a).begin(), key(a).end(), key(b).begin(), key(b).end());
    });
    for (std::size_t at = 0; at < order.size(); ++at) {
        const std::uint32_t r = order[at];
        if (at == 0 || !std::equal(key(r).begin(), key(r).end(), key(order[at - 1]).begin())) {
            graph.nodes.push_back({depth, level.requests[r].budget, 0, 0});
            graph.keys.insert(graph.keys.end(), key(r).begin(), key(r).end());
            const auto totals = level.totals.begin() + static_cast<std::ptrdiff_t>(r * (graph.n_classes + 1));
            graph.leaf_cost.insert(graph.leaf_cost.end(), totals,
                                   totals + static_cast<std::ptrdiff_t>(graph.n_classes));
            graph.leaf_rows.push_back(totals[static_cast<std::ptrdiff_t>(graph.n_classes)]);
        }
        graph.nodes.back().budget = std::max(graph.nodes.back().budget, level.requests[r].budget);
        graph.edges[level.requests[r].edge].child[level.requests[r].side] =
            static_cast<std::uint32_t>(graph.nodes.size() - 1);
    }
}

}  // namespace

template <class Acc>
NearOptimalGraph near_optimal_graph(const Dataset& data, Search<Acc>& search, std::int32_t max_depth,
                                    std::int64_t budget, Control& control) {
    NearOptimalGraph graph;
    graph.n_classes = data.n_classes;
    graph.key_words = 2 * data.n_words;
    Subproblems<Acc>& subproblems = search.subproblems();
    const Subproblem<Acc>& all = subproblems.root();
    graph.nodes.push_back({max_depth, budget, 0, 0});
    graph.keys.assign(all.key.begin(), all.key.end());
    graph.leaf_cost.assign(all.total.begin(), all.total.begin() + static_cast<std::ptrdiff_t>(data.n_classes));
    graph.leaf_rows.push_back(all.total.back());

    std::vector<typename Search<Acc>::SolvedSplit> splits;
    std::size_t first = 0;
    for (std::int32_t depth = max_depth; depth > 0 && first < graph.nodes.size(); --depth) {
        const std::size_t last = graph.nodes.size();
        Level next;
        for (std::size_t n = first; n < last; ++n) {
            SetNode& node = graph.nodes[n];
            ArenaScope scope(subproblems.arena());
            const Subproblem<Acc> rows =
                n == 0 ? all
                       : subproblems.matching(std::span(graph.keys).subspan(n * graph.key_words, graph.key_words));
            if (control.step(rows.work()) || !search.splits_within(rows, depth, node.budget, splits)) return graph;
            node.first_edge = static_cast<std::uint32_t>(graph.edges.size());
            for (const auto& split : splits) {
                const std::size_t local = rows.local_column(split.column);
                for (int side : {0, 1}) {
                    next.requests.push_back({static_cast<std::uint32_t>(graph.edges.size()),
                                             static_cast<std::uint8_t>(side), node.budget - split.optimum[1 - side]});
                    next.keys.insert(next.keys.end(), split.key[side].begin(), split.key[side].end());
                    for (std::size_t k = 0; k <= data.n_classes; ++k) {
                        const Acc one = rows.pairs.at(k, local, local);
                        next.totals.push_back(side == 1 ? one : rows.total[k] - one);
                    }
                }
                graph.edges.push_back({split.column, {0, 0}});
            }
            node.last_edge = static_cast<std::uint32_t>(graph.edges.size());
            const std::size_t bytes = graph.bytes() + search.bytes() + next.keys.capacity() * 8 +
                                      next.totals.capacity() * 8 + next.requests.capacity() * sizeof(Request);
            control.bytes(bytes);
            if (bytes > control.limits().bytes) {
                control.halt(Stop::memory);
                return graph;
            }
        }
        add_nodes(next, depth - 1, graph);
        first = last;
    }
    graph.keys = {};  // they have named the nodes
    graph.complete = true;
    return graph;
}

template NearOptimalGraph near_optimal_graph(const Dataset&, Search<std::int32_t>&, std::int32_t, std::int64_t,
                                             Control&);
template NearOptimalGraph near_optimal_graph(const Dataset&, Search<std::int64_t>&, std::int32_t, std::int64_t,
                                             Control&);

}  // namespace treewright::bits
