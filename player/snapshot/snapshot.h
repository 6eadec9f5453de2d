// SPDX-License-Identifier: Apache-2.0
// What the buffers and images of a capture hold at one place of it: the capture is played to there, and they are read.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/external_files.h"
#include "format/outputs.h"
#include "model/gpu/decode.h"
#include "player/devices/targets.h"
#include "player/legal/shader_checks.h"
#include "player/snapshot/snapshot_list.h"

namespace rondo::player {

struct SnapshotPlace {
  enum class Kind : std::uint8_t {
    // behind all work: in front of the first call behind the last submit or present that destroys something of it
    end,
    frame,  // behind the present that ends the frame
    submit  // behind the call of the submit (all of its batches), and its work
  } kind = Kind::end;
  std::uint64_t number = 0;  // of the frame or submit, from 0
  std::string said = {};     // what text() says instead, where users named the place otherwise; empty: nothing

  std::string text() const;  // "behind frame 3", "behind the last submit or present"
};
// "frame:3", "submit:7".
Result<SnapshotPlace> parse_place(const std::string& text);

struct SnapshotOptions {
  std::vector<DeviceChoice> devices;
  bool validate = false;
  bool clamp_shaders = false;
  Trust trust = Trust::foreign;
};

// One thread. The methods are called in this order: load, play, read (any number), close.
class Snapshot {
 public:
  // Checks and lowers the capture up to the place; touches no device. A place that is not there is Status::usage, and
  // the message says what there is; an output that would overwrite a file that the capture needs is Status::usage, too.
  static Result<std::unique_ptr<Snapshot>> load(const std::string& file, const SnapshotPlace& place,
                                                std::size_t memory_budget = 0, const FileAccess& files = {},
                                                std::span<const NamedOutput> outputs = {});
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

  const Plan& plan() const;
  std::uint32_t op() const;      // what is played: the ops before this one
  std::uint64_t record() const;  // the last that is played
  // Alive there. play() may find more that cannot be read; the order stays.
  const std::vector<SnapshotImage>& images() const;
  const std::vector<SnapshotBuffer>& buffers() const;

  // Plays to the place, and waits until no device works. Status::device: what a device lacks.
  Result<void> play(const SnapshotOptions& options);
  const std::vector<ChosenDevice>& devices() const;  // behind play()
  const ShaderReport& shaders() const;               // likewise

  // All parts of it that can be read, each whole and without padding, in order: visit(index into parts, bytes). The
  // bytes are valid in there; an error of `visit` ends the reading.
  using VisitPart = std::function<Result<void>(std::size_t, std::span<const std::byte>)>;
  Result<void> read(const SnapshotImage& image, const VisitPart& visit);
  // All of it, piece by piece: visit(offset, bytes). As the capture had it: where the player's driver makes up other
  // addresses and descriptors than the captured one, with the captured ones.
  using VisitBytes = std::function<Result<void>(std::uint64_t, std::span<const std::byte>)>;
  Result<void> read(const SnapshotBuffer& buffer, const VisitBytes& visit);

  // Texels that the device of `image` decodes (model/gpu/decode.h), of a 2D image or one slice. Status::device: why it
  // cannot.
  Result<gpu::Decoded> decode(const SnapshotImage& image, VkFormat format, VkExtent2D extent,
                              std::span<const std::byte> texels);

  // Destroys everything. Fails where the validation layer had something to say, or the driver still works.
  Result<void> close();
  // The driver still works: the process must end by _exit.
  bool left_running() const;

 private:
  struct Impl;
  explicit Snapshot(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rondo::player
