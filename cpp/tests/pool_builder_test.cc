// Builders (POL-16): created empty, from a message, from bytes; edited; encoded; what they refuse.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "hotpb/vectors.builder.hot.h"
#include "hotpb/vectors_proto2.builder.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::EncodeBuffer;
using hotpb::EncodeOptions;
using hotpb::Error;
namespace p2 = hotpb::vectors::p2::hot;
namespace p3 = hotpb::vectors::p3::hot;

template <class B>
std::string encoded(const B& builder, const EncodeOptions& options = {}) {
  EncodeBuffer buffer;
  const Error error = builder.encode(buffer, options);
  EXPECT_EQ(hotpb::to_string(error), "Ok");
  return std::string(buffer.bytes().text());
}

template <class B>
Error refused(const B& builder, const EncodeOptions& options = {}) {
  EncodeBuffer buffer;
  EXPECT_TRUE(buffer.encode(p3::Child()).ok());
  Error error = builder.encode(buffer, options);
  EXPECT_FALSE(error.ok());
  EXPECT_TRUE(buffer.bytes().empty());
  return error;
}

// Counts blocks, and has no more memory after `limit` of them.
class Blocks final : public hotpb::PoolAllocator {
 public:
  ~Blocks() { EXPECT_EQ(sizes_.size(), 0u); }
  void* allocate(std::size_t size) override {
    if (calls == limit) return nullptr;
    ++calls;
    void* const block = std::malloc(size);
    sizes_[block] = size;
    return block;
  }
  void release(void* block, std::size_t size) override {
    EXPECT_EQ(sizes_.at(block), size);
    sizes_.erase(block);
    std::free(block);
  }
  std::size_t open() const { return sizes_.size(); }

  std::size_t calls = 0;
  std::size_t limit = ~std::size_t{0};

 private:
  std::map<void*, std::size_t> sizes_;
};

TEST(PoolBuilder, a_message_is_built_edited_and_encoded) {
  p3::AllBuilder all;
  EXPECT_TRUE(all.set_single_int32(-1));
  EXPECT_TRUE(all.set_single_string("\xc3\xa9"));
  for (const int number : {1, 2, 300}) EXPECT_TRUE(all.add_repeated_int32(number));
  EXPECT_TRUE(all.put_value_int32(3, 4));
  EXPECT_TRUE(all.put_value_int32(1, 2));
  EXPECT_TRUE(all.mutable_single_child().set_name("n"));
  const std::string bytes = encoded(all);

  p3::AllPool pool;
  ASSERT_TRUE(pool.decode(bytes).ok());
  EXPECT_EQ(pool->single_int32(), -1);
  EXPECT_EQ(pool->single_string(), "\xc3\xa9");
  ASSERT_EQ(pool->repeated_int32().size(), 3u);
  EXPECT_EQ(pool->repeated_int32()[2], 300);
  EXPECT_EQ((*pool->value_int32().begin()).key, 1);  // by key
  EXPECT_EQ(pool->single_child().name(), "n");

  p3::AllBuilder rebuilt(*pool);
  EXPECT_TRUE(pool.decode(std::string_view("")).ok());  // the builder owns what it has
  EXPECT_EQ(to_hex(encoded(rebuilt)), to_hex(bytes));
  EXPECT_TRUE(rebuilt.erase_repeated_int32(2));
  EXPECT_TRUE(rebuilt.insert_repeated_int32(0, 7));
  rebuilt.clear_single_child();
  EXPECT_TRUE(rebuilt.erase_value_int32(3));
  EXPECT_FALSE(rebuilt.erase_value_int32(3));
  EXPECT_EQ(rebuilt.error(), Code::Ok);  // a key that is not there is no error
  EXPECT_EQ(rebuilt->repeated_int32()[0], 7);
  EXPECT_FALSE(rebuilt->has_single_child());
  EXPECT_EQ(rebuilt->value_int32().size(), 1u);

  p3::AllBuilder read;
  ASSERT_TRUE(read.decode(bytes).ok());
  EXPECT_EQ(to_hex(encoded(read)), to_hex(bytes));
  EXPECT_EQ(hotpb::to_string(read.decode(std::string_view("\x0f"))), "InvalidWireType at byte 0");
  EXPECT_TRUE(encoded(read).empty());
}

