// Whole numbers of 128 bits: weights in full, and what they cost.
//
// The kernels add up weights of at most 25 bits (target.hpp says why). Where the weights of a table have more, they are
// kept here in full, with a sum below 2^100, and every answer rests on these: float64 weights whose sizes differ by
// less than 2^40 are exact, and no weight moves by more than 2^-100 of the sum.
#pragma once

#include <cstdint>

namespace treewright::leaf_accuracy {

__extension__ typedef unsigned __int128 Whole;  // weights
__extension__ typedef __int128 Cost;            // unit * wrong weight + leaf * leaves; sums stay below 2^124

inline constexpr Cost kNoTree = Cost{1} << 125;  // above every cost of a tree; two of them can be added

// Sign of a * d - b * c: how a / b compares with c / d. Factors below 2^127.
[[nodiscard]] int compare_ratios(Whole a, Whole b, Whole c, Whole d);

}  // namespace treewright::leaf_accuracy
