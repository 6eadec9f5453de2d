// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/work_names.h"

#include "analyzers/read/device_info.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

std::string WorkNames::label_text(std::uint32_t path) const {
  std::string all;
  for (const std::string_view label : labels(path)) {
    if (!all.empty()) all += '/';
    all += printable(label);
  }
  return all;
}

void WorkNames::take(const Step& step) {
  if (!step.by_layer()) shaders_.take(*walk_, step);
  take_device_facts(*walk_, step, facts_);
}

}  // namespace rondo::analyzers
