#include "control.hpp"

#include <nanobind/nanobind.h>

namespace nb = nanobind;
using treewright::Stop;

void bind_control(nb::module_& m) {
    nb::enum_<Stop>(m, "Stop", "Why a run ended before its proof.")
        .value("NONE", Stop::none)
        .value("TIME", Stop::time)
        .value("STEPS", Stop::steps)
        .value("MEMORY", Stop::memory)
        .value("INTERRUPT", Stop::interrupt)
        .value("CALLBACK", Stop::callback);
}
