// Arrays that Python hands over, contiguous, on this machine, not to be written; and vectors that become its arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace treewright {

template <class T>
using Vector = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Matrix = nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& v) {
    return {v.data(), v.shape(0)};
}
template <class T>
std::span<const T> span_of(const Matrix<T>& m) {
    return {m.data(), m.shape(0) * m.shape(1)};
}

// The values as an array of numpy, which owns them; row by row.
template <class T, std::size_t N>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<N>> to_numpy(std::vector<T>&& values,
                                                                  const std::size_t (&shape)[N]) {
    auto held = std::make_unique<std::vector<T>>(std::move(values));
    const nanobind::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {held.release()->data(), N, shape, owner};
}
template <class T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> to_numpy(std::vector<T>&& values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

}  // namespace treewright
