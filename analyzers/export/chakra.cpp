// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/chakra.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "analyzers/export/chakra_graph.h"
#include "analyzers/export/chakra_node.h"
#include "analyzers/export/device_clock.h"
#include "analyzers/export/out_file.h"
#include "analyzers/export/tensors.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using graph::Item;
using graph::ItemKind;
using graph::ItemNeed;

// A list of more nodes is made a node of its own, where lists became much larger than the graph.
constexpr std::size_t kShortList = 64;
constexpr std::size_t kMostTensors = 1024;  // of a node, that are listed

// Of what an item of the host touches; null: it touches nothing.
ObjectId device_of(const GraphWalk& walk, std::span<const graph::Piece> pieces) {
  const ObjectId object = pieces.empty() ? ObjectId::null : walk.spaces().info(pieces.front().space).object;
  return object != ObjectId::null ? walk.objects().objects()[object].device : ObjectId::null;
}

class Chakra final : public Exporter {
 public:
  Chakra(const ExportSource& source, const ChakraWanted& wanted) : source_(source), wanted_(wanted), clock_(source) {}

  void item(const GraphWalk& walk, const ExportedItem& exported) override;
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override;
  Result<std::vector<ExportedFile>> finish(const GraphWalk& walk, const GraphTotals& totals) override;

 private:
  using Nodes = std::vector<std::uint32_t>;
  struct File {
    std::string path;
    std::optional<OutFile> out;
    std::uint64_t nodes = 0, data = 0, control = 0, joins = 0;
    std::map<ObjectId, std::uint64_t> streams;  // by queue
  };
  struct Where {  // of a node
    std::uint32_t file = 0;
    std::uint32_t id = 0;
  };
  // What an item or a join stands for: a node; or several, if it has no node.
  struct Stands {
    std::uint32_t at = 0;  // node, or index into lists_
    bool is_list = true;
    bool is_of_host = false;  // an item that has no node: what depends on it depends on no data of a device
  };

  std::uint32_t file_of(const GraphWalk& walk, ObjectId queue, ObjectId device);
  std::uint32_t file_of_key(ObjectId key);
  // Adds the nodes for which an item or join stands.
  void add(std::uint32_t from, Nodes& out);
  void add(const Stands& stands, Nodes& out);
  bool stands_for_host(std::uint32_t from) const {
    return !graph::is_join(from) && from < items_.size() && items_[from].is_of_host;
  }
  std::uint32_t list_of(Nodes nodes);
  void shorten(Nodes& list);
  // Leaves out nodes of other files.
  void keep_of_file(std::uint32_t file, Nodes& nodes);
  std::uint32_t write(std::uint32_t file, ChakraNode& node, Nodes& data, Nodes& control);
  void write_calls(std::uint64_t end);
  void write_call(const HostCall& call);
  void set_tensors(const GraphWalk& walk, const Tensors::Use& use, ChakraNode& node) const;

  const ExportSource& source_;
  const ChakraWanted wanted_;
  DeviceClock clock_;
  Tensors tensors_;
  ReducedDependencies dependencies_;
  std::deque<File> files_;
  std::map<ObjectId, std::uint32_t> file_at_;
  bool is_first_free_ = false;  // the first file was made for what is of no device: it is that of the next device, too
  std::vector<Where> nodes_;
  std::unordered_map<std::uint32_t, Stands> stands_;  // by join, …
  std::vector<Stands> items_;                         // … and by item
  std::vector<Nodes> lists_{{}};                      // the first one stays empty
  std::uint64_t listed_ = 0;                          // nodes that were copied out of lists
  std::uint64_t across_ = 0;                          // dependencies on nodes of other files
  std::size_t next_call_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> submits_;  // nodes of calls that submit, by record
  std::map<std::uint32_t, std::uint32_t> last_of_thread_;     // nodes
  std::unordered_map<std::uint64_t, Nodes> before_call_;      // by record: nodes of what the call does by itself
  std::optional<Error> error_;                                // the first one
  std::string bytes_;
};

