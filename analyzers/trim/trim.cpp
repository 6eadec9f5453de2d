// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/trim.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "analyzers/trim/differences.h"
#include "analyzers/trim/prefix.h"
#include "analyzers/trim/put_back.h"
#include "analyzers/trim/source.h"
#include "format/hex.h"
#include "generated/args.h"
#include "player/console.h"
#include "player/devices/preflight.h"
#include "player/devices/targets.h"
#include "player/legal/shader_checks.h"
#include "player/plan/plan_builder.h"
#include "player/plan/plan_edit.h"
#include "player/run/blobs_ahead.h"
#include "player/run/sampled_contents.h"
#include "player/snapshot/snapshot_usage.h"

namespace rondo::trim {

namespace {

using player::kNone;
using player::Plan;

constexpr std::size_t kHostWrites = std::size_t{256} << 20;  // kept in the plan; the rest is read again

// Of a cut that begins before what is asked for: what is.
struct Asked {
  std::string span;
  RecordRange records;
};

// What putting back cannot give a cut.
struct Lacks {
  bool results = false;      // queries have no values
  bool portability = false;  // images and acceleration structures as one driver has them
  bool anything = false;     // it cannot be cut there, but for work that waits
};

class Trimmer {
 public:
  // `asked`: options.span begins before that, so that calls make what would have to be put back.
  // `keeps_forgotten`: texels that the part lets be forgotten are put back all the same.
  explicit Trimmer(const Options& options, std::optional<Asked> asked = {}, bool keeps_forgotten = false)
      : options_(options), asked_(std::move(asked)), keeps_forgotten_(keeps_forgotten) {}

  // The file is closed, and not where it belongs yet.
  Result<Outcome> run() {
    RONDO_TRY(plan());
    RONDO_TRY(look());
    choose();
    RONDO_TRY(play());
    const Result<void> written = write();
    const Result<void> ended = run_->finish();
    if (!written) return tl::unexpected<Error>(written.error());
    if (!ended) return tl::unexpected<Error>(ended.error());
    RONDO_TRY(player::check_validation(plan_->path, observer_.validation_messages()));
    const auto bytes = out_->close();
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    outcome_.bytes = *bytes;
    return outcome_;
  }
  std::unique_ptr<OfflineWriter> file() { return std::move(out_); }
  const Lacks& lacks() const { return lacks_; }
  // Also where run() failed: of the program's first submit, or 0.
  std::uint64_t first_of_program() const { return plan_ ? plan_->first_of_program : 0; }
  const Outcome& outcome() const { return outcome_; }

 private:
  void progress(const char* what, double done) const {
    if (options_.progress) options_.progress(what, done);
  }
  std::function<void(std::uint64_t)> progress_of(const char* what) const {
    const auto last = static_cast<double>(plan_->span_records.last);
    return [this, what, last](std::uint64_t record) { progress(what, static_cast<double>(record) / last); };
  }

  Result<void> plan() {
    progress("reading", 0);
    auto reader = open_reader(options_);
    if (!reader) return tl::unexpected<Error>(reader.error());
    plan_reader_ = std::move(*reader);
    player::PlanOptions plan_options;
    plan_options.verify = true;
    plan_options.span = options_.span;
    plan_options.memory_budget = options_.memory_budget;
    plan_options.host_writes = kHostWrites;
    plan_options.to_end_of_span = true;
    auto built = build_plan(*plan_reader_, plan_options);
    if (!built) return tl::unexpected<Error>(built.error());
    plan_ = std::move(*built);
    if (plan_->late_blobs.empty()) plan_reader_.reset();
    outcome_.span = options_.span.text();
    outcome_.records = plan_->span_records;
    outcome_.source_id = hex_text(std::as_bytes(std::span(plan_->header.capture_id)));
    for (std::uint32_t i = plan_->span.first; i < plan_->span.last; ++i)
      outcome_.compared +=
          counts(plan_->ops[i].sequence) && codec::info(plan_->ops[i].command).verb == codec::Verb::checks ? 1 : 0;
    return {};
  }

