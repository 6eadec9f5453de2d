// SPDX-License-Identifier: Apache-2.0
// One program, one scenario for each chapter of the specification (chapters.h).
// The graphics chapters; the others stand in files of their own.
#include "chapters.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "fixture.h"

using namespace scenario;

SCENARIO("every program of a chapter has its scenario", "[chapters]") {
  std::vector<std::string> listed = listed_chapters();
  std::sort(listed.begin(), listed.end());
  CHECK(listed == programs("chapters"));
}

CHAPTER("[graphics]", "subpasses replay: preserved, read as inputs, unused between used ones", .name = "subpasses")

CHAPTER("[graphics]", "vertex input replays: holes, strides, divisors, packed and small formats",
        .name = "vertex_input")

CHAPTER("[graphics]", "input assembly replays: every topology, restarts, indices of every width",
        .name = "input_assembly")

CHAPTER("[graphics]", "attachments replay loaded, cleared and kept, in parts and in chains", .name = "load_store")

CHAPTER("[graphics]", "framebuffers replay with other images, formats, layers and levels each time",
        .name = "imageless")

CHAPTER("[graphics]", "passes that resolve replay: colours, depth and stencil by every mode",
        .name = "resolving_passes")

CHAPTER("[graphics]", "dynamic rendering replays suspended, resumed, inherited, with holes",
        .name = "suspended_rendering")

CHAPTER("[graphics]", "tessellation replays: every spacing, quads and isolines, either origin", .name = "tessellation")

CHAPTER("[graphics]", "geometry shaders replay: invocations, neighbours, layers and viewports",
        .name = "geometry_shaders")

CHAPTER("[graphics]", "transform feedback replays with holes, some counters, overflows, streams",
        .name = "feedback_buffers")

CHAPTER("[graphics]", "rasterization of polygons replays: faces, modes, biases, depth planes", .name = "rasterization")

CHAPTER("[graphics]", "lines and points replay: widths, stipples, modes, coordinates within", .name = "lines")

CHAPTER("[graphics]", "multisampling replays sample by sample: masks, coverage, positions", .name = "multisampling")

CHAPTER("[graphics]", "stencil tests replay: every operation and comparison, each face another",
        .name = "stencil_tests")

CHAPTER("[graphics]", "viewports and scissors replay: many, upside down, static and counted", .name = "viewports")

CHAPTER("[graphics]", "depth tests replay: every comparison and format, shaders' depths, bounds", .name = "depth_tests")

CHAPTER("[graphics]", "blending replays: factors, operations, two sources, other ones per attachment",
        .name = "blending")

CHAPTER("[graphics]", "logic operations, write masks and colour writes replay", .name = "logic_ops")

CHAPTER("[graphics]", "clip and cull distances replay, written and read", .name = "clip_distances")

CHAPTER("[graphics]", "multiview replays: masks by subpass, dependencies, inputs, queries", .name = "views")

CHAPTER("[graphics]", "layered framebuffers replay: arrays, cubes, slices, clears of some layers", .name = "layers")

CHAPTER("[graphics]", "queries around and within passes replay, read at every width", .name = "render_queries")

CHAPTER("[graphics]", "conditional rendering replays by words that device and host wrote", .name = "conditional_draws")

CHAPTER("[graphics]", "indirect, counted and multiple draws replay with what shaders wrote", .name = "counted_draws")

CHAPTER("[graphics]", "push constants replay: ranges that overlap, pieces, layouts that are compatible",
        .name = "push_ranges")

CHAPTER("[graphics]", "specialization constants of every type replay in graphics stages", .name = "typed_constants")

CHAPTER("[graphics]", "pipelines replay that are made of libraries, derived, cached, with feedback",
        .name = "pipeline_parts")

CHAPTER("[graphics]", "secondaries within subpasses replay, shared by framebuffers and of nothing", .name = "passed_on")

CHAPTER("[graphics]", "clears replay: formats, levels, layers, aspects, outside of passes and within", .name = "clears")

CHAPTER("[graphics]", "blits replay: mirrored, scaled, converted, of slices, layers and parts", .name = "blits")

CHAPTER("[graphics]", "resolves of parts replay, and copies that keep every sample", .name = "resolves")

CHAPTER("[graphics]", "copies replay between formats, aspects, slices, blocks and linear rows", .name = "image_copies",
        .not_compared_because = "memory of a linear image, where nothing tells the host's writes apart")

CHAPTER("[graphics]", "samplers replay: borders, reductions, comparisons, texels counted", .name = "sampling")

CHAPTER("[graphics]", "levels of detail replay: generated, drawn to, sampled, in layouts of their own", .name = "mips")

CHAPTER("[graphics]", "views replay: components, formats, usages, cubes, rows, slices", .name = "image_views")

CHAPTER("[graphics]", "fragments that store replay, also without attachments", .name = "fragment_storage")

CHAPTER("[graphics]", "subgroups of fragments replay", .name = "fragment_subgroups")

CHAPTER("[graphics]", "task and mesh shaders replay, by counts and with primitives culled", .name = "mesh_tasks")

CHAPTER("[graphics]", "images of luma and chroma replay: models, ranges, places of chroma", .name = "conversions")

CHAPTER("[graphics]", "what vertices hand to fragments replays, however it is interpolated", .name = "interpolation")

CHAPTER("[graphics]", "advanced blending replays, every operation", .name = "advanced_blending")

CHAPTER("[graphics]", "images of every format replay, copied, cleared and tiled both ways", .name = "tiled_formats",
        .without = {"lavapipe25: it compiles something for every copy, for ten seconds"})

CHAPTER("[graphics]", "what the specification says to ignore is ignored in a replay", .name = "ignored",
        .alone_not_validated_because = "the validation layer follows pointers that are ignored, and dies")

CHAPTER("[graphics]", "depth and stencil replay apart: views, layouts, inputs, barriers", .name = "aspects")

CHAPTER("[graphics]", "buffers of vertices and indices replay however they are bound", .name = "bound_buffers")

CHAPTER("[graphics]", "presents on surfaces without a window replay, in two formats", .name = "surfaces")

CHAPTER("[graphics]", "attachments that are read while they are drawn to replay", .name = "local_reads",
        .without = {swiftshader + ": it ends itself in the pipeline"}, .not_validated_because = kNewer)

CHAPTER("[graphics]", "secondary command buffers within secondary ones replay", .name = "nested_commands",
        .not_validated_because = kNewer)

CHAPTER("[graphics]", "what the newest maintenance extensions and their neighbours bring replays",
        .name = "recent_states")

CHAPTER("[graphics]", "states and structures of newer extensions replay", .name = "newer_states",
        .not_validated_because = kNewer)
