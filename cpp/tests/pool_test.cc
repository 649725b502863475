// The pool's promises beside the vectors: memory that is used again, moves, limits, results of accessors.
#include "hotpb/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "hotpb/vectors.hot.h"
#include "hotpb/vectors_proto2.hot.h"
#include "hotpb/wire/write.h"
#include "prometheus/remote.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::Error;
using hotpb::wire::WireType;
using prometheus::hot::WriteRequest;
using prometheus::hot::WriteRequestPool;
namespace p2 = hotpb::vectors::p2::hot;
namespace p3 = hotpb::vectors::p3::hot;

std::string field(std::uint32_t number, std::string_view content) {
  std::string out;
  hotpb::wire::append_tag(out, number, WireType::Len);
  hotpb::wire::append_len(out, content);
  return out;
}

std::string number(std::uint32_t field_number, std::uint64_t value) {
  std::string out;
  hotpb::wire::append_tag(out, field_number, WireType::Varint);
  hotpb::wire::append_varint(out, value);
  return out;
}

std::string label(const std::string& name, const std::string& value) {
  return field(1, field(1, name) + field(2, value));
}

std::string request(std::size_t series, std::size_t labels) {
  std::string out;
  for (std::size_t i = 0; i < series; ++i) {
    std::string element;
    for (std::size_t j = 0; j < labels; ++j) element += label("name" + std::to_string(j), "value" + std::to_string(i));
    element += field(2, std::string("\x09\0\0\0\0\0\0\xf0\x3f\x10\x05", 11));
    out += field(1, element);
  }
  return out;
}

// Counts, and knows the memory that it lent.
class Counting final : public hotpb::PoolAllocator {
 public:
  ~Counting() { EXPECT_EQ(sizes_.size(), 0u); }
  void* allocate(std::size_t size) override {
    if (given_ + size > limit) return nullptr;
    ++calls;
    given_ += size;
    void* const block = std::malloc(size);
    sizes_[block] = size;
    return block;
  }
  void release(void* block, std::size_t size) override {
    EXPECT_EQ(sizes_.at(block), size);
    given_ -= size;
    sizes_.erase(block);
    std::free(block);
  }
  std::size_t given() const { return given_; }

  std::size_t calls = 0;
  std::size_t limit = ~std::size_t{0};

 private:
  std::size_t given_ = 0;
  std::map<void*, std::size_t> sizes_;
};

TEST(Pool, a_warm_pool_allocates_nothing) {
  Counting memory;
  const std::string large = request(500, 7);
  const std::string small = request(3, 2);
  {
    WriteRequestPool pool(memory);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(pool.decode(large).ok());
    const std::size_t warm = memory.calls;
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(pool.decode(i % 2 == 0 ? small : large).ok());
      EXPECT_EQ(pool->timeseries().size(), i % 2 == 0 ? 3u : 500u);
    }
    EXPECT_EQ(memory.calls, warm);
    EXPECT_EQ(memory.given(), pool.memory());
  }
  EXPECT_EQ(memory.given(), 0u);
}

// Of every length a number of that type can have, in an order that mixes them.
std::uint64_t number_of_length(std::size_t i, std::size_t longest) {
  const std::size_t length = longest < 2 ? 1 : 1 + i * 7 % longest;
  const std::uint64_t top = length == 10 ? std::uint64_t{1} << 63 : std::uint64_t{1} << (7 * length - 7);
  return (length == 1 ? 0 : top) | (i & 1);
}

