// SPDX-License-Identifier: Apache-2.0
// The chapters on memory, resources and descriptors (chapters.h).
#include <catch2/catch.hpp>

#include "chapters.h"
#include "fixture.h"

using namespace scenario;

namespace {
const char* const kOwnMemory =
    "memory that cannot be imported, as of linear images here or where it is dedicated: nothing tells host "
    "and device apart";
}

CHAPTER("[resources]", "memory of every type replays: mapped in pieces and again, flushed by atoms",
        .name = "kinds_of_memory", .not_compared_because = kOwnMemory)

CHAPTER("[resources]", "buffers replay: fills of odd ends, the largest updates, copies of many regions",
        .name = "updates")

CHAPTER("[resources]", "views of texel buffers replay, one of each format", .name = "texel_formats")

CHAPTER("[resources]", "linear images replay, written and read by the host", .name = "linear_images",
        .not_compared_because = kOwnMemory)

CHAPTER("[resources]", "descriptors that are copied replay: across sets, bindings, and within one",
        .name = "descriptor_copies")

CHAPTER("[resources]", "dynamic offsets of several sets replay, and sets bound again alone", .name = "offsets_in_sets")

CHAPTER("[resources]", "descriptors replay that are written late: bound before, partly, of variable number",
        .name = "late_updates")

CHAPTER("[resources]", "sets replay that are freed one by one, or with their pool, and allocated again",
        .name = "freed_sets")

CHAPTER("[resources]", "descriptors of nothing replay, and accesses beyond the ends", .name = "null_descriptors")

CHAPTER("[resources]", "objects made with the program's own host memory replay", .name = "callbacks")

CHAPTER("[resources]", "copies of buffers and images replay: long rows, corners, levels, aspects, blocks",
        .name = "strides")

CHAPTER("[resources]", "copies of images replay: slices, layers, other formats, blocks, onto itself",
        .name = "between_images")

CHAPTER("[resources]", "images seen in other formats replay, with a list and of blocks", .name = "mutable_formats")

CHAPTER("[resources]", "resources that share memory replay, overlapping and taking turns", .name = "aliased")

CHAPTER("[resources]", "interfaces of shaders replay: two variables a binding, lengths that are constants, holes",
        .name = "shared_bindings")

CHAPTER("[resources]", "resources bound by one command replay, with device indices beside", .name = "bound_at_once",
        .not_compared_because = kOwnMemory)

CHAPTER("[resources]", "images of every format that can be copied replay", .name = "every_format")

CHAPTER("[resources]", "images of every shape replay, cleared by many ranges and read part by part",
        .name = "every_shape")

CHAPTER("[resources]", "images of every format that shaders store to replay", .name = "storage_formats")

CHAPTER("[resources]", "descriptors that are pushed replay, in parts and by templates", .name = "pushed_sets",
        .without = {lavapipe + ": its pushes begin with the first element of a binding, whatever they say"})

CHAPTER("[resources]", "bindings of any type replay", .name = "mutable_types")

CHAPTER("[resources]", "robustness that is a pipeline's own replays", .name = "robust_pipelines")

CHAPTER("[resources]", "immutable samplers replay, in arrays, alone and never written", .name = "fixed_samplers")

CHAPTER("[resources]", "inline uniform blocks replay, written and copied in parts", .name = "inline_parts")

CHAPTER("[resources]", "memory that is not coherent replays, flushed by ranges of several memories", .name = "flushes")

CHAPTER("[resources]", "images that the host copies to and from replay", .name = "host_image_copies",
        .not_validated_because = kNewer, .not_compared_because = kOwnMemory)

CHAPTER("[resources]", "memory mapped by newer commands replays", .name = "mapped_again",
        .not_validated_because = kNewer)

CHAPTER("[resources]", "descriptors and constants of maintenance6 replay", .name = "second_forms",
        .not_validated_because = kNewer)

CHAPTER("[resources]", "priorities of memory replay", .name = "memory_priorities")
