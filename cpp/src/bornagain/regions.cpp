#include "treewright/bornagain/regions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace treewright::bornagain {

namespace {

// A step may look at every node of the ensemble, so it counts by them: about 10 microseconds a unit.
constexpr std::int64_t kNodesPerCost = 2048;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Regions::Regions(const Ensemble& ensemble) : ensemble_(ensemble), n_trees_(ensemble.roots.size()) {
    const auto& e = ensemble_;
    const auto outputs = static_cast<std::size_t>(e.n_outputs);
    const auto classes = static_cast<std::size_t>(e.n_classes);
    double largest = 0.0;  // sum over trees is at most this times the number of trees
    for (const double v : e.values) largest = std::max(largest, std::abs(v));
    double total = largest * static_cast<double>(n_trees_) + std::abs(e.cutoff);
    for (const double b : e.bias) total += std::abs(b);
    const double ulp = e.single ? 0x1p-23 : 0x1p-52;
    margin_ = e.exact ? 0.0 : 8.0 * static_cast<double>(n_trees_ + 4) * ulp * total;
    // A softmax may map scores apart by a few ulp of one onto the same probability.
    if (e.link == Link::softmax32) margin_ += 1e-6;
    if (e.link == Link::softmax64) margin_ += 1e-14;

    margins_.resize(classes * classes);
    offset_.assign(classes * classes, 0.0);
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t r = 0; r < classes; ++r) {
            if (c == r) continue;
            auto& margin = margins_[c * classes + r];
            margin.assign(e.nodes.size(), 0.0);
            if (outputs == 1) {  // class 1 before class 0 by score - split
                const double sign = r == 1 ? 1.0 : -1.0;
                offset_[c * classes + r] = sign * (e.bias[0] - e.cutoff);
                for (std::size_t i = 0; i < e.nodes.size(); ++i)
                    if (e.nodes[i].feature < 0) margin[i] = sign * e.values[static_cast<std::size_t>(e.nodes[i].value)];
            } else {
                offset_[c * classes + r] = e.bias[r] - e.bias[c];
                for (std::size_t i = 0; i < e.nodes.size(); ++i) {
                    if (e.nodes[i].feature >= 0) continue;
                    const double* value = &e.values[static_cast<std::size_t>(e.nodes[i].value)];
                    margin[i] = value[r] - value[c];
                }
            }
        }
    }
}

void Regions::range(std::int32_t at, std::span<const double> leaf_score, double& lo, double& hi) const {
    const Node& node = ensemble_.nodes[static_cast<std::size_t>(at)];
    ++nodes_;
    if (node.feature < 0) {
        const double score = leaf_score[static_cast<std::size_t>(at)];
        lo = std::min(lo, score);
        hi = std::max(hi, score);
        return;
    }
    const auto f = static_cast<std::size_t>(node.feature);
    if (ensemble_.reaches_left(node, box_.lo[f], box_.hi[f])) range(node.left, leaf_score, lo, hi);
    if (ensemble_.reaches_right(node, box_.lo[f], box_.hi[f])) range(node.right, leaf_score, lo, hi);
}

void Regions::advance(std::size_t base) {
    for (std::size_t t = 0; t < n_trees_; ++t) {
        std::int32_t& at = stack_[base + t];
        while (true) {
            const Node& node = ensemble_.nodes[static_cast<std::size_t>(at)];
            if (node.feature < 0) break;
            const auto f = static_cast<std::size_t>(node.feature);
            if (!ensemble_.reaches_right(node, box_.lo[f], box_.hi[f])) {
                at = node.left;
            } else if (!ensemble_.reaches_left(node, box_.lo[f], box_.hi[f])) {
                at = node.right;
            } else {
                break;
            }
        }
    }
}

std::size_t Regions::likely_class(std::size_t base) const {
    std::vector<double> middle(static_cast<std::size_t>(ensemble_.n_classes), 0.0);
    for (std::size_t r = 1; r < middle.size(); ++r) {
        middle[r] = 2.0 * offset_[r];
        for (std::size_t t = 0; t < n_trees_; ++t) {
            double lo = kInfinity, hi = -kInfinity;
            range(stack_[base + t], margins_[r], lo, hi);
            middle[r] += lo + hi;
        }
    }
    return static_cast<std::size_t>(std::max_element(middle.begin(), middle.end()) - middle.begin());
}

Regions::Split Regions::cut_by(std::int32_t at) const {
    const Node& node = ensemble_.nodes[static_cast<std::size_t>(at)];
    const auto f = static_cast<std::size_t>(node.feature);
    const std::int32_t last = ensemble_.top(node.feature);
    const std::int32_t last_known = box_.hi[f] < last ? box_.hi[f] : last - 1;
    // Both sides are reachable: either the plane is inside the known cells, or only the missing cell differs.
    const bool inside = box_.lo[f] <= node.plane && node.plane < last_known;
    return {f, inside ? node.plane : last - 1};
}

