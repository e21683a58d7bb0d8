// The loss of a leaf as a function of sums over its rows.
#pragma once

#include "treewright/tree/pruning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace treewright::tree {

// `number(k)` gives the sum of the k-th of `n_sums` numbers.
template <class Number>
[[nodiscard]] double loss_of_sums(LossSums::Kind kind, std::size_t n_sums, const Number& number) {
    switch (kind) {
        case LossSums::Kind::least: {
            double least = number(0);
            for (std::size_t k = 1; k < n_sums; ++k) least = std::min(least, number(k));
            return least;
        }
        case LossSums::Kind::squares: {
            if (!(number(0) > 0)) return 0.0;
            double of_means = 0.0;
            for (std::size_t k = 2; k < n_sums; ++k) of_means += number(k) * (number(k) / number(0));
            return number(1) - of_means;
        }
        case LossSums::Kind::deviance:
            return number(0) > 0 && number(1) > 0 ? number(0) * std::log(number(1) / number(0)) - number(2) : 0.0;
        case LossSums::Kind::entropy: {
            double all = 0.0, loss = 0.0;
            for (std::size_t k = 0; k < n_sums; ++k) all += number(k);
            for (std::size_t k = 0; k < n_sums; ++k)
                if (number(k) > 0) loss += number(k) * std::log(all / number(k));
            return loss;
        }
    }
    return 0.0;
}

}  // namespace treewright::tree
