// The compiled core. Each engine binds itself in a file of its own; the module only lists them.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_binary(nb::module_& m);
void bind_control(nb::module_& m);
void bind_bornagain(nb::module_& m);
void bind_code_counts(nb::module_& m);
void bind_cpu(nb::module_& m);
void bind_exact_sum(nb::module_& m);
void bind_latent(nb::module_& m);
void bind_leaf_accuracy(nb::module_& m);
void bind_line_losses(nb::module_& m);
void bind_additive(nb::module_& m);
void bind_near_optimal(nb::module_& m);
void bind_pruning(nb::module_& m);
void bind_single_split(nb::module_& m);
void bind_ranked(nb::module_& m);
void bind_value_ranks(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "Compiled core of treewright; imported by treewright._native only.";
    bind_binary(m);
    bind_bornagain(m);
    bind_code_counts(m);
    bind_control(m);
    bind_cpu(m);
    bind_exact_sum(m);
    bind_latent(m);
    bind_leaf_accuracy(m);
    bind_line_losses(m);
    bind_near_optimal(m);
    bind_pruning(m);
    bind_single_split(m);
    bind_ranked(m);
    bind_additive(m);
    bind_value_ranks(m);
}
