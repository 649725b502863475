// The service's side of a registry (spec/tracing.md, section 2): it copies what is new, checks the copy, and trusts no
// byte. What it has read does not change. Text that is not UTF-8 is repaired (TRC-49).
#ifndef TRACING_SERVICE_REGISTRY_READER_H_
#define TRACING_SERVICE_REGISTRY_READER_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "hotpb/wire.h"

namespace tracing::service {

struct ThreadName {
  std::int64_t tid = 0;
  std::string name;
};
struct CounterName {
  std::string name;
  std::string unit;
};

class RegistryReader {
 public:
  RegistryReader() = default;
  ~RegistryReader();
  RegistryReader(const RegistryReader&) = delete;
  RegistryReader& operator=(const RegistryReader&) = delete;

  // Maps the registry read-only; the descriptor stays the caller's. False: it is none, or not sealed.
  bool open(int fd);
  // Reads what was appended. False: the registry is corrupt, and nothing more is read of it.
  bool update();

  // Numbers count from 1, and were checked: number <= texts().
  std::uint64_t texts() const { return texts_.size(); }
  const std::string& text(std::uint64_t number) const { return texts_[static_cast<std::size_t>(number - 1)]; }
  std::uint64_t counters() const { return counters_.size(); }
  const CounterName& counter(std::uint64_t number) const { return counters_[static_cast<std::size_t>(number - 1)]; }
  // nullptr: not known.
  const ThreadName* thread(std::uint32_t sequence) const {
    const auto found = threads_.find(sequence);
    return found == threads_.end() ? nullptr : &found->second;
  }
  const std::string& process() const { return process_; }

 private:
  void add(hotpb::Bytes entry);
  void add_damaged(hotpb::Bytes entry);

  const std::uint8_t* memory_ = nullptr;
  std::uint32_t bytes_ = 0;
  std::uint32_t seen_ = 0;
  bool corrupt_ = false;
  std::vector<std::string> texts_;
  std::vector<CounterName> counters_;
  std::unordered_map<std::uint32_t, ThreadName> threads_;
  std::string process_;
  std::vector<std::uint8_t> copy_;
};

}  // namespace tracing::service

#endif  // TRACING_SERVICE_REGISTRY_READER_H_
