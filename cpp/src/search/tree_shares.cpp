#include "treewright/search/tree_shares.hpp"

#include "treewright/search/pairs_within.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace treewright::binary {

namespace {

struct ShareTerms {
    const SetWalk& walk;

    [[nodiscard]] Ways leaf(std::size_t, std::size_t) const { return {1}; }
    [[nodiscard]] Ways factor(const SetEdge& edge) const { return {static_cast<double>(walk.n_copies(edge))}; }
};

// Where a node hangs.
struct Parent {
    std::uint32_t node;
    std::uint32_t sibling;
    double copies;
};

// The cells of subtrees of one leaf, or of more.
Cells<Ways> of_one_leaf(Cells<Ways> cells, bool one) {
    const auto more =
        std::partition_point(cells.runs.begin(), cells.runs.end(), [](const CellRun& run) { return run.leaves == 1; });
    const auto n = static_cast<std::size_t>(more - cells.runs.begin());
    cells.runs = one ? cells.runs.first(n) : cells.runs.subspan(n);
    return cells;
}

// One walk from the root down: what is beside each node in the trees that it is part of, and from that in how many of
// them it is a leaf of each label.
class Descent {
   public:
    // `to_side`: copies of each edge's sides; empty for those of the walk.
    Descent(const InsidePass<Ways>& pass, std::span<const std::uint32_t> to_side)
        : pass_(pass),
          walk_(pass.walk()),
          rule_(pass.rule()),
          graph_(walk_.graph()),
          to_side_(to_side),
          n_classes_(graph_.n_classes),
          visited_(graph_.nodes.size(), 0),
          of_leaf_(graph_.nodes.size() * n_classes_, 0.0),
          around_(walk_.level(graph_.nodes.size() - 1) + 1),
          place_(graph_.nodes.size(), {0, 0}) {
        find_parents();
    }

    // Shares by node and label; empty after a stop.
    [[nodiscard]] std::vector<double> run(Control& control) {
        std::size_t level = 0;
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            if (visited_[n] == 0 || (n > 0 && graph_.edges_of(n).empty()))
                continue;  // a leaf alone was seen to by its parents
            if (control.poll(1 + static_cast<std::int64_t>(first_parent_[n + 1] - first_parent_[n]))) return {};
            if (walk_.level(n) > level) {
                if (level > 0) around_[level - 1].clear();
                level = walk_.level(n);
            }
            surround(n);
            place_[n] = around_[level].last_node();
            if (!hand_down(n)) around_[level].drop_last_node();
            if (n % 64 == 0 && bytes() > rule_.max_bytes) {
                control.halt(Stop::memory);
                return {};
            }
        }
        return std::move(of_leaf_);
    }

   private:
    [[nodiscard]] std::uint32_t copies_to(const SetEdge& edge, int side) const {
        return to_side_.empty() ? walk_.n_copies(edge)
                                : to_side_[2 * walk_.edge_number(edge) + static_cast<std::size_t>(side)];
    }
    template <class Visit>
    void each_link(const Visit& visit) const {
        for (std::size_t n = 0; n < visited_.size(); ++n) {
            if (visited_[n] == 0) continue;
            for (const SetEdge& edge : graph_.edges_of(n)) {
                if (pass_.dead(edge)) continue;
                for (int side : {0, 1})
                    if (const std::uint32_t copies = copies_to(edge, side); copies > 0)
                        visit(edge.child[side],
                              Parent{static_cast<std::uint32_t>(n), edge.child[1 - side], static_cast<double>(copies)});
            }
        }
    }
    void find_parents() {
        first_parent_.assign(visited_.size() + 1, 0);
        visited_[0] = pass_.cells(0).empty() ? 0 : 1;
        each_link([&](std::uint32_t child, const Parent&) {
            visited_[child] = 1;
            ++first_parent_[child + 1];
        });
        std::partial_sum(first_parent_.begin(), first_parent_.end(), first_parent_.begin());
        parents_.resize(first_parent_.back());
        std::vector<std::size_t> next(first_parent_.begin(), first_parent_.end() - 1);
        each_link([&](std::uint32_t child, const Parent& parent) { parents_[next[child]++] = parent; });
    }

    [[nodiscard]] Cells<Ways> beside(std::size_t n) const {
        return around_[walk_.level(n)].cells(place_[n].first, place_[n].second);
    }

