// Losses of a leaf that are a function of two sums over its rows, as kernels compute them in double precision.
//
// The integer cost of a tree with k leaves over the rows S is that of an objective (ranked_objective.hpp). With A and B
// the sums of a leaf and g the function `form`,
//     cost / 2^tie_bits = unit * (sum of g(A, B) over the leaves + k * leaf) + base(S),        up to `error`
// where base(S) does not depend on the tree: the cost of S as one leaf tells it. Kernels find the least sum of g; what
// is within the error of it is compared as integers.
#pragma once

#include "treewright/core/cost.hpp"

#include <cstdint>
#include <vector>

namespace treewright::ranked {

struct TwoSums {
    enum class Form : std::uint8_t {
        minus_square,  // -B^2 / A, 0 where A is: squared error, of weights A and weighted targets B
        events_log,    // A log(B / A), 0 where A is: events A and hazards B
    };
    Form form = Form::minus_square;
    std::vector<double> a, b;  // [row]: whole numbers whose sums are below 2^53, A not negative
    double b_unit = 1;         // what one of b stands for in the sums of the objective
    double unit = 1;           // above 0
    double leaf = 0;           // of every leaf, in units of g
    int tie_bits = 0;
    // Units by which a sum of g over any leaves and the integer cost may differ, for any set of rows: once, and for
    // each leaf, its floor included.
    double error = 0, leaf_error = 0;
    [[nodiscard]] double error_of(int leaves) const { return error + leaves * leaf_error; }
};

}  // namespace treewright::ranked
