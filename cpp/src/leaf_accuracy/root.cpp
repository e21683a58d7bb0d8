// One question at the root: its columns, asked split by split, by one thread or several. Pass 1 looks for a split that
// meets the target, pass 2 for all of them.
//
// A thread takes a column for itself while there are such, in the order in which one thread would go. What it proves of
// a split is told to the other splits of the column (columns.cpp), and what is proven below them to the table of boxes
// and to the store, which all threads read. At the end, when fewer columns are left than threads, several share the
// stretches of a column. The first tree that meets the target ends the question for all.
//
// Sound: the bounds of a column, of boxes and of sets of rows hold at this target whoever proved them, and a target
// counts as refuted only if no thread left a split without an answer.
//
// Cost: a step takes 20 microseconds or more, and a question takes the lock of the columns three times at most.
#include "root.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace treewright::leaf_accuracy {

namespace {
constexpr std::size_t kLeastForHelper = std::size_t{1} << 24;  // bytes
constexpr std::size_t kBoxedDepth = 4;                         // subtrees of this depth or more have a table of boxes
constexpr std::size_t kMostBoxed = 1024;                       // ... of so many splits
}  // namespace

Search::Hunt::Column* Search::Hunt::next() {
    Column* best = nullptr;
    for (Column& column : columns) {
        if (column.begun && (column.open == nullptr || column.open->stretches.empty())) continue;
        if (best == nullptr || column.inside < best->inside) best = &column;
        if (best->inside == 0) break;
    }
    return best;
}

bool Search::Hunt::busy() const {
    return std::any_of(columns.begin(), columns.end(), [](const Column& column) { return column.inside > 0; });
}

Outcome Search::search_root(const Node& node, std::uint32_t depth, Count own) {
    Level& here = level_at(0);
    Hunt hunt{node, depth, here.pairs, here.boxes, false};
    hunt.lower = own;
    for (const ColumnOfPairs& column : by_promise(here.pairs)) hunt.columns.push_back({column});
    {
        Crew crew(control_);
        work_at(hunt, &crew);
        crew.wait();
        // Who was dismissed because the answer was found is not at a pause; who left a question open is.
        crew.finish(!hunt.found.feasible && hunt.unwound);
    }
    if (hunt.found.feasible) return hunt.found;
    return {false, hunt.unwound || control_.stopped() ? 0 : hunt.lower};
}

std::vector<std::vector<std::size_t>> Search::meeting_together(const Node& node, std::uint32_t depth,
                                                               std::span<const ColumnOfPairs> columns) {
    Level& here = level_at(0);
    Hunt hunt{node, depth, here.pairs, here.boxes, true};
    for (const ColumnOfPairs& column : columns) hunt.columns.push_back({column});
    {
        Crew crew(control_);
        work_at(hunt, &crew);
        crew.wait();
        crew.finish(hunt.unwound);
    }
    std::vector<std::vector<std::size_t>> meeting;
    for (Hunt::Column& column : hunt.columns) meeting.push_back(std::move(column.meeting));
    return meeting;
}

// The part of one thread; `crew`: of the calling one, whose helpers it calls.
void Search::work_at(Hunt& hunt, Crew* crew) {
    std::unique_lock lock(hunt.mutex);
    while (!hunt.found.feasible && !control_.stopped()) {
        if (crew != nullptr) call_helpers(hunt, *crew);
        Hunt::Column* const at = hunt.next();
        if (at == nullptr) {
            if (!hunt.busy()) return;
            hunt.changed.wait_for(lock, kGlance);
            lock.unlock();  // the caller's report may take its time
            control_.glance();
            lock.lock();
            continue;
        }
        ++at->inside;
        if (!at->begun) {
            at->begun = true;
            lock.unlock();
            auto open = std::make_unique<OpenColumn>();
            open_column(hunt.node, at->of.column, *open);
            lock.lock();
            at->open = std::move(open);
        }
        OpenColumn& column = *at->open;
        if (std::optional<Question> question = next_split(column)) {
            describe(*question, at->of, hunt.pairs, hunt.boxes);
            ask(hunt.node, hunt.depth, 0, column, *question, lock);
            if (column.met(question->at) && hunt.all) {
                at->meeting.push_back(question->at);
            } else if (column.met(question->at)) {
                const Outcome found = join(hunt.node, 0, column, question->at);
                if (!hunt.found.feasible || data_.measure.less(hunt.found.value, found.value)) hunt.found = found;
                if (hunt.together) control_.dismiss();
            } else if (control_.stopped() && !column.closed(question->at)) {
                hunt.unwound = true;
            }
        }
        --at->inside;
        if (at->inside == 0 && column.stretches.empty()) {
            hunt.lower = std::min(hunt.lower, column.least());
            at->open.reset();
        }
        hunt.changed.notify_all();
    }
    if (control_.stopped()) hunt.unwound = true;
}

