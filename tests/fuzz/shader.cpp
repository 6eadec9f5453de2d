// SPDX-License-Identifier: Apache-2.0
// Any bytes as a shader: what it uses is found in the end; it is refused, or reflected the same each time, and like
// itself.
#include "model/shaders/compare.h"
#include "model/shaders/static_use.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {

void shader(Bytes code) {
  expect(shaders::static_uses(code).size() <= code.size(), "an entry point takes some bytes");
  const auto reflected = shaders::reflect(code);
  if (!reflected) return;
  const auto again = shaders::reflect(code);
  expect(again && again->entry_points.size() == reflected->entry_points.size(), "a second reflection finds the same");
  for (std::size_t i = 0; i < reflected->entry_points.size(); ++i) {
    const shaders::EntryPoint& entry = reflected->entry_points[i];
    expect(shaders::text_of(entry) == shaders::text_of(again->entry_points[i]), "a second reflection finds the same");
    std::vector<shaders::Mismatch> found;
    shaders::compare_entry_points(entry, entry, found);
    expect(found.empty(), "a shader can stand in its own place");
  }
}

}  // namespace rondo::fuzz