// Lists are written in runs, whose kind the longest number decides: all kinds, and all sizes of the last run. The first
// buffer is small, so that it grows within the lists, too.
TEST(Pool, numbers_of_any_length_are_written_as_they_were_read) {
  struct Field {
    std::uint32_t number;
    std::size_t longest;
    bool is_packed;
  };
  const Field fields[] = {{401, 10, true},  {402, 10, true},  {403, 5, true},   {404, 10, true},
                          {405, 5, true},   {406, 10, true},  {413, 1, true},   {416, 10, true},
                          {501, 10, false}, {502, 10, false}, {503, 5, false},  {504, 10, false},
                          {505, 5, false},  {506, 10, false}, {513, 1, false},  {516, 10, false}};
  p3::AllPool pool;
  for (const Field& kind : fields) {
    for (std::size_t longest = 1; longest <= kind.longest; ++longest) {
      for (std::size_t count = 1; count < 200; count += count < 40 ? 1 : 31) {
        std::string list;
        for (std::size_t i = 0; i < count; ++i) {
          std::uint64_t value = number_of_length(i, longest);
          const bool is_32_bits = kind.number % 100 == 1 || kind.number % 100 == 16;  // signed: five bytes, or ten
          if (is_32_bits && value > 0x7fffffff) value |= 0xffffffff80000000u;
          if (kind.longest == 5) value &= 0xffffffffu;
          if (kind.is_packed) {
            hotpb::wire::append_varint(list, value);
          } else {
            list += number(kind.number, value);
          }
        }
        const std::string input = kind.is_packed ? field(kind.number, list) : list;
        ASSERT_TRUE(pool.decode(std::string_view(input)).ok());
        hotpb::EncodeBuffer buffer;
        ASSERT_TRUE(buffer.encode(*pool).ok());
        ASSERT_EQ(buffer.bytes().text(), input) << kind.number << ", " << count << " of up to " << longest;
      }
    }
  }
}

// A table is searched from the last field on: fields in order, in reverse, with gaps, and again.
TEST(Pool, fields_by_table_come_in_any_order) {
  std::vector<std::string> records;
  for (const std::uint32_t at : {1u, 3u, 5u, 13u}) records.push_back(number(at, at % 2));
  records.push_back(field(14, "text"));
  records.push_back(number(501, 5));
  records.push_back(field(403, "\x01\x02"));
  std::string sorted;
  std::sort(records.begin(), records.end(), [](const std::string& a, const std::string& b) {
    std::uint32_t x = 0, y = 0;
    const auto read = [](const std::string& text, std::uint32_t& tag) {
      const std::uint8_t* const p = reinterpret_cast<const std::uint8_t*>(text.data());
      hotpb::wire::read_tag(p, p + text.size(), tag);
    };
    read(a, x);
    read(b, y);
    return x < y;
  });
  for (const std::string& record : records) sorted += record;
  p3::AllPool pool;
  hotpb::EncodeBuffer buffer;
  std::sort(records.begin(), records.end());
  do {
    std::string input;
    for (const std::string& record : records) input += record;
    ASSERT_TRUE(pool.decode(std::string_view(input)).ok());
    ASSERT_TRUE(buffer.encode(*pool).ok());
    ASSERT_EQ(buffer.bytes().text(), sorted);
  } while (std::next_permutation(records.begin(), records.end()));
}

// The entries' own level holds nothing, and the level after it does.
TEST(Pool, a_map_of_messages_does_not_grow_the_pool) {
  const std::string input = field(718, number(1, 1) + field(2, field(4, std::string(100, '\1'))));
  p3::AllPool pool;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(pool.decode(std::string_view(input)).ok());
  const std::size_t memory = pool.memory();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(pool.decode(std::string_view(input)).ok());
  EXPECT_EQ(pool.memory(), memory);
}

TEST(Pool, rows_of_strings_that_are_absent_long_or_not_ascii) {
  const std::string absent = "-";
  const std::vector<std::string> texts = {absent, "", "a", "\xe8\xaa\x9e", std::string(70, 'x'),
                                          std::string(70, 'y') + "\xc3\xa9", "\xff"};
  for (const std::string& name : texts) {
    for (const std::string& value : texts) {
      const std::string row = (name == absent ? "" : field(1, name)) + (value == absent ? "" : field(2, value));
      // With and without bytes after the row that may be read along.
      for (const std::string& rest : {std::string(), field(99, std::string(200, 'z'))}) {
        const std::string input = field(1, field(1, row) + field(1, row) + rest);
        WriteRequestPool pool;
        static_cast<void>(pool.decode(input));  // Rows are read at one go into memory that is there.
        const hotpb::Error error = pool.decode(input);
        if (name == "\xff" || value == "\xff") {
          EXPECT_EQ(error.code, Code::InvalidUtf8) << name << ", " << value;
          continue;
        }
        ASSERT_TRUE(error.ok()) << name << ", " << value;
        const prometheus::hot::Label& read = pool->timeseries()[0].labels()[0];
        EXPECT_EQ(read.name(), name == absent ? "" : name);
        EXPECT_EQ(read.value(), value == absent ? "" : value);
      }
    }
  }
}

