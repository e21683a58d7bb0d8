#include "ranked_threads.hpp"

#include "treewright/bounds/core_rows.hpp"
#include "treewright/space/orders.hpp"

#include <algorithm>
#include <memory>
#include <span>
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

// Once the lead has worked alone for long enough.
std::size_t Search::helpers_for(std::size_t n_rows, std::size_t n_columns, std::size_t depth) {
    if (options_.threads < 2 || pairs_->n_row_steps * pairs_->pace() < options_.alone_work) return 0;
    // A thread's working memory: both sides of a split on every level hold the rows once, sorted by every column.
    const std::size_t one = std::size_t{4} * n_rows * std::max<std::size_t>(n_columns, 1) * depth;
    const std::size_t most = std::min<std::size_t>(options_.threads - 1, bytes_ / 4 / one);
    while (helpers_.size() < most) helpers_.push_back(std::make_unique<Helper>(*this, bytes_));
    for (const auto& helper : helpers_) {
        helper->control = control_.helper();  // the run may be another than before
        helper->search.beside_ = beside_;
    }
    return most;
}

void Search::call_helpers(Hunt& hunt, Crew& crew) {
    if (crew.called()) return;
    const std::size_t most = helpers_for(hunt.node.n, hunt.node.columns.size(), hunt.size.depth);
    if (most == 0) return;
    crew.call(std::span(helpers_).first(most), [&hunt](Helper& helper) {
        helper.search.work(hunt, nullptr);
        hunt.changed.notify_all();
    });
}

void Search::search_splits(Hunt& hunt) {
    open_all(hunt);
    work_together(hunt);
}

// Below a node that is searched together each thread works alone.
void Search::work_together(Hunt& hunt) {
    if (control_.in_crew() || (hunt.level > 0 && pass_work(hunt.node) < options_.together_work))
        return work(hunt, nullptr);
    Crew crew(control_);
    work(hunt, &crew);
    crew.finish();
}

Options Search::options_for_few_rows() const {
    Options options = options_;
    options.core = options.parts = false;
    if (!helpers_.empty()) options.alone_work = 0;
    return options;
}

void Search::share_work(const std::function<void(Search&, Control&)>& work) {
    const std::size_t most = helpers_for(table_.n_rows, table_.n_columns, kLevelsAtOnce);
    if (most == 0) return work(*this, control_);
    Crew crew(control_);
    crew.call(std::span(helpers_).first(most), [&work](Helper& helper) { work(helper.search, helper.control); });
    work(*this, control_);
    crew.watch();
    crew.finish();
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
