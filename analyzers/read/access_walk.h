// SPDX-License-Identifier: Apache-2.0
// A capture put through the access model.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "analyzers/options/cli.h"
#include "analyzers/read/walk.h"
#include "model/access/model.h"
#include "model/placement.h"
#include "model/submits.h"

namespace rondo::analyzers {

struct AccessWanted {
  std::optional<Span> frames, submits;    // neither: all
  bool synchronization = false;           // Executed::effects, and what is given to queues and waited for
  model::Placement* placement = nullptr;  // is kept up to date, if it is given
};

// Is told what was wanted, in order. Methods that return false want no more.
class AccessReader {
 public:
  virtual ~AccessReader() = default;
  // Before all else. The model is there until the walk ends.
  virtual void starts(const access::Model&) {}
  // A call, before what it does is told. Its placement is known already.
  virtual void call(const Step&, const model::Call&) {}
  // A record that has a command, the layer's own too, after what it does was told.
  virtual void done(const Step&) {}
  virtual bool executed(const access::Executed& executed) = 0;
  // Of AccessWanted::synchronization. A batch comes before what it executes. It begins at once, or `later`: then it had
  // to wait for what came after it.
  virtual bool batch(const model::Batch&) { return true; }
  virtual bool begins(const model::Batch&, bool /*later*/) { return true; }
  virtual bool never_begins(const model::Batch&) { return true; }
  virtual bool host(const model::HostSync&) { return true; }
};

struct AccessTotals {
  access::Coverage coverage;  // of what was wanted
  bool too_many = false;      // access::Model::too_many
  bool any = false;           // a record was in what was wanted
  std::uint64_t frames = 0, submits = 0;
  std::string cut;     // why the capture ends early; empty: it is complete
  std::string damage;  // what of its names, its session or a chunk cannot be read; empty: all can
};

// The walk is at its beginning.
Result<AccessTotals> walk_accesses(Walk& walk, const AccessWanted& wanted, AccessReader& reader);
// For those who want what is executed alone.
Result<AccessTotals> walk_accesses(Walk& walk, const AccessWanted& wanted,
                                   const std::function<bool(const access::Executed&)>& visit);

}  // namespace rondo::analyzers
