// Products of a number and a logarithm in double precision, with a proven largest error: all that deviances are made
// of.
#pragma once

#include <cmath>

namespace treewright::ranked {

// number * log(of) * units, where units is a power of two, by which a product is exact.
inline double times_log(double number, double of, double units) { return number * std::log(of) * units; }

// Units by which times_log(d, x, 2^scale) may differ from the true value, d exact and at most `most`, |log x| at most
// `log_most`, x off by less than 2.01 u of itself, u = 2^-53; and half a unit for rounding the result to a whole
// number, or for one addition of numbers below 2^53.
//
// A number off by 2.01 u moves its logarithm by less than 2.02 u; the library's own error is below 4 of its last places
// (glibc, musl, Apple's and Microsoft's state below 1), that is 8 u times the logarithm; the product adds u times its
// value. So
//     error <= most 2^scale u (2.02 + 9.1 log_most),
// which is computed here with rounder numbers.
inline double times_log_error(double most, double log_most, int scale) {
    return std::ldexp(most * (2.1 + 9.2 * log_most), scale - 53) + 0.5;
}

}  // namespace treewright::ranked
