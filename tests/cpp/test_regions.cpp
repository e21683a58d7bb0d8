// Boxes of cells: what interval bounds say of them against the labels of all their cells, for sums that round, in both
// precisions and with every link.
#include "check.hpp"
#include "made_ensemble.hpp"
#include "treewright/bornagain/regions.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

using namespace treewright;
using namespace treewright::bornagain;

namespace {

// Scores are sums of few multiples of `unit`, so that they are equal, or apart by what rounding leaves, all the time.
Ensemble rounding_ensemble(std::mt19937& random, Link link) {
    const std::int32_t classes = link == Link::positive ? 2 : 2 + static_cast<std::int32_t>(random() % 2);
    Ensemble e = random_ensemble(random, 3, 2 + static_cast<std::int32_t>(random() % 4), classes);
    e.exact = false;
    e.link = link;
    e.single = link == Link::softmax32 || random() % 2 == 0;
    // A softmax maps scores apart by less than an ulp of 1 onto equal probabilities.
    double unit = 0.1;
    if (random() % 2 == 0 && link == Link::softmax32) unit = 1e-8;
    if (random() % 2 == 0 && link == Link::softmax64) unit = 1e-17;
    const auto some = [&](unsigned most) {
        const double value = unit * static_cast<double>(random() % (most + 1));
        return e.single ? static_cast<double>(static_cast<float>(value)) : value;
    };
    if (link == Link::positive) {
        e.n_outputs = 1;
        e.values.resize(e.nodes.size());
        for (std::size_t i = 0; i < e.nodes.size(); ++i) e.nodes[i].value = static_cast<std::int32_t>(i);
        e.cutoff = some(10);
    }
    if (link == Link::argmax && random() % 2 == 0) e.divisor = 3.0;
    for (double& value : e.values) value = some(3);
    e.bias.assign(static_cast<std::size_t>(e.n_outputs), 0.0);
    for (double& bias : e.bias) bias = some(2);
    return e;
}

std::vector<std::uint8_t> labels_of(const Ensemble& e, const Box& box) {
    std::vector<std::uint8_t> labels;
    std::vector<std::int32_t> cell = box.lo;
    while (true) {
        labels.push_back(e.label(cell));
        std::size_t f = cell.size();
        while (f > 0 && cell[f - 1] == box.hi[f - 1]) {
            cell[f - 1] = box.lo[f - 1];
            --f;
        }
        if (f == 0) return labels;
        ++cell[f - 1];
    }
}

}  // namespace

int main() {
    std::mt19937 random(11);
    Control control({});
    int homogeneous = 0, mixed = 0;
    for (int round = 0; round < 4000; ++round) {
        const Link links[] = {Link::argmax, Link::positive, Link::softmax32, Link::softmax64};
        const Ensemble e = rounding_ensemble(random, links[round % 4]);
        Regions regions(e);
        check(regions.label_cells(control) == labels_of(e, e.whole()), "the label of every cell");
        Box box = e.whole();
        for (std::size_t f = 0; f < e.n_features(); ++f) {
            if (random() % 2 == 0) continue;
            const auto n = static_cast<unsigned>(e.n_cells[f]);
            box.lo[f] = static_cast<std::int32_t>(random() % n);
            box.hi[f] = static_cast<std::int32_t>(random() % n);
            if (box.lo[f] > box.hi[f]) std::swap(box.lo[f], box.hi[f]);
        }
        const std::vector<std::uint8_t> labels = labels_of(e, box);
        const std::uint8_t label = labels[random() % labels.size()];
        const auto is_other = [&](std::uint8_t own) { return own != label; };
        const auto other = regions.find_other(box, label, control);
        check(other.has_value() == std::any_of(labels.begin(), labels.end(), is_other), "none if there is none");
        if (other) check(is_other(e.label(*other)), "a cell of another label");
        for (std::size_t f = 0; other && f < e.n_features(); ++f)
            check(box.lo[f] <= (*other)[f] && (*other)[f] <= box.hi[f], "a cell of the box");
        ++(other ? mixed : homogeneous);
    }
    check(mixed > 400 && homogeneous > 400, "both answers");
    std::puts("regions: ok");
}
