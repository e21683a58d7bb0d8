#include "treewright/bornagain/active.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

namespace treewright::bornagain {

namespace {

constexpr std::size_t kMaxPairedCells = 700;  // pairs of equal label are tested for conflict among so many cells
constexpr std::size_t kWordsPerCost = 4096;   // of sets; about a microsecond

template <class Visit>
void for_each(const std::vector<std::uint64_t>& set, const Visit& visit) {
    for (std::size_t w = 0; w < set.size(); ++w)
        for (std::uint64_t bits = set[w]; bits != 0; bits &= bits - 1)
            visit(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
}

bool empty(const std::vector<std::uint64_t>& set) {
    return std::all_of(set.begin(), set.end(), [](auto word) { return word == 0; });
}

}  // namespace

std::size_t Active::Hash::operator()(const Set& set) const noexcept {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for (const std::uint64_t word : set) {
        h = (h ^ word) * 0xbf58476d1ce4e5b9;
        h ^= h >> 31;
    }
    return h;
}

Active::Active(const Ensemble& ensemble, std::vector<std::vector<std::int32_t>> cells, Control& control)
    : ensemble_(ensemble),
      control_(control),
      regions_(ensemble),
      cells_(std::move(cells)),
      words_((cells_.size() + 63) / 64) {}

void Active::index_cells() {
    for (const auto& cell : cells_) {
        labels_.push_back(ensemble_.label(cell));
        if (control_.poll(1 + static_cast<std::int64_t>(ensemble_.roots.size() / 64))) return;
    }
    values_.resize(ensemble_.n_features());
    up_to_.resize(ensemble_.n_features());
    for (std::size_t f = 0; f < values_.size(); ++f) {
        for (const auto& cell : cells_) values_[f].push_back(cell[f]);
        std::sort(values_[f].begin(), values_[f].end());
        values_[f].erase(std::unique(values_[f].begin(), values_[f].end()), values_[f].end());
        for (const std::int32_t value : values_[f]) {
            Set set(words_, 0);
            if (control_.poll(1 + static_cast<std::int64_t>(cells_.size() / 1024))) return;
            for (std::size_t i = 0; i < cells_.size(); ++i)
                if (cells_[i][f] <= value) set[i / 64] |= std::uint64_t{1} << (i % 64);
            up_to_[f].push_back(std::move(set));
        }
    }
}

// Information of a split: less entropy of the labels or, where all labels are equal, more even sides.
Active::Split Active::quick_split(const Set& set) const {
    std::vector<std::size_t> members;
    for_each(set, [&](std::size_t i) { members.push_back(i); });
    const auto classes = static_cast<std::size_t>(ensemble_.n_classes);
    const bool pure =
        std::all_of(members.begin(), members.end(), [&](auto i) { return labels_[i] == labels_[members[0]]; });
    const auto entropy = [&](const std::vector<std::int64_t>& counts, std::int64_t total) {
        double sum = 0.0;
        for (const std::int64_t c : counts)
            if (c > 0) sum -= static_cast<double>(c) * std::log(static_cast<double>(c) / static_cast<double>(total));
        return sum;
    };
    Split best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < values_.size(); ++f) {
        std::sort(members.begin(), members.end(), [&](auto i, auto j) { return cells_[i][f] < cells_[j][f]; });
        std::vector<std::int64_t> left(classes, 0), right(classes, 0);
        for (const std::size_t i : members) ++right[labels_[i]];
        for (std::size_t at = 0; at + 1 < members.size(); ++at) {
            ++left[labels_[members[at]]];
            --right[labels_[members[at]]];
            if (cells_[members[at]][f] == cells_[members[at + 1]][f]) continue;
            const auto n_left = static_cast<std::int64_t>(at + 1);
            const auto n_right = static_cast<std::int64_t>(members.size()) - n_left;
            const double cost = pure ? static_cast<double>(std::abs(n_left - n_right))
                                     : entropy(left, n_left) + entropy(right, n_right);
            if (cost >= least) continue;
            least = cost;
            best.feature = f;
            best.rank = static_cast<std::size_t>(
                std::lower_bound(values_[f].begin(), values_[f].end(), cells_[members[at]][f]) - values_[f].begin());
        }
    }
    best.left.resize(words_);
    best.right.resize(words_);
    for (std::size_t w = 0; w < words_; ++w) {
        best.left[w] = set[w] & up_to_[best.feature][best.rank][w];
        best.right[w] = set[w] & ~up_to_[best.feature][best.rank][w];
    }
    return best;
}

std::int32_t Active::quick(const Set& set) {
    if (homogeneous(set) || control_.stopped()) {
        tree_.push_back({-1, 0, label(set)});
        return 1;
    }
    const Split split = quick_split(set);
    emit(set, split);
    const std::int32_t left = quick(split.left);
    return left + quick(split.right);
}

void Active::find_conflicts() {
    const std::size_t n = cells_.size();
    const std::size_t bytes = n * words_ * 8;
    control_.bytes(bytes);
    if (bytes > control_.limits().bytes) {
        control_.halt(Stop::memory);
        return;
    }
    conflicts_.assign(n, Set(words_, 0));
    const auto join = [&](std::size_t i, std::size_t j) {
        conflicts_[i][j / 64] |= std::uint64_t{1} << (j % 64);
        conflicts_[j][i / 64] |= std::uint64_t{1} << (i % 64);
    };
    Box box{std::vector<std::int32_t>(ensemble_.n_features()), std::vector<std::int32_t>(ensemble_.n_features())};
    const std::size_t stride = std::max<std::size_t>(1, (n + kMaxPairedCells - 1) / kMaxPairedCells);
    for (std::size_t i = 0; i < n; ++i) {
        if (control_.poll(1 + static_cast<std::int64_t>((n - i) / 256))) return;
        for (std::size_t j = i + 1; j < n && !control_.stopped(); ++j) {
            if (labels_[i] != labels_[j]) {
                join(i, j);
            } else if (i % stride == 0 && j % stride == 0) {
                for (std::size_t f = 0; f < box.lo.size(); ++f)
                    std::tie(box.lo[f], box.hi[f]) = std::minmax(cells_[i][f], cells_[j][f]);
                if (regions_.find_other(box, labels_[i], control_)) join(i, j);
            }
        }
    }
}

bool Active::homogeneous(const Set& set) {
    int label = -1;
    bool same = true;
    Box box;
    for_each(set, [&](std::size_t i) {
        if (label < 0) {
            label = labels_[i];
            box.lo = box.hi = cells_[i];
        }
        same = same && labels_[i] == label;
        for (std::size_t f = 0; f < box.lo.size(); ++f) {
            box.lo[f] = std::min(box.lo[f], cells_[i][f]);
            box.hi[f] = std::max(box.hi[f], cells_[i][f]);
        }
    });
    return same && !regions_.find_other(std::move(box), static_cast<std::uint8_t>(label), control_) &&
           !control_.stopped();
}

// Greedy clique: again and again the cell with most conflicts among the candidates left. Any clique is a bound, so a
// stop returns what is there.
std::int32_t Active::clique(const Set& set) {
    Set candidates = set;
    std::int32_t size = 0;
    while (true) {
        std::size_t best = cells_.size();
        std::int64_t most = -1;
        for_each(candidates, [&](std::size_t i) {
            std::int64_t count = 0;
            for (std::size_t w = 0; w < words_; ++w) count += std::popcount(conflicts_[i][w] & candidates[w]);
            if (count > most) {
                most = count;
                best = i;
            }
        });
        if (best == cells_.size()) return size;
        ++size;
        if (control_.poll(1 + static_cast<std::int64_t>(cells_.size() * words_ / kWordsPerCost))) return size;
        for (std::size_t w = 0; w < words_; ++w) candidates[w] &= conflicts_[best][w];
    }
}

std::int64_t Active::conflicts_inside(const Set& set) const {
    std::int64_t count = 0;
    for_each(set, [&](std::size_t i) {
        for (std::size_t w = 0; w < words_; ++w) count += std::popcount(conflicts_[i][w] & set[w]);
    });
    return count / 2;
}

Active::Known& Active::look_up(const Set& set) {
    const auto [at, fresh] = known_.try_emplace(set);
    Known& known = at->second;
    if (fresh) {
        known.bound = clique(set);
        if (known.bound < 2) {
            if (homogeneous(set)) {
                known.exact = true;
            } else if (!control_.stopped()) {
                known.bound = 2;
            }
        }
    }
    return known;
}

std::vector<Active::Split> Active::splits(const Set& set) {
    std::vector<Split> found;
    for (std::size_t f = 0; f < up_to_.size(); ++f) {
        Set last;
        for (std::size_t rank = 0; rank + 1 < up_to_[f].size(); ++rank) {
            if (control_.poll()) return {};
            Split split;
            split.feature = f;
            split.rank = rank;
            split.left.resize(words_);
            split.right.resize(words_);
            for (std::size_t w = 0; w < words_; ++w) {
                split.left[w] = set[w] & up_to_[f][rank][w];
                split.right[w] = set[w] & ~up_to_[f][rank][w];
            }
            if (empty(split.right)) break;
            if (empty(split.left) || split.left == last) continue;
            last = split.left;
            split.bound = look_up(split.left).bound + look_up(split.right).bound;
            found.push_back(std::move(split));
        }
    }
    for (Split& split : found) {
        if (control_.poll(1 + static_cast<std::int64_t>(cells_.size() * words_ / kWordsPerCost))) return {};
        split.conflicts = conflicts_inside(split.left) + conflicts_inside(split.right);
    }
    std::stable_sort(found.begin(), found.end(), [](const Split& x, const Split& y) {
        return x.bound != y.bound ? x.bound < y.bound : x.conflicts < y.conflicts;
    });
    return found;
}

std::int32_t Active::solve(const Set& set, std::int32_t upper) {
    {
        const Known& known = look_up(set);
        if (known.exact || known.bound >= upper) return known.bound;
        if (control_.step(64)) return known.bound;
    }
    if (known_.size() % 256 == 0) {
        const std::size_t bytes = known_.size() * (words_ * 8 + 80) + cells_.size() * words_ * 8;
        control_.bytes(bytes);
        if (bytes > control_.limits().bytes) control_.halt(Stop::memory);
    }
    std::int32_t best = upper;
    const std::int32_t least = look_up(set).bound;
    for (const Split& split : splits(set)) {
        // Bounds may have grown since the splits were sorted.
        const std::int32_t right_bound = look_up(split.right).bound;
        if (look_up(split.left).bound + right_bound >= best) continue;
        const std::int32_t left = solve(split.left, best - right_bound);
        if (control_.stopped()) return least;
        if (left >= best - right_bound) continue;
        const std::int32_t right = solve(split.right, best - left);
        if (control_.stopped()) return least;
        best = std::min(best, left + right);
        if (best == least) break;
    }
    if (control_.stopped()) return least;  // splits may be missing, and prove nothing
    Known& known = look_up(set);
    known.bound = std::max(known.bound, best);
    known.exact = best < upper;
    return known.bound;
}

std::int32_t Active::label(const Set& set) const {
    std::int32_t answer = 0;
    for (std::size_t w = 0; w < words_; ++w)
        if (set[w] != 0) {
            answer = labels_[64 * w + static_cast<std::size_t>(std::countr_zero(set[w]))];
            break;
        }
    return answer;
}

// The plane in the middle of the gap between the two sides.
void Active::emit(const Set& set, const Split& split) {
    std::int32_t left = -1, right = std::numeric_limits<std::int32_t>::max();
    for_each(set, [&](std::size_t i) {
        const std::int32_t z = cells_[i][split.feature];
        if (z <= values_[split.feature][split.rank]) {
            left = std::max(left, z);
        } else {
            right = std::min(right, z);
        }
    });
    tree_.push_back({static_cast<std::int32_t>(split.feature), left + (right - left) / 2, 0});
}

// Builds a solved set's tree: the first split whose halves add up to the value.
void Active::write(const Set& set) {
    const std::int32_t value = solve(set, std::numeric_limits<std::int32_t>::max() / 2);
    if (value == 1) {
        tree_.push_back({-1, 0, label(set)});
        return;
    }
    for (const Split& split : splits(set)) {
        const std::int32_t right_bound = look_up(split.right).bound;
        if (look_up(split.left).bound + right_bound > value) continue;
        const std::int32_t left = solve(split.left, value - right_bound + 1);
        if (left > value - right_bound) continue;
        if (left + solve(split.right, value - left + 1) != value) continue;
        emit(set, split);
        write(split.left);
        write(split.right);
        return;
    }
}

std::int32_t Active::greedy(const Set& set) {
    if (homogeneous(set) || control_.stopped()) {
        tree_.push_back({-1, 0, label(set)});
        return 1;
    }
    Split best;
    {
        std::vector<Split> all = splits(set);
        if (all.empty()) {  // stopped: the tree is not used
            tree_.push_back({-1, 0, label(set)});
            return 1;
        }
        best = std::move(all.front());  // splits come in order
    }
    emit(set, best);
    const std::int32_t left = greedy(best.left);
    return left + greedy(best.right);
}

ActiveResult Active::run() {
    ActiveResult result;
    result.cells = static_cast<std::int64_t>(cells_.size());
    Set all(words_, ~std::uint64_t{0});
    if (cells_.size() % 64 != 0) all.back() = (std::uint64_t{1} << (cells_.size() % 64)) - 1;
    const auto offer = [&](std::int32_t leaves) {  // the tree at hand as the incumbent, if it is complete and better
        if (!control_.stopped() && (result.tree.empty() || leaves < result.leaves)) {
            result.leaves = leaves;
            result.tree = tree_;
        }
        tree_.clear();
    };
    index_cells();
    if (control_.stopped()) return result;
    offer(quick(all));
    find_conflicts();
    if (control_.stopped()) return result;
    offer(greedy(all));
    std::int32_t bound = look_up(all).bound;
    // Raise the bound one leaf at a time: a tight budget prunes most, and every step is a proof.
    while (!control_.stopped() && bound < result.leaves) {
        const std::int32_t value = solve(all, bound + 1);
        if (control_.stopped()) break;
        if (value <= bound) break;
        bound = value;
        control_.lower_bound(bound);
    }
    result.leaves_bound = bound;
    result.states = static_cast<std::int64_t>(known_.size());
    if (!control_.stopped() && bound < result.leaves) {
        write(all);
        offer(bound);
    }
    // Stopped while writing: the bound holds, the tree is not there.
    result.optimal = !control_.stopped() && result.leaves == bound;
    return result;
}

}  // namespace treewright::bornagain
