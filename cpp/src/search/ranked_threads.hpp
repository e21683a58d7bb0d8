// The threads that help with the splits of a root: each has a search of its own on the store of the one it helps.
#pragma once

#include "treewright/search/ranked_search.hpp"

#include <cstddef>
#include <thread>
#include <vector>

namespace treewright::ranked {

// What a helping thread works with; kept from one root to the next.
struct Search::Helper {
    Helper(Search& lead, std::size_t bytes)
        : control(lead.control_.helper()), search(lead.objective_, lead.options_, control, bytes, lead.store_) {}
    Control control;
    Search search;
};

class Search::Threads {
   public:
    Threads(Search& lead, Hunt& hunt) : lead_(lead), hunt_(hunt) {}
    ~Threads();  // after an exception: ends the helpers' work
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    // Starts the helpers once the lead has worked alone for long enough.
    void call();
    // Waits for the helpers; raises what one of them has raised.
    void finish();

   private:
    void join();

    Search& lead_;
    Hunt& hunt_;
    std::vector<std::thread> threads_;
};

}  // namespace treewright::ranked
