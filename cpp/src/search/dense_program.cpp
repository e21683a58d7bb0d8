#include "treewright/search/dense_program.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

namespace treewright::binary {

namespace {

constexpr std::size_t kMaxValues = 64;      // value combinations of a group, one bit each
constexpr std::size_t kMaxElements = 4096;  // lattice elements of a group
constexpr std::size_t kInnerStates = 512;   // states of the contiguous inner block

using ValueSet = std::uint64_t;

// Splits one element of a group's lattice in two.
struct Transition {
    std::int32_t column;
    std::uint32_t zeros;  // element numbers, both smaller than the element's own
    std::uint32_t ones;
};

struct Group {
    std::vector<std::int32_t> columns;
    std::vector<std::uint32_t> value_of_row;  // number of the row's value combination
    std::size_t n_values = 0;
    std::vector<ValueSet> elements;                    // sorted by size: parts before wholes
    std::vector<std::vector<Transition>> transitions;  // of each element
};

// The values of a group of columns, and the value sets reachable by fixing columns. False if it grows too large.
bool build(const Dataset& data, Group& group) {
    std::map<std::vector<bool>, std::uint32_t> number;
    std::vector<std::vector<bool>> values;
    group.value_of_row.resize(data.n_rows);
    std::vector<bool> value(group.columns.size());
    for (std::size_t r = 0; r < data.n_rows; ++r) {
        for (std::size_t j = 0; j < group.columns.size(); ++j)
            value[j] = data.bit(r, static_cast<std::size_t>(group.columns[j]));
        const auto [at, is_new] = number.try_emplace(value, static_cast<std::uint32_t>(values.size()));
        if (is_new) values.push_back(value);
        if (values.size() > kMaxValues) return false;
        group.value_of_row[r] = at->second;
    }
    group.n_values = values.size();
    std::vector<ValueSet> ones(group.columns.size(), 0);
    for (std::size_t v = 0; v < values.size(); ++v)
        for (std::size_t j = 0; j < group.columns.size(); ++j)
            if (values[v][j]) ones[j] |= ValueSet{1} << v;

    const ValueSet all = values.size() == 64 ? ~ValueSet{0} : (ValueSet{1} << values.size()) - 1;
    std::unordered_map<ValueSet, std::uint32_t> found{{all, 0}};
    group.elements = {all};
    for (std::size_t e = 0; e < group.elements.size(); ++e) {
        for (std::size_t j = 0; j < ones.size(); ++j) {
            for (const ValueSet part : {group.elements[e] & ones[j], group.elements[e] & ~ones[j]}) {
                if (part == 0 || !found.try_emplace(part, 0).second) continue;
                group.elements.push_back(part);
                if (group.elements.size() > kMaxElements) return false;
            }
        }
    }
    std::sort(group.elements.begin(), group.elements.end(), [](ValueSet a, ValueSet b) {
        return std::popcount(a) != std::popcount(b) ? std::popcount(a) < std::popcount(b) : a < b;
    });
    for (std::uint32_t e = 0; e < group.elements.size(); ++e) found[group.elements[e]] = e;
    group.transitions.assign(group.elements.size(), {});
    for (std::uint32_t e = 0; e < group.elements.size(); ++e) {
        for (std::size_t j = 0; j < ones.size(); ++j) {
            const ValueSet one = group.elements[e] & ones[j];
            const ValueSet zero = group.elements[e] & ~ones[j];
            if (one != 0 && zero != 0)
                group.transitions[e].push_back({group.columns[j], found.at(zero), found.at(one)});
        }
    }
    return true;
}

// Merges groups while a merged lattice is smaller than the product of the two: best ratio first.
std::vector<Group> find_groups(const Dataset& data) {
    std::vector<Group> groups(data.n_columns);
    for (std::size_t j = 0; j < data.n_columns; ++j) {
        groups[j].columns = {static_cast<std::int32_t>(j)};
        build(data, groups[j]);
    }
    const auto merged = [&](const Group& a, const Group& b) -> std::optional<Group> {
        // If every pair of values occurs, the lattice is the product and nothing is gained.
        std::vector<bool> seen(a.n_values * b.n_values);
        std::size_t n_seen = 0;
        for (std::size_t r = 0; r < data.n_rows && n_seen < seen.size(); ++r) {
            const std::size_t pair = a.value_of_row[r] * b.n_values + b.value_of_row[r];
            n_seen += !seen[pair];
            seen[pair] = true;
        }
        if (n_seen == seen.size() || n_seen > kMaxValues) return std::nullopt;
        Group out;
        std::merge(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                   std::back_inserter(out.columns));
        if (!build(data, out) || out.elements.size() >= a.elements.size() * b.elements.size()) return std::nullopt;
        return out;
    };
    struct Merge {
        std::size_t a, b;
        double ratio;
        Group group;
    };
    std::vector<Merge> merges;
    const auto consider = [&](std::size_t a, std::size_t b) {
        if (auto group = merged(groups[a], groups[b])) {
            const double ratio = static_cast<double>(group->elements.size()) /
                                 static_cast<double>(groups[a].elements.size() * groups[b].elements.size());
            merges.push_back({a, b, ratio, std::move(*group)});
        }
    };
    for (std::size_t a = 0; a < groups.size(); ++a)
        for (std::size_t b = a + 1; b < groups.size(); ++b) consider(a, b);
    std::vector<bool> gone(groups.size());
    while (!merges.empty()) {
        const auto best = std::min_element(merges.begin(), merges.end(), [](const Merge& x, const Merge& y) {
            return x.ratio != y.ratio ? x.ratio < y.ratio : std::pair(x.a, x.b) < std::pair(y.a, y.b);
        });
        const std::size_t a = best->a;
        const std::size_t b = best->b;
        groups.push_back(std::move(best->group));
        gone.push_back(false);
        gone[a] = gone[b] = true;
        std::erase_if(merges, [&](const Merge& m) { return m.a == a || m.a == b || m.b == a || m.b == b; });
        for (std::size_t other = 0; other + 1 < groups.size(); ++other)
            if (!gone[other]) consider(other, groups.size() - 1);
    }
    std::vector<Group> out;
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (!gone[g]) out.push_back(std::move(groups[g]));
    return out;
}

class Program {
   public:
    Program(const Dataset& data, const Settings& settings, std::vector<Group> groups, Control& control)
        : data_(data),
          shift_(settings.unit_shift),
          c_(settings.leaf_penalty),
          groups_(std::move(groups)),
          control_(control) {
        // Small lattices innermost, so that inner blocks stay near their wanted size.
        std::stable_sort(groups_.begin(), groups_.end(),
                         [](const Group& a, const Group& b) { return a.elements.size() > b.elements.size(); });
        weight_.resize(groups_.size());
        n_states_ = 1;
        for (std::size_t g = groups_.size(); g-- > 0;) {
            weight_[g] = n_states_;
            n_states_ *= groups_[g].elements.size();
        }
        first_inner_ = groups_.size();
        inner_ = 1;
        while (first_inner_ > 0 && inner_ * groups_[first_inner_ - 1].elements.size() <= kInnerStates)
            inner_ *= groups_[--first_inner_].elements.size();
    }

