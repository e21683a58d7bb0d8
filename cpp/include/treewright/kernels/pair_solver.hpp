// Optimal trees of depth two over all splits of a node: what every objective's solver answers.
#pragma once

#include "treewright/bounds/bound_memos.hpp"
#include "treewright/search/outcome.hpp"
#include "treewright/search/ranked_options.hpp"
#include "treewright/space/ranked_node.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace treewright::ranked {

// What is known of a neighbour, whose rows are a subset or a superset (loss = span of the rows more, in cost units):
// its memo where the depth is two, else its rows, under which a memo may be kept.
struct Neighbour {
    const Memo* memo = nullptr;
    Fingerprint rows{};
    Relation relation = Relation::subset;
    Cost loss = 0;
    bool known = false;
};

class PairSolver {
   public:
    explicit PairSolver(const Options& options) : options_(options) {}
    virtual ~PairSolver() = default;
    PairSolver(const PairSolver&) = delete;
    PairSolver& operator=(const PairSolver&) = delete;

    // Best tree of depth at most two, or, with `three_leaves`, of at most three leaves.
    [[nodiscard]] virtual Outcome solve(const Node& node, bool three_leaves, Cost budget,
                                        std::span<const Neighbour> neighbours = {}) = 0;
    // Of several trees of the least cost, which the last solve() gave for this node, the one that is the answer: a rule
    // that speaks of the node alone. None where the run ended.
    [[nodiscard]] virtual std::optional<PartialTree> first_of_equals(const Node& /*node*/, bool /*three_leaves*/,
                                                                     const Outcome& found) {
        return found.plan;
    }
    // Nanoseconds of a pass, roughly, for each row and column.
    [[nodiscard]] virtual std::int64_t pace() const = 0;
    // What the last solve() knows of its node, as far as a neighbour with a similar target can use it.
    virtual void keep(const Node& node, Cost target, Memo& memo) const = 0;

    // Of what it keeps for each row and column; what it has for each row is not counted.
    [[nodiscard]] virtual std::size_t bytes() const { return 0; }

    // Whether bounds of neighbours are worth their cost for this node: a kernel pass costs about rows x columns x pace
    // nanoseconds, taking over bounds some microseconds a column. Measured at depth 3: magic 2.0 -> 1.6 s, segment
    // .48 -> .29 s, but rice .43 -> .68 s without this rule (Options::sharing_work).
    [[nodiscard]] bool worth_sharing(const Node& node) const {
        const std::size_t work = std::size_t{node.n} * node.columns.size() * static_cast<std::size_t>(pace());
        return options_.neighbours && work >= options_.sharing_work;
    }

    std::int64_t n_passes = 0;     // kernel passes, of many splits each
    std::int64_t n_row_steps = 0;  // rows x second columns walked

   protected:
    const Options& options_;
};

}  // namespace treewright::ranked
