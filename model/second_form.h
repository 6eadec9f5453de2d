// SPDX-License-Identifier: Apache-2.0
// Many commands have two forms: vkCmdCopyBuffer takes its parameters one by one, vkCmdCopyBuffer2 in a structure that
// can be extended, and can say all that the first can. A call of the first form becomes one of the second here, so that
// readers of calls know the second form only. For reading alone: a replay makes the call that was recorded, and errors
// name it. Specification: the chapter of each pair. No device. One thread.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

#include "generated/ids.h"

namespace rondo::model {

// The command of the second form; itself where it is one, or where there are no two forms.
CommandId second_form_of(CommandId canonical);

// Reused from call to call.
class SecondForm {
 public:
  // Makes the second form of a call of the first. `args` is its args_<command> with all of its arrays; it stays as it
  // is while the second form is read. False: the command has no other form. What was made before is gone in any case.
  bool take(CommandId canonical, const void* args);

  // args_<second_form_of(command)>. Arrays that both forms have alike are those of the first form.
  const void* args() const { return args_; }
  // A reader finds the object of a handle by the address of the handle in the first form. This takes the address of a
  // handle in the second form and returns that address. An address that is not in the second form is returned
  // unchanged. The old layout of an image barrier is found in the same way.
  const void* source_of(const void* member) const;

 private:
  friend class Maker;  // second_form_maker.h
  // Members that were copied: `count` of them, `stride` bytes apart, and where the first form has them.
  struct Moved {
    const std::byte* begin;
    std::size_t stride, count;
    const std::byte* source;
    std::size_t source_stride;
  };
  std::byte first_bytes_[4096];
  std::pmr::monotonic_buffer_resource memory_{first_bytes_, sizeof first_bytes_};
  std::vector<Moved> moved_;
  const void* args_ = nullptr;
};

}  // namespace rondo::model