    bool run() {
        const std::size_t k = data_.n_classes;
        value_.resize(n_states_);
        cost_.assign(n_states_ * k, 0);
        place_rows();
        list_inside();
        std::vector<std::uint32_t> outer(first_inner_, 0);  // digits of the current block
        for (std::size_t block = 0; block < n_states_; block += inner_) {
            if (control_.poll(1 + static_cast<std::int64_t>(inner_) / 64)) return false;
            sum_costs(block, outer);
            const bool open = price_leaves(block);
            if (open) {
                for (std::size_t g = 0; g < first_inner_; ++g)
                    for (const Transition& t : groups_[g].transitions[outer[g]]) improve_block(block, g, outer[g], t);
                improve_inside(block);
            }
            advance(outer, 0, first_inner_);
        }
        return true;
    }

    [[nodiscard]] std::int64_t optimum() const { return value_.back(); }

    [[nodiscard]] Shape shape() const {
        Shape out;
        std::vector<std::uint32_t> digits(groups_.size());
        for (std::size_t g = 0; g < groups_.size(); ++g)
            digits[g] = static_cast<std::uint32_t>(groups_[g].elements.size() - 1);
        emit(n_states_ - 1, digits, out);
        return out;
    }

   private:
    // Puts each row's costs on the state of its own values (all of them elements of size one).
    void place_rows() {
        std::vector<std::vector<std::uint32_t>> single(groups_.size());
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            single[g].assign(groups_[g].n_values, 0);
            for (std::uint32_t e = 0; e < groups_[g].elements.size(); ++e)
                if (std::popcount(groups_[g].elements[e]) == 1)
                    single[g][static_cast<std::size_t>(std::countr_zero(groups_[g].elements[e]))] = e;
        }
        for (std::size_t r = 0; r < data_.n_rows; ++r) {
            std::size_t state = 0;
            for (std::size_t g = 0; g < groups_.size(); ++g)
                state += weight_[g] * single[g][groups_[g].value_of_row[r]];
            for (std::size_t k = 0; k < data_.n_classes; ++k)
                cost_[k * n_states_ + state] += data_.cost[r * data_.n_classes + k];
        }
    }

