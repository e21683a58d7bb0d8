#include "treewright/search/ranked_near_optimal.hpp"

#include "treewright/space/orders.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <unordered_map>

namespace treewright::ranked {

namespace {

struct Hash {
    std::size_t operator()(const Fingerprint& f) const { return f.high ^ (f.low * 0x9e3779b97f4a7c15u); }
};

// The nodes of one level: which rows they have.
struct Level {
    std::unordered_map<Fingerprint, std::uint32_t, Hash> nodes;  // number in the graph
    std::vector<std::uint64_t> rows;                             // a bit a row, for each node in order

    [[nodiscard]] std::size_t bytes() const {
        return rows.capacity() * 8 + nodes.size() * (sizeof(Fingerprint) + 40) + nodes.bucket_count() * 8;
    }
};

class GraphMaker {
   public:
    GraphMaker(const Misclassification& objective, Search& search, SplitsWithin& splits,
               std::span<const std::vector<std::int32_t>> split_of, Control& control)
        : data_(objective.data()),
          objective_(objective),
          search_(search),
          splits_(splits),
          split_of_(split_of),
          control_(control),
          n_words_((std::size_t{data_.n_rows} + 63) / 64),
          goes_left_(data_.n_rows + OrderKernels::kPadding) {
        make_root(objective, root_);
        sides_[0].sums.resize(data_.n_classes);
        sides_[1].sums.resize(data_.n_classes);
    }

    bits::NearOptimalGraph make(std::uint32_t max_depth, Cost budget) {
        graph_.n_classes = data_.n_classes;
        Level here;
        add(here, {root_.rows, root_.sums, root_.n}, max_depth, budget);
        here.rows.assign(n_words_, ~std::uint64_t{0});
        std::size_t first = 0;
        for (std::uint32_t depth = max_depth; depth > 0 && first < graph_.nodes.size(); --depth) {
            const std::size_t last = graph_.nodes.size();
            Level next;
            for (std::size_t n = first; n < last; ++n) {
                if (!open(n, depth, std::span(here.rows).subspan((n - first) * n_words_, n_words_), next))
                    return std::move(graph_);
                const std::size_t bytes =
                    graph_.bytes() + search_.bytes() + here.bytes() + next.bytes() + arena_.bytes();
                control_.bytes(bytes);
                if (bytes > control_.limits().bytes) {
                    control_.halt(Stop::memory);
                    return std::move(graph_);
                }
            }
            here = std::move(next);
            first = last;
        }
        graph_.complete = true;
        return std::move(graph_);
    }

   private:
    struct Side {
        Fingerprint rows;
        std::vector<std::int64_t> sums;
        std::uint32_t n = 0;
    };

    // The number of the node of these rows in the next level, made if it is new.
    std::uint32_t add(Level& level, const Side& side, std::uint32_t depth, Cost budget) {
        const auto [at, is_new] = level.nodes.try_emplace(side.rows, static_cast<std::uint32_t>(graph_.nodes.size()));
        if (!is_new) {
            Cost& known = graph_.nodes[at->second].budget;
            known = std::max(known, budget);
            return at->second;
        }
        graph_.nodes.push_back({static_cast<std::int32_t>(depth), budget, 0, 0});
        graph_.leaf_cost.insert(graph_.leaf_cost.end(), side.sums.begin(), side.sums.end());
        graph_.leaf_rows.push_back(side.n);
        return at->second;
    }

