// SPDX-License-Identifier: Apache-2.0
// The chapters on compute, command buffers, queues and synchronization (chapters.h).
#include <catch2/catch.hpp>

#include "chapters.h"
#include "fixture.h"

using namespace scenario;

namespace {
const char* const kPending = "work is pending where the host waits for other work";
}

CHAPTER("[work]", "subgroups replay: votes, ballots, sums and shuffles, of sizes that are asked for", .name = "ballots")

CHAPTER("[work]", "atomics of floats replay, in buffers and shared memory", .name = "float_atomics")

CHAPTER("[work]", "lists linked by addresses replay, by the host and by shaders", .name = "linked_lists",
        // Else its memory is the driver's own, where nothing tells host and device apart.
        .fake_settings = "lacks=bufferDeviceAddressCaptureReplay")

CHAPTER("[work]", "shared memory that begins as zeros replays, in workgroups of any size", .name = "zeroed")

CHAPTER("[work]", "dispatches replay: from a base, of none, by parameters that shaders write", .name = "dispatches")

CHAPTER("[work]", "command buffers replay, submitted again and again, reset each way and shared", .name = "resubmitted")

CHAPTER("[work]", "timelines replay: waits before signals, for any and for all, and many fences", .name = "timelines",
        .not_compared_because = kPending)

CHAPTER("[work]", "events and barriers replay: several at once, by the host and the device, of every stage",
        .name = "events2", .not_compared_because = kPending)

CHAPTER("[work]", "null handles replay wherever they may be, and work of nothing", .name = "null_handles")

CHAPTER("[work]", "private data and names of any bytes replay", .name = "private_slots")

CHAPTER("[work]", "labels replay that span command buffers and submits", .name = "label_spans",
        .without = {lavapipe + ": it crashes where a label ends in another command buffer"})

CHAPTER("[work]", "applications of every version replay beside one another", .name = "versions")

CHAPTER("[work]", "queries of compute replay: in parts, partial, with holes and strides", .name = "counts")

CHAPTER("[work]", "what programs ask first does not keep them from replaying", .name = "asked")

CHAPTER("[work]", "pipeline caches replay: merged, cut, of another device, and derived pipelines", .name = "caches")

CHAPTER("[work]", "threads of one device replay, each with pools of its own", .name = "host_threads",
        .not_compared_because = kPending)

CHAPTER("[work]", "work handed around all queues replays, with transfers of ownership", .name = "queue_chains",
        .not_compared_because = "what another family owns cannot be read back")

CHAPTER("[work]", "objects replay that end as early as they may, before what was made of them", .name = "early_ends",
        .without = {lavapipe + ": it follows descriptors that no shader uses"})

CHAPTER("[work]", "numbers of every width replay, packed tightly, and atomics of 64 bits", .name = "wide_types")

CHAPTER("[work]", "submits of both versions replay, with all that they may carry", .name = "mixed_submits",
        .not_compared_because = kPending)

CHAPTER("[work]", "instances and devices replay, whatever stands in their chains", .name = "chains")

CHAPTER("[work]", "words handed between workgroups replay", .name = "memory_model")

CHAPTER("[work]", "modules of many entry points replay, each with bindings of its own", .name = "many_entries")

CHAPTER("[work]", "what newer extensions let shaders say replays", .name = "newest_shaders",
        .not_validated_because = kNewer)

CHAPTER("[work]", "products of cooperative matrices replay", .name = "cooperative_matrices")

CHAPTER("[work]", "cooperative matrices of sizes of the program's choice replay", .name = "flexible_matrices")

CHAPTER("[work]", "numbers of 16 bits with the range of 32 replay", .name = "bfloats", .not_validated_because = kNewer)

CHAPTER("[work]", "pointers without a type replay", .name = "untyped_pointers")

CHAPTER("[work]", "what a quad's invocations say together replays", .name = "whole_quads")

CHAPTER("[work]", "extensions that are bits of features alone are enabled, and replay", .name = "feature_bits")

CHAPTER("[work]", "addresses replay that lie in constants, texels and command buffers", .name = "odd_addresses",
        .fake_settings = "lacks=bufferDeviceAddressCaptureReplay")

CHAPTER("[work]", "secondaries that threads record while others run replay", .name = "recorded_by_threads",
        .not_compared_because = kPending)

CHAPTER("[work]", "images that are given back without a present, and presents with fences, replay",
        .name = "released_images",
        .without = {lavapipe25 + ": it has no vkReleaseSwapchainImagesEXT for surfaces without a window, and calls it"},
        .alone_not_validated_because = "the validation layer counts images that were given back as acquired")
