// SPDX-License-Identifier: Apache-2.0
// What a replay finds out: comparisons with the checkpoints, pictures,
// messages of the validation layer. Shared by all Runs of one player.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/digest.h"
#include "format/result.h"
#include "format/vulkan.h"
#include "player/verify/difference_pictures.h"
#include "player/verify/pictures.h"

namespace rondo::player {

struct Comparison {
  std::uint64_t compared = 0, equal = 0, unverified = 0;
  std::uint64_t apart_from_times = 0;  // of those that are equal
  std::uint64_t by_psnr = 0;           // of those that are equal: another digest, and alike enough
};

struct Verification {
  Comparison images, memory_ranges, contents;  // contents: parts of buffers and images

  Comparison all() const {
    Comparison sum;
    for (const Comparison* one : {&images, &memory_ranges, &contents}) {
      sum.compared += one->compared;
      sum.equal += one->equal;
      sum.unverified += one->unverified;
      sum.apart_from_times += one->apart_from_times;
      sum.by_psnr += one->by_psnr;
    }
    return sum;
  }
  std::optional<double> least_psnr;  // in dB, of images whose digests differ; none: it was not looked at
  std::string first_difference;      // empty while everything is equal
  std::string first_unverified;      // which could not be compared first, and why
  bool submit_compares = false;      // that one, in a capture with RONDO_CHECKPOINTS=submit
};

// Everything that a replay compares, in its order: what a second replay of the same capture is held against.
struct Seen {
  std::uint64_t record = 0;  // that says to compare
  Digest digest;             // of what was found; of what the capture has, where that counts as equal
};

// What a second replay found of the first one.
struct Again {
  std::uint64_t compared = 0;
  std::uint64_t unstable = 0;                           // found otherwise: the device differs from itself
  std::uint64_t stable_different = 0;                   // found the same again, and not what the capture has
  std::string first_unstable, first_stable_difference;  // where; empty: nowhere
  std::string error;                                    // why it did not come to its end; empty: it did

  std::string text() const;  // for the end of a sentence
};

class Observer {
 public:
  Verification verification;
  std::optional<double> wanted_psnr;  // in dB, what images whose digests differ have to have; none: none may
  std::string screenshot_directory;
  std::uint64_t screenshots = 0;
  std::function<bool(std::uint64_t)> wants_picture;  // as of Options
  std::function<void(std::uint64_t, const Picture&)> take_picture;
  std::optional<DifferencePictures> difference_pictures;  // nothing: nobody asked for them
  bool progress = false;                                  // stderr and stdout are a terminal
  // Told of everything whose digest is another one here, by the checkpoint's record, in their order.
  std::function<void(std::uint64_t record, const Digest& captured, const Digest& replayed, std::span<const std::byte>)>
      differs;

  void show_progress(std::uint64_t frame, std::uint64_t frames);
  void clear_progress();

  // Of the first replay: the first kMostSeen.
  const std::vector<Seen>& seen() const { return seen_; }
  static constexpr std::size_t kMostSeen = std::size_t{1} << 20;
  // This is the second replay.
  void hold_against(const std::vector<Seen>& before) { before_ = &before; }
  const Again& again() const { return again_; }

  // Called by the validation layer, on any thread.
  void validation_message(const std::string& text);
  std::vector<std::string> validation_messages() const;

  // What is compared.
  struct Compared {
    std::uint64_t record;
    const std::string& what;  // in words, with its place
    Digest captured;
  };
  // True: they differ, and nothing did before; the caller says how, by
  // setting verification.first_difference.
  bool first_to_differ(Comparison& counts, const Compared& one, const Digest& replayed);
  void apart_from_times(Comparison& counts, const Compared& one);
  // An image with another digest. True: it is alike enough, and counted.
  bool alike(Comparison& counts, const Compared& one, double psnr);
  void skip(Comparison& counts, const std::string& what, const std::string& why);

 private:
  void note(const Compared& one, const Digest& found);

  std::vector<Seen> seen_;
  const std::vector<Seen>* before_ = nullptr;  // null: this is the first replay
  std::size_t next_ = 0;                       // of *before_
  Again again_;
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;  // guarded by mutex_; the first few, then only counted
  std::uint64_t message_count_ = 0;    // guarded by mutex_
};

// Writes texels of normalized and floating-point formats as PNG of 8 bits, without alpha; other formats are refused by
// name. Floating-point values are clamped to 0 to 1. An error of the file system says errno's text.
Result<void> write_png(const std::string& path, VkFormat format, VkExtent3D extent, std::span<const std::byte> texels);
// The picture that it writes.
Result<Picture> screenshot_of(VkFormat format, VkExtent3D extent, std::span<const std::byte> texels);

}  // namespace rondo::player
