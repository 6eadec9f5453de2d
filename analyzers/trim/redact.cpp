// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/redact.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzers/trim/encoder.h"
#include "format/closing_advice.h"
#include "format/codec/texts.h"
#include "format/leaves.h"
#include "format/native_view.h"
#include "format/needed_files.h"
#include "generated/args.h"
#include "model/shaders/texts.h"

namespace rondo::trim {

namespace {

constexpr std::string_view kPseudonyms[] = {"label ", "scope ", "message "};

class Redactor {
 public:
  Redactor(Reader& source, OfflineWriter& out, const RedactOptions& options, Redacted& done)
      : source_(source),
        out_(out),
        options_(options),
        done_(done),
        ids_(codec::IdMap::match(source.dictionary())),
        encoder_(out, 0) {}

  Result<void> run() {
    for (;;) {
      auto record = source_.next();
      if (!record) return tl::unexpected<Error>(record.error());
      if (!record->has_value()) break;
      RONDO_TRY(take(**record));
    }
    return copy_blobs();
  }

  // For LeafWalk: finds what is to change.
  bool enters(const codec::StructInfo&) const { return true; }
  void text(const codec::StructInfo& owner, const codec::Field& field, std::size_t at) {
    const std::string old(
        reinterpret_cast<const char*>(&lowered_.bytes[codec::load<std::uint64_t>(&lowered_.bytes[at])]));
    std::optional<std::string> fresh = old;
    switch (codec::text_kind(owner, field)) {
      case codec::TextKind::fixed:
        return;
      case codec::TextKind::application:
        if (!options_.keeps_application) fresh = "";
        break;
      case codec::TextKind::object_name:
        if (!options_.keeps_names) fresh = "";
        break;
      case codec::TextKind::label:
        fresh = pseudonym(0, old);
        break;
      case codec::TextKind::scope:
        fresh = pseudonym(1, old);
        break;
      case codec::TextKind::message:
        fresh = pseudonym(2, old);
        break;
      case codec::TextKind::path:
        fresh.reset();
        break;
      case codec::TextKind::note:
        fresh = without_paths(old);
        break;
      case codec::TextKind::unknown:
        fresh = "";
        break;
    }
    if (fresh == old) return;
    const char* pointer = nullptr;
    if (fresh) pointer = texts_.emplace_back(std::move(*fresh)).c_str();
    changes_.push_back({static_cast<std::uint32_t>(at), reinterpret_cast<const std::byte*>(pointer)});
    ++done_.texts;
  }
  void leaf(const Leaf& leaf) {
    const std::string_view field = leaf.field->name;
    const bool code = field == "pCode", tag = field == "pTag";
    if ((!code || options_.keeps_shaders) && (!tag || options_.keeps_names)) return;
    std::span<const std::byte> old(&lowered_.bytes[leaf.blob ? 0 : leaf.offset],
                                   leaf.blob ? 0 : leaf.count * leaf.field->size);
    Reader::Bytes blob;
    if (leaf.blob) {
      auto bytes =
          source_.blob(std::find_if(lowered_.blobs.begin(), lowered_.blobs.end(), [&](const codec::BlobRef& one) {
                         return one.offset == leaf.offset;
                       })->digest);
      if (!bytes) {
        if (failed_) failed_ = tl::unexpected<Error>(bytes.error());
        return;
      }
      blob = std::move(*bytes);
      old = *blob;
    }
    std::vector<std::byte> fresh(old.begin(), old.end());
    if (tag) {
      std::fill(fresh.begin(), fresh.end(), std::byte{});
      if (std::equal(fresh.begin(), fresh.end(), old.begin())) return;
      ++done_.tags;
    } else {
      if (shaders::blank_texts(fresh) == 0) return;
      ++done_.shaders;
    }
    if (!leaf.blob) {
      const auto at = static_cast<std::uint32_t>(leaf.offset);
      inline_changes_.push_back({at, bytes_.emplace_back(std::move(fresh))});
      return;
    }
    changes_.push_back({static_cast<std::uint32_t>(leaf.offset), bytes_.emplace_back(std::move(fresh)).data()});
    replaced_.insert(static_cast<std::uint32_t>(leaf.offset));
  }

 private:
  struct Change {
    std::uint32_t at;  // of the pointer, in the view
    const std::byte* target;
  };
  struct InlineChange {
    std::uint32_t at;  // of the bytes
    std::span<const std::byte> bytes;
  };

  std::string pseudonym(std::size_t kind, const std::string& old) {
    if (options_.keeps_labels || is_redacted(old)) return old;
    auto& known = pseudonyms_[kind];
    const auto [found, fresh] = known.try_emplace(old, std::string());
    if (fresh) found->second = std::string(kPseudonyms[kind]) + std::to_string(known.size());
    return found->second;
  }

