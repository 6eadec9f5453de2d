// SPDX-License-Identifier: Apache-2.0
// The rows of rondo memory.
#include "analyzers/analysis/row_fields/row_fields.h"

namespace rondo::analyzers {

namespace {

constexpr RowField kMemoryFields[] = {
    {"heap", "device", "VkPhysicalDevice of the heap; null: all memory of the capture together"},
    {"heap", "heap", "index of the heap; null: all together, or the capture does not say which"},
    {"heap", "size", "bytes of the heap"},
    {"heap", "flags", "VkMemoryHeapFlagBits"},
    {"heap", "allocated", "the most bytes that vkAllocateMemory gave at one time, imports too"},
    {"heap", "allocated_record", "sequence number of the call with which this peak begins"},
    {"heap", "bound", "the most bytes of memory on which a buffer or image lay at one time, each byte once"},
    {"heap", "bound_record", "likewise"},
    {"heap", "live",
     "the most bytes of contents at one time: from the item that writes a version to the last one that reads it"},
    {"heap", "live_record", "likewise"},
    {"heap", "live_item", "RECORD@SUBMIT of the item at this peak"},

    {"in_peak", "of", "allocated: an allocation of that peak; live: a buffer or image that is live at that peak"},
    {"in_peak", "device", "as of heap"},
    {"in_peak", "heap", "as of heap"},
    {"in_peak", "object", "VkDeviceMemory, VkBuffer or VkImage"},
    {"in_peak", "name", "that the program gave it"},
    {"in_peak", "bytes", "its bytes"},
    {"in_peak", "type", "index of the memory type"},
    {"in_peak", "record", "sequence number of the call that made it"},
    {"in_peak", "on", "array: buffers and images that lie on the allocation then, or at the later peak of bound bytes"},
    {"in_peak", "resources", "how many these are"},

    {"point", "device", "memory --timeline: as of heap"},
    {"point", "heap", "as of heap"},
    {"point", "record", "sequence number: the point holds from here on up to the next point of the heap"},
    {"point", "allocated", "the most bytes in that time"},
    {"point", "bound", "likewise"},
    {"point", "live", "likewise"},

    {"class", "class",
     "constant, staging-up, staging-down, transient, variable, external, dead, unused (docs/rondo-memory.md)"},
    {"class", "resources", "buffers and images of this class"},
    {"class", "bytes", "of these together"},

    {"resource", "object", "memory --classes: VkBuffer or VkImage"},
    {"resource", "name", "that the program gave it"},
    {"resource", "class", "as of class"},
    {"resource", "grade", "certain; possible: addresses, or others on the same bytes, may use it, too"},
    {"resource", "bytes", "as the driver said, or of a buffer as it was made"},
    {"resource", "memory", "VkDeviceMemory; null: it is not bound"},
    {"resource", "type", "index of the memory type"},
    {"resource", "host_writes", "calls and records of the host that write it"},
    {"resource", "device_writes", "commands that write it, each time that they are executed"},
    {"resource", "reads", "commands that read it, each time that they are executed"},
    {"resource", "read_bytes", "that these read: an upper bound"},
    {"resource", "versions", "writes that replace what was there"},
    {"resource", "assumed_versions",
     "of these, writes of shaders that are taken to replace all that they touch (not with --certain)"},
    {"resource", "first_write", "RECORD@SUBMIT"},
    {"resource", "last_write", "likewise"},
    {"resource", "first_read", "likewise"},
    {"resource", "last_read", "likewise"},
    {"resource", "readers", "array: the first ones, as RECORD@SUBMIT"},
    {"resource", "live", "array of [from, to], numbers of items: when it has contents that are needed; the first 16"},
    {"resource", "live_ranges", "how many these are"},

    {"advice", "id", "stable: the same for the same rule and object"},
    {"advice", "rule",
     "dead, unused, host-constant, transient-attachment, unread-store, undefined-load, unshared, unused-usage"},
    {"advice", "object", "VkBuffer, VkImage or VkDeviceMemory"},
    {"advice", "name", "that the program gave it"},
    {"advice", "saved", "bytes of memory that it saves"},
    {"advice", "traffic", "bytes that are read or written for nothing in the whole capture: an upper bound"},
    {"advice", "text", "the reason, and what would do"},

    {"block", "device", "memory --pack: VkPhysicalDevice"},
    {"block", "type", "index of the memory type: one block for all that moves in it"},
    {"block", "order", "as executed; overlapping queues: work of different queues is taken to run at the same time"},
    {"block", "now", "the most bytes that are bound at one time"},
    {"block", "packed", "bytes of the block, and the most bytes that stay bound elsewhere at one time"},
    {"block", "lower_bound", "likewise, with the most bytes that are live at one time: no packing needs less"},
    {"block", "block", "bytes of the block alone"},
    {"block", "stays", "bytes that stay bound elsewhere, at most"},
    {"block", "resources", "buffers and images in the block"},
    {"block", "moving", "bytes of these, each once"},
    {"block", "assumed", "of these, those with grade possible"},
    {"block", "granularity", "bufferImageGranularity of the device"},
    {"block", "rough", "true: there were too many resources to pack them tightly"},

    {"place", "device", "memory --pack: as of block"},
    {"place", "type", "as of block"},
    {"place", "order", "as of block"},
    {"place", "object", "VkBuffer or VkImage"},
    {"place", "name", "that the program gave it"},
    {"place", "offset", "bytes from the begin of the block"},
    {"place", "bytes", "size that the driver requires"},
    {"place", "alignment", "that the driver requires; 0: the program did not ask"},
    {"place", "grade", "certain; possible: a shader's write is taken to replace all that it touches"},
    {"place", "live", "array of [from, to], numbers of items, both included"},

    {"stay", "object", "memory --pack: VkBuffer or VkImage that has no place in a block"},
    {"stay", "name", "that the program gave it"},
    {"stay", "bytes", "its bytes"},
    {"stay", "reason", "unused, external, sparse, mapped, address, reached, dedicated, shared, unknown"},
    {"stay", "text", "the reason as a sentence"},

    {"summary", "allocations", "memory: calls of vkAllocateMemory"},
    {"summary", "resources", "memory: buffers and images"},
    {"summary", "allocated", "memory: the most bytes at one time"},
    {"summary", "bound", "memory: likewise"},
    {"summary", "live", "memory: likewise"},
    {"summary", "advice", "memory: how many rows of advice there are"},
    {"summary", "frames", "memory: of the capture"},
    {"summary", "now", "memory: of all blocks together"},
    {"summary", "packed", "memory: likewise; a block that would be larger than now counts as now"},
    {"summary", "lower_bound", "memory: likewise"},
    {"summary", "saved", "memory: now without packed"},
    {"summary", "packed_overlapping", "memory: packed, where work of different queues runs at the same time"},
};

}  // namespace

std::span<const RowField> memory_row_fields() { return kMemoryFields; }

}  // namespace rondo::analyzers
