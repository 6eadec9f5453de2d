// SPDX-License-Identifier: Apache-2.0
// An op's block read as the parameters it stands for, and which objects they
// name. Handles in it mean nothing: ask id(). Reused from op to op.
#pragma once

#include <cstring>
#include <vector>

#include "player/plan/plan.h"

namespace rondo::player {

class OpView {
 public:
  void load(const Plan& plan, const Op& op) {
    plan_ = &plan;
    op_ = &op;
    block_.resize((op.block_bytes + sizeof(Unit) - 1) / sizeof(Unit) + 1);
    std::memcpy(block_.data(), plan.arena.at(op.block), op.block_bytes);
    for (std::uint32_t i = 0; i < op.pointers; ++i) {
      std::byte* at = base() + plan.pointers[op.first_pointer + i];
      std::uint64_t offset;
      std::memcpy(&offset, at, sizeof offset);
      const std::byte* pointer = base() + offset;
      std::memcpy(at, &pointer, sizeof pointer);
    }
  }
  template <class Args>
  const Args& as() const {
    return *reinterpret_cast<const Args*>(block_.data());
  }
  // The object whose handle goes to `member`, 0 if null.
  ObjectId id(const void* member) const {
    const auto offset = static_cast<std::uint32_t>(static_cast<const std::byte*>(member) -
                                                   reinterpret_cast<const std::byte*>(block_.data()));
    for (std::uint32_t i = 0; i < op_->patches; ++i)
      if (plan_->patches[op_->first_patch + i].offset == offset) return plan_->patches[op_->first_patch + i].id;
    return ObjectId::null;
  }

 private:
  struct alignas(16) Unit {
    std::byte bytes[16];
  };
  std::byte* base() { return reinterpret_cast<std::byte*>(block_.data()); }

  const Plan* plan_ = nullptr;
  const Op* op_ = nullptr;
  std::vector<Unit> block_;
};

}  // namespace rondo::player