Search::Search(const Data& data, const Options& options, Control& control)
    : data_(data),
      options_(options),
      control_(control),
      pairs_(data),
      sweeper_(data, control),
      sorter_(data),
      store_(std::make_shared<Store>(control.limits().bytes / 8 * 3, options.threads)),
      cheapest_(control.limits().bytes / 8) {}

Search::Search(const Search& lead, Control& control)
    : data_(lead.data_),
      options_(lead.options_),
      control_(control),
      pairs_(data_),
      sweeper_(data_, control),
      sorter_(data_),
      store_(lead.store_),
      cheapest_(0) {}

Search::~Search() = default;

Statistics Search::statistics() const {
    Statistics all = statistics_;
    all.passes = sweeper_.n_passes();
    for (const auto& helper : helpers_) {
        const Statistics more = helper->search.statistics();
        all.pair_solves += more.pair_solves;
        all.branches += more.branches;
        all.cache_hits += more.cache_hits;
        all.passes += more.passes;
        all.looked += more.looked;
        all.bytes = std::max(all.bytes, more.bytes);
    }
    return all;
}

// What a helper needs beside the store: the depth-two step of the whole table, its rows sorted by every column, boxes.
std::size_t Search::bytes_of_helper(const Node& root, std::uint32_t depth) const {
    const std::size_t splits = max_splits(root), rows = data_.n_rows(), boxed = std::min(splits, kMostBoxed);
    const std::size_t levels = depth > kBoxedDepth ? depth - kBoxedDepth : 0;
    return kLeastForHelper + (is_dense(root) ? splits * rows / 2 : 0) + 8 * rows * data_.table.n_columns +
           levels * 4 * boxed * boxed * sizeof(Boxes::Cell);
}

// The helpers for a root, once the lead has worked alone for long enough and if there is memory for them.
std::span<const std::unique_ptr<Search::Helper>> Search::helpers_for(const Node& root, std::uint32_t depth) {
    long_ = long_ || work_done() >= options_.alone_work;
    if (!long_ || options_.threads < 2 || !options_.cache) return {};
    const std::size_t share = control_.limits().bytes / 4;
    const std::size_t most = std::min(options_.threads - 1, share / bytes_of_helper(root, depth));
    while (helpers_.size() < most) helpers_.push_back(std::make_unique<Helper>(*this));
    return std::span(helpers_).first(most);
}

void Search::call_helpers(Hunt& hunt, Crew& crew) {
    if (crew.called()) return;
    const auto helpers = helpers_for(hunt.node, hunt.depth);
    if (helpers.empty()) return;
    for (const auto& helper : helpers) {
        Search& search = helper->search;
        search.targets_ = targets_;
        search.conversions_.resize(targets_.size());
        search.converted_.assign(targets_.size(), false);
    }
    hunt.together = true;
    crew.call(helpers, [&hunt](Helper& helper) {
        helper.search.work_at(hunt, nullptr);
        hunt.changed.notify_all();
    });
}

PairSweeper::Threads Search::threads_for_sweeps(const Node& root, std::uint32_t depth) {
    const auto helpers = helpers_for(root, depth);
    if (helpers.empty()) return {};
    return [this, helpers](const PairSweeper::Work& work) {
        Crew crew(control_);
        crew.call(helpers, [&work](Helper& helper) { work(helper.search.sweeper_.own_desk(), helper.control); });
        work(sweeper_.own_desk(), control_);
        crew.finish();
    };
}

}  // namespace treewright::leaf_accuracy
