// SPDX-License-Identifier: Apache-2.0
#include "player/plan/replace.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "format/codec/schema.h"
#include "format/file.h"
#include "format/printable.h"
#include "model/shaders/capabilities.h"
#include "model/shaders/names.h"
#include "player/plan/enabled.h"
#include "player/plan/replace_code.h"

namespace rondo::player {

namespace {

using Kind = shaders::Site::Kind;
using Sites = std::set<std::size_t>;  // indexes into the plan's code sites

std::string count_text(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

struct NewShader {
  Reader::Bytes code;
  Digest digest;
  shaders::Reflection reflection;
};

Result<NewShader> read_shader(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
    return fail(Status::usage,
                "--replace: " + path + ": is " +
                    (std::filesystem::is_directory(path, unknown) ? "a directory" : "not a regular file") +
                    ": name a file of SPIR-V");
  auto file = File::open(path, /*writable=*/false);
  if (!file) return fail(Status::usage, "--replace: " + file.error().message);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 28;
  const std::uint64_t size = file->bytes();
  if (size > kMost)
    return fail(Status::usage, "--replace: " + path + ": has " + std::to_string(size) + " bytes: more than any shader");
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(size));
  if (!file->read(0, *bytes)) return fail(Status::usage, "--replace: " + path + ": cannot be read to its end");
  auto reflection = shaders::reflect(*bytes);
  if (!reflection) return fail(Status::usage, "--replace: " + path + ": " + reflection.error().message);
  NewShader shader{bytes, digest_of(*bytes), std::move(*reflection)};
  return shader;
}

class Replacer {
 public:
  explicit Replacer(Plan& plan) : plan_(plan), sites_(find_code_sites(plan)) {
    std::erase_if(sites_, [](const CodeSite& site) { return site.made == ObjectId::null; });  // nothing names these
  }

  Result<std::vector<Replaced>> run(const std::vector<Replacement>& replacements) {
    std::vector<Sites> chosen;
    for (const Replacement& one : replacements) {
      auto sites = choose(one.selector);
      if (!sites) return tl::unexpected<Error>(sites.error());
      for (std::size_t other = 0; other < chosen.size(); ++other)
        for (const std::size_t site : *sites)
          if (chosen[other].count(site) != 0)
            return refuse("--replace: " + replacements[other].selector.text + " and " + one.selector.text +
                          " both mean " + sites_[site].name);
      chosen.push_back(std::move(*sites));
    }
    std::vector<NewShader> news;
    for (std::size_t i = 0; i < replacements.size(); ++i) {
      auto shader = read_shader(replacements[i].file);
      if (!shader) return tl::unexpected<Error>(Error{Status::usage, shader.error().message});
      RONDO_TRY(compare_all(replacements[i], chosen[i], *shader));
      news.push_back(std::move(*shader));
    }
    std::vector<Replaced> all;
    for (std::size_t i = 0; i < replacements.size(); ++i) apply(replacements[i], chosen[i], news[i], all);
    return all;
  }

 private:
  static tl::unexpected<Error> refuse(const std::string& sentence, const std::vector<std::string>& lines = {}) {
    return fail_list(Status::usage, sentence, lines);
  }

  bool has_code(std::size_t site) const { return sites_[site].code.data() != nullptr; }
  bool is_stage_of(std::size_t stage, std::size_t module) const {
    return sites_[stage].kind == Kind::stage && sites_[stage].module != ObjectId::null &&
           sites_[module].kind == Kind::module && sites_[stage].module == sites_[module].module;
  }
  // With it, all stages that are made of it.
  void take(Sites& chosen, std::size_t site) const {
    chosen.insert(site);
    for (std::size_t s = 0; s < sites_.size(); ++s)
      if (is_stage_of(s, site)) chosen.insert(s);
  }
  bool enters_only_by(std::size_t module, const std::string& entry) const {
    for (std::size_t s = 0; s < sites_.size(); ++s)
      if (is_stage_of(s, module) && sites_[s].entry != entry) return false;
    return true;
  }
  std::optional<std::size_t> module_of(std::size_t stage) const {
    for (std::size_t s = 0; s < sites_.size(); ++s)
      if (is_stage_of(stage, s)) return s;
    return std::nullopt;
  }

