// SPDX-License-Identifier: Apache-2.0
// Records random command buffers. A careful program puts a barrier between two commands that meet. These programs are
// careful, but they make mistakes, some of them more than others.
#include "tests/unit/sync_recordings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace rondo::test {
namespace {

using namespace sync;

VkPipelineStageFlags stages32(Stages mask) { return static_cast<VkPipelineStageFlags>(mask); }

bool is_transition(const SyncBarrier& one) { return one.old_layout != one.new_layout; }
// Two barriers of one command do not change the layout of the same mips.
void drop_double_transitions(std::vector<SyncBarrier>& all) {
  bool has_one = false;
  for (SyncBarrier& one : all) {
    if (!is_transition(one)) continue;
    if (has_one) one.old_layout = one.new_layout;
    has_one = true;
  }
}

bool conflict(const SyncTouch& a, const SyncTouch& b) { return (a.writes || b.writes) && a.place.meets(b.place); }
bool meets_itself(const std::vector<SyncTouch>& all) {
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (conflict(all[a], all[b])) return true;
  return false;
}

// The barrier orders these two accesses, too.
SyncBarrier joined(SyncBarrier one, const SyncTouch& before, const SyncTouch& after) {
  one.from |= before.stage;
  one.to |= after.stage;
  if (before.writes) {
    one.from_access |= kWrite;
    one.to_access |= after.writes ? kWrite : kRead;
  }
  return one;
}

}  // namespace

// The first form has no COPY and CLEAR, and a mask of it is not 0.
Stages first_form(Stages mask) {
  if ((mask & (kCopy | kClear)) != 0) mask = (mask & ~(kCopy | kClear)) | kTransfer;
  return mask != 0 ? mask : kTransfer;
}

std::vector<SyncRecordings::Commands> SyncRecordings::make() {
  make_objects();
  for (std::uint64_t i = 1 + below(4); i != 0; --i) record();
  return made_;
}

void SyncRecordings::make_objects() {
  for (std::uint64_t i = chance(40) ? 1 : 2 + below(2); i != 0; --i) p_.queue();
  queues_ = p_.queues();
  for (std::uint64_t i = chance(50) ? 1 : 2 + below(2); i != 0; --i) {
    const int memory = p_.memory(kMemory);
    for (std::uint64_t n = 1 + below(3), k = 0; k < n; ++k) {
      const std::uint64_t offset = chance(40) ? below(12) * 16 : k * kBuffer;
      buffers_.push_back({p_.buffer(memory, offset, kBuffer), kBuffer});
    }
  }
  for (std::uint64_t i = below(3); i != 0; --i) {
    const auto mips = static_cast<std::uint32_t>(1 + below(3));
    images_.push_back({p_.image(mips), mips});
  }
  for (std::uint64_t i = below(4); i != 0; --i) make_event();
}
void SyncRecordings::make_event() {
  const bool is_good = chance(80) && !errs();
  const auto form = chance(50) ? SyncForm::first : SyncForm::second;
  const int queue = static_cast<int>(below(static_cast<std::uint64_t>(queues_)));
  Event made{p_.event(), queue, form, VK_PIPELINE_STAGE_TRANSFER_BIT, {}, is_good};
  if (!is_good) made.from = stages32(first_form(random_stages() & ~kHost));
  do made.barriers.push_back(is_good ? wide() : random_barrier());
  while (!is_good && chance(40));
  for (SyncBarrier& one : made.barriers) one.from &= ~kHost, one.to &= ~kHost;
  drop_double_transitions(made.barriers);
  events_.push_back(made);
}

Stages SyncRecordings::random_stages() {
  constexpr std::array<Stages, 14> all = {kCopy, kClear,   kTransfer, kTransfer, kTransfer, kAll,  kAll,
                                          kTop,  kCompute, kBottom,   kFragment, kVertex,   kHost, kTransfer};
  Stages mask = dice_.pick(all);
  while (chance(30)) mask |= dice_.pick(all);
  return mask;
}
Accesses SyncRecordings::random_accesses() {
  constexpr std::array<Accesses, 10> all = {0,
                                            kRead,
                                            kWrite,
                                            kWrite,
                                            kRead | kWrite,
                                            kAnyRead,
                                            kAnyWrite,
                                            kAnyRead | kAnyWrite,
                                            VK_ACCESS_2_SHADER_WRITE_BIT,
                                            VK_ACCESS_2_SHADER_READ_BIT | kWrite};
  return dice_.pick(all);
}

