// SPDX-License-Identifier: Apache-2.0
// A capture validated, resolved and lowered: everything a Run needs, decoded
// once. Built by build_plan(), adapted to the chosen devices by preflight(),
// immutable from then on; any number of Runs read it, on any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/given_names.h"
#include "format/objects.h"
#include "format/reader.h"
#include "format/result.h"
#include "format/spans.h"
#include "format/vulkan.h"
#include "player/plan/arena.h"
#include "player/plan/damage.h"
#include "player/plan/sparse.h"
#include "player/plan/sync_model.h"
#include "player/plan/volatile_bytes.h"

namespace rondo::player {

inline constexpr std::uint32_t kNone = 0xffffffff;

// A place in a block that gets an object's live handle before the call, or
// that holds the handle which the call returned for it.
struct Patch {
  std::uint32_t offset;
  ObjectId id;
};

// One call to make: a position-independent block in the arena and where to
// patch it. The lists lie in Plan's vectors, [first, first + count).
struct Op {
  std::uint64_t sequence = 0;
  std::int64_t captured = 0;  // the captured return value
  std::uint64_t block = 0;    // arena offset
  std::uint32_t block_bytes = 0;
  CommandId command = CommandId::none;  // as it was called; executors are found by the canonical one
  bool returned = false;                // `captured` is valid
  bool checked = false;                 // the capture succeeded: a failure now is an error
  bool lost = false;                    // its device was lost in the capture: there is nothing to compare
  bool ambiguous = false;               // host writes that may be the device's (kRecordAmbiguous)
  bool ends_submits = false;            // all submits before it are known to have ended behind it
  bool may_pass = false;                // a poll: see Observation
  std::uint16_t poll_ns = 0;            // a wait: the program polled for it, so long apart; 0: it slept
  bool watched = false;                 // a submit: an Observation or a Settle waits for its end
  std::uint32_t device = kNone;         // index into Plan::devices
  ObjectId dispatch = ObjectId::null;   // the first parameter
  ObjectId subject = ObjectId::null;    // what the command is about: the memory written, the device made, …
  std::uint32_t first_pointer = 0, pointers = 0;
  std::uint32_t first_patch = 0, patches = 0;
  std::uint32_t first_created = 0, created = 0;
  std::uint32_t first_ended = 0, ended = 0;
};

// The driver's own layout of images, by the name that it gives it; zeros: none.
using ImageLayoutId = std::array<std::uint8_t, VK_UUID_SIZE>;

struct CapturedPhysicalDevice {
  ObjectId id = ObjectId::null;
  bool has_properties = false;
  VkPhysicalDeviceProperties properties{};
  std::optional<VkPhysicalDeviceMeshShaderPropertiesEXT> meshes;  // none: nobody asked for them
  bool has_memory = false;
  VkPhysicalDeviceMemoryProperties memory{};
  std::vector<VkQueueFamilyProperties> families;
  ImageLayoutId image_layout{};
};

struct QueueUse {
  std::uint32_t family = 0;
  std::uint32_t count = 0;
  VkDeviceQueueCreateFlags flags = 0;
};

// One features structure as the program enabled it (VkPhysicalDeviceFeatures
// stands as VkPhysicalDeviceFeatures2).
struct FeatureUse {
  StructId structure{};
  std::vector<std::byte> bytes;
};

// Of the offsets of descriptors in their buffers the one that is a multiple of the least.
struct LeastAligned {
  VkDeviceSize offset = 0;     // 0: all are
  std::uint64_t sequence = 0;  // of its record
  void add(VkDeviceSize other, std::uint64_t at) {
    if (offset == 0 || (other & (~other + 1)) < (offset & (~offset + 1))) *this = {other, at};
  }
};

struct CapturedDevice {
  ObjectId id = ObjectId::null;
  ObjectId instance = ObjectId::null;
  std::uint32_t physical = kNone;                  // index into Plan::physical_devices
  std::uint32_t api_version = VK_API_VERSION_1_0;  // the application's
  std::vector<std::string> extensions;
  std::vector<FeatureUse> features;
  std::vector<QueueUse> queues;
  bool has_sparse = false;           // buffers or images; else it does without what it enabled for them
  bool asks_for_addresses = false;   // of buffers
  bool places = false;               // addresses are those of host memory: it goes where it was
  bool opaque_addresses = false;     // the driver gives them again
  std::uint32_t push_constants = 0;  // bytes that the plan pushes to, at most
  LeastAligned uniform_offset, storage_offset;
  std::vector<CommandId> commands;  // device-level ones that the plan calls, under these names, unique
};

// Whether the program enabled bufferDeviceAddress.
bool enables_addresses(const CapturedDevice& device);

struct CapturedMemory {
  ObjectId id = ObjectId::null;
  std::uint32_t device = kNone;
  VkDeviceSize bytes = 0;
  std::uint32_t type = 0;
  bool dedicated = false;
  bool written = false;                  // host writes go there
  bool read_back = false;                // a checkpoint digests it
  std::uint64_t place = 0;               // its address, where device addresses follow from it
  std::uint64_t opaque = 0;              // its opaque capture address
  std::uint64_t imported = 0;            // the host pointer, in the captured program; 0: none
  std::uint32_t pages = kNone;           // index into Plan::shared_pages, if it shared some
  std::vector<std::uint32_t> resources;  // bound there, in order; indexes into Plan::resources
  VolatileBytes times;                   // of the device: no checkpoint can compare them
};

// Where pages lay in the captured program that it had imported several times at once.
struct CapturedPages {
  std::uint64_t begin = 0, end = 0;
};

// A buffer or image: what relayout and preflight need of it.
struct CapturedResource {
  ObjectId id = ObjectId::null;
  std::uint32_t device = kNone;
  bool image = false;
  std::uint32_t create_op = kNone;
  VkDeviceSize bytes = 0;        // asked of the captured driver, else the buffer's size, else 0
  std::uint32_t memory = kNone;  // index into Plan::memories
  VkDeviceSize alignment = 1;    // likewise
  VkDeviceSize offset = 0;
  bool bound = false;
  std::uint64_t opaque = 0;               // of a buffer: its opaque capture address
  VkFormat format = VK_FORMAT_UNDEFINED;  // of an image, and its extent
  VkExtent3D extent{};
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  VkSubresourceLayout linear{};  // of mip 0, layer 0, where the program asked for it
  bool has_linear = false;
};

struct CapturedSwapchain {
  ObjectId id = ObjectId::null;
  std::uint32_t device = kNone;
  std::uint32_t create_op = kNone;
  ObjectId present_queue = ObjectId::null;
  ObjectId surface = ObjectId::null;  // null: nothing says which
  std::vector<ObjectId> images;       // by index; 0 where the program never asked
};

// A scalar that names a queue family, to be changed when the target numbers
// its families otherwise.
struct FamilyMark {
  std::uint64_t at;  // arena offset
  std::uint32_t device;
};

// What a call of the capture could do because the work before it happened to
// have ended: the player makes sure of it, in front of the op.
struct Settle {
  std::uint32_t op = 0;                 // index into Plan::ops
  ObjectId queue = ObjectId::null;      // is waited for, until it is idle; with `semaphore`: takes its signal
  ObjectId semaphore = ObjectId::null;  // binary, signalled, to be signalled again
  ObjectId fence = ObjectId::null;      // signalled, to be submitted again: is reset
  ObjectId commands = ObjectId::null;   // being recorded, to be begun again: is reset; with `pool`: …
  ObjectId pool = ObjectId::null;       // … the query that it leaves open is ended
  std::uint32_t query = 0, index = 0;
  std::uint32_t lost = kNone;  // index into Plan::devices: was lost here; what it has to do is ended
  // Payloads of sync fds (payloads.cpp): …
  enum class Payload : std::uint8_t {
    none,
    leaves,  // the semaphore or fence, which the queue signals, gets a new one: what it had is the fd's
    is_due,  // `queue` waits for that of an export; 0: the host does
    comes    // the semaphore is signalled on the queue; the fence is signalled
  } payload = Payload::none;
  std::uint32_t exported = kNone;  // is_due: the op of the export …
  std::uint32_t of = kNone;        // … and the index into Plan::payloads
  // The submit to wait for, as an index into Plan::ops; it was given to `queue`. If `fence` is not 0, the submit
  // signals that fence, and nothing has reset it since: the player waits for the fence.
  std::uint32_t submit = kNone;
};

// A poll saw an event or queries in a state that work in flight had brought about and other work in flight
// takes back. The replay may ask too late: once the submits that brought it about have ended, it is as good
// as seen.
struct Observation {
  std::uint32_t op = 0;      // the poll, an index into Plan::ops …
  std::uint32_t submit = 0;  // … and a submit, likewise
  bool brings = false;       // it brings the state about; else it takes it back
};

// What an export gives to one of those that may have imported it.
struct Payload {
  std::uint32_t exported = 0;  // index into Plan::ops
  bool to_host = false;        // else to a queue
};

// Of a host write, or contents, whose bytes are read when it is played (blobs_ahead.h): its pData is null.
struct LateBlob {
  std::uint32_t op = 0;  // index into Plan::ops
  Digest digest;
  std::uint64_t bytes = 0;
};

// Code for one stage of a pipeline whose module other pipelines use too: a module is made of it for
// that call alone.
struct StageCode {
  std::uint64_t block = 0;   // of the op
  std::uint32_t module = 0;  // where in the block the stage names its module
  Reader::Bytes code;
};

struct PlanCounts {
  std::uint64_t records = 0, frames = 0, submits = 0, draws = 0, dispatches = 0;
  std::uint64_t image_checkpoints = 0, memory_checkpoints = 0;  // images; memory ranges
  std::uint64_t content_checkpoints = 0;                        // parts of buffers and images
  std::uint64_t dropped_after_cut = 0;                          // salvage: records behind the last whole submit
  std::uint64_t undated_writes = 0;  // host writes before or after the end of work that uses the bytes: nobody knows
};

// Indexes into Plan::ops, half-open.
struct OpRange {
  std::uint32_t first = 0, last = 0;
};

struct Plan {
  std::string path;
  FileAccess files;  // that its contents may be read from
  FileHeader header{};
  Arena arena;  // blocks; stays where it is
  std::vector<Op> ops;
  std::vector<std::uint32_t> pointers;
  std::vector<Patch> patches;
  std::vector<Patch> created;
  std::vector<ObjectId> ended;
  std::vector<Reader::Bytes> blobs;  // keeps alive what blocks point to
  std::vector<LateBlob> late_blobs;  // in the order of ops
  std::vector<StageCode> stage_codes;
  std::uint32_t max_block_bytes = 0;

