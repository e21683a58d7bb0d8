// The table of a tree as Python hands it over: float64, in any order of memory.
#pragma once

#include "treewright/tree/split_list.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>

namespace treewright::tree {

using Table = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::device::cpu>;

inline EncodedRows rows_of(const Table& X) {
    return {X.data(), static_cast<std::ptrdiff_t>(X.stride(0)), static_cast<std::ptrdiff_t>(X.stride(1)), X.shape(0),
            X.shape(1)};
}

}  // namespace treewright::tree
