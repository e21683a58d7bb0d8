#include "treewright/bornagain/grid.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace treewright::bornagain {

double Grid::boxes() const {
    double product = 1.0;
    for (const double cells : n) product *= cells * (cells + 1) / 2;
    return product;
}

int Grid::n_planes() const {
    int sum = 0;
    for (const auto cells : n) sum += cells - 1;
    return sum;
}

namespace {

constexpr std::size_t kBytesPerCost = 1 << 16;  // compared in about 10 microseconds

// Keeps the planes that matter of labels over axes of n cells; axis k is `feature[k]`, its planes are `planes[k]`.
// Stopped by `control` it keeps too few planes, and its caller must not use it.
Grid reduce(const std::vector<std::uint8_t>& all, const std::vector<std::int32_t>& n_cells,
            const std::vector<std::int32_t>& feature, const std::vector<std::vector<std::int32_t>>& planes,
            Control& control) {
    const std::size_t p = n_cells.size();
    std::vector<std::size_t> stride(p);
    std::size_t size = 1;
    for (std::size_t f = p; f-- > 0;) {
        stride[f] = size;
        size *= static_cast<std::size_t>(n_cells[f]);
    }

    Grid grid;
    grid.raw_cells = static_cast<double>(size);
    std::vector<std::vector<std::int32_t>> kept(p);
    for (std::size_t f = 0; f < p; ++f) {
        const auto n = static_cast<std::size_t>(n_cells[f]);
        for (std::size_t m = 0; m + 1 < n; ++m) {
            bool differs = false;
            if (control.poll(1 + static_cast<std::int64_t>(size / n / kBytesPerCost))) return grid;
            for (std::size_t block = 0; block < size && !differs; block += n * stride[f]) {
                const std::uint8_t* slab = &all[block + m * stride[f]];
                differs = std::memcmp(slab, slab + stride[f], stride[f]) != 0;
            }
            if (differs) kept[f].push_back(static_cast<std::int32_t>(m));
        }
    }

    std::vector<std::size_t> axes;
    for (std::size_t f = 0; f < p; ++f)
        if (!kept[f].empty()) axes.push_back(f);
    std::stable_sort(axes.begin(), axes.end(), [&](auto a, auto b) { return kept[a].size() > kept[b].size(); });
    std::size_t cells = 1;
    for (const std::size_t f : axes) {
        grid.feature.push_back(feature[f]);
        grid.n.push_back(static_cast<std::int32_t>(kept[f].size()) + 1);
        grid.planes.push_back(kept[f]);
        cells *= kept[f].size() + 1;
    }
    // Copy one cell of every group: the slab right after a kept plane stands for the group that it opens.
    grid.labels.resize(cells);
    std::vector<std::size_t> z(axes.size(), 0);
    for (std::size_t i = 0; i < cells; ++i) {
        if (i % 1024 == 0 && control.poll(1 + static_cast<std::int64_t>(axes.size() / 8))) return grid;
        std::size_t at = 0;
        for (std::size_t k = 0; k < axes.size(); ++k) {
            const std::size_t cell = z[k] == 0 ? 0 : static_cast<std::size_t>(grid.planes[k][z[k] - 1]) + 1;
            at += cell * stride[axes[k]];
        }
        grid.labels[i] = all[at];
        for (std::size_t k = axes.size(); k-- > 0;) {
            if (++z[k] < static_cast<std::size_t>(grid.n[k])) break;
            z[k] = 0;
        }
    }
    for (std::size_t k = 0; k < axes.size(); ++k)
        for (auto& plane : grid.planes[k]) plane = planes[axes[k]][static_cast<std::size_t>(plane)];
    return grid;
}

}  // namespace

double count_cells(const std::vector<std::vector<std::int32_t>>& planes) {
    double cells = 1.0;
    for (const auto& list : planes) cells *= static_cast<double>(list.size() + 1);
    return cells;
}

Grid make_grid(const Ensemble& whole, const Box& box, Control& control) {
    const auto tested = whole.planes(box);
    const Ensemble ensemble = whole.restricted(box, tested);
    Regions regions(ensemble);
    const std::vector<std::uint8_t> all = regions.label_cells(control);
    if (control.stopped()) return {};
    std::vector<std::int32_t> feature(ensemble.n_features());
    std::iota(feature.begin(), feature.end(), 0);
    return reduce(all, ensemble.n_cells, feature, tested, control);
}

Grid slice(const Grid& grid, std::size_t axis, std::int32_t from, std::int32_t to, Control& control) {
    std::size_t run = 1, blocks = 1;
    for (std::size_t k = 0; k < grid.n.size(); ++k) {
        if (k > axis) run *= static_cast<std::size_t>(grid.n[k]);
        if (k < axis) blocks *= static_cast<std::size_t>(grid.n[k]);
    }
    std::vector<std::uint8_t> part;
    part.reserve(blocks * run * static_cast<std::size_t>(to - from + 1));
    for (std::size_t block = 0; block < blocks; ++block) {
        const auto start = grid.labels.begin() +
                           static_cast<std::ptrdiff_t>(
                               (block * static_cast<std::size_t>(grid.n[axis]) + static_cast<std::size_t>(from)) * run);
        part.insert(part.end(), start, start + static_cast<std::ptrdiff_t>(run) * (to - from + 1));
    }
    std::vector<std::int32_t> n = grid.n;
    n[axis] = to - from + 1;
    std::vector<std::vector<std::int32_t>> planes = grid.planes;
    planes[axis] = {grid.planes[axis].begin() + from, grid.planes[axis].begin() + to};
    return reduce(part, n, grid.feature, planes, control);
}

}  // namespace treewright::bornagain
