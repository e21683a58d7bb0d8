// Several threads on one root: each runs the search of binary_search.cpp by itself, and tells the others
// (binary_shared.hpp).
//
// There is no queue of tasks: a thread goes down the same splits as the lead, most promising first, steps round those
// that others are at, and finds closed what they have closed. The first that has nothing left to prove at the root ends
// the round for all; its bounds and its split are among those shared. What differs from run to run is who proved what,
// and so the steps and which of equal trees was met first; binary_ties.hpp says which of them is the answer.
#pragma once

#include "bounds/few_rows.hpp"
#include "treewright/core/crew.hpp"
#include "treewright/search/binary_search.hpp"
#include "treewright/search/binary_shared.hpp"

#include <algorithm>
#include <memory>

namespace treewright::binary {

namespace {
constexpr std::size_t kLeastForHelper = std::size_t{1} << 24;  // bytes
}

// What a helping thread works with; kept from one round to the next.
template <class Acc>
struct Search<Acc>::Helper {
    Helper(const Search& lead, std::size_t bytes) : control(lead.control_.helper()), search(lead, control, bytes) {}
    Control control;
    Search search;
};

template <class Acc>
Search<Acc>::Search(const Search& lead, Control& control, std::size_t bytes)
    : data_(lead.data_),
      settings_(lead.settings_),
      options_(lead.options_),
      control_(control),
      max_bytes_(bytes),
      c_(lead.c_),
      prices_(lead.prices_),
      similar_compared_(lead.similar_compared_),
      similar_closed_(lead.similar_closed_),
      cache_(data_.n_words, bytes),
      subproblems_(lead.subproblems_, control, bytes),
      arena_(subproblems_.arena()),
      root_(lead.root_),
      root_depth_(lead.root_depth_),
      shared_(lead.shared_) {
    if (!options_.cache) cache_.disable();
}

template <class Acc>
Search<Acc>::~Search() = default;

template <class Acc>
std::size_t Search<Acc>::bytes() const {
    return shared_ == nullptr ? own_bytes() : shared_->bytes();
}

template <class Acc>
std::size_t Search<Acc>::own_bytes() const {
    return cache_.bytes() + arena_.bytes() + (few_rows_ == nullptr ? 0 : few_rows_->bytes());
}

// Makes the helpers, and tells them what the lead knows.
template <class Acc>
void Search<Acc>::call_helpers() {
    if (shared_ != nullptr || settings_.threads < 2 || !options_.cache || !subproblems_.is_whole()) return;
    // A thread's working memory: on every level the matrices of a child, and its rows.
    const std::size_t levels = std::min<std::size_t>(static_cast<std::size_t>(root_depth_), data_.n_columns);
    const std::size_t one =
        levels * (Subproblems<Acc>::bytes_needed(data_, settings_.min_count > 0) + 8 * data_.n_rows);
    const std::size_t share = max_bytes_ / 4;
    const std::size_t most = std::min(settings_.threads - 1, share / std::max<std::size_t>(one, kLeastForHelper));
    if (most == 0) return;
    shared_ = std::make_shared<SharedBounds>(data_.n_words, max_bytes_ / 2);
    max_bytes_ = share;
    cache_.each([&](std::span<const std::uint64_t> key, const Entry& entry) {
        shared_->store(key, cache_.hash(key.data(), entry.limits), entry);
    });
    while (helpers_.size() < most) helpers_.push_back(std::make_unique<Helper>(*this, share / most));
}

template <class Acc>
void Search<Acc>::share_work(const std::function<void(Search&, Control&)>& work) {
    if (control_.steps() >= options_.alone_steps) call_helpers();
    for (const auto& helper : helpers_) helper->control = control_.helper();  // the run may be another than before
    Crew crew(control_);
    crew.call(helpers_, [&work](Helper& helper) { work(helper.search, helper.control); });
    work(*this, control_);
    crew.watch();
    crew.finish();
}

template <class Acc>
Bounds Search<Acc>::solve_root(std::int64_t budget) {
    if (together_) call_helpers();
    if (helpers_.empty()) return solve(root_, root_depth_, budget);
    Bounds found;
    {
        Crew crew(control_);
        crew.call(helpers_, [budget](Helper& helper) {
            static_cast<void>(helper.search.solve(helper.search.root_, helper.search.root_depth_, budget));
            helper.control.dismiss();
        });
        found = solve(root_, root_depth_, budget);
        control_.dismiss();
        crew.finish();
    }
    if (const Entry* entry = find_known(root_.key, root_depth_))  // by whoever was first
        found = {std::max(found.lower, entry->lower), std::min(found.upper, entry->upper)};
    for (const auto& helper : helpers_)
        for (int side : {0, 1}) raise(root_lower_[side], helper->search.root_lower_[side]);
    return found;
}

}  // namespace treewright::binary
