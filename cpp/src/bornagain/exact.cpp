#include "treewright/bornagain/exact.hpp"

#include "treewright/bornagain/depth_budget.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>
#include <stdexcept>

namespace treewright::bornagain {

namespace {

// Builds the tree of one run from its tables, depth-first.
class Writer {
   public:
    Writer(const Layout& layout, PlaneTree& tree) : layout_(layout), tree_(tree), order_(layout.axis.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::sort(order_.begin(), order_.end(),
                  [&](auto x, auto y) { return layout.grid.feature[x] < layout.grid.feature[y]; });
    }

    // Any tree of value V: the first split by feature, then plane, that attains it.
    template <class Policy>
    void by_value(const Table<Policy>& table, Cursor& box) {
        const auto value = table.value(box.outer, box.inner);
        if (value == 0) return leaf(box);
        for (const std::size_t k : order_) {
            const std::int32_t from = layout_.axis[k].a[box.t[k]], to = layout_.axis[k].b[box.t[k]];
            for (std::int32_t m = from; m < to; ++m) {
                const auto [left, right] = halves(table, box, k, m);
                if (Table<Policy>::join(left, right) != value) continue;
                return split(box, k, m, [&] { by_value(table, box); }, [&] { by_value(table, box); });
            }
        }
        throw std::logic_error("born-again table: no split attains the value of a box");
    }

    // A tree within `budget` levels; spare levels are spent on splits with shallow halves, which saves leaves.
    void by_depth(const Table<Depth>& table, Cursor& box, int budget) {
        if (table.value(box.outer, box.inner) == 0) return leaf(box);
        int least = 1 << 20;
        std::size_t best_axis = 0;
        std::int32_t best_plane = 0;
        for (const std::size_t k : order_) {
            const std::int32_t from = layout_.axis[k].a[box.t[k]], to = layout_.axis[k].b[box.t[k]];
            for (std::int32_t m = from; m < to; ++m) {
                const auto [left, right] = halves(table, box, k, m);
                if (std::max(left, right) >= budget || left + right >= least) continue;
                least = left + right;
                best_axis = k;
                best_plane = m;
            }
        }
        split(
            box, best_axis, best_plane, [&] { by_depth(table, box, budget - 1); },
            [&] { by_depth(table, box, budget - 1); });
    }

    // A stop on the way leaves the tree incomplete: ask `search`.
    template <class Policy>
    void by_budget(DepthBudget<Policy>& search, const Table<Policy>& table, Cursor& box, int budget) {
        if (budget >= search.depth_of_lower(box)) return by_value(table, box);
        constexpr std::int64_t infinite = DepthBudget<Policy>::kInfeasible;
        const std::int64_t value = search.fewest(box, budget, infinite);
        for (const auto& candidate : search.candidates(box, budget)) {
            const std::size_t k = candidate.axis;
            const auto& axis = layout_.axis[k];
            const std::int32_t from = axis.a[box.t[k]], to = axis.b[box.t[k]];
            const std::size_t whole = box.replace(layout_, k, axis.index(from, candidate.plane));
            const std::int64_t left = search.fewest(box, budget - 1, value);
            box.replace(layout_, k, axis.index(candidate.plane + 1, to));
            const std::int64_t right = search.fewest(box, budget - 1, std::max<std::int64_t>(value - left, 1));
            box.replace(layout_, k, whole);
            if (search.stopped()) return;
            if (1 + left + right != value) continue;
            return split(
                box, k, candidate.plane, [&] { by_budget(search, table, box, budget - 1); },
                [&] { by_budget(search, table, box, budget - 1); });
        }
        if (search.stopped()) return;
        throw std::logic_error("born-again search: no split attains the value of a box");
    }

   private:
    void leaf(const Cursor& box) {
        std::size_t cell = 0;
        for (std::size_t k = 0; k < layout_.axis.size(); ++k)
            cell = cell * static_cast<std::size_t>(layout_.grid.n[k]) +
                   static_cast<std::size_t>(layout_.axis[k].a[box.t[k]]);
        tree_.push_back({-1, 0, layout_.grid.labels[cell]});
    }

    template <class Policy>
    std::pair<typename Policy::Value, typename Policy::Value> halves(const Table<Policy>& table, Cursor& box,
                                                                     std::size_t k, std::int32_t m) const {
        const auto& axis = layout_.axis[k];
        const std::int32_t from = axis.a[box.t[k]], to = axis.b[box.t[k]];
        const std::size_t whole = box.replace(layout_, k, axis.index(from, m));
        const auto left = table.value(box.outer, box.inner);
        box.replace(layout_, k, axis.index(m + 1, to));
        const auto right = table.value(box.outer, box.inner);
        box.replace(layout_, k, whole);
        return std::pair{left, right};
    }

