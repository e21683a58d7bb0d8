#include "treewright/search/ranked_near_optimal.hpp"

#include "treewright/space/orders.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace treewright::ranked {

namespace {

struct Hash {
    std::size_t operator()(const Fingerprint& f) const { return f.high ^ (f.low * 0x9e3779b97f4a7c15u); }
};

// The nodes of one level.
struct Level {
    // The rows of a node: those of its parent on one side of a split of the table.
    struct Origin {
        std::uint32_t parent;  // number in its level
        std::uint32_t column;
        std::uint32_t rank;  // the last on the left
        std::uint32_t side;
    };
    std::size_t first = 0;                                       // node of the graph
    std::unordered_map<Fingerprint, std::uint32_t, Hash> nodes;  // number in the graph
    std::vector<Origin> origins;
    std::vector<std::uint64_t> rows;  // a bit a row, for each node in order; none at the last level with splits

    [[nodiscard]] std::size_t bytes() const {
        return rows.capacity() * 8 + origins.capacity() * sizeof(Origin) + nodes.size() * (sizeof(Fingerprint) + 40) +
               nodes.bucket_count() * 8;
    }
};

// The splits of a node, as a thread finds them.
struct Found {
    struct Split {
        std::uint32_t column;
        std::uint32_t low, high;  // ranks of the last row on the left and of the first on the right
        Cost optimum[2];
        Fingerprint rows[2];
        std::uint32_t n[2];
    };
    std::vector<Split> splits;
    std::vector<std::int64_t> sums;  // split x side x class

    [[nodiscard]] std::size_t bytes() const { return splits.capacity() * sizeof(Split) + sums.capacity() * 8; }
};

constexpr std::size_t kNodesAtOnce = 1024;  // so many are found before their edges are made
constexpr std::size_t kFewNodes = 4;        // a thread: with fewer, the splits of each node are divided instead

using Words = std::span<const std::uint64_t>;

// What one thread works with.
class Desk {
   public:
    Desk(const Misclassification& objective, const Options& options, Search& search, Control& control)
        : data_(objective.data()),
          objective_(objective),
          splits_(objective, options, control, search),
          goes_left_(data_.n_rows + OrderKernels::kPadding) {
        make_root(objective, root_);
    }

    // Finds the splits of all rows within a budget; false if it was stopped.
    bool find(std::uint32_t depth, Cost budget, bool together, Found& found) {
        return find(root_, depth, budget, together, found);
    }
    // The same of `n` rows of the parent at `origin`, which is a node of the graph with `rows`. `own`, if not empty,
    // has no bits and gets those of the node's rows.
    bool find(std::size_t parent, Words rows, const Level::Origin& origin, std::uint32_t n, std::uint32_t depth,
              Cost budget, bool together, std::span<std::uint64_t> own, Found& found) {
        if (parent != parent_number_) take(rows);
        parent_number_ = parent;
        const ArenaScope scope(arena_);
        const auto column = std::ranges::find(parent_.columns, origin.column);
        const std::uint32_t begin = origin.side == 0 ? 0 : parent_.n - n;
        extract(objective_, parent_, static_cast<std::size_t>(column - parent_.columns.begin()), begin, begin + n,
                arena_, goes_left_, node_);
        if (!node_.columns.empty() && !own.empty()) {  // without columns it has no children
            for (std::uint32_t i = 0; i < n; ++i) {
                const std::uint32_t row = row_of(node_.orders[0][i]);
                own[row / 64] |= std::uint64_t{1} << (row % 64);
            }
        }
        return find(node_, depth, budget, together, found);
    }
    [[nodiscard]] std::size_t bytes() const { return arena_.bytes() + parent_arena_.bytes() + goes_left_.capacity(); }

