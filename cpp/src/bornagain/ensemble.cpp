#include "treewright/bornagain/ensemble.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace treewright::bornagain {

double Box::cells() const {
    double product = 1.0;
    for (std::size_t f = 0; f < lo.size(); ++f) product *= hi[f] - lo[f] + 1;
    return product;
}

Box Ensemble::whole() const {
    Box box{std::vector<std::int32_t>(n_features(), 0), n_cells};
    for (auto& last : box.hi) --last;
    return box;
}

namespace {

std::uint8_t first_largest(std::span<const double> scores) {
    return static_cast<std::uint8_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

// The libraries' own order of operations: subtract the largest, exponentiate, divide by the double sum.
template <class Float>
void softmax(std::span<double> scores) {
    Float largest = static_cast<Float>(scores[0]);
    for (const double s : scores) largest = std::max(largest, static_cast<Float>(s));
    double sum = 0.0;
    for (double& s : scores) {
        const Float e = std::exp(static_cast<Float>(s) - largest);
        s = static_cast<double>(e);
        sum += s;
    }
    for (double& s : scores) s = static_cast<double>(static_cast<Float>(s) / static_cast<Float>(sum));
}

}  // namespace

std::uint8_t Ensemble::classify(std::span<double> scores) const {
    switch (link) {
        case Link::positive:
            return scores[0] > cutoff ? 1 : 0;
        case Link::softmax32:
            softmax<float>(scores);
            break;
        case Link::softmax64:
            softmax<double>(scores);
            break;
        case Link::argmax:
            if (divisor != 1.0)
                for (double& s : scores) s /= divisor;
            break;
    }
    return first_largest(scores);
}

std::uint8_t Ensemble::label_of_leaves(std::span<const std::int32_t> leaves) const {
    std::array<double, 256> scores;
    const auto k = static_cast<std::size_t>(n_outputs);
    std::copy(bias.begin(), bias.end(), scores.begin());
    for (const std::int32_t leaf : leaves) {
        const double* value = &values[static_cast<std::size_t>(nodes[static_cast<std::size_t>(leaf)].value)];
        for (std::size_t o = 0; o < k; ++o) {
            scores[o] = single ? static_cast<double>(static_cast<float>(scores[o]) + static_cast<float>(value[o]))
                               : scores[o] + value[o];
        }
    }
    return classify({scores.data(), k});
}

std::uint8_t Ensemble::label(std::span<const std::int32_t> cell) const {
    std::vector<std::int32_t> leaves(roots);
    for (auto& at : leaves) {
        while (true) {
            const Node& node = nodes[static_cast<std::size_t>(at)];
            if (node.feature < 0) break;
            const std::int32_t z = cell[static_cast<std::size_t>(node.feature)];
            at = reaches_left(node, z, z) ? node.left : node.right;
        }
    }
    return label_of_leaves(leaves);
}

std::vector<std::vector<std::int32_t>> Ensemble::planes(const Box& box) const {
    std::vector<std::vector<std::int32_t>> found(n_features());
    std::vector<std::int32_t> stack(roots);
    while (!stack.empty()) {
        const Node& node = nodes[static_cast<std::size_t>(stack.back())];
        stack.pop_back();
        if (node.feature < 0) continue;
        const auto f = static_cast<std::size_t>(node.feature);
        const bool left = reaches_left(node, box.lo[f], box.hi[f]);
        const bool right = reaches_right(node, box.lo[f], box.hi[f]);
        if (left) stack.push_back(node.left);
        if (right) stack.push_back(node.right);
        if (!left || !right) continue;
        if (node.plane >= box.lo[f] && node.plane < box.hi[f]) found[f].push_back(node.plane);
        // A missing cell in the box is apart from the known ones wherever a test can tell them.
        const std::int32_t last = top(node.feature);
        if (box.hi[f] == last && box.lo[f] < last) found[f].push_back(last - 1);
    }
    for (auto& list : found) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return found;
}

Ensemble Ensemble::restricted(const Box& box, const std::vector<std::vector<std::int32_t>>& kept) const {
    Ensemble inside(*this);
    for (std::size_t f = 0; f < n_features(); ++f) {
        inside.n_cells[f] = static_cast<std::int32_t>(kept[f].size()) + 1;
        const std::int32_t last = top(static_cast<std::int32_t>(f));
        // The top cell still means "missing" only if it holds nothing else.
        const bool has_missing = missing[f] != 0 && box.hi[f] == last;
        const bool apart = has_missing && (box.lo[f] == last || (!kept[f].empty() && kept[f].back() == last - 1));
        inside.missing[f] = apart ? 1 : 0;
    }
    for (Node& node : inside.nodes) {
        if (node.feature < 0) continue;
        const auto f = static_cast<std::size_t>(node.feature);
        const std::int32_t known = std::min(box.hi[f], top(node.feature) - 1);
        if (node.plane >= known) {
            node.plane = inside.n_cells[f] - 1;  // all known cells of the box go left
        } else {
            const auto& list = kept[f];
            node.plane =
                static_cast<std::int32_t>(std::upper_bound(list.begin(), list.end(), node.plane) - list.begin()) - 1;
        }
    }
    return inside;
}

}  // namespace treewright::bornagain