TEST(PoolBuilder, a_oneof_has_one_member) {
  p3::ChildBuilder child;
  EXPECT_TRUE(child.set_pick_name("text"));
  EXPECT_TRUE(child.mutable_pick_child().set_id(1));
  EXPECT_EQ(child->which_pick(), 7u);
  EXPECT_EQ(child->pick_name(), "");
  EXPECT_TRUE(child.set_pick_id(5));
  child.clear_pick_name();  // which is not set
  EXPECT_EQ(child->pick_id(), 5);
  child.clear_pick();
  EXPECT_EQ(child->which_pick(), 0u);
}

// Presence, defaults and closed enums of proto2.
TEST(PoolBuilder, presence_is_kept) {
  p2::AllBuilder all;
  EXPECT_EQ(all->default_int32(), std::numeric_limits<std::int32_t>::min());
  EXPECT_TRUE(all.set_default_int32(0));
  EXPECT_TRUE(all.set_single_string(""));
  EXPECT_TRUE(all->has_default_int32());
  EXPECT_TRUE(all->has_single_string());
  EXPECT_EQ(all->default_int32(), 0);
  p2::AllBuilder copy(*all);
  EXPECT_TRUE(copy->has_single_string());
  copy.clear_default_int32();
  copy.clear_single_string();
  EXPECT_FALSE(copy->has_single_string());
  EXPECT_EQ(copy->default_int32(), std::numeric_limits<std::int32_t>::min());
  EXPECT_TRUE(encoded(copy).empty());
}

// POL-58: values that a reader would refuse, and elements that are not there.
TEST(PoolBuilder, a_call_that_fails_changes_nothing_and_is_reported) {
  const auto check = [](Code code, auto edit) {
    p3::AllBuilder all;
    EXPECT_TRUE(all.set_single_string("s"));
    EXPECT_TRUE(all.add_repeated_string("r"));
    EXPECT_TRUE(all.add_repeated_int32(1));
    EXPECT_TRUE(all.add_repeated_child().set_id(1));
    EXPECT_TRUE(all.put_key_string("k", "v"));
    const std::string before = encoded(all);
    edit(all);
    EXPECT_EQ(hotpb::code_name(all.error()), hotpb::code_name(code));
    EXPECT_EQ(refused(all).code, code);
    EncodeBuffer buffer;
    EXPECT_TRUE(buffer.encode(*all).ok());
    EXPECT_EQ(to_hex(buffer.bytes().text()), to_hex(before));
    EXPECT_TRUE(all.set_single_int32(1));  // still works
    all.reset();
    EXPECT_TRUE(encoded(all).empty());
  };
  const std::string_view bad("\xff");
  check(Code::InvalidUtf8, [&](auto& m) { EXPECT_FALSE(m.set_single_string(bad)); });
  check(Code::InvalidUtf8, [&](auto& m) { EXPECT_FALSE(m.set_repeated_string(0, bad)); });
  check(Code::InvalidUtf8, [&](auto& m) { EXPECT_FALSE(m.add_repeated_string(bad)); });
  check(Code::InvalidUtf8, [&](auto& m) { EXPECT_FALSE(m.put_key_string(bad, "v")); });
  check(Code::InvalidUtf8, [&](auto& m) { EXPECT_FALSE(m.put_key_string("new", bad)); });
  check(Code::InvalidUtf8, [&](auto& m) { EXPECT_FALSE(m.set_oneof_string(bad)); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.set_repeated_string(1, "x")); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.set_repeated_int32(1, 1)); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.insert_repeated_int32(2, 1)); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.insert_repeated_string(2, "x")); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.insert_repeated_child(2).set_id(3)); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.insert_repeated_child(2, p3::Child())); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.set_repeated_child(1, p3::Child())); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.mutable_repeated_child(~std::size_t{1}).set_id(3)); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.erase_repeated_int32(0, 2)); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.erase_repeated_int32(1, ~std::size_t{0})); });
  check(Code::HandleMisuse, [](auto& m) { EXPECT_FALSE(m.erase_repeated_child(2, 0)); });
  check(Code::Truncated, [](auto& m) { EXPECT_FALSE(m.add_unknown_fields(std::string_view("\xb0\x3f", 2))); });
  check(Code::SizeExceeded, [](auto& m) {  // the bytes are not read
    EXPECT_FALSE(m.set_single_bytes(hotpb::Bytes("x", std::size_t{1} << 31)));
  });
}

