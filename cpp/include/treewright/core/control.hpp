// Limits, interruption and progress of a long run, shared by all engines.
//
// An engine calls step() once per unit of work (a subproblem, a pass). The count is deterministic, so tests limit
// steps; seconds and the report are looked at only every few steps. Once stopped, an engine unwinds, returning at
// every level the best bound it can prove there, so that a stop loses nothing.
//
// A run of several threads has one Control a thread: that of the calling thread, the head, and helpers made of it. They
// share an OfCrew between open_crew() and close_crew(). Steps are granted to a thread a few at a time, so that their
// sum never passes the limit; a stop or a pause that one thread meets ends all; only the head reports: Python's
// interpreter and its signals belong to the calling thread. A helper looks at the crew where it looks at the clock.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

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
        if (++steps_ >= checkpoint_ && !more_steps()) return true;
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
    // does not end it), and stays true but for a grace. What was being made is then to be thrown away.
    bool must_abandon(std::int64_t cost) {
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

    // After the end: lets so much more work be done, in the units of must_abandon(), to write down what was found.
    void grace(std::int64_t work) {
        grace_ = work;
        over_ = work <= 0;
    }

    // Lets a phase of a run do `steps` more steps, then unwind as at a stop; resume() goes on.
    void pause_after(std::int64_t steps) {
        pause_at_ = steps_ + steps;
        set_checkpoint();
    }
    void resume() {
        paused_ = false;
        pause_at_ = kNone;
        set_checkpoint();
    }

    // The Control of a helping thread, for as long as its head lives.
    [[nodiscard]] Control helper() {
        if (crew_ == nullptr) crew_ = std::make_shared<OfCrew>();
        Control control(limits_);
        control.start_ = start_;
        control.crew_ = crew_;
        control.helps_ = true;
        return control;
    }

    // Whether threads are at work together, of which this one is.
    [[nodiscard]] bool in_crew() const { return helps_ || (crew_ != nullptr && crew_->open); }

    // From here on the steps of the head and of its helpers count together, up to the limit or the pause.
    void open_crew() {
        crew_->granted = steps_;
        crew_->of_helpers = 0;
        crew_->paused = false;
        crew_->open = true;
        checkpoint_ = steps_ + 1;
    }
    // Tells a helper that it has work, before its thread begins.
    void join(const Control& head) {
        stop_ = Stop::none;
        over_ = paused_ = false;
        pause_at_ = head.pause_at_;
        steps_ = told_ = 0;
        checkpoint_ = 1;
        countdown_ = kStepsPerLook;
    }
    // Ends the work of all helpers, from any thread: they unwind as at a pause.
    void dismiss() { crew_->paused = true; }
    // Once the threads of the helpers have ended: their steps are the head's.
    // `paused`: whether the run pauses here, where it is known from the answer; else as the head met it.
    void close_crew(std::int64_t steps_of_helpers, std::optional<bool> paused = std::nullopt) {
        crew_->open = false;
        paused_ = paused.value_or(paused_);
        steps_ += steps_of_helpers;
        sync();
        set_checkpoint();
        if (steps_ >= checkpoint_ && !stopped()) no_more_steps();  // as one thread stops at its last step, not after it
    }

    // Lets `work` run under limits of its own, beside the end of this run: the whole is asked for reports and
    // interrupts while it works, and counts its steps. `work` takes the part's Control.
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
        if (helps_) fall(crew_->incumbent, value);
    }
    void lower_bound(std::int64_t value) {
        if (value > lower_bound_) lower_bound_ = value;
        if (helps_) rise(crew_->lower_bound, value);
    }
    void bytes(std::size_t value) { bytes_ = value; }

    bool halt(Stop reason) {
        if (stop_ == Stop::none) {
            if (crew_ != nullptr) {  // the first reason is that of all
                Stop first = Stop::none;
                if (!crew_->stop.compare_exchange_strong(first, reason)) reason = first;
            }
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
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

   private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

    // What the threads of a run share; the threads themselves are in crew.hpp.
    struct OfCrew {
        std::atomic<bool> open{false};
        std::atomic<std::int64_t> granted{0};     // steps given out, of the whole run
        std::atomic<std::int64_t> of_helpers{0};  // steps that helpers say they took
        std::atomic<Stop> stop{Stop::none};
        std::atomic<bool> paused{false};
        std::atomic<std::int64_t> incumbent{kNone};
        std::atomic<std::int64_t> lower_bound{0};
    };

    static void fall(std::atomic<std::int64_t>& to, std::int64_t value) {
        for (std::int64_t now = to; value < now && !to.compare_exchange_weak(now, value);) {}
    }
    static void rise(std::atomic<std::int64_t>& to, std::int64_t value) {
        for (std::int64_t now = to; value > now && !to.compare_exchange_weak(now, value);) {}
    }

    void set_checkpoint() { checkpoint_ = std::min(limits_.steps, pause_at_); }

    // At the last step that was granted: more of them, or the end.
    bool more_steps() {
        const std::int64_t end = std::min(limits_.steps, pause_at_);
        if (crew_ == nullptr || !crew_->open) return steps_ < end || no_more_steps();
        sync();
        const std::int64_t left = stopped() ? 0 : end - crew_->granted.fetch_add(kStepsPerGrant);
        if (left <= 0) {
            --steps_;
            return stopped() ? false : no_more_steps();
        }
        checkpoint_ = steps_ + std::min(kStepsPerGrant, left);
        return true;
    }

    // At the limit or the pause; always false.
    bool no_more_steps() {
        if (limits_.steps <= std::max(steps_, pause_at_)) {  // a pause may be asked for at once, at the last step
            halt(Stop::steps);
        } else {
            paused_ = true;
            if (crew_ != nullptr) crew_->paused = true;
        }
        return false;
    }

    // Takes over what other threads met.
    void sync() {
        if (crew_ == nullptr) return;
        if (const Stop reason = crew_->stop; reason != Stop::none) halt(reason);
        if (crew_->open && crew_->paused) paused_ = true;
        if (helps_) {
            crew_->of_helpers += steps_ - told_;
            told_ = steps_;
        } else {
            incumbent_ = std::min<std::int64_t>(incumbent_, crew_->incumbent);
            lower_bound_ = std::max<std::int64_t>(lower_bound_, crew_->lower_bound);
        }
    }

    // Looks at the clock and reports; true if the run must stop.
    bool look() {
        countdown_ = kStepsPerLook;
        sync();
        if (stopped()) return true;
        const double now = seconds();
        if (now >= limits_.seconds) return halt(Stop::time);
        if (report_ && now >= next_report_) {
            next_report_ = now + interval_;
            const double best = incumbent_ == kNone ? std::numeric_limits<double>::infinity()
                                                    : base_ + scale_ * static_cast<double>(incumbent_);
            const double bound = std::min(best, base_ + bound_scale_ * static_cast<double>(lower_bound_));
            const std::int64_t steps = steps_ + (crew_ != nullptr && crew_->open ? crew_->of_helpers.load() : 0);
            const Stop answer = report_({now, best, bound, steps, bytes_});
            if (answer != Stop::none) return halt(answer);
        }
        return false;
    }

    static constexpr std::int64_t kStepsPerLook = 256;
    static constexpr std::int64_t kStepsPerGrant = 16;

    Limits limits_;
    Report report_;
    double interval_;
    Clock::time_point start_;
    double next_report_ = 0.0;
    std::int64_t countdown_ = kStepsPerLook;
    std::int64_t steps_ = 0;
    std::int64_t pause_at_ = kNone;
    std::int64_t checkpoint_ = limits_.steps;  // the step at which there is something to see to
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
    std::shared_ptr<OfCrew> crew_;
    bool helps_ = false;
    std::int64_t told_ = 0;  // steps that a helper has told the crew
};

}  // namespace treewright