TEST(Pool, elements_are_contiguous_and_strings_lie_in_the_input) {
  WriteRequestPool pool;
  const std::string input = request(40, 5);
  ASSERT_TRUE(pool.decode(input).ok());
  std::size_t i = 0;
  for (const prometheus::hot::TimeSeries& series : pool->timeseries()) {
    ASSERT_EQ(&series, pool->timeseries().data() + i);
    ASSERT_EQ(series.labels().size(), 5u);
    EXPECT_EQ(series.labels()[4].name(), "name4");
    EXPECT_EQ(series.labels()[4].value(), "value" + std::to_string(i));
    const char* const data = series.labels()[4].value().data();
    EXPECT_TRUE(data >= input.data() && data < input.data() + input.size());
    ASSERT_EQ(series.samples().size(), 1u);
    EXPECT_EQ(series.samples()[0].value(), 1.0);
    EXPECT_EQ(series.samples()[0].timestamp(), 5);
    ++i;
  }
}

// A level's first block has 496 bytes: 62 elements of eight bytes fill it.
TEST(Pool, a_packed_varint_that_is_cut_off_is_not_written_after_the_elements) {
  for (const std::size_t whole : {60u, 61u, 62u}) {
    p3::AllPool pool;
    const std::string input = field(402, "\1") + field(404, std::string(whole, '\5') + '\x80') + std::string(3, '\1');
    EXPECT_EQ(pool.decode(std::string_view(input)).code, Code::Truncated);
  }
}

// After shrink_to() a block may have any size. Bools fill it up to its last bytes; what comes then is aligned.
TEST(Pool, elements_that_are_aligned_stay_in_a_block_of_any_size) {
  const auto bools = [](std::size_t count) { return field(413, std::string(count, '\1')); };
  const std::string large = bools(60000);
  for (std::size_t less = 1; less < 12; ++less) {
    for (std::size_t free = 0; free < 40; ++free) {
      p3::AllPool pool;
      ASSERT_TRUE(pool.decode(std::string_view(large)).ok());
      pool.shrink_to(pool.memory() - less);
      const std::size_t before = pool.memory();
      const std::string single = bools(1);
      ASSERT_TRUE(pool.decode(std::string_view(single)).ok());
      // The blocks of the message itself and of its elements.
      const std::size_t block = pool.memory() - before - (sizeof(p3::All) + 64);
      const std::string input = bools(block - 200 - free) + bools(200) + field(404, "\7");
      ASSERT_TRUE(pool.decode(std::string_view(input)).ok());
      ASSERT_EQ(pool->packed_uint64()[0], 7u);
    }
  }
}

TEST(Pool, fields_whose_records_interleave_are_contiguous_and_in_order) {
  p3::AllPool pool;
  std::string input;
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < 1000; ++i) names.push_back("name" + std::to_string(i));
  for (std::uint64_t i = 0; i < 1000; ++i) {
    input += number(501, i) + field(314, names[i]) + field(318, number(1, i) + field(9, number(1, 2 * i)));
  }
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(pool.decode(input).ok());
    ASSERT_EQ(pool->unpacked_int32().size(), 1000u);
    ASSERT_EQ(pool->repeated_string().size(), 1000u);
    ASSERT_EQ(pool->repeated_child().size(), 1000u);
    for (std::size_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(pool->unpacked_int32()[i], static_cast<std::int32_t>(i));
      EXPECT_EQ(pool->repeated_string()[i], names[i]);
      EXPECT_EQ(pool->repeated_child()[i].id(), static_cast<std::int32_t>(i));
      ASSERT_EQ(pool->repeated_child()[i].children().size(), 1u);
      EXPECT_EQ(pool->repeated_child()[i].children()[0].id(), static_cast<std::int32_t>(2 * i));
    }
  }
}

