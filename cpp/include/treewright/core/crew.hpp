// The helping threads of one round of a search, in every engine: called, waited for and ended here.
//
// A round is work that the calling thread does with helpers beside it. What the threads share and how they divide it is
// the engine's; control.hpp counts their steps together and ends them together. A helper is what one thread works with,
// with a Control of its own made by Control::helper(), and is kept from round to round.
//
// An exception of a helper ends the work of all and is raised in the calling thread; one of the calling thread ends the
// round, too. Cost: starting and joining a thread takes 20 to 50 microseconds, so a round should be longer than that.
#pragma once

#include "treewright/core/control.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace treewright {

// Between looks at the clock of a thread that waits for others.
inline constexpr std::chrono::milliseconds kGlance{10};

class Crew {
   public:
    explicit Crew(Control& head) : head_(head) {}
    // After an exception of the calling thread.
    ~Crew() {
        if (!called()) return;
        head_.dismiss();
        wait();
        close(std::nullopt);
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    // Whether helpers are at work: between call() and finish().
    [[nodiscard]] bool called() const { return called_; }

    // Runs work(helper) for each helper in a thread of its own; in fewer where the machine has no more threads.
    // `helpers`: a range of pointers.
    template <class Helpers, class Work>
    void call(const Helpers& helpers, const Work& work) {
        if (std::empty(helpers)) return;
        helpers_.reserve(std::size(helpers));
        threads_.reserve(std::size(helpers));
        head_.open_crew();
        called_ = true;
        for (const auto& owner : helpers) {
            auto& helper = *owner;
            helper.control.join(head_);
            count(1);
            try {
                threads_.emplace_back([this, work, &helper] {
                    try {
                        work(helper);
                    } catch (...) {
                        keep(std::current_exception());
                        helper.control.dismiss();
                    }
                    count(-1);
                });
            } catch (const std::system_error&) {
                count(-1);
                break;
            }
            helpers_.push_back(&helper.control);
        }
        if (threads_.empty()) close(std::nullopt);
    }

    // Until all helpers have ended their work; their control counts on.
    void wait() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

    // The same, while the calling thread looks at the clock, reports and hears Ctrl-C: where its own part of a round
    // may end long before theirs.
    void watch() {
        std::unique_lock lock(mutex_);
        while (at_work_ > 0) {
            changed_.wait_for(lock, kGlance);
            lock.unlock();  // a report may take its time
            head_.glance();
            lock.lock();
        }
    }

    // Ends the round once the helpers have, and raises what one of them has raised. `unwound`: whether something was
    // left without an answer, so that the run pauses here; without it, as the calling thread met it.
    void finish(std::optional<bool> unwound = std::nullopt) {
        if (!called()) return;
        wait();
        close(unwound);
        if (failed_) std::rethrow_exception(failed_);
    }

   private:
    void keep(std::exception_ptr failure) {
        const std::scoped_lock lock(mutex_);
        failed_ = std::move(failure);
    }
    void count(std::ptrdiff_t change) {
        const std::scoped_lock lock(mutex_);
        at_work_ += change;
        changed_.notify_all();
    }
    void close(std::optional<bool> unwound) {
        std::int64_t steps = 0;
        for (const Control* helper : helpers_) steps += helper->steps();
        helpers_.clear();
        called_ = false;
        head_.close_crew(steps, unwound);
    }

    Control& head_;
    bool called_ = false;
    std::vector<const Control*> helpers_;  // of those whose thread began
    std::vector<std::thread> threads_;
    std::mutex mutex_;  // of what follows
    std::condition_variable changed_;
    std::ptrdiff_t at_work_ = 0;  // helpers
    std::exception_ptr failed_;
};

}  // namespace treewright
