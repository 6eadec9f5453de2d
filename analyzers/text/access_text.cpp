// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/access_rows.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using access::Executed;
using access::Touch;
using model::Placement;

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) append(out, "{}{}", out.empty() ? "" : between, word);
  return out;
}
std::string joined_or_none(const std::vector<std::string>& words) {
  return words.empty() ? "NONE" : joined(words, " | ");
}

class AccessTextRows : public AccessRows {
 public:
  explicit AccessTextRows(const ObjectTable& objects) : objects_(objects) {}

  void command(std::string& out, const Executed& executed, const Placement* placement) override {
    append(out, "{} {}", executed.record, codec::info(executed.command).name);
    if (executed.submit != Executed::kNoSubmit) append(out, ", submit {} by {}", executed.submit, executed.at);
    if (executed.draw != Executed::kNoDraw) append(out, ", draw {}:{}", executed.submit, executed.draw);
    if (placement != nullptr && executed.queue != ObjectId::null) append(out, " on {}", objects_.name(executed.queue));
    out += '\n';
    for (const Touch& touch : executed.touches) {
      append(out, "    {}", objects_.name(touch.object));
      append_part(out, touch);
      append(out, " {} at {}{}", joined(access_names(touch.access), " | "), joined(stage_names(touch.stages), " | "),
             touch.overwrites ? ", all of it" : "");
      if (placement != nullptr) append_places(out, touch, *placement);
      out += '\n';
    }
    if (executed.reach.unknown != 0)
      append(out, "    anything reachable{}{}: {}\n", executed.reach.reads ? ", read" : "",
             executed.reach.writes ? ", written" : "", joined(unknown_reasons(executed.reach.unknown), ", "));
    for (const model::Effect& effect : executed.effects) {
      out += "    ";
      std::visit([&](const auto& one) { append_effect(out, one); }, effect);
      out += '\n';
    }
  }

  void batch(std::string& out, const model::Batch& batch) override {
    append(out, "{} {}", batch.record, batch_text(batch));
    if (batch.submit != model::Batch::kNoSubmit) append(out, ", submit {}", batch.submit);
    if (batch.fence != ObjectId::null) append(out, ", signals {}", objects_.name(batch.fence));
    out += '\n';
    for (const model::SemaphoreUse& wait : batch.waits) {
      out += "    waits for ";
      append_semaphore(out, wait, ">=");
      append(out, " before {}\n", joined_or_none(stage_names(wait.stages)));
    }
    for (const ObjectId one : batch.command_buffers) append(out, "    executes {}\n", objects_.name(one));
    for (const model::PresentedImage& image : batch.images) append(out, "    presents {}\n", image_name(image));
    for (const model::SemaphoreUse& signal : batch.signals) {
      out += "    signals ";
      append_semaphore(out, signal, "=");
      append(out, " after {}\n", joined_or_none(stage_names(signal.stages)));
    }
  }
  void begins(std::string& out, const model::Batch& batch) override { append_delayed(out, batch, "can begin now"); }
  void never_begins(std::string& out, const model::Batch& batch) override {
    append_delayed(out, batch, "waits for a signal that the capture does not have");
  }

  void host(std::string& out, const model::HostSync& sync) override {
    append(out, "{} host {}", sync.record, word_of(sync.kind));
    for (const ObjectId fence : sync.fences) append(out, " {}", objects_.name(fence));
    for (const model::SemaphoreUse& one : sync.semaphores) {
      out += ' ';
      append_semaphore(out, one, sync.kind == model::HostSync::Kind::wait_semaphores ? ">=" : "=");
    }
    for (const ObjectId one : {sync.queue, sync.event, sync.query_pool, sync.swapchain})
      if (one != ObjectId::null) append(out, " {}", objects_.name(one));
    if (!sync.all && sync.fences.size() + sync.semaphores.size() > 1) out += ", any of them";
    if (!sync.succeeded)
      out += ": not ready, or it failed";
    else if (sync.kind == model::HostSync::Kind::poll_event)
      out += sync.is_set ? ": set" : ": not set";
    else if (sync.kind == model::HostSync::Kind::found_work_ended)
      append(out, ": {} ended, {}{} may still run", plural(sync.ended, "submit"), count_text(sync.pending),
             sync.is_unsure ? ", or ended later," : "");
    out += '\n';
  }

  void summary(std::string& out, const AccessTotals& totals) override {
    const access::Coverage& coverage = totals.coverage;
    append(out, "{} {} memory; of {} ({}) all that they touch is known\n", plural(coverage.commands, "command"),
           coverage.commands == 1 ? "touches" : "touch", count_text(coverage.known), percent(coverage));
    if (!totals.damage.empty())
      append(out, "the capture is damaged ({}): what is behind the damage is not in this\n", printable(totals.damage));
    for (const auto& [why, count] : coverage.because)
      append(out, "    {}: {}\n", access::text_of(why), count_text(count));
    if (!totals.cut.empty())
      append(out, "the capture is cut ({}): what it lacks is not in this\n", printable(totals.cut));
    if (totals.too_many) out += "the capture has more to follow than any program needs: the rest is not in this\n";
  }

