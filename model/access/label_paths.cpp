// SPDX-License-Identifier: Apache-2.0
#include "model/access/label_paths.h"

#include <algorithm>

namespace rondo::access {

std::uint32_t LabelPaths::name(std::string_view text) {
  text = text.substr(0, kLongest);
  if (const auto found = text_at_.find(std::string(text)); found != text_at_.end()) return found->second;
  if (bytes_ + text.size() > kMostBytes) return 0;
  bytes_ += text.size();
  const auto at = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  text_at_.emplace(text, at);
  return at;
}

std::uint32_t LabelPaths::longer(std::uint32_t path, std::uint32_t name) {
  const auto [found, fresh] =
      path_at_.try_emplace(std::uint64_t{path} << 32 | name, static_cast<std::uint32_t>(paths_.size()));
  if (fresh) paths_.emplace_back(path, name);
  RONDO_CHECK(path < found->second && found->second < paths_.size());
  return found->second;
}

void LabelPaths::changed(Queue& queue) {
  queue.path = 0;
  for (const Open& open : queue.open)
    for (const std::uint32_t name : open.names) queue.path = longer(queue.path, name);
}

void LabelPaths::begin(ObjectId queue, Of of, std::uint32_t name) {
  RONDO_CHECK(name < texts_.size());
  Queue& on = queues_[queue];
  Open& open = on.open[static_cast<std::size_t>(of)];
  if (open.names.size() >= kDeepest) {
    ++open.deeper;
    return;
  }
  open.names.push_back(name);
  changed(on);
}

void LabelPaths::end(ObjectId queue, Of of) {
  Queue& on = queues_[queue];
  Open& open = on.open[static_cast<std::size_t>(of)];
  if (open.deeper != 0) {
    --open.deeper;
    return;
  }
  if (open.names.empty()) return;
  open.names.pop_back();
  changed(on);
}

std::uint32_t LabelPaths::path(ObjectId queue) const {
  const auto found = queues_.find(queue);
  return found != queues_.end() ? found->second.path : 0;
}

std::vector<std::string_view> LabelPaths::names(std::uint32_t path) const {
  std::vector<std::string_view> all;
  while (path != 0) {
    RONDO_CHECK(path < paths_.size());
    const auto [shorter, name] = paths_[path];
    RONDO_CHECK(shorter < path && name < texts_.size());
    all.push_back(texts_[name]);
    path = shorter;
  }
  std::reverse(all.begin(), all.end());
  return all;
}

}  // namespace rondo::access