    template <class Left, class Right>
    void split(Cursor& box, std::size_t k, std::int32_t m, const Left& left, const Right& right) {
        const auto& axis = layout_.axis[k];
        const std::int32_t from = axis.a[box.t[k]], to = axis.b[box.t[k]];
        tree_.push_back({layout_.grid.feature[k], layout_.grid.planes[k][static_cast<std::size_t>(m)], 0});
        const std::size_t whole = box.replace(layout_, k, axis.index(from, m));
        left();
        box.replace(layout_, k, axis.index(m + 1, to));
        right();
        box.replace(layout_, k, whole);
    }

    const Layout& layout_;
    PlaneTree& tree_;
    std::vector<std::size_t> order_;  // axes by feature
};

template <class Policy>
void note(Exact& result, const Layout& layout, const Table<Policy>& table) {
    result.rows += static_cast<double>(table.rows());
    result.bytes = std::max(result.bytes, static_cast<double>(layout.bytes() + table.bytes()));
}

// False if the value type was too small.
template <class Policy>
bool solve_leaves(const Layout& layout, std::size_t threads, Control& control, Exact& result) {
    Table<Policy> table(layout, threads);
    result.solved = table.fill(control);
    note(result, layout, table);
    if (table.overflow()) return false;
    std::int64_t splits = table.largest();
    if constexpr (requires { Policy::depth_mask; }) splits /= Policy::depth_mask + 1;
    result.leaves_bound = std::max(result.leaves_bound, splits + 1);
    if (!result.solved) return true;
    Cursor box = Cursor::whole(layout);
    Writer(layout, result.tree).by_value(table, box);
    return true;
}

template <class Policy>
bool solve_depth_leaves(const Layout& layout, const Table<Depth>& depth, std::size_t threads, Control& control,
                        Exact& result) {
    Table<Policy> table(layout, threads, depth.bytes());
    const bool complete = table.fill(control);
    note(result, layout, table);
    if (table.overflow()) return false;
    result.leaves_bound = std::max<std::int64_t>(result.leaves_bound, table.largest() / (Policy::depth_mask + 1) + 1);
    Cursor box = Cursor::whole(layout);
    if (complete) {
        DepthBudget<Policy> search(layout, depth, table, control);
        const std::int64_t splits = search.fewest(box, result.depth_bound, DepthBudget<Policy>::kInfeasible);
        if (!control.stopped()) {
            result.leaves_bound = splits + 1;
            Writer(layout, result.tree).by_budget(search, table, box, result.depth_bound);
            result.solved = !control.stopped();
            if (!result.solved) result.tree.clear();
        }
        result.states = search.states();
    }
    return true;
}

}  // namespace

namespace {

void solve_into(Exact& result, const Grid& grid, Goal goal, std::size_t threads, Control& control);

}  // namespace

Exact solve_exact(const Grid& grid, Goal goal, std::size_t threads, Control& control) {
    Exact result;
    try {
        solve_into(result, grid, goal, threads, control);
    } catch (const std::bad_alloc&) {  // the bounds so far hold; the tree is not there
        result.tree.clear();
        result.solved = false;
        control.halt(Stop::memory);
    }
    return result;
}

namespace {

void solve_into(Exact& result, const Grid& grid, Goal goal, std::size_t threads, Control& control) {
    if (grid.n.empty()) {  // one label
        result.solved = true;
        result.tree.push_back({-1, 0, grid.labels[0]});
        return;
    }
    // Neighbouring cells on both sides of every kept plane differ somewhere, so every faithful tree tests it.
    result.leaves_bound = grid.n_planes() + 1;
    result.depth_bound = static_cast<std::int32_t>(std::bit_width(static_cast<unsigned>(grid.n_planes())));
    if (Layout::forecast_bytes(grid) > static_cast<double>(control.limits().bytes)) {
        control.halt(Stop::memory);
        return;
    }
    const Layout layout(grid, control);
    result.tight_boxes = static_cast<double>(layout.tight.size());
    if (control.stopped()) return;
    if (goal == Goal::leaves) {
        if (!solve_leaves<Splits>(layout, threads, control, result))
            (void)solve_leaves<WideSplitsDepth>(layout, threads, control, result);
        return;
    }
    Table<Depth> depth(layout, threads);
    const bool complete = depth.fill(control);
    note(result, layout, depth);
    result.depth_bound = std::max<std::int32_t>(result.depth_bound, depth.largest());
    if (!complete) return;
    if (goal == Goal::depth_leaves) {
        if (!solve_depth_leaves<SplitsDepth>(layout, depth, threads, control, result))
            (void)solve_depth_leaves<WideSplitsDepth>(layout, depth, threads, control, result);
        if (result.solved) return;
    }
    Cursor box = Cursor::whole(layout);
    Writer(layout, result.tree).by_depth(depth, box, result.depth_bound);
    result.solved = goal == Goal::depth;
}

}  // namespace

}  // namespace treewright::bornagain
