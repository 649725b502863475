// Writers whose setters are calls, inlined ones (hot=), and both in one message write the same bytes and chunks, and
// end with the same status where the room ends.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "called/hotpb/vectors.hot.h"
#include "hotpb/chunk/callback.h"
#include "hotpb/vectors.hot.h"
#include "mixed/hotpb/vectors.hot.h"
#include "support/support.h"
#include "support/thorough.h"
#include "writer/consumer.h"

namespace hotpb_test {
namespace {

namespace p3 = hotpb::vectors::p3;

static_assert(std::is_base_of_v<hotpb::InlinedWriter, p3::hot::AllWriter>);
static_assert(std::is_base_of_v<hotpb::InlinedWriter, p3::hot::ChildWriter>);
static_assert(!std::is_base_of_v<hotpb::InlinedWriter, p3::called::AllWriter>);
static_assert(!std::is_base_of_v<hotpb::InlinedWriter, p3::called::ChildWriter>);
static_assert(!std::is_base_of_v<hotpb::InlinedWriter, p3::mixed::AllWriter>);
static_assert(std::is_base_of_v<hotpb::InlinedWriter, p3::mixed::ChildWriter>);

// Values at which the length of a varint or the width of a text's length changes.
const std::uint64_t kNumbers[] = {0, 1, 127, 128, 16383, 16384, (1u << 21) - 1, 1u << 21, (1u << 28) - 1, 1u << 28,
                                  0x7fffffff, 0x80000000, 0xffffffff, std::uint64_t{1} << 35,
                                  (std::uint64_t{1} << 56) - 1, std::uint64_t{1} << 56, std::uint64_t{1} << 63,
                                  ~std::uint64_t{0}};
const std::size_t kSizes[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 100, 126, 127, 128, 129, 300};

template <class Child>
void write_children(Child& child, std::size_t depth, std::uint64_t number) {
  child.set_id(static_cast<std::int32_t>(number));
  child.set_name(std::string(number % 150, 'n'));
  child.add_numbers({1, -1, static_cast<std::int32_t>(number)});
  child.add_counts("k", static_cast<std::int32_t>(number));
  child.set_pick_id(static_cast<std::int64_t>(number));
  if (depth == 0) return;
  {
    auto inner = child.set_child();
    write_children(inner, depth - 1, number + 1);
  }
  child.add_children([&](Child& inner) { write_children(inner, depth - 1, number >> 1); });
}

// Every kind of field, with numbers of fields whose tags have one and two bytes.
template <class All, class Open>
void write_all(All& all) {
  for (const std::uint64_t number : kNumbers) {
    const auto signed64 = static_cast<std::int64_t>(number);
    const auto signed32 = static_cast<std::int32_t>(number);
    const auto unsigned32 = static_cast<std::uint32_t>(number);
    all.set_single_int32(signed32);
    all.set_single_int64(signed64);
    all.set_single_uint32(unsigned32);
    all.set_single_uint64(number);
    all.set_single_sint32(signed32);
    all.set_single_sint64(signed64);
    all.set_single_fixed32(unsigned32);
    all.set_single_fixed64(number);
    all.set_single_sfixed32(signed32);
    all.set_single_sfixed64(signed64);
    all.set_single_float(static_cast<float>(number));
    all.set_single_double(static_cast<double>(number));
    all.set_single_bool(number % 2 != 0);
    all.set_single_open(static_cast<Open>(signed32));
    all.set_optional_int32(signed32 / -2);
    all.set_optional_int64(signed64);
    all.set_optional_sint32(signed32);
    all.set_optional_uint64(number);
    all.set_optional_fixed32(unsigned32);
    all.set_optional_fixed64(number);
    all.set_optional_bool(number % 3 == 0);
    all.set_optional_open(static_cast<Open>(signed32));
    all.add_packed_sint64({signed64, 1, -1});
    all.add_packed_fixed32({unsigned32, 7});
    all.add_unpacked_int64(signed64);
    all.add_unpacked_bool(true);
    all.add_key_sint64(signed64, signed64);
  }
  for (const std::size_t size : kSizes) {
    const std::string text(size, 't');
    all.set_single_string(text);
    all.set_single_bytes(text);
    all.set_optional_string(text);
    all.add_repeated_bytes(text);
    all.add_key_string(text, text);
    all.set_single_child().set_name(text);
    all.add_repeated_child([&](auto& child) { child.set_name(text); });
    all.set_single_all().set_optional_string(text);
  }
  for (const std::uint64_t number : kNumbers) {
    auto child = all.add_repeated_child();
    write_children(child, 3, number);
  }
  {
    auto packed = all.packed_repeated_uint64();
    for (const std::uint64_t number : kNumbers) packed.add(number);
  }
  auto abandoned = all.add_repeated_child();
  abandoned.set_id(1);
  static_cast<void>(abandoned.abandon());  // false, in all variants, where its first bytes have left with a chunk
  all.set_single_int32(1);
}

// The bytes that were written, and the final status.
struct Result {
  std::string bytes;
  std::string code;
  std::uint64_t valid;
  std::size_t patches;
};
bool operator==(const Result& a, const Result& b) {
  return a.bytes == b.bytes && a.code == b.code && a.valid == b.valid && a.patches == b.patches;
}

template <class All, class Open>
Result in_chunks(hotpb::StreamPolicy policy, std::size_t size) {
  Consumer consumer([size](std::size_t) { return size; });
  hotpb::WriteStream out(consumer, policy);
  {
    auto all = out.message<All>();
    write_all<All, Open>(all);
  }
  const hotpb::WriteStatus status = out.status();
  return {consumer.bytes(), std::string(hotpb::code_name(status.code)), status.valid_len, consumer.patches()};
}

template <class All, class Open>
Result in_memory(hotpb::LengthPolicy policy, std::size_t size) {
  const std::unique_ptr<std::uint8_t[]> memory(new std::uint8_t[size]);
  hotpb::FixedBuffer out(memory.get(), size, policy);
  {
    auto all = out.message<All>();
    write_all<All, Open>(all);
  }
  const hotpb::WriteStatus status = out.status();
  std::string bytes(out.bytes().text());
  bytes += out.partial_bytes().text();
  return {bytes, std::string(hotpb::code_name(status.code)), status.valid_len, 0};
}

TEST(Inlined, same_bytes_and_patches_in_chunks_of_any_size) {
  for (const auto policy : {hotpb::StreamPolicy::compact, hotpb::StreamPolicy::fixed4}) {
    for (std::size_t size = 64; size < 3000; size += size < 200 ? 1 : 97) {
      const Result called = in_chunks<p3::called::AllWriter, p3::called::Open>(policy, size);
      ASSERT_EQ(called.code, "Ok");
      ASSERT_GT(called.bytes.size(), 10000u);
      ASSERT_TRUE((in_chunks<p3::hot::AllWriter, p3::hot::Open>(policy, size) == called)) << size;
      ASSERT_TRUE((in_chunks<p3::mixed::AllWriter, p3::mixed::Open>(policy, size) == called)) << size;
    }
  }
}

TEST(Inlined, same_bytes_where_the_room_ends) {
  using hotpb::LengthPolicy;
  const std::size_t step = thorough() ? 1 : 3;  // each size by one of the three policies, or by all
  std::size_t first = 0;
  for (const auto policy : {LengthPolicy::compact, LengthPolicy::fixed4, LengthPolicy::minimal}) {
    const Result whole = in_memory<p3::called::AllWriter, p3::called::Open>(policy, 1 << 20);
    ASSERT_EQ(whole.code, "Ok");
    for (std::size_t size = first++ % step; size <= whole.bytes.size(); size += size < 1500 ? step : 211) {
      const Result called = in_memory<p3::called::AllWriter, p3::called::Open>(policy, size);
      ASSERT_EQ(called.code, "BufferExhausted") << size;
      ASSERT_TRUE((in_memory<p3::hot::AllWriter, p3::hot::Open>(policy, size) == called)) << size;
      ASSERT_TRUE((in_memory<p3::mixed::AllWriter, p3::mixed::Open>(policy, size) == called)) << size;
    }
    ASSERT_TRUE((in_memory<p3::hot::AllWriter, p3::hot::Open>(policy, 1 << 20) == whole));
    ASSERT_TRUE((in_memory<p3::mixed::AllWriter, p3::mixed::Open>(policy, 1 << 20) == whole));
  }
}

}  // namespace
}  // namespace hotpb_test
