// SPDX-License-Identifier: Apache-2.0
#include "analyzers/commands/extract_contents.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "analyzers/commands/extract_place.h"
#include "analyzers/text/contact_sheet.h"
#include "analyzers/text/json.h"
#include "analyzers/text/ktx2.h"
#include "analyzers/text/names.h"
#include "analyzers/text/object_names.h"
#include "analyzers/text/output.h"
#include "analyzers/text/output_directory.h"
#include "analyzers/text/part_pictures.h"
#include "analyzers/text/text.h"
#include "analyzers/trim/draws.h"
#include "format/codec/schema.h"
#include "format/digest.h"
#include "model/gpu/texels.h"
#include "player/plan/places.h"
#include "player/snapshot/part_names.h"
#include "player/snapshot/snapshot.h"
#include "player/verify/encode_png.h"

namespace rondo::analyzers {

namespace {

using player::Snapshot;
using player::SnapshotBuffer;
using player::SnapshotImage;
using player::SnapshotPart;

std::string extent_text(const VkExtent3D& extent) {
  std::string out = text("{} x {}", extent.width, extent.height);
  if (extent.depth != 1) append(out, " x {}", extent.depth);
  return out;
}

void names(JsonWriter& json, const char* key, EnumId bits, std::uint64_t value) {
  json.key(key);
  json.begin_array();
  const FlagNames flags = flag_names(bits, value);
  for (const std::string_view name : flags.names) json.string(name);
  if (flags.unknown != 0) json.string(text("0x{:x}", flags.unknown));
  json.end_array();
}

// Of one request: the lines, the files, and the rows of the index as they come.
class Extractor {
 public:
  Extractor(Snapshot& snapshot, const OutputDirectory& directory, const ContentsRequest& request,
            const ExtractPlace& place, const PlayedFile& played, Output& out)
      : snapshot_(snapshot), directory_(directory), request_(request), place_(place), played_(played), out_(out) {}

  Result<void> images(const std::vector<ObjectId>& ids);
  Result<void> buffers(const std::vector<ObjectId>& ids);

 private:
  void begin(JsonWriter& json) const;
  void name(JsonWriter& json, ObjectId id) const;
  void memory(JsonWriter& json, ObjectId memory, VkDeviceSize offset) const;
  Result<void> image(const SnapshotImage& image, JsonWriter& json);
  // What was written of a part.
  struct Written {
    std::string file, digest;  // empty: it cannot be read
    std::string picture;       // a file; empty: none
    std::string shows;         // what it shows; without a picture why there is none; empty: none was asked for
    std::uint32_t slices_in_row = 1;
    std::optional<ContactSheet::Cell> cell;  // on the sheet
  };
  Result<Written> part(const SnapshotImage& image, const SnapshotPart& part, std::span<const std::byte> bytes);
  Result<void> add_picture(const SnapshotImage& image, const SnapshotPart& part, std::span<const std::byte> bytes,
                           const std::string& name, Written& written);
  Result<void> write_sheet() const;
  Result<void> write_picture(const std::string& name, const player::Picture& picture) const;
  static void picture(JsonWriter& json, const Written& written);
  Result<void> buffer(const SnapshotBuffer& buffer, JsonWriter& json);
  Result<void> index(const char* name, JsonWriter& json, std::string& text) const;

