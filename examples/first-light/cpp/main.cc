// First light, C++'s half: turns a /metrics page into a remote-write 1.0 request with hotpb's writer, append-only, in
// chunks of 4 KiB, which Rust's pool and Go's view then read; and times that. `demo.sh` beside it runs all three.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "chunk_file.h"
#include "hotpb/chunk/callback.h"
#include "lines.h"
#include "options.h"
#include "page.h"
#include "request.h"
#include "thousands.h"
#include "timing.h"

namespace first_light {
namespace {

struct Counts {
  std::size_t series = 0;
  std::size_t labels = 0;
  std::size_t metadata = 0;
};

// Every line becomes its record at once. The program never holds more than one line of the page.
class RequestSink final : public PageSink {
 public:
  RequestSink(WriteRequestWriter& request, std::int64_t timestamp_ms)
      : request_(request), timestamp_ms_(timestamp_ms) {}

  void sample(const Sample& sample) override {
    add_series(request_, sample.labels, sample.value, sample.timestamp_ms.value_or(timestamp_ms_));
    counts_.series += 1;
    counts_.labels += sample.labels.size();
  }
  void family(const Family& family) override {
    add_metadata(request_, family);
    counts_.metadata += 1;
  }
  const Counts& counts() const { return counts_; }

 private:
  WriteRequestWriter& request_;
  std::int64_t timestamp_ms_;
  Counts counts_;
};

int complain(const std::string& message) {
  std::fprintf(stderr, "first-light: %s\n", message.c_str());
  return 1;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int convert(std::FILE* page, const Options& options) {
  ChunkFile file(options.request, options.chunk_size);
  hotpb::CallbackSource source(
      [&](std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) {
        return file.next(full_id, used, open_slots);
      },
      [&](std::uint64_t id, std::size_t offset, const std::uint8_t(&bytes)[4], std::uint32_t still_open) {
        file.patch(id, offset, bytes, still_open);
      },
      [&](std::uint64_t id, std::size_t used) { file.finish(id, used); });
  hotpb::WriteStream out(source);
  auto request = out.message<WriteRequestWriter>();

  RequestSink sink(request, options.timestamp_ms);
  PageReader reader(sink, options.labels);
  Lines lines(page);
  for (Lines::Line line = lines.next(); line.text != nullptr; line = lines.next()) {
    if (!reader.line(line.text, line.size)) return complain(options.page + ": " + reader.error());
  }
  if (!lines.error().empty()) {
    return complain(options.page + ": line " + std::to_string(reader.lines() + 1) + ": " + lines.error());
  }
  if (!reader.end()) return complain(options.page + ": " + reader.error());

  const hotpb::WriteStatus status = request.finish();
  if (!status.ok() && file.error().empty()) return complain("the writer: " + std::string(code_name(status.code)));
  if (!file.commit()) return complain(file.error());

  const Counts& counts = sink.counts();
  std::string about = base_name(options.page) + ": a /metrics page, " + thousands(reader.lines()) + " lines, " +
                      thousands(lines.bytes()) + " bytes";
  if (reader.exemplars() > 0) about += "; " + thousands(reader.exemplars()) + " exemplars skipped";
  // The counts have the same words as in Rust's and Go's halves.
  about += "\n  C++ writer " + thousands(counts.series) + " series, " + thousands(counts.labels) + " labels, " +
           thousands(counts.series) + " samples";
  if (counts.metadata > 0) about += ", " + thousands(counts.metadata) + " metadata";
  about += "\n             " + thousands(file.bytes()) + " bytes through " + thousands(file.chunks()) + " chunks of " +
           thousands(options.chunk_size) + "; " + thousands(file.patches()) +
           " lengths patched after their chunk had left\n";
  std::fputs(about.c_str(), stdout);
  return 0;
}

int run(const Options& options) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const bool standard_input = options.page == "-";
  const std::unique_ptr<std::FILE, Close> opened(standard_input ? nullptr : std::fopen(options.page.c_str(), "rb"));
  if (!standard_input && opened == nullptr) return complain(options.page + ": " + std::strerror(errno));
  std::FILE* const page = standard_input ? stdin : opened.get();
  if (!options.time) return convert(page, options);
  const std::string wrong = time_page(page);
  return wrong.empty() ? 0 : complain(options.page + ": " + wrong);
}

}  // namespace
}  // namespace first_light

int main(int argc, char** argv) {
  const auto options = first_light::parse_options(argc, argv);
  if (!options) {
    std::fputs(first_light::kUsage, stderr);
    return 2;
  }
  return first_light::run(*options);
}
