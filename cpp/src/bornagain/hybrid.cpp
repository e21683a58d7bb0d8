#include "treewright/bornagain/hybrid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace treewright::bornagain {

namespace {

// Sum over classes of c log c; the entropy of a side times its size, up to the side's own n log n.
double sum_c_log_c(std::span<const std::int64_t> counts) {
    double sum = 0.0, total = 0.0;
    for (const std::int64_t c : counts) {
        const auto count = static_cast<double>(c);
        if (c > 0) sum += count * std::log(count);
        total += count;
    }
    return total > 0.0 ? sum - total * std::log(total) : 0.0;
}

// Best split of one axis by information gain: counts[slab * classes + c] -> (gain relative to no split, slab).
std::pair<double, std::int32_t> best_split(const std::vector<std::int64_t>& counts, std::size_t classes) {
    std::vector<std::int64_t> left(classes, 0), right(classes, 0);
    const std::size_t slabs = counts.size() / classes;
    for (std::size_t i = 0; i < counts.size(); ++i) right[i % classes] += counts[i];
    const double whole = sum_c_log_c(right);
    std::pair<double, std::int32_t> best{-1.0, 0};
    for (std::size_t slab = 0; slab + 1 < slabs; ++slab) {
        for (std::size_t c = 0; c < classes; ++c) {
            left[c] += counts[slab * classes + c];
            right[c] -= counts[slab * classes + c];
        }
        const double gain = sum_c_log_c(left) + sum_c_log_c(right) - whole;
        if (gain > best.first + 1e-9) best = {gain, static_cast<std::int32_t>(slab)};
    }
    return best;
}

}  // namespace

Hybrid::Hybrid(const Ensemble& ensemble, const HybridOptions& options, Control& control)
    : ensemble_(ensemble), options_(options), control_(control), regions_(ensemble), random_(options.seed) {}

bool Hybrid::halted() {
    if (result_.leaves > options_.max_leaves) result_.too_large = true;
    return result_.too_large || control_.stopped() || control_.step(256);  // what follows takes milliseconds
}

Exact Hybrid::solve(const Grid& grid) {
    ++result_.exact_regions;
    // Its own control: memory too small for the table of a region only means one more greedy split there.
    const Limits& limits = control_.limits();
    Control control({limits.seconds - control_.seconds(), limits.steps - control_.steps(), limits.bytes},
                    [&](const Progress&) { return control_.step(256) ? control_.reason() : Stop::none; });
    Exact exact = solve_exact(grid, Goal::leaves, options_.threads, control);
    if (control.stopped() && control.reason() != Stop::memory) control_.halt(control.reason());
    return exact;
}

HybridResult Hybrid::build() {
    result_ = {};
    random_.seed(options_.seed);
    Box box = ensemble_.whole();
    build_box(box);
    result_.complete = !control_.stopped() && !result_.too_large;
    return result_;
}

double Hybrid::estimate_leaves(int descents) {
    result_ = {};
    random_.seed(options_.seed);
    double sum = 0.0;
    int done = 0;
    for (; done < descents && !control_.stopped(); ++done) {
        Box box = ensemble_.whole();
        sum += descend(box);
    }
    return done > 0 ? sum / done : 0.0;
}

void Hybrid::build_box(Box& box) {
    if (halted()) return;
    const auto planes = ensemble_.planes(box);
    if (count_cells(planes) <= options_.grid_cells) {
        const Grid grid = make_grid(ensemble_, box, control_);
        if (!control_.stopped()) build_grid(grid);
        return;
    }
    const Split split = choose(box, planes);
    if (control_.stopped()) return;
    if (split.leaf) {
        result_.tree.push_back({-1, 0, split.label});
        ++result_.leaves;
        return;
    }
    result_.tree.push_back({static_cast<std::int32_t>(split.feature), split.plane, 0});
    const std::int32_t hi = std::exchange(box.hi[split.feature], split.plane);
    build_box(box);
    box.hi[split.feature] = hi;
    const std::int32_t lo = std::exchange(box.lo[split.feature], split.plane + 1);
    build_box(box);
    box.lo[split.feature] = lo;
}

void Hybrid::build_grid(const Grid& grid) {
    if (halted()) return;
    if (grid.boxes() <= options_.exact_boxes || grid.n.empty()) {
        const bool whole = result_.tree.empty();
        const Exact exact = solve(grid);
        result_.leaves_bound = std::max(result_.leaves_bound, exact.leaves_bound);
        if (control_.stopped()) return;
        if (exact.solved) {
            result_.optimal = whole;
            result_.tree.insert(result_.tree.end(), exact.tree.begin(), exact.tree.end());
            for (const PlaneNode& node : exact.tree) result_.leaves += node.feature < 0;
            return;
        }
    }
    result_.leaves_bound = std::max<std::int64_t>(result_.leaves_bound, grid.n_planes() + 1);
    const auto [axis, slab] = choose(grid);
    result_.tree.push_back({grid.feature[axis], grid.planes[axis][static_cast<std::size_t>(slab)], 0});
    build_grid(slice(grid, axis, 0, slab, control_));
    build_grid(slice(grid, axis, slab + 1, grid.n[axis] - 1, control_));
}

