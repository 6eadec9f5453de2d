// SPDX-License-Identifier: Apache-2.0
// How a Module comes about: used by module.cpp and declarations.cpp only.
#pragma once

#include <map>
#include <set>

#include "format/check.h"
#include "model/shaders/module.h"

namespace rondo::shaders {

class Parser {
 public:
  Result<Module> run(std::span<const std::byte> bytes);

 private:
  friend struct test::Tamper;
  using Operands = std::span<const std::uint32_t>;

  // module.cpp
  Result<void> read_words(std::span<const std::byte> bytes);
  template <class Visit>
  Result<void> each(const Visit& visit);
  tl::unexpected<Error> damaged(const std::string& sentence) const;
  static bool fits(std::uint32_t operation, std::size_t count);
  Result<void> check_result(std::uint32_t operation, Operands operands);
  static std::optional<std::string> string_in(Operands operands, std::size_t& words);
  static Operands named(std::uint32_t operation, Operands operands);
  void mention(std::uint32_t id, std::uint32_t member);
  void take_in_function(std::uint32_t operation, Operands operands);
  void find_uses(Entry& entry) const;

  // declarations.cpp
  void emit_header();
  void emit(std::uint32_t operation, Operands operands);
  void finish_declarations();
  Result<void> take(std::uint32_t operation, Operands operands);
  Result<void> take_entry_point(Operands operands);
  Result<void> take_name(std::uint32_t operation, Operands operands);
  Result<void> take_decoration(std::uint32_t operation, Operands operands);
  void keep_decoration(std::uint32_t id, std::uint32_t decoration, Operands values);
  void keep_member_decoration(std::uint32_t id, std::uint32_t member, std::uint32_t decoration, Operands values);
  Result<void> take_group(std::uint32_t operation, Operands operands);
  void take_type(std::uint32_t operation, Operands operands);
  bool complete_type(std::uint32_t operation, Operands operands, Type& type) const;
  bool complete_array(Operands operands, Type& type) const;
  void take_constant(std::uint32_t operation, Operands operands);
  std::string literal_text(const Constant& constant) const;
  std::string text_of(std::uint32_t id) const;
  bool is_interface(std::uint32_t storage, std::uint32_t type) const;
  void take_variable(Operands operands);
  const Type* type_of(std::uint32_t id) const;

  Module module_;
  std::vector<std::uint32_t> words_;
  std::uint32_t bound_ = 0;
  std::size_t at_ = 0;  // the instruction being read
  std::set<std::uint32_t> results_;
  std::map<std::uint32_t, std::uint32_t> members_;   // of structures: how many
  std::map<std::uint32_t, std::uint32_t> spec_ids_;  // by constant
  std::set<std::uint32_t> forward_;                  // pointers that are declared before what they point to
  std::set<std::uint32_t> globals_;                  // variables
  std::set<std::uint32_t> functions_;
  std::uint32_t function_ = 0;  // the one being read; 0: none
  std::map<std::uint32_t, std::set<std::uint32_t>> calls_;
  // By function, as Entry::used_members.
  std::map<std::uint32_t, std::set<std::pair<std::uint32_t, std::uint32_t>>> mentions_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> locals_;  // by function: types of its variables
  // The decorations of each group of decorations, as operands behind the group's id.
  std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> groups_;
  std::size_t from_groups_ = 0;  // decorations that groups gave to others
  // In the order that a module has.
  std::vector<std::uint32_t> preamble_, annotations_, body_;
};

}  // namespace rondo::shaders
