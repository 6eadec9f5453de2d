// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/work_names.h"

#include "analyzers/text/text.h"

namespace rondo::analyzers {

std::vector<std::string_view> WorkNames::labels(std::uint32_t path) const {
  if (const auto kept = kept_labels_.find(path); kept != kept_labels_.end())
    return {kept->second.begin(), kept->second.end()};
  return model_->labels_of(path);
}

void WorkNames::keep_labels(std::uint32_t path) {
  if (kept_labels_.count(path) != 0) return;
  const std::vector<std::string_view> labels = model_->labels_of(path);
  kept_labels_.emplace(path, std::vector<std::string>(labels.begin(), labels.end()));
}

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
}

}  // namespace rondo::analyzers