std::uint32_t Chakra::file_of_key(ObjectId key) {
  if (is_first_free_ && key != ObjectId::null) {
    is_first_free_ = false;
    file_at_[key] = 0;
  }
  const auto [found, fresh] = file_at_.try_emplace(key, static_cast<std::uint32_t>(files_.size()));
  if (fresh) {
    File& file = files_.emplace_back();
    file.path = text("{}.{}.et", wanted_.prefix, found->second);
    is_first_free_ = key == ObjectId::null;
    const auto spared = spare_captures("--chakra", source_.file, file.path);
    auto made = spared ? OutFile::create(file.path, source_.file) : Result<OutFile>(tl::unexpected(spared.error()));
    if (!made) {
      if (!error_) error_ = made.error();
      return found->second;
    }
    file.out.emplace(std::move(*made));
    const std::pair<std::string_view, std::string> attributes[] = {
        {"producer", text("rondo {}", RONDO_VERSION)},
        {"capture_digest", source_.capture_digest},
        {"program", source_.program},
        {"profile_devices", source_.times.devices()},
        {"profile_mode", source_.times.mode()},
    };
    append_chakra_head(bytes_, attributes);
    file.out->write(bytes_);
    bytes_.clear();
  }
  return found->second;
}

// What is of no device goes to the first file, which is that of the first device or queue.
std::uint32_t Chakra::file_of(const GraphWalk& walk, ObjectId queue, ObjectId device) {
  if (queue != ObjectId::null) return file_of_key(wanted_.per_queue ? queue : device_of_queue(walk, queue));
  if (!wanted_.per_queue && device != ObjectId::null) return file_of_key(device);
  return files_.empty() ? file_of_key(device) : 0;
}

std::uint32_t Chakra::list_of(Nodes nodes) {
  lists_.push_back(std::move(nodes));
  return static_cast<std::uint32_t>(lists_.size() - 1);
}

// A list that is used again and again would make the trace much larger than the graph: it becomes a node that depends
// on all that is in it, one in each file.
void Chakra::shorten(Nodes& list) {
  std::map<std::uint32_t, Nodes> by_file;
  for (const std::uint32_t node : list) by_file[nodes_[node].file].push_back(node);
  list.clear();
  for (auto& [file, members] : by_file) {
    ChakraNode node;
    node.name = "join";
    node.is_join = true;
    Nodes none;
    list.push_back(write(file, node, members, none));
    files_[file].joins += 1;
  }
}

void Chakra::add(const Stands& stands, Nodes& out) {
  if (!stands.is_list) return out.push_back(stands.at);
  Nodes& list = lists_[stands.at];
  if (list.size() > kShortList && listed_ + list.size() > 4 * nodes_.size()) shorten(list);
  listed_ += list.size();
  out.insert(out.end(), list.begin(), list.end());
}

void Chakra::add(std::uint32_t from, Nodes& out) {
  if (!graph::is_join(from)) return from < items_.size() ? add(items_[from], out) : void();
  if (const auto found = stands_.find(from); found != stands_.end()) add(found->second, out);
}

void Chakra::join(std::uint32_t join, std::span<const std::uint32_t> items) {
  Nodes all;
  for (const std::uint32_t one : items) add(one, all);
  dependencies_.reduce(all);
  stands_[join] = {list_of(std::move(all))};
}

void Chakra::keep_of_file(std::uint32_t file, Nodes& nodes) {
  const std::size_t before = nodes.size();
  std::erase_if(nodes, [&](std::uint32_t one) { return nodes_[one].file != file; });
  across_ += before - nodes.size();
}

std::uint32_t Chakra::write(std::uint32_t number, ChakraNode& node, Nodes& data, Nodes& control) {
  File& file = files_[number];
  const std::uint32_t made = dependencies_.add(data, control);
  for (const std::uint32_t one : data) node.data.push_back(nodes_[one].id);
  for (const std::uint32_t one : control) node.control.push_back(nodes_[one].id);
  node.id = ++file.nodes;
  node.device = wanted_.per_queue ? 0 : number;
  file.data += data.size();
  file.control += control.size();
  nodes_.push_back({number, static_cast<std::uint32_t>(node.id)});
  RONDO_CHECK(nodes_.size() == dependencies_.nodes());
  if (file.out) {
    append_chakra_node(bytes_, node);
    file.out->write(bytes_);
    bytes_.clear();
  }
  return made;
}

void Chakra::write_calls(std::uint64_t end) {
  if (!wanted_.host) return;
  for (; next_call_ < source_.calls.size() && source_.calls[next_call_].record < end; ++next_call_)
    write_call(source_.calls[next_call_]);
}

void Chakra::write_call(const HostCall& call) {
  ChakraNode node;
  node.name = call.command->name;
  node.is_cpu = true;
  node.has_duration = true;
  node.start_ns = call.start_ns - source_.first_ns;
  node.duration_ns = call.end_ns - call.start_ns;
  node.record = call.record;
  node.stream = call.thread;
  const std::uint32_t file = wanted_.per_queue || call.device == ObjectId::null
                                 ? (files_.empty() ? file_of_key(ObjectId::null) : 0)
                                 : file_of_key(call.device);
  Nodes data, control;
  const auto last = last_of_thread_.find(call.thread);
  if (last != last_of_thread_.end()) control.push_back(last->second);
  if (const auto found = before_call_.find(call.record); found != before_call_.end()) {
    control.insert(control.end(), found->second.begin(), found->second.end());
    before_call_.erase(found);
  }
  keep_of_file(file, control);
  const std::uint32_t made = write(file, node, data, control);
  last_of_thread_[call.thread] = made;
  if (call.submits) submits_[call.record] = made;
}