int Regions::decide(std::size_t base, Split& split) {
    nodes_ += static_cast<std::int64_t>(n_trees_);
    advance(base);
    const auto& e = ensemble_;
    const auto is_leaf = [&](std::size_t t) { return e.nodes[static_cast<std::size_t>(stack_[base + t])].feature < 0; };
    bool all_leaves = true;
    for (std::size_t t = 0; t < n_trees_ && all_leaves; ++t) all_leaves = is_leaf(t);
    if (all_leaves) return e.label_of_leaves({stack_.data() + base, n_trees_});

    const auto classes = static_cast<std::size_t>(e.n_classes);
    double widest = -1.0;
    std::size_t least_certain = 0;
    // Only a class that is never behind can be the label of all cells: try the one ahead in the middle of the ranges.
    const std::size_t candidate = classes > 2 ? likely_class(base) : 0;
    bool decided = true;
    for (std::size_t r = 0; r < classes; ++r) {
        if (r == candidate) continue;
        const auto& margin = margins_[candidate * classes + r];
        double low = offset_[candidate * classes + r], high = low;
        for (std::size_t t = 0; t < n_trees_; ++t) {
            double lo = kInfinity, hi = -kInfinity;
            range(stack_[base + t], margin, lo, hi);
            low += lo;
            high += hi;
            if (hi - lo > widest && !is_leaf(t)) {
                widest = hi - lo;
                least_certain = t;
            }
        }
        // The rival r takes a cell from the candidate c if its margin is positive, or zero and r < c.
        const bool never = high < -margin_ || (margin_ == 0.0 && high == 0.0 && r > candidate);
        if (never) continue;
        if (classes == 2) {
            const bool always = low > margin_ || (margin_ == 0.0 && low == 0.0 && r < candidate);
            if (always) return static_cast<int>(r);
        }
        decided = false;
    }
    if (decided) return static_cast<int>(candidate);
    split = cut_by(stack_[base + least_certain]);
    return -1;
}

void Regions::push(std::size_t base) {
    if (stack_.size() < base + 2 * n_trees_) stack_.resize(2 * base + 2 * n_trees_);
    std::copy_n(stack_.begin() + static_cast<std::ptrdiff_t>(base), n_trees_,
                stack_.begin() + static_cast<std::ptrdiff_t>(base + n_trees_));
}

template <class Visit>
bool Regions::walk(Control& control, const Visit& visit) {
    stack_ = ensemble_.roots;
    std::vector<Half> path;
    while (true) {
        const std::size_t base = path.size() * n_trees_;
        Split split{};
        const int decided = decide(base, split);
        if (control.step(1 + std::exchange(nodes_, 0) / kNodesPerCost)) return false;
        if (decided < 0) {
            path.push_back({split, box_.lo[split.feature], box_.hi[split.feature], false});
            box_.hi[split.feature] = split.plane;
            push(base);
            continue;
        }
        if (visit(static_cast<std::uint8_t>(decided))) return true;
        while (!path.empty() && path.back().upper) {
            box_.lo[path.back().split.feature] = path.back().lo;
            path.pop_back();
        }
        if (path.empty()) return false;
        Half& half = path.back();
        half.upper = true;
        box_.hi[half.split.feature] = half.hi;
        box_.lo[half.split.feature] = half.split.plane + 1;
        push((path.size() - 1) * n_trees_);
    }
}

std::optional<std::vector<std::int32_t>> Regions::find_other(Box box, std::uint8_t label, Control& control) {
    box_ = std::move(box);
    const bool found = walk(control, [&](std::uint8_t decided) {
        if (decided != label) cell_ = box_.lo;
        return decided != label;
    });
    if (found) return cell_;
    return std::nullopt;
}

void Regions::paint(std::uint8_t label, std::vector<std::uint8_t>& grid) {
    const std::size_t last = box_.lo.size() - 1;
    const auto run = static_cast<std::size_t>(box_.hi[last] - box_.lo[last] + 1);
    cell_ = box_.lo;
    while (true) {
        std::size_t at = 0;
        for (std::size_t f = 0; f <= last; ++f) at += static_cast<std::size_t>(cell_[f]) * stride_[f];
        std::fill_n(grid.begin() + static_cast<std::ptrdiff_t>(at), run, label);
        nodes_ += static_cast<std::int64_t>(last + run / 64);
        std::size_t f = last;
        while (f > 0 && cell_[f - 1] == box_.hi[f - 1]) {
            cell_[f - 1] = box_.lo[f - 1];
            --f;
        }
        if (f == 0) return;
        ++cell_[f - 1];
    }
}

std::vector<std::uint8_t> Regions::label_cells(Control& control) {
    box_ = ensemble_.whole();
    std::size_t size = 1;
    stride_.assign(ensemble_.n_features(), 0);
    for (std::size_t f = ensemble_.n_features(); f-- > 0;) {
        stride_[f] = size;
        size *= static_cast<std::size_t>(ensemble_.n_cells[f]);
    }
    std::vector<std::uint8_t> grid(size);
    walk(control, [&](std::uint8_t label) {
        paint(label, grid);
        return false;
    });
    return grid;
}

}  // namespace treewright::bornagain
