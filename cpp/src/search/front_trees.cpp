// From a solved front back to its trees: read off the cache, solved again where it has lost them, completed by rows
// alone where the run was stopped (row_greedy.hpp).
#include "search/row_greedy.hpp"
#include "treewright/search/front.hpp"

namespace treewright::binary {

template <class Acc>
Shape FrontSearch<Acc>::tree(std::size_t leaves) {
    guessing_ = false;  // what the cache has lost is solved to be no worse than it was, not than a guess
    Shape shape;
    if (!control_.ended()) write(leaves, shape);
    return control_.ended() ? tree_in_time(leaves) : shape;
}

template <class Acc>
Shape FrontSearch<Acc>::tree_at_penalty() {
    Shape best = tree(cheapest_leaves());
    for (const Shape& other : greedy_)  // made only if the run was stopped
        if (cost(other) < cost(best)) best = other;
    return best;
}

// The better of what can be written of the best tree known in a short while, and of a greedy one.
template <class Acc>
Shape FrontSearch<Acc>::tree_in_time(std::size_t leaves) {
    if (greedy_.empty()) {
        greedy_ = RowGreedy(data_, settings_.min_count).by_leaves(settings_.max_depth, k_);
        if (subproblems_.is_whole()) control_.grace(kGrace);
    }
    const Shape& fallback = greedy_[std::min(leaves, greedy_.size()) - 1];
    if (control_.over()) return fallback;
    Shape shape;
    write(leaves, shape);
    return cost(fallback) < cost(shape) ? fallback : shape;
}

// The root is scanned once for all trees.
template <class Acc>
void FrontSearch<Acc>::write(std::size_t leaves, Shape& out) {
    if (!root_costs_) {
        const ChildCosts<Acc> costs = scan(subproblems_.root());
        if (!control_.over()) root_costs_ = costs;
    }
    emit(subproblems_.root(), root_key_, leaves, root_.upper[leaves - 1], out);
}

// Writes a tree of at most so many leaves that costs no more than `value` (0: the best). The cache knows its parts;
// what it has lost is solved again, unless the run was stopped: then the best tree at hand stands in, and a leaf where
// time is up, so that the tree is always whole.
template <class Acc>
void FrontSearch<Acc>::emit(const Node& node, const Key& key, std::size_t leaves, Acc value, Shape& out) {
    ArenaScope scope(arena_);
    Front known = new_front(leaves, true);
    const ChildCosts<Acc> costs = root_costs_ && &node == &subproblems_.root() ? *root_costs_ : scan(node);
    if (control_.over()) return out.push_back(Entry::kLeaf);
    solve_few_leaves(node, key.depth, costs, known);
    if (known.upper.back() > value && leaves > 1)
        for (const Candidate& candidate : candidates(node, key.depth, costs, leaves)) improve(node, candidate, known);
    if (control_.over()) return out.push_back(Entry::kLeaf);
    if (known.upper.back() > value && !control_.stopped()) {
        const auto goal = arena_.take<Acc>(leaves);
        std::fill(goal.begin(), goal.end(), Acc{0});
        goal.back() = kNoGoal;
        solve(node, key, goal, known);
    }
    while (leaves > 1 && known.upper[leaves - 2] == known.upper[leaves - 1]) --leaves;
    const Choice choice = known.choice[leaves - 1];
    out.push_back(choice.column);
    if (choice.column == Entry::kLeaf) return;

    const std::size_t at = node.local_column(choice.column);
    const auto zeros = static_cast<std::size_t>(choice.zeros);
    const std::size_t share[2] = {zeros, leaves - zeros};
    Sides<Acc> sides;
    Key child_keys[2];
    Acc part[2];
    for (int side : {0, 1}) {
        child_keys[side] = child_key(node, at, side, key.depth);
        Front front = new_front(share[side], false);
        start_front(costs, at, side, below(key.depth), front);
        recall(child_keys[side], front);
        part[side] = front.upper.back();
    }
    const bool known_parts = part[0] + part[1] <= known.upper[leaves - 1];
    for (int side : {0, 1}) {
        const Key& below_key = child_keys[side];
        emit(subproblems_.make_child(node, at, side, below_key.pattern, below_key.depth > 2, sides), below_key,
             share[side], known_parts ? part[side] : 0, out);
    }
}

template Shape FrontSearch<std::int32_t>::tree(std::size_t);
template Shape FrontSearch<std::int32_t>::tree_at_penalty();
template Shape FrontSearch<std::int64_t>::tree(std::size_t);
template Shape FrontSearch<std::int64_t>::tree_at_penalty();

}  // namespace treewright::binary
