// A run whose reports are checked for what holds of every engine, with any number of threads, and that is ended from
// outside.
#pragma once

#include "check.hpp"
#include "treewright/core/control.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <thread>

// Ends the run at its report of number `last`. What is told before lies around `optimum`, where that is known.
class WatchedRun {
   public:
    explicit WatchedRun(int last, std::optional<double> optimum = std::nullopt)
        : control(
              {.seconds = 600}, [this](const treewright::Progress& now) { return look(now); }, 0.0),
          last_(last),
          optimum_(optimum) {}
    WatchedRun(const WatchedRun&) = delete;
    WatchedRun& operator=(const WatchedRun&) = delete;

    // To be asked at the end: `proven` is what the answer says.
    void check_end(bool proven) const {
        check(control.reason() == treewright::Stop::callback || proven, "ended by the callback, or by the proof");
        check(calls_ <= last_, "no report after the end");
    }

    treewright::Control control;

   private:
    treewright::Stop look(const treewright::Progress& now) {
        check(std::this_thread::get_id() == caller_, "reports in the calling thread");
        check(now.incumbent <= best_ && now.lower_bound >= bound_, "progress without steps back");
        if (optimum_)
            check(now.incumbent >= *optimum_ && now.lower_bound <= *optimum_, "progress that lies around the optimum");
        check(now.steps >= steps_, "steps that do not become fewer");
        best_ = now.incumbent;
        bound_ = now.lower_bound;
        steps_ = now.steps;
        return ++calls_ == last_ ? treewright::Stop::callback : treewright::Stop::none;
    }

    std::thread::id caller_ = std::this_thread::get_id();
    int last_, calls_ = 0;
    std::optional<double> optimum_;
    double best_ = std::numeric_limits<double>::infinity(), bound_ = -std::numeric_limits<double>::infinity();
    std::int64_t steps_ = 0;
};