  // Of what is asked for.
  bool counts(std::uint64_t record) const { return !asked_ || record >= asked_->records.first; }

  // What the plan and the records say, without a device.
  Result<void> look() {
    std::uint32_t begin = plan_->span.first;
    while (begin < plan_->span.last && !counts(plan_->ops[begin].sequence)) ++begin;
    for (const player::Settle& settle : plan_->settles)
      if (settle.lost != kNone && settle.op < begin)
        return fail(Status::failed, plan_->path + ": it cannot be cut there: " +
                                        plan_->name(plan_->devices[settle.lost].id) + " was lost before");
    RONDO_TRY(check_nothing_waits(*plan_, begin));
    lacks_.anything = true;
    auto states = find_states(*plan_);
    if (!states) return tl::unexpected<Error>(states.error());
    lacks_.anything = false;
    states_ = std::move(*states);
    auto there = list_alive(*plan_, plan_->span.first);
    if (!there) return tl::unexpected<Error>(there.error());
    there_ = std::move(*there);
    auto source = open_reader(options_);
    if (!source) return tl::unexpected<Error>(source.error());
    source_ = std::move(*source);
    outcome_.bytes_before = source_->file_bytes();
    auto surveyed = survey(*source_, *plan_, states_, plan_->span_records, asked_ ? asked_->records.first : 0,
                           progress_of("following"));
    if (!surveyed) return tl::unexpected<Error>(surveyed.error());
    survey_ = std::move(*surveyed);
    outcome_.forgotten_images = survey_->needs.images_with_forgotten();
    if (keeps_forgotten_) survey_->needs.add_forgotten();
    outcome_.kept_images = keeps_forgotten_ ? outcome_.forgotten_images : 0;
    outcome_.frame = survey_->frames;
    outcome_.submit = survey_->submits;
    outcome_.commands = survey_->coverage.commands;
    outcome_.known = survey_->coverage.known;
    if (options_.origin) {
      outcome_.source_id = options_.origin->source_id;
      outcome_.span = options_.origin->span;
      outcome_.records = options_.origin->records;
      outcome_.submit = options_.origin->submit;
      outcome_.bytes_before = options_.origin->bytes;
    }
    return {};
  }

  // What is kept.
  void choose() {
    const auto& objects = plan_->objects.objects();
    const std::uint64_t begin = plan_->span_records.first;
    const auto alive = [&objects, begin](ObjectId id) {
      return objects[id].created < begin && (objects[id].destroyed == 0 || objects[id].destroyed >= begin);
    };
    const Survey& survey = *survey_;
    keep_ = std::make_unique<Keep>(
        *plan_, plan_->span.first, [this, &survey, &objects, alive](ObjectId id, const auto& need) {
          if (objects[id].type == HandleType::VkDescriptorSet)
            survey.sets.each_object(id, [&](ObjectId named) {
              if (alive(named)) need(named);
            });
#ifdef VK_EXT_device_generated_commands
          if (objects[id].type == HandleType::VkIndirectExecutionSetEXT)
            for (std::uint32_t i = 0; i < plan_->span.first; ++i)
              if (writes_execution_set(codec::info(plan_->ops[i].command).canonical) &&
                  named(*plan_, plan_->ops[i], HandleType::VkIndirectExecutionSetEXT) == id)
                for (std::uint32_t p = 0; p < plan_->ops[i].patches; ++p)
                  need(plan_->patches[plan_->ops[i].first_patch + p].id);
#endif
          if (const auto pages = states_.sparse.find(id); pages != states_.sparse.end())
            for (const std::uint32_t memory : pages->second)
              if (alive(plan_->memories[memory].id)) need(plan_->memories[memory].id);
          if (objects[id].type == HandleType::VkEvent)
            if (const auto state = states_.events.find(id);
                state != states_.events.end() && state->second.setter != kNone)
              for (const player::Op& op = plan_->ops[state->second.setter];
                   const player::Patch& patch : std::span(plan_->patches).subspan(op.first_patch, op.patches))
                if (objects[patch.id].type != HandleType::VkCommandBuffer) need(patch.id);
        });
    for (const ObjectId id : survey.used)
      if (objects[id].created < begin) keep_->add(id);
    for (const std::uint32_t op : states_.recorded) keep_->add_named_by(op);
    for (const ObjectId id : survey.needs.reached()) keep_->add(id);
    if (!survey.needs.reached().empty())
      for (const ObjectId id : survey.described)
        if (alive(id)) keep_->add(id);
    for (const auto& [image, record] : survey.acquired)
      if (keep_->has(image.first))
        for (std::uint32_t i = 0; i < plan_->span.first; ++i)
          if (plan_->ops[i].sequence == record) keep_->add_named_by(i);
    keep_shader_groups();
    keep_queues();
    for (const ObjectId id : all_ids(objects.size())) outcome_.objects_before += objects[id].created < begin ? 1 : 0;
  }

