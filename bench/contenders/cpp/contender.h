// A contender of one message type, and the registry of all of them in a program.
#ifndef HOTPB_BENCH_PEERS_CONTENDER_H_
#define HOTPB_BENCH_PEERS_CONTENDER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace peers {

enum class Task { Decode, DecodeRead, Encode, EncodeFresh };

using Records = std::vector<std::string_view>;

class Contender {
 public:
  virtual ~Contender() = default;
  virtual bool takes(Task task) const = 0;
  // Decodes a record and reads all of it. False: refused.
  virtual bool decode(std::string_view record, std::uint64_t& checksum) = 0;
  // Holds the decoded records for the tasks that encode. Called once, before these.
  virtual bool hold(const Records&) { return true; }
  // The encoding of a held record, as the task writes it.
  virtual std::string encoded(Task, std::size_t) { return {}; }
  // The timed function: the records in turn. False: something failed.
  virtual bool run(Task task, const Records& records, std::uint64_t operations) = 0;
};

// The stock runtime's judgement of one record: its checksum, and its own deterministic encoding of any bytes.
struct Stock {
  std::function<bool(std::string_view record, std::uint64_t& checksum)> checksum;
  std::function<bool(std::string_view bytes, std::string& reencoded)> reencode;
};

struct Entry {
  std::string name;
  std::function<std::unique_ptr<Contender>()> make;
};

struct Row {
  std::vector<Entry> contenders;
  Stock stock;
};

// All messages of the program by name.
inline std::map<std::string, Row>& rows() {
  static std::map<std::string, Row> all;
  return all;
}

template <class T>
struct Registration {
  Registration(const char* message, const char* contender) {
    rows()[message].contenders.push_back({contender, [] { return std::unique_ptr<Contender>(new T); }});
  }
};

// Makes the optimiser assume that all memory is read.
inline __attribute__((always_inline)) void use(const void* value) { asm volatile("" : : "g"(value) : "memory"); }
inline __attribute__((always_inline)) void use(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

// Calls f with each record in turn until it fails.
template <class F>
inline bool in_turn(std::size_t records, std::uint64_t operations, F f) {
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < operations; ++i) {
    if (!f(at)) return false;
    if (++at == records) at = 0;
  }
  return true;
}

}  // namespace peers

#endif  // HOTPB_BENCH_PEERS_CONTENDER_H_