  Result<void> take(const Record& record) {
    const CommandId id = ids_.command(record.command);
    if (id == CommandId::none)
      return fail(Status::unreadable, source_.path() + ": record " + std::to_string(record.sequence) + ": " +
                                          ids_.name(record.command) +
                                          " is unknown to this build, which cannot tell what it says");
    lowered_.clear();
    if (auto decoded = codec::decode(lowered_, ids_, id, record.payload); !decoded)
      return fail(decoded.error().status,
                  source_.path() + ": record " + std::to_string(record.sequence) + ": " + decoded.error().message);
    texts_.clear();
    bytes_.clear();
    changes_.clear();
    inline_changes_.clear();
    replaced_.clear();
    LeafWalk walk(lowered_, *this);
    walk.run(codec::info(id));
    RONDO_TRY(failed_);
    for (const codec::BlobRef& blob : lowered_.blobs)
      (replaced_.count(blob.offset) == 0 ? needed_ : changed_blobs_).insert(blob.digest);
    const bool is_module = id == CommandId::rondoModule;
    if (changes_.empty() && inline_changes_.empty() && !is_module) return out_.add(record);
    RONDO_TRY(load_view());
    if (is_module) {  // a build-id tells which program it is
      auto& module = const_cast<args_rondoModule&>(view_.as<args_rondoModule>());
      module.buildIdSize = 0;
      module.pBuildId = nullptr;
    }
    for (const InlineChange& change : inline_changes_)
      view_.write(change.at, change.bytes.data(), static_cast<std::uint32_t>(change.bytes.size()));
    for (const Change& change : changes_) view_.write(change.at, &change.target, sizeof change.target);
    return encoder_.rewrite(record, id, &view_.as<std::byte>());
  }

  Result<void> load_view() {
    pointers_.assign(lowered_.blobs.size(), nullptr);
    blobs_.clear();
    ids_of_handles_.assign(lowered_.handles.size(), ObjectId::null);
    for (std::size_t i = 0; i < lowered_.blobs.size(); ++i) {
      auto bytes = source_.blob(lowered_.blobs[i].digest);
      if (!bytes) return tl::unexpected<Error>(std::move(bytes).error());
      pointers_[i] = (*bytes)->data();
      blobs_.push_back(std::move(*bytes));
    }
    view_.load(lowered_, ids_of_handles_, pointers_);
    return {};
  }

  // Those of an unchanged record and those that checkpoints only name by their digests. A shader whose texts were
  // blanked is not copied, unless something else uses the same bytes.
  Result<void> copy_blobs() {
    for (const BlobInfo& blob : source_.blobs()) {
      if (changed_blobs_.count(blob.digest) != 0 && needed_.count(blob.digest) == 0) continue;
      if (out_.has_blob(blob.digest)) continue;
      auto bytes = source_.blob(blob.digest);
      if (!bytes) return tl::unexpected<Error>(std::move(bytes).error());
      RONDO_TRY(out_.add_blob(blob.digest, **bytes));
    }
    return {};
  }

  Reader& source_;
  OfflineWriter& out_;
  const RedactOptions& options_;
  Redacted& done_;
  const codec::IdMap ids_;
  RecordEncoder encoder_;
  codec::Lowered lowered_;
  NativeView view_;
  std::vector<ObjectId> ids_of_handles_;
  std::vector<const std::byte*> pointers_;
  std::vector<Reader::Bytes> blobs_;
  // Of one record.
  std::deque<std::string> texts_;
  std::deque<std::vector<std::byte>> bytes_;
  std::vector<Change> changes_;
  std::vector<InlineChange> inline_changes_;
  std::unordered_set<std::uint32_t> replaced_;  // blobs, by the offset of their pointer
  Result<void> failed_;
  // Of the capture.
  std::map<std::string, std::string> pseudonyms_[std::size(kPseudonyms)];
  std::unordered_set<Digest> needed_, changed_blobs_;
};

}  // namespace

std::string without_paths(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    out += word.substr(0, 2).find('/') == std::string::npos ? word : "(path)";
    if (end < text.size()) out += ' ';
    at = end + 1;
  }
  return out;
}

bool is_redacted(const std::string& text) {
  if (text.empty()) return true;
  for (const std::string_view pseudonym : kPseudonyms)
    if (text.starts_with(pseudonym) && text.size() > pseudonym.size() &&
        text.find_first_not_of("0123456789", pseudonym.size()) == std::string::npos)
      return true;
  return false;
}

Result<Redacted> redact(const RedactOptions& options) {
  auto source = Reader::open(options.file);
  if (!source) return tl::unexpected<Error>(source.error());
  if (!(*source)->complete())
    return fail(Status::unreadable,
                options.file + ": is not complete (" + (*source)->cut_reason() + ")" + closing_advice(**source));
  for (const ExternalFile& file : (*source)->files())
    if (file.blobs != 0 && !file.embedded())
      return fail(
          Status::usage,
          options.file +
              ": needs files, whose paths it names: `rondo pack` makes a capture that needs none; redact that one");
  const NamedOutput output{NamedOutput::Kind::file, options.output, options.file};
  RONDO_TRY(spare_needed_files(**source, std::span(&output, 1)));
  auto out = OfflineWriter::create(options.output, options.file, Compression::zstd, (*source)->dictionary());
  if (!out) return tl::unexpected<Error>(out.error());
  Redacted done;
  Redactor redactor(**source, **out, options, done);
  RONDO_TRY(redactor.run());
  for (const std::string& session : (*source)->sessions())
    RONDO_TRY((*out)->add_session(options.session ? options.session(session) : session));
  const Footer footer = (*source)->footer().value_or(Footer{});
  done.missing = footer.gaps;
  const auto bytes = (*out)->close(static_cast<Ending>(footer.ending), footer.exit_signal);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  RONDO_TRY((*out)->keep());
  done.before = (*source)->file_bytes();
  done.after = *bytes;
  return done;
}

}  // namespace rondo::trim