  // Drivers count the shader groups of pipelines as they are made: what the program stored of their handles leads where
  // it did only where all of them are made.
  void keep_shader_groups() {
    const auto canonical = [&](std::uint32_t op) { return codec::info(plan_->ops[op].command).canonical; };
    bool asked = false;
    for (std::uint32_t i = 0; i < plan_->span.last && !asked; ++i)
      if (canonical(i) == CommandId::vkGetRayTracingShaderGroupHandlesKHR)
        asked = i >= plan_->span.first || keep_->has(named(*plan_, plan_->ops[i], HandleType::VkPipeline));
    for (std::uint32_t i = 0; i < plan_->span.first && asked; ++i)
      if (canonical(i) == CommandId::vkCreateRayTracingPipelinesKHR)
        for (std::uint32_t c = 0; c < plan_->ops[i].created; ++c)
          keep_->add(plan_->created[plan_->ops[i].first_created + c].id);
  }

  // Contents, layouts and signals are put back on queues: one of each family that something kept belongs to.
  void keep_queues() {
    const auto& objects = plan_->objects.objects();
    const auto need = [&](std::uint32_t device, std::uint32_t family, VkQueueFlags can) {
      const QueueOf* first = nullptr;
      for (const QueueOf& queue : states_.queues) {
        if (queue.device != device || (family != VK_QUEUE_FAMILY_IGNORED && queue.family != family) ||
            (queue.can & can) == 0)
          continue;
        if (keep_->has(queue.id)) return;
        if (first == nullptr) first = &queue;
      }
      if (first != nullptr) keep_->add(first->id);
    };
    constexpr VkQueueFlags any = ~VkQueueFlags{0};
    for (const player::SnapshotImage& image : there_.images) {
      if (!keep_->has(image.id)) continue;
      const player::ImageLayouts& layouts = states_.layouts.images.at(image.id);
      const bool depth = image.format != VK_FORMAT_UNDEFINED && !image.parts.empty() &&
                         (image.parts[0].aspect & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) != 0;
      for (std::size_t i = 0; i < (layouts.parts.empty() ? 1 : layouts.part_count()); ++i)
        if (layouts.at(i).layout != VK_IMAGE_LAYOUT_UNDEFINED)
          need(image.device, image.families.empty() ? layouts.at(i).family : VK_QUEUE_FAMILY_IGNORED,
               depth || image.samples != VK_SAMPLE_COUNT_1_BIT ? VkQueueFlags{VK_QUEUE_GRAPHICS_BIT} : any);
    }
    for (const player::Transfer& transfer : states_.layouts.transfers)
      if (keep_->has(transfer.resource)) need(plan_->place_of(objects[transfer.resource].device), transfer.source, any);
    for (const auto& [resource, memories] : states_.sparse)
      if (keep_->has(resource))
        need(plan_->place_of(objects[resource].device), VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_SPARSE_BINDING_BIT);
    for (const ObjectId id : all_ids(objects.size())) {
      const HandleType type = objects[id].type;
      if (!keep_->has(id) || (type != HandleType::VkFence && type != HandleType::VkSemaphore &&
                              type != HandleType::VkEvent && type != HandleType::VkQueryPool))
        continue;
      need(plan_->place_of(objects[id].device), VK_QUEUE_FAMILY_IGNORED,
           type == HandleType::VkEvent || type == HandleType::VkQueryPool
               ? VkQueueFlags{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT}
               : any);
    }
  }

