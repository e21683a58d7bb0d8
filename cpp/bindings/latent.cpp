// Kernels of latent trees on plain arrays; PyTorch is never linked. The GIL is released in every call.
#include "check.hpp"
#include "treewright/latent/projection.hpp"
#include "treewright/latent/tree_layer.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

namespace nb = nanobind;
using namespace treewright::latent;

namespace {

template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Nodes = Vector<const std::int32_t>;

using treewright::require;

// The pruning vector a and the slopes lambda + k, as the two rows of one array.
template <class Real>
void require_state(const Matrix<Real>& state, std::size_t nodes) {
    require(state.shape(0) == 2 && state.shape(1) == nodes, "state must have shape (2, nodes)");
}

Shape make_shape(const Nodes& left, const Nodes& right, const Nodes& score_row) {
    return {{left.data(), left.size()}, {right.data(), right.size()}, {score_row.data(), score_row.size()}};
}

template <class Real>
void bind(nb::module_& m) {
    m.def(
        "latent_layer_forward",
        [](Nodes left, Nodes right, Nodes score_row, Matrix<const Real> s, double pruning, Real offset, bool fixed,
           Matrix<Real> z, Matrix<Real> state) {
            const Shape shape = make_shape(left, right, score_row);
            const std::size_t n = s.shape(1);
            check_shape(shape, s.shape(0));
            require(z.shape(0) == shape.nodes() && z.shape(1) == n, "z must have shape (nodes, rows)");
            require_state(state, shape.nodes());
            require(n > 0 && (fixed || pruning > 0), "need at least one row and pruning > 0");
            nb::gil_scoped_release release;
            return layer_forward<Real>(shape, s.data(), n, pruning, offset, fixed, z.data(), state.data(),
                                       state.data() + shape.nodes());
        },
        nb::arg("left"), nb::arg("right"), nb::arg("score_row"), nb::arg("s").noconvert(), nb::arg("pruning"),
        nb::arg("offset"), nb::arg("fixed"), nb::arg("z").noconvert(), nb::arg("state").noconvert(),
        "Fill z and state = (a, slope) from scores s; False if a score is not finite.");
    m.def(
        "latent_layer_backward",
        [](Nodes left, Nodes right, Nodes score_row, Matrix<const Real> s, Real offset, Matrix<const Real> state,
           Matrix<const Real> grad_z, Vector<const Real> grad_a, Matrix<Real> grad_s) {
            const Shape shape = make_shape(left, right, score_row);
            const std::size_t n = s.shape(1);
            check_shape(shape, s.shape(0));
            require(grad_z.shape(0) == shape.nodes() && grad_z.shape(1) == n, "grad_z must have shape (nodes, rows)");
            require(grad_s.shape(0) == s.shape(0) && grad_s.shape(1) == n, "grad_s must have the shape of s");
            require_state(state, shape.nodes());
            require(grad_a.size() == shape.nodes(), "grad_a needs one entry a node");
            nb::gil_scoped_release release;
            layer_backward<Real>(shape, s.data(), n, offset, state.data(), state.data() + shape.nodes(), grad_z.data(),
                                 grad_a.data(), grad_s.data());
        },
        nb::arg("left"), nb::arg("right"), nb::arg("score_row"), nb::arg("s").noconvert(), nb::arg("offset"),
        nb::arg("state").noconvert(), nb::arg("grad_z").noconvert(), nb::arg("grad_a").noconvert(),
        nb::arg("grad_s").noconvert(), "Fill grad_s.");
    m.def(
        "latent_project_forward",
        [](Matrix<const Real> q, double pruning, Matrix<Real> z, Matrix<Real> state, Vector<std::int32_t> group) {
            const std::size_t n = q.shape(0), nodes = q.shape(1);
            require(nodes > 0 && ((nodes + 1) & nodes) == 0, "a complete tree has 2^(depth+1) - 1 nodes");
            require(z.shape(0) == n && z.shape(1) == nodes, "z must have the shape of q");
            require_state(state, nodes);
            require(group.size() == nodes, "group needs one entry a node");
            require(n > 0 && pruning > 0, "need at least one row and pruning > 0");
            nb::gil_scoped_release release;
            return project_forward<Real>(nodes, q.data(), n, pruning, z.data(), state.data(), state.data() + nodes,
                                         group.data());
        },
        nb::arg("q").noconvert(), nb::arg("pruning"), nb::arg("z").noconvert(), nb::arg("state").noconvert(),
        nb::arg("group").noconvert(),
        "Fill z, state = (a, slope) and group from scores q (rows, nodes); False if a score is not finite.");
    m.def(
        "latent_project_backward",
        [](Matrix<const Real> q, Matrix<const Real> state, Vector<const std::int32_t> group, Matrix<const Real> grad_z,
           Vector<const Real> grad_a, Matrix<Real> grad_q) {
            const std::size_t n = q.shape(0), nodes = q.shape(1);
            require(grad_z.shape(0) == n && grad_z.shape(1) == nodes, "grad_z must have the shape of q");
            require(grad_q.shape(0) == n && grad_q.shape(1) == nodes, "grad_q must have the shape of q");
            require_state(state, nodes);
            require(group.size() == nodes && grad_a.size() == nodes, "group and grad_a need one entry a node");
            for (std::size_t t = 0; t < nodes; ++t)
                require(group.data()[t] >= 0 && static_cast<std::size_t>(group.data()[t]) < nodes, "no such group");
            nb::gil_scoped_release release;
            project_backward<Real>(nodes, q.data(), n, state.data(), state.data() + nodes, group.data(), grad_z.data(),
                                   grad_a.data(), grad_q.data());
        },
        nb::arg("q").noconvert(), nb::arg("state").noconvert(), nb::arg("group").noconvert(),
        nb::arg("grad_z").noconvert(), nb::arg("grad_a").noconvert(), nb::arg("grad_q").noconvert(), "Fill grad_q.");
}

}  // namespace

void bind_latent(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