    // Costs of all states of a block, from the parts of any one element.
    void sum_costs(std::size_t block, const std::vector<std::uint32_t>& outer) {
        for (std::size_t g = 0; g < first_inner_; ++g) {
            const auto& transitions = groups_[g].transitions[outer[g]];
            if (transitions.empty()) continue;
            const auto [zeros, ones] = parts(block, g, outer[g], transitions.front());
            for (std::size_t k = 0; k < data_.n_classes; ++k) {
                std::int64_t* cost = cost_.data() + k * n_states_;
                for (std::size_t s = 0; s < inner_; ++s) cost[block + s] = cost[zeros + s] + cost[ones + s];
            }
            return;
        }
        for (std::size_t k = 0; k < data_.n_classes; ++k) {
            std::int64_t* cost = cost_.data() + k * n_states_ + block;
            for (std::size_t s = 0; s < inner_; ++s)
                if (const std::uint32_t t = inside_begin_[s]; t < inside_begin_[s + 1])
                    cost[s] = cost[inside_[t].first] + cost[inside_[t].second];
        }
    }

    // Values of all states as leaves. False if no state of the block can be better than its leaf: leaf costs grow
    // with the state, and the last one pays at most c for errors (B1).
    bool price_leaves(std::size_t block) {
        for (std::size_t s = 0; s < inner_; ++s) {
            std::int64_t best = cost_[block + s];
            for (std::size_t k = 1; k < data_.n_classes; ++k) best = std::min(best, cost_[k * n_states_ + block + s]);
            value_[block + s] = (best << shift_) + c_;
        }
        return value_[block + inner_ - 1] > 2 * c_;
    }

    void improve_block(std::size_t block, std::size_t g, std::uint32_t element, const Transition& t) {
        const auto [zeros, ones] = parts(block, g, element, t);
        std::int64_t* __restrict value = value_.data() + block;
        const std::int64_t* a = value_.data() + zeros;
        const std::int64_t* b = value_.data() + ones;
        for (std::size_t s = 0; s < inner_; ++s) value[s] = std::min(value[s], a[s] + b[s]);
    }

    void improve_inside(std::size_t block) {
        std::int64_t* value = value_.data() + block;
        for (std::size_t s = 0; s < inner_; ++s) {
            std::int64_t best = value[s];
            if (best <= 2 * c_) continue;
            for (std::uint32_t t = inside_begin_[s]; t < inside_begin_[s + 1]; ++t)
                best = std::min(best, value[inside_[t].first] + value[inside_[t].second]);
            value[s] = best;
        }
    }

    // The transitions within a block are the same in every block: both parts of each, relative to its start.
    void list_inside() {
        std::vector<std::uint32_t> digits(groups_.size() - first_inner_, 0);
        inside_begin_.assign(1, 0);
        for (std::size_t s = 0; s < inner_; ++s) {
            for (std::size_t g = first_inner_; g < groups_.size(); ++g) {
                const std::uint32_t element = digits[g - first_inner_];
                for (const Transition& t : groups_[g].transitions[element]) {
                    const auto [zeros, ones] = parts(s, g, element, t);
                    inside_.emplace_back(static_cast<std::uint32_t>(zeros), static_cast<std::uint32_t>(ones));
                }
            }
            inside_begin_.push_back(static_cast<std::uint32_t>(inside_.size()));
            advance(digits, first_inner_, groups_.size());
        }
    }