  ObjectTable objects;
  std::vector<std::uint32_t> place;  // by ObjectId: index into the vector of its kind below
  std::vector<ObjectId> instances;
  std::vector<CapturedPhysicalDevice> physical_devices;
  std::vector<CapturedDevice> devices;
  std::vector<CapturedMemory> memories;
  std::vector<CapturedPages> shared_pages;
  std::vector<CapturedResource> resources;
  std::map<ObjectId, SparseUse> sparse;  // of resources whose pages are bound
  std::vector<CapturedSwapchain> swapchains;
  std::vector<FamilyMark> family_marks;
  std::vector<SyncStep> sync;             // in the order of ops
  std::vector<Settle> settles;            // likewise
  std::vector<Observation> observations;  // likewise
  std::vector<Payload> payloads;          // in the order of their exports
  std::vector<SyncPoint> sync_points;
  GivenNames debug_names;
  // Of the regions that a host copy reads or writes: bytes that the capture has, by its record.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> host_bytes;
  // Images of several samples that were made so that they can be read on their device
  // (make_samples_readable()).
  std::set<ObjectId> samples_read;
  PlanCounts counts;
  RecordRange span_records;            // of what is asked for: those that are not played, too
  OpRange span;                        // its ops; without a request from the first submit to the last wait
  std::uint64_t begins = 0;            // record that frames and submits count from (rondoCut), or 0
  std::uint64_t first_of_program = 0;  // record of the first submit that does not put back; 0: there is none
  std::vector<OpRange> intervals;      // each frame, submit or occurrence of a scope in it
  std::vector<Scope> scopes;           // all of the capture
  bool foreign = false;                // take even the captured device for another one
  bool has_checkpoints = false;        // of any kind, also behind where a salvaged plan ends
  std::string salvage_reason;          // why it was
  bool salvaged = false;               // the file was not whole, and was cut behind its last whole submit

