// The exactly rounded sum of numbers in double precision, as Python's math.fsum gives it.
//
// The sum so far is kept as numbers that do not overlap, ascending (J. R. Shewchuk, Adaptive precision floating-point
// arithmetic, 1997, Theorem 10: grow-expansion, without its zeros); a new number takes as many additions as there are,
// two or three on most data. Of the sum, the largest part that an addition does not round away decides, and where the
// rest is half a last place, the sign of what follows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace treewright {

// Not finite where a number or a sum on the way is not.
[[nodiscard]] double exact_sum(std::span<const double> numbers);

}  // namespace treewright
