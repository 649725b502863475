// Handles that are used when they are not valid (WTR-2): their writes are dropped, HandleMisuse is sticky, and what was
// written before parses. The same in debug and release builds, as calls and inlined.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hotpb/vectors.hot.h"
#include "hotpb/vectors_proto2.hot.h"
#include "support/support.h"
#include "writer/all_of.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::vectors::p2::hot::AllWriter;
using hotpb::vectors::p3::hot::ChildWriter;

class Misuse : public testing::Test {
 protected:
  // One error, at most the bytes before it, and no write after it.
  void expect_misuse(const std::string& hex) {
    const hotpb::WriteStatus status = out_.status();
    EXPECT_EQ(status.code, Code::HandleMisuse);
    const std::string all = all_of(out_);
    EXPECT_EQ(to_hex(all), hex);
    EXPECT_EQ(out_.message_start() + status.valid_len, all.size());
    EXPECT_TRUE(parses(std::string_view(all)));
    EXPECT_EQ(out_.bytes().status().code, Code::HandleMisuse);
  }

  std::uint8_t memory_[1024];
  hotpb::FixedBuffer out_{memory_, sizeof memory_};
};

TEST_F(Misuse, a_child_that_its_parent_wrote_after_is_stale) {
  auto root = out_.message<ChildWriter>();
  auto child = root.set_child();
  child.set_id(1);
  root.set_id(2);  // ends the child
  EXPECT_TRUE(out_.ok());
  child.set_id(3);
  expect_misuse("1a0208010802");
  root.set_id(4);  // it is dropped
  EXPECT_EQ(root.finish().code, Code::HandleMisuse);
  expect_misuse("1a0208010802");
}

TEST_F(Misuse, a_child_is_stale_after_its_sibling) {
  auto root = out_.message<ChildWriter>();
  auto first = root.add_children();
  first.set_id(1);
  auto second = root.add_children();
  second.set_id(2);
  first.set_id(3);
  expect_misuse("4a0208014a020802");
}

TEST_F(Misuse, a_handle_that_has_finished_may_not_write) {
  auto root = out_.message<ChildWriter>();
  auto child = root.set_child();
  child.set_id(1);
  EXPECT_TRUE(child.finish().ok());
  child.set_name("late");
  expect_misuse("1a020801");
}

TEST_F(Misuse, a_root_that_has_finished_may_not_write) {
  auto root = out_.message<ChildWriter>();
  root.set_id(1);
  EXPECT_TRUE(root.finish().ok());
  root.set_id(2);
  expect_misuse("0801");
}

// WRT-34.
TEST_F(Misuse, a_handle_that_was_moved_from_may_not_write) {
  auto root = out_.message<ChildWriter>();
  auto moved = std::move(root);
  moved.set_id(1);
  root.set_id(2);  // NOLINT(bugprone-use-after-move): that is the point
  expect_misuse("0801");
}

TEST_F(Misuse, a_parent_may_not_be_written_inside_its_childs_lambda) {
  auto root = out_.message<ChildWriter>();
  root.set_child([&](ChildWriter& child) {
    child.set_id(1);
    root.set_id(2);
    child.set_id(3);
  });
  expect_misuse("1a020801");
}

TEST_F(Misuse, a_grandparent_may_not_be_written_inside_a_lambda_either) {
  auto root = out_.message<ChildWriter>();
  root.set_child([&](ChildWriter& child) {
    child.set_child([&](ChildWriter& grandchild) {
      grandchild.set_id(1);
      root.add_children();
    });
  });
  expect_misuse("1a041a020801");
}

TEST_F(Misuse, a_parent_may_not_finish_inside_its_childs_lambda) {
  auto root = out_.message<ChildWriter>();
  root.set_child([&](ChildWriter& child) {
    child.set_id(1);
    EXPECT_EQ(root.finish().code, Code::HandleMisuse);
  });
  expect_misuse("1a020801");
}

TEST_F(Misuse, a_parent_may_be_written_after_the_lambda) {
  auto root = out_.message<ChildWriter>();
  root.set_child([&](ChildWriter& child) {
    child.set_child([](ChildWriter& grandchild) { grandchild.set_id(1); });
    child.set_id(2);
  });
  root.set_id(3);
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(to_hex(out_.bytes().text()), "1a061a02080108020803");
}

TEST_F(Misuse, finishing_twice) {
  auto root = out_.message<ChildWriter>();
  root.set_id(1);
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(root.finish().code, Code::HandleMisuse);
  expect_misuse("0801");
}

TEST_F(Misuse, a_child_that_its_parent_ended_may_not_finish) {
  auto root = out_.message<ChildWriter>();
  auto child = root.set_child();
  root.set_id(1);
  EXPECT_EQ(child.finish().code, Code::HandleMisuse);
  expect_misuse("1a000801");
}

TEST_F(Misuse, a_parent_that_is_destroyed_while_a_child_is_open) {
  std::optional<ChildWriter> child;
  {
    auto root = out_.message<ChildWriter>();
    child.emplace(root.set_child());
    child->set_id(1);
  }
  expect_misuse("1a020801");
  child->set_id(2);
  child.reset();
  expect_misuse("1a020801");
}

TEST_F(Misuse, a_second_root_while_one_is_open) {
  auto root = out_.message<ChildWriter>();
  root.set_id(1);
  auto second = out_.message<ChildWriter>();
  second.set_id(2);
  root.set_id(3);
  expect_misuse("0801");
}

