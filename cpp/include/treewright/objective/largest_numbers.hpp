// The largest numbers that the bindings let in, and why no sum or product of the searches passes 64 or 128 bits.
//
// Python chooses units below these caps (docs/architecture.md names the file of each), the bindings refuse what is
// beyond, and the searches then add and multiply without a check. What follows from the caps alone is asserted here.
//
// Ranked columns. Let L be the cap of the loss of all rows in one leaf and c that of a leaf penalty, both in cost units
// with their tie bits. A loss is superadditive, so the losses of all leaves together are at most L; a search holds the
// cost of a tree as long as it is below the incumbent, which begins as one leaf: L + c. A split adds two leaves to it:
// L + 2 c. What rows may lose at most, one by one (law `similar`), adds up to L as well. Bounds of more leaves are cut
// off at kNoCost (src/search/cost_of_leaves.hpp).
//
// Binary columns. With T the cap of all costs, units are chosen so that T and a leaf c <= T + 2 are counted in less
// than 2^58 + 3 (core/cost_units.hpp); bounds count at most four leaves beside the costs.
//
// tests/cpp/test_largest_numbers.cpp searches at the caps under the undefined-behaviour sanitizer, and
// tests/unit/test_core_arguments.py through the bindings.
#pragma once

#include "treewright/core/cost.hpp"
#include "treewright/kernels/moment_kernel.hpp"
#include "treewright/objective/log_loss.hpp"
#include "treewright/objective/pinball.hpp"
#include "treewright/objective/simple_lines.hpp"
#include "treewright/objective/survival.hpp"
#include "treewright/objective/target_table.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace treewright::ranked::largest {

inline constexpr int kTieBits = 40;
inline constexpr Cost kLeaf = (Cost{1} << 60) + (Cost{1} << 40);  // additive losses
inline constexpr Cost kLoss = Cost{1} << 60;
inline constexpr Cost kTerms = Cost{1} << 61;        // the same of logarithms, whose terms are rounded
inline constexpr Cost kClassCost = Cost{1} << 59;    // costs of labels: unit times all of them, and a leaf
inline constexpr Cost kClassTotal = Cost{1} << 30;   // all of them: below this
inline constexpr Cost kBinaryTotal = Cost{1} << 58;  // weights times costs of all classes, binary columns

inline constexpr Cost kMost = std::numeric_limits<Cost>::max();
inline constexpr Wide kWidest = (Wide{1} << 126) + ((Wide{1} << 126) - 1);

// One leaf is below kNoCost, so every tree that is looked for is; a split of two leaves is within 64 bits.
static_assert(kLoss + 2 * kLeaf < kNoCost && kClassCost + 2 * kClassCost < kNoCost);
static_assert(kTerms + kLeaf < kNoCost && kTerms <= kMost - 2 * kLeaf);
static_assert(kLoss + 2 * kLeaf <= kMost - kNoCost, "a budget without end and the cost of a tree can be added");
static_assert(kBinaryTotal + 4 * (kBinaryTotal + 3) < kNoCost);
// Kernels of labels count in lanes of 32 bits: both sides of a split, and their difference.
static_assert(2 * (kClassTotal - 1) <= std::numeric_limits<std::int32_t>::max());

// Squared error: a sum squared, and about a centre that no target exceeds (squared_error_pairs.cpp); compact rows keep
// a slot beside the target.
static_assert(Wide{TargetTable::kLargestSum} * TargetTable::kLargestSum <= kWidest / 4);
static_assert((std::bit_cast<std::uint64_t>(static_cast<double>(TargetTable::kLargestSum - 1)) &
               MomentTask::kSlotMask) == 0);
static_assert(TargetTable::kSquareBits - TargetTable::kLowBits <= 61, "high parts of all squares add up");

// Quantiles: (up + down) times a weight in 64 bits, times a target in 128.
static_assert(QuantileTable::kLargestFactor <= kMost / QuantileTable::kLargestWeight);
static_assert(Wide{QuantileTable::kLargestFactor} * QuantileTable::kLargestWeight <=
              kWidest / QuantileTable::kLargestTarget);

// Lines: with W the weight of all rows and x the largest number, W sum(w x x) - sum(w x)^2 is within twice (W x)^2.
static_assert(2 * (Wide{LineTable::kLargestSum} * LineTable::kLargestSum) <= kWidest / 2);

// Logarithms: terms of all rows, and of the two sides of a split.
static_assert(EventTable::kLargestTerm <= kMost / 4 && ClassTable::kLargestTerm <= kMost / 4);
static_assert(EventTable::kLargestHazard <= kMost - EventTable::kLargestHazard);

}  // namespace treewright::ranked::largest
