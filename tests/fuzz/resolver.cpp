// SPDX-License-Identifier: Apache-2.0
// Objects out of any stream of calls: the table stays consistent with itself.
#include <algorithm>
#include <cstring>
#include <vector>

#include "format/objects.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {
namespace {

namespace codec = rondo::codec;

constexpr std::size_t kMostCalls = 4096;

// u16 command, u8 handles with bit 7 for success; then for each handle u8 type,
// u8 flags, u8 value: few values, so that they meet again.
class Stream {
 public:
  explicit Stream(Bytes input) : input_(input) {}
  bool next(CommandId& command, bool& succeeded, codec::Lowered& lowered) {
    std::uint16_t number = 0;
    if (input_.size() < sizeof number + 1) return false;
    std::memcpy(&number, input_.data(), sizeof number);
    const auto head = static_cast<unsigned>(input_[2]);
    input_ = input_.subspan(3);
    command = static_cast<CommandId>(number % kCommandIds);
    succeeded = (head & 0x80) != 0;
    lowered.clear();
    for (unsigned i = 0; i < (head & 0x7f) && input_.size() >= 3; ++i) {
      const auto type = static_cast<HandleType>(static_cast<unsigned>(input_[0]) % kHandleTypes);
      lowered.handles.push_back(
          {8 * i, type, static_cast<std::uint8_t>(input_[1]), static_cast<std::uint64_t>(input_[2])});
      input_ = input_.subspan(3);
    }
    return true;
  }

 private:
  Bytes input_;
};

}  // namespace

void resolver(Bytes input) {
  Stream stream(input);
  ObjectTable table;
  ObjectTable::Resolution out;
  CommandId command{};
  bool succeeded = false;
  codec::Lowered lowered;
  std::uint64_t sequence = 0;
  while (sequence < kMostCalls && stream.next(command, succeeded, lowered)) {
    const std::size_t before = table.objects().size();
    std::vector<bool> was_alive;
    for (const Object& object : table.objects()) was_alive.push_back(object.alive);
    table.apply(codec::info(command), ++sequence, succeeded, lowered, out);

    const ByObject<Object>& objects = table.objects();
    expect(out.ids.size() == lowered.handles.size(), "every handle is resolved");
    for (std::size_t i = 0; i < out.ids.size(); ++i) {
      const codec::HandleRef& ref = lowered.handles[i];
      expect(objects.has(out.ids[i]), "an id names an object");
      if (out.ids[i] == ObjectId::null) continue;
      expect(objects[out.ids[i]].type == ref.type && objects[out.ids[i]].captured == ref.captured,
             "a handle resolves to an object of its type and value");
      expect(index_of(out.ids[i]) >= before || was_alive[index_of(out.ids[i])], "no handle resolves to what has ended");
    }
    expect(out.created.size() == objects.size() - before, "what is new is listed as created");
    for (std::size_t i = 0; i < out.created.size(); ++i) {
      expect(out.created[i] == object_at(before + i), "objects are numbered in order of creation");
      const Object& object = objects[out.created[i]];
      expect(object.parent < out.created[i], "a parent is older than its child");
      expect(object.created == sequence, "an object knows the call that made it");
    }
    for (std::size_t i = 0; i < out.ended.size(); ++i) {
      const ObjectId id = out.ended[i];
      expect(!objects[id].alive && objects[id].destroyed == sequence, "what ends is dead");
      expect(index_of(id) >= before || was_alive[index_of(id)], "nothing ends twice");
      const auto behind = out.ended.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      expect(objects[id].parent == ObjectId::null || objects[objects[id].parent].alive ||
                 std::find(behind, out.ended.end(), objects[id].parent) != out.ended.end(),
             "children end before their parents");
    }
    for (const std::uint32_t i : out.unknown) expect(i < lowered.handles.size(), "what is unknown stands in the call");
    static_cast<void>(table.name(object_at(objects.size() - 1)));
  }
}

}  // namespace rondo::fuzz