// Orders everything.
SyncBarrier SyncRecordings::wide() {
  if (chance(30)) return {kAll, kAll, kAnyWrite, kAnyRead | kAnyWrite};
  return {kTransfer, kTransfer, kWrite, kRead | kWrite};
}
SyncBarrier SyncRecordings::random_barrier() {
  SyncBarrier made{random_stages(), random_stages(), random_accesses(), random_accesses()};
  if (chance(10)) made.from = 0;
  const auto kind = below(images_.empty() ? 2 : 3);
  if (kind == 1) {
    made.kind = SyncBarrier::buffer;
    made.object = dice_.pick(buffers_).index;
    made.begin = below(8) * 8;
    made.size = chance(40) ? VK_WHOLE_SIZE : 4 * (1 + below((kBuffer - made.begin) / 4));
  } else if (kind == 2) {
    aim(made, dice_.pick(images_));
    if (errs()) change_layout(made);
  }
  return made;
}
void SyncRecordings::aim(SyncBarrier& to, const Image& image) {
  to.kind = SyncBarrier::image;
  to.object = image.index;
  to.begin = below(image.mips);
  to.size = chance(40) ? VK_WHOLE_SIZE : 1 + below(image.mips - to.begin);
}
void SyncRecordings::change_layout(SyncBarrier& one) {
  one.old_layout = chance(50) ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  one.new_layout = VK_IMAGE_LAYOUT_GENERAL;
}
void SyncRecordings::write_barrier(std::vector<SyncBarrier> all) {
  if (all.empty()) return;
  drop_double_transitions(all);
  bool is_first_form = chance(50);
  for (const SyncBarrier& one : all)
    is_first_form = is_first_form && first_form(one.from) == one.from && first_form(one.to) == one.to &&
                    one.from == all[0].from && one.to == all[0].to;
  if (is_first_form)
    p_.barrier(open_.index, stages32(all[0].from), stages32(all[0].to), all);
  else
    p_.barrier2(open_.index, all);
}

void SyncRecordings::record() {
  open_ = {p_.commands()};
  if (!events_.empty() && chance(60)) open_.queue = dice_.pick(events_).queue;
  bool uses_events = false;
  touches_.clear();
  for (Event& one : events_) one.is_set = false;
  if (!errs()) write_barrier({wide()});
  for (std::uint64_t i = 1 + below(5); i != 0; --i) {
    if (chance(10)) write_noise();
    if (!images_.empty() && chance(15)) write_transition();
    if (chance(20) && write_event_pair()) uses_events = true;
    write_transfer();
  }
  if (!events_.empty() && chance(8)) {
    // An event that another command buffer waits for or sets.
    Event& event = dice_.pick(events_);
    if (open_.queue < 0 || open_.queue == event.queue) {
      open_.queue = event.queue;
      uses_events = true;
      if (chance(50))
        write_set(event);
      else
        write_wait(event);
    }
  }
  if (!uses_events) open_.queue = -1;
  p_.end(open_.index);
  made_.push_back(open_);
}
void SyncRecordings::write_noise() {
  std::vector<SyncBarrier> all;
  do all.push_back(random_barrier());
  while (chance(30));
  if (chance(40)) {
    const Stages from = first_form(all[0].from), to = first_form(all[0].to);
    for (SyncBarrier& one : all) one.from = from, one.to = to;
  }
  write_barrier(all);
}
void SyncRecordings::write_transition() {
  SyncBarrier one = wide();
  aim(one, dice_.pick(images_));
  if (errs()) {
    one.from = random_stages();
    one.to = random_stages();
    one.from_access = random_accesses();
  }
  change_layout(one);
  write_barrier({one});
}

