// SPDX-License-Identifier: Apache-2.0
// A record's parameters with all of its data, to be changed where they lie and written again.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "format/codec/decoder.h"
#include "format/native_view.h"
#include "format/reader.h"

namespace rondo::trim {

class Loaded {
 public:
  // `ids`: the objects of its handles, in their order.
  Result<void> load(Reader& source, const codec::IdMap& map, CommandId command, std::span<const std::byte> payload,
                    std::span<const ObjectId> ids) {
    lowered_.clear();
    blobs_.clear();
    pointers_.clear();
    ids_.assign(ids.begin(), ids.end());
    RONDO_TRY(codec::decode(lowered_, map, command, payload));
    ids_.resize(lowered_.handles.size());
    for (const codec::BlobRef& ref : lowered_.blobs) {
      auto bytes = source.blob(ref.digest);
      if (!bytes) return tl::unexpected<Error>(std::move(bytes).error());
      pointers_.push_back((*bytes)->data());
      blobs_.push_back(std::move(*bytes));
    }
    view_.load(lowered_, ids_, pointers_);
    return {};
  }
  template <class Args>
  Args& as() {
    return const_cast<Args&>(view_.as<Args>());
  }
  // Something that its parameters point to.
  template <class T>
  static T& change(const T& member) {
    return const_cast<T&>(member);
  }
  ObjectId id(const void* member) const { return view_.id(member); }
  // The first structure of a pNext chain, anywhere in it, of these names; null: there is none.
  const char* has_chained(std::span<const std::string_view> names) const {
    for (const codec::StructRef& ref : lowered_.chained)
      for (const std::string_view name : names)
        if (codec::info(ref.id).name == name) return codec::info(ref.id).name;
    return nullptr;
  }

 private:
  codec::Lowered lowered_;
  NativeView view_;
  std::vector<ObjectId> ids_;
  std::vector<const std::byte*> pointers_;
  std::vector<Reader::Bytes> blobs_;
};

}  // namespace rondo::trim
