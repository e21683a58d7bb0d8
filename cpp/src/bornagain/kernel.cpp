#include "treewright/bornagain/kernel.hpp"

#include "treewright/core/cpu.hpp"

#include <cstring>
#include <type_traits>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors wider than the baseline never cross a call: all is inlined
#endif
#define TREEWRIGHT_INLINE [[gnu::always_inline]] inline

namespace treewright::bornagain {

namespace {

template <class Value, int width>
struct Vector {
    typedef Value type __attribute__((vector_size(width)));
};

template <class V>
TREEWRIGHT_INLINE void load(V& v, const void* from) {
    std::memcpy(&v, from, sizeof v);
}
template <class V>
TREEWRIGHT_INLINE void store(void* to, const V& v) {
    std::memcpy(to, &v, sizeof v);
}

// best = min(best, combine(a, b))
template <class Policy, class V>
TREEWRIGHT_INLINE void improve(V& best, const V& a, const V& b) {
    V sum;
    if constexpr (std::is_same_v<Policy, Depth>) {
        sum = a > b ? a : b;
    } else if constexpr (std::is_same_v<Policy, Splits>) {
        sum = a + b;
    } else {
        const V mask = V{} + Policy::depth_mask;
        const V da = a & mask, db = b & mask;
        const V rest = b - (da < db ? da : db);  // splits of b, and by how much b is deeper than a
        const V room = ~a;
        sum = a + (rest < room ? rest : room);  // saturating
    }
    best = sum < best ? sum : best;
}

// Best outer split of `count` vectors of inner boxes from `x` on; see lemma 2 in table.hpp for the homogeneous case.
template <class Policy, int width, int count>
TREEWRIGHT_INLINE void outer_splits(const Batch<Policy>& batch, const typename Batch<Policy>::Job& job,
                                    typename Policy::Value* row, std::size_t x) {
    using Value = typename Policy::Value;
    using V = typename Vector<Value, width>::type;
    constexpr std::size_t step = width / sizeof(Value);
    V best[count];
    for (int i = 0; i < count; ++i) best[i] = ~V{};
    for (std::size_t s = job.first_pair; s < job.first_pair + job.n_pairs; ++s) {
        const auto [left, right] = batch.pairs[s];
        for (int i = 0; i < count; ++i) {
            V a, b;
            load(a, left + x + static_cast<std::size_t>(i) * step);
            load(b, right + x + static_cast<std::size_t>(i) * step);
            improve<Policy>(best[i], a, b);
        }
    }
    for (int i = 0; i < count; ++i) {
        const std::size_t at = x + static_cast<std::size_t>(i) * step;
        V low, high;
        load(low, job.low_labels + at);
        load(high, job.high_labels + at);
        const V zero{};
        const V mixed = best[i] | (low ^ high);  // zero if homogeneous
        V sum = best[i] + Policy::one;
        if constexpr (!std::is_same_v<Policy, Depth> && !std::is_same_v<Policy, Splits>)
            sum = sum < best[i] ? best[i] : sum;
        store(row + at, V(mixed == zero ? zero : sum));
    }
}

// low = a0 b0 a1 b1 ... of the lower halves of a and b; high the same of the upper halves.
template <class V, int... i>
TREEWRIGHT_INLINE void interleave(const V& a, const V& b, V& low, V& high, std::integer_sequence<int, i...>) {
    constexpr int n = sizeof...(i);
    low = __builtin_shufflevector(a, b, (i / 2 + (i % 2) * n)...);
    high = __builtin_shufflevector(a, b, (i / 2 + n / 2 + (i % 2) * n)...);
}

// Transposes a tile of 16 bytes by as many rows; `from` and `to` are strides in values.
template <class Value>
TREEWRIGHT_INLINE void transpose(const Value* source, std::size_t from, Value* target, std::size_t to) {
    constexpr int n = 16 / sizeof(Value);
    using V = typename Vector<Value, 16>::type;
    V v[n], w[n];
    for (int i = 0; i < n; ++i) load(v[i], source + static_cast<std::size_t>(i) * from);
    for (int round = n; round > 1; round /= 2) {  // perfect shuffles: row i meets row i + n/2
        for (int i = 0; i < n / 2; ++i)
            interleave(v[i], v[i + n / 2], w[2 * i], w[2 * i + 1], std::make_integer_sequence<int, n>());
        for (int i = 0; i < n; ++i) v[i] = w[i];
    }
    for (int i = 0; i < n; ++i) store(target + static_cast<std::size_t>(i) * to, v[i]);
}

template <class Policy, int width>
TREEWRIGHT_INLINE void run(Batch<Policy>& batch) {
    using Value = typename Policy::Value;
    using V = typename Vector<Value, width>::type;
    constexpr std::size_t lanes = width / sizeof(Value);
    constexpr std::size_t tile = 16 / sizeof(Value);
    const std::size_t pitch = batch.pitch;
    const std::size_t n_jobs = batch.jobs.size();
    for (std::size_t j = 0; j < n_jobs; ++j) {
        Value* row = batch.rows + j * pitch;
        const auto& job = batch.jobs[j];
        std::size_t x = 0;
        for (; x + 4 * lanes <= batch.n_inner; x += 4 * lanes) outer_splits<Policy, width, 4>(batch, job, row, x);
        for (; x + 2 * lanes <= batch.n_inner; x += 2 * lanes) outer_splits<Policy, width, 2>(batch, job, row, x);
        // The last vectors may reach over the row's end: into the next row, which is computed later, or the slack.
        for (; x < batch.n_inner; x += lanes) outer_splits<Policy, width, 1>(batch, job, row, x);
    }
    const std::size_t used = (n_jobs + tile - 1) / tile * tile;
    for (std::size_t j = 0; j < used; j += tile)
        for (std::size_t x = 0; x < pitch; x += tile)
            transpose<Value>(batch.rows + j * pitch + x, pitch, batch.scratch + x * lanes + j, lanes);
    V deepest{}, largest{};
    for (std::size_t x = 0; x < batch.n_inner; ++x) {
        const std::uint32_t first = batch.split_first[x], last = batch.split_first[x + 1];
        V best = ~V{};  // stays so without splits
        for (std::uint32_t s = first; s < last; ++s) {
            V a, b;
            load(a, batch.scratch + batch.split_pairs[s].first * lanes);
            load(b, batch.scratch + batch.split_pairs[s].second * lanes);
            improve<Policy>(best, a, b);
        }
        V value;
        load(value, batch.scratch + x * lanes);
        V sum = best + Policy::one;
        sum = sum < best ? best : sum;
        value = sum < value ? sum : value;
        if constexpr (!std::is_same_v<Policy, Depth> && !std::is_same_v<Policy, Splits>) {
            const V depth = value & (V{} + Policy::depth_mask);
            deepest = depth > deepest ? depth : deepest;
        } else if constexpr (std::is_same_v<Policy, Splits>) {
            largest = value > largest ? value : largest;
        }
        store(batch.scratch + x * lanes, value);
    }
    for (std::size_t j = 0; j < used; j += tile)
        for (std::size_t x = 0; x < pitch; x += tile)
            transpose<Value>(batch.scratch + x * lanes + j, lanes, batch.rows + j * pitch + x, pitch);
    if constexpr (!std::is_same_v<Policy, Depth> && !std::is_same_v<Policy, Splits>) {
        for (std::size_t j = 0; j < n_jobs; ++j) batch.overflow |= deepest[j] == Policy::depth_mask;
    } else if constexpr (std::is_same_v<Policy, Splits>) {
        // Rows of lower levels are below the limit; those of the batch may be twice that, and two of them may wrap.
        for (std::size_t j = 0; j < n_jobs; ++j) batch.overflow |= largest[j] >= Policy::limit;
    }
}

template <class Policy>
void run_plain(Batch<Policy>& batch) {
    run<Policy, 16>(batch);
}
#if defined(__x86_64__) && defined(__GNUC__)
template <class Policy>
[[gnu::target("avx2")]] void run_avx2(Batch<Policy>& batch) {
    run<Policy, 32>(batch);
}
template <class Policy>
[[gnu::target("avx512f,avx512bw,avx512vl")]] void run_avx512(Batch<Policy>& batch) {
    run<Policy, 64>(batch);
}
#endif

}  // namespace

template <class Policy>
void run_batch(Batch<Policy>& batch) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (simd() == Simd::avx512) return run_avx512(batch);
    if (simd() == Simd::avx2) return run_avx2(batch);
#endif
    run_plain(batch);
}

template <class Policy>
std::size_t batch_lanes() {
    const std::size_t bytes = simd() == Simd::avx512 ? 64 : simd() == Simd::avx2 ? 32 : 16;
    return bytes / sizeof(typename Policy::Value);
}

template void run_batch(Batch<Depth>&);
template void run_batch(Batch<Splits>&);
template void run_batch(Batch<SplitsDepth>&);
template void run_batch(Batch<WideSplitsDepth>&);
template std::size_t batch_lanes<Depth>();
template std::size_t batch_lanes<Splits>();
template std::size_t batch_lanes<SplitsDepth>();
template std::size_t batch_lanes<WideSplitsDepth>();

}  // namespace treewright::bornagain
