// hotpb's wire layer and libprotobuf's, side by side on the same bytes.
//
// The comparison leaves out known differences: libprotobuf 3.21 accepts a tag of up to ten bytes, and 32-bit tags with
// any upper bits, where hotpb accepts at most five bytes and values below 2^32 (TAG-1).
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/common.h>
#include <google/protobuf/unknown_field_set.h>
#include <google/protobuf/wire_format_lite.h>
#include <gtest/gtest.h>

#include "hotpb/check.h"
#include "hotpb/wire/utf8.h"
#include "hotpb/wire/write.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

namespace pb = google::protobuf;
using hotpb::wire::WireType;
using pb::internal::WireFormatLite;
using pb::io::CodedInputStream;
using pb::io::CodedOutputStream;

TEST(Libprotobuf, varints_are_read_alike) {
  Random random;
  for (int i = 0; i < 300000; ++i) {
    std::string bytes = random.bytes(1 + random.below(12));
    for (char& c : bytes) {
      if (!random.one_in(6)) c = static_cast<char>(c | 0x80);
    }
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    CodedInputStream in(data, static_cast<int>(bytes.size()));
    pb::uint64 theirs = 0;
    const bool ok = in.ReadVarint64(&theirs);
    std::uint64_t value_read = 0;
    const std::uint8_t* end = hotpb::wire::read_varint(data, data + bytes.size(), value_read);
    ASSERT_EQ(end != nullptr, ok) << to_hex(bytes);
    if (!ok) continue;
    ASSERT_EQ(value_read, theirs) << to_hex(bytes);
    ASSERT_EQ(end - data, in.CurrentPosition()) << to_hex(bytes);
  }
}

TEST(Libprotobuf, varints_and_zigzag_are_written_alike) {
  Random random;
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t value = random.varied();
    std::uint8_t encoded[hotpb::wire::kVarintRoom];
    std::uint8_t theirs[16];
    std::uint8_t* const our_end = hotpb::wire::write_varint(encoded, value);
    std::uint8_t* const their_end = CodedOutputStream::WriteVarint64ToArray(value, theirs);
    ASSERT_EQ(std::string(encoded, our_end), std::string(theirs, their_end));
    ASSERT_EQ(hotpb::wire::varint_size(value), CodedOutputStream::VarintSize64(value));
    const auto wide = static_cast<std::int64_t>(value);
    const auto narrow = static_cast<std::int32_t>(value & 0xffffffff);
    ASSERT_EQ(hotpb::wire::zigzag64(wide), WireFormatLite::ZigZagEncode64(wide));
    ASSERT_EQ(hotpb::wire::zigzag32(narrow), WireFormatLite::ZigZagEncode32(narrow));
    ASSERT_EQ(hotpb::wire::unzigzag64(value), WireFormatLite::ZigZagDecode64(value));
  }
}

// A field, with messages inside up to `levels` deep, often with an error in it.
void append_field(std::string& out, Random& random, int levels) {
  const std::uint32_t number = 1 + static_cast<std::uint32_t>(random.varied() % hotpb::wire::kMaxFieldNumber);
  switch (random.below(levels > 0 ? 6 : 4)) {
    case 0:
      hotpb::wire::append_tag(out, number, WireType::Varint);
      hotpb::wire::append_varint(out, random.varied());
      break;
    case 1:
      hotpb::wire::append_tag(out, number, WireType::Fixed32);
      hotpb::wire::append_fixed(out, static_cast<std::uint32_t>(random.bits()));
      break;
    case 2:
      hotpb::wire::append_tag(out, number, WireType::Fixed64);
      hotpb::wire::append_fixed(out, random.bits());
      break;
    case 3:
      hotpb::wire::append_tag(out, number, WireType::Len);
      hotpb::wire::append_len(out, std::string_view(random.bytes(random.below(20))));
      break;
    default:
      hotpb::wire::append_tag(out, number, WireType::StartGroup);
      for (std::size_t fields = random.below(3); fields > 0; --fields) append_field(out, random, levels - 1);
      hotpb::wire::append_tag(out, random.one_in(30) ? number + 1 : number, WireType::EndGroup);
      break;
  }
}

TEST(Libprotobuf, messages_of_unknown_fields_are_accepted_and_refused_alike) {
  Random random;
  std::size_t good = 0;
  std::size_t bad = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string bytes;
    for (std::size_t fields = random.below(6); fields > 0; --fields) append_field(bytes, random, 4);
    if (random.one_in(3) && !bytes.empty()) bytes.resize(random.below(bytes.size()));
    pb::UnknownFieldSet fields;
    const bool theirs = fields.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    const hotpb::Error error = hotpb::check(std::string_view(bytes));
    ASSERT_EQ(error.ok(), theirs) << to_hex(bytes) << ": " << hotpb::to_string(error);
    ++(theirs ? good : bad);
  }
  EXPECT_GT(good, 1000u);
  EXPECT_GT(bad, 1000u);
}

TEST(Libprotobuf, skipping_a_field_ends_at_the_same_byte) {
  Random random;
  for (int i = 0; i < 60000; ++i) {
    std::string bytes;
    append_field(bytes, random, 4);
    bytes += random.bytes(random.below(12));
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const std::uint8_t* end = data + bytes.size();
    std::uint32_t tag = 0;
    const std::uint8_t* p = hotpb::wire::read_tag(data, end, tag);
    ASSERT_NE(p, nullptr);
    p = hotpb::wire::skip_value(p, end, tag, 100);
    CodedInputStream in(data, static_cast<int>(bytes.size()));
    ASSERT_EQ(in.ReadTag(), tag);
    const bool theirs = WireFormatLite::SkipField(&in, tag);
    ASSERT_EQ(p != nullptr, theirs) << to_hex(bytes);
    if (theirs) {
      ASSERT_EQ(p - data, in.CurrentPosition()) << to_hex(bytes);
    }
  }
}

TEST(Libprotobuf, utf8_is_judged_alike) {
  Random random;
  for (int i = 0; i < 200000; ++i) {
    std::string text = random.bytes(random.below(12));
    for (char& c : text) {
      if (random.one_in(2)) c = static_cast<char>(c & 0x7f);
    }
    const bool theirs = pb::internal::IsStructurallyValidUTF8(text.data(), static_cast<int>(text.size()));
    const bool valid = hotpb::utf8::is_valid(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    ASSERT_EQ(valid, theirs) << to_hex(text);
  }
}

}  // namespace
}  // namespace hotpb_test
