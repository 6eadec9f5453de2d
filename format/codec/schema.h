// SPDX-License-Identifier: Apache-2.0
// What every command and structure looks like: tables that scripts/ emits from
// the registry. One row a field drives the encoder, the decoder, the printer
// and the encoding hash; nothing else knows a structure's members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "generated/ids.h"  // CommandId, StructId, HandleType, EnumId

namespace rondo::codec {

// What one element of a field is.
enum class Element : std::uint8_t {
  unsigned_int,  // of Field::size bytes (1, 2, 4, 8); size_t is 8
  signed_int,
  floating,  // 4 or 8 bytes
  bool32,
  enumerant,       // 4 bytes, Field::type is an EnumId
  flags,           // 4 or 8 bytes, Field::type is the EnumId of the bits, or EnumId::none
  handle,          // 8 bytes in the file, Field::type is a HandleType
  untyped_handle,  // uint64_t whose HandleType a VkObjectType member (Field::selector) gives
  structure,       // Field::type is a StructId
  union_type,      // Field::type is a StructId whose rows are the members, chosen by Field::selector
  character,       // string shapes only
  byte,            // sized void*
  opaque,          // function pointers, allocators, window-system pointers: not recorded, null on decode
};

// How the elements are held.
enum class Shape : std::uint8_t {
  value,          // in place
  array,          // in place, Field::count elements
  text,           // char[N] in place: u32 length, characters; zero-filled on decode
  one,            // pointer to one: u8 present, element
  many,           // pointer to `count` elements: u32 count (kNull = null pointer), elements.
                  // Scalars and bytes: a data reference instead (see kData*); template data:
                  // see template_data.h
  string,         // const char*: u32 length (kNull), characters
  strings,        // const char* const*: u32 count (kNull), strings
  many_pointers,  // const T* const*: u32 count (kNull), each as `one`
  stype,          // VkStructureType: not in the file, the table knows it
  pnext,          // u16 structure id, body, …, u16 0
  dropped,        // not in the file, zero on decode
};

inline constexpr std::uint32_t kNull = 0xffffffff;

// A data reference (Shape::many of scalars or bytes): u8 kind, then for
// kDataInline u64 bytes + the bytes, for kDataBlob u64 bytes + 16 digest bytes.
inline constexpr std::uint8_t kDataNull = 0;
inline constexpr std::uint8_t kDataInline = 1;
inline constexpr std::uint8_t kDataBlob = 2;
inline constexpr std::size_t kInlineBytes = 256;  // longer data becomes a blob

// Where a count comes from.
enum class CountKind : std::uint8_t {
  none,
  constant,      // `constant`
  member,        // unsigned of `a_size` bytes at `a`
  dereferenced,  // pointer at `a` to an unsigned of `a_size` bytes (two-call enumerations)
  path,          // pointer at `a`, unsigned of `b_size` bytes at `b` behind it
  rule,          // rules.cpp computes it
};
struct Count {
  CountKind kind = CountKind::none;
  std::uint8_t a_size = 0;
  std::uint8_t b_size = 0;
  std::uint8_t divisor = 1;  // codeSize / 4
  std::uint16_t a = 0;
  std::uint16_t b = 0;
  std::uint32_t constant = 0;
};

// What a scalar means to a replay on another device.
enum class Semantic : std::uint8_t { none, image_layout, queue_family, memory_type, device_address };

enum FieldFlags : std::uint8_t {
  kOutput = 1,     // the driver writes it (non-const pointer parameter)
  kDestroyed = 2,  // the command ends these objects
  kCreated = 4,    // the command makes these objects (output handles of create, allocate, get, enumerate)
  // What a driver uses unasked; decode() refuses nulls. Never under an output.
  kRequired = 8,           // pointer, or handle in place: not null (an array: unless its count is 0)
  kRequiredElements = 16,  // array: no element is null
  // A handle that objects of an earlier call may tell to ignore (samplers, by the
  // binding's immutable ones): it may be one that nothing made.
  kPerhapsIgnored = 32,
  // An output that a replay compares: decode() tells its blob.
  kCompared = 64,
};

// Irregular fields: rules.cpp says whether a pointer may be followed, or how
// many elements it has. scripts/irregular.py names them.
struct Field {
  const char* name;
  std::uint16_t offset;  // in the native structure
  std::uint16_t size;    // of one element in native memory
  Element element;
  Shape shape;
  Semantic semantic;
  std::uint8_t flags;       // FieldFlags
  std::uint16_t type;       // by Element
  RuleId rule;              // RuleId::none: regular
  std::uint16_t selector;   // offset of the selecting member, or kNoSelector
  std::uint32_t selection;  // union rows: the selector's value that selects this row
  Count count;
};
inline constexpr std::uint16_t kNoSelector = 0xffff;

struct StructInfo {
  const char* name;
  StructId id;
  std::uint32_t size;
  std::uint32_t alignment;
  std::uint32_t stype;  // VkStructureType, or kNull if it has none
  bool is_union;
  bool flat;      // no pointers, handles, padding or semantics inside: copied as it lies
  bool features;  // extends VkPhysicalDeviceFeatures2: all VkBool32
  std::span<const Field> fields;
  std::uint64_t encoding_hash;  // wire shape and member names, recursively; no type names
};

enum class CommandClass : std::uint8_t {
  regular,      // everything generated
  irregular,    // hand-written in layer/ or player/ or both; `reason` says why
  unsupported,  // hidden from programs; `reason` says why
};
enum class Level : std::uint8_t { global, instance, physical_device, device };
enum class Numbering : std::uint8_t { before, after };  // docs/architecture.md, "The sequence rule"
enum class Returns : std::uint8_t { nothing, result, bool32, unsigned32, unsigned64, address, function };

// Where a vkCmd* may be recorded and what it is for, as the registry says ("Command Properties" in the specification's
// page of each command). scripts/classification.py lists the exceptions, each with its reason. Of other commands all of
// this is empty.
enum class PassScope : std::uint8_t { either, inside, outside };  // of a render pass, or of dynamic rendering
enum CommandTask : std::uint8_t { kAction = 1, kIndirection = 2, kState = 4, kSynchronization = 8 };
enum class Scope : std::uint8_t { none, render_pass, query, transform_feedback, conditional_rendering, label };
struct RecordingFacts {
  std::uint32_t queues = 0;  // VkQueueFlags: on a queue with one of these; 0: on any
  PassScope pass = PassScope::either;
  bool primary_only = false;
  std::uint8_t tasks = 0;  // CommandTask: what the device does
  Scope opens = Scope::none, closes = Scope::none;
};

// What a command does, as its name says (scripts/rondogen/facts.py).
enum class Verb : std::uint8_t {
  other,
  creates,
  allocates,
  gets,     // what was there before: vkGet…, vkEnumerate…, vkAcquire…
  imports,  // from another process or device
  draws,
  draws_meshes,
  dispatches,
  submits,  // batches to a queue: vkQueueSubmit…
  checks,   // Rondo's own: contents that a replay compares, rondoCheckpoint…
};

struct CommandInfo {
  const char* name;
  CommandId id;
  CommandId canonical;  // itself, or what it is an alias of
  StructId args;        // the parameters as a structure: args_<name> in generated/args.h
  CommandClass kind;
  Level level;
  HandleType dispatch;  // type of the first parameter
  Numbering numbering;
  Returns returns;
  bool two_part;                     // numbered before, and returns something
  bool records_into_command_buffer;  // vkCmd*
  bool query;                        // changes nothing: a replay needs not repeat it
  bool kept_answer;                  // a replay, or a person, reads what it answered: a cut keeps it
  Verb verb;
  HandleType makes;           // of the first object that it makes, or that it gets as a parameter; none: no such
  const char* feature;        // "VK_VERSION_1_0" or the extension that brought it
  const char* reason;         // irregular, unsupported
  const char* layer_reason;   // why layer/ has its hook; "": generated
  const char* player_reason;  // why player/ has its executor, or refuses it; "": generated
  RecordingFacts recording;
  // The wire never depends on these: a command's payload is its args structure.
};

std::span<const CommandInfo> commands();   // index: CommandId; [0] is "none"
std::span<const StructInfo> structures();  // index: StructId; [0] is "none"; args structures too
inline const CommandInfo& info(CommandId id) { return commands()[static_cast<std::size_t>(id)]; }
inline const StructInfo& info(StructId id) { return structures()[static_cast<std::size_t>(id)]; }
// The command makes the device work, and does nothing else: a draw, a dispatch, a copy, a build, a query that is reset
// or written. Not: commands that set state or order others (the begin of a render pass does both, and works), and those
// that execute other command buffers.
inline bool only_works(const CommandInfo& command) {
  return (command.recording.tasks & (kAction | kState | kSynchronization)) == kAction;
}
// Rondo's own record, and no call of a program's.
inline bool is_event(std::string_view command_name) { return command_name.starts_with("rondo"); }

CommandId command_by_name(std::string_view name);   // CommandId::none if unknown
StructId structure_by_name(std::string_view name);  // aliases too
StructId structure_by_stype(std::uint32_t stype);   // what may stand in a pNext chain

struct HandleInfo {
  const char* name;   // "VkBuffer"
  HandleType parent;  // VkCommandPool for VkCommandBuffer; none for VkInstance
  bool dispatchable;
  std::uint32_t object_type;  // VkObjectType
  CommandId destroy;          // vkDestroyBuffer; none for queues, physical devices, …
};
const HandleInfo& info(HandleType type);
HandleType handle_by_object_type(std::uint32_t object_type);

// Enumerant names. Flags: the names of the set bits, unknown bits in hex.
std::string_view enum_name(EnumId id);
std::string_view enumerant_name(EnumId id, std::int64_t value);  // empty if unknown
struct Enumerant {
  std::int64_t value;
  const char* name;
};
std::span<const Enumerant> enumerants(EnumId id);

struct ExtensionInfo {
  const char* name;
  bool device;         // else instance
  bool supported;      // the layer records all of it; else hidden from programs
  const char* reason;  // when not supported
};
std::span<const ExtensionInfo> extensions();

// A feature bit that programs see as absent (scripts/classification.py).
struct HiddenFeature {
  StructId structure;
  std::uint16_t offset;  // of the VkBool32 in it
  const char* member;
  const char* reason;
};
std::span<const HiddenFeature> hidden_features();

}  // namespace rondo::codec