  Result<Sites> choose(const ShaderSelector& selector) const {
    Sites chosen;
    std::set<Digest> digests;
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      const CodeSite& site = sites_[s];
      switch (selector.kind) {
        case ShaderSelector::Kind::object:
          if (site.name == selector.value) take(chosen, s);
          break;
        case ShaderSelector::Kind::digest:
          if (!has_code(s) || site.binary || !to_string(site.digest).starts_with(selector.value)) break;
          digests.insert(site.digest);
          take(chosen, s);
          break;
        case ShaderSelector::Kind::entry_point:
          if (site.kind == Kind::module || site.entry != selector.value) break;
          chosen.insert(s);
          // Others of a module's entry points keep it as it is: the stage gets a module of its own.
          if (const auto module = module_of(s); module && enters_only_by(*module, selector.value))
            chosen.insert(*module);
          break;
      }
    }
    if (chosen.empty()) return refuse_with_list("--replace: " + selector.text + " means no shader of " + plan_.path);
    if (digests.size() > 1)
      return refuse_with_list("--replace: " + selector.text + " is the begin of " + std::to_string(digests.size()) +
                              " digests");
    for (const std::size_t s : chosen) {
      if (sites_[s].binary)
        return refuse(
            "--replace: " + selector.text + " means " + sites_[s].name +
            ", which was made of a binary (VK_SHADER_CODE_TYPE_BINARY_EXT): there is no SPIR-V to compare with");
      if (sites_[s].identifier)
        return refuse("--replace: " + selector.text + " means " + sites_[s].name +
                      ", which was made of a module identifier (VK_EXT_shader_module_identifier): its code is not in "
                      "the capture");
    }
    return chosen;
  }