  Result<void> play() {
    const auto shaders = player::prepare_shaders(*plan_, {options_.trust, options_.clamp_shaders, 0, {}});
    if (!shaders) return tl::unexpected<Error>(shaders.error());
    outcome_.shader_notes = shaders->lines();
    outcome_.clamped_shaders = shaders->clamped ? shaders->clamped->clamped : 0;
    auto loader = player::Loader::open();
    if (!loader) return tl::unexpected<Error>(loader.error());
    loader_ = std::move(*loader);
    if (options_.validate) RONDO_TRY(loader_->check_validation_layer());
    auto live = player::LiveDevices::open(*loader_);
    if (!live) return tl::unexpected<Error>(live.error());
    live_ = std::move(*live);
    std::vector<player::ChosenDevice> chosen;
    auto targets = choose_targets(options_.devices, *plan_, *live_, chosen);
    if (!targets) return tl::unexpected<Error>(targets.error());
    targets_ = std::move(*targets);
    for (const player::ChosenDevice& one : chosen) {
      outcome_.devices.push_back(one.name);
      outcome_.device_reasons.push_back(one.reason);
    }
    raw_ = make_readable(*plan_, plan_->span.first, *live_, targets_);
    sampled_ = make_samples_readable(*plan_, plan_->span.first, *live_, targets_, [this](ObjectId id) {
      return keep_->has(id) && survey_->needs.images().count(id) != 0;
    });
    RONDO_TRY(preflight(*plan_, *loader_, *live_, targets_, options_.trust));
    RONDO_TRY(check_workgroups(*plan_, *shaders, options_.trust, targets_));
    deadline_.emplace(0, plan_->path);
    const std::size_t budget = options_.memory_budget != 0 ? options_.memory_budget : machine_memory() / 2;
    if (!plan_->late_blobs.empty()) blobs_.emplace(*plan_, *plan_reader_, std::min(budget / 8, kHostWrites));
    player::RunOptions run_options;
    run_options.validate = options_.validate;
    run_options.jobs = std::max(std::thread::hardware_concurrency(), 1u);
    run_options.blobs = blobs_ ? &*blobs_ : nullptr;
    run_.emplace(*plan_, *loader_, targets_, run_options, *deadline_, observer_, placements_);
    RONDO_TRY(play_to(plan_->span.first));
    return run_->idle();
  }

  Result<void> play_to(std::uint32_t last) {
    constexpr std::uint32_t step = 4096;
    for (std::uint32_t at = at_; at < last; at = at_) {
      at_ = std::min(last, at + step);
      RONDO_TRY(run_->play_to(at_));
      progress("playing", static_cast<double>(at_) / static_cast<double>(plan_->span.last));
    }
    return {};
  }

