#include "registry_reader.h"

#include <sys/stat.h>

#include "../sdk/registry.h"
#include "text.h"

namespace tracing::service {

RegistryReader::~RegistryReader() {
  if (memory_ != nullptr) ::munmap(const_cast<std::uint8_t*>(memory_), bytes_);
}

bool RegistryReader::open(int fd) {
  constexpr int kNeeded = F_SEAL_SHRINK | F_SEAL_GROW;
  const int seals = ::fcntl(fd, F_GET_SEALS);
  struct stat about = {};
  if (memory_ != nullptr || seals < 0 || (seals & kNeeded) != kNeeded || ::fstat(fd, &about) != 0 ||
      about.st_size < detail::kMinRegistryBytes || about.st_size > detail::kMaxRegistryBytes) {
    return false;
  }
  const auto bytes = static_cast<std::uint32_t>(about.st_size);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<const std::uint8_t*>(memory);
  bytes_ = bytes;
  std::uint8_t copy[16];
  hotpb::shm::detail::copy_shared(copy, memory_, sizeof copy);
  std::uint64_t magic = 0;
  std::uint16_t major = 0;
  std::uint32_t header_bytes = 0;
  std::memcpy(&magic, copy, sizeof magic);
  std::memcpy(&major, copy + 8, sizeof major);
  std::memcpy(&header_bytes, copy + 12, sizeof header_bytes);
  seen_ = sizeof(detail::RegistryHeader);
  return magic == detail::kRegistryMagic && major == detail::kRegistryMajor && header_bytes == seen_;
}

bool RegistryReader::update() {
  if (corrupt_) return false;
  const std::uint32_t used =
      reinterpret_cast<const detail::RegistryHeader*>(memory_)->used.load(std::memory_order_acquire);
  if (used == seen_) return true;
  corrupt_ = true;
  if (used < seen_ || used > bytes_) return false;
  copy_.resize(used - seen_);
  hotpb::shm::detail::copy_shared(copy_.data(), memory_ + seen_, copy_.size());
  for (std::size_t at = 0; at < copy_.size();) {
    if (copy_.size() - at < 2) return false;
    const std::size_t size = copy_[at] | std::size_t{copy_[at + 1]} << 8;
    at += 2;
    if (size > copy_.size() - at) return false;
    add(hotpb::Bytes(copy_.data() + at, size));
    at += size;
  }
  seen_ = used;
  corrupt_ = false;
  return true;
}

// An entry of a kind that is not known is skipped: a later minor version may have it.
void RegistryReader::add(hotpb::Bytes bytes) {
  hot::EntryView entry;
  hot::ThreadView thread;
  hot::CounterView counter;
  hot::ProcessView process;
  if (!entry.decode(bytes).ok()) return add_damaged(bytes);
  if (entry.has_text()) {
    texts_.push_back(repaired(entry.text()));
  } else if (entry.has_thread()) {
    if (!thread.open(entry.thread()).ok()) return;
    threads_[thread.sequence()] = {thread.tid(), repaired(thread.name())};
  } else if (entry.has_counter()) {
    if (counter.open(entry.counter()).ok()) counters_.push_back({repaired(counter.name()), repaired(counter.unit())});
    else counters_.push_back({kReplacement, {}});
  } else if (entry.has_process()) {
    if (process.open(entry.process()).ok()) process_ = repaired(process.name());
  }
}

// An entry that cannot be decoded is lost, and no other: a text or a counter keeps its number (TRC-50).
void RegistryReader::add_damaged(hotpb::Bytes bytes) {
  if (bytes.empty()) return;
  constexpr std::uint8_t kText = 0x0a;  // the tag of its field, with which it begins
  constexpr std::uint8_t kCounter = 0x1a;
  if (bytes.data()[0] == kText) texts_.emplace_back(kReplacement);
  if (bytes.data()[0] == kCounter) counters_.push_back({kReplacement, {}});
}

}  // namespace tracing::service
