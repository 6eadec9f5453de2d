// SPDX-License-Identifier: Apache-2.0
// Seeded violations: a test breaks one internal relation by Tamper (format/check.h), goes on with normal calls, and
// sees that a check fails before anything wrong is told. The same steps without the break show that the case is valid.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "format/check.h"
#include "format/reader.h"
#include "model/effects.h"
#include "model/parameters.h"
#include "model/stream.h"
#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::test {

// A check that fails while this lives throws CheckFailure.
class ThrowingChecks {
 public:
  ThrowingChecks() : before_(set_check_handler([](const std::string& failure) { throw CheckFailure(failure); })) {}
  ~ThrowingChecks() { set_check_handler(before_); }
  ThrowingChecks(const ThrowingChecks&) = delete;
  ThrowingChecks& operator=(const ThrowingChecks&) = delete;

 private:
  const CheckHandler before_;
};

// A sink that keeps all that it is told as lines. Base: the sink, or a class that is one.
template <class Base, class Id>
struct Logs : Base {
  using Base::Base;
  std::vector<std::string> lines;

  template <class... Numbers>
  void add(std::string line, Numbers... numbers) {
    ((line += " " + std::to_string(static_cast<std::uint64_t>(numbers))), ...);
    lines.push_back(std::move(line));
  }
  void touch(const model::TouchOf<Id>& one) override {
    add("touch", one.object, one.offset, one.size, one.part.aspectMask, one.access, one.overwrites);
  }
  void reach(const model::Reach& one) override { add("reach", one.unknown, one.stages); }
  void transition(const model::TransitionOf<Id>& one) override { add("transition", one.resource, one.from, one.to); }
  void barrier(const model::BarrierOf<Id>& one) override { add("barrier", one.src_stages, one.dst_stages); }
  void query(const model::QueryUseOf<Id>& one) override { add("query", one.kind, one.pool, one.first, one.count); }
  void event(const model::EventUseOf<Id>& one) override { add("event", one.kind, one.event); }
  void mark(const model::MarkingOf<Id>& one) override { add("mark", one.mark, one.pass); }
  void work(VkPipelineBindPoint at) override { add("work", at); }
  void execute(Id secondary) override { add("execute", secondary); }
  void clears_inherited(VkImageAspectFlags aspects) override { add("clears", aspects); }
};

// Scene: has what is tested and `lines`, which were told.
template <class Scene>
struct Seed {
  const char* name;
  void (*prepare)(Scene&);
  void (*violate)(Scene&);
  void (*go_on)(Scene&);
  const char* check;  // a part of the condition that is expected to fail
};

struct Outcome {
  std::vector<std::string> lines;
  std::string failed;    // the check; empty: none
  bool went_on = false;  // all before the calls that go on is done
};

// The scene of a capture is written first, then played: it is violated where it has the mark.
template <class Scene>
Outcome outcome_of(const Seed<Scene>& seed, bool violated) {
  Outcome outcome;
  Scene scene;
  const ThrowingChecks checks;
  const auto violate = [&] {
    if (violated) seed.violate(scene);
    outcome.went_on = true;
  };
  try {
    seed.prepare(scene);
    if constexpr (requires { scene.mark_here(); }) {
      scene.mark_here();
      seed.go_on(scene);
      scene.play(violate);
    } else {
      violate();
      seed.go_on(scene);
    }
  } catch (const CheckFailure& failure) {
    outcome.failed = failure.what();
  }
  outcome.lines = scene.lines;
  return outcome;
}

template <class Scene>
void expect_check_fails(const Seed<Scene>& seed) {
  const Outcome valid = outcome_of(seed, false), broken = outcome_of(seed, true);
  EXPECT_TRUE(valid.went_on);
  EXPECT_EQ(valid.failed, "");
  EXPECT_TRUE(broken.went_on) << broken.failed;
  EXPECT_NE(broken.failed.find(seed.check), std::string::npos) << "failed: " << broken.failed;
  EXPECT_NE(broken.failed, "") << "nobody noticed";
  const bool nothing_else = broken.lines.size() <= valid.lines.size() &&
                            std::equal(broken.lines.begin(), broken.lines.end(), valid.lines.begin());
  EXPECT_TRUE(nothing_else) << ::testing::PrintToString(broken.lines) << " is no beginning of "
                            << ::testing::PrintToString(valid.lines);
}

// A violation that no check finds. Instead of a check the seed says why.
template <class Scene>
void expect_unnoticed(const Seed<Scene>& seed) {
  const Outcome broken = outcome_of(seed, true);
  EXPECT_TRUE(broken.went_on);
  EXPECT_EQ(broken.failed, "") << "a check finds it now: move the seed to the others";
}

struct NameOfSeed {
  template <class Scene>
  std::string operator()(const ::testing::TestParamInfo<Seed<Scene>>& info) const {
    return info.param.name;
  }
};

// A capture written by hand and given call by call.
struct Played {
  TemporaryFile file;
  SyntheticCapture capture{file.path()};
  ObjectTable objects;
  std::uint64_t next = 0x1000;  // handles
  const VkDevice device = handle<VkDevice>(0x10);

  template <class Args>
  void call(CommandId id, const Args& args) {
    const bool returns = codec::info(id).returns == codec::Returns::result;
    capture.call(id, args, returns ? Call{VK_SUCCESS} : Call{});
  }
  template <class Handle, class Args, class Info>
  Handle make(CommandId id, const Info& info) {
    Handle made = handle<Handle>(next++);
    call(id, Args{device, &info, nullptr, &made});
    return made;
  }
  void mark_here() { call(CommandId::vkDeviceWaitIdle, args_vkDeviceWaitIdle{device}); }
  // The newest object of this captured handle.
  template <class Handle>
  ObjectId id(Handle of) const {
    std::uint64_t value = 0;
    std::memcpy(&value, &of, sizeof value);
    ObjectId found = ObjectId::null;
    for (const ObjectId one : all_ids(objects.objects().size()))
      if (objects.objects()[one].captured == value) found = one;
    return found;
  }
  template <class Violate, class Give>
  void play_to(const Violate& violate, const Give& give) {
    capture.finish();
    const auto reader = Reader::open(file.path());
    ASSERT_TRUE(reader) << reader.error().message;
    model::Stream stream(**reader, &objects);
    model::Parameters parameters;
    for (model::Step step;;) {
      const auto more = stream.next(step);
      ASSERT_TRUE(more) << more.error().message;
      if (!*more) return;
      if (step.command->id == CommandId::vkDeviceWaitIdle) violate();
      const auto loaded = model::load(stream, step, parameters);
      ASSERT_TRUE(loaded) << loaded.error().message;
      give(model::call_of(stream, step, parameters));
    }
  }
};

}  // namespace rondo::test