  Result<void> write() {
    auto out = OfflineWriter::create(options_.output, options_.file, options_.codec, source_->dictionary());
    if (!out) return tl::unexpected<Error>(out.error());
    out_ = std::move(*out);
    RONDO_TRY(source_->rewind());
    RecordEncoder encoder(*out_, 0);
    CutRecords records(*source_, *out_, encoder, *plan_, *keep_, states_, *survey_, options_.leave_out);
    RONDO_TRY(records.write_prefix());
    RONDO_TRY(put_back(encoder));
    RONDO_TRY(records.write_numbers());
    if (asked_) {
      RONDO_TRY(encoder.write(CommandId::rondoPrelude, args_rondoPrelude{outcome_.records.first}));
      for (std::uint32_t i = plan_->span.first; i < plan_->span.last && !counts(plan_->ops[i].sequence); ++i)
        outcome_.submits_again += player::is_submit(codec::info(plan_->ops[i].command).canonical) ? 1 : 0;
      outcome_.span = asked_->span;
      outcome_.records = asked_->records;
    }
    const args_rondoCut cut{outcome_.records.first, outcome_.frame, outcome_.submit};
    if (!asked_) RONDO_TRY(encoder.write(CommandId::rondoCut, cut));
    auto recomputed = play_span();
    if (!recomputed) return tl::unexpected<Error>(recomputed.error());
    RONDO_TRY(records.write_span(*recomputed, asked_ ? &cut : nullptr, progress_of("writing")));
    outcome_.objects = records.objects();
    lacks_.results = states_.copies_results;
    lacks_.portability = outcome_.raw_images != 0 || keeps_structures();
    for (const std::string& session :
         options_.sessions ? options_.sessions(outcome_, source_->sessions()) : source_->sessions())
      RONDO_TRY(out_->add_session(session));
    return {};
  }

  // What it has of the devices ends with it: the span may destroy them.
  Result<void> put_back(RecordEncoder& encoder) {
    PutBack put_back(*run_, encoder, *keep_, states_, *survey_, there_, raw_, sampled_, options_.leave_out);
    const Result<void> put = put_back.write();
    lacks_.anything = put_back.refused();
    outcome_.contents_bytes = put_back.bytes();
    outcome_.raw_images = put_back.raw_images();
    return put;
  }

  bool keeps_structures() const {
    const auto& objects = plan_->objects.objects();
    for (const ObjectId id : all_ids(objects.size())) {
      if (objects[id].created >= plan_->span_records.first) break;
      if (objects[id].type == HandleType::VkAccelerationStructureKHR && keep_->has(id)) return true;
    }
    return false;
  }

  // What its checkpoints are here.
  Result<RecomputedCheckpoints> play_span() {
    RecomputedCheckpoints recomputed;
    if (outcome_.compared == 0) return recomputed;
    Result<void> kept;
    observer_.differs = [&](std::uint64_t record, const Digest& captured, const Digest& replayed,
                            std::span<const std::byte> bytes) {
      if (!counts(record)) return;
      recomputed[record].push_back({captured, replayed});
      ++outcome_.recomputed;
      // A step has no digests yet. The contents are what other drivers are compared with.
      if (kept && (options_.origin || source_->blob(captured)) && !out_->has_blob(replayed))
        kept = out_->add_blob(replayed, bytes);
    };
    run_->look(true, false);
    RONDO_TRY(play_to(plan_->span.last));
    run_->skip_image_checks();
    observer_.differs = nullptr;
    if (!kept) return tl::unexpected<Error>(kept.error());
    return recomputed;
  }

