// The oracle: a dynamic program over sets of rows, with no bound and no code of the library. Short enough to trust.
//
// A set of rows is a bit mask, a split is the mask of the rows that it sends left. Losses are sums of unsigned integers
// of 512 bits, which `exact.py` makes from fractions: nothing is rounded. Compiled when the tests are.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t limbs = 8;         // of a cost
constexpr std::size_t weight_limbs = 4;  // of a weight

template <std::size_t size>
struct Whole {
  std::array<std::uint64_t, size> limb{};  // lowest first

  static Whole at(const std::uint64_t* from) {
    Whole result;
    std::memcpy(result.limb.data(), from, sizeof result.limb);
    return result;
  }
  Whole& operator+=(const Whole& other) {
    unsigned carry = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto sum = static_cast<unsigned __int128>(limb[i]) + other.limb[i] + carry;
      limb[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<unsigned>(sum >> 64);
    }
    return *this;
  }
  friend Whole operator+(Whole a, const Whole& b) { return a += b; }
  friend bool operator==(const Whole&, const Whole&) = default;
  friend bool operator<(const Whole& a, const Whole& b) {
    for (std::size_t i = size; i-- > 0;) {
      if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
    }
    return false;
  }
  friend Whole<2 * size> operator*(const Whole& a, const Whole& b) {
    Whole<2 * size> result;
    for (std::size_t i = 0; i < size; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < size; ++j) {
        const auto sum = static_cast<unsigned __int128>(a.limb[i]) * b.limb[j] + result.limb[i + j] + carry;
        result.limb[i + j] = static_cast<std::uint64_t>(sum);
        carry = static_cast<std::uint64_t>(sum >> 64);
      }
      result.limb[i + size] = carry;
    }
    return result;
  }
  [[nodiscard]] long double nearly() const {
    long double value = 0;
    for (std::size_t i = size; i-- > 0;) value = std::ldexp(value, 64) + static_cast<long double>(limb[i]);
    return value;
  }
};

using Number = Whole<limbs>;
using Weight = Whole<weight_limbs>;

// Cost of a tree and its number of leaves; less is better in this order.
struct Price {
  Number cost;
  std::uint32_t leaves = 0;
  friend bool operator<(const Price& a, const Price& b) {
    return a.cost == b.cost ? a.leaves < b.leaves : a.cost < b.cost;
  }
};

// Weight of the rows that a leaf predicts right, and of all its rows, in whole units.
struct Leaf {
  Weight right;
  Weight all;
};

struct Key {
  std::uint64_t rows;
  std::int32_t depth;
  friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = (key.rows + static_cast<std::uint64_t>(key.depth) * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<std::size_t>(h ^ (h >> 31));
  }
};

struct Question {
  std::int32_t n_rows;
  std::int32_t n_classes;
  std::int32_t n_splits;
  std::int32_t min_samples_leaf;
  const std::uint64_t* left;      // n_splits masks
  const std::uint64_t* row_cost;  // n_rows x n_classes numbers
  const std::uint64_t* leaf_cost;  // one number
  const std::uint64_t* weight;    // n_rows weights in whole units; null where no leaf is asked for its accuracy
  const std::int32_t* label;      // n_rows
  double observations;            // that one unit of weight counts for in a confidence bound
  double z;                       // of the Wilson bound; 0 is the accuracy itself
};

class Oracle {
 public:
  explicit Oracle(const Question& question) : q_(question) {}

  // The cheapest tree: lexicographic in cost and leaves. `least` asks every leaf for a value.
  std::optional<Price> cheapest(std::uint64_t rows, std::int32_t depth, const Leaf* least, double hair) {
    depth = usable(rows, depth);
    const Key key{rows, depth};
    if (const auto known = cheapest_.find(key); known != cheapest_.end()) return known->second;
    std::optional<Price> best = leaf(rows);
    if (best && least && less(leaf_value(rows), *least, hair)) best.reset();
    if (depth > 0) {
      each_split(rows, [&](std::uint64_t a, std::uint64_t b) {
        const auto left = cheapest(a, depth - 1, least, hair);
        if (!left) return;
        const auto right = cheapest(b, depth - 1, least, hair);
        if (!right) return;
        const Price both{left->cost + right->cost, left->leaves + right->leaves};
        if (!best || both < *best) best = both;
      });
    }
    cheapest_.emplace(key, best);
    return best;
  }

