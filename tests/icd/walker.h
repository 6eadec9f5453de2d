// SPDX-License-Identifier: Apache-2.0
// Is a call valid, as far as the registry can say? Walks its parameters by the
// codec's rows and reports violations.
#pragma once

#include <memory>
#include <vector>

#include "format/codec/encoder.h"
#include "tests/icd/driver.h"

namespace fake {

// What the codec's rules ask of earlier calls, answered from the objects.
class Context : public rondo::codec::EncodeContext {
 public:
  bool is_secondary(std::uint64_t command_buffer) override;
  SubpassUse subpass_use(std::uint64_t render_pass, std::uint32_t subpass) override;
  TemplateLayout template_layout(std::uint64_t update_template) override;
  void add_blob(const rondo::Digest&, std::span<const std::byte> bytes) override;
  std::uint16_t note_structure(rondo::StructId id) override { return static_cast<std::uint16_t>(id); }

  std::vector<std::byte> blobs;
};

// Every live object that the call names goes into `named`.
void check_validity(const Call& call, std::vector<std::shared_ptr<Object>>& named);

}  // namespace fake
