// std::floor of a number within 2^53, without the call.
#pragma once

#include <cstdint>

namespace treewright::ranked {

inline std::int64_t floor_of(double x) {
    const auto whole = static_cast<std::int64_t>(x);
    return whole - static_cast<std::int64_t>(x < static_cast<double>(whole));
}

}  // namespace treewright::ranked
