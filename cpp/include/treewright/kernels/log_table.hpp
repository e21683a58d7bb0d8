// Numbers of the logarithm of log_lanes_impl.hpp.
#pragma once

#include <array>
#include <cstddef>

namespace treewright::ranked {

// 1 / (1 + (i + 1/2) / 16), and minus its logarithm, each rounded to the nearest double.
alignas(64) inline constexpr double kInverse[16] = {
    0.9696969696969697, 0.9142857142857143, 0.8648648648648649, 0.8205128205128205,
    0.7804878048780488, 0.7441860465116279, 0.7111111111111111, 0.6808510638297872,
    0.6530612244897959, 0.6274509803921569, 0.6037735849056604, 0.5818181818181818,
    0.5614035087719298, 0.5423728813559322, 0.5245901639344263, 0.5079365079365079,
};
alignas(64) inline constexpr double kLogarithm[16] = {
    0.03077165866675366, 0.08961215868968717, 0.14518200984449783, 0.19782574332991992,
    0.2478361639045812,  0.2954642128938359,  0.3409265869705932,  0.38441169891033206,
    0.42608439531090014, 0.46608972992459924, 0.5045560107523953,  0.5415972824327444,
    0.5773153650348236,  0.6118015411059929,  0.6451379613735847,  0.6773988235918061,
};

constexpr std::array<float, 16> floats_of(const double (&table)[16]) {
    std::array<float, 16> floats{};
    for (std::size_t i = 0; i < 16; ++i) floats[i] = static_cast<float>(table[i]);
    return floats;
}
alignas(64) inline constexpr std::array<float, 16> kInverseFloats = floats_of(kInverse), kLogarithmFloats =
                                                                                             floats_of(kLogarithm);

}  // namespace treewright::ranked
