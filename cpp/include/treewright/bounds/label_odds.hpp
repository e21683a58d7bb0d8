// How doubtful the class of every row is: which rows a proof is likely to need (core_rows.hpp).
//
// Randomized trees (Geurts, Ernst and Wehenkel 2006) are grown on half of the rows and asked about the others. What
// they say is a guess; nothing that is proven rests on it.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/objective/labelled_table.hpp"

#include <functional>
#include <vector>

namespace treewright::ranked {

// [row]: odds of the likeliest other class against the row's own among the rows that trees find like it; 0 where no
// tree can charge the row. Rows that were not asked about before a stop have odds of one.
// After the first few trees `are_wanted` is asked about the odds by these: empty if it says no.
[[nodiscard]] std::vector<float> label_odds(const LabelledTable& data, Control& control,
                                            const std::function<bool(const std::vector<float>&)>& are_wanted);

}  // namespace treewright::ranked
