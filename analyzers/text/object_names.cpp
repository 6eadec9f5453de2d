// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/object_names.h"

#include <algorithm>

#include "analyzers/text/text.h"
#include "format/codec/schema.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kListed = 8;

std::string list_of(const player::Plan& plan, std::span<const ObjectId> ids) {
  std::string out;
  for (std::size_t i = 0; i < std::min(ids.size(), kListed); ++i)
    append(out, "{}{}", i == 0 ? "" : ", ", printable(plan.full_name(ids[i])));
  if (ids.size() > kListed) append(out, " and {} more", ids.size() - kListed);
  return out.empty() ? "none" : out;
}

// "image", or "images"; "image or buffer".
std::string kinds(std::span<const HandleType> types, const char* between, const char* ending) {
  std::string out;
  for (const HandleType type : types)
    append(out, "{}{}{}", out.empty() ? "" : between, type == HandleType::VkImage ? "image" : "buffer", ending);
  return out;
}

}  // namespace

Result<ObjectId> find_object(const player::Plan& plan, std::span<const ObjectId> alive,
                             std::span<const HandleType> types, const std::string& wanted, const std::string& place) {
  const auto wrong = [&](const std::string& sentence) {
    return fail(Status::usage, text("{}: {}; the {} {}: {}", printable(plan.path), sentence, kinds(types, " and ", "s"),
                                    place, list_of(plan, alive)));
  };
  const ByObject<Object>& objects = plan.objects.objects();
  std::vector<ObjectId> found;  // by either name, alive or not, of any kind
  for (const ObjectId id : all_ids(objects.size())) {
    const auto given = plan.debug_names.find(id);
    if (plan.name(id) == wanted) {
      found = {id};
      break;
    }
    const bool is_kind = std::find(types.begin(), types.end(), objects[id].type) != types.end();
    if (is_kind && given != plan.debug_names.end() && given->second == wanted) found.push_back(id);
  }
  if (found.empty()) return wrong(text("there is no {} '{}'", kinds(types, " or ", ""), printable(wanted)));
  if (std::find(types.begin(), types.end(), objects[found.front()].type) == types.end())
    return wrong(text("{} is no {}", printable(wanted), kinds(types, " or ", "")));
  std::vector<ObjectId> here;
  std::copy_if(found.begin(), found.end(), std::back_inserter(here),
               [&](ObjectId id) { return std::find(alive.begin(), alive.end(), id) != alive.end(); });
  if (here.size() == 1) return here.front();
  if (here.size() > 1)
    return wrong(text("'{}' names {} objects: {}", printable(wanted), here.size(), list_of(plan, here)));
  const Object& object = objects[found.front()];
  return wrong(text("{} is not alive {}: it is made in record {}{}", printable(wanted), place, object.created,
                    object.destroyed == 0 ? std::string() : text(" and destroyed in record {}", object.destroyed)));
}

}  // namespace rondo::analyzers