TEST_F(Misuse, a_second_root_inside_a_delimited_message) {
  auto root = out_.delimited<ChildWriter>();
  root.set_id(1);
  auto second = out_.delimited<ChildWriter>();
  EXPECT_EQ(out_.status().code, Code::HandleMisuse);
  EXPECT_EQ(to_hex(all_of(out_)), "020801");
  EXPECT_TRUE(out_.bytes().empty());
}

TEST_F(Misuse, a_handle_of_before_clear) {
  auto root = out_.message<ChildWriter>();
  root.set_id(1);
  out_.clear();
  auto next = out_.message<ChildWriter>();
  next.set_id(2);
  EXPECT_TRUE(out_.ok());
  root.set_id(3);
  expect_misuse("0802");
}

TEST_F(Misuse, every_kind_of_setter_is_refused) {
  using namespace hotpb::vectors::p2::hot;
  const std::int32_t ints[] = {1, -2};
  const float floats[] = {1};
  const hotpb::Bytes ranges[] = {std::string_view("a"), std::string_view("b")};
  const std::string long_text(200, 'x');
  const std::function<void(AllWriter&)> calls[] = {
      [](AllWriter& w) { w.set_single_int32(-1); },
      [](AllWriter& w) { w.set_single_uint64(1); },
      [](AllWriter& w) { w.set_single_sint64(1 << 20); },
      [](AllWriter& w) { w.set_single_fixed64(1); },
      [](AllWriter& w) { w.set_single_float(1); },
      [](AllWriter& w) { w.set_single_bool(true); },
      [](AllWriter& w) { w.set_single_string("s"); },
      [&](AllWriter& w) { w.set_single_string(long_text); },
      [&](AllWriter& w) { w.set_single_bytes(hotpb::ByteRanges(ranges)); },
      [](AllWriter& w) { w.set_single_closed(Closed{}); },
      [](AllWriter& w) { w.set_single_child(); },
      [](AllWriter& w) { w.set_single_child(hotpb::RawMessage(std::string_view("\x08\x01"))); },
      [](AllWriter& w) { w.set_data(); },
      [](AllWriter& w) { w.set_data(hotpb::RawMessage(std::string_view("\x08\x01"))); },
      [&](AllWriter& w) { w.add_packed_int32(ints); },
      [&](AllWriter& w) { w.add_packed_float(floats); },
      [](AllWriter& w) { w.packed_packed_int32(); },
      [](AllWriter& w) { w.add_key_string("k", "v"); },
      [](AllWriter& w) { w.add_value_child(1); },
      [](AllWriter& w) { w.append_raw(std::string_view("\x08\x01")); },
      [](AllWriter& w) { set_ext_int32(w, 1); },
      [](AllWriter& w) { static_cast<void>(w.finish()); },
  };
  for (const auto& call : calls) {
    out_.clear();
    {
      auto root = out_.message<AllWriter>();
      auto stale = root.set_single_all();
      root.set_single_int32(1);
      call(stale);
    }
    const std::size_t i = static_cast<std::size_t>(&call - calls);
    EXPECT_EQ(out_.status().code, Code::HandleMisuse) << i;
    EXPECT_EQ(to_hex(all_of(out_)), "9a01000801") << i;
  }
}

// Random calls on random handles, live and stale: the results are good messages and errors, and nothing else.
TEST(MisuseProperty, any_order_of_calls_gives_a_message_that_parses) {
  std::size_t good = 0;
  std::size_t bad = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    const std::size_t size = random.below(600);
    const std::unique_ptr<std::uint8_t[]> memory(new std::uint8_t[size]);
    hotpb::FixedBuffer out(memory.get(), size);
    std::vector<ChildWriter> handles;
    handles.push_back(out.message<ChildWriter>());
    std::string text(random.below(150), 't');
    const std::size_t steps = random.below(40);
    for (std::size_t step = 0; step < steps; ++step) {
      ChildWriter& handle = handles[handles.size() - 1 - (random.one_in(6) ? random.below(handles.size()) : 0)];
      switch (random.below(9)) {
        case 0: handles.push_back(handle.set_child()); break;
        case 1: handles.push_back(handle.add_children()); break;
        case 2: handle.set_name(text); break;
        case 3: handle.add_counts("key", 5); break;
        case 4:
          handle.add_children([&](ChildWriter& child) { random.one_in(9) ? handle.set_id(7) : child.set_id(8); });
          break;
        case 5: if (random.one_in(3)) static_cast<void>(handle.finish()); break;
        case 6:
          if (random.one_in(3) && handles.size() > 1) {
            handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(random.below(handles.size())));
          }
          break;
        case 7: {
          auto packed = handle.packed_numbers();
          for (int i = 0; i < 5; ++i) packed.add(i - 2);
          break;
        }
        default: handle.set_id(static_cast<std::int32_t>(random.varied())); break;
      }
      if (handles.empty()) break;
    }
    const bool root_first = random.one_in(2);
    while (!handles.empty()) handles.erase(root_first ? handles.begin() : handles.end() - 1);
    const std::string all = all_of(out);
    EXPECT_EQ(out.status().valid_len, all.size());
    EXPECT_TRUE(parses(std::string_view(all))) << seed << " " << to_hex(all);
    EXPECT_EQ(out.bytes().ok(), out.ok());
    EXPECT_TRUE(out.bytes().empty() || out.bytes().size() == all.size());
    (out.ok() ? good : bad) += 1;
  }
  EXPECT_GT(good, 100u);
  EXPECT_GT(bad, 500u);
}

}  // namespace
}  // namespace hotpb_test
