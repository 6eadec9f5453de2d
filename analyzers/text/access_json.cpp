// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/access_rows.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

namespace {

using access::Executed;
using access::Touch;
using model::Placement;

class AccessJsonRows : public AccessRows {
 public:
  explicit AccessJsonRows(const ObjectTable& objects) : objects_(objects) {}

  void command(std::string& out, const Executed& executed, const Placement* placement) override {
    row(out, "command", [&](JsonWriter& json) {
      json.field("command", codec::info(executed.command).name);
      json.field("record", executed.record);
      json.field("at", executed.at);
      if (executed.submit != Executed::kNoSubmit) json.field("submit", executed.submit);
      if (executed.draw != Executed::kNoDraw) json.field("draw", executed.draw);
      if (executed.queue != ObjectId::null) {
        object(json, "queue", executed.queue);
        json.field("batch", executed.batch);
      }
      array(json, "touches", executed.touches, [&](const Touch& touch) { write(json, touch, placement); });
      if (executed.reach.unknown != 0) {
        json.key("anything_reachable");
        json.begin_object();
        json.field("reads", executed.reach.reads);
        json.field("writes", executed.reach.writes);
        strings(json, "stages", stage_names(executed.reach.stages));
        strings(json, "because", unknown_reasons(executed.reach.unknown));
        json.end_object();
      }
      if (!executed.effects.empty())
        array(json, "effects", executed.effects, [&](const model::Effect& effect) {
          json.begin_object();
          std::visit([&](const auto& one) { write(json, one); }, effect);
          json.end_object();
        });
    });
  }

  void batch(std::string& out, const model::Batch& batch) override {
    row(out, "batch", [&](JsonWriter& json) {
      write_batch(json, batch);
      object(json, "queue", batch.queue);
      json.field("index", batch.index);
      if (batch.submit != model::Batch::kNoSubmit) json.field("submit", batch.submit);
      array(json, "waits", batch.waits, [&](const model::SemaphoreUse& one) { write(json, one); });
      array(json, "command_buffers", batch.command_buffers, [&](ObjectId one) { json.string(objects_.name(one)); });
      array(json, "presents", batch.images, [&](const model::PresentedImage& image) {
        json.begin_object();
        object(json, "swapchain", image.swapchain);
        if (image.image != model::PresentedImage::kUnknown) json.field("image", image.image);
        if (image.result) json.field("result", static_cast<std::int64_t>(*image.result));
        json.end_object();
      });
      array(json, "signals", batch.signals, [&](const model::SemaphoreUse& one) { write(json, one); });
      if (batch.fence != ObjectId::null) object(json, "fence", batch.fence);
    });
  }
  void begins(std::string& out, const model::Batch& batch) override {
    row(out, "begins", [&](JsonWriter& json) { write_batch(json, batch); });
  }
  void never_begins(std::string& out, const model::Batch& batch) override {
    row(out, "never_begins", [&](JsonWriter& json) { write_batch(json, batch); });
  }

  void host(std::string& out, const model::HostSync& sync) override {
    row(out, "host", [&](JsonWriter& json) {
      json.field("kind", word_of(sync.kind));
      json.field("record", sync.record);
      json.field("succeeded", sync.succeeded);
      json.field("all", sync.all);
      if (!sync.fences.empty())
        array(json, "fences", sync.fences, [&](ObjectId one) { json.string(objects_.name(one)); });
      if (!sync.semaphores.empty())
        array(json, "semaphores", sync.semaphores, [&](const model::SemaphoreUse& one) { write(json, one); });
      for (const auto& [name, id] : {std::pair("queue", sync.queue), std::pair("event", sync.event),
                                     std::pair("swapchain", sync.swapchain), std::pair("query_pool", sync.query_pool)})
        if (id != ObjectId::null) object(json, name, id);
      if (sync.kind == model::HostSync::Kind::poll_event && sync.succeeded) json.field("set", sync.is_set);
      if (sync.kind == model::HostSync::Kind::found_work_ended) {
        json.field("ended", sync.ended);
        json.field("pending", sync.pending);
        json.field("unsure", sync.is_unsure);
      }
    });
  }

  void summary(std::string& out, const AccessTotals& totals) override {
    row(out, "summary", [&](JsonWriter& json) {
      json.field("commands", totals.coverage.commands);
      json.field("known", totals.coverage.known);
      json.key("because");
      json.begin_object();
      for (const auto& [why, count] : totals.coverage.because) json.field(access::text_of(why), count);
      json.end_object();
      json.field("too_many", totals.too_many);
      if (!totals.cut.empty()) json.field("cut", totals.cut);
      if (!totals.damage.empty()) json.field("damage", totals.damage);
    });
  }