TEST(PoolBuilder, undefined_values_of_closed_enums_are_refused) {
  p2::AllBuilder all;
  const p2::Closed undefined = static_cast<p2::Closed>(12345);
  EXPECT_FALSE(all.set_single_closed(undefined));
  EXPECT_EQ(all.error(), Code::TypeMismatch);
  EXPECT_FALSE(all.add_repeated_closed(undefined));
  EXPECT_FALSE(all.put_value_closed(1, static_cast<p2::ClosedZero>(12345)));
  EXPECT_FALSE(all->has_single_closed());
  EXPECT_TRUE(all->repeated_closed().empty());
  EXPECT_TRUE(all->value_closed().empty());
}

// A handle that a failed call returned drops everything.
TEST(PoolBuilder, setters_without_a_message_do_nothing) {
  p3::AllBuilder all;
  p3::ChildEdit none = all.mutable_repeated_child(0);
  EXPECT_FALSE(none.set_id(1));
  EXPECT_FALSE(none.set_name("x"));
  EXPECT_FALSE(none.add_numbers(1));
  EXPECT_FALSE(none.put_counts("k", 1));
  EXPECT_FALSE(none.erase_counts("k"));
  EXPECT_FALSE(none.set_child(*none));
  EXPECT_FALSE(none.set(*none));
  EXPECT_FALSE(none.mutable_child().mutable_child().set_id(1));
  EXPECT_FALSE(none.add_children().set_id(1));
  EXPECT_FALSE(none.add_children(*none));
  EXPECT_FALSE(none.erase_numbers(0));
  EXPECT_FALSE(none.set_numbers(0, 1));
  EXPECT_FALSE(none.add_unknown_fields(std::string_view("\x08\x01")));
  none.clear();
  none.clear_numbers();
  none.clear_pick();
  none.clear_unknown_fields();
  none.retain_unknown_fields([](const hotpb::pool::UnknownField&) { return true; });
  EXPECT_EQ(none->id(), 0);
  EXPECT_EQ(p3::ChildEdit().error(), Code::HandleMisuse);
  EXPECT_FALSE(p3::ChildEdit().set_name("\xff"));
  EXPECT_FALSE(p3::ChildEdit().add_numbers(1));
}

TEST(PoolBuilder, depth_is_bounded) {
  p3::ChildBuilder child;
  p3::ChildEdit at = child;
  for (int i = 0; i < 1000; ++i) {
    at = at.mutable_child();
    ASSERT_TRUE(at.set_id(i));
  }
  EXPECT_FALSE(at.mutable_child().set_id(1));
  EXPECT_EQ(child.error(), Code::DepthExceeded);
  p3::ChildBuilder deep(*child);  // as deep
  EXPECT_EQ(deep.error(), Code::Ok);
  p3::ChildBuilder outer;
  EXPECT_FALSE(outer.set_child(*deep));
  EXPECT_FALSE(outer.add_children(*deep));
  EXPECT_EQ(outer.error(), Code::DepthExceeded);
  EXPECT_FALSE(outer->has_child());
  EXPECT_TRUE(outer->children().empty());
}

static_assert(p2::All_Data::kFullName == "hotpb.vectors.p2.All.Data");  // FCE-31
static_assert(std::is_nothrow_move_constructible_v<p3::ChildBuilder>);
static_assert(std::is_nothrow_move_assignable_v<p3::ChildBuilder>);