void Chakra::set_tensors(const GraphWalk& walk, const Tensors::Use& use, ChakraNode& node) const {
  const auto list = [&](const std::vector<std::uint32_t>& from, std::vector<ChakraTensor>& into) {
    for (const std::uint32_t one : from) {
      const Tensor& tensor = tensors_[one];
      if (into.size() == kMostTensors)
        node.more_tensors += 1;
      else
        into.push_back(
            {tensor.name(walk), std::uint64_t{one} + 1, index_of(tensor.object), tensor.bytes, tensor.is_image});
    }
  };
  list(use.reads, node.inputs);
  list(use.writes, node.outputs);
}

void Chakra::item(const GraphWalk& walk, const ExportedItem& exported) {
  const Item& item = exported.item;
  const WorkItem& work = item.work;
  const bool of_host = is_of_host(item.kind), presents = item.kind == ItemKind::present;
  Nodes data, control;
  for (const ItemNeed& need : exported.needs)
    add(need.from, (need.kinds & graph::kRaw) != 0 && !stands_for_host(need.from) ? data : control);
  const Tensors::Use& use = tensors_.take(walk, exported.pieces);
  items_.resize(item.number);  // those outside of the span stand for nothing
  if ((of_host || presents) && !wanted_.host) {
    control.insert(control.end(), data.begin(), data.end());
    dependencies_.reduce(control);
    items_.push_back({list_of(std::move(control)), true, true});
    return;
  }
  write_calls(of_host ? work.record : work.at + 1);
  const HostCall* const call = of_host ? source_.call_of(work.record) : nullptr;
  const std::uint32_t file =
      file_of(walk, work.queue, call != nullptr ? call->device : device_of(walk, exported.pieces));
  if (!of_host)
    if (const auto found = submits_.find(work.at); found != submits_.end()) control.push_back(found->second);
  keep_of_file(file, data);
  keep_of_file(file, control);
  ChakraNode node;
  node.name = short_name(walk, work);
  node.is_cpu = of_host || presents;
  if (const auto placed = clock_.place(walk, exported)) {
    node.has_duration = true;
    node.start_ns = placed->begin_ns - std::min(placed->begin_ns, source_.first_ns);
    node.duration_ns = placed->duration_ns;
  }
  node.tensor_bytes = std::max<std::uint64_t>(1, use.bytes);
  const auto stream = files_[file].streams.try_emplace(work.queue, files_[file].streams.size()).first;
  node.stream = stream->second;
  node.record = work.record;
  if (work.submit != access::Executed::kNoSubmit) node.submit = work.submit;
  if (work.pipeline != ObjectId::null) node.pipeline = walk.name(work.pipeline);
  node.labels = walk.label_text(work.label_path);
  set_tensors(walk, use, node);
  const std::uint32_t made = write(file, node, data, control);
  items_.push_back({made, false, false});
  if (of_host) before_call_[work.record].push_back(made);
}

Result<std::vector<ExportedFile>> Chakra::finish(const GraphWalk&, const GraphTotals&) {
  write_calls(UINT64_MAX);
  if (error_) return tl::unexpected(*error_);
  if (files_.empty())
    return fail(Status::failed, text("{}: --chakra: the capture has no work of a device, and readers refuse a trace "
                                     "without nodes",
                                     source_.file));
  std::vector<ExportedFile> made;
  for (File& file : files_) {
    const std::uint64_t bytes = file.out->bytes();
    RONDO_TRY(file.out->keep());
    std::string words = text("{}, {} data and {} control dependencies", plural(file.nodes, "node"),
                             count_text(file.data), count_text(file.control));
    if (file.joins != 0) append(words, ", {} of the nodes are joins", count_text(file.joins));
    made.push_back({file.path, bytes, std::move(words)});
  }
  if (across_ != 0) append(made.back().text, "; {} on nodes of other files are in none", count_text(across_));
  return made;
}

}  // namespace

std::unique_ptr<Exporter> chakra_exporter(const ExportSource& source, const ChakraWanted& wanted) {
  return std::make_unique<Chakra>(source, wanted);
}

}  // namespace rondo::analyzers
