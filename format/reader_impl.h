// SPDX-License-Identifier: Apache-2.0
// The inside of Reader. One thread at a time.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "format/chunk_io.h"
#include "format/reader.h"
#include "format/thread_cursor.h"
#include "format/walk.h"

namespace rondo {

// A blob of a references chunk, checked against its chunk and the table of files. Its payload may lack what is in no
// file.
struct Reference {
  Digest digest;
  std::uint64_t bytes = 0;
  std::vector<FilePiece> pieces;
  std::span<const std::byte> in_no_file;  // the bytes of those, in `payload`
  Payload payload;
};
Result<Reference> parse_reference(const File& file, const ChunkInfo& chunk, Payload payload,
                                  const std::vector<ExternalFile>& files);
// Appends a files chunk's rows.
Result<void> parse_files(const File& file, const ChunkInfo& chunk, std::span<const std::byte> payload,
                         std::vector<ExternalFile>& files);

// Where each blob lies, and those read lately.
class BlobStore {
 public:
  BlobStore(const File& file, const std::vector<ChunkInfo>& chunks, MemoryUse& memory, const FileAccess& access)
      : file_(file), chunks_(chunks), memory_(memory), access_(access) {}

  std::vector<BlobInfo> list();
  Result<Reader::Bytes> get(const Digest& digest);

  // Of the capture; what blobs use of them is counted in files().
  void set_files(std::vector<ExternalFile> files) { files_ = std::move(files); }
  const std::vector<ExternalFile>& files();
  Result<void> check_files();

 private:
  struct Place {
    std::size_t chunk;     // index
    std::uint64_t offset;  // in its payload
    std::uint64_t bytes;
    bool in_files = false;  // then it is the chunk's only one
  };
  struct Cached {
    Reader::Bytes bytes;
    std::list<Digest>::iterator age;
  };

  // Once. Who is going to `get` blobs keeps those that he meets, as far as there is room: a chunk is
  // unpacked a single time then.
  void find_all(bool to_get);
  Result<void> find_in_chunk(std::size_t index, bool to_get);
  Result<Payload> load_directory(const ChunkInfo& chunk) const;
  Result<void> find_in_segment(std::size_t index);
  Result<void> find_reference(std::size_t index);
  void found(const Digest& digest, const Place& place);
  Result<Reader::Bytes> load(const Digest& wanted, const Place& place);
  void keep(const Digest& digest, const Reader::Bytes& bytes);
  void make_room(std::size_t bytes);

  // Blobs in files (reader_files.cpp).
  Result<Reference> load_parts(std::size_t index) const;
  Result<Reader::Bytes> load_from_files(const Digest& wanted, const Place& place);
  Result<const OpenedFile*> opened(std::uint32_t number);
  Result<void> read_piece(const FilePiece& piece, std::uint64_t at, std::span<std::byte> out);
  using Sink = std::function<void(std::span<const std::byte>)>;
  Result<void> read_whole(const Reference& reference, const Sink& sink);
  Result<void> check_reference(const Reference& reference);

  const File& file_;
  const std::vector<ChunkInfo>& chunks_;
  MemoryUse& memory_;
  const FileAccess& access_;
  std::vector<ExternalFile> files_;
  std::unordered_map<std::uint32_t, OpenedFile> opened_;
  bool searched_ = false;
  std::optional<Error> problem_;  // the first chunk whose directory could not be read
  std::vector<Digest> order_;     // as they lie in the file
  std::unordered_map<Digest, Place> places_;
  std::unordered_map<std::size_t, std::vector<Digest>> by_chunk_;
  std::unordered_map<Digest, Cached> cache_;
  std::list<Digest> ages_;  // latest first
};

class FileReader final : public Reader {
 public:
  FileReader(File file, CaptureLayout layout, const ReaderOptions& options);
  Result<void> prepare();

  const std::string& path() const override { return file_.path(); }
  std::uint64_t file_bytes() const override { return layout_.file_bytes; }
  const FileHeader& header() const override { return layout_.header; }
  bool complete() const override { return layout_.complete; }
  bool can_be_finished() const override { return !layout_.complete && !layout_.damaged && !layout_.cut_short; }
  std::optional<Footer> footer() const override {
    return layout_.complete ? std::optional(layout_.footer) : std::nullopt;
  }
  const std::string& cut_reason() const override { return layout_.cut_reason; }
  bool names_lost() const override { return names_lost_; }
  const std::vector<ChunkInfo>& chunks() const override { return chunks_; }
  const std::vector<DictionaryRow>& dictionary() const override { return dictionary_; }
  const std::vector<std::string>& sessions() const override { return sessions_; }
  std::vector<BlobInfo> blobs() const override { return blobs_.list(); }
  std::uint64_t gaps() const override;
  Result<std::optional<Record>> next() override;
  Result<void> rewind() override;
  Result<Bytes> blob(const Digest& digest) override { return blobs_.get(digest); }
  std::vector<ExternalFile> files() const override { return blobs_.files(); }
  const FileAccess& file_access() const override { return options_.files; }
  Result<void> check_files() override { return blobs_.check_files(); }
  std::vector<std::string> damaged_chunks() const override;

 private:
  struct Turn {  // of a thread: the number of its next record
    std::uint64_t sequence;
    ThreadCursor* cursor;
    bool operator<(const Turn& other) const { return sequence > other.sequence; }  // smallest on top
  };

  Result<void> read_dictionary_and_sessions();
  void sort_into_threads();
  void queue_turn(ThreadCursor& cursor);
  Result<std::optional<Record>> stop();
  void end(const std::string& why);

  File file_;
  CaptureLayout layout_;
  ReaderOptions options_;
  mutable MemoryUse memory_;
  std::vector<ChunkInfo> chunks_;  // the data region's, then the spool's
  std::vector<DictionaryRow> dictionary_;
  bool names_lost_ = false;
  std::vector<std::string> sessions_;
  std::vector<std::vector<const ChunkInfo*>> threads_;  // each thread's chunks, in its order
  mutable BlobStore blobs_;
  mutable std::optional<std::uint64_t> gaps_;

  // The merge.
  std::vector<std::unique_ptr<ThreadCursor>> cursors_;
  std::vector<Turn> turns_;            // heap
  ThreadCursor* delivered_ = nullptr;  // whose record the caller holds
  std::optional<Error> hidden_;        // what keeps a thread's next record from us
  std::uint64_t last_sequence_ = 0;
  bool ended_ = false;
};

// How many numbers a chunk or segment holds, and the last of them.
struct NumberCount {
  std::uint64_t numbered = 0;
  std::uint64_t calls = 0;
  std::uint64_t last_sequence = 0;
};
Result<NumberCount> count_numbers(const File& file, const ChunkInfo& chunk, std::size_t budget);

// Per thread, in its order: records chunks, then segments whose records no
// chunk holds. Indexes into `chunks`.
std::vector<std::vector<std::size_t>> chunks_by_thread(const std::vector<ChunkInfo>& chunks);

}  // namespace rondo
