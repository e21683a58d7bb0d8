// All near-optimal trees: what may be asked of their graph.
#include "near_optimal_set.hpp"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace treewright::near_optimal;

void bind_near_optimal(nb::module_& m) {
    nb::class_<NearOptimalCounts>(m, "NearOptimalCounts",
                                  "How many trees there are, by leaves and errors, at every node.")
        .def_prop_ro("complete", &NearOptimalCounts::complete)
        .def_prop_ro("too_many", &NearOptimalCounts::too_many, "More than 2^1000 trees.")
        .def_prop_ro("stop", &NearOptimalCounts::stop)
        .def_prop_ro("bytes", &NearOptimalCounts::bytes)
        .def("cells", &NearOptimalCounts::cells, "node"_a,
             "Return leaves, errors and counts (rows of 64-bit words) of a node.")
        .def("root_edges", &NearOptimalCounts::root_edges, "Return the trees that begin with each edge of the root.");
    nb::class_<NearOptimalShares>(m, "NearOptimalShares", "How many trees there are, in floating point, at every node.")
        .def_prop_ro("stop", &NearOptimalShares::stop)
        .def("leaves", &NearOptimalShares::leaves, nb::kw_only(), "to_side"_a, "by_node"_a, "time_limit"_a,
             "memory_limit"_a,
             "Return what stopped it, and the trees in which each node, or with `by_node=False` any, is a leaf of each "
             "class. `to_side` has "
             "for each edge how many of its columns send one row to either side, or is empty.");
    nb::class_<NearOptimalExtremes>(m, "NearOptimalExtremes",
                                    "The largest sums of leaf values, by leaves and errors, at every node.")
        .def_prop_ro("complete", &NearOptimalExtremes::complete)
        .def_prop_ro("stop", &NearOptimalExtremes::stop)
        .def("cells", &NearOptimalExtremes::cells, "node"_a, "Return leaves, errors and sums of a node.");
    nb::class_<NearOptimalReliance>(m, "NearOptimalReliance",
                                    "By how much the cost of a tree rises if columns are drawn anew.")
        .def_prop_ro("stop", &NearOptimalReliance::stop)
        .def("of", &NearOptimalReliance::of, nb::kw_only(), "copies_of"_a, "time_limit"_a, "memory_limit"_a,
             "report"_a.none(),
             "Return what stopped it, and the least and the most of it over all trees, times the total weight, if the "
             "columns that make so many copies of each edge are drawn anew; None if there is no tree.");
    nb::class_<NearOptimalSet>(m, "NearOptimalSet", "The trees within one budget, as a graph.")
        .def_static("of_arrays", &NearOptimalSet::of_arrays, nb::kw_only(), "depth"_a, "budget"_a, "first_edge"_a,
                    "last_edge"_a, "leaf_cost"_a, "leaf_rows"_a, "column"_a, "left"_a, "right"_a, "source"_a,
                    "leaf_penalty"_a, "unit_shift"_a, "min_count"_a,
                    "Make a graph of what `arrays` returned, or of what was derived from that.")
        .def("arrays", &NearOptimalSet::arrays, "Return the graph: nodes, edges, and how the run ended.")
        .def("count", &NearOptimalSet::count, nb::kw_only(), "max_errors"_a, "copies"_a, "any_label"_a, "redundant"_a,
             "time_limit"_a, "memory_limit"_a, "report"_a.none(), "root_only"_a,
             "Count the trees by leaves and errors at every node, or at the root alone.")
        .def("extremes", &NearOptimalSet::extremes, nb::kw_only(), "max_errors"_a, "copies"_a, "any_label"_a,
             "redundant"_a, "leaf_value"_a, "time_limit"_a, "memory_limit"_a,
             "Find the largest sums of leaf values (node x class).")
        .def("shares", &NearOptimalSet::shares, nb::kw_only(), "max_errors"_a, "copies"_a, "any_label"_a, "redundant"_a,
             "time_limit"_a, "memory_limit"_a, "report"_a.none(), "Count the trees in floating point, at every node.")
        .def("reliance", &NearOptimalSet::reliance, nb::kw_only(), "max_errors"_a, "copies"_a, "any_label"_a,
             "redundant"_a, "time_limit"_a, "memory_limit"_a, "ones"_a, "n_rows"_a, "weight"_a, "cost"_a,
             "leaf_at_root"_a, "report"_a.none(), "Make what the reliance on every column needs.")
        .def("least_with_columns", &NearOptimalSet::least_with_columns, nb::kw_only(), "max_errors"_a, "copies"_a,
             "any_label"_a, "redundant"_a, "time_limit"_a, "memory_limit"_a, "kind"_a, "on_columns"_a, "n_columns"_a,
             "report"_a.none(),
             "Return what stopped it, and the fewest errors of a tree with a split on each column (column x leaves); "
             "2^62 for none.")
        .def("trees_without_columns", &NearOptimalSet::trees_without_columns, nb::kw_only(), "max_errors"_a, "copies"_a,
             "any_label"_a, "redundant"_a, "time_limit"_a, "memory_limit"_a, "kind"_a, "on_columns"_a, "n_columns"_a,
             "first"_a, "last"_a, "report"_a.none(),
             "Return what stopped it, and for each column from `first` on the number of trees of at least two leaves "
             "without a split on it, and by leaves the fewest errors of a tree without one; 2^62 for none.")
        .def("sum_by_row", &NearOptimalSet::sum_by_row, "ones"_a, "n_rows"_a, "share"_a,
             "Sum shares (node x class) over the nodes of each row; `ones` are 64 rows a word for each column.")
        .def("sum_by_node", &NearOptimalSet::sum_by_node, "ones"_a, "n_rows"_a, "value"_a,
             "Sum values (row x class) over the rows of each node.");
}
