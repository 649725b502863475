// One operation of view-one and view-all: make the bytes readable, then read one field or all.
#ifndef HOTPB_BENCH_VIEW_READER_H_
#define HOTPB_BENCH_VIEW_READER_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "grid/harness.h"
#include "view/walk.h"

namespace bench {

// The bytes of a case: those of the program, or those of the input file.
std::string view_input(const Request& request);
// The checksum of libprotobuf's parse.
struct Expected {
  std::uint64_t first, all;
};
Expected expected(const Request& request);

enum class Read { One, All };

// Reader: `template <class Walk, Read kRead> void read(const std::string& bytes, Sum& sum)`.
template <class Reader, class Walk, Read kRead>
class ViewContender final : public Contender {
 public:
  explicit ViewContender(const Request& request) : bytes_(view_input(request)) {
    expected_ = kRead == Read::One ? expected(request).first : expected(request).all;
  }

  void run(std::uint64_t operations) override {
    for (std::uint64_t i = 0; i < operations; ++i) use(read());
  }
  std::string verify() override { return read() == expected_ ? "" : "the checksum is not that of libprotobuf's parse"; }
  std::size_t size() const override { return bytes_.size(); }
  std::uint64_t checksum() override { return read(); }

 private:
  std::uint64_t read() {
    Sum sum;
    reader_.template read<Walk, kRead>(bytes_, sum);
    return sum.value();
  }

  std::string bytes_;
  std::uint64_t expected_;
  Reader reader_;
};

template <Read kRead, class Walk, class Access, class Message>
inline void walk(Access& access, const Message& message, Sum& sum) {
  if constexpr (kRead == Read::One) {
    Walk::first(access, message, sum);
  } else {
    Walk::all(access, message, sum);
  }
}

// A rival has one reader for each of the three messages.
template <class EventReader, class FileReader, class RequestReader, Read kRead>
std::unique_ptr<Contender> make_view(const Request& request) {
  const std::string& name = request.case_name;
  if (name == "nested-event") return std::make_unique<ViewContender<EventReader, EventWalk, kRead>>(request);
  if (name == "descriptor") return std::make_unique<ViewContender<FileReader, FileWalk, kRead>>(request);
  if (!request.input.empty()) return std::make_unique<ViewContender<RequestReader, RequestWalk, kRead>>(request);
  return nullptr;
}

template <template <class> class Reader, class Event, class File, class WriteRequest>
void add_view_rival(Grid& grid, const char* rival, const char* note) {
  grid.add("view-one", rival, note, make_view<Reader<Event>, Reader<File>, Reader<WriteRequest>, Read::One>);
  grid.add("view-all", rival, note, make_view<Reader<Event>, Reader<File>, Reader<WriteRequest>, Read::All>);
}

}  // namespace bench

#endif  // HOTPB_BENCH_VIEW_READER_H_