    void advance(std::vector<std::uint32_t>& digits, std::size_t first, std::size_t last) const {
        for (std::size_t g = last; g-- > first;) {
            if (++digits[g - first] < groups_[g].elements.size()) return;
            digits[g - first] = 0;
        }
    }

    [[nodiscard]] std::pair<std::size_t, std::size_t> parts(std::size_t state, std::size_t g, std::uint32_t element,
                                                            const Transition& t) const {
        const std::size_t without = state - weight_[g] * element;
        return {without + weight_[g] * t.zeros, without + weight_[g] * t.ones};
    }

    // Leaf if nothing is cheaper; else the split of the lowest column that attains the value with rows on both sides.
    void emit(std::size_t state, std::vector<std::uint32_t>& digits, Shape& out) const {
        std::int64_t leaf = cost_[state];
        for (std::size_t k = 1; k < data_.n_classes; ++k) leaf = std::min(leaf, cost_[k * n_states_ + state]);
        if ((leaf << shift_) + c_ == value_[state]) {
            out.push_back(Entry::kLeaf);
            return;
        }
        const auto is_empty = [&](std::size_t s) {
            for (std::size_t k = 0; k < data_.n_classes; ++k)
                if (cost_[k * n_states_ + s] != 0) return false;
            return true;
        };
        std::size_t best_group = 0;
        const Transition* best = nullptr;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (const Transition& t : groups_[g].transitions[digits[g]]) {
                const auto [zeros, ones] = parts(state, g, digits[g], t);
                if (value_[zeros] + value_[ones] != value_[state] || is_empty(zeros) || is_empty(ones)) continue;
                if (best == nullptr || t.column < best->column) {
                    best = &t;
                    best_group = g;
                }
            }
        }
        out.push_back(best->column);
        const std::uint32_t element = digits[best_group];
        const auto [zeros, ones] = parts(state, best_group, element, *best);
        digits[best_group] = best->zeros;
        emit(zeros, digits, out);
        digits[best_group] = best->ones;
        emit(ones, digits, out);
        digits[best_group] = element;
    }

    const Dataset& data_;
    int shift_;
    std::int64_t c_;
    std::vector<Group> groups_;
    Control& control_;
    std::vector<std::size_t> weight_;  // states per unit of each group's digit
    std::size_t n_states_ = 1;
    std::size_t first_inner_ = 0;                                  // groups from here on form the inner block
    std::size_t inner_ = 1;                                        // states of a block
    std::vector<std::uint32_t> inside_begin_;                      // transitions of each state of a block
    std::vector<std::pair<std::uint32_t, std::uint32_t>> inside_;  // zeros, ones
    std::vector<std::int64_t> value_;
    std::vector<std::int64_t> cost_;  // n_classes x n_states
};

}  // namespace

std::optional<LatticeResult> solve_by_lattice(const Dataset& data, const Settings& settings, std::size_t max_states,
                                              Control& control) {
    // Finding the groups takes about n_rows * n_columns^2 steps; large tables have no small lattice anyway.
    if (data.n_columns == 0 || data.n_columns > 48 || data.n_rows * data.n_columns * data.n_columns > 20'000'000)
        return std::nullopt;
    std::vector<Group> groups = find_groups(data);
    double states = 1;
    for (const Group& group : groups) states *= static_cast<double>(group.elements.size());
    const double bytes = states * static_cast<double>(8 + 8 * data.n_classes);
    if (states > static_cast<double>(max_states) || bytes > static_cast<double>(control.limits().bytes))
        return std::nullopt;
    Program program(data, settings, std::move(groups), control);
    if (!program.run()) return std::nullopt;
    return LatticeResult{program.optimum(), program.shape()};
}

}  // namespace treewright::binary
