#include "treewright/core/cpu.hpp"

#include <nanobind/nanobind.h>

namespace nb = nanobind;
using treewright::Simd;

void bind_cpu(nb::module_& m) {
    nb::enum_<Simd>(m, "Simd", "Instruction-set level of the kernels.")
        .value("PLAIN", Simd::plain)
        .value("AVX2", Simd::avx2)
        .value("AVX512", Simd::avx512);
    m.def("simd", &treewright::simd, "Return the level in use.");
    m.def("detected_simd", &treewright::detected_simd, "Return the best level of this machine.");
    m.def("set_simd_limit", &treewright::set_simd_limit, nb::arg("limit"), "Use no level above `limit`.");
}
