// Longer than 400 lines: the places of a column, its parts and fronts are made of each other.
#include "treewright/search/reliance.hpp"

#include "treewright/search/node_rows.hpp"
#include "treewright/search/value_front.hpp"
#include "row_sets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treewright::binary {

namespace {

using Costs = std::span<const std::int64_t>;  // by label

template <class Use>
void each_row(std::size_t word, std::uint64_t bits, const Use& use) {
    for (; bits != 0; bits &= bits - 1) use(64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace

template <class Value>
class OneColumn {
   public:
    OneColumn(const RelianceOfColumns& shared, std::span<const std::uint32_t> copies_of, Control& control)
        : shared_(shared),
          walk_(shared.walk_),
          copies_of_(copies_of),
          control_(control),
          words_((shared.rows_.n_rows + 63) / 64),
          n_classes_(walk_.graph().n_classes),
          drawn_sets_(words_),
          solved_of_(walk_.graph().nodes.size(), kUnsolved) {}

    std::optional<std::pair<double, double>> run() {
        std::vector<std::uint64_t> all(words_, ~std::uint64_t{0});
        if (const std::size_t last = shared_.rows_.n_rows % 64; last > 0) all.back() = (std::uint64_t{1} << last) - 1;
        drawn_number(all);  // kAll
        // Most nodes are of the last level with splits; in their order they are read faster than as parents ask for
        // them.
        const auto& nodes = walk_.graph().nodes;
        for (std::uint32_t n = 1; n < nodes.size() && nodes[n].depth > 0; ++n)
            if (nodes[n].depth == 1 && walk_.reached(n) && solve(n, {kAll, shared_.node_cost(n)}, 0) == kUnsolved)
                return std::nullopt;
        Place everywhere{kAll, shared_.node_cost(0)};
        everywhere.rows = all;
        const std::uint32_t root = solve(0, everywhere, 0);
        if (root == kUnsolved) return std::nullopt;
        double ends[2] = {0, 0};
        for (const int which : {0, 1}) {
            std::optional<Value> most;
            for (const Sized& tree : front(root, which))
                if (tree.leaves > 1 || shared_.rows_.leaf_at_root)
                    most = std::max(most.value_or(tree.value), tree.value);
            if (!most) return std::nullopt;
            ends[which] = sign(which) * static_cast<double>(*most);
        }
        return std::pair(ends[0], ends[1]);
    }

   private:
    using Sized = SizedValue<Value>;
    static constexpr std::uint32_t kUnsolved = NumberIndex::kNone, kLeafAlone = kUnsolved - 1, kNone = kUnsolved;
    static constexpr std::uint32_t kAll = 0;  // number of the set of all rows
    static constexpr std::int64_t kNoTree = RelianceOfColumns::kNoTree;

    // R, V by its number, and what R costs. Before a split on the column V is all rows, and all values are 0. After the
    // first one the rows of R that are not in V may be those of a node, too, its twin: the path to it differs in that
    // split alone. Then a node and its twin say what R is, and its rows are divided once somebody looks at them.
    struct Place {
        std::uint32_t drawn;
        Costs cost;
        std::uint32_t twin = kNone;
        const Place* above = nullptr;   // R is that of this place,
        const SetEdge* edge = nullptr;  // or what this split leaves of it
        int side = 0;
        std::size_t level = 0;  // of the frame that holds R
        mutable Bits rows{};    // R, or nothing so far
    };
    // The fronts of a node at a place: of the least values, negated, and of the most.
    struct Solved {
        std::uint32_t node, drawn, twin;
        std::size_t rows;  // where its R begins, after a split on the column and without a twin
        std::size_t first[2], last[2];
    };
    // A split of a node, and what is below it.
    struct Part {
        const SetEdge* edge;
        std::uint32_t below[2];  // number of its fronts
        bool plain;              // no split on the column so far
        std::size_t value;       // unless plain, the first of its sides' leaf values (side, label)
    };
    // A split of a node, and that of its twin; it asks the column, or it is one of those that do not.
    struct Split {
        const SetEdge* edge;
        const SetEdge* twin;
        bool asks;
    };
    // Of one node under way and its children.
    struct Frame {
        std::vector<Split> splits;
        std::vector<std::uint64_t> rows, rest;
        std::vector<std::int64_t> cost[2];
        std::vector<std::int64_t> plain;  // [leaves]: fewest errors of trees of the node that do not ask the column
    };

    [[nodiscard]] static int sign(int which) { return which == 0 ? -1 : 1; }
    [[nodiscard]] std::span<const Sized> front(std::uint32_t solved, int which) const {
        const Solved& own = solved_[solved];
        return std::span(fronts_).subspan(own.first[which], own.last[which] - own.first[which]);
    }
    [[nodiscard]] bool is_plain(std::uint32_t below) const {
        return below == kLeafAlone || solved_[below].first[0] == solved_[below].first[1];
    }
    [[nodiscard]] std::size_t bytes() const {
        return drawn_sets_.bytes() + solved_of_.capacity() * 4 + solved_.capacity() * sizeof(Solved) +
               solved_after_.bytes() + rows_of_solved_.capacity() * 8 + fronts_.capacity() * sizeof(Sized);
    }

    // The number of the fronts of a node at a place; kUnsolved if it was stopped.
    std::uint32_t solve(std::uint32_t n, const Place& at, std::size_t level) {
        const std::uint64_t key = at.drawn == kAll ? 0 : key_of(n, at);
        if (const std::uint32_t known = at.drawn == kAll ? solved_of_[n] : find(key, n, at); known != kUnsolved)
            return known;
        if (control_.poll(1 + static_cast<std::int64_t>(walk_.graph().edges_of(n).size()))) return kUnsolved;
        if (level == frames_.size()) frames_.emplace_back();
        const std::size_t first_part = parts_.size(), first_value = values_.size();
        if (!divide(n, at, level)) return kUnsolved;
        const std::uint32_t made = join(n, at, first_part, frames_[level].plain);
        if (at.drawn == kAll)
            solved_of_[n] = made;
        else
            solved_after_.add(key, made);
        parts_.resize(first_part);
        values_.resize(first_value);
        if (made % 64 == 0 && bytes() > control_.limits().bytes) {
            control_.halt(Stop::memory);
            return kUnsolved;
        }
        return made;
    }
    Bits rows_of(const Place& at) {
        if (!at.rows.empty()) return at.rows;
        if (at.edge == nullptr) return at.rows = rows_of(*at.above);
        std::vector<std::uint64_t>& rows = frames_[at.level].rows;
        side_of(rows_of(*at.above), shared_.ones_of(*at.edge), at.side, rows);
        return at.rows = rows;
    }
    [[nodiscard]] std::uint64_t key_of(std::uint32_t n, const Place& at) {
        std::uint64_t key = mixed(mixed(n, at.drawn), at.twin);
        if (at.twin == kNone)
            for (const std::uint64_t word : rows_of(at)) key = mixed(key, word);
        return key ^ (key >> 32);  // the lowest bits of a product depend on few of the others
    }
    [[nodiscard]] std::uint32_t find(std::uint64_t key, std::uint32_t n, const Place& at) {
        return solved_after_.find(key, [&](std::uint32_t known) {
            const Solved& own = solved_[known];
            if (own.node != n || own.drawn != at.drawn || own.twin != at.twin) return false;
            return at.twin != kNone || std::ranges::equal(rows_of(at), Bits(rows_of_solved_).subspan(own.rows, words_));
        });
    }

    // Makes the parts of a node: what is below each of its splits. Of splits without the column, and none above, only
    // the fewest errors by leaves count. False if it was stopped.
    bool divide(std::uint32_t n, const Place& at, std::size_t level) {
        frames_[level].rest.clear();
        frames_[level].plain.clear();
        choose_splits(n, at, frames_[level]);
        for (std::size_t s = 0; s < frames_[level].splits.size(); ++s)  // solving children may move the frames
            if (const Split split = frames_[level].splits[s]; !add_part(at, *split.edge, split.twin, split.asks, level))
                return false;
        return true;
    }
    // The splits of a node that need its children, with the same split of its twin. The children lie anywhere in
    // memory, so all are fetched before the first is looked at.
    void choose_splits(std::uint32_t n, const Place& at, Frame& frame) const {
        frame.splits.clear();
        auto beside = at.twin == kNone ? std::span<const SetEdge>() : walk_.graph().edges_of(at.twin);
        for (const SetEdge& edge : walk_.graph().edges_of(n)) {
            while (!beside.empty() && beside.front().column < edge.column) beside = beside.subspan(1);
            const SetEdge* const twin =
                beside.empty() || beside.front().column != edge.column ? nullptr : beside.data();
            const std::size_t number = walk_.edge_number(edge), before = frame.splits.size();
            const std::uint32_t copies = walk_.n_copies(edge), own = copies_of_[number];
            if (copies > own) {
                if (at.drawn == kAll && shared_.leaves_only_[number])
                    reach(frame.plain, 2, shared_.least_pair_[number]);
                else
                    frame.splits.push_back({&edge, twin, false});
            }
            if (own > 0) frame.splits.push_back({&edge, nullptr, true});
            if (frame.splits.size() == before) continue;
            for (const std::uint32_t child : edge.child) {
                shared_.fetch(child);
                __builtin_prefetch(solved_of_.data() + child);
            }
            if (twin != nullptr) shared_.fetch(twin->child[1]);
        }
    }
    bool add_part(const Place& at, const SetEdge& edge, const SetEdge* twin, bool asks, std::size_t level) {
        Part part{&edge, {kLeafAlone, kLeafAlone}, !asks && at.drawn == kAll, values_.size()};
        if (!part.plain) values_.resize(part.value + 2 * n_classes_);
        if (!asks && !part.plain) divide_costs(at, edge, twin, frames_[level]);
        for (const int side : {0, 1})
            if (!add_side(at, twin, side, asks, level, part)) return false;
        if (part.plain && is_plain(part.below[0]) && is_plain(part.below[1]))
            join_plain(part, frames_[level].plain);
        else
            parts_.push_back(part);
        return true;
    }
    void reach(std::vector<std::int64_t>& plain, std::size_t leaves, std::int64_t errors) const {
        if (leaves >= walk_.rule().max_errors.size()) return;
        if (leaves >= plain.size()) plain.resize(leaves + 1, kNoTree);
        plain[leaves] = std::min(plain[leaves], errors);
    }
    void join_plain(const Part& part, std::vector<std::int64_t>& plain) {
        reach(plain, 2, shared_.least_pair_[walk_.edge_number(*part.edge)]);
        const auto zero = side_front(part, 0, 0);
        for (const Sized& one : side_front(part, 1, 0))
            for (const Sized& own : zero)
                if (own.leaves + one.leaves > 2) reach(plain, own.leaves + one.leaves, own.errors + one.errors);
    }
    // What R costs on either side of a split. Of R and V it is known, since these are the rows of a node, and of the
    // others where they are those of the twin, which has the split, too; else they are added up.
    void divide_costs(const Place& at, const SetEdge& edge, const SetEdge* twin, Frame& frame) {
        const Costs known = shared_.node_cost(edge.child[1]);
        frame.cost[1].assign(known.begin(), known.end());
        if (twin != nullptr) {
            const Costs others = shared_.node_cost(twin->child[1]);
            for (std::size_t c = 0; c < n_classes_; ++c) frame.cost[1][c] += others[c];
        } else {
            if (frame.rest.empty()) side_of(rows_of(at), drawn_sets_.of(at.drawn), 0, frame.rest);
            add_cost(frame.rest, shared_.ones_of(edge), frame.cost[1]);
        }
        frame.cost[0].resize(n_classes_);
        for (std::size_t c = 0; c < n_classes_; ++c) frame.cost[0][c] = at.cost[c] - frame.cost[1][c];
    }
    void add_cost(Bits rows, Bits others, std::span<std::int64_t> out) const {
        const Costs cost = shared_.rows_.cost;
        if (n_classes_ == 2) {  // sums in registers
            std::int64_t zero = 0, one = 0;
            for (std::size_t w = 0; w < words_; ++w)
                each_row(w, rows[w] & others[w], [&](std::size_t row) {
                    zero += cost[2 * row];
                    one += cost[2 * row + 1];
                });
            out[0] += zero;
            out[1] += one;
            return;
        }
        for (std::size_t w = 0; w < words_; ++w)
            each_row(w, rows[w] & others[w], [&](std::size_t row) {
                for (std::size_t c = 0; c < n_classes_; ++c) out[c] += cost[row * n_classes_ + c];
            });
    }
    bool add_side(const Place& at, const SetEdge* twin, int side, bool asks, std::size_t level, Part& part) {
        const std::uint32_t child = part.edge->child[side];
        const bool leaf_alone = shared_.leaf_alone(child);
        if (part.plain && leaf_alone) return true;
        Place below{at.drawn, at.cost, kNone, &at};
        if (asks) {
            below.drawn = drawn_below(at.drawn, *part.edge, side);
            if (at.drawn == kAll) below.twin = part.edge->child[1 - side];
        } else {
            below.cost = part.plain ? shared_.node_cost(child) : Costs(frames_[level].cost[side]);
            if (twin != nullptr) below.twin = twin->child[side];
            below.edge = part.edge;
            below.side = side;
            below.level = level;
        }
        if (!part.plain)
            shared_.each_leaf(child, [&](std::size_t label, std::int64_t) {
                values_[part.value + static_cast<std::size_t>(side) * n_classes_ + label] =
                    value_of_leaf(child, below, label);
            });
        if (!leaf_alone) part.below[side] = solve(child, below, level + 1);
        return part.below[side] != kUnsolved;
    }
    std::uint32_t drawn_below(std::uint32_t drawn, const SetEdge& edge, int side) {
        const std::uint64_t split = (std::uint64_t{drawn} << 32) | static_cast<std::uint32_t>(edge.column);
        const auto [at, fresh] = drawn_below_.try_emplace(split);
        for (const int of : {0, 1}) {
            if (!fresh) break;
            side_of(drawn_sets_.of(drawn), shared_.ones_of(edge), of, drawn_);
            at->second[static_cast<std::size_t>(of)] = drawn_number(drawn_);
        }
        return at->second[static_cast<std::size_t>(side)];
    }
    std::uint32_t drawn_number(Bits drawn) {
        const std::uint32_t number = drawn_sets_.number(drawn);
        if (number == chance_.size()) {
            std::int64_t sum = 0;
            for (std::size_t w = 0; w < words_; ++w)
                each_row(w, drawn[w], [&](std::size_t row) { sum += shared_.rows_.weight[row]; });
            chance_.push_back(sum);
        }
        return number;
    }
    [[nodiscard]] Value value_of_leaf(std::size_t n, const Place& at, std::size_t label) const {
        return Value{at.cost[label]} * chance_[at.drawn] - Value{shared_.node_cost(n)[label]} * chance_[kAll];
    }

    // Makes the fronts of a node of its parts.
    std::uint32_t join(std::uint32_t n, const Place& at, std::size_t first_part,
                       const std::vector<std::int64_t>& plain) {
        const auto parts = std::span(parts_).subspan(first_part);
        Solved made{n, at.drawn, at.twin, rows_of_solved_.size(), {0, 0}, {0, 0}};
        if (at.drawn != kAll && at.twin == kNone) {
            const Bits rows = rows_of(at);
            rows_of_solved_.insert(rows_of_solved_.end(), rows.begin(), rows.end());
        }
        limit(n, parts, plain);
        for (ValueFront<Value>& front : ends_) front.begin(range_.most);
        shared_.each_leaf(n, [&](std::size_t label, std::int64_t errors) {
            add(1, errors, at.drawn == kAll ? 0 : value_of_leaf(n, at, label));
        });
        for (std::uint32_t leaves = 2; leaves < plain.size(); ++leaves)
            if (plain[leaves] != kNoTree) add(leaves, plain[leaves], 0);
        for (const Part& part : parts) add_part(part);
        const bool same = at.drawn == kAll && parts.empty();
        for (const std::size_t which : {0, 1}) {
            made.first[which] = which == 1 && same ? made.first[0] : fronts_.size();
            if (which == 0 || !same) ends_[which].give(fronts_);
            made.last[which] = fronts_.size();
        }
        solved_.push_back(made);
        return static_cast<std::uint32_t>(solved_.size() - 1);
    }
    void add(std::uint32_t leaves, std::int64_t errors, Value value) {
        for (const int which : {0, 1}) ends_[which].add(leaves, errors, sign(which) * value);
    }
    void add_part(const Part& part) {
        if (part.plain) {
            add(2, shared_.least_pair_[walk_.edge_number(*part.edge)], 0);
        } else {
            const Value* const zeros = values_.data() + part.value;
            shared_.each_leaf_pair(*part.edge, [&](std::size_t zero, std::size_t one, std::int64_t errors) {
                add(2, errors, zeros[zero] + zeros[n_classes_ + one]);
            });
        }
        if (part.below[0] == kLeafAlone && part.below[1] == kLeafAlone) return;
        for (const int which : {0, 1}) ends_[which].add_pairs(side_front(part, 0, which), side_front(part, 1, which));
    }
    std::span<const Sized> side_front(const Part& part, int side, int which) {
        if (part.below[side] != kLeafAlone) return front(part.below[side], which);
        std::vector<Sized>& leaves = leaves_[side];
        leaves.clear();
        const std::size_t first = part.value + static_cast<std::size_t>(side) * n_classes_;
        shared_.each_leaf(part.edge->child[side], [&](std::size_t label, std::int64_t errors) {
            leaves.push_back({1, errors, part.plain ? 0 : sign(which) * values_[first + label]});
        });
        std::ranges::sort(leaves, [](const Sized& a, const Sized& b) {
            return a.errors != b.errors ? a.errors < b.errors : a.value > b.value;
        });
        const auto needless = [](const Sized& kept, const Sized& next) { return next.value <= kept.value; };
        leaves.erase(std::unique(leaves.begin(), leaves.end(), needless), leaves.end());
        return leaves;
    }
    // The leaves and errors of what a node can be.
    void limit(std::uint32_t n, std::span<const Part> parts, const std::vector<std::int64_t>& plain) {
        std::size_t n_leaves = std::max<std::size_t>(plain.size(), 3) - 1;
        for (const Part& part : parts) n_leaves = std::max(n_leaves, most_leaves(part, 0) + most_leaves(part, 1));
        range_.most.assign(std::min(n_leaves + 1, walk_.rule().max_errors.size()), -1);
        walk_.limit(n, range_);
    }
    [[nodiscard]] std::size_t most_leaves(const Part& part, std::size_t side) const {
        if (part.below[side] == kLeafAlone) return 1;
        std::size_t most = 0;
        for (const int which : {0, 1})
            if (const auto own = front(part.below[side], which); !own.empty())
                most = std::max<std::size_t>(most, own.back().leaves);
        return most;
    }

    const RelianceOfColumns& shared_;
    const SetWalk& walk_;
    std::span<const std::uint32_t> copies_of_;
    Control& control_;
    std::size_t words_, n_classes_;
    RowSets drawn_sets_;
    std::unordered_map<std::uint64_t, std::array<std::uint32_t, 2>> drawn_below_;  // by V and split: V on its sides
    std::vector<std::uint64_t> drawn_;
    std::vector<std::int64_t> chance_;      // [drawn]: w(V)
    std::vector<std::uint32_t> solved_of_;  // [node]: before a split on the column
    NumberIndex solved_after_;
    std::vector<Solved> solved_;
    std::vector<std::uint64_t> rows_of_solved_;
    std::vector<Sized> fronts_;
    std::vector<Frame> frames_;  // [level]
    std::vector<Part> parts_;    // of the nodes under way
    std::vector<Value> values_;  // as parts_
    std::vector<Sized> leaves_[2];
    CellRange range_;
    ValueFront<Value> ends_[2];
};

RelianceOfColumns::RelianceOfColumns(const NearOptimalGraph& graph, const SetRule& rule, RelianceRows rows,
                                     Control& control)
    : walk_(graph, rule),
      rows_(rows),
      n_classes_(graph.n_classes),
      leaves_(graph.nodes.size() * 2 * n_classes_, 0),
      least_pair_(graph.edges.size(), kNoTree),
      leaf_alone_(graph.nodes.size()),
      leaves_only_(graph.edges.size()) {
    if (bytes() > control.limits().bytes) {
        control.halt(Stop::memory);
        return;
    }
    WideInt cost = 0, weight = 0;
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        const Costs own = rows.cost.subspan(row * n_classes_, n_classes_);
        cost += std::max(WideInt{std::ranges::max(own)}, -WideInt{std::ranges::min(own)});
        weight += rows.weight[row];
    }
    // Every row has one leaf beside each row that its values of the column are drawn from, and one before: the leaves
    // of a tree have values of at most twice this, and so have differences of trees of at most four times.
    is_narrow_ = weight == 0 || cost <= std::numeric_limits<std::int64_t>::max() / 4 / weight;
    const auto add = [&](std::size_t n, std::size_t row) {
        for (std::size_t c = 0; c < n_classes_; ++c)
            leaves_[(2 * n + 1) * n_classes_ + c] += rows.cost[row * n_classes_ + c];
    };
    if (!each_row_of_each_node(graph, rows.ones, rows.n_rows, add, [&] { return control.poll(4096); })) return;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        std::int64_t* const errors_of = leaves_.data() + 2 * n * n_classes_;
        std::fill_n(errors_of, n_classes_, kNoTree);
        walk_.each_leaf(n, [&](std::size_t label, std::int64_t errors) { errors_of[label] = errors; });
        leaf_alone_[n] = graph.edges_of(n).empty();
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        leaves_only_[e] = leaf_alone(graph.edges[e].child[0]) && leaf_alone(graph.edges[e].child[1]);
        each_leaf_pair(graph.edges[e], [&](std::size_t, std::size_t, std::int64_t errors) {
            least_pair_[e] = std::min(least_pair_[e], errors);
        });
    }
}

std::optional<std::pair<double, double>> RelianceOfColumns::of(std::span<const std::uint32_t> copies_of,
                                                               Control& control) const {
    if (is_narrow_) return OneColumn<std::int64_t>(*this, copies_of, control).run();
    return OneColumn<WideInt>(*this, copies_of, control).run();
}

}  // namespace treewright::binary
