// reduce() loses nothing: every set of rows that a tree can select costs the same before and after, for every class.
#include "check.hpp"
#include "made_input.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

using namespace treewright::binary;

namespace {

// Rows that satisfy all literals (column, side).
struct Literal {
    std::size_t column;  // of the reduced data
    bool one;            // in the input's own sense
};

void compare_selections(Dice& dice, const MadeInput& in, const Dataset& data) {
    for (int trial = 0; trial < 40; ++trial) {
        std::vector<Literal> path;
        if (data.n_columns > 0)
            for (std::size_t n = dice.below(4); n > 0; --n) path.push_back({dice.below(data.n_columns), dice.coin()});
        std::vector<std::int64_t> before(in.n_classes, 0), after(in.n_classes, 0);
        std::int64_t base =
            0;  // what the selected input rows pay in every tree is not known per row; compare differences
        std::int64_t count_before = 0, count_after = 0;
        for (std::size_t r = 0; r < in.n_rows; ++r) {
            const bool here = std::all_of(path.begin(), path.end(), [&](const Literal& l) {
                return in.bit(r, static_cast<std::size_t>(data.columns[l.column].source)) == l.one;
            });
            if (!here) continue;
            ++count_before;
            for (std::size_t k = 0; k < in.n_classes; ++k) before[k] += in.price(r, k);
        }
        for (std::size_t r = 0; r < data.n_rows; ++r) {
            const bool here = std::all_of(path.begin(), path.end(), [&](const Literal& l) {
                return (data.bit(r, l.column) != data.columns[l.column].flipped) == l.one;
            });
            if (!here) continue;
            count_after += data.count[r];
            for (std::size_t k = 0; k < in.n_classes; ++k) after[k] += data.cost[r * in.n_classes + k];
        }
        base = before[0] - after[0];
        check(base >= 0, "the unavoidable cost is not negative");
        for (std::size_t k = 0; k < in.n_classes; ++k) check(before[k] - after[k] == base, "one base for all classes");
        if (path.empty()) check(base == data.base_cost, "the base of all rows is base_cost");
        check(count_after <= count_before, "no row is counted twice");
    }
}

void check_shape(const Dataset& data) {
    check(data.bits.size() == data.n_rows * data.n_words, "bits fill the rows");
    check(data.cost.size() == data.n_rows * data.n_classes, "a cost for each class");
    check(data.n_columns == data.columns.size(), "columns are listed");
    for (std::size_t r = 0; r < data.n_rows; ++r) {
        const auto* cost = &data.cost[r * data.n_classes];
        check(*std::min_element(cost, cost + data.n_classes) == 0, "costs start at zero");
    }
    std::set<std::vector<bool>> seen;
    for (std::size_t j = 0; j < data.n_columns; ++j) {
        std::vector<bool> column;
        for (std::size_t r = 0; r < data.n_rows; ++r) column.push_back(data.bit(r, j));
        const auto ones = static_cast<std::size_t>(std::count(column.begin(), column.end(), true));
        check(ones > 0 && 2 * ones <= data.n_rows, "ones are the minority and the column varies");
        check(seen.insert(column).second, "no column twice");
        column.flip();
        check(2 * ones != data.n_rows || !seen.contains(column), "no complement");
    }
}

// A row that no matrix counts would be in sets that have one key: whatever is guessed of it, it is not kept.
void check_weight(Dice& dice, const MadeInput& in, bool keep, bool merge) {
    std::vector<std::int64_t> guess(in.n_rows);
    for (std::int64_t& g : guess) g = static_cast<std::int64_t>(dice.below(9));
    Input guessed = in.view(keep, merge);
    guessed.guess = guess;
    const Dataset data = reduce(guessed);
    check(data.n_rows == reduce(in.view(keep, merge)).n_rows, "guesses keep no row");
    for (std::size_t r = 0; r < data.n_rows; ++r) {
        const auto* cost = &data.cost[r * data.n_classes];
        check(keep || std::any_of(cost, cost + data.n_classes, [](std::int64_t c) { return c > 0; }),
              "a row that is not counted has some cost");
    }
}

}  // namespace

int main() {
    Dice dice(1);
    for (int trial = 0; trial < 300; ++trial) {
        MadeInput in(dice, 1 + dice.below(trial % 10 == 0 ? 140 : 8), 1 + dice.below(trial % 6 == 0 ? 200 : 60),
                     2 + dice.below(3));
        if (dice.coin())  // any byte but zero is a one
            for (std::uint8_t& byte : in.goes_right)
                if (byte != 0) byte = static_cast<std::uint8_t>(1 + dice.below(255));
        for (const bool keep : {false, true})
            for (const bool merge : {false, true}) {
                const Dataset data = reduce(in.view(keep, merge));
                check_shape(data);
                compare_selections(dice, in, data);
                std::int64_t rows = 0;
                for (const std::int64_t c : data.count) rows += c;
                if (keep) check(rows == static_cast<std::int64_t>(in.n_rows), "with free rows kept, all are counted");
                if (!merge) check(data.n_rows <= in.n_rows, "never more rows");
                check_weight(dice, in, keep, merge);
            }
    }
    std::puts("reduce: ok");
}
