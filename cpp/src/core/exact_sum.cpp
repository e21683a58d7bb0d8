#include "treewright/core/exact_sum.hpp"

#include <cmath>
#include <utility>

namespace treewright {

double exact_sum(std::span<const double> numbers) {
    std::vector<double> parts;
    for (double x : numbers) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            double y = parts[i];
            if (std::abs(x) < std::abs(y)) std::swap(x, y);
            const double high = x + y;
            const double low = y - (high - x);
            if (low != 0) parts[kept++] = low;
            x = high;
        }
        parts.resize(kept);
        parts.push_back(x);
    }
    if (parts.empty()) return 0.0;
    std::size_t i = parts.size() - 1;
    double high = parts[i], low = 0.0;
    while (i > 0) {
        const double x = high, y = parts[--i];
        high = x + y;
        low = y - (high - x);
        if (low != 0) break;
    }
    // Half a last place was rounded to even: the next part says to which side the sum lies.
    if (i > 0 && ((low < 0 && parts[i - 1] < 0) || (low > 0 && parts[i - 1] > 0))) {
        const double twice = 2 * low, other = high + twice;
        if (twice == other - high) high = other;
    }
    return high;
}

}  // namespace treewright