  // A line for each shader that there is, with what is made of it.
  tl::unexpected<Error> refuse_with_list(const std::string& sentence) const {
    constexpr std::size_t kMost = 40;
    std::map<Digest, std::string> lines;
    std::vector<Digest> order;
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      if (!has_code(s)) continue;
      const auto [line, fresh] = lines.try_emplace(sites_[s].digest);
      if (fresh) order.push_back(sites_[s].digest);
      line->second += " " + sites_[s].name;
      for (std::size_t stage = 0; stage < sites_.size(); ++stage)
        if (is_stage_of(stage, s)) line->second += " " + sites_[stage].name + " (" + sites_[stage].entry + ")";
    }
    if (order.empty()) return refuse(sentence + ": it makes no shaders");
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < order.size() && i < kMost; ++i) rows.push_back(to_string(order[i]) + lines[order[i]]);
    if (order.size() > kMost)
      rows.push_back("and " + std::to_string(order.size() - kMost) + " more: `rondo info --shaders` lists all");
    return refuse(sentence + "; there " + (order.size() == 1 ? "is:" : "are:"), rows);
  }

  // The places where code is changed, and which stages run it then.
  std::map<std::size_t, Sites> places(const Sites& chosen) const {
    std::map<std::size_t, Sites> places;
    for (const std::size_t s : chosen)
      if (has_code(s)) places[s];
    for (const std::size_t s : chosen) {
      if (sites_[s].kind == Kind::module) continue;
      if (has_code(s)) {
        places[s].insert(s);
        continue;
      }
      bool by_module = false;
      for (const std::size_t m : chosen)
        if (is_stage_of(s, m)) {
          places[m].insert(s);
          by_module = true;
        }
      if (!by_module) places[s].insert(s);
    }
    return places;
  }
  std::size_t code_of(std::size_t place) const { return has_code(place) ? place : module_of(place).value_or(place); }

  Result<void> compare_all(const Replacement& replacement, const Sites& chosen, const NewShader& shader) {
    for (const auto& [place, users] : places(chosen)) {
      const CodeSite& code = sites_[code_of(place)];
      const std::string what = sites_[place].name + " (" + to_string(code.digest) + ")";
      auto old = shaders::reflect(code.code);
      if (!old) return refuse("--replace: " + what + " of " + plan_.path + " " + old.error().message);
      std::vector<shaders::Mismatch> mismatches;
      compare(*old, shader.reflection, place, users, mismatches);
      if (mismatches.empty()) continue;
      std::vector<std::string> lines;
      for (const shaders::Mismatch& m : mismatches)
        lines.push_back(m.what + ": captured " + m.old_side + "; new " + m.new_side);
      return refuse("--replace: " + replacement.file + " cannot stand in the place of " + what + ": " +
                        count_text(mismatches.size(), "thing differs:", "things differ:"),
                    lines);
    }
    return {};
  }

  void compare(const shaders::Reflection& old_one, const shaders::Reflection& new_one, std::size_t place,
               const Sites& users, std::vector<shaders::Mismatch>& out) const {
    const CapturedDevice* device = nullptr;
    if (const std::uint32_t index = plan_.ops[sites_[place].op].device; index < plan_.devices.size())
      device = &plan_.devices[index];
    compare_version(old_one, new_one, device, out);
    for (const std::uint32_t capability : new_one.capabilities) {
      const auto& has = old_one.capabilities;
      if (std::find(has.begin(), has.end(), capability) != has.end() || may_declare(device, capability)) continue;
      std::string names;
      if (const auto* known = shaders::find_capability(capability); known != nullptr)
        names = shaders::text_of(known->enabled_by);
      out.push_back({"capability " + shaders::capability_name(capability),
                     names.empty() ? "not declared" : "not declared, and the program did not enable " + names,
                     "declared"});
    }
    // Of a module that nothing is made of, all of it.
    std::set<std::pair<std::string, std::uint32_t>> entries;
    shaders::Specialized specialized;
    for (const std::size_t s : users) {
      entries.emplace(sites_[s].entry, shaders::model_of(sites_[s].stage));
      specialized.insert(specialized.end(), sites_[s].constants.begin(), sites_[s].constants.end());
    }
    if (users.empty())
      for (const shaders::EntryPoint& entry : old_one.entry_points) entries.emplace(entry.name, entry.model);
    for (const auto& [name, model] : entries) {
      const auto* had = shaders::find_entry_point(old_one, name, model);
      const auto* has = shaders::find_entry_point(new_one, name, model);
      if (had == nullptr || has == nullptr)
        out.push_back({"entry point " + name + " (" + shaders::model_name(model) + ")",
                       shaders::entry_points_text(old_one), shaders::entry_points_text(new_one)});
      else
        shaders::compare_entry_points(*had, *has, out);
    }
    shaders::compare_constants(old_one, new_one, specialized, out);
  }

  bool may_declare(const CapturedDevice* device, std::uint32_t capability) const {
    static const CapturedDevice kPlain{};
    const auto* known = shaders::find_capability(capability);
    return known != nullptr && allows(plan_, device != nullptr ? *device : kPlain, known->enabled_by) == Allowed::yes;
  }

  // What the version of Vulkan that the program asked for has, or what it used all the same.
  void compare_version(const shaders::Reflection& old_one, const shaders::Reflection& new_one,
                       const CapturedDevice* device, std::vector<shaders::Mismatch>& out) const {
    std::uint32_t most = std::max(old_one.version, std::uint32_t{0x00010000});
    if (device != nullptr) {
      const std::uint32_t api = usable_version(plan_, *device);
      if (api >= VK_API_VERSION_1_1) most = std::max(most, std::uint32_t{0x00010300});
      if (has_extension(*device, VK_KHR_SPIRV_1_4_EXTENSION_NAME)) most = std::max(most, std::uint32_t{0x00010400});
      if (api >= VK_API_VERSION_1_2) most = std::max(most, std::uint32_t{0x00010500});
      if (api >= VK_API_VERSION_1_3) most = std::max(most, std::uint32_t{0x00010600});
    }
    if (new_one.version > most)
      out.push_back({"version",
                     shaders::version_text(old_one.version) + ", the device takes " + shaders::version_text(most),
                     shaders::version_text(new_one.version)});
  }

  void apply(const Replacement& replacement, const Sites& chosen, const NewShader& shader, std::vector<Replaced>& all) {
    std::map<Digest, std::size_t> rows;  // one for each shader of the capture
    for (const auto& [place, users] : places(chosen)) {
      const CodeSite& site = sites_[place];
      const Digest old = sites_[code_of(place)].digest;
      if (has_code(place))
        replace_code(plan_, site, shader.code);
      else
        replace_stage(plan_, site, shader.code);
      const auto [row, fresh] = rows.try_emplace(old, all.size());
      if (fresh) all.push_back({replacement.selector.text, replacement.file, old, shader.digest, {}});
      std::vector<std::string>& objects = all[row->second].objects;
      objects.push_back(site.name);
      for (const std::size_t user : users)
        if (user != place) objects.push_back(sites_[user].name);
    }
  }

  Plan& plan_;
  std::vector<CodeSite> sites_;
};

}  // namespace

std::string Replaced::text() const {
  std::string line = file + " in the place of " + to_string(digest) + ":";
  for (const std::string& object : objects) line += " " + object;
  return line;
}

Result<std::vector<Replaced>> replace_shaders(Plan& plan, const std::vector<Replacement>& replacements) {
  return Replacer(plan).run(replacements);
}

}  // namespace rondo::player
