// Arrays that Python hands over: contiguous, on this machine, not to be written.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <span>

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

}  // namespace treewright
