// SPDX-License-Identifier: Apache-2.0
#include "model/access/model.h"

#include <algorithm>

#include "model/access/tracker.h"

namespace rondo::access {

struct Model::Impl : Tracker {
  using Tracker::Tracker;
};

Model::Model(Sink sink, const Limits& limits, std::uint32_t also)
    : impl_(std::make_unique<Impl>(std::move(sink), limits, also)) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;

void Model::take(const model::Call& call) { impl_->take(call); }

std::vector<ObjectId> Model::reachable() const {
  const model::Effects& effects = impl_->effects;
  std::vector<ObjectId> all(effects.in_memory.begin(), effects.in_memory.end());
  for (const auto& [address, buffer] : effects.addresses) all.push_back(buffer);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bool Model::is_reachable(ObjectId id) const {
  const model::Effects& effects = impl_->effects;
  if (effects.in_memory.count(id) != 0) return true;
  const model::Buffer* const buffer = effects.views.buffers.find(id);
  return buffer != nullptr && buffer->address != 0;
}

std::uint64_t Model::reached() const { return impl_->effects.reached; }

const model::Image* Model::image(ObjectId id) const { return impl_->effects.views.images.find(id); }

std::vector<std::string_view> Model::labels_of(std::uint32_t path) const { return impl_->labels.names(path); }

std::uint64_t Model::bytes_of(const Touch& touch) const {
  const model::ViewsOf<ObjectId>& views = impl_->effects.views;
  if (const model::Image* image = views.images.find(touch.object)) return model::bytes_of(*image, touch.part);
  return views.buffers.find(touch.object) != nullptr ? touch.size : 0;
}

bool Model::too_many() const { return impl_->too_many(); }

}  // namespace rondo::access