    // Puts what is beside a node, in the trees that it is part of, into the store of its level.
    void surround(std::size_t n) {
        CellStore<Ways>& store = around_[walk_.level(n)];
        store.begin_node();
        if (n == 0) {
            store.push(0, 0, {1});
            count_leaf(n);
            return;
        }
        // From what is beside its parents, as far as some subtree of the node completes it.
        const auto push = [&](std::uint32_t leaves, std::int64_t errors, const Ways& count) {
            store.push(leaves, errors, count);
        };
        const std::span own = std::span(parents_).subspan(first_parent_[n], first_parent_[n + 1] - first_parent_[n]);
        range_.reset(rule_.max_errors.size());
        for (const CellRun& run : pass_.cells(n).runs)
            for (std::size_t l = 0; l + run.leaves < range_.most.size(); ++l)
                range_.most[l] = std::max(range_.most[l], rule_.max_errors[l + run.leaves] - run.errors);
        for (const Parent& parent : own) range_.reach(beside(parent.node).runs, pass_.cells(parent.sibling).runs);
        sums_.reset(range_);
        const auto add = [&](bool one_leaf) {
            for (const Parent& parent : own)
                sums_.add_products(beside(parent.node), of_one_leaf(pass_.cells(parent.sibling), one_leaf),
                                   Ways{parent.copies}, true);
        };
        add(false);
        if (!rule_.redundant) {  // beside a leaf the labels decide: the parent sees to that
            sums_.give(push);
            count_leaf(n);
            store.drop_last_node();
            store.begin_node();
        }
        add(true);
        sums_.give(push);
        if (rule_.redundant) count_leaf(n);
    }

    // The trees in which the node is a leaf, of the ways to complete it that are in the store.
    void count_leaf(std::size_t n) {
        const CellStore<Ways>& store = around_[walk_.level(n)];
        const auto [first, last] = store.last_node();
        const RunSums<Ways> here(store.cells(first, last));
        walk_.each_leaf(n, [&](std::size_t label, std::int64_t errors) {
            of_leaf_[n * n_classes_ + label] += here.beside(rule_, 1, errors).value;
        });
    }

    // Counts the node's children that are leaves alone; whether another one will ask what is beside the node.
    [[nodiscard]] bool hand_down(std::size_t n) {
        const RunSums<Ways> here(beside(n));
        bool asked_again = false;
        for (const SetEdge& edge : graph_.edges_of(n)) {
            if (pass_.dead(edge)) continue;
            for (int side : {0, 1}) {
                const std::uint32_t child = edge.child[side], sibling = edge.child[1 - side];
                const double copies = copies_to(edge, side);
                if (copies == 0) continue;
                double* of_leaf = &of_leaf_[child * n_classes_];
                if (!graph_.edges_of(child).empty()) {
                    asked_again = true;
                } else {  // a leaf alone: the ways to complete it are needed in no other form
                    const Cells<Ways> siblings = pass_.cells(sibling);
                    (rule_.redundant ? siblings : of_one_leaf(siblings, false))
                        .each([&](std::uint32_t leaves, std::int64_t others, const Ways& count) {
                            walk_.each_leaf(child, [&](std::size_t label, std::int64_t errors) {
                                of_leaf[label] +=
                                    here.beside(rule_, leaves + 1, others + errors).value * count.value * copies;
                            });
                        });
                }
                if (!rule_.redundant)
                    walk_.each_leaf(child, [&](std::size_t label, std::int64_t errors) {
                        walk_.each_leaf(sibling, [&](std::size_t other, std::int64_t others) {
                            if (label != other) of_leaf[label] += here.beside(rule_, 2, errors + others).value * copies;
                        });
                    });
            }
        }
        return asked_again;
    }

    [[nodiscard]] std::size_t bytes() const {
        std::size_t bytes = of_leaf_.capacity() * 8;
        for (const auto& some : around_) bytes += some.bytes();
        return bytes;
    }

    const InsidePass<Ways>& pass_;
    const SetWalk& walk_;
    const SetRule& rule_;
    const NearOptimalGraph& graph_;
    std::span<const std::uint32_t> to_side_;
    std::size_t n_classes_;
    std::vector<std::uint8_t> visited_;
    std::vector<std::size_t> first_parent_;  // [node]
    std::vector<Parent> parents_;
    std::vector<double> of_leaf_;                             // [node][label]
    std::vector<CellStore<Ways>> around_;                     // what is beside the nodes of a level
    std::vector<std::pair<std::size_t, std::size_t>> place_;  // [node]: there
    CellSums<Ways> sums_;
    CellRange range_;
};

}  // namespace

TreeShares::TreeShares(const NearOptimalGraph& graph, SetRule rule, Control& control) : pass_(graph, std::move(rule)) {
    complete_ = pass_.run(0, ShareTerms{pass_.walk()}, control);
}

std::vector<double> TreeShares::leaves_in_trees(std::span<const std::uint32_t> to_side, Control& control) const {
    return Descent(pass_, to_side).run(control);
}

}  // namespace treewright::binary
