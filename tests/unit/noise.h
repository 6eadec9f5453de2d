// SPDX-License-Identifier: Apache-2.0
// Times as a machine has them, the same on every machine: no distribution of the C++ library is used.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace rondo::test {

class Noise {
 public:
  explicit Noise(std::uint32_t seed) : bits_(seed) {}

  double normal() {  // mean 0, deviation 1: of twelve uniform numbers
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += (static_cast<double>(bits_()) + 0.5) / 4294967296.0;
    return sum;
  }
  // Their logarithms are normal: about `middle`, by the fraction `deviation`.
  double time(double middle, double deviation) { return middle * std::exp(deviation * normal()); }
  std::vector<double> times(std::size_t count, double middle, double deviation) {
    std::vector<double> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(time(middle, deviation));
    return all;
  }

 private:
  std::mt19937 bits_;  // its numbers are specified
};

}  // namespace rondo::test
