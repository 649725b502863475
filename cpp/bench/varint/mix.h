// The output of varint-mix: messages of eight varints, whose lengths in bytes are drawn evenly from 1 to 10 (case
// `random`) or are all one (case `one-byte`). There are so many messages that no branch predictor learns them.
#ifndef HOTPB_BENCH_VARINT_MIX_H_
#define HOTPB_BENCH_VARINT_MIX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grid/harness.h"

#define BENCH_INLINE inline __attribute__((always_inline))

namespace bench {

using Record = std::array<std::uint64_t, 8>;
constexpr std::size_t kRecords = 8192;
constexpr std::size_t kRecordRoom = 128;  // more than a record needs

std::vector<Record> random_records();
std::vector<Record> one_byte_records();
// The bytes of all records together, as libprotobuf writes them.
std::size_t encoded_size(const std::vector<Record>& records);
// Whether libprotobuf reads these bytes as that record. Returns the difference, or "".
std::string differs_from_record(const Record& record, const std::uint8_t* bytes, std::size_t size);

template <class Message>
BENCH_INLINE void fill(Message& message, const Record& record) {
  message.set_a(record[0]);
  message.set_b(record[1]);
  message.set_c(record[2]);
  message.set_d(record[3]);
  message.set_e(record[4]);
  message.set_f(record[5]);
  message.set_g(record[6]);
  message.set_h(record[7]);
}

// Rival: std::size_t write(record, out) writes a record at the start of kRecordRoom bytes and returns its size.
template <class Rival>
class MixContender final : public Contender {
 public:
  explicit MixContender(std::vector<Record> records) : records_(std::move(records)) {}

  void run(std::uint64_t operations) override {
    for (std::uint64_t i = 0; i < operations; ++i) {
      rival_.write(records_[i % kRecords], out_);
      clobber_memory();
    }
  }
  std::string verify() override {
    for (const Record& record : records_) {
      const std::size_t size = rival_.write(record, out_);
      std::string wrong = differs_from_record(record, out_, size);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  std::size_t size() const override { return encoded_size(records_) / kRecords; }

 private:
  std::vector<Record> records_;
  Rival rival_;
  std::uint8_t out_[kRecordRoom];
};

template <class Rival>
void add_mix_rival(Grid& grid, const char* rival, const char* note) {
  grid.add("varint-mix", rival, note, [](const Request& request) -> std::unique_ptr<Contender> {
    if (request.case_name == "random") return std::make_unique<MixContender<Rival>>(random_records());
    if (request.case_name == "one-byte") return std::make_unique<MixContender<Rival>>(one_byte_records());
    return nullptr;
  });
}

}  // namespace bench

#endif  // HOTPB_BENCH_VARINT_MIX_H_