 private:
  static std::string percent(const access::Coverage& coverage) {
    if (coverage.commands == 0) return "100 %";
    return text("{:.1f} %", 100.0 * static_cast<double>(coverage.known) / static_cast<double>(coverage.commands));
  }
  bool is_image(ObjectId id) const { return objects_.objects()[id].type == HandleType::VkImage; }

  // VK_REMAINING_MIP_LEVELS is VK_REMAINING_ARRAY_LAYERS.
  static std::string end_text(std::uint32_t first, std::uint32_t count) {
    return count == VK_REMAINING_MIP_LEVELS ? "end" : text("{}", std::uint64_t{first} + count);
  }
  void append_range(std::string& out, const VkImageSubresourceRange& part) const {
    append(out, " {} mips {}:{} layers {}:{}", joined(aspect_names(part.aspectMask), "|"), part.baseMipLevel,
           end_text(part.baseMipLevel, part.levelCount), part.baseArrayLayer,
           end_text(part.baseArrayLayer, part.layerCount));
  }
  void append_part(std::string& out, const Touch& touch) const {
    if (is_image(touch.object))
      append_range(out, touch.part);
    else if (touch.size != 0)
      append(out, " {}:{}", touch.offset, touch.offset + touch.size);
  }
  // Where it lies. `in`: exactly these bytes. `within`: bytes of these.
  void append_places(std::string& out, const Touch& touch, const Placement& placement) {
    if (objects_.objects()[touch.object].type == HandleType::VkDeviceMemory) return;
    placement.bytes_of(touch, bytes_);
    const char* between = bytes_.whole ? "; within " : "; in ";
    for (const Placement::Range& range : bytes_.ranges) {
      append(out, "{}{} {}:{}", between, objects_.name(range.memory), range.offset, range.offset + range.size);
      between = ", ";
    }
  }

  void append_effect(std::string& out, const model::Barrier& one) const {
    append(out, "{}{}", one.implicit ? "implicit " : "", word_of(one.of));
    if (one.of == model::Barrier::Of::subpass_dependency)
      append(out, " {} -> {}", subpass_name(one.src_subpass), subpass_name(one.dst_subpass));
    if (one.kind != model::Barrier::Kind::memory) append(out, " {}", objects_.name(one.resource));
    if (one.kind == model::Barrier::Kind::buffer)
      append(out, " {}:{}", one.offset, one.size == VK_WHOLE_SIZE ? "end" : text("{}", one.offset + one.size));
    if (one.kind == model::Barrier::Kind::image) append_range(out, one.range);
    if (one.kind == model::Barrier::Kind::memory && (one.src_access | one.dst_access) == 0)
      append(out, " of executions: {} -> {}", joined_or_none(stage_names(one.src_stages)),
             joined_or_none(stage_names(one.dst_stages)));
    else
      append(out, ": {} at {} -> {} at {}", joined_or_none(access_names(one.src_access)),
             joined_or_none(stage_names(one.src_stages)), joined_or_none(access_names(one.dst_access)),
             joined_or_none(stage_names(one.dst_stages)));
    if (one.flags != 0) append(out, ", {}", joined_or_none(dependency_names(one.flags)));
  }
  void append_effect(std::string& out, const model::Transition& one) const {
    append(out, "transition of {}", objects_.name(one.resource));
    if (one.is_image) {
      append_range(out, one.range);
      append(out, ": {} -> {}", layout_word(one.from), layout_word(one.to));
    }
    if (one.source != one.target) append(out, ", family {} -> {}", family_word(one.source), family_word(one.target));
  }
  void append_effect(std::string& out, const model::QueryUse& one) const {
    append(out, "query {} of {} {}:{}", word_of(one.kind), objects_.name(one.pool), one.first,
           std::uint64_t{one.first} + one.count);
  }
  void append_effect(std::string& out, const model::EventUse& one) const {
    append(out, "event {} of {}", word_of(one.kind), objects_.name(one.event));
    if (one.stages != 0) append(out, " after {}", joined_or_none(stage_names(one.stages)));
  }
  static std::string subpass_name(std::uint32_t subpass) {
    return subpass == VK_SUBPASS_EXTERNAL ? "EXTERNAL" : text("{}", subpass);
  }

  void append_semaphore(std::string& out, const model::SemaphoreUse& one, const char* relation) const {
    append(out, "{}", objects_.name(one.semaphore));
    if (one.timeline) append(out, " {} {}", relation, one.value);
  }
  std::string image_name(const model::PresentedImage& image) const {
    return image.image == model::PresentedImage::kUnknown
               ? text("an image of {}", objects_.name(image.swapchain))
               : text("image {} of {}", image.image, objects_.name(image.swapchain));
  }
  std::string batch_text(const model::Batch& batch) const {
    return text("{} {}", batch.kind == model::Batch::Kind::commands ? "batch on" : text("{} on", word_of(batch.kind)),
                objects_.name(batch.queue));
  }
  void append_delayed(std::string& out, const model::Batch& batch, const char* what) const {
    append(out, "{} {}: {}\n", batch.record, batch_text(batch), what);
  }

  const ObjectTable& objects_;
  Placement::Bytes bytes_;  // reused
};

}  // namespace

std::unique_ptr<AccessRows> access_text_rows(const ObjectTable& objects) {
  return std::make_unique<AccessTextRows>(objects);
}

}  // namespace rondo::analyzers