// POL-57, of builders.
TEST(PoolBuilder, copies_and_moves) {
  Blocks blocks;
  {
    p3::ChildBuilder first(blocks);
    EXPECT_TRUE(first.set_name("name"));
    EXPECT_TRUE(first.add_children().set_name("child"));
    const std::string bytes = encoded(first);
    p3::ChildBuilder copy(first);
    EXPECT_TRUE(copy.set_name("other"));
    EXPECT_EQ(to_hex(encoded(first)), to_hex(bytes));
    p3::ChildBuilder moved(std::move(first));
    EXPECT_EQ(to_hex(encoded(moved)), to_hex(bytes));
    EXPECT_TRUE(encoded(first).empty());
    EXPECT_TRUE(first.set_name("again"));
    moved = std::move(first);
    EXPECT_EQ(moved->name(), "again");
    EXPECT_TRUE(first.set_name("and again"));
    first = moved;
    EXPECT_EQ(first->name(), "again");
    p3::ChildBuilder& same = first;
    first = same;
    first = std::move(same);
    EXPECT_EQ(first->name(), "again");
    EXPECT_FALSE(copy.set_numbers(0, 1));
    p3::ChildBuilder failed(copy);
    EXPECT_EQ(failed.error(), Code::HandleMisuse);  // the copy of a builder that has failed
    p3::ChildBuilder successor(std::move(copy));
    EXPECT_EQ(successor.error(), Code::HandleMisuse);
    EXPECT_EQ(copy.error(), Code::Ok);
  }
  EXPECT_EQ(blocks.open(), 0u);
}

// POL-58. Each allocation fails once: nothing leaks, and the edit has not begun.
TEST(PoolBuilder, memory_may_run_out_anywhere) {
  p3::ChildBuilder whole;
  for (int i = 0; i < 3; ++i) {
    p3::ChildEdit child = whole.add_children();
    EXPECT_TRUE(child.set_name("child"));
    EXPECT_TRUE(child.put_counts("key", i));
    EXPECT_TRUE(child.add_unknown_fields(std::string_view("\xb0\x3f\x07")));
    EXPECT_TRUE(child.mutable_pick_child().set_name("pick"));
  }
  std::size_t failed = 0;
  for (std::size_t limit = 0; limit < 200; ++limit) {
    Blocks blocks;
    blocks.limit = limit;
    p3::ChildBuilder builder(blocks);
    bool good = builder.set(*whole);
    EXPECT_EQ(encoded(p3::ChildBuilder(*builder)).empty(), !good);
    std::string before = good ? encoded(builder) : std::string();
    const auto step = [&](bool done) {
      EncodeBuffer buffer;
      EXPECT_TRUE(buffer.encode(*builder).ok());
      EXPECT_TRUE(done || buffer.bytes().text() == before);
      before = std::string(buffer.bytes().text());
      good = good && done;
    };
    step(builder.set_name("some name"));
    step(builder.put_counts("counted", 1));
    step(builder.put_counts("another", 1));
    step(builder.set_child(*whole));
    step(builder.add_children(*whole));
    step(builder.set_pick_name("x"));
    step(builder.set_pick_child(*whole));
    step(builder.add_unknown_fields(std::string_view("\xb0\x3f\x07")));
    step(builder.add_numbers(1));
    if (good) break;
    ++failed;
    EXPECT_EQ(builder.error(), Code::BufferExhausted);
    EXPECT_EQ(refused(builder).code, Code::BufferExhausted);
  }
  EXPECT_GT(failed, 20u);
  EXPECT_LT(failed, 200u);
}

// POL-33.
TEST(PoolBuilder, an_absent_required_field_is_refused_with_its_path) {
  p2::MustBuilder must;
  EXPECT_TRUE(must.set_id(1));
  p2::NeedsBuilder needs;
  EXPECT_TRUE(needs.put_by_id(7, *must));
  EXPECT_TRUE(must.set_name("n"));
  EXPECT_TRUE(needs.put_by_id(5, *must));
  EXPECT_EQ(hotpb::to_string(refused(needs)), "MissingRequired at byte 0: by_id[1].value.name");
  EncodeOptions partial;
  partial.allow_partial = true;
  EXPECT_FALSE(encoded(needs, partial).empty());
  EXPECT_TRUE(needs.mutable_by_id(7).set_name("m"));
  EXPECT_FALSE(encoded(needs).empty());
}

// POL-34.
TEST(PoolBuilder, a_string_that_the_schema_leaves_unchecked_is_any_bytes_unless_the_encode_is_strict) {
  p2::AllBuilder all;
  EXPECT_TRUE(all.set_single_string("\xff"));
  EXPECT_EQ(to_hex(encoded(all)), "7201ff");
  EncodeOptions strict;
  strict.strict = true;
  EXPECT_EQ(hotpb::to_string(refused(all, strict)), "InvalidUtf8 at byte 2: single_string");
}