  std::uint32_t place_of(ObjectId id) const { return index_of(id) < place.size() ? place[index_of(id)] : kNone; }
  // Where a swapchain's acquires and presents are played; 0: nothing of it is presented.
  ObjectId queue_of_presents(ObjectId swapchain) const {
    const std::uint32_t at = place_of(swapchain);
    return at < swapchains.size() ? swapchains[at].present_queue : ObjectId::null;
  }
  std::string name(ObjectId id) const { return objects.name(id); }
  // … with the name that the program gave it last, if it did.
  std::string full_name(ObjectId id) const { return rondo::full_name(debug_names, objects, id); }
};

// payloads.cpp: once all settles are there.
void find_payloads(Plan& plan);

struct PlanOptions {
  bool salvage = false;
  bool verify = false;               // contents are compared: resources are made so that they can be read
  std::uint64_t until = UINT64_MAX;  // the last sequence number to play
  SpanRequest span;
  std::size_t memory_budget = 0;  // bytes of arena and blobs; 0: half of the machine's
  std::size_t host_writes = 0;    // bytes of them that the plan keeps, and contents; 0: half of the budget
  bool to_end_of_span = false;    // what comes behind it is not looked at
  Damage damage;
  Damaged* damaged = nullptr;  // gets what the damage has changed, also where there is no plan then
};

// Every error names the file and the record. Refuses what cannot be
// reproduced: unknown commands and structures, unsupported ones, objects that
// nothing created.
Result<std::unique_ptr<Plan>> build_plan(Reader& reader, const PlanOptions& options);

// A finished capture whose program died between taking a number and writing the record. What comes before that number
// is whole, and is played; what other threads recorded behind it, in the moments until the process was gone, is not: it
// may need what the lost call did.
bool ends_at_a_gap(const Reader& reader);

}  // namespace rondo::player