SyncRecordings::Transfer SyncRecordings::random_transfer() {
  for (;;) {
    Transfer t;
    t.kind = below(images_.empty() ? 5 : 7);
    t.from = dice_.pick(buffers_).index;
    t.to = dice_.pick(buffers_).index;
    t.offset = below(12) * 4;
    t.size = 4 * (1 + below(4));
    if (chance(35)) t.offset = 0, t.size = kBuffer;
    if (t.kind <= 1) {
      t.touches = {{p_.place_of_buffer(t.to, t.offset, t.size), kClear, true}};
    } else if (t.kind <= 4) {
      for (std::uint64_t n = chance(20) ? 2 : 1; n != 0; --n) {
        const std::uint64_t size = 4 * (1 + below(12)), last = (kBuffer - size) / 4 + 1;
        const VkBufferCopy one{below(last) * 4, below(last) * 4, size};
        t.regions.push_back(one);
        t.touches.push_back({p_.place_of_buffer(t.from, one.srcOffset, size), kCopy, false});
        t.touches.push_back({p_.place_of_buffer(t.to, one.dstOffset, size), kCopy, true});
      }
    } else {
      const Image& image = dice_.pick(images_);
      t.from = image.index;
      t.mip = static_cast<std::uint32_t>(below(image.mips));
      t.mips = static_cast<std::uint32_t>(1 + below(image.mips - t.mip));
      if (t.kind == 5)
        t.touches = {{p_.place_of_image(t.from, t.mip, t.mips), kClear, true}};
      else
        t.touches = {{p_.place_of_image(t.from, t.mip, 1), kCopy, false},
                     {p_.place_of_buffer(t.to, t.offset, 4), kCopy, true}};
    }
    if (!meets_itself(t.touches)) return t;
  }
}
void SyncRecordings::write(const Transfer& t) {
  const int in = open_.index;
  if (t.kind == 0) p_.fill(in, t.to, t.offset, t.size);
  if (t.kind == 1) p_.update(in, t.to, t.offset, t.size);
  if (t.kind >= 2 && t.kind <= 4) p_.copy(in, t.from, t.to, t.regions);
  if (t.kind == 5) p_.clear(in, t.from, t.mip, t.mips);
  if (t.kind == 6) p_.read_image(in, t.from, t.mip, t.to, t.offset);
  touches_.insert(touches_.end(), t.touches.begin(), t.touches.end());
}
void SyncRecordings::write_transfer() {
  const Transfer t = random_transfer();
  Met met;
  for (const SyncTouch& before : touches_)
    for (const SyncTouch& after : t.touches)
      if (conflict(before, after)) met.emplace_back(before, after);
  if (!met.empty()) {
    if (!errs())
      order(met);
    else if (chance(50))
      write_noise();
  }
  write(t);
}

// What a careful program puts between commands.
void SyncRecordings::order(const Met& met) {
  const bool has_writes = std::any_of(met.begin(), met.end(), [](const auto& one) { return one.first.writes; });
  const auto way = below(8);
  if (way <= 2) {
    if (way == 2) {
      write_split();
    } else {
      std::vector<SyncBarrier> all = {wide()};
      if (chance(15)) all.push_back(random_barrier());
      write_barrier(all);
    }
    touches_.clear();
    ordered_ += 1;
  } else if (!has_writes && chance(40)) {
    if (chance(50))
      p_.barrier(open_.index, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, {});
    else
      p_.barrier2(open_.index, {{kAll, kAll, 0, 0}});
  } else if (way <= 5) {
    SyncBarrier exact;
    for (const auto& [before, after] : met) exact = joined(exact, before, after);
    write_barrier({exact});
  } else {
    // A barrier for each range.
    std::vector<SyncBarrier> all;
    const bool is_first_form = chance(50);
    for (const auto& [before, after] : met) {
      SyncBarrier one = joined({}, before, after);
      if (is_first_form) one.from = one.to = kTransfer;
      if (aim_at(one, before.place)) all.push_back(one);
    }
    write_barrier(all);
  }
}
// The barrier is for this place alone. False: there is no buffer or image that has all of it.
bool SyncRecordings::aim_at(SyncBarrier& one, const SyncPlace& place) const {
  one.size = place.end - place.begin;
  for (const Image& image : images_)
    if (p_.place_of_image(image.index, 0, image.mips).space == place.space) {
      one.kind = SyncBarrier::image;
      one.object = image.index;
      one.begin = place.begin;
      return true;
    }
  for (const Buffer& buffer : buffers_) {
    const SyncPlace all = p_.place_of_buffer(buffer.index, 0, buffer.size);
    if (all.space != place.space || place.begin < all.begin || place.end > all.end) continue;
    one.kind = SyncBarrier::buffer;
    one.object = buffer.index;
    one.begin = place.begin - all.begin;
    return true;
  }
  return false;
}
// Two barriers that order only together.
void SyncRecordings::write_split() {
  using Middle = std::pair<Stages, Stages>;  // last stages of the first barrier, first stages of the second
  constexpr std::array<Middle, 6> good = {{{kCompute, kCompute},
                                           {kVertex, kFragment},
                                           {kTop, kAll},
                                           {kAll, kBottom},
                                           {kCompute | kFragment, kCompute | kVertex},
                                           {kTop, kBottom}}};
  constexpr std::array<Middle, 4> bad = {
      {{kFragment, kVertex}, {kBottom, kBottom}, {kTop, kTop}, {kCompute, kFragment}}};
  const auto [to, from] = errs() ? dice_.pick(bad) : dice_.pick(good);
  write_barrier({{kTransfer, to, kWrite, chance(20) ? kRead : 0}});
  if (chance(20)) write_noise();
  write_barrier({{from, kTransfer, 0, kRead | kWrite}});
}