TEST(PoolBuilder, unknown_fields_are_kept_added_and_removed) {
  p3::ChildBuilder child;
  ASSERT_TRUE(child.decode(std::string_view("\xa0\x3f\x05\x08\x01\xa8\x3f\x06")).ok());
  child.retain_unknown_fields([](const hotpb::pool::UnknownField& field) { return field.number() != 1012; });
  EXPECT_TRUE(child.add_unknown_fields(std::string_view("\xb0\x3f\x07")));
  EXPECT_EQ(to_hex(encoded(child)), "0801a83f06b03f07");
  EXPECT_TRUE(child.add_unknown_fields(child->unknown_fields().ranges()[0]));  // its own
  EXPECT_EQ(to_hex(encoded(child)), "0801a83f06b03f07a83f06b03f07");
  child.retain_unknown_fields([](const hotpb::pool::UnknownField&) { return false; });
  EXPECT_EQ(to_hex(encoded(child)), "0801");
}

TEST(PoolBuilder, extensions_are_stored_replaced_and_erased) {
  p2::AllBuilder all;
  EXPECT_TRUE(all.add_unknown_fields(std::string_view("\xb0\xea\x01\x07")));  // of nobody
  p2::ext_int32Builder number;
  EXPECT_TRUE(number.set_value(-1));
  EXPECT_TRUE(number.store_in(all).ok());
  p2::ext_repeated_int32Builder numbers;
  for (const int value : {1, 2}) EXPECT_TRUE(numbers.add_value(value));
  EXPECT_TRUE(numbers.store_in(all).ok());
  EXPECT_TRUE(numbers.erase_value(0));
  EXPECT_TRUE(numbers.store_in(all).ok());
  p2::ext_childBuilder child;
  EXPECT_TRUE(child.mutable_value().set_name("n"));
  EXPECT_TRUE(child.store_in(all).ok());

  p2::AllPool pool;
  const std::string bytes = encoded(all);
  ASSERT_TRUE(pool.decode(bytes).ok());
  p2::ext_int32Pool read;
  ASSERT_TRUE(read.open(*pool).ok());
  EXPECT_EQ(read->value(), -1);
  ASSERT_TRUE(numbers.open(*pool).ok());
  ASSERT_EQ(numbers->value().size(), 1u);
  EXPECT_EQ(numbers->value()[0], 2);
  ASSERT_TRUE(child.open(*pool).ok());
  EXPECT_EQ(child->value().name(), "n");

  number.clear_value();
  EXPECT_TRUE(number.store_in(all).ok());  // no value: it erases
  ASSERT_TRUE(read.open(*all).ok());
  EXPECT_FALSE(read->has_value());
  p2::ext_childBuilder::erase_from(all);
  p2::ext_repeated_int32Builder::erase_from(all);
  EXPECT_EQ(to_hex(encoded(all)), "b0ea0107");

  p2::ext_mustBuilder must;
  must.mutable_value();
  EXPECT_EQ(must.store_in(all).code, Code::MissingRequired);
  EXPECT_EQ(to_hex(encoded(all)), "b0ea0107");
}

// SET-5.
TEST(PoolBuilder, items_of_message_sets) {
  p2::MessageSetBuilder set;
  p2::item_mustBuilder must;
  EXPECT_TRUE(must.set_id(1));
  EXPECT_EQ(must.store_in(set).code, Code::MissingRequired);
  EXPECT_TRUE(must.set_name("n"));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(must.store_in(set).ok());
  p2::item_childBuilder child;
  EXPECT_TRUE(child.set_name("c"));
  EXPECT_TRUE(child.store_in(set).ok());
  EXPECT_EQ(to_hex(encoded(set)), "0b10051a050801" "12016e" "0c" "0b10041a03" "120163" "0c");
  must.clear();
  EXPECT_TRUE(must.open(*set).ok());
  EXPECT_EQ(must->name(), "n");
  p2::item_mustBuilder::erase_from(set);
  EXPECT_EQ(to_hex(encoded(set)), "0b10041a031201630c");
}

}  // namespace
}  // namespace hotpb_test
