#include "timing.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include "hotpb/chunk/callback.h"
#include "lines.h"
#include "request.h"

namespace first_light {
namespace {

constexpr int kRounds = 11;
constexpr std::chrono::milliseconds kRound{30};
constexpr std::size_t kChunkSize = 4096;
constexpr std::int64_t kTimestampMs = 1'700'000'000'000;

class PlainSink final : public PageSink {
 public:
  explicit PlainSink(PlainPage& page) : page_(page) {}

  void sample(const Sample& sample) override {
    page_.series.push_back({page_.labels.size(), sample.labels.size(), sample.value,
                            sample.timestamp_ms.value_or(kTimestampMs)});
    for (const Label& label : sample.labels) page_.labels.push_back({keep(label.name), keep(label.value)});
  }
  void family(const Family& family) override { page_.families.push_back(family); }

 private:
  std::string_view keep(std::string_view text) { return page_.text.emplace_back(text); }

  PlainPage& page_;
};

std::string read(std::FILE* file, PlainPage& page) {
  PlainSink sink(page);
  PageReader reader(sink, {});
  Lines lines(file);
  for (Lines::Line line = lines.next(); line.text != nullptr; line = lines.next()) {
    if (!reader.line(line.text, line.size)) return reader.error();
  }
  if (!lines.error().empty()) return lines.error();
  return reader.end() ? std::string() : reader.error();
}

// Chunks in memory, the same ones for every request. They are filled and patched as in chunk_file.h, but without its
// system calls, so that the time is that of the writer and not of the disk.
class MemoryChunks {
 public:
  void clear() { count_ = 0; }

  hotpb::Chunk next(std::uint64_t full_id, std::size_t used) {
    hand_in(full_id, used);
    if (count_ == chunks_.size()) {
      chunks_.push_back(std::make_unique<std::uint8_t[]>(kChunkSize));
      used_.push_back(0);
    }
    std::uint8_t* const data = chunks_[count_].get();
    return {count_++, data, kChunkSize};
  }
  void patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4]) {
    std::memcpy(chunks_[static_cast<std::size_t>(id)].get() + offset, bytes, sizeof bytes);
  }
  void hand_in(std::uint64_t id, std::size_t used) {
    if (id != hotpb::kNoChunk) used_[static_cast<std::size_t>(id)] = used;
  }

  std::string joined() const {
    std::string all;
    for (std::size_t i = 0; i < count_; ++i) all.append(reinterpret_cast<const char*>(chunks_[i].get()), used_[i]);
    return all;
  }

 private:
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
  std::vector<std::size_t> used_;
  std::size_t count_ = 0;
};

// Returns the size of the request; 0 if the writer reports an error.
std::size_t encode(const PlainPage& page, hotpb::WriteStream& out) {
  auto request = out.message<WriteRequestWriter>();
  for (const Family& family : page.families) add_metadata(request, family);
  for (const PlainPage::Series& series : page.series) {
    add_series(request, {page.labels.data() + series.first_label, series.label_count}, series.value,
               series.timestamp_ms);
  }
  const hotpb::WriteStatus status = request.finish();
  return status.ok() ? static_cast<std::size_t>(status.valid_len) : 0;
}

void time_in_turns(std::vector<Contender>& contenders) {
  using Clock = std::chrono::steady_clock;
  for (int round = 0; round < kRounds; ++round) {
    for (Contender& contender : contenders) {
      const Clock::time_point start = Clock::now();
      int turns = 0;
      for (; Clock::now() - start < kRound; ++turns) contender.encode();
      const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
      contender.rounds.push_back(spent.count() / turns);
    }
  }
}

}  // namespace

std::string time_page(std::FILE* file) {
  PlainPage page;
  if (std::string wrong = read(file, page); !wrong.empty()) return wrong;

  MemoryChunks chunks;
  hotpb::CallbackSource source(
      [&](std::uint64_t full_id, std::size_t used, std::uint32_t) { return chunks.next(full_id, used); },
      [&](std::uint64_t id, std::size_t offset, const std::uint8_t(&bytes)[4], std::uint32_t) {
        chunks.patch(id, offset, bytes);
      },
      [&](std::uint64_t id, std::size_t used) { chunks.hand_in(id, used); });
  hotpb::WriteStream out(source);

  std::vector<Contender> contenders = stock_contenders(page);
  contenders.push_back({"hotpb writer, through 4 KiB chunks", [&] {
                          chunks.clear();
                          return encode(page, out);
                        }});
  for (Contender& contender : contenders) contender.encode();  // warm
  const std::string request = chunks.joined();
  if (request.empty() || !stock_agrees(page, request)) return "libprotobuf-lite does not read back the same data";

  time_in_turns(contenders);
  std::printf("request\t%zu\t%zu\n", page.series.size(), request.size());
  for (Contender& contender : contenders) {
    const auto median = contender.rounds.begin() + kRounds / 2;
    std::nth_element(contender.rounds.begin(), median, contender.rounds.end());
    const std::uint64_t before = allocation_count();
    const std::size_t size = contender.encode();
    const std::uint64_t allocations = allocation_count() - before;
    std::printf("C++\t%s\t%.0f\t%.0f\t%llu\n", contender.operation.c_str(), *median,
                static_cast<double>(size) / *median * 1e3, static_cast<unsigned long long>(allocations));
  }
  return {};
}

}  // namespace first_light