void SyncRecordings::write_set(Event& event) {
  if (event.form == SyncForm::first)
    p_.set_event(open_.index, event.index, event.from);
  else
    p_.set_event2(open_.index, event.index, event.barriers);
  event.is_set = true;
}
void SyncRecordings::write_wait(const Event& event) {
  if (event.form == SyncForm::second) {
    p_.wait_events2(open_.index, {event.index}, {event.barriers});
    return;
  }
  std::vector<SyncBarrier> all = {event.is_good ? wide() : random_barrier()};
  if (errs()) all.clear();
  const Stages to = event.is_good ? kTransfer : first_form(random_stages());
  p_.wait_events(open_.index, {event.index}, event.from, stages32(to), all);
}
// One wait for two events.
void SyncRecordings::write_waits(const Event& one, const Event& other) {
  if (one.form == SyncForm::second)
    p_.wait_events2(open_.index, {one.index, other.index}, {one.barriers, other.barriers});
  else
    p_.wait_events(open_.index, {one.index, other.index}, one.from, VK_PIPELINE_STAGE_TRANSFER_BIT, {wide()});
}
// Another event that the same command may wait for.
SyncRecordings::Event* SyncRecordings::partner_of(const Event& event) {
  Event& other = dice_.pick(events_);
  if (&other == &event || other.is_set || other.queue != event.queue || other.form != event.form) return nullptr;
  if (event.form == SyncForm::first) return other.from == event.from ? &other : nullptr;
  const bool has_transition = std::any_of(other.barriers.begin(), other.barriers.end(), is_transition);
  return has_transition ? nullptr : &other;
}
// Set, perhaps something in between, wait, perhaps reset. True: it wrote them.
bool SyncRecordings::write_event_pair() {
  if (events_.empty()) return false;
  Event& event = dice_.pick(events_);
  if (event.is_set || (open_.queue >= 0 && open_.queue != event.queue)) return false;
  open_.queue = event.queue;
  Event* const other = chance(60) ? partner_of(event) : nullptr;
  const std::size_t before = touches_.size(), ordered = ordered_;
  write_set(event);
  if (chance(60)) write_transfer();
  if (other != nullptr) {
    write_set(*other);
    write_waits(event, *other);
  } else {
    write_wait(event);
  }
  // What was before the set is ordered now. The accesses in between are not.
  if (event.is_good && ordered_ == ordered)
    touches_.erase(touches_.begin(), touches_.begin() + static_cast<std::ptrdiff_t>(before));
  for (Event* one : {&event, other})
    if (one != nullptr && chance(80)) {
      p_.reset_event(open_.index, one->index, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, one->form);
      one->is_set = false;
    }
  return true;
}

}  // namespace rondo::test
