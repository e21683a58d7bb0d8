// Limits, interruption and progress of a long run, shared by all engines.
//
// An engine calls step() once per unit of work (a subproblem, a pass). The count is deterministic, so tests limit
// steps; seconds and the report are looked at only every few steps. Once stopped, an engine unwinds, returning at
// every level the best bound it can prove there, so that a stop loses nothing.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace treewright {

enum class Stop : std::uint8_t { none, time, steps, memory, interrupt, callback };

struct Limits {
    double seconds = std::numeric_limits<double>::infinity();
    std::int64_t steps = std::numeric_limits<std::int64_t>::max();
    std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

// What is known at one moment. Costs are in the caller's units (see Control::units).
struct Progress {
    double seconds;
    double incumbent;
    double lower_bound;
    std::int64_t steps;
    std::size_t bytes;
};

class Control {
   public:
    // Called every `interval` seconds; returns Stop::none to go on.
    using Report = std::function<Stop(const Progress&)>;

    explicit Control(Limits limits, Report report = {}, double interval = 0.05)
        : limits_(limits), report_(std::move(report)), interval_(interval), start_(Clock::now()) {}

    // Counts one unit of work of `cost` clock checks' worth; true if the run must stop.
    bool step(std::int64_t cost = 1) {
        if (stopped()) return true;
        if (++steps_ >= limits_.steps) return halt(Stop::steps);
        if (steps_ >= pause_at_) return paused_ = true;
        countdown_ -= cost;
        return countdown_ <= 0 && look();
    }

    // Looks at the clock as step() does, without counting: for work that is bounded beforehand.
    bool poll(std::int64_t cost = 1) {
        if (stopped()) return true;
        countdown_ -= cost;
        return countdown_ <= 0 && look();
    }

    // Looks at the clock now, from work that others do; true if the run must stop.
    bool glance() { return stopped() || look(); }

    // Looks at the clock inside of one piece of work, whose half is worth nothing: true once the run has ended (a pause
    // does not cut), and stays true but for a grace. What was being made is then to be thrown away.
    bool cut(std::int64_t cost) {
        if (over_) return true;
        if (ended()) {
            grace_ -= cost;
            over_ = grace_ <= 0;
        } else {
            countdown_ -= cost;
            if (countdown_ <= 0) look();
        }
        return over_;
    }
    [[nodiscard]] bool over() const { return over_; }

    // After the end: lets so much more work be done, in the units of cut(), to write down what was found.
    void grace(std::int64_t work) {
        grace_ = work;
        over_ = work <= 0;
    }

    // Lets a phase of a run do `steps` more steps, then unwind as at a stop; resume() goes on.
    void pause_after(std::int64_t steps) { pause_at_ = steps_ + steps; }
    void resume() {
        paused_ = false;
        pause_at_ = kNone;
    }

    // Lets `work` run under limits of its own, beside the end of this run: the whole is asked for reports and interrupts
    // while it works, and counts its steps. `work` takes the part's Control.
    template <class Work>
    void run_part(Limits limits, const Work& work) {
        const std::int64_t before = steps_;
        const auto report = [&](const Progress& now) {
            steps_ = before + now.steps;
            glance();
            return stop_;
        };
        Control part(limits, report, interval_);
        work(part);
        steps_ = before + part.steps();
    }

    // Reports show base + scale * cost for a cost in the integer units of the engine, base + bound_scale * bound for
    // a lower bound.
    void units(double scale, double bound_scale, double base) {
        scale_ = scale;
        bound_scale_ = bound_scale;
        base_ = base;
    }

    // Records a better tree or bound, for reports.
    void incumbent(std::int64_t value) {
        if (value < incumbent_) incumbent_ = value;
    }
    void lower_bound(std::int64_t value) {
        if (value > lower_bound_) lower_bound_ = value;
    }
    void bytes(std::size_t value) { bytes_ = value; }

    bool halt(Stop reason) {
        if (stop_ == Stop::none) {
            stop_ = reason;
            over_ = true;
        }
        return true;
    }

    [[nodiscard]] bool stopped() const { return stop_ != Stop::none || paused_; }
    [[nodiscard]] bool ended() const { return stop_ != Stop::none; }
    [[nodiscard]] Stop reason() const { return stop_; }
    [[nodiscard]] std::int64_t steps() const { return steps_; }
    [[nodiscard]] const Limits& limits() const { return limits_; }
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

   private:
    using Clock = std::chrono::steady_clock;

    // Looks at the clock and reports; true if the run must stop.
    bool look() {
        countdown_ = kStepsPerLook;
        const double now = seconds();
        if (now >= limits_.seconds) return halt(Stop::time);
        if (report_ && now >= next_report_) {
            next_report_ = now + interval_;
            const double best = incumbent_ == kNone ? std::numeric_limits<double>::infinity() : base_ + scale_ * static_cast<double>(incumbent_);
            const double bound = std::min(best, base_ + bound_scale_ * static_cast<double>(lower_bound_));
            const Stop answer = report_({now, best, bound, steps_, bytes_});
            if (answer != Stop::none) return halt(answer);
        }
        return false;
    }

    static constexpr std::int64_t kStepsPerLook = 256;
    static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

    Limits limits_;
    Report report_;
    double interval_;
    Clock::time_point start_;
    double next_report_ = 0.0;
    std::int64_t countdown_ = kStepsPerLook;
    std::int64_t steps_ = 0;
    std::int64_t pause_at_ = kNone;
    bool paused_ = false;
    double scale_ = 1.0;
    double bound_scale_ = 1.0;
    double base_ = 0.0;
    std::int64_t incumbent_ = kNone;
    std::int64_t lower_bound_ = 0;
    std::size_t bytes_ = 0;
    Stop stop_ = Stop::none;
    bool over_ = false;  // ended, and no grace is left
    std::int64_t grace_ = 0;
};

}  // namespace treewright
