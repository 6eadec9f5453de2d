// SPDX-License-Identifier: Apache-2.0
// Objects by number and by the name that the program gave.
#include "analyzers/text/object_names.h"
#include "tests/unit/player_scene.h"

namespace rondo::analyzers {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

class ObjectNames : public test::PlayerScene {
 protected:
  ObjectNames() : PlayerScene(VK_API_VERSION_1_0, nullptr, {}) {
    for (const char* name : {"vertices", "twice", "twice", ""}) {
      auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
      info.size = 16;
      info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
      const auto made = create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
      auto named = of_type<VkDebugUtilsObjectNameInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
      named.objectType = VK_OBJECT_TYPE_BUFFER;
      named.objectHandle = reinterpret_cast<std::uint64_t>(made);
      named.pObjectName = name;
      capture.call(CommandId::vkSetDebugUtilsObjectNameEXT, args_vkSetDebugUtilsObjectNameEXT{kDevice, &named}, ok());
    }
    capture.finish();
    auto built = build();
    EXPECT_TRUE(built) << built.error().message;
    if (built) plan_ = std::move(*built);
    const ByObject<Object>& objects = plan_->objects.objects();
    for (const ObjectId id : all_ids(objects.size()))
      if (objects[id].type == HandleType::VkBuffer) all_.push_back(id);
  }

  Result<ObjectId> find(const std::string& wanted, const std::vector<ObjectId>& alive,
                        const std::vector<HandleType>& types = {HandleType::VkBuffer}) const {
    return find_object(*plan_, alive, types, wanted, "behind frame 3");
  }
  void refuses(const std::string& wanted, const std::vector<ObjectId>& alive, const std::string& says,
               const std::vector<HandleType>& types = {HandleType::VkBuffer}) const {
    const auto found = find(wanted, alive, types);
    ASSERT_FALSE(found) << wanted;
    EXPECT_EQ(found.error().status, Status::usage);
    EXPECT_NE(found.error().message.find(says), std::string::npos) << found.error().message;
  }

  std::unique_ptr<player::Plan> plan_;
  std::vector<ObjectId> all_;
};

TEST_F(ObjectNames, AreNumbersOrWhatTheProgramGave) {
  ASSERT_EQ(all_.size(), 4u);
  for (std::size_t i = 0; i < all_.size(); ++i)
    EXPECT_EQ(find("VkBuffer#" + std::to_string(i), all_).value_or(ObjectId::null), all_[i]);
  EXPECT_EQ(find("vertices", all_).value_or(ObjectId::null), all_[0]);
  // Of two, the one that is alive.
  EXPECT_EQ(find("twice", {all_[0], all_[2]}).value_or(ObjectId::null), all_[2]);
}

TEST_F(ObjectNames, ThatMeanNothingAreRefusedWithWhatThereIs) {
  refuses("VkBuffer#4", all_,
          "there is no buffer 'VkBuffer#4'; the buffers behind frame 3: VkBuffer#0 \"vertices\", VkBuffer#1");
  refuses("VkBuffer#01", all_, "there is no buffer");
  refuses("", all_, "there is no buffer ''");
  refuses("twice", all_, "'twice' names 2 objects: VkBuffer#1 \"twice\", VkBuffer#2 \"twice\"");
  refuses("VkBuffer#0", {all_[1]}, "VkBuffer#0 is not alive behind frame 3: it is made in record ");
  refuses("VkBuffer#0", {}, "VkBuffer#0 is no image; the images behind frame 3: none", {HandleType::VkImage});
  refuses("VkDevice#0", {}, "VkDevice#0 is no image or buffer", {HandleType::VkImage, HandleType::VkBuffer});
}

}  // namespace
}  // namespace rondo::analyzers
