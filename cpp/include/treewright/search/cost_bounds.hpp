// What is known of the least cost of a set of rows over binary columns.
#pragma once

#include <cstdint>

namespace treewright::binary {

inline constexpr std::int64_t kInfinity = std::int64_t{1} << 61;

struct Bounds {
    std::int64_t lower;  // no tree within the constraints costs less
    std::int64_t upper;  // a tree of this cost was found
    [[nodiscard]] bool exact() const { return lower >= upper; }
};

}  // namespace treewright::binary
