// SPDX-License-Identifier: Apache-2.0
// What is bound while commands are recorded: pipelines, descriptor sets, vertex buffers, …. Draws and dispatches find
// it. Specification: "Pipeline Binding", "Descriptor Set Binding", "Vertex Input". No device. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "format/check.h"
#include "format/objects.h"
#include "model/descriptors.h"
#include "model/views.h"

namespace rondo::model {

struct PlacedSet {
  ObjectId set = ObjectId::null;  // null: pushed
  std::shared_ptr<const Descriptors> pushed;
  bool in_memory = false;              // in a descriptor buffer
  std::vector<std::uint32_t> offsets;  // dynamic
};

constexpr std::size_t index_of(VkPipelineBindPoint point) {
  return point == VK_PIPELINE_BIND_POINT_COMPUTE ? 1 : point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR ? 2 : 0;
}

struct Bindings {
  struct Point {
    ObjectId pipeline = ObjectId::null;
    std::map<std::uint32_t, PlacedSet> sets;
    std::uint64_t version = 0;  // another one: something changed that a draw or dispatch finds there
  };
  std::array<Point, 3> points;                              // by index_of(): graphics, compute, rays
  std::map<VkShaderStageFlagBits, ObjectId> shaders;        // without pipelines
  std::map<std::uint32_t, BufferRange> vertices, feedback;  // by binding; feedback: of transforms
  BufferRange indices;
  std::uint32_t index_bytes = 0;  // of one index
  bool feeding_back = false;
  std::vector<std::uint64_t> descriptor_buffers;  // addresses
  std::size_t pushed = 0;                         // descriptors, that this recording keeps

  Point& at(VkPipelineBindPoint point) { return points[index_of(point)]; }
  const Point& at(VkPipelineBindPoint point) const { return points[index_of(point)]; }
  void changed(Point& point) {
    RONDO_CHECK(point.version <= changes_);  // versions only grow: no two of a point are the same
    point.version = ++changes_;
  }
  void changed() {
    for (Point& point : points) changed(point);
  }
  // All is undefined from here on.
  void forget() {
    points = {};
    shaders.clear();
    vertices.clear();
    indices = {};
    changed();
  }

 private:
  friend struct test::Tamper;
  std::uint64_t changes_ = 0;
};

}  // namespace rondo::model