TEST(Pool, after_an_error_the_message_is_empty_and_the_next_decode_shows_nothing_of_it) {
  WriteRequestPool pool;
  const std::string good = request(5, 5);
  ASSERT_TRUE(pool.decode(good).ok());
  const std::string bad = good.substr(0, good.size() - 3);
  const Error error = pool.decode(bad);
  EXPECT_EQ(error.code, Code::Truncated);
  EXPECT_EQ(error.path, "timeseries[4]");
  EXPECT_TRUE(pool->timeseries().empty());
  const std::string small = request(1, 1);
  ASSERT_TRUE(pool.decode(small).ok());
  ASSERT_EQ(pool->timeseries().size(), 1u);
  EXPECT_EQ(pool->timeseries()[0].labels().size(), 1u);
}

TEST(Pool, a_pool_that_was_moved_from_is_empty_and_can_be_used) {
  WriteRequestPool first;
  const std::string input = request(5, 5);
  ASSERT_TRUE(first.decode(input).ok());
  const WriteRequest* const message = &*first;
  WriteRequestPool second(std::move(first));
  EXPECT_EQ(&*second, message);
  EXPECT_EQ(second->timeseries()[4].labels()[0].name(), "name0");
  EXPECT_TRUE(first->timeseries().empty());
  ASSERT_TRUE(first.decode(input).ok());
  EXPECT_EQ(first->timeseries().size(), 5u);
  second = std::move(first);
  EXPECT_EQ(second->timeseries().size(), 5u);
  EXPECT_TRUE(first->timeseries().empty());
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<WriteRequestPool>);
  EXPECT_FALSE(std::is_copy_constructible_v<WriteRequestPool>);
}

TEST(Pool, clear_keeps_the_memory_and_shrink_to_gives_it_back) {
  Counting memory;
  WriteRequestPool pool(memory);
  const std::string input = request(500, 5);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(pool.decode(input).ok());
  const std::size_t kept = pool.memory();
  pool.clear();
  EXPECT_TRUE(pool->timeseries().empty());
  EXPECT_EQ(pool.memory(), kept);
  pool.shrink_to(kept);
  EXPECT_EQ(pool.memory(), kept);
  for (const std::size_t limit : {kept / 2, std::size_t{20000}, std::size_t{100}, std::size_t{0}}) {
    pool.shrink_to(limit);
    EXPECT_LE(pool.memory(), limit);
    EXPECT_EQ(memory.given(), pool.memory());
    ASSERT_TRUE(pool.decode(input).ok());
    EXPECT_EQ(pool->timeseries().size(), 500u);
  }
}

TEST(Pool, memory_that_the_machine_does_not_have_is_an_error_at_each_allocation) {
  const std::string input = request(50, 5) + request(1, 1);
  bool good = false;
  for (std::size_t limit = 0; !good; limit += 500) {
    Counting memory;
    memory.limit = limit;
    WriteRequestPool pool(memory);
    const Error error = pool.decode(input);
    good = error.ok();
    if (!good) {
      EXPECT_EQ(error.code, Code::CountExceeded);
      EXPECT_TRUE(pool->timeseries().empty());
    }
    ASSERT_LT(limit, 1000000u);
  }
}

