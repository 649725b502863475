// FCE-33: the text of canonical bytes is that of libprotobuf, but for enums (numbers), groups (the field's name) and
// extensions (unknown fields).
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "hotpb/debug.h"
#include "hotpb/vectors.pb.h"
#include "hotpb/vectors_proto2.pb.h"
#include "hotpb_test/reencode_pool.h"
#include "lists.h"
#include "support/vectors.h"

namespace hotpb_test {
namespace {

namespace pb = google::protobuf;

class Values : public pb::TextFormat::FastFieldValuePrinter {
 public:
  void PrintEnum(pb::int32 value, const std::string&, pb::TextFormat::BaseTextGenerator* out) const override {
    out->PrintString(std::to_string(value));
  }
  void PrintFieldName(const pb::Message&, int, int, const pb::Reflection*, const pb::FieldDescriptor* field,
                      pb::TextFormat::BaseTextGenerator* out) const override {
    out->PrintString(field->is_extension() ? "extension" : field->name());
  }
};

std::string their_text(const pb::Message& message) {
  pb::TextFormat::Printer printer;
  printer.SetDefaultFieldValuePrinter(new Values);
  std::string text;
  EXPECT_TRUE(printer.PrintToString(message, &text));
  return text;
}

// libprotobuf 3.21 completes map entries with undefined values, drops items of message sets that are not whole, and
// prints floats below the normal ones with all digits.
bool differs(const std::string& vector, const std::string& text) {
  for (const char* const name : {"a_map_entry_with_an_undefined_value", "items_that_nobody_asks_for",
                                 "what_is_not_a_whole_item"}) {
    if (vector.rfind(name, 0) == 0) return true;
  }
  return text == "single_float: 1.40129846e-45\n";
}

TEST(DebugOracle, canonical_bytes_have_the_text_of_libprotobuf) {
  const pb::LogSilencer silencer;  // of strings that are not UTF-8
  ASSERT_NE(hotpb::vectors::p3::All::descriptor(), nullptr);
  ASSERT_NE(hotpb::vectors::p2::All::descriptor(), nullptr);
  hotpb::DebugOptions options;
  options.size = ~std::size_t{0};
  std::size_t count = 0;
  for (const Json& vector : load_vectors("wire")) {
    const pb::Descriptor* const type =
        pb::DescriptorPool::generated_pool()->FindMessageTypeByName(vector.at("message").string);
    const hotpb::pool::Reencoder* const reencoder = find<hotpb::pool::Reencoder>(vector.at("message").string);
    if (!binds(vector, "pool") || type == nullptr || reencoder == nullptr) continue;
    SCOPED_TRACE(vector.at("name").string);
    const std::string bytes = from_hex(vector.at("canonical").string);
    const std::unique_ptr<pb::Message> message(pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
    if (!message->ParsePartialFromString(bytes)) continue;  // deeper than it goes
    const std::string theirs = their_text(*message);
    if (theirs.find("extension") != std::string::npos || differs(vector.at("name").string, theirs)) continue;
    EXPECT_EQ(hotpb::debug_string(*reencoder->table, std::string_view(bytes), options), theirs);
    ++count;
  }
  EXPECT_GT(count, 300u);
}

TEST(DebugOracle, numbers_have_the_text_of_libprotobuf) {
  Random random;
  const hotpb::pool::Reencoder* const reencoder = find<hotpb::pool::Reencoder>("hotpb.vectors.p2.All");
  ASSERT_NE(reencoder, nullptr);
  hotpb::vectors::p2::All all;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random.one_in(3) ? random.bits() : hotpb::detail::port::bits_as<std::uint64_t>(
        static_cast<double>(random.varied()) / static_cast<double>(1 + random.below(1000)));
    all.set_single_double(hotpb::detail::port::bits_as<double>(bits));
    const float number = hotpb::detail::port::bits_as<float>(static_cast<std::uint32_t>(bits));
    const bool normal = std::fpclassify(number) != FP_SUBNORMAL;
    all.set_single_float(normal ? number : static_cast<float>(random.below(100000)) / 1000);
    all.set_single_int32(static_cast<std::int32_t>(random.varied()));
    all.set_single_sint64(static_cast<std::int64_t>(random.varied()));
    all.set_single_fixed32(static_cast<std::uint32_t>(random.bits()));
    all.set_single_bytes(random.bytes(random.below(12)));
    ASSERT_EQ(hotpb::debug_string(*reencoder->table, std::string_view(all.SerializeAsString())), their_text(all));
  }
}

}  // namespace
}  // namespace hotpb_test