 private:
  template <class Write>
  static void row(std::string& out, const char* name, const Write& write) {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", name);
    write(json);
    json.end_object();
    out += '\n';
  }
  template <class All, class Write>
  static void array(JsonWriter& json, const char* name, const All& all, const Write& write) {
    json.key(name);
    json.begin_array();
    for (const auto& one : all) write(one);
    json.end_array();
  }
  static void strings(JsonWriter& json, const char* name, const std::vector<std::string>& values) {
    array(json, name, values, [&](const std::string& value) { json.string(value); });
  }
  void object(JsonWriter& json, const char* name, ObjectId id) const { json.field(name, objects_.name(id)); }
  bool is_image(ObjectId id) const { return objects_.objects()[id].type == HandleType::VkImage; }

  void write(JsonWriter& json, const Touch& touch, const Placement* placement) {
    json.begin_object();
    object(json, "object", touch.object);
    if (is_image(touch.object)) {
      write(json, touch.part);
    } else if (touch.size != 0) {
      json.field("offset", touch.offset);
      json.field("size", touch.size);
    }
    strings(json, "access", access_names(touch.access));
    strings(json, "stages", stage_names(touch.stages));
    json.field("overwrites", touch.overwrites);
    if (placement != nullptr) {
      placement->bytes_of(touch, bytes_);
      array(json, "memory", bytes_.ranges, [&](const Placement::Range& range) {
        json.begin_object();
        object(json, "object", range.memory);
        json.field("offset", range.offset);
        json.field("size", range.size);
        json.end_object();
      });
      json.field("memory_is_exact", !bytes_.whole);
    }
    json.end_object();
  }
  static void write(JsonWriter& json, const VkImageSubresourceRange& part) {
    strings(json, "aspects", aspect_names(part.aspectMask));
    json.field("first_mip", part.baseMipLevel);
    if (part.levelCount != VK_REMAINING_MIP_LEVELS) json.field("mips", part.levelCount);
    json.field("first_layer", part.baseArrayLayer);
    if (part.layerCount != VK_REMAINING_ARRAY_LAYERS) json.field("layers", part.layerCount);
  }

  void write(JsonWriter& json, const model::Barrier& one) const {
    using Kind = model::Barrier::Kind;
    json.field("effect", word_of(one.of));
    if (one.kind != Kind::memory) object(json, one.kind == Kind::buffer ? "buffer" : "image", one.resource);
    if (one.kind == Kind::buffer) {
      json.field("offset", one.offset);
      if (one.size != VK_WHOLE_SIZE) json.field("size", one.size);
    }
    if (one.kind == Kind::image) {
      write(json, one.range);
      json.field("from", layout_word(one.old_layout));
      json.field("to", layout_word(one.new_layout));
    }
    if (one.src_family != one.dst_family) {
      json.field("source_family", family_word(one.src_family));
      json.field("target_family", family_word(one.dst_family));
    }
    strings(json, "source_stages", stage_names(one.src_stages));
    strings(json, "source_access", access_names(one.src_access));
    strings(json, "target_stages", stage_names(one.dst_stages));
    strings(json, "target_access", access_names(one.dst_access));
    strings(json, "flags", dependency_names(one.flags));
    if (one.of != model::Barrier::Of::subpass_dependency) return;
    const auto subpass = [&](const char* name, std::uint32_t number) {
      if (number == VK_SUBPASS_EXTERNAL)
        json.field(name, "external");
      else
        json.field(name, number);
    };
    subpass("source_subpass", one.src_subpass);
    subpass("target_subpass", one.dst_subpass);
    json.field("implicit", one.implicit);
  }
  void write(JsonWriter& json, const model::Transition& one) const {
    json.field("effect", "transition");
    object(json, one.is_image ? "image" : "buffer", one.resource);
    if (one.is_image) {
      write(json, one.range);
      json.field("from", layout_word(one.from));
      json.field("to", layout_word(one.to));
    }
    if (one.source == one.target) return;
    json.field("source_family", family_word(one.source));
    json.field("target_family", family_word(one.target));
  }
  void write(JsonWriter& json, const model::QueryUse& one) const {
    json.field("effect", "query");
    json.field("kind", word_of(one.kind));
    object(json, "pool", one.pool);
    json.field("first", one.first);
    json.field("count", one.count);
  }
  void write(JsonWriter& json, const model::EventUse& one) const {
    json.field("effect", "event");
    json.field("kind", word_of(one.kind));
    object(json, "event", one.event);
    strings(json, "stages", stage_names(one.stages));
  }

  static void write_batch(JsonWriter& json, const model::Batch& batch) {
    json.field("kind", word_of(batch.kind));
    json.field("record", batch.record);
    json.field("batch", batch.number);
  }
  void write(JsonWriter& json, const model::SemaphoreUse& one) const {
    json.begin_object();
    object(json, "semaphore", one.semaphore);
    if (one.timeline) json.field("value", one.value);
    if (one.stages != 0) strings(json, "stages", stage_names(one.stages));
    json.end_object();
  }

  const ObjectTable& objects_;
  Placement::Bytes bytes_;  // reused
};

}  // namespace

std::unique_ptr<AccessRows> access_json_rows(const ObjectTable& objects) {
  return std::make_unique<AccessJsonRows>(objects);
}

}  // namespace rondo::analyzers
