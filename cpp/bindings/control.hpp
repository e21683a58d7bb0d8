// Makes a Control from Python arguments: `report(seconds, incumbent, lower_bound, steps, bytes)` may return True to
// stop; Ctrl-C is polled with every report and ends the run with its best tree instead of an exception. An answer whose
// truth cannot be told (an array of two numbers) raises what Python raises for it.
#pragma once

#include "check.hpp"

#include "treewright/core/control.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>

namespace treewright {

inline Control make_control(double time_limit, std::int64_t step_limit, std::size_t memory_limit,
                            nanobind::object report) {
    require_seconds(time_limit);
    auto callback = [report = std::move(report)](const Progress& p) -> Stop {
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) {
            if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0) throw nanobind::python_error();
            PyErr_Clear();
            return Stop::interrupt;
        }
        if (report.is_none()) return Stop::none;
        try {
            const nanobind::object answer = report(p.seconds, p.incumbent, p.lower_bound, p.steps, p.bytes);
            const int truth = PyObject_IsTrue(answer.ptr());
            if (truth < 0) throw nanobind::python_error();
            return truth == 1 ? Stop::callback : Stop::none;
        } catch (const nanobind::python_error& error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) throw;
            return Stop::interrupt;  // Ctrl-C while the report was running
        }
    };
    return Control({time_limit, step_limit, memory_limit}, callback);
}

// Of work whose parts are worth nothing: only Ctrl-C ends it, and `raise_if_interrupted` says so to Python.
inline Control interruptible() {
    return make_control(std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max(),
                        std::numeric_limits<std::size_t>::max(), nanobind::none());
}

inline void raise_if_interrupted(const Control& control) {
    if (!control.stopped()) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nanobind::python_error();
}

// What every engine says of its run.
inline void add_run(nanobind::dict& answer, const Control& control) {
    answer["stop"] = control.reason();
    answer["seconds"] = control.seconds();
    answer["steps"] = control.steps();
}

}  // namespace treewright
