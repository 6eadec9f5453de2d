// SPDX-License-Identifier: Apache-2.0
// Checks of what commands mean: effects, recordings, descriptors, addresses, what is bound.
#include "tests/unit/model_tamper.h"

#include "tests/unit/effects_scene.h"
#include "tests/unit/tamper.h"

namespace rondo::model {
namespace {

using test::handle;
using test::Seed;
using test::Tamper;
using test::Value;

// Puts back the kinds that a handler is added with.
struct Kinds {
  std::uint32_t* at = nullptr;
  std::uint32_t before = 0;
  void set(std::uint32_t& kinds, std::uint32_t to) {
    at = &kinds;
    before = std::exchange(kinds, to);
  }
  ~Kinds() {
    if (at != nullptr) *at = before;
  }
};

// --- The shared effects, by calls ---

const VkBuffer kBuffer = handle<VkBuffer>(0x100);
const VkImage kImage = handle<VkImage>(0x200);
const VkImageView kView = handle<VkImageView>(0x300);
const VkRenderPass kPass = handle<VkRenderPass>(0x400);
const VkFramebuffer kFramebuffer = handle<VkFramebuffer>(0x500);
const VkCommandBuffer kOther = handle<VkCommandBuffer>(0x11);
const VkQueryPool kQueryPool = handle<VkQueryPool>(0x600);

struct Calls : test::Logs<test::EffectsScene, Value> {
  void TestBody() override {}
  Kinds kinds;

  void declare(CommandId id, std::uint32_t as) { kinds.set(Tamper::kinds<Value>(id), as); }
  RecordingOf<Value>& recording() { return effects.commands.of(test::value_of(commands)); }