   private:
    bool find(const Node& node, std::uint32_t depth, Cost budget, bool together, Found& found) {
        if (!splits_.find(node, depth, budget, together, solved_)) return false;
        for (std::size_t i = 0; i < solved_.size(); ++i) {
            const SolvedSplit& split = solved_[i];
            if (i == 0 || solved_[i - 1].at != split.at) begin_column(node);
            advance(node, split);
            const std::uint32_t column = node.columns[split.at];
            const std::uint32_t* order = node.orders[split.at];
            found.splits.push_back({column,
                                    data_.rank_of(column, row_of(order[split.position - 1])),
                                    data_.rank_of(column, row_of(order[split.position])),
                                    {split.left, split.right},
                                    {rows_[0], rows_[1]},
                                    {split.position, node.n - split.position}});
            for (const auto& sums : sums_) found.sums.insert(found.sums.end(), sums.begin(), sums.end());
        }
        return true;
    }
    void begin_column(const Node& node) {
        position_ = 0;
        rows_ = {Fingerprint{}, node.rows};
        sums_[0].assign(data_.n_classes, 0);
        sums_[1] = node.sums;
    }
    // Moves the rows before the split to the left side.
    void advance(const Node& node, const SolvedSplit& split) {
        for (; position_ < split.position; ++position_) {
            const std::uint32_t row = row_of(node.orders[split.at][position_]);
            const std::int32_t* cost = &data_.cost[std::size_t{data_.label[row]} * data_.n_classes];
            for (std::size_t k = 0; k < data_.n_classes; ++k) {
                const std::int64_t pays = std::int64_t{data_.weight[row]} * cost[k];
                sums_[0][k] += pays;
                sums_[1][k] -= pays;
            }
            rows_[0].add(data_.key[row]);
            rows_[1].subtract(data_.key[row]);
        }
    }
    // Sorts some rows of the table into `parent_`.
    void take(Words rows) {
        std::uint32_t n = 0;
        for (std::uint32_t row = 0; row < data_.n_rows; ++row) {
            goes_left_[row] = static_cast<std::uint8_t>(rows[row / 64] >> (row % 64) & 1);
            n += goes_left_[row];
        }
        parent_arena_.release({0, 0, 0});
        select(objective_, root_, n, parent_arena_, goes_left_, parent_);
    }

    const LabelledTable& data_;
    const Misclassification& objective_;
    SplitsWithin splits_;
    std::vector<std::uint8_t> goes_left_;
    Node root_, parent_, node_;
    std::size_t parent_number_ = ~std::size_t{0};  // in the graph, of `parent_`: nodes of one parent come together
    Arena parent_arena_, arena_;
    std::vector<SolvedSplit> solved_;
    std::uint32_t position_ = 0;  // of the split that is looked at, and its sides:
    std::array<Fingerprint, 2> rows_;
    std::array<std::vector<std::int64_t>, 2> sums_;
};

class GraphMaker {
   public:
    GraphMaker(const Misclassification& objective, const Options& options, Search& search,
               std::span<const std::vector<std::int32_t>> split_of, Control& control)
        : data_(objective.data()),
          objective_(objective),
          options_(options),
          search_(search),
          split_of_(split_of),
          control_(control),
          n_words_((std::size_t{data_.n_rows} + 63) / 64) {}

    binary::NearOptimalGraph make(std::uint32_t max_depth, Cost budget) {
        graph_.n_classes = data_.n_classes;
        Node all;
        make_root(objective_, all);
        Level above, here;
        add(here, all.rows, all.sums, all.n, {}, max_depth, budget);
        std::size_t first = 0;
        for (std::uint32_t depth = max_depth; depth > 0 && first < graph_.nodes.size(); --depth) {
            const std::size_t last = graph_.nodes.size();
            Level next;
            next.first = last;
            if (depth > 1) here.rows.resize((last - first) * n_words_);
            if (depth == max_depth) std::ranges::fill(here.rows, ~std::uint64_t{0});
            for (std::size_t n = first; n < last; n += kNodesAtOnce)
                if (!open(n, std::min(n + kNodesAtOnce, last), depth, above, here, next)) return std::move(graph_);
            above = std::move(here);
            here = std::move(next);
            first = last;
        }
        graph_.complete = true;
        return std::move(graph_);
    }

   private:
    // The number of a node of the next level, made if it is new.
    std::uint32_t add(Level& level, const Fingerprint& rows, std::span<const std::int64_t> sums, std::uint32_t n,
                      Level::Origin origin, std::uint32_t depth, Cost budget) {
        const auto [at, is_new] = level.nodes.try_emplace(rows, static_cast<std::uint32_t>(graph_.nodes.size()));
        if (!is_new) {
            Cost& known = graph_.nodes[at->second].budget;
            known = std::max(known, budget);
            return at->second;
        }
        level.origins.push_back(origin);
        graph_.nodes.push_back({static_cast<std::int32_t>(depth), budget, 0, 0});
        graph_.leaf_cost.insert(graph_.leaf_cost.end(), sums.begin(), sums.end());
        graph_.leaf_rows.push_back(n);
        return at->second;
    }

