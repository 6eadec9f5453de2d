// SPDX-License-Identifier: Apache-2.0
// Why a checkpoint is not compared: one table for the layer, which records these texts, and the player, which
// prints them and says what would help.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace rondo {

enum class Unverified : std::uint8_t {
  // --- Work and the host.
  work_pending,
  work_may_wait,
  others_submit,
  written_while_read,
  one_page,
  not_found,
  own_pages,
  pages_unreadable,
  drivers_memory,
  no_means,
  not_coherent,
  // --- Presented images.
  queue_cannot_copy,
  swapchain_unknown,
  swapchain_protected,
  swapchain_layers,
  swapchain_format,
  swapchain_usage,
  // --- Buffers and images.
  no_family_copies,
  no_family_computes,
  sparse,
  samples_aspects,
  disjoint,
  format,
  stencil_usage,
  transient,
  usage,
  between_families,
  layout,
  not_kept,
  drivers_own,
  image_shared,
  buffer_shared,
  // --- Found by the player.
  lost,
  smaller,
  samples_here,
  waits_for_later,
  event_set_later,
  not_presented,
};

struct UnverifiedRow {
  Unverified reason;
  const char* text;
  // A capture with RONDO_CHECKPOINTS=submit compares what another one left out for this reason: it reads
  // everything as soon as a submit returns, when its work is finished and the host has written nothing since.
  bool submit_compares = false;
};

inline constexpr std::array kUnverified{
    UnverifiedRow{Unverified::work_pending, "work was still pending when the layer stopped waiting for it", true},
    UnverifiedRow{Unverified::work_may_wait, "work was still pending, which may wait for what the program does next"},
    UnverifiedRow{Unverified::others_submit, "other threads kept submitting"},
    UnverifiedRow{Unverified::written_while_read, "the host wrote to it while it was read"},
    UnverifiedRow{Unverified::one_page, "host and device wrote the same page: nothing tells their bytes apart", true},
    UnverifiedRow{Unverified::not_found, "nothing finds the host's writes to it"},
    UnverifiedRow{Unverified::own_pages,
                  "it is imported from the program's own pages, and its work went on after the submit: nothing tells "
                  "what the host has written since"},
    UnverifiedRow{Unverified::pages_unreadable, "the pages that the program imported cannot be read"},
    UnverifiedRow{Unverified::drivers_memory,
                  "host and device write the driver's own memory at one place, where nothing tells their bytes "
                  "apart"},
    UnverifiedRow{Unverified::no_means,
                  "neither this kernel nor this process can tell the host's writes from the device's (rondo doctor "
                  "says why)"},
    UnverifiedRow{Unverified::not_coherent,
                  "what the host writes to non-coherent memory may show before it is recorded"},
    UnverifiedRow{Unverified::queue_cannot_copy, "the presenting queue cannot copy images"},
    UnverifiedRow{Unverified::swapchain_unknown, "the swapchain is not known"},
    UnverifiedRow{Unverified::swapchain_protected, "the swapchain is protected"},
    UnverifiedRow{Unverified::swapchain_layers, "the swapchain's images have several layers"},
    UnverifiedRow{Unverified::swapchain_format, "the swapchain's format cannot be read back"},
    UnverifiedRow{Unverified::swapchain_usage, "the surface's images cannot be a transfer source"},
    UnverifiedRow{Unverified::no_family_copies, "no queue of its family can copy"},
    UnverifiedRow{Unverified::no_family_computes,
                  "it has several samples a texel, and no queue of its family can run the shader that reads them"},
    UnverifiedRow{Unverified::sparse, "its pages are bound sparsely"},
    UnverifiedRow{Unverified::samples_aspects,
                  "it has several samples a texel, and its depth and stencil are in layouts of their own"},
    UnverifiedRow{Unverified::disjoint, "its planes are bound one by one"},
    UnverifiedRow{Unverified::format, "its format cannot be read back"},
    UnverifiedRow{Unverified::stencil_usage, "its stencil aspect is no transfer source"},
    UnverifiedRow{Unverified::transient, "it is transient"},
    UnverifiedRow{Unverified::usage, "as a transfer source it would not be what the program asked for"},
    UnverifiedRow{Unverified::between_families, "it is between two queue families"},
    UnverifiedRow{Unverified::layout,
                  "its layout is not known: submits that waited for the program ran in another order"},
    UnverifiedRow{Unverified::not_kept, "a pass did not keep it, and shaders may have written it since"},
    UnverifiedRow{Unverified::drivers_own, "what is the driver's own shares its memory"},
    UnverifiedRow{Unverified::image_shared,
                  "an image shares its memory, and no call says whether shaders have written to it since"},
    UnverifiedRow{Unverified::buffer_shared,
                  "a buffer that shaders may write shares its memory: reading the image could change what is there"},
    UnverifiedRow{Unverified::lost, "its device was lost before"},
    UnverifiedRow{Unverified::smaller, "the memory is smaller here"},
    UnverifiedRow{Unverified::samples_here,
                  "it has several samples a texel, which this device cannot read of an image as the program made it"},
    UnverifiedRow{Unverified::waits_for_later, "a queue waits for a signal that comes later"},
    UnverifiedRow{Unverified::event_set_later, "a queue does not end, and may wait for an event set later"},
    UnverifiedRow{Unverified::not_presented, "its present is not played"},
};

constexpr bool has_a_row_each() {
  for (std::size_t i = 0; i < kUnverified.size(); ++i)
    if (kUnverified[i].reason != static_cast<Unverified>(i)) return false;
  return kUnverified.size() == static_cast<std::size_t>(Unverified::not_presented) + 1;
}
static_assert(has_a_row_each());

constexpr const char* text_of(Unverified reason) { return kUnverified[static_cast<std::size_t>(reason)].text; }

// A text that is in no row, of an older layer or a driver's result, has no remedy.
constexpr bool submit_compares(std::string_view text) {
  return std::any_of(kUnverified.begin(), kUnverified.end(),
                     [&](const UnverifiedRow& row) { return row.submit_compares && text == row.text; });
}

}  // namespace rondo
