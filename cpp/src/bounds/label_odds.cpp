#include "treewright/bounds/label_odds.hpp"

#include "treewright/core/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

namespace treewright::ranked {

namespace {

constexpr int kTrees = 30, kFirstTrees = 4;
constexpr std::size_t kMaxGrown = std::size_t{1} << 15;  // rows that a tree is grown on
constexpr std::size_t kMinGrown = 5;                     // of them in a leaf
constexpr float kPrior = 0.002F;                         // share of every class where none was seen

// One tree at a time: the rows of a node are two stretches of one shuffled list, those it grows on and those it is
// asked about.
class Forest {
   public:
    Forest(const LabelledTable& data, Control& control)
        : data_(data), control_(control), rows_(data.drawn()), votes_(std::size_t{data.n_rows} * data.n_classes) {
        n_candidates_ = static_cast<int>(std::lround(4 * std::sqrt(static_cast<double>(data.n_columns))));
    }

    void grow() {
        const std::size_t n = rows_.size(), grown = std::min((n + 1) / 2, kMaxGrown);
        for (std::size_t i = 0; i < grown; ++i)
            std::swap(rows_[i], rows_[i + random_.below(static_cast<std::uint32_t>(n - i))]);
        const std::span all(rows_);
        branch(all.first(grown), all.subspan(grown));
    }

    [[nodiscard]] std::vector<float> odds() const {
        std::vector<float> result(data_.n_rows);
        for (std::uint32_t row = 0; row < data_.n_rows; ++row) {
            if (data_.span[row] == 0) continue;
            const float* shares = &votes_[std::size_t{row} * data_.n_classes];
            const float total = std::accumulate(shares, shares + data_.n_classes, 0.0F);
            const float prior = total > 0 ? kPrior * total : 1.0F;
            float other = 0;
            for (std::uint32_t k = 0; k < data_.n_classes; ++k)
                if (k != data_.label[row]) other = std::max(other, shares[k]);
            result[row] = (other + prior) / (shares[data_.label[row]] + prior);
        }
        return result;
    }

   private:
    void branch(std::span<std::uint32_t> grown, std::span<std::uint32_t> asked) {
        if (asked.empty() || control_.poll(1 + static_cast<std::int64_t>((grown.size() + asked.size()) >> 10))) return;
        std::vector<double> mass(data_.n_classes);
        for (const std::uint32_t row : grown) mass[data_.label[row]] += data_.span[row];
        const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
        const bool pure = *std::max_element(mass.begin(), mass.end()) == total;
        std::uint32_t column = 0, rank = 0;
        if (pure || grown.size() < 2 * kMinGrown || !choose(grown, mass, total, column, rank)) {
            if (total == 0) return;
            for (const std::uint32_t row : asked)
                for (std::uint32_t k = 0; k < data_.n_classes; ++k)
                    votes_[std::size_t{row} * data_.n_classes + k] += static_cast<float>(mass[k] / total);
            return;
        }
        const auto split = [&](std::span<std::uint32_t> rows) {
            return static_cast<std::size_t>(
                std::partition(rows.begin(), rows.end(),
                               [&](std::uint32_t row) { return data_.rank_of(column, row) < rank; }) -
                rows.begin());
        };
        const std::size_t grown_left = split(grown), asked_left = split(asked);
        branch(grown.first(grown_left), asked.first(asked_left));
        branch(grown.subspan(grown_left), asked.subspan(asked_left));
    }

    // The best by Gini impurity of a few random splits; false if none leaves rows enough on both sides.
    bool choose(std::span<const std::uint32_t> grown, std::span<const double> mass, double total, std::uint32_t& column,
                std::uint32_t& rank) {
        double best = -1;
        std::vector<double> left(mass.size());
        for (int candidate = 0; candidate < n_candidates_; ++candidate) {
            const std::uint32_t c = random_.below(data_.n_columns);
            const std::uint32_t r = data_.rank_of(c, grown[random_.below(static_cast<std::uint32_t>(grown.size()))]);
            std::fill(left.begin(), left.end(), 0.0);
            std::size_t n_left = 0;
            for (const std::uint32_t row : grown) {
                if (data_.rank_of(c, row) >= r) continue;
                left[data_.label[row]] += data_.span[row];
                ++n_left;
            }
            if (n_left < kMinGrown || grown.size() - n_left < kMinGrown) continue;
            const double on_left = std::accumulate(left.begin(), left.end(), 0.0), on_right = total - on_left;
            double purity = 0;
            for (std::size_t k = 0; k < mass.size(); ++k) {
                const double right = mass[k] - left[k];
                purity +=
                    (on_left > 0 ? left[k] * left[k] / on_left : 0) + (on_right > 0 ? right * right / on_right : 0);
            }
            if (purity <= best) continue;
            best = purity;
            column = c;
            rank = r;
        }
        return best >= 0;
    }

    const LabelledTable& data_;
    Control& control_;
    Random random_;
    int n_candidates_;
    std::vector<std::uint32_t> rows_;
    std::vector<float> votes_;  // [row][class]
};

}  // namespace

std::vector<float> label_odds(const LabelledTable& data, Control& control,
                              const std::function<bool(const std::vector<float>&)>& are_wanted) {
    Forest forest(data, control);
    for (int tree = 0; tree < kTrees && !control.stopped(); ++tree) {
        if (tree == kFirstTrees && !are_wanted(forest.odds())) return {};
        forest.grow();
    }
    return forest.odds();
}

}  // namespace treewright::ranked