    // Finds the edges of some nodes of a level, with all threads; false if it was stopped.
    bool open(std::size_t first, std::size_t last, std::uint32_t depth, const Level& above, Level& here, Level& next) {
        std::vector<Found> found(last - first);
        std::atomic<std::size_t> task{0}, bytes{above.bytes() + here.bytes() + next.bytes()};
        const auto find = [&](Search& search, Control& control, bool together) {
            Desk& desk = desk_of(search, control);
            while (!control.stopped()) {
                const std::size_t at = task.fetch_add(1);
                if (at >= found.size()) return;
                if (!find_splits(desk, first + at, depth, together, above, here, found[at])) return;
                const std::size_t held =
                    graph_.bytes() + search.bytes() + desk.bytes() * search.threads() + (bytes += found[at].bytes());
                control.bytes(held);
                if (held > control.limits().bytes) control.halt(Stop::memory);
            }
        };
        if (last - first < kFewNodes * search_.threads())
            find(search_, control_, true);
        else
            search_.share_work([&](Search& search, Control& control) { find(search, control, false); });
        if (control_.stopped()) return false;
        for (std::size_t n = first; n < last; ++n)
            add_edges(n, static_cast<std::uint32_t>(n - here.first), depth, found[n - first], next);
        return true;
    }
    bool find_splits(Desk& desk, std::size_t n, std::uint32_t depth, bool together, const Level& above, Level& here,
                     Found& found) const {
        const Cost budget = graph_.nodes[n].budget;
        if (n == 0) return desk.find(depth, budget, together, found);
        if (budget < 2 * objective_.leaf_penalty()) return true;
        const Level::Origin& origin = here.origins[n - here.first];
        const Words parent = Words(above.rows).subspan(origin.parent * n_words_, n_words_);
        const auto own = depth > 1 ? std::span(here.rows).subspan((n - here.first) * n_words_, n_words_)
                                   : std::span<std::uint64_t>{};
        return desk.find(above.first + origin.parent, parent, origin, static_cast<std::uint32_t>(graph_.leaf_rows[n]),
                         depth, budget, together, own, found);
    }
    Desk& desk_of(Search& search, Control& control) {
        const std::scoped_lock lock(mutex_);
        std::unique_ptr<Desk>& desk = desks_[&search];
        if (desk == nullptr) desk = std::make_unique<Desk>(objective_, options_, search, control);
        return *desk;
    }
    void add_edges(std::size_t n, std::uint32_t place, std::uint32_t depth, const Found& found, Level& next) {
        const Cost budget = graph_.nodes[n].budget;
        graph_.nodes[n].first_edge = static_cast<std::uint32_t>(graph_.edges.size());
        std::span<const std::int64_t> sums = found.sums;
        for (const Found::Split& split : found.splits) {
            const auto numbers = std::span(split_of_[split.column]).subspan(split.low, split.high - split.low);
            if (std::ranges::all_of(numbers, [](std::int32_t number) { return number < 0; })) {
                sums = sums.subspan(2 * data_.n_classes);
                continue;
            }
            binary::SetEdge edge{0, {0, 0}};
            for (const std::uint32_t side : {0u, 1u}) {
                edge.child[side] =
                    add(next, split.rows[side], sums.first(data_.n_classes), split.n[side],
                        {place, split.column, split.low, side}, depth - 1, budget - split.optimum[1 - side]);
                sums = sums.subspan(data_.n_classes);
            }
            for (const std::int32_t number : numbers) {
                if (number < 0) continue;
                edge.column = number;
                graph_.edges.push_back(edge);
            }
        }
        graph_.nodes[n].last_edge = static_cast<std::uint32_t>(graph_.edges.size());
    }

    const LabelledTable& data_;
    const Misclassification& objective_;
    const Options& options_;
    Search& search_;
    std::span<const std::vector<std::int32_t>> split_of_;
    Control& control_;
    std::size_t n_words_;
    binary::NearOptimalGraph graph_;
    std::mutex mutex_;  // of the desks
    std::unordered_map<const Search*, std::unique_ptr<Desk>> desks_;
};

}  // namespace

binary::NearOptimalGraph near_optimal_graph(const Misclassification& objective, const Options& options, Search& search,
                                            std::uint32_t max_depth, Cost budget,
                                            std::span<const std::vector<std::int32_t>> split_of, Control& control) {
    return GraphMaker(objective, options, search, split_of, control).make(max_depth, budget);
}

}  // namespace treewright::ranked
