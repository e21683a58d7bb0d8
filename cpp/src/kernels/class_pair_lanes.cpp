// What a pass over classes is told of the splits in its lanes: which rows they have on the left, and what both sides
// gain.
#include "treewright/kernels/class_pair_solver.hpp"

#include <algorithm>

namespace treewright::ranked {

void ClassPairSolver::prepare_lanes(const Node& node) {
    const std::size_t n_splits = splits_.size();
    left_rows_.resize(n_splits);
    left_span_.resize(n_splits);
    const std::uint64_t unused = n_splits < kMaxLanes ? ~std::uint64_t{0} << n_splits : 0;
    if (by_stretches_) {
        prepare_stretches(node);
        for (const std::uint32_t row : stretches_.rows()) left_lanes_[row] = unused;
    } else {
        for (std::uint32_t i = 0; i < node.n; ++i) left_lanes_[row_of(node.orders[0][i])] = unused;
    }
    for (std::size_t first = 0, end = 0; first < n_splits; first = end) {
        while (end < n_splits && splits_[end].column == splits_[first].column) ++end;
        by_stretches_ ? prepare_column_stretches(node, first, end) : prepare_column(node, first, end);
    }
    task_.n = node.n;
    task_.orders = orders_;
    task_.n_lanes = static_cast<std::uint32_t>(n_splits);
    task_.left_rows = left_rows_.data();
    task_.left_gain = left_gain_.data();
    task_.right_gain = right_gain_.data();
}

void ClassPairSolver::prepare_column(const Node& node, std::size_t first, std::size_t end) {
    const std::size_t at = splits_[first].column, n_classes = data_.n_classes;
    const std::uint32_t* order = node.orders[at];
    std::uint64_t lanes = (std::uint64_t{2} << (end - 1)) - (std::uint64_t{1} << first);  // splits still ahead
    const bool far = node.n >= kFarRows;
    std::fill(gain_.begin(), gain_.end(), 0);
    std::int64_t span = 0;
    std::uint32_t i = 0;
    for (std::size_t k = first; k < end; ++k, lanes &= lanes - 1) {
        const std::uint32_t position = profiles_[at].position(splits_[k].split);
        if (mode_ == Mode::unit) {
            std::int32_t sum = 0, n_signed = 0;
            for (; i < position; ++i) {
                if (far) ask_ahead(order, i, node.n, [&](std::uint32_t next) { return &left_lanes_[next]; });
                const std::uint32_t row = row_of(order[i]);
                left_lanes_[row] |= lanes;
                sum += sign_[row];
                n_signed += sign_[row] & 1;
            }
            span += n_signed;
            gain_[present_[0]] += (n_signed - sum) / 2;
            gain_[present_[1]] += (n_signed + sum) / 2;
        } else if (mode_ == Mode::unit_many) {
            std::array<std::uint32_t, kMaxUnitClasses + 1> count{};
            for (; i < position; ++i) {
                const std::uint32_t row = row_of(order[i]);
                left_lanes_[row] |= lanes;
                ++count[place_[row]];
            }
            for (std::size_t c = 0; c < present_.size(); ++c) {
                gain_[present_[c]] += count[c];
                span += count[c];
            }
        } else {
            for (; i < position; ++i) {
                const std::uint32_t row = row_of(order[i]);
                left_lanes_[row] |= lanes;
                span += data_.span[row];
                const std::int32_t* row_gain = &data_.gain[std::size_t{data_.label[row]} * n_classes];
                for (const std::uint32_t c : present_) gain_[c] += std::int64_t{data_.weight[row]} * row_gain[c];
            }
        }
        note_side(node, k, position, span);
    }
}

void ClassPairSolver::note_side(const Node& node, std::size_t k, std::uint32_t position, std::int64_t span) {
    left_rows_[k] = position;
    left_span_[k] = span;
    for (const std::uint32_t c : present_) {
        left_gain_[c * kMaxLanes + k] = static_cast<std::int32_t>(gain_[c]);
        right_gain_[c * kMaxLanes + k] = static_cast<std::int32_t>(node.span - node.sums[c] - gain_[c]);
    }
}

void ClassPairSolver::prepare_stretches(const Node& node) {
    if (stretches_open_) return;
    stretches_open_ = true;
    stretches_.open(data_, node, sign_);
    lanes_of_.resize(stretches_.most());
    stretch_sums_.resize(kStretchedTogether * stretches_.most());
    task_.most_stretches = stretches_.most();
    task_.rows = stretches_.rows().data();
    task_.stretched_columns = stretches_.columns();
    task_.stretch_sums = stretch_sums_.data();
}

void ClassPairSolver::prepare_column_stretches(const Node& node, std::size_t first, std::size_t end) {
    const std::size_t at = splits_[first].column;
    const std::uint32_t* order = node.orders[at];
    const auto& [stretch, start, n_stretches] = stretches_.columns()[at];
    const std::span<const RowStretches::Sums> before = stretches_.before(at);
    std::uint64_t lanes = (std::uint64_t{2} << (end - 1)) - (std::uint64_t{1} << first);  // splits still ahead
    std::size_t s = 0;
    for (std::size_t k = first; k < end; ++k, lanes &= lanes - 1) {
        const std::uint32_t position = profiles_[at].position(splits_[k].split);
        for (; s < n_stretches && start[s + 1] <= position; ++s) lanes_of_[s] = lanes;
        RowStretches::Sums sums = before[s];
        for (std::uint32_t i = start[s]; i < position; ++i) {  // of the stretch that the split cuts
            const std::uint32_t row = row_of(order[i]);
            left_lanes_[row] |= std::uint64_t{1} << k;
            sums.sum += sign_[row];
            sums.n_signed += sign_[row] & 1;
        }
        gain_[present_[0]] = (sums.n_signed - sums.sum) / 2;
        gain_[present_[1]] = (sums.n_signed + sums.sum) / 2;
        note_side(node, k, position, sums.n_signed);
    }
    std::fill(lanes_of_.begin() + static_cast<std::ptrdiff_t>(s), lanes_of_.end(), 0);
    for (std::uint32_t i = 0; i < node.n; ++i) left_lanes_[stretches_.rows()[i]] |= lanes_of_[stretch[i]];
}

}  // namespace treewright::ranked