  // In this order: what stands below uses what stands above.
  const Options& options_;
  const std::optional<Asked> asked_;
  const bool keeps_forgotten_;
  Lacks lacks_;
  Outcome outcome_;
  std::unique_ptr<Reader> plan_reader_, source_;
  std::unique_ptr<Plan> plan_;
  States states_;
  player::SnapshotList there_;
  std::unique_ptr<Survey> survey_;
  std::unique_ptr<Keep> keep_;
  std::optional<player::Loader> loader_;
  std::unique_ptr<player::LiveDevices> live_;
  player::Targets targets_;
  player::Unreadable raw_;
  std::set<ObjectId> sampled_;
  std::optional<player::Deadline> deadline_;
  player::Observer observer_;
  player::PlacementCache placements_;
  std::optional<player::BlobsAhead> blobs_;
  std::unique_ptr<OfflineWriter> out_;
  std::optional<player::Run> run_;
  std::uint32_t at_ = 0;
};

constexpr std::uint64_t kWorthAnother = std::uint64_t{64} << 10;  // bytes of a file

// The most bytes that a cut may have whose calls make, from the program's first submit on, what this one puts back;
// 0: it need not be tried.
std::uint64_t most_bytes_of_another(const Options& options, const Trimmer& trimmer, bool done) {
  const Outcome& outcome = trimmer.outcome();
  const std::uint64_t first = trimmer.first_of_program();
  if (options.origin || !options.leave_out.empty() || first == 0 || first >= outcome.records.first) return 0;
  if (trimmer.lacks().anything || trimmer.lacks().results) return UINT64_MAX;
  if (!done) return 0;
  std::uint64_t most = 0;
  if (trimmer.lacks().portability) most = 2 * std::max(outcome.bytes, kWorthAnother);
  // What the device made of little may be much.
  if (outcome.bytes >= std::max(outcome.bytes_before, kWorthAnother)) most = std::max(most, outcome.bytes - 1);
  return bytes_of_records(options, first, outcome.records.first) <= most ? most : 0;
}

// A transition from UNDEFINED may leave texels as they were, and programs use them on. Where a cut without
// them differs from the capture, and is nearer to it with them, they are put back.
void keep_forgotten(const Options& options, const std::optional<Asked>& asked, Outcome& done,
                    std::unique_ptr<OfflineWriter>& file) {
  if (done.forgotten_images == 0 || done.compared == 0 || options.leave_out == "forgotten") return;
  const auto differ = count_differences(file->path(), options);
  if (!differ || *differ == 0) return;
  Trimmer trimmer(options, asked, true);
  Result<Outcome> other = trimmer.run();
  if (!other) return;
  std::unique_ptr<OfflineWriter> other_file = trimmer.file();
  const auto still_differ = count_differences(other_file->path(), options);
  if (!still_differ || *still_differ >= *differ) return;
  done = std::move(*other);
  file = std::move(other_file);
}

}  // namespace

Result<Outcome> trim(const Options& options) {
  RONDO_TRY(check_output(options));
  std::unique_ptr<OfflineWriter> file;
  Result<Outcome> done = fail(Status::failed, "");
  std::uint64_t most = 0;
  bool results = false, portability = false, is_longer = false;
  Options longer = options;
  Asked asked;
  {
    Trimmer trimmer(options);
    done = trimmer.run();
    most = most_bytes_of_another(options, trimmer, done.has_value());
    longer.span = {SpanRequest::Kind::records, trimmer.first_of_program(), trimmer.outcome().records.last, {}, {}};
    asked = {trimmer.outcome().span, trimmer.outcome().records};
    file = trimmer.file();
    results = trimmer.lacks().results && options.leave_out.empty();
    portability = trimmer.lacks().portability;
  }
  if (most != 0) {
    Trimmer trimmer(longer, asked);
    Result<Outcome> other = trimmer.run();
    const bool no_better =
        portability && !results && other && done->raw_images != 0 && other->raw_images >= done->raw_images;
    if (other && other->bytes <= most && !no_better) {
      done = std::move(other);
      file = trimmer.file();
      is_longer = true;
    } else if (!other && results) {  // what it copies means nothing in the first one
      done = std::move(other);
    }
  } else if (done && results) {
    done =
        fail(Status::failed,
             options.file + ": it cannot be cut there: it copies results of queries from before: begin before those");
  }
  if (!done) return done;
  keep_forgotten(is_longer ? longer : options, is_longer ? std::optional(asked) : std::nullopt, *done, file);
  RONDO_TRY(file->keep());
  return done;
}

}  // namespace rondo::trim
