// Fewest splits of a box within a depth budget, from the tables of least depth and fewest splits.
//
// Algorithm 3 of Vidal and Schiffer 2020 ("Born-Again-DL") stores for each region the best (depth, splits) in that
// order. That is not the stated objective: a half that is shallower than the other may spend its spare depth to save
// leaves, but only its shallowest tree is stored (published forest Pima-Diabetes 2: their 143 leaves at depth 10,
// the optimum is 121). The depth budget has to be part of the state:
//
//   f(R, d) = min over splits of 1 + f(A, d - 1) + f(B, d - 1)
//
// Exact by induction on the box. Bounds: L(R) <= f(R, d); f = infinity if d < D(R); f = L(R) as soon as a tree with
// L(R) splits and depth <= d exists. Few states are left to search: at most 28 thousand on the published forests.
#pragma once

#include "treewright/bornagain/table.hpp"

#include <unordered_map>

namespace treewright::bornagain {

// A box of the layout: interval indices per axis, and the box numbers they make.
struct Cursor {
    std::vector<std::size_t> t;
    std::size_t outer = 0, inner = 0;

    [[nodiscard]] static Cursor whole(const Layout& layout);
    // The interval of axis k becomes `index`; returns the old one.
    std::size_t replace(const Layout& layout, std::size_t k, std::size_t index);
};

template <class Policy>
class DepthBudget {
   public:
    static constexpr std::int64_t kInfeasible = std::int64_t{1} << 40;
    struct Split {
        std::int64_t bound;  // 1 + fewest splits of both halves
        std::size_t axis;
        std::int32_t plane;
    };

    DepthBudget(const Layout& layout, const Table<Depth>& depth, const Table<Policy>& splits, Control& control)
        : layout_(layout), depth_(depth), splits_(splits), control_(control) {}

    // f(R, d) if it is below `upper`, else some lower bound >= upper of it.
    [[nodiscard]] std::int64_t fewest(Cursor& box, int budget, std::int64_t upper);
    // Splits of the box that leave both halves solvable within budget - 1, best bound first.
    [[nodiscard]] std::vector<Split> candidates(Cursor& box, int budget) const;

    [[nodiscard]] std::int64_t lower(const Cursor& box) const {
        return splits_.value(box.outer, box.inner) / (Policy::depth_mask + 1);
    }
    // Least depth of a tree with `lower(box)` splits.
    [[nodiscard]] int depth_of_lower(const Cursor& box) const {
        return static_cast<int>(splits_.value(box.outer, box.inner) & Policy::depth_mask);
    }
    [[nodiscard]] bool stopped() const { return control_.stopped(); }
    [[nodiscard]] std::int64_t states() const { return static_cast<std::int64_t>(memo_.size()); }

   private:
    struct Memo {
        std::int64_t value = 0;  // lower bound, or the value itself
        bool exact = false;
    };
    const Layout& layout_;
    const Table<Depth>& depth_;
    const Table<Policy>& splits_;
    Control& control_;
    std::unordered_map<std::uint64_t, Memo> memo_;
};

}  // namespace treewright::bornagain