TEST(Pool, the_memory_limit_names_the_record_that_exceeds_it) {
  WriteRequestPool pool;
  const std::string input = request(10, 1);
  const std::size_t series_size = request(1, 1).size();
  hotpb::DecodeOptions options;
  const std::size_t row = sizeof(prometheus::hot::TimeSeries) + sizeof(prometheus::hot::Label) +
                          sizeof(prometheus::hot::Sample);
  options.memory = 4 * row;
  const Error error = pool.decode(input, options);
  EXPECT_EQ(hotpb::to_string(error), "CountExceeded at byte " + std::to_string(4 * series_size) + ": timeseries[4]");
  options.memory = 4 * row + sizeof(prometheus::hot::TimeSeries);
  EXPECT_EQ(pool.decode(input, options).path, "timeseries[4].labels[0]");
  options.memory = 10 * row;
  EXPECT_TRUE(pool.decode(input, options).ok());
}

TEST(Pool, the_message_of_a_copy_borrows_nothing) {
  WriteRequestPool pool;
  std::string input = request(2, 2);
  ASSERT_TRUE(pool.decode_copy(input).ok());
  input.assign(input.size(), 'x');
  EXPECT_EQ(pool->timeseries()[1].labels()[1].value(), "value1");
  hotpb::DecodeOptions options;
  options.size = 3;
  EXPECT_EQ(pool.decode_copy(input, options).code, Code::SizeExceeded);
  EXPECT_TRUE(pool.decode_copy(std::string_view()).ok());
  EXPECT_TRUE(pool->timeseries().empty());
}

TEST(Pool, absent_fields_return_their_defaults_and_absent_messages_are_empty) {
  p2::AllPool pool;
  ASSERT_TRUE(pool.decode(std::string_view()).ok());
  EXPECT_FALSE(pool->has_single_child());
  EXPECT_EQ(pool->single_child().child().child().name(), "");
  EXPECT_FALSE(pool->single_child().has_id());
  EXPECT_EQ(pool->which_kind(), 0u);
  EXPECT_TRUE(pool->repeated_child().empty());
  EXPECT_TRUE(pool->key_string().empty());
  EXPECT_TRUE(pool->unknown_fields().empty());
}

TEST(Pool, a_map_has_one_entry_a_key_in_the_order_of_those_that_stay) {
  p3::AllPool pool;
  const auto entry = [](std::uint64_t key, std::uint64_t value) {
    return field(601, number(1, key) + number(2, value));
  };
  std::string input = entry(3, 1) + entry(1, 2) + entry(3, 3) + entry(2, 4) + entry(1, 5);
  ASSERT_TRUE(pool.decode(input).ok());
  std::vector<std::pair<int, int>> entries;
  for (const auto [key, value] : pool->key_int32()) entries.emplace_back(key, value);
  EXPECT_EQ(entries, (std::vector<std::pair<int, int>>{{3, 3}, {2, 4}, {1, 5}}));
  EXPECT_EQ((*pool->key_int32().find(2)).value, 4);
  EXPECT_FALSE(pool->key_int32().contains(4));
  // Many: the last of each key stays.
  Random random;
  std::map<std::int32_t, std::int32_t> wanted;
  input.clear();
  for (std::int32_t i = 0; i < 3000; ++i) {
    const std::int32_t key = static_cast<std::int32_t>(random.below(700));
    wanted[key] = i;
    input += entry(static_cast<std::uint64_t>(key), static_cast<std::uint64_t>(i));
  }
  ASSERT_TRUE(pool.decode(input).ok());
  ASSERT_EQ(pool->key_int32().size(), wanted.size());
  std::int32_t before = -1;
  for (const auto [key, value] : pool->key_int32()) {
    EXPECT_EQ(wanted.at(key), value);
    EXPECT_LT(before, value);  // values are positions
    before = value;
  }
}