  void begin_both() {
    begin(commands);
    begin(kOther);
  }
  void make_attachment() {
    buffer(0x100, 64);
    image(0x200, VK_FORMAT_R8G8B8A8_UNORM);
    view(0x300, kImage, VK_IMAGE_ASPECT_COLOR_BIT);
    begin(commands);
  }
  void fill() { call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{commands, kBuffer, 0, 16, 0}); }
  void barrier_of_image() {
    VkImageMemoryBarrier2 one{};
    one.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    one.image = kImage;
    one.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkDependencyInfo info{};
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &one;
    call(CommandId::vkCmdPipelineBarrier2, args_vkCmdPipelineBarrier2{commands, &info});
  }
  void begin_query() { call(CommandId::vkCmdBeginQuery, args_vkCmdBeginQuery{commands, kQueryPool, 0, 0}); }
  void set_event() { call(CommandId::vkCmdSetEvent, args_vkCmdSetEvent{commands, handle<VkEvent>(0x700), 1}); }
  void execute_other() { call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{commands, 1, &kOther}); }
  void begin_rendering() {
    VkRenderingAttachmentInfo color{};
    color.imageView = kView;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{};
    info.renderArea.extent = {16, 16};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{commands, &info});
  }
  void end_rendering() { call(CommandId::vkCmdEndRendering, args_vkCmdEndRendering{commands}); }
  // Two subpasses; the attachment changes its layout from each to the next.
  void begin_pass() {
    VkAttachmentDescription attachment{};
    attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    attachment.initialLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    attachment.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    const VkAttachmentReference first{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}, second{0, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpasses[2]{};
    subpasses[0].colorAttachmentCount = subpasses[1].colorAttachmentCount = 1;
    subpasses[0].pColorAttachments = &first;
    subpasses[1].pColorAttachments = &second;
    VkRenderPassCreateInfo info{};
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = 2;
    info.pSubpasses = subpasses;
    call(CommandId::vkCreateRenderPass, args_vkCreateRenderPass{device_, &info, nullptr, nullptr}, 0x400);
    framebuffer(0x500, {kView});
    VkRenderPassBeginInfo begins{};
    begins.renderPass = kPass;
    begins.framebuffer = kFramebuffer;
    begins.renderArea.extent = {16, 16};
    call(CommandId::vkCmdBeginRenderPass, args_vkCmdBeginRenderPass{commands, &begins, {}});
  }
  void next_subpass() { call(CommandId::vkCmdNextSubpass, args_vkCmdNextSubpass{commands, {}}); }
  void end_pass() { call(CommandId::vkCmdEndRenderPass, args_vkCmdEndRenderPass{commands}); }
  void begin_inheriting() {
    VkCommandBufferInheritanceInfo inherited{};
    VkCommandBufferBeginInfo info{};
    info.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
    info.pInheritanceInfo = &inherited;
    begin(commands, info);
  }
  void clear_attachment() {
    const VkClearAttachment one{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
    const VkClearRect all{{{0, 0}, {16, 16}}, 0, 1};
    call(CommandId::vkCmdClearAttachments, args_vkCmdClearAttachments{commands, 1, &one, 1, &all});
  }
  void forget_other() {
    call(CommandId::vkFreeCommandBuffers, args_vkFreeCommandBuffers{device_, handle<VkCommandPool>(2), 1, &kOther}, 0,
         {test::value_of(kOther)}, HandleType::VkCommandBuffer);
  }
};

constexpr std::uint32_t kPassWithoutMarks = kObjects | kTouches | kTransitions | kBarriers;

const Seed<Calls> kCalls[] = {
    {"AHandlerTellsATouchThatItHasNot", [](Calls& s) { s.make_attachment(); },
     [](Calls& s) { s.declare(CommandId::vkCmdFillBuffer, kObjects); }, [](Calls& s) { s.fill(); }, "may_tell"},
    {"AHandlerTellsATransitionThatItHasNot", [](Calls& s) { s.make_attachment(); },
     [](Calls& s) { s.declare(CommandId::vkCmdPipelineBarrier2, kBarriers | kTouches); },
     [](Calls& s) { s.barrier_of_image(); }, "may_tell"},
    {"AHandlerTellsABarrierThatItHasNot", [](Calls& s) { s.make_attachment(); },
     [](Calls& s) { s.declare(CommandId::vkCmdPipelineBarrier2, kTransitions | kTouches); },
     [](Calls& s) { s.barrier_of_image(); }, "may_tell"},
    {"AHandlerTellsAQueryThatItHasNot", [](Calls& s) { s.begin_both(); },
     [](Calls& s) { s.declare(CommandId::vkCmdBeginQuery, kObjects); }, [](Calls& s) { s.begin_query(); }, "may_tell"},
    {"AHandlerTellsAnEventThatItHasNot", [](Calls& s) { s.begin_both(); },
     [](Calls& s) { s.declare(CommandId::vkCmdSetEvent, kObjects); }, [](Calls& s) { s.set_event(); }, "may_tell"},
    {"AHandlerTellsAMarkThatItHasNot", [](Calls& s) { s.make_attachment(); },
     [](Calls& s) { s.declare(CommandId::vkCmdBeginRendering, kPassWithoutMarks); },
     [](Calls& s) { s.begin_rendering(); }, "may_tell"},
    {"AHandlerExecutesAndHasNotSaidSo", [](Calls& s) { s.begin_both(); },
     [](Calls& s) { s.declare(CommandId::vkCmdExecuteCommands, kBinds); }, [](Calls& s) { s.execute_other(); },
     "may_tell"},
    {"AHandlerClearsAndHasNotSaidSo", [](Calls& s) { s.begin_inheriting(); },
     [](Calls& s) { s.declare(CommandId::vkCmdClearAttachments, kObjects); }, [](Calls& s) { s.clear_attachment(); },
     "may_tell"},
    {"CallsAreOutOfOrder", [](Calls& s) { s.make_attachment(); }, [](Calls& s) { Tamper::taken(s.effects) = 1000; },
     [](Calls& s) { s.fill(); }, "c.sequence >= taken_"},
    {"AViewOfARenderingIsLost",
     [](Calls& s) {
       s.make_attachment();
       s.begin_rendering();
     },
     [](Calls& s) { s.recording().views.clear(); }, [](Calls& s) { s.end_rendering(); }, "to.views.size()"},
    {"ARenderingHasAViewTooMany",
     [](Calls& s) {
       s.make_attachment();
       s.begin_rendering();
     },
     [](Calls& s) { s.recording().views.insert(s.recording().views.begin(), 0x999); },
     [](Calls& s) { s.end_rendering(); }, "to.views.size()"},
    {"ALayoutOfAPassIsTooMany",
     [](Calls& s) {
       s.make_attachment();
       s.begin_pass();
     },
     [](Calls& s) { s.recording().layouts.emplace_back(); }, [](Calls& s) { s.end_pass(); }, "to.layouts.size()"},
    {"LayoutsAreOfAnotherPass",
     [](Calls& s) {
       s.make_attachment();
       s.begin_pass();
     },
     [](Calls& s) { s.recording().layouts.insert(s.recording().layouts.begin(), 2, {}); },
     [](Calls& s) { s.next_subpass(); }, "to.layouts.size()"},
    {"TheEntryThatIsKeptIsOfAnother", [](Calls& s) { s.begin_both(); },
     [](Calls& s) { Tamper::keep_entry(s.effects.commands, test::value_of(s.commands), test::value_of(kOther)); },
     [](Calls& s) { s.begin_query(); }, "last_->id == id"},
    {"WhatIsFreedIsOfAnother", [](Calls& s) { s.begin_both(); },
     [](Calls& s) { Tamper::keep_entry(s.effects.commands, test::value_of(kOther), test::value_of(s.commands)); },
     [](Calls& s) { s.forget_other(); }, "last_->id == id"},
    {"ARecordingIsReplacedThatNobodyDropped", [](Calls& s) { s.begin_both(); },
     [](Calls& s) { Tamper::keep_stale_entry(s.effects.commands, test::value_of(s.commands)); },
     [](Calls& s) { s.begin(s.commands); }, "entry.recording == nullptr"},
};

class TamperedEffects : public ::testing::TestWithParam<Seed<Calls>> {};
TEST_P(TamperedEffects, FailACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedEffects, ::testing::ValuesIn(kCalls), test::NameOfSeed());

TEST(UnnoticedEffects, APassThatIsForgottenIsNotNoticed) {
  test::expect_unnoticed<Calls>({"APassIsForgotten",
                                 [](Calls& s) {
                                   s.make_attachment();
                                   s.begin_pass();
                                 },
                                 [](Calls& s) { s.recording().pass = nullptr; }, [](Calls& s) { s.end_pass(); },
                                 "a file may begin a pass that nothing made: that is how it looks then"});
}

// --- Tables of handlers ---

struct Table {
  SharedHandlers<Value> handlers = SharedHandlers<Value>(codec::commands().size());
  std::vector<std::string> lines;
  static void handler(EffectsOf<Value>&, const CallOf<Value>&) {}
};
constexpr auto kBoth = [](Table& s) { add(s.handlers, CommandId::vkCmdCopyBuffer2, Table::handler, kTouches); };
const Seed<Table> kTables[] = {
    {"ACommandHasTwoHandlers", [](Table&) {},
     [](Table& s) {
       s.handlers[static_cast<std::size_t>(CommandId::vkCmdCopyBuffer2)] = {Table::handler, kTouches};
     },
     kBoth, "to.handle == nullptr"},
    {"AFirstFormHasAHandler", [](Table&) {},
     [](Table& s) { add(s.handlers, CommandId::vkCmdFillBuffer, Table::handler, kTouches); },
     [](Table& s) {
       const bool violated = s.handlers[static_cast<std::size_t>(CommandId::vkCmdFillBuffer)].handle != nullptr;
       add(s.handlers, violated ? CommandId::vkCmdCopyBuffer : CommandId::vkCmdCopyBuffer2, Table::handler, kTouches);
     },
     "second_form_of(command) == command"},
};
class TamperedTables : public ::testing::TestWithParam<Seed<Table>> {};
TEST_P(TamperedTables, FailACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedTables, ::testing::ValuesIn(kTables), test::NameOfSeed());

// --- All effects, by captures ---

struct Captured : test::Played {
  test::Logs<EffectSink<ObjectId>, ObjectId> sink;
  std::vector<std::string>& lines = sink.lines;
  Effects effects{sink, kAllEffects};
  Kinds kinds;
  const VkCommandBuffer commands = handle<VkCommandBuffer>(0x20);
  const VkDescriptorSet set = handle<VkDescriptorSet>(0x21);
  VkBuffer buffer = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;

  template <class Violate>
  void play(const Violate& violate) {
    play_to(violate, [&](const Call& call) { effects.take(call); });
  }
  void begin() {
    VkCommandBufferAllocateInfo info{};
    info.commandPool = handle<VkCommandPool>(0x40);
    info.commandBufferCount = 1;
    VkCommandBuffer made = commands;
    call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{device, &info, &made});
    VkCommandBufferBeginInfo begins{};
    call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{commands, &begins});
  }
  void make_buffer() {
    VkBufferCreateInfo info{};
    info.size = 256;
    buffer = make<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
  }
  void tell_address() {
    make_buffer();
    VkBufferDeviceAddressInfo info{};
    info.buffer = buffer;
    capture.call(CommandId::vkGetBufferDeviceAddress, args_vkGetBufferDeviceAddress{device, &info},
                 test::Call{.result = 0x10000});
  }
  void trace() {
    const VkStridedDeviceAddressRegionKHR table{0x10010, 16, 16}, none{};
    call(CommandId::vkCmdTraceRaysKHR, args_vkCmdTraceRaysKHR{commands, &table, &none, &none, &none, 1, 1, 1});
  }
  void make_set() {
    make_buffer();
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_ALL, nullptr};
    VkDescriptorSetLayoutCreateInfo info{};
    info.bindingCount = 1;
    info.pBindings = &binding;
    auto made =
        make<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout, info);
    VkDescriptorSetAllocateInfo allocate{};
    allocate.descriptorPool = handle<VkDescriptorPool>(0x50);
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &made;
    VkDescriptorSet one = set;
    call(CommandId::vkAllocateDescriptorSets, args_vkAllocateDescriptorSets{device, &allocate, &one});
    VkPipelineLayoutCreateInfo of{};
    of.setLayoutCount = 1;
    of.pSetLayouts = &made;
    layout = make<VkPipelineLayout, args_vkCreatePipelineLayout>(CommandId::vkCreatePipelineLayout, of);
  }
  VkWriteDescriptorSet write(const VkDescriptorBufferInfo& to) const {
    VkWriteDescriptorSet one{};
    one.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    one.dstSet = set;
    one.descriptorCount = 1;
    one.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    one.pBufferInfo = &to;
    return one;
  }
  void write_set() {
    const VkDescriptorBufferInfo to{buffer, 0, 16};
    const VkWriteDescriptorSet one = write(to);
    call(CommandId::vkUpdateDescriptorSets, args_vkUpdateDescriptorSets{device, 1, &one, 0, nullptr});
  }
  void copy_set() {
    const VkCopyDescriptorSet copy{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, set, 0, 0, set, 0, 1, 1};
    call(CommandId::vkUpdateDescriptorSets, args_vkUpdateDescriptorSets{device, 0, nullptr, 1, &copy});
  }
  void push() {
    const VkDescriptorBufferInfo to{buffer, 0, 16};
    const VkWriteDescriptorSet one = write(to);
    call(CommandId::vkCmdPushDescriptorSetKHR,
         args_vkCmdPushDescriptorSetKHR{commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &one});
  }
  void reset() { call(CommandId::vkResetCommandBuffer, args_vkResetCommandBuffer{commands, 0}); }
  void destroy_buffer() { call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{device, buffer, nullptr}); }
  void free_set() {
    VkDescriptorSet one = set;
    call(CommandId::vkFreeDescriptorSets, args_vkFreeDescriptorSets{device, handle<VkDescriptorPool>(0x50), 1, &one});
  }
  void bind_pipeline() {
    call(CommandId::vkCmdBindPipeline,
         args_vkCmdBindPipeline{commands, VK_PIPELINE_BIND_POINT_COMPUTE, handle<VkPipeline>(0x60)});
  }
};

