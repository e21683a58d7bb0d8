#include "treewright/search/near_optimal.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

namespace treewright::binary {

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

    [[nodiscard]] std::size_t bytes() const {
        return keys.capacity() * 8 + totals.capacity() * 8 + requests.capacity() * sizeof(Request);
    }
};

// The splits of one part of a node, as a thread finds them.
struct Found {
    struct Split {
        std::int32_t column;
        std::int64_t optimum[2];
    };
    std::vector<Split> splits;
    std::vector<std::uint64_t> keys;   // split x side x key_words
    std::vector<std::int64_t> totals;  // split x side x (classes + 1)

    void reserve(std::size_t n, std::size_t n_words, std::size_t n_sums) {
        splits.reserve(n);
        keys.reserve(2 * n * n_words);
        totals.reserve(2 * n * n_sums);
    }
    [[nodiscard]] std::size_t bytes() const {
        return splits.capacity() * sizeof(Split) + keys.capacity() * 8 + totals.capacity() * 8;
    }
};

constexpr std::size_t kNodesAtOnce = 1024;  // so many are found before their edges are made
constexpr std::size_t kPartsOfFew = 32;     // of a node where a level has fewer nodes than this

// Makes one node of all requests for the same rows, with the largest budget asked, and tells their edges.
void add_nodes(Level& level, std::int32_t depth, NearOptimalGraph& graph) {
    const std::size_t w = graph.key_words;
    const auto key = [&](std::uint32_t r) { return std::span(level.keys).subspan(r * w, w); };
    struct Place {  // what nearly always decides lies together
        std::uint64_t first_word;
        std::uint32_t request;
    };
    std::vector<Place> order(level.requests.size());
    for (std::uint32_t r = 0; r < order.size(); ++r) order[r] = {level.keys[r * w], r};
    std::sort(order.begin(), order.end(), [&](const Place& a, const Place& b) {
        if (a.first_word != b.first_word) return a.first_word < b.first_word;
        return std::ranges::lexicographical_compare(key(a.request), key(b.request));
    });
    for (std::size_t at = 0; at < order.size(); ++at) {
        const std::uint32_t r = order[at].request;
        if (at == 0 || !std::ranges::equal(key(r), key(order[at - 1].request))) {
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

template <class Acc>
class GraphMaker {
   public:
    GraphMaker(const Dataset& data, Search<Acc>& search, Control& control)
        : data_(data), search_(search), control_(control), rows_(data) {}

    NearOptimalGraph make(std::int32_t max_depth, std::int64_t budget) {
        graph_.n_classes = data_.n_classes;
        graph_.key_words = 2 * data_.n_words;
        graph_.nodes.push_back({max_depth, budget, 0, 0});
        graph_.keys.assign(graph_.key_words, 0);
        {
            Arena& arena = search_.subproblems().arena();
            const ArenaScope scope(arena);
            const auto all = rows_.sums(rows_.matching(graph_.keys, arena), graph_.keys, arena).all;
            graph_.leaf_cost.assign(all.begin(), all.end() - 1);
            graph_.leaf_rows.push_back(all.back());
        }
        std::size_t first = 0;
        for (std::int32_t depth = max_depth; depth > 0 && first < graph_.nodes.size(); --depth) {
            const std::size_t last = graph_.nodes.size();
            Level next;
            for (std::size_t n = first; n < last; n += kNodesAtOnce)
                if (!open(n, std::min(n + kNodesAtOnce, last), depth, next)) return std::move(graph_);
            add_nodes(next, depth - 1, graph_);
            first = last;
        }
        graph_.keys = {};  // they have named the nodes
        graph_.complete = true;
        return std::move(graph_);
    }

   private:
    // Finds the edges of some nodes of a level, with all threads; false if it was stopped. Which splits there are does
    // not depend on who finds them, and edges are made in the order of nodes and columns.
    bool open(std::size_t first, std::size_t last, std::int32_t depth, Level& next) {
        const std::size_t parts = search_.threads() > 1 && last - first < kPartsOfFew ? kPartsOfFew : 1;
        std::vector<Found> found((last - first) * parts);
        std::atomic<std::size_t> task{0}, bytes{next.bytes()};
        search_.share_work([&](Search<Acc>& search, Control& control) {
            while (!control.stopped()) {
                const std::size_t at = task.fetch_add(1);
                if (at >= found.size()) return;
                const typename Search<Acc>::Part part{at % parts, parts};
                if (!find(search, first + at / parts, depth, part, found[at])) return;
                const std::size_t held = graph_.bytes() + rows_.bytes() + search.bytes() + (bytes += found[at].bytes());
                control.bytes(held);
                if (held > control.limits().bytes) control.halt(Stop::memory);
            }
        });
        if (control_.stopped()) return false;
        for (std::size_t n = first; n < last; ++n)
            add_edges(n, std::span(found).subspan((n - first) * parts, parts), next);
        return true;
    }

    bool find(Search<Acc>& search, std::size_t n, std::int32_t depth, typename Search<Acc>::Part part, Found& found) {
        ArenaScope scope(search.subproblems().arena());
        const auto key = std::span(graph_.keys).subspan(n * graph_.key_words, graph_.key_words);
        std::vector<typename Search<Acc>::SolvedSplit> splits;
        if (!search.splits_within(rows_, key, depth, graph_.nodes[n].budget, part, splits)) return false;
        found.reserve(splits.size(), graph_.key_words, data_.n_classes + 1);
        for (const auto& split : splits) {
            found.splits.push_back({split.column, {split.optimum[0], split.optimum[1]}});
            for (int side : {0, 1}) {
                found.keys.insert(found.keys.end(), split.key[side].begin(), split.key[side].end());
                found.totals.insert(found.totals.end(), split.total[side].begin(), split.total[side].end());
            }
        }
        return true;
    }

    // Makes the edges of a node, ascending by column, and asks for their nodes.
    void add_edges(std::size_t n, std::span<const Found> parts, Level& next) {
        struct Place {
            const Found* part;
            std::size_t at;
        };
        std::vector<Place> order;
        for (const Found& part : parts)
            for (std::size_t i = 0; i < part.splits.size(); ++i) order.push_back({&part, i});
        std::sort(order.begin(), order.end(), [](const Place& a, const Place& b) {
            return a.part->splits[a.at].column < b.part->splits[b.at].column;
        });
        SetNode& node = graph_.nodes[n];
        node.first_edge = static_cast<std::uint32_t>(graph_.edges.size());
        for (const auto& [part, at] : order) {
            const Found::Split& split = part->splits[at];
            for (int side : {0, 1}) {
                next.requests.push_back({static_cast<std::uint32_t>(graph_.edges.size()),
                                         static_cast<std::uint8_t>(side), node.budget - split.optimum[1 - side]});
            }
            const auto append = [twice = 2 * at](auto& to, const auto& from, std::size_t width) {
                const auto first = from.begin() + static_cast<std::ptrdiff_t>(twice * width);
                to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(2 * width));
            };
            append(next.keys, part->keys, graph_.key_words);
            append(next.totals, part->totals, data_.n_classes + 1);
            graph_.edges.push_back({split.column, {0, 0}});
        }
        node.last_edge = static_cast<std::uint32_t>(graph_.edges.size());
    }

    const Dataset& data_;
    Search<Acc>& search_;
    Control& control_;
    PatternRows<Acc> rows_;
    NearOptimalGraph graph_;
};

}  // namespace

template <class Acc>
NearOptimalGraph near_optimal_graph(const Dataset& data, Search<Acc>& search, std::int32_t max_depth,
                                    std::int64_t budget, Control& control) {
    return GraphMaker<Acc>(data, search, control).make(max_depth, budget);
}

template NearOptimalGraph near_optimal_graph(const Dataset&, Search<std::int32_t>&, std::int32_t, std::int64_t,
                                             Control&);
template NearOptimalGraph near_optimal_graph(const Dataset&, Search<std::int64_t>&, std::int32_t, std::int64_t,
                                             Control&);

}  // namespace treewright::binary