TEST(Pool, options_of_the_call_limit_it) {
  p2::AllPool pool;
  const std::string bad_text = field(14, "\xff");
  ASSERT_TRUE(pool.decode(bad_text).ok());
  hotpb::DecodeOptions options;
  options.strict = true;
  EXPECT_EQ(pool.decode(bad_text, options).code, Code::InvalidUtf8);
  options = {};
  options.elements = 2;
  const std::string three = number(501, 1) + number(501, 1) + number(501, 1);
  const Error error = pool.decode(three, options);
  EXPECT_EQ(hotpb::to_string(error), "CountExceeded at byte 6: unpacked_int32[2]");
  p2::MustPool needs;
  EXPECT_EQ(needs.decode(std::string_view()).code, Code::MissingRequired);
  options = {};
  options.allow_partial = true;
  EXPECT_TRUE(needs.decode(std::string_view(), options).ok());
}

TEST(Pool, an_encode_refuses_what_is_not_whole) {
  p2::MustPool needs;
  hotpb::DecodeOptions partial;
  partial.allow_partial = true;
  ASSERT_TRUE(needs.decode(std::string_view(), partial).ok());
  hotpb::EncodeBuffer buffer;
  Error error = buffer.encode(*needs);
  EXPECT_EQ(error.code, Code::MissingRequired);
  EXPECT_EQ(error.offset, 0u);
  EXPECT_NE(error.path, "");
  hotpb::EncodeOptions options;
  options.allow_partial = true;
  EXPECT_TRUE(buffer.encode(*needs, options).ok());
  EXPECT_EQ(buffer.bytes().size(), 0u);

  p2::AllPool all;
  const std::string text = field(318, field(2, "ab\xff"));
  ASSERT_TRUE(all.decode(text).ok());
  EXPECT_TRUE(buffer.encode(*all).ok());
  EXPECT_EQ(to_hex(buffer.bytes().text()), to_hex(text));
  options.strict = true;
  error = buffer.encode(*all, options);
  EXPECT_EQ(hotpb::to_string(error),
            "InvalidUtf8 at byte " + std::to_string(text.size() - 1) + ": repeated_child[0].name");
  EXPECT_TRUE(buffer.bytes().empty());
}

TEST(Pool, what_is_encoded_equals_what_was_decoded_whatever_the_sizes) {
  WriteRequestPool pool;
  hotpb::EncodeBuffer buffer;
  for (const std::size_t series : {0u, 1u, 3u, 100u, 1000u, 5u}) {
    const std::string input = request(series, 6);
    ASSERT_TRUE(pool.decode(input).ok());
    ASSERT_TRUE(buffer.encode(*pool).ok());
    EXPECT_TRUE(buffer.bytes().text() == input);
  }
  // Strings of every length around the steps of the copy.
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string input = field(1, label(std::string(size + 1, 'a'), std::string(2 * size + 1, 'b')));
    ASSERT_TRUE(pool.decode(input).ok());
    ASSERT_TRUE(buffer.encode(*pool).ok());
    EXPECT_TRUE(buffer.bytes().text() == input);
  }
  EXPECT_GT(buffer.memory(), 0u);
  buffer.shrink();
  EXPECT_EQ(buffer.memory(), 0u);
}

// A buffer grows by steps: texts that end at, before and after each of them, and fields before and after a large text.
TEST(Pool, a_new_buffer_grows_around_texts_of_any_size) {
  WriteRequestPool pool;
  for (const std::size_t step : {1024u, 2048u, 8192u, 65536u, 524288u, 1048576u}) {
    for (const std::size_t less : {0u, 1u, 30u, 31u, 32u, 33u, 34u, 64u, 100u}) {
      for (const std::size_t size : {step - less, step / 2 - less, step + less}) {
        const std::string text(size, 'x');
        const std::string input = field(1, label("first", "a") + label("large", text) + label("last", "b"));
        ASSERT_TRUE(pool.decode(input).ok());
        hotpb::EncodeBuffer buffer;
        ASSERT_TRUE(buffer.encode(*pool).ok());
        ASSERT_TRUE(buffer.bytes().text() == input) << size;
        EXPECT_LE(buffer.memory(), 16 * input.size() + 1024);
      }
    }
  }
}

