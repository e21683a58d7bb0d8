#include "treewright/search/leaf_limit.hpp"

#include "treewright/search/front.hpp"

#include <algorithm>
#include <utility>

namespace treewright::bits {

namespace {

// Whether a tree of more leaves could cost at most `cost`.
bool binds(const Settings& settings, std::int64_t cost) {
    return settings.leaf_price == 0 || settings.max_leaves < cost / settings.leaf_price;
}

}  // namespace

template <class Acc>
Outcome search_few_leaves(const Dataset& data, const Settings& settings, std::span<const std::int64_t> prices,
                          Control& control) {
    Outcome out;
    const auto account = [&out](const auto& engine) {
        out.cache_entries = std::max(out.cache_entries, engine.cache().size());
        out.cache_shed += engine.cache().shed_count();
        out.bytes = std::max(out.bytes, engine.bytes());
    };
    FrontSearch<Acc> front(data, settings, control);
    front.start();
    Bounds best = front.at_price();
    if (best.upper < kInfinity) control.incumbent(best.upper);
    {
        Search<Acc> unlimited(data, settings, prices, control, front.bytes());
        const Bounds found = unlimited.run_plain();
        best.lower = std::min(best.upper, std::max(best.lower, found.lower));
        if (found.exact() || control.ended()) {  // else its tree would have to be searched for
            Shape shape = unlimited.tree();
            const std::int64_t cost =
                found.upper < kInfinity ? cost_of(data, shape, settings.leaf_price, settings.unit_shift) : kInfinity;
            if (count_leaves(shape) <= settings.max_leaves && cost <= best.upper) {
                best.upper = cost;
                out.shape = std::move(shape);
            }
        }
        account(unlimited);
        out.leaf_limit_is_slack =
            !best.exact() && !control.ended() && !binds(settings, std::min(best.upper, found.upper));
    }
    const std::int64_t without_front = out.shape.empty() ? kInfinity : best.upper;
    if (!out.leaf_limit_is_slack && !best.exact()) best = front.run_at_price(best);
    if (out.shape.empty() || best.upper < without_front) out.shape = front.tree_at_price();
    account(front);
    out.bounds = best;
    return out;
}

template Outcome search_few_leaves<std::int32_t>(const Dataset&, const Settings&, std::span<const std::int64_t>, Control&);
template Outcome search_few_leaves<std::int64_t>(const Dataset&, const Settings&, std::span<const std::int64_t>, Control&);

}  // namespace treewright::bits
