#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "bench/events.pb.h"
#include "prometheus/remote.pb.h"
#include "protozero/document.h"
#include "view/rivals.h"
#include "view/stock.h"

namespace bench {
namespace {

template <class Message, class Walk>
Expected sums(const std::string& bytes) {
  Message message;
  if (!message.ParseFromString(bytes)) std::abort();
  StockAccess access;
  Sum first, all;
  Walk::first(access, message, first);
  Walk::all(access, message, all);
  return {first.value(), all.value()};
}

}  // namespace

std::string view_input(const Request& request) {
  if (request.case_name == "nested-event") return encoded_by_stock(true);
  if (request.case_name == "descriptor") {
    google::protobuf::FileDescriptorProto file;
    google::protobuf::FileDescriptorProto::descriptor()->file()->CopyTo(&file);
    return file.SerializeAsString();
  }
  return request.input;
}

Expected expected(const Request& request) {
  const std::string bytes = view_input(request);
  if (request.case_name == "nested-event") return sums<hotpb::bench::Event, EventWalk>(bytes);
  if (request.case_name == "descriptor") return sums<google::protobuf::FileDescriptorProto, FileWalk>(bytes);
  return sums<prometheus::WriteRequest, RequestWalk>(bytes);
}

void view_tasks(Grid& grid) {
  add_view_hotpb_view(grid);
  add_view_libprotobuf(grid);
  add_view_libprotobuf_lite(grid);
}

}  // namespace bench