// Long texts for which the block has no room are copied once, when the message is complete: texts, unknown fields,
// packed numbers and maps, in one message and in nested ones, more of them than there are notes for.
TEST(Pool, long_texts_in_a_new_buffer_and_in_one_that_is_too_small) {
  hotpb::EncodeBuffer kept;
  for (const std::size_t count : {1u, 2u, 7u, 31u, 32u, 33u, 90u}) {
    for (const std::size_t size : {200u, 255u, 256u, 700u, 1100u, 5000u, 70000u}) {
      std::string series;
      for (std::size_t i = 0; i < count; ++i) {
        series += label("name" + std::to_string(i), std::string(size + i % 3, static_cast<char>('a' + i % 26)));
        if (i % 5 == 0) series += label(std::string(i + 1, 'n'), "short");
      }
      const std::string unknown = field(900, std::string(size, 'u'));
      const std::string input = field(1, series + unknown) + field(1, series) + unknown;
      WriteRequestPool pool;
      ASSERT_TRUE(pool.decode(input).ok());
      hotpb::EncodeBuffer buffer;
      for (hotpb::EncodeBuffer* const to : {&buffer, &buffer, &kept}) {
        ASSERT_TRUE(to->encode(*pool).ok());
        ASSERT_TRUE(to->bytes().text() == input) << count << " of " << size;
      }

      std::string mixed;
      for (std::size_t i = 0; i < count; ++i) mixed += field(314, std::string(size, 's'));
      for (std::size_t i = 0; i < count; ++i) mixed += field(315, std::string(size + i, 'b'));
      mixed += field(408, std::string(8 * size, 'p')) + field(614, field(1, "key") + field(2, std::string(size, 'v')));
      p3::AllPool kinds;
      ASSERT_TRUE(kinds.decode(mixed).ok());
      hotpb::EncodeBuffer once;
      for (hotpb::EncodeBuffer* const to : {&once, &once, &kept}) {
        ASSERT_TRUE(to->encode(*kinds).ok());
        ASSERT_TRUE(to->bytes().text() == mixed) << count << " of " << size;
      }
    }
    kept.shrink();
  }
}

// Numbers of one, two and more bytes in their tags, with and without presence, in any order and more than once: what is
// read by the run of numbers, by the next ones or by a search is the same.
TEST(Pool, tables_find_fields_after_any_other) {
  const std::vector<std::uint32_t> numbers{1, 2, 3, 4, 5, 6, 13, 101, 501};
  p3::AllPool pool;
  p3::AllPool two;
  hotpb::EncodeBuffer buffer;
  hotpb::EncodeBuffer sorted;
  for (const std::uint32_t first : numbers) {
    for (const std::uint32_t second : numbers) {
      for (const std::uint32_t third : {400u, 2047u, 2048u, 600000u, first}) {  // some are unknown
        const std::string a = number(first, 1);
        const std::string b = number(second, 1);
        const std::string c = number(third, 1);
        const std::string input = c + a + b;
        const std::string shuffled = b + c + a;
        ASSERT_TRUE(pool.decode(input).ok());
        ASSERT_TRUE(two.decode(shuffled).ok());
        ASSERT_TRUE(buffer.encode(*pool).ok());
        ASSERT_TRUE(sorted.encode(*two).ok());
        EXPECT_TRUE(buffer.bytes().text() == sorted.bytes().text()) << first << ' ' << second << ' ' << third;
        const std::string cut = a + b + c.substr(0, c.size() - 1);
        ASSERT_FALSE(pool.decode(cut).ok());
      }
    }
  }
}