double Hybrid::descend(Box& box) {
    double weight = 1.0;
    while (!halted()) {
        const auto planes = ensemble_.planes(box);
        if (count_cells(planes) <= options_.grid_cells) {
            const Grid grid = make_grid(ensemble_, box, control_);
            return control_.stopped() ? weight : weight * descend(grid);
        }
        const Split split = choose(box, planes);
        if (split.leaf || control_.stopped()) break;
        weight *= 2.0;
        if (random_() & 1) {
            box.hi[split.feature] = split.plane;
        } else {
            box.lo[split.feature] = split.plane + 1;
        }
    }
    return weight;
}

double Hybrid::descend(const Grid& start) {
    double weight = 1.0;
    Grid grid = start;
    while (!halted()) {
        if (grid.boxes() <= options_.exact_boxes || grid.n.empty()) {
            const Exact exact = solve(grid);
            if (exact.solved) return weight * static_cast<double>((exact.tree.size() + 1) / 2);
        }
        const auto [axis, slab] = choose(grid);
        weight *= 2.0;
        grid = random_() & 1 ? slice(grid, axis, 0, slab, control_)
                             : slice(grid, axis, slab + 1, grid.n[axis] - 1, control_);
    }
    return weight;
}

std::pair<std::size_t, std::int32_t> Hybrid::choose(const Grid& grid) const {
    const auto classes = static_cast<std::size_t>(ensemble_.n_classes);
    std::pair<double, std::int32_t> best{-1.0, 0};
    std::size_t best_axis = 0;
    std::size_t run = grid.labels.size();
    for (std::size_t k = 0; k < grid.n.size(); ++k) {
        const auto n = static_cast<std::size_t>(grid.n[k]);
        run /= n;
        std::vector<std::int64_t> counts(n * classes, 0);
        for (std::size_t at = 0, slab = 0; at < grid.labels.size(); at += run, slab = slab + 1 == n ? 0 : slab + 1)
            for (std::size_t i = at; i < at + run; ++i) ++counts[slab * classes + grid.labels[i]];
        const auto split = best_split(counts, classes);
        if (split.first > best.first) {
            best = split;
            best_axis = k;
        }
    }
    return {best_axis, best.second};
}

Hybrid::Split Hybrid::choose(const Box& box, const std::vector<std::vector<std::int32_t>>& planes) {
    const auto classes = static_cast<std::size_t>(ensemble_.n_classes);
    std::vector<Cell> cells;
    std::vector<std::uint8_t> labels;
    std::vector<std::size_t> axes;
    for (std::size_t f = 0; f < planes.size(); ++f)
        if (!planes[f].empty()) axes.push_back(f);
    const auto add = [&](Cell cell) {
        labels.push_back(ensemble_.label(cell));
        cells.push_back(std::move(cell));
    };
    // A sample is a random group of cells between tested planes, the same for all, whatever its width.
    for (std::size_t i = 0; i < options_.samples; ++i) {
        Cell cell = box.lo;
        for (const std::size_t f : axes) {
            const auto group = static_cast<std::size_t>(random_() % (planes[f].size() + 1));
            cell[f] = group == 0 ? box.lo[f] : planes[f][group - 1] + 1;
        }
        add(std::move(cell));
        // Two labels are enough reason to split, a quarter of the samples enough to choose where.
        if (i >= options_.samples / 4 && labels.front() != labels.back()) break;
    }
    if (std::all_of(labels.begin(), labels.end(), [&](auto label) { return label == labels[0]; })) {
        auto other = regions_.find_other(box, labels[0], control_);
        if (!other) {
            ++result_.certified;
            return {true, labels[0], 0, 0};
        }
        add(std::move(*other));
    }
    Split split;
    double best = -1.0;
    for (const std::size_t f : axes) {
        std::vector<std::int64_t> counts((planes[f].size() + 1) * classes, 0);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto group = std::lower_bound(planes[f].begin(), planes[f].end(), cells[i][f]) - planes[f].begin();
            ++counts[static_cast<std::size_t>(group) * classes + labels[i]];
        }
        const auto [gain, slab] = best_split(counts, classes);
        if (gain > best) {
            best = gain;
            split.feature = f;
            split.plane = planes[f][static_cast<std::size_t>(slab)];
        }
    }
    return split;
}

}  // namespace treewright::bornagain
