// Born-again trees: ensembles in, trees over their planes out.
#include "check.hpp"
#include "control.hpp"

#include "treewright/bornagain/active.hpp"
#include "treewright/bornagain/ensemble.hpp"
#include "treewright/bornagain/exact.hpp"
#include "treewright/bornagain/grid.hpp"
#include "treewright/bornagain/hybrid.hpp"
#include "treewright/bornagain/layout.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>

namespace nb = nanobind;
using namespace treewright;
using namespace treewright::bornagain;

namespace {

// Labelling takes about a tenth of a microsecond a cell; more cells than this have never had few enough boxes.
constexpr double kMaxCells = 5e7;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> to_vector(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

Ensemble make_ensemble(const Array<std::int32_t>& feature, const Array<std::int32_t>& plane,
                       const Array<std::int32_t>& left, const Array<std::int32_t>& right,
                       const Array<std::uint8_t>& missing_left, const Array<double>& values,
                       const Array<std::int32_t>& roots, const Array<std::int32_t>& n_cells,
                       const Array<std::uint8_t>& missing, const Array<double>& bias, int n_classes, int link,
                       bool single, bool exact, double divisor, double cutoff) {
    Ensemble e;
    const std::size_t n_nodes = feature.size();
    e.n_outputs = static_cast<std::int32_t>(bias.size());
    const auto k = bias.size();
    if (plane.size() != n_nodes || left.size() != n_nodes || right.size() != n_nodes ||
        missing_left.size() != n_nodes || values.size() != n_nodes * k || missing.size() != n_cells.size() || k < 1 ||
        k > 255 || n_classes < 2 || n_classes > 255 || link < 0 || link > 3)
        throw std::invalid_argument("arrays of the ensemble do not fit together");
    require_within(std::span{n_cells.data(), n_cells.size()}, std::int64_t{1}, std::int64_t{1} << 30, "n_cells");
    if (!(std::abs(divisor) > 0) || std::isnan(cutoff))
        throw std::invalid_argument("divisor or cutoff of the ensemble");
    e.nodes.resize(n_nodes);
    for (std::size_t i = 0; i < n_nodes; ++i) {
        const std::int32_t f = feature(i);
        const auto inside = [&](std::int32_t child) {
            return child > static_cast<std::int32_t>(i) && static_cast<std::size_t>(child) < n_nodes;
        };
        if (f >= static_cast<std::int32_t>(n_cells.size()) || (f >= 0 && !(inside(left(i)) && inside(right(i)))))
            throw std::invalid_argument("a node of the ensemble points outside of it");
        if (f >= 0 && (plane(i) < 0 || plane(i) >= n_cells(f)))
            throw std::invalid_argument("a plane of the ensemble is not one of its feature");
        e.nodes[i] = {f, plane(i), left(i), right(i), static_cast<std::int32_t>(i * k), missing_left(i) != 0};
    }
    e.n_classes = n_classes;
    e.link = static_cast<Link>(link);
    e.single = single;
    e.exact = exact;
    e.divisor = divisor;
    e.cutoff = cutoff;
    e.bias = to_vector(bias);
    e.values = to_vector(values);
    e.roots = to_vector(roots);
    for (const auto root : e.roots)
        if (root < 0 || static_cast<std::size_t>(root) >= n_nodes)
            throw std::invalid_argument("a root of the ensemble points outside of it");
    e.n_cells = to_vector(n_cells);
    e.missing = to_vector(missing);
    return e;
}

nb::list to_list(const PlaneTree& tree) {
    nb::list nodes;
    for (const PlaneNode& node : tree) nodes.append(nb::make_tuple(node.feature, node.plane, node.label));
    return nodes;
}

Box to_box(const Ensemble& e, const std::vector<std::int32_t>& lo, const std::vector<std::int32_t>& hi) {
    Box box{lo, hi};
    bool inside = lo.size() == e.n_features() && hi.size() == e.n_features();
    for (std::size_t f = 0; inside && f < lo.size(); ++f) inside = 0 <= lo[f] && lo[f] <= hi[f] && hi[f] < e.n_cells[f];
    if (!inside) throw std::invalid_argument("the box is not inside the cells of the ensemble");
    return box;
}

// Counts before a run: cells (as the nodes tell), and on demand what the grid of labels tells.
nb::dict forecast(const Ensemble& e, double cell_limit, double time_limit) {
    nb::dict answer;
    const double cells = count_cells(e.planes(e.whole()));
    answer["cells"] = cells;
    if (cells > cell_limit) return answer;
    Control control = make_control(time_limit, std::numeric_limits<std::int64_t>::max(),
                                   std::numeric_limits<std::size_t>::max(), nb::none());
    Grid grid;
    {
        nb::gil_scoped_release release;
        grid = make_grid(e, e.whole(), control);
    }
    answer["stop"] = control.reason();
    if (control.stopped()) return answer;
    double reduced = 1.0;
    for (const auto n : grid.n) reduced *= n;
    answer["reduced_cells"] = reduced;
    answer["boxes"] = grid.boxes();
    answer["layout_bytes"] = Layout::forecast_bytes(grid);
    return answer;
}

nb::dict exact(const Ensemble& e, int goal, std::size_t threads, double time_limit, std::int64_t step_limit,
               std::size_t memory_limit, nb::object report) {
    require(goal >= 0 && goal <= 2, "no such goal");
    require(threads >= 1, "threads must be at least 1");
    Control control = make_control(time_limit, step_limit, memory_limit, std::move(report));
    Exact result;
    Grid grid;
    bool labelled = false;
    {
        nb::gil_scoped_release release;
        const double cells = count_cells(e.planes(e.whole()));
        if (2.0 * cells > static_cast<double>(memory_limit) || cells > kMaxCells) {
            grid.raw_cells = cells;
            control.halt(Stop::memory);
        } else {
            grid = make_grid(e, e.whole(), control);
            labelled = !control.stopped();
            if (labelled) result = solve_exact(grid, static_cast<Goal>(goal), threads, control);
        }
    }
    double reduced = 1.0;
    for (const auto n : grid.n) reduced *= n;
    nb::dict answer;
    answer["solved"] = result.solved;
    answer["nodes"] = to_list(result.tree);
    answer["depth_bound"] = result.depth_bound;
    answer["leaves_bound"] = result.leaves_bound;
    answer["stop"] = control.reason();
    answer["cells"] = grid.raw_cells;
    answer["reduced_cells"] = labelled ? nb::cast(reduced) : nb::none();
    answer["boxes"] = labelled ? nb::cast(grid.boxes()) : nb::none();
    answer["tight_boxes"] = result.tight_boxes;
    answer["rows"] = result.rows;
    answer["bytes"] = result.bytes;
    answer["states"] = result.states;
    answer["seconds"] = control.seconds();
    answer["steps"] = control.steps();
    return answer;
}

nb::dict hybrid(const Ensemble& e, double exact_boxes, double grid_cells, std::int64_t samples, double max_leaves,
                std::uint64_t seed, int descents, std::size_t threads, double time_limit, std::int64_t step_limit,
                std::size_t memory_limit, nb::object report) {
    Control control = make_control(time_limit, step_limit, memory_limit, std::move(report));
    HybridOptions options;
    options.exact_boxes = exact_boxes;
    options.grid_cells = grid_cells;
    require(samples >= 1, "samples must be at least 1");
    require(max_leaves >= 1, "max_leaves must be at least 1");
    require(threads >= 1, "threads must be at least 1");
    options.threads = threads;
    options.samples = static_cast<std::size_t>(samples);
    if (max_leaves < 1e15) options.max_leaves = static_cast<std::int64_t>(max_leaves);
    options.seed = seed;
    nb::dict answer;
    HybridResult result;
    double estimate = -1.0;
    {
        nb::gil_scoped_release release;
        Hybrid builder(e, options, control);
        if (descents > 0) {
            estimate = builder.estimate_leaves(descents);
        } else {
            result = builder.build();
        }
    }
    answer["estimate"] = estimate;
    answer["complete"] = result.complete;
    answer["too_large"] = result.too_large;
    answer["optimal"] = result.optimal;
    answer["nodes"] = result.complete ? to_list(result.tree) : nb::list();
    answer["leaves_bound"] = result.leaves_bound;
    answer["exact_regions"] = result.exact_regions;
    answer["certified_regions"] = result.certified;
    treewright::add_run(answer, control);
    return answer;
}

nb::dict active(const Ensemble& e,
                const nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& data,
                double time_limit, std::int64_t step_limit, std::size_t memory_limit, nb::object report) {
    if (data.shape(1) != e.n_features() || data.shape(0) == 0)
        throw std::invalid_argument("data cells do not fit the ensemble");
    std::vector<std::vector<std::int32_t>> cells;
    for (std::size_t i = 0; i < data.shape(0); ++i) {
        cells.emplace_back(&data(i, 0), &data(i, 0) + e.n_features());
        (void)to_box(e, cells.back(), cells.back());
    }
    Control control = make_control(time_limit, step_limit, memory_limit, std::move(report));
    ActiveResult result;
    {
        nb::gil_scoped_release release;
        result = Active(e, std::move(cells), control).run();
    }
    nb::dict answer;
    answer["nodes"] = to_list(result.tree);
    answer["optimal"] = result.optimal;
    answer["leaves_bound"] = result.leaves_bound;
    answer["states"] = result.states;
    answer["data_cells"] = result.cells;
    treewright::add_run(answer, control);
    return answer;
}

// One cell of the box with another label than its lowest cell, or None if all labels are equal.
nb::object find_other(const Ensemble& e, const std::vector<std::int32_t>& lo, const std::vector<std::int32_t>& hi,
                      int label) {
    const Box box = to_box(e, lo, hi);
    require(label >= 0 && label < e.n_classes, "no such label");
    Control control = interruptible();
    std::optional<std::vector<std::int32_t>> cell;
    {
        nb::gil_scoped_release release;
        cell = Regions(e).find_other(box, static_cast<std::uint8_t>(label), control);
    }
    raise_if_interrupted(control);
    return cell ? nb::cast(*cell) : nb::none();
}

int label(const Ensemble& e, const std::vector<std::int32_t>& cell) {
    (void)to_box(e, cell, cell);
    return e.label(cell);
}

}  // namespace

void bind_bornagain(nb::module_& m) {
    nb::class_<Ensemble>(m, "BornAgainEnsemble", "A tree ensemble over the cells of its thresholds.");
    m.def("bornagain_ensemble", &make_ensemble, nb::arg("feature"), nb::arg("plane"), nb::arg("left"), nb::arg("right"),
          nb::arg("missing_left"), nb::arg("values"), nb::arg("roots"), nb::arg("n_cells"), nb::arg("missing"),
          nb::arg("bias"), nb::arg("n_classes"), nb::arg("link"), nb::arg("single"), nb::arg("exact"),
          nb::arg("divisor"), nb::arg("cutoff"));
    m.def("bornagain_forecast", &forecast, nb::arg("ensemble"), nb::arg("cell_limit"), nb::arg("time_limit"));
    m.def("bornagain_exact", &exact, nb::arg("ensemble"), nb::arg("goal"), nb::arg("threads"), nb::arg("time_limit"),
          nb::arg("step_limit"), nb::arg("memory_limit"), nb::arg("report").none());
    m.def("bornagain_hybrid", &hybrid, nb::arg("ensemble"), nb::arg("exact_boxes"), nb::arg("grid_cells"),
          nb::arg("samples"), nb::arg("max_leaves"), nb::arg("seed"), nb::arg("descents"), nb::arg("threads"),
          nb::arg("time_limit"), nb::arg("step_limit"), nb::arg("memory_limit"), nb::arg("report").none());
    m.def("bornagain_active", &active, nb::arg("ensemble"), nb::arg("cells"), nb::arg("time_limit"),
          nb::arg("step_limit"), nb::arg("memory_limit"), nb::arg("report").none());
    m.def("bornagain_find_other", &find_other, nb::arg("ensemble"), nb::arg("lo"), nb::arg("hi"), nb::arg("label"));
    m.def("bornagain_label", &label, nb::arg("ensemble"), nb::arg("cell"));
}
