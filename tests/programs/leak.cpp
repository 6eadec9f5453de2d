// SPDX-License-Identifier: Apache-2.0
// Does its work and destroys nothing, of any kind.
//   leak [--quick 1]   leaves by _exit: no destructor and no exit handler runs
#include <unistd.h>

#include "accumulate.h"
#include "objects.h"

using namespace program;

namespace {

void leak_one_of_each(const Context& c) {
  create_unused(c);
  create_semaphore(c);
  create_fence(c, VK_FENCE_CREATE_SIGNALED_BIT);
  VkDescriptorUpdateTemplateEntry entry{};
  entry.descriptorCount = 1;
  entry.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  Accumulate a = create_accumulate(c, 1);
  VkDescriptorUpdateTemplateCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO;
  info.descriptorUpdateEntryCount = 1;
  info.pDescriptorUpdateEntries = &entry;
  info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  info.descriptorSetLayout = a.set_layout;
  VkDescriptorUpdateTemplate leaked;
  CHECK(vkCreateDescriptorUpdateTemplate(c.device, &info, nullptr, &leaked));
  Commands unfinished = create_commands(c);
  begin(unfinished);
  record_dispatch(a, unfinished, 0, kNoSlot);
}

}  // namespace

int main(int argc, char** argv) {
  Context c = create_context("leak");
  Commands commands = create_commands(c);
  Accumulate a = create_accumulate(c, 8);
  leak_one_of_each(c);
  for (std::uint32_t i = 0; i < 8; ++i) {
    write_input(a, i, i);
    begin(commands);
    record_dispatch(a, commands, i, i == 0 ? kNoSlot : i - 1);
    CHECK(vkEndCommandBuffer(commands.buffer));
    submit(c.queues[0], commands);
    wait(c, commands);
  }
  std::printf("leak: 8 submits, checksum %016llx\n",
              static_cast<unsigned long long>(checksum(a.output.words, 8 * kSlotWords)));
  std::fflush(stdout);
  if (option(argc, argv, "--quick", 0) != 0) _exit(0);
  return 0;
}
