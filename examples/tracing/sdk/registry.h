// The registry of a producer: what the service must know to explain the producer's packets, in memory that both see
// (spec/tracing.md, section 2). Entries are appended and never changed, so that a service that starts later, or again,
// reads all of it; nothing that a full area drops is in it.
//
//   | "htpbreg1" | major, minor | 64 | used (u32) | 0 ... |  u16 length, Entry | u16 length, Entry | ...
//                                                        ^64                                         ^used
//
// One lock guards it: a call site comes here once, not for each event. A text that does not fit into an entry is like
// one that does not fit into the registry; the names of counters, threads and processes are cut instead.
#ifndef TRACING_SDK_REGISTRY_H_
#define TRACING_SDK_REGISTRY_H_

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hotpb/shm/area.h"
#include "text.h"
#include "tracing/session.hot.h"

namespace tracing::detail {

struct RegistryHeader {
  std::uint64_t magic;
  std::uint16_t major;
  std::uint16_t minor;
  std::uint32_t header_bytes;
  std::atomic<std::uint32_t> used;  // where the next entry will start
  std::uint32_t zero[11];
};
static_assert(sizeof(RegistryHeader) == 64, "TRC-5");

constexpr std::uint64_t kRegistryMagic = 0x3167657262707468;  // "htpbreg1"
constexpr std::uint16_t kRegistryMajor = 1;
constexpr std::uint32_t kMinRegistryBytes = 4096;
constexpr std::uint32_t kMaxRegistryBytes = 16u << 20;

class Registry {
 public:
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry() {
    if (header_ != nullptr) ::munmap(header_, bytes_);
    if (fd_ >= 0) ::close(fd_);
  }

  // False: no memory, and errno says why.
  bool create(std::uint32_t bytes) {
    if (bytes < kMinRegistryBytes || bytes > kMaxRegistryBytes) {
      errno = EINVAL;
      return false;
    }
    const int fd = ::memfd_create("tracing-registry", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return false;
    void* memory = MAP_FAILED;
    if (::ftruncate(fd, bytes) == 0 && ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
      memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (memory == MAP_FAILED) {
      const int reason = errno;
      ::close(fd);
      errno = reason;
      return false;
    }
    fd_ = fd;
    bytes_ = bytes;
    header_ = static_cast<RegistryHeader*>(memory);
    header_->magic = kRegistryMagic;
    header_->major = kRegistryMajor;
    header_->header_bytes = sizeof(RegistryHeader);
    header_->used.store(sizeof(RegistryHeader), std::memory_order_release);
    return true;
  }
  int fd() const { return fd_; }

  // The number of a text, 0 if the registry is full (TRC-8).
  std::uint32_t text(std::string_view text) {
    const std::lock_guard<std::mutex> guard(lock_);
    const auto [found, is_new] = texts_.try_emplace(std::string(text), 0);
    if (is_new && append([&](hot::EntryWriter& entry) { entry.set_text(text); })) found->second = ++last_text_;
    return found->second;
  }
  // The number of a counter, 0 if the registry is full.
  std::uint32_t counter(std::string_view name, std::string_view unit) {
    const std::lock_guard<std::mutex> guard(lock_);
    const auto [found, is_new] = counters_.try_emplace(std::string(name), 0);
    const auto write = [&](hot::EntryWriter& entry) {
      auto counter = entry.set_counter();
      counter.set_name(name.substr(0, kMostName));
      counter.set_unit(unit.substr(0, kMostName));
    };
    if (is_new && append(write)) found->second = ++last_counter_;
    return found->second;
  }
  void thread(std::uint32_t sequence, std::int64_t tid, std::string_view name) {
    const std::lock_guard<std::mutex> guard(lock_);
    append([&](hot::EntryWriter& entry) {
      auto thread = entry.set_thread();
      thread.set_sequence(sequence);
      thread.set_tid(tid);
      thread.set_name(name.substr(0, kMostName));
    });
  }
  void process(std::string_view name) {
    const std::lock_guard<std::mutex> guard(lock_);
    append([&](hot::EntryWriter& entry) { entry.set_process().set_name(name.substr(0, kMostName)); });
  }

 private:
  template <class Write>
  bool append(Write write) {
    buffer_.clear();
    {
      auto entry = buffer_.message<hot::EntryWriter>();
      write(entry);
    }
    const hotpb::Bytes bytes = buffer_.bytes();
    const std::uint32_t used = header_->used.load(std::memory_order_relaxed);
    const std::size_t size = buffer_.size();
    if (!buffer_.status().ok() || size > 0xffff || size + 2 > bytes_ - used) return false;
    auto* const at = reinterpret_cast<std::uint8_t*>(header_) + used;
    at[0] = static_cast<std::uint8_t>(size);
    at[1] = static_cast<std::uint8_t>(size >> 8);
    std::memcpy(at + 2, bytes.data(), size);
    header_->used.store(used + 2 + static_cast<std::uint32_t>(size), std::memory_order_release);
    return true;
  }

  std::mutex lock_;
  RegistryHeader* header_ = nullptr;
  std::uint32_t bytes_ = 0;
  int fd_ = -1;
  std::uint32_t last_text_ = 0;
  std::uint32_t last_counter_ = 0;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<std::string, std::uint32_t> counters_;
  hotpb::HeapBuffer buffer_;
};

}  // namespace tracing::detail

#endif  // TRACING_SDK_REGISTRY_H_