    // Finds the edges of a node; false if it was stopped.
    bool open(std::size_t n, std::uint32_t depth, std::span<const std::uint64_t> rows, Level& next) {
        const Cost budget = graph_.nodes[n].budget;
        ArenaScope scope(arena_);
        if (n > 0) take(rows, graph_.leaf_rows[n]);
        const Node& node = n == 0 ? root_ : node_;
        if (!splits_.find(node, depth, budget, found_)) return false;
        graph_.nodes[n].first_edge = static_cast<std::uint32_t>(graph_.edges.size());
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const SolvedSplit& split = found_[i];
            if (i == 0 || found_[i - 1].at != split.at) begin_column(node);
            advance(node, split);
            bits::SetEdge edge{0, {0, 0}};
            for (const int side : {0, 1}) {
                const std::size_t before = graph_.nodes.size();
                edge.child[side] = add(next, sides_[side], depth - 1, budget - (side == 0 ? split.right : split.left));
                if (graph_.nodes.size() > before && depth > 1) add_rows(node, split, side, next);
            }
            const std::uint32_t column = node.columns[split.at];
            const std::uint32_t* order = node.orders[split.at];
            const std::uint32_t low = data_.rank_of(column, row_of(order[split.position - 1])),
                                high = data_.rank_of(column, row_of(order[split.position]));
            for (std::uint32_t rank = low; rank < high; ++rank) {
                edge.column = split_of_[column][rank];
                graph_.edges.push_back(edge);
            }
        }
        graph_.nodes[n].last_edge = static_cast<std::uint32_t>(graph_.edges.size());
        return true;
    }

    void begin_column(const Node& node) {
        position_ = 0;
        sides_[0] = {{}, std::vector<std::int64_t>(data_.n_classes, 0), 0};
        sides_[1] = {node.rows, node.sums, node.n};
    }
    // Moves the rows before the split to the left side.
    void advance(const Node& node, const SolvedSplit& split) {
        for (; position_ < split.position; ++position_) {
            const std::uint32_t row = row_of(node.orders[split.at][position_]);
            const std::int32_t* cost = &data_.cost[std::size_t{data_.label[row]} * data_.n_classes];
            for (std::size_t k = 0; k < data_.n_classes; ++k) {
                const std::int64_t pays = std::int64_t{data_.weight[row]} * cost[k];
                sides_[0].sums[k] += pays;
                sides_[1].sums[k] -= pays;
            }
            sides_[0].rows.add(data_.key[row]);
            sides_[1].rows.subtract(data_.key[row]);
        }
        sides_[0].n = split.position;
        sides_[1].n = node.n - split.position;
    }
    // Notes the rows of the node that was made last.
    void add_rows(const Node& node, const SolvedSplit& split, int side, Level& level) const {
        const std::size_t first = level.rows.size();
        level.rows.resize(first + n_words_, 0);
        const std::uint32_t* order = node.orders[split.at];
        for (std::uint32_t i = side == 0 ? 0 : split.position, end = side == 0 ? split.position : node.n; i < end;
             ++i) {
            const std::uint32_t row = row_of(order[i]);
            level.rows[first + row / 64] |= std::uint64_t{1} << (row % 64);
        }
    }
    // Sorts some rows of the table into `node_`.
    void take(std::span<const std::uint64_t> rows, std::int64_t n) {
        for (std::uint32_t row = 0; row < data_.n_rows; ++row)
            goes_left_[row] = static_cast<std::uint8_t>(rows[row / 64] >> (row % 64) & 1);
        select(objective_, root_, static_cast<std::uint32_t>(n), arena_, goes_left_, node_);
    }

    const LabelledTable& data_;
    const Misclassification& objective_;
    Search& search_;
    SplitsWithin& splits_;
    std::span<const std::vector<std::int32_t>> split_of_;
    Control& control_;
    std::size_t n_words_;
    std::vector<std::uint8_t> goes_left_;
    bits::NearOptimalGraph graph_;
    Node root_, node_;
    Arena arena_;
    std::vector<SolvedSplit> found_;
    std::uint32_t position_ = 0;
    std::array<Side, 2> sides_;  // of the split that is looked at
};

}  // namespace

bits::NearOptimalGraph near_optimal_graph(const Misclassification& objective, Search& search, SplitsWithin& splits,
                                          std::uint32_t max_depth, Cost budget,
                                          std::span<const std::vector<std::int32_t>> split_of, Control& control) {
    return GraphMaker(objective, search, splits, split_of, control).make(max_depth, budget);
}

}  // namespace treewright::ranked