  // The cheapest tree of exactly k leaves, at position k - 1, for k up to `most`; infeasible ones are empty.
  const std::vector<std::optional<Number>>& by_leaves(std::uint64_t rows, std::int32_t depth, std::size_t most) {
    depth = usable(rows, depth);
    const Key key{rows, depth};
    if (const auto known = by_leaves_.find(key); known != by_leaves_.end()) return known->second;
    const std::size_t room = std::min<std::size_t>(most, static_cast<std::size_t>(std::popcount(rows)));
    std::vector<std::optional<Number>> best(room);
    if (const auto own = leaf(rows)) best[0] = own->cost;
    if (depth > 0 && room > 1) {
      each_split(rows, [&](std::uint64_t a, std::uint64_t b) {
        const auto& left = by_leaves(a, depth - 1, most);
        const auto& right = by_leaves(b, depth - 1, most);
        for (std::size_t i = 0; i < left.size(); ++i) {
          if (!left[i]) continue;
          for (std::size_t j = 0; j < right.size() && i + j + 1 < room; ++j) {
            if (!right[j]) continue;
            const Number both = *left[i] + *right[j];
            auto& slot = best[i + j + 1];
            if (!slot || both < *slot) slot = both;
          }
        }
      });
    }
    return by_leaves_.emplace(key, std::move(best)).first->second;
  }

  // The largest value that the worst leaf of a tree can have.
  std::optional<Leaf> best_worst(std::uint64_t rows, std::int32_t depth) {
    depth = usable(rows, depth);
    const Key key{rows, depth};
    if (const auto known = worst_.find(key); known != worst_.end()) return known->second;
    std::optional<Leaf> best;
    if (leaf(rows)) best = leaf_value(rows);
    if (depth > 0) {
      each_split(rows, [&](std::uint64_t a, std::uint64_t b) {
        const auto left = best_worst(a, depth - 1);
        if (!left) return;
        const auto right = best_worst(b, depth - 1);
        if (!right) return;
        const Leaf worse = less(*right, *left, 0) ? *right : *left;
        if (!best || less(*best, worse, 0)) best = worse;
      });
    }
    worst_.emplace(key, best);
    return best;
  }

  [[nodiscard]] double value(const Leaf& leaf) const {
    const long double right = leaf.right.nearly() * q_.observations;
    const long double n = leaf.all.nearly() * q_.observations;
    if (q_.z == 0) return static_cast<double>(right / n);
    // (p - q)^2 = z^2 q (1 - q) / n, solved for the smaller q.
    const long double z2 = static_cast<long double>(q_.z) * q_.z;
    const long double p = right / n;
    const long double a = 1 + z2 / n;
    const long double b = -(2 * p + z2 / n);
    const long double root = std::sqrt(std::max(0.0L, b * b - 4 * a * p * p));
    return static_cast<double>(2 * p * p / (-b + root));
  }

 private:
  static std::int32_t usable(std::uint64_t rows, std::int32_t depth) {
    return std::min(depth, static_cast<std::int32_t>(std::popcount(rows)) - 1);  // a split leaves a row on each side
  }

  template <typename Visit>
  void each_split(std::uint64_t rows, Visit&& visit) {
    for (std::int32_t k = 0; k < q_.n_splits; ++k) {
      const std::uint64_t a = rows & q_.left[k];
      const std::uint64_t b = rows & ~q_.left[k];
      if (a != 0 && b != 0) visit(a, b);
    }
  }

