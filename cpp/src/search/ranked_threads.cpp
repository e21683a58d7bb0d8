#include "ranked_threads.hpp"

#include "treewright/bounds/core_rows.hpp"
#include "treewright/space/orders.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace treewright::ranked {

Search::Search(const RankedObjective& objective, const Options& options, Control& control, std::size_t bytes)
    : Search(objective, options, control, bytes, std::make_shared<Store>(bytes, options.threads)) {}

Search::Search(const RankedObjective& objective, const Options& options, Control& control, std::size_t bytes,
               std::shared_ptr<Store> store)
    : objective_(objective),
      table_(objective.table()),
      options_(options),
      control_(control),
      bytes_(bytes),
      pairs_(objective.pair_solver(options, control)),
      store_(std::move(store)),
      goes_left_(table_.n_rows + OrderKernels::kPadding) {}

Search::~Search() { store_->working_memory(counted_bytes_, 0); }

void Search::Threads::call() {
    if (!threads_.empty() || lead_.pairs_->n_row_steps * lead_.pairs_->pace() < lead_.options_.alone_work) return;
    // A thread's working memory: both sides of a split on every level hold the rows once, sorted by every column.
    const std::size_t one =
        std::size_t{4} * hunt_.node.n * std::max<std::size_t>(hunt_.node.columns.size(), 1) * hunt_.size.depth;
    const std::size_t most = std::min<std::size_t>(lead_.options_.threads - 1, lead_.bytes_ / 4 / one);
    if (most == 0) return;
    while (lead_.helpers_.size() < most) lead_.helpers_.push_back(std::make_unique<Helper>(lead_, lead_.bytes_));
    lead_.control_.open_crew();
    for (std::size_t i = 0; i < most; ++i) {
        Helper& helper = *lead_.helpers_[i];
        helper.control.join(lead_.control_);
        helper.search.beside_ = lead_.beside_;
        try {
            threads_.emplace_back([this, &helper] {
                try {
                    helper.search.work(hunt_, false, {});
                } catch (...) {
                    const std::scoped_lock lock(hunt_.mutex);
                    hunt_.failed = std::current_exception();
                    helper.control.dismiss();
                }
                hunt_.changed.notify_all();
            });
        } catch (const std::system_error&) {  // the machine has no more threads: fewer do it
            break;
        }
    }
    if (threads_.empty()) lead_.control_.close_crew(0);
}

void Search::Threads::join() {
    if (threads_.empty()) return;
    for (std::thread& thread : threads_) thread.join();
    std::int64_t steps = 0;
    for (std::size_t i = 0; i < threads_.size(); ++i) steps += lead_.helpers_[i]->control.steps();
    threads_.clear();
    lead_.control_.close_crew(steps);
}

void Search::Threads::finish() {
    join();
    if (hunt_.failed) std::rethrow_exception(hunt_.failed);
}

Search::Threads::~Threads() {
    if (threads_.empty()) return;
    lead_.control_.dismiss();
    join();
}

void Search::search_splits(Hunt& hunt) {
    open_all(hunt);
    if (hunt.level > 0 || options_.threads < 2) return work(hunt, true, {});
    Threads threads(*this, hunt);
    work(hunt, true, [&] { threads.call(); });
    threads.finish();
}

Statistics Search::statistics() const {
    Statistics result = statistics_;
    result.passes += pairs_->n_passes;
    result.row_steps += pairs_->n_row_steps;
    if (losses_ != nullptr) result += losses_->statistics();
    for (const auto& helper : helpers_) result += helper->search.statistics();
    return result;
}

}  // namespace treewright::ranked