constexpr auto kTraced = [](Captured& s) {
  s.tell_address();
  s.begin();
};
constexpr auto kTraces = [](Captured& s) { s.trace(); };
constexpr auto kWritten = [](Captured& s) {
  s.make_set();
  s.write_set();
};
const Seed<Captured> kCaptured[] = {
    {"AHandlerLetsShadersRunAndHasNotSaidSo", [](Captured& s) { s.begin(); },
     [](Captured& s) { s.kinds.set(Tamper::other_kinds(CommandId::vkCmdDispatch), kTouches); },
     [](Captured& s) {
       s.call(CommandId::vkCmdDispatch, args_vkCmdDispatch{s.commands, 1, 1, 1});
     },
     "may_tell"},
    {"AHandlerReachesAnythingAndHasNotSaidSo", kTraced,
     [](Captured& s) { s.kinds.set(Tamper::other_kinds(CommandId::vkCmdTraceRaysKHR), kWork); }, kTraces, "may_tell"},
    {"RecordsAreOutOfOrder", kTraced, [](Captured& s) { Tamper::taken(s.effects) = 1000; }, kTraces,
     "c.sequence >= taken_"},
    {"AnAddressIsLost", kTraced, [](Captured& s) { s.effects.addresses.clear(); },
     [](Captured& s) { s.destroy_buffer(); }, "own != last"},
    {"ABufferIsLongerThanTheLongest", kTraced, [](Captured& s) { Tamper::longest(s.effects) = 8; }, kTraces,
     "buffer->bytes <= longest_"},
    {"ThereAreMoreDescriptorsThanThereMayBe", [](Captured& s) { s.make_set(); },
     [](Captured& s) { Tamper::descriptors(s.effects) = Effects::kMostDescriptors + 1; },
     [](Captured& s) { s.write_set(); }, "kept <= most"},
    {"ASetHasADescriptorThatIsNotCounted", kWritten,
     [](Captured& s) {
       s.effects.sets.find(s.id(s.set))->written[{0, 1}] = {};
     },
     [](Captured& s) { s.free_set(); }, "count <= kept"},
    {"APushedDescriptorIsNotCounted",
     [](Captured& s) {
       s.make_set();
       s.begin();
       s.push();
     },
     [](Captured& s) { Tamper::pushed(s.effects) = 0; }, [](Captured& s) { s.reset(); }, "count <= kept"},
    {"ASetThatIsWrittenHasNoLayout", kWritten, [](Captured& s) { s.effects.sets.find(s.id(s.set))->layout = nullptr; },
     [](Captured& s) { s.write_set(); }, "layout != nullptr"},
    {"ASetThatIsCopiedHasNoLayout", kWritten, [](Captured& s) { s.effects.sets.find(s.id(s.set))->layout = nullptr; },
     [](Captured& s) { s.copy_set(); }, "layout != nullptr"},
    {"VersionsOfWhatIsBoundGoBack",
     [](Captured& s) {
       s.begin();
       s.bind_pipeline();
     },
     [](Captured& s) { Tamper::changes(s.effects.commands.of(s.id(s.commands)).bindings) = 0; },
     [](Captured& s) { s.bind_pipeline(); }, "point.version <= changes_"},
};

class TamperedCaptures : public ::testing::TestWithParam<Seed<Captured>> {};
TEST_P(TamperedCaptures, FailACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedCaptures, ::testing::ValuesIn(kCaptured), test::NameOfSeed());

}  // namespace
}  // namespace rondo::model
