// SPDX-License-Identifier: Apache-2.0
// The bytes of one node of a Chakra trace, or of its head (chakra.h). One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::analyzers {

struct ChakraTensor {
  std::string name;
  std::uint64_t id = 0;       // of the version
  std::uint64_t storage = 0;  // of the resource
  std::uint64_t bytes = 0;
  bool is_image = false;
};

struct ChakraNode {
  std::uint64_t id = 0;  // from 1
  std::string name;
  std::vector<std::uint64_t> control, data;  // ids
  std::uint64_t start_ns = 0, duration_ns = 0;
  bool is_cpu = false;
  bool is_join = false;            // it stands for many dependencies, and takes no time
  bool has_duration = false;       // it is measured, or captured
  std::uint64_t ops = 1;           // ASTRA-sim divides by them: never 0
  std::uint64_t tensor_bytes = 1;  // likewise
  std::uint64_t device = 0, stream = 0;
  std::vector<ChakraTensor> inputs, outputs;
  std::uint64_t more_tensors = 0;  // that are not in `inputs` and `outputs`
  std::optional<std::uint64_t> record, submit;
  std::string pipeline, labels;  // empty: none
};

// Appends the message, after its length.
void append_chakra_head(std::string& out, std::span<const std::pair<std::string_view, std::string>> attributes);
void append_chakra_node(std::string& out, const ChakraNode& node);

}  // namespace rondo::analyzers