  // Cost of the best label for these rows, or nothing if they are too few.
  std::optional<Price> leaf(std::uint64_t rows) const {
    if (std::popcount(rows) < q_.min_samples_leaf) return std::nullopt;
    std::optional<Number> best;
    for (std::int32_t k = 0; k < q_.n_classes; ++k) {
      Number sum;
      for (std::uint64_t rest = rows; rest != 0; rest &= rest - 1) {
        const auto row = static_cast<std::size_t>(std::countr_zero(rest));
        sum += Number::at(q_.row_cost + (row * static_cast<std::size_t>(q_.n_classes) + static_cast<std::size_t>(k)) * limbs);
      }
      if (!best || sum < *best) best = sum;
    }
    return Price{*best + Number::at(q_.leaf_cost), 1};
  }

  Leaf leaf_value(std::uint64_t rows) const {
    std::vector<Weight> by_class(static_cast<std::size_t>(q_.n_classes));
    Leaf result;
    for (std::uint64_t rest = rows; rest != 0; rest &= rest - 1) {
      const auto row = static_cast<std::size_t>(std::countr_zero(rest));
      const Weight weight = Weight::at(q_.weight + row * weight_limbs);
      by_class[static_cast<std::size_t>(q_.label[row])] += weight;
      result.all += weight;
    }
    for (const Weight& w : by_class) result.right = std::max(result.right, w);
    return result;
  }

  // Whether a is worth less than b: exactly for accuracies, by more than a hair for the roots of the Wilson bound.
  [[nodiscard]] bool less(const Leaf& a, const Leaf& b, double hair) const {
    if (q_.z != 0) return value(a) < value(b) - hair;
    return a.right * b.all < b.right * a.all;
  }

  Question q_;
  std::unordered_map<Key, std::optional<Price>, KeyHash> cheapest_;
  std::unordered_map<Key, std::vector<std::optional<Number>>, KeyHash> by_leaves_;
  std::unordered_map<Key, std::optional<Leaf>, KeyHash> worst_;
};

std::uint64_t everything(const Question& q) {
  return q.n_rows == 64 ? ~0ULL : (1ULL << q.n_rows) - 1;
}

}  // namespace

extern "C" {

// Return the leaves of the cheapest tree and write its cost; 0 if there is none. `least` is null or a leaf's value.
std::int32_t cheapest_tree(const Question* q, std::int32_t max_depth, const std::uint64_t* least, double hair,
                           std::uint64_t* cost) {
  Oracle oracle(*q);
  Leaf value;
  if (least != nullptr) value = Leaf{Weight::at(least), Weight::at(least + weight_limbs)};
  const auto found = oracle.cheapest(everything(*q), max_depth, least ? &value : nullptr, hair);
  if (!found) return 0;
  std::memcpy(cost, found->cost.limb.data(), sizeof found->cost.limb);
  return static_cast<std::int32_t>(found->leaves);
}

// Write for 1, 2, ..., most leaves the cost of the cheapest tree of exactly so many, and whether there is one.
void cheapest_by_leaves(const Question* q, std::int32_t max_depth, std::int32_t most, std::uint64_t* costs,
                        std::uint8_t* exists) {
  Oracle oracle(*q);
  const auto& best = oracle.by_leaves(everything(*q), max_depth, static_cast<std::size_t>(most));
  for (std::size_t k = 0; k < static_cast<std::size_t>(most); ++k) {
    exists[k] = k < best.size() && best[k].has_value();
    if (exists[k]) std::memcpy(costs + k * limbs, best[k]->limb.data(), sizeof best[k]->limb);
  }
}

// The value of one leaf.
double value_of_leaf(const Question* q, const std::uint64_t* right_and_all) {
  return Oracle(*q).value(Leaf{Weight::at(right_and_all), Weight::at(right_and_all + weight_limbs)});
}

// Write the worst leaf (right, all) of the tree whose worst leaf is best, and its value; return whether there is one.
std::int32_t best_worst_leaf(const Question* q, std::int32_t max_depth, std::uint64_t* worst, double* value) {
  Oracle oracle(*q);
  const auto best = oracle.best_worst(everything(*q), max_depth);
  if (!best) return 0;
  std::memcpy(worst, best->right.limb.data(), sizeof best->right.limb);
  std::memcpy(worst + weight_limbs, best->all.limb.data(), sizeof best->all.limb);
  *value = oracle.value(*best);
  return 1;
}
}