  Snapshot& snapshot_;
  const OutputDirectory& directory_;
  const ContentsRequest& request_;
  const ExtractPlace& place_;
  const PlayedFile& played_;
  Output& out_;
  ContactSheet sheet_;
};

void Extractor::begin(JsonWriter& json) const {
  json.begin_object();
  json.field("capture", request_.file);
  json.field("place", place_.text());
  json.field("record", played_.record.value_or(snapshot_.record()));
  const auto& clamped = snapshot_.shaders().clamped;
  json.field("clamped_shaders", clamped ? clamped->clamped : 0);
  json.key("devices");
  json.begin_array();
  for (const player::ChosenDevice& device : snapshot_.devices()) json.string(device.name);
  json.end_array();
}

void Extractor::name(JsonWriter& json, ObjectId id) const {
  json.field("name", snapshot_.plan().name(id));
  json.key("debug_name");
  const auto given = snapshot_.plan().debug_names.find(id);
  if (given == snapshot_.plan().debug_names.end())
    json.null();
  else
    json.string(given->second);
}

void Extractor::memory(JsonWriter& json, ObjectId memory, VkDeviceSize offset) const {
  json.key("memory");
  if (memory == ObjectId::null) {
    json.null();
    return;
  }
  json.string(snapshot_.plan().name(memory));
  json.field("memory_offset", offset);
}

Result<void> Extractor::index(const char* name, JsonWriter& json, std::string& text) const {
  json.end_array();
  json.end_object();
  text += "\n";
  return directory_.write(name, std::as_bytes(std::span(text)));
}

Result<void> Extractor::write_picture(const std::string& name, const player::Picture& picture) const {
  const auto png = player::encode_png(VK_FORMAT_R8G8B8_UNORM, picture.width, picture.height, picture.rgb);
  if (!png) return fail(png.error().status, text("{}: {}", name, png.error().message));
  return directory_.write(name, *png);
}

// To a file of its own and to the sheet, as asked for and as far as the part wants one.
Result<void> Extractor::add_picture(const SnapshotImage& image, const SnapshotPart& part,
                                    std::span<const std::byte> bytes, const std::string& name, Written& written) {
  const bool alone = request_.pictures && wants_picture(image, part);
  const bool on_sheet = request_.sheet && part.mip == 0 && part.layer == 0;
  if (!alone && !on_sheet) return {};
  const auto made = picture_of_part(snapshot_, image, part, bytes);
  if (!made && made.error().status != Status::device) return tl::unexpected(made.error());
  if (!made) {
    written.shows = made.error().message;
    return {};
  }
  if (on_sheet) written.cell = sheet_.add(made->picture, snapshot_.plan().objects.objects()[image.id].number);
  if (!alone) return {};
  written.picture = name + "-view.png";
  written.shows = made->shows;
  written.slices_in_row = made->slices_in_row;
  return write_picture(written.picture, made->picture);
}

Result<void> Extractor::write_sheet() const {
  if (sheet_.cells() == 0) {
    out_.line("no sheet: there is no picture of any image");
    return {};
  }
  RONDO_TRY(write_picture("sheet.png", sheet_.picture()));
  std::string line = text("sheet.png: {}, {} in a row, each below the number of its VkImage",
                          plural(sheet_.cells(), "picture"), ContactSheet::kColumns);
  if (sheet_.left_out() != 0) append(line, "; {} left out", sheet_.left_out());
  out_.line(line);
  return {};
}

Result<Extractor::Written> Extractor::part(const SnapshotImage& image, const SnapshotPart& part,
                                           std::span<const std::byte> bytes) {
  std::string name = player::part_file_name(snapshot_.plan().name(image.id), part.mip, part.layer, part.aspect);
  const VkFormat format = gpu::format_of_part(image.format, part.aspect);
  Written written;
  RONDO_TRY(add_picture(image, part, bytes, name, written));
  std::vector<std::byte> file;
  if (player::fits_png(format) && part.extent.depth == 1) {
    name += ".png";
    auto png = player::encode_png(format, part.extent.width, part.extent.height, bytes);
    if (!png) return fail(png.error().status, text("{}: {}", name, png.error().message));
    file = std::move(*png);
  } else {
    name += ".ktx2";
    file = encode_ktx2({format, image.type, part.extent, bytes}, "Rondo");
  }
  RONDO_TRY(directory_.write(name, file));
  written.file = std::move(name);
  written.digest = to_string(digest_of(bytes));
  return written;
}

void Extractor::picture(JsonWriter& json, const Written& written) {
  if (written.cell) {
    json.key("sheet");
    json.begin_object();
    json.field("row", written.cell->row);
    json.field("column", written.cell->column);
    json.end_object();
  }
  if (written.shows.empty()) return;
  json.key("picture");
  json.begin_object();
  if (written.picture.empty()) {
    json.field("missing", written.shows);
  } else {
    json.field("file", written.picture);
    json.field("shows", written.shows);
    json.field("slices_in_row", written.slices_in_row);
  }
  json.end_object();
}

Result<void> Extractor::image(const SnapshotImage& image, JsonWriter& json) {
  std::vector<Written> written(image.parts.size());
  RONDO_TRY(snapshot_.read(image, [&](std::size_t i, std::span<const std::byte> bytes) -> Result<void> {
    auto one = part(image, image.parts[i], bytes);
    if (!one) return tl::unexpected(one.error());
    written[i] = std::move(*one);
    return {};
  }));
  const std::string format = enumerant_text(EnumId::VkFormat, image.format);
  json.begin_object();
  name(json, image.id);
  json.key("swapchain");
  if (image.swapchain != ObjectId::null) {
    json.string(snapshot_.plan().name(image.swapchain));
    json.field("swapchain_image", image.index);
    json.field("presented", image.presented);
  } else {
    json.null();
  }
  json.field("type", enumerant_text(EnumId::VkImageType, image.type));
  json.field("format", format);
  json.key("extent");
  json.begin_array();
  for (const std::uint32_t side : {image.extent.width, image.extent.height, image.extent.depth})
    json.unsigned_value(side);
  json.end_array();
  json.field("mips", image.mips);
  json.field("layers", image.layers);
  json.field("samples", static_cast<std::uint32_t>(image.samples));
  json.field("tiling", enumerant_text(EnumId::VkImageTiling, image.tiling));
  names(json, "usage", EnumId::VkImageUsageFlagBits, image.usage);
  memory(json, image.memory, image.offset);
  json.key("unreadable");
  if (image.unreadable.empty())
    json.null();
  else
    json.string(image.unreadable);
  json.key("parts");
  json.begin_array();
  std::size_t read = 0;
  std::string first;
  for (std::size_t i = 0; i < image.parts.size(); ++i) {
    const SnapshotPart& one = image.parts[i];
    json.begin_object();
    json.field("mip", one.mip);
    json.field("layer", one.layer);
    json.field("aspect", player::aspect_text(one.aspect));
    json.field("layout", enumerant_text(EnumId::VkImageLayout, one.layout));
    if (!written[i].file.empty()) {
      json.field("file", written[i].file);
      json.field("format", enumerant_text(EnumId::VkFormat, gpu::format_of_part(image.format, one.aspect)));
      json.field("digest", written[i].digest);
      picture(json, written[i]);
      if (++read == 1) first = written[i].file;
    } else {
      json.field("unreadable", image.unreadable.empty() ? one.unreadable : image.unreadable);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  std::string line = text("{}: {}, {}, {}, {}", printable(snapshot_.plan().full_name(image.id)), format,
                          extent_text(image.extent), plural(image.mips, "mip"), plural(image.layers, "layer"));
  if (image.samples != VK_SAMPLE_COUNT_1_BIT) append(line, ", {} samples", static_cast<std::uint32_t>(image.samples));
  if (image.presented) line += ", presented";
  if (read == 0)
    append(line, ": not read: {}", image.unreadable.empty() ? image.parts.front().unreadable : image.unreadable);
  else
    append(line, ": {}", first);
  if (read > 1) append(line, " and {} more", read - 1);
  if (read != 0 && read < image.parts.size()) append(line, "; {} not read", plural(image.parts.size() - read, "part"));
  out_.line(line);
  for (const Written& one : written)
    if (!one.shows.empty())
      out_.line(one.picture.empty() ? text("  no picture of {}: {}", one.file, one.shows)
                                    : text("  {}: {}", one.picture, one.shows));
  return {};
}

Result<void> Extractor::images(const std::vector<ObjectId>& ids) {
  const std::set<ObjectId> wanted(ids.begin(), ids.end());
  std::string text;
  JsonWriter json(text, /*indented=*/true);
  begin(json);
  json.key("images");
  json.begin_array();
  for (const SnapshotImage& one : snapshot_.images())
    if (wanted.count(one.id) != 0) RONDO_TRY(image(one, json));
  if (request_.sheet) RONDO_TRY(write_sheet());
  return index("images.json", json, text);
}

Result<void> Extractor::buffer(const SnapshotBuffer& buffer, JsonWriter& json) {
  const std::string file = player::file_name(snapshot_.plan().name(buffer.id)) + ".bin";
  const bool readable = buffer.unreadable.empty();
  Digester digester;
  if (readable) {
    auto out = directory_.begin(file);
    if (!out) return tl::unexpected(out.error());
    RONDO_TRY(snapshot_.read(buffer, [&](std::uint64_t, std::span<const std::byte> bytes) {
      digester.add(bytes);
      return out->append(bytes);
    }));
    RONDO_TRY(out->keep());
  }
  json.begin_object();
  name(json, buffer.id);
  json.field("bytes", buffer.bytes);
  names(json, "usage", EnumId::VkBufferUsageFlagBits, buffer.usage);
  memory(json, buffer.memory, buffer.offset);
  json.field(readable ? "file" : "unreadable", readable ? file : buffer.unreadable);
  if (readable) json.field("digest", to_string(digester.digest()));
  json.end_object();
  out_.line(text("{}: {} bytes: {}{}", printable(snapshot_.plan().full_name(buffer.id)), buffer.bytes,
                 readable ? "" : "not read: ", readable ? file : buffer.unreadable));
  return {};
}

Result<void> Extractor::buffers(const std::vector<ObjectId>& ids) {
  const std::set<ObjectId> wanted(ids.begin(), ids.end());
  std::string text;
  JsonWriter json(text, /*indented=*/true);
  begin(json);
  json.key("buffers");
  json.begin_array();
  for (const SnapshotBuffer& one : snapshot_.buffers())
    if (wanted.count(one.id) != 0) RONDO_TRY(buffer(one, json));
  return index("buffers.json", json, text);
}

template <class All>
std::vector<ObjectId> ids_of(const All& all) {
  std::vector<ObjectId> ids;
  for (const auto& one : all) ids.push_back(one.id);
  return ids;
}

// Those that were named and cannot be read: a script has to know.
template <class All>
void find_unread(const player::Plan& plan, const All& all, const std::vector<ObjectId>& named, std::string& unread) {
  for (const auto& one : all)
    if (!one.unreadable.empty() && std::find(named.begin(), named.end(), one.id) != named.end())
      append(unread, "{}{}: {}", unread.empty() ? "" : "; ", printable(plan.full_name(one.id)), one.unreadable);
}

Result<void> write_all(Snapshot& snapshot, const ContentsRequest& request, const ExtractPlace& place,
                       const PlayedFile& played, const std::vector<ObjectId>& named) {
  const auto directory = OutputDirectory::open(request.output);
  if (!directory) return tl::unexpected(directory.error());
  Output out;
  for (const std::string& note : snapshot.shaders().lines()) out.line(note);
  Extractor extractor(snapshot, *directory, request, place, played, out);
  const auto wanted = [&](const std::vector<ObjectId>& all) { return named.empty() ? all : named; };
  Result<void> done;
  if (request.images) done = extractor.images(wanted(ids_of(snapshot.images())));
  if (request.buffers && done) done = extractor.buffers(wanted(ids_of(snapshot.buffers())));
  RONDO_TRY(out.finish());
  if (!done) return done;
  std::string unread;
  find_unread(snapshot.plan(), snapshot.images(), named, unread);
  find_unread(snapshot.plan(), snapshot.buffers(), named, unread);
  return unread.empty()
             ? Result<void>()
             : fail(Status::failed, text("{}: not read {}: {}", printable(request.file), place.text(), unread));
}

// `played`: of the request.
Result<void> extract_from(const ContentsRequest& request, const ExtractPlace& place, const PlayedFile& played) {
  player::SnapshotOptions options;
  options.validate = request.validate;
  options.trust = request.trust;
  options.clamp_shaders = request.clamp_shaders;
  for (const std::string& one : request.devices) {
    const auto parsed = player::parse_device(one);
    if (!parsed) return tl::unexpected(parsed.error());
    options.devices.push_back(*parsed);
  }
  const NamedOutput output{NamedOutput::Kind::contents, request.output, {}};
  auto snapshot = Snapshot::load(played.path, played.place, 0, played.files, std::span(&output, 1));
  if (!snapshot) return tl::unexpected(snapshot.error());
  std::vector<ObjectId> alive;
  std::vector<HandleType> types;
  if (request.images) {
    alive = ids_of((*snapshot)->images());
    types.push_back(HandleType::VkImage);
  }
  if (request.buffers) {
    const std::vector<ObjectId> buffers = ids_of((*snapshot)->buffers());
    alive.insert(alive.end(), buffers.begin(), buffers.end());
    types.push_back(HandleType::VkBuffer);
  }
  std::vector<ObjectId> named;
  for (const std::string& one : request.objects) {
    const auto id = find_object((*snapshot)->plan(), alive, types, one, place.text());
    if (!id) return tl::unexpected(id.error());
    named.push_back(*id);
  }
  Result<void> done = (*snapshot)->play(options);
  if (done) done = write_all(**snapshot, request, place, played, named);
  const Result<void> closed = (*snapshot)->close();
  if (done) done = closed;
  if ((*snapshot)->left_running()) {
    // What a driver still works on must not be unloaded under it.
    say(trim::in_words_of(done.error(), played.path, request.file));
    std::fflush(stdout);
    remove_temporary_files();
    ::_exit(static_cast<int>(done.error().status));
  }
  return done;
}

}  // namespace

Result<void> extract_contents(const ContentsRequest& request) {
  player::reserve_places();
  const auto place = parse_extract_place(request.at);
  if (!place) return tl::unexpected(place.error());
  const auto played = file_to_play(request.file, request.access, *place, request.output);
  if (!played) return tl::unexpected(played.error());
  const Result<void> done = extract_from(request, *place, *played);
  if (!done && place->draw) return tl::unexpected(trim::in_words_of(done.error(), played->path, request.file));
  return done;
}

}  // namespace rondo::analyzers
