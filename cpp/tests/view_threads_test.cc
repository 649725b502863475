// Many readers of one view (VIW-5). In a file of its own, with the runtime's ready views, because view_threads.sh
// compiles it once more with the thread sanitizer.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "hotpb/wkt/descriptor.hot.h"
#include "hotpb/writer.h"

namespace hotpb_test {
namespace {

namespace pb = google::protobuf::hot;

// A file with messages of ten fields each, and options in two records, which merge.
std::string file() {
  hotpb::HeapBuffer out;
  {
    auto file = out.message<pb::FileDescriptorProtoWriter>();
    file.set_name("a.proto");
    file.set_options([](auto& options) { options.set_java_package("first"); });
    for (int i = 0; i < 20; ++i) {
      auto message = file.add_message_type();
      message.set_name("M" + std::to_string(i));
      for (int number = 1; number <= 10; ++number) {
        auto field = message.add_field();
        field.set_name("f" + std::to_string(number));
        field.set_number(number);
        field.set_type(pb::FieldDescriptorProto_Type::TYPE_INT32);
      }
      message.add_reserved_name("gone");
    }
    file.set_options([](auto& options) { options.set_go_package("second"); });
    for (int i = 0; i < 100; ++i) file.add_public_dependency(i);
  }
  std::string bytes;
  if (!out.append_to(bytes).ok()) std::abort();
  return bytes;
}

std::uint64_t read(const pb::FileDescriptorProtoView& file, const pb::FileOptionsView& options) {
  const pb::FileOptionsView copy = options;  // shares the list of its records
  std::uint64_t sum = file.name().size() + copy.java_package().size() + copy.go_package().size();
  pb::FileOptionsView own;
  if (own.open(file.options()).ok()) sum += own.java_package().size() + own.go_package().size();
  for (const std::int32_t number : file.public_dependency()) sum += static_cast<std::uint64_t>(number);
  sum += static_cast<std::uint64_t>(file.public_dependency().nth(50));
  for (const auto& element : file.message_type()) {
    pb::DescriptorProtoView message;
    if (!message.open(element).ok()) return 0;
    sum += message.name().size() + message.reserved_name().nth(0).size();
    for (const auto& part : message.field()) {
      pb::FieldDescriptorProtoView field;
      if (!field.open(part).ok()) return 0;
      sum += field.name().size();
      sum += static_cast<std::uint64_t>(field.number()) + static_cast<std::uint64_t>(field.type());
    }
  }
  return file.validate().ok() && file.unknown_fields().empty() ? sum : 0;
}

TEST(ViewThreads, any_number_of_threads_may_read_one_view) {
  const std::string bytes = file();
  pb::FileDescriptorProtoView view;
  ASSERT_TRUE(view.decode(std::string_view(bytes)).ok());
  pb::FileOptionsView options;
  ASSERT_TRUE(options.open(view.options()).ok());
  EXPECT_EQ(options.java_package(), "first");
  EXPECT_EQ(options.go_package(), "second");
  const std::uint64_t wanted = read(view, options);
  EXPECT_GT(wanted, 5000u);
  std::vector<std::uint64_t> sums(4);
  std::vector<std::thread> threads;
  for (std::uint64_t& sum : sums) {
    threads.emplace_back([&view, &options, &sum] {
      for (int round = 0; round < 20; ++round) sum = read(view, options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t sum : sums) EXPECT_EQ(sum, wanted);
}

}  // namespace
}  // namespace hotpb_test
