// SPDX-License-Identifier: Apache-2.0
// Cuts of captures, and what every cut keeps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fixture.h"

namespace scenario {

// A part of a capture, in a directory that goes with it.
struct Cut {
  std::shared_ptr<TemporaryDirectory> directory = std::make_shared<TemporaryDirectory>();
  std::string path = directory->file("cut.rondo");
  Outcome run;  // of rondo trim
};

// `span`: {"--submits", "1:2"} and the like, and any other options. On the driver that it was captured on.
Cut cut(const Recording& capture, const Words& span, const std::string& driver = lavapipe,
        const std::string& settings = "");

// Alone, and again and again: all that it has to compare is equal.
void cut_verifies(const Cut& cut, const std::string& driver = lavapipe, const std::string& settings = "");

// Words of `rondo dump`'s rows that are "VkType#N", in the order of the rows.
struct DumpRow {
  std::string command, text;
  std::vector<std::string> objects;  // each once
};
std::vector<DumpRow> dump_rows(const std::string& path);

// Objects that were made in front of the cut, and that nothing behind it needs, each in words; empty: there are none.
// Nor where the cut says that it keeps whatever addresses may lead to.
std::string needless_objects(const Cut& cut);

}  // namespace scenario
