// SPDX-License-Identifier: Apache-2.0
// Execution traces of MLCommons Chakra, schema "1.0.0": a file for each device, or for each queue. A file is messages
// of protobuf, each after its length: a GlobalMetadata, then Nodes (et_def.proto). A node is COMP_NODE: an item of the
// work graph, a call of the host, or a join, which stands for many dependencies. Readers want each node that is named
// to be there, and no dependency twice.
#pragma once

#include <memory>
#include <string>

#include "analyzers/export/export.h"

namespace rondo::analyzers {

struct ChakraWanted {
  std::string prefix;      // files are PREFIX.<k>.et
  bool host = false;       // calls of the host, and items that the host does, are nodes too
  bool per_queue = false;  // else a file for each device
};

// `source` lives longer.
std::unique_ptr<Exporter> chakra_exporter(const ExportSource& source, const ChakraWanted& wanted);

}  // namespace rondo::analyzers
