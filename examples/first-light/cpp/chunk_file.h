// Chunks on their way into a file. A chunk with an open length waits until the length is patched, and the chunks after
// it also wait; then its memory is reused. The longest series bounds the waiting chunks.
//
//   next:   [....full....] [....full....] [...being written...]
//              2 open          0 open
//   patch:     1 open    ->  0 open: both are written
//
// The file appears under its name, and complete, with commit(); without commit(), there is no file.
#ifndef FIRST_LIGHT_CHUNK_FILE_H_
#define FIRST_LIGHT_CHUNK_FILE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "hotpb/chunk/source.h"

namespace first_light {

class ChunkFile {
 public:
  ChunkFile(std::string path, std::size_t chunk_size);
  ~ChunkFile();
  ChunkFile(const ChunkFile&) = delete;
  ChunkFile& operator=(const ChunkFile&) = delete;

  // The three calls of a chunk source, which hotpb/chunk/source.h defines.
  hotpb::Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots);
  void patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t still_open);
  void finish(std::uint64_t id, std::size_t used);

  // Renames the file to its name. If it returns false, error() has the first error.
  bool commit();
  const std::string& error() const { return error_; }

  std::uint64_t bytes() const { return bytes_; }    // written to the file
  std::uint64_t chunks() const { return chunks_; }  // that the writer has filled
  std::uint64_t patches() const { return patches_; }

 private:
  struct Waiting {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t used;
    std::uint32_t open_slots;
  };

  Waiting& waiting(std::uint64_t id) { return waiting_[static_cast<std::size_t>(id - first_id_)]; }
  void hand_in(std::uint64_t id, std::size_t used, std::uint32_t open_slots);
  void write_out();
  void write(const std::uint8_t* data, std::size_t size);
  void fail(const std::string& path);

  std::string path_;
  std::string part_;  // the name of the file before commit()
  int fd_;
  std::size_t chunk_size_;
  std::deque<Waiting> waiting_;
  std::uint64_t first_id_ = 0;  // the id of the first chunk that waits
  std::vector<std::unique_ptr<std::uint8_t[]>> spare_;
  std::string error_;
  std::uint64_t bytes_ = 0;
  std::uint64_t chunks_ = 0;
  std::uint64_t patches_ = 0;
};

}  // namespace first_light

#endif  // FIRST_LIGHT_CHUNK_FILE_H_
