#include "bench/events.hot.h"
#include "hotpb/wkt/descriptor.hot.h"
#include "prometheus/remote.hot.h"
#include "view/reader.h"
#include "view/rivals.h"

namespace bench {
namespace {

// Opens, and so checks, every message that it reads.
struct ViewAccess {
  template <class V, class F>
  void child(const hotpb::view::Message<V>& message, F f) {
    V view;
    if (!view.open(message).ok()) std::abort();
    f(view);
  }
  template <class V, class F>
  void each(const hotpb::view::Messages<V>& list, F f) {
    V view;
    for (const auto& message : list) {
      if (!view.open(message).ok()) std::abort();
      f(view);
    }
  }
  template <class V, class F>
  void at(const hotpb::view::Messages<V>& list, std::size_t index, F f) { child(list.nth(index), f); }
};

template <class View>
class ViewReader {
 public:
  template <class Walk, Read kRead>
  void read(const std::string& bytes, Sum& sum) {
    View view;
    const hotpb::Bytes input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    if (!view.decode(input).ok()) std::abort();
    ViewAccess access;
    walk<kRead, Walk>(access, view, sum);
  }
};

}  // namespace

void add_view_hotpb_view(Grid& grid) {
  add_view_rival<ViewReader, hotpb::bench::hot::EventView, google::protobuf::hot::FileDescriptorProtoView,
                 prometheus::hot::WriteRequestView>(grid, "hotpb-view", "every level that is opened is checked");
}

}  // namespace bench