// Elements are read at one go, and their fields in a second round where they are out of order: the last value of a
// field counts, and one that it replaces is checked, too.
TEST(Pool, elements_whose_fields_are_out_of_order_or_repeated) {
  struct Case {
    std::string content, name, value;
    bool good;
  };
  const std::string long_text(70, 'l');
  const std::vector<Case> cases{
      {field(2, "v") + field(1, "n"), "n", "v", true},
      {field(1, "n") + field(2, "v") + field(1, "m"), "m", "v", true},
      {field(2, "v") + field(1, "n") + field(2, "w"), "n", "w", true},
      {field(1, "n") + field(1, "m") + field(1, "o"), "o", "", true},
      {field(2, long_text) + field(1, "n"), "n", long_text, true},
      {field(2, "\xc3\xa4") + field(1, "n"), "n", "\xc3\xa4", true},
      {field(1, "\xff") + field(1, "n"), "", "", false},
      {field(1, "\xff") + field(2, "v") + field(1, "n"), "", "", false},
      {field(2, "v") + field(1, "\xff"), "", "", false},
      {field(2, "v") + number(7, 300) + field(1, "n"), "n", "v", true},  // an unknown field
      {field(2, "v") + std::string("\x0a\x05n", 3), "", "", false},     // truncated
      {field(2, "v") + std::string("\x0a", 1), "", "", false},
  };
  const std::string sample = field(2, std::string("\x10\x05\x09\0\0\0\0\0\0\xf0\x3f\x10\x06", 13));
  WriteRequestPool pool;
  for (const Case& each : cases) {
    for (const std::size_t padding : {0u, 40u}) {  // whether the input goes on for long after the element
      const std::string input =
          field(1, field(1, each.content) + label("x", std::string(padding, 'p')) + sample);
      ASSERT_EQ(pool.decode(input).ok(), each.good) << input;
      if (!each.good) continue;
      const auto& series = pool->timeseries()[0];
      ASSERT_EQ(series.labels().size(), 2u);
      EXPECT_EQ(series.labels()[0].name(), each.name);
      EXPECT_EQ(series.labels()[0].value(), each.value);
      ASSERT_EQ(series.samples().size(), 1u);
      EXPECT_EQ(series.samples()[0].timestamp(), 6);
      EXPECT_EQ(series.samples()[0].value(), 1.0);
    }
  }
}

TEST(Pool, many_threads_read_one_message) {
  WriteRequestPool pool;
  const std::string input = request(100, 4);
  ASSERT_TRUE(pool.decode(input).ok());
  std::vector<std::thread> threads;
  std::vector<std::size_t> sums(4);
  for (std::size_t& sum : sums) {
    threads.emplace_back([&pool, &sum] {
      for (const auto& series : pool->timeseries()) {
        for (const auto& label : series.labels()) sum += label.value().size();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t sum : sums) EXPECT_EQ(sum, sums[0]);
}

TEST(Pool, messages_are_as_small_as_their_fields) {
  EXPECT_EQ(sizeof(prometheus::hot::Label), 32u);   // two pointers, two sizes, unknown fields
  EXPECT_EQ(sizeof(prometheus::hot::Sample), 24u);  // two numbers, unknown fields
  EXPECT_TRUE(std::is_trivially_copyable_v<prometheus::hot::TimeSeries>);
  EXPECT_TRUE(std::is_trivially_destructible_v<prometheus::hot::TimeSeries>);
}

// Numbers that follow one another ask for room once: wherever the buffer ends before them, it grows.
TEST(Pool, numbers_are_encoded_whole_at_every_place_of_the_buffer) {
  for (std::size_t size = 1; size < 2200; ++size) {
    std::string input;
    for (const std::uint32_t n : {1u, 15u, 16u, 17u}) input += number(n, ~std::uint64_t{0});  // -1
    input += field(2047, std::string(size, 't'));
    hotpb::wire::append_tag(input, 18999, WireType::Fixed64);
    hotpb::wire::append_fixed(input, ~std::uint64_t{0});
    hotpb::wire::append_tag(input, 20000, WireType::Fixed32);
    hotpb::wire::append_fixed(input, ~std::uint32_t{0});
    input += field(33554432, std::string(size / 2 + 1, 'b'));
    p3::NumbersPool pool;
    ASSERT_TRUE(pool.decode(input).ok());
    hotpb::EncodeBuffer buffer;
    ASSERT_TRUE(buffer.encode(*pool).ok());
    ASSERT_EQ(buffer.bytes().text(), input) << size;
  }
}

}  // namespace
}  // namespace hotpb_test
