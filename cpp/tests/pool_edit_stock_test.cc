// Random edits of a builder and of a message of libprotobuf, side by side: after each edit both have the same bytes.
// Arguments are often parts of the message itself.
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "hotpb/vectors.builder.hot.h"
#include "hotpb/wire/write.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

namespace pb = google::protobuf;
namespace p3 = hotpb::vectors::p3::hot;

// hotpb.vectors.p3.Child of libprotobuf, by reflection.
class Stock {
 public:
  explicit Stock(pb::Message* message) : message_(message), reflection_(message->GetReflection()) {}

  pb::Message& message() const { return *message_; }
  const pb::Reflection& reflection() const { return *reflection_; }
  const pb::FieldDescriptor* field(const char* name) const {
    return message_->GetDescriptor()->FindFieldByName(name);
  }
  void clear(const char* name) { reflection_->ClearField(message_, field(name)); }
  Stock child(const char* name) { return Stock(reflection_->MutableMessage(message_, field(name))); }
  Stock child(const char* name, std::size_t i) {
    return Stock(reflection_->MutableRepeatedMessage(message_, field(name), static_cast<int>(i)));
  }
  std::size_t size(const char* name) const {
    return static_cast<std::size_t>(reflection_->FieldSize(*message_, field(name)));
  }
  // The last element goes to index `at`.
  void last_to(const char* name, std::size_t at) {
    for (std::size_t i = size(name) - 1; i > at; --i) {
      reflection_->SwapElements(message_, field(name), static_cast<int>(i), static_cast<int>(i - 1));
    }
  }
  void erase(const char* name, std::size_t first, std::size_t count) {
    for (; count != 0; --count) {
      for (std::size_t i = first; i + 1 < size(name); ++i) {
        reflection_->SwapElements(message_, field(name), static_cast<int>(i), static_cast<int>(i + 1));
      }
      reflection_->RemoveLast(message_, field(name));
    }
  }
  void put_count(const std::string& key, int value) {
    pb::Message* entry = find_count(key);
    if (entry == nullptr) entry = reflection_->AddMessage(message_, field("counts"));
    const pb::Descriptor* const type = entry->GetDescriptor();
    entry->GetReflection()->SetString(entry, type->FindFieldByNumber(1), key);
    entry->GetReflection()->SetInt32(entry, type->FindFieldByNumber(2), value);
  }
  bool erase_count(const std::string& key) {
    for (std::size_t i = 0; i < size("counts"); ++i) {
      if (key_of(i) != key) continue;
      erase("counts", i, 1);
      return true;
    }
    return false;
  }

 private:
  std::string key_of(std::size_t i) const {
    const pb::Message& entry = reflection_->GetRepeatedMessage(*message_, field("counts"), static_cast<int>(i));
    return entry.GetReflection()->GetString(entry, entry.GetDescriptor()->FindFieldByNumber(1));
  }
  pb::Message* find_count(const std::string& key) {
    for (std::size_t i = 0; i < size("counts"); ++i) {
      if (key_of(i) == key) return reflection_->MutableRepeatedMessage(message_, field("counts"), static_cast<int>(i));
    }
    return nullptr;
  }

  pb::Message* message_;
  const pb::Reflection* reflection_;
};

class Edits {
 public:
  explicit Edits(Random& random) : random_(random) {}

  // One edit, in the message or somewhere in it.
  void edit(p3::ChildEdit m, Stock s, int depth = 0) {
    if (depth < 5 && random_.below(3) == 0) {
      switch (random_.below(3)) {
        case 0: return edit(m.mutable_child(), s.child("child"), depth + 1);
        case 1: return edit(m.mutable_pick_child(), s.child("pick_child"), depth + 1);
        default:
          if (m->children().empty()) return;
          const std::size_t i = random_.below(m->children().size());
          return edit(m.mutable_children(i), s.child("children", i), depth + 1);
      }
    }
    const int number = static_cast<int>(random_.varied() & 0xffffffff);
    const std::size_t numbers = m->numbers().size();
    const std::size_t children = m->children().size();
    const auto set = [&](const char* name, int value) { s.reflection().SetInt32(&s.message(), s.field(name), value); };
    const auto text = [&](const char* name, const std::string& value) {
      s.reflection().SetString(&s.message(), s.field(name), value);
    };
    switch (random_.below(27)) {
      case 0: EXPECT_TRUE(m.set_id(number)); return set("id", number);
      case 1: {
        const std::string value = some_text();
        EXPECT_TRUE(m.set_name(value));
        return text("name", value);
      }
      case 2: m.clear_id(); return s.clear("id");
      case 3: m.clear_name(); return s.clear("name");
      case 4: m.clear_child(); return s.clear("child");
      case 5: {
        EXPECT_TRUE(m.add_numbers(number));
        return s.reflection().AddInt32(&s.message(), s.field("numbers"), number);
      }
      case 6: {
        const std::size_t at = random_.below(numbers + 1);
        EXPECT_TRUE(m.insert_numbers(at, number));
        s.reflection().AddInt32(&s.message(), s.field("numbers"), number);
        return s.last_to("numbers", at);
      }
      case 7: {
        if (numbers == 0) return;
        const std::size_t at = random_.below(numbers);
        EXPECT_TRUE(m.set_numbers(at, number));
        return s.reflection().SetRepeatedInt32(&s.message(), s.field("numbers"), static_cast<int>(at), number);
      }
      case 8: {
        const std::size_t first = random_.below(numbers + 1);
        const std::size_t count = random_.below(numbers - first + 1);
        EXPECT_TRUE(m.erase_numbers(first, count));
        return s.erase("numbers", first, count);
      }
      case 9: {
        const std::string key = some_text();
        EXPECT_TRUE(m.put_counts(key, number));
        return s.put_count(key, number);
      }
      case 10: {
        const std::string key = some_text();
        EXPECT_EQ(m.erase_counts(key), s.erase_count(key));
        return;
      }
      case 11: {
        const std::string value = some_text();
        EXPECT_TRUE(m.set_pick_name(value));
        return text("pick_name", value);
      }
      case 12:
        EXPECT_TRUE(m.set_pick_id(number));
        return s.reflection().SetInt64(&s.message(), s.field("pick_id"), number);
      case 13: m.clear_pick(); return s.reflection().ClearOneof(&s.message(), s.field("pick_id")->containing_oneof());
      case 14: m.clear_pick_name(); return s.clear("pick_name");
      case 15: {  // a copy of any message in the tree, also of one that the destination is part of
        const std::unique_ptr<pb::Message> copy = copy_of(*some_stock_);
        EXPECT_TRUE(m.add_children(*some_));
        s.reflection().AddMessage(&s.message(), s.field("children"))->CopyFrom(*copy);
        return;
      }
      case 16: {
        const std::size_t at = random_.below(children + 1);
        const std::unique_ptr<pb::Message> copy = copy_of(*some_stock_);
        EXPECT_TRUE(m.insert_children(at, *some_));
        s.reflection().AddMessage(&s.message(), s.field("children"))->CopyFrom(*copy);
        return s.last_to("children", at);
      }
      case 17: {
        const std::size_t first = random_.below(children + 1);
        const std::size_t count = random_.below(children - first + 1);
        EXPECT_TRUE(m.erase_children(first, count));
        return s.erase("children", first, count);
      }
      case 18: {
        const std::unique_ptr<pb::Message> copy = copy_of(*some_stock_);
        EXPECT_TRUE(m.set_child(*some_));
        return s.child("child").message().CopyFrom(*copy);
      }
      case 19: {
        const std::unique_ptr<pb::Message> copy = copy_of(*some_stock_);
        EXPECT_TRUE(m.set_pick_child(*some_));
        return s.child("pick_child").message().CopyFrom(*copy);
      }
      case 20: {
        const std::unique_ptr<pb::Message> copy = copy_of(*some_stock_);
        EXPECT_TRUE(m.set(*some_));
        return s.message().CopyFrom(*copy);
      }
      case 21: {
        std::string record;
        hotpb::wire::append_tag(record, 5000, hotpb::wire::WireType::Varint);
        hotpb::wire::append_varint(record, static_cast<std::uint32_t>(number));
        EXPECT_TRUE(m.add_unknown_fields(record));
        s.reflection().MutableUnknownFields(&s.message())->AddVarint(5000, static_cast<std::uint32_t>(number));
        return;
      }
      case 22:
        if (!random_.one_in(8)) return;
        m.clear_unknown_fields();
        return s.reflection().MutableUnknownFields(&s.message())->Clear();
      case 23:
        if (!random_.one_in(20)) return;
        m.clear();
        return s.message().Clear();
      case 24: {  // the message's own strings
        const std::string name(m->name());
        EXPECT_TRUE(m.set_name(m->name().substr(name.size() / 2)));
        return text("name", name.substr(name.size() / 2));
      }
      case 25: {
        const std::string name(m->name());
        EXPECT_TRUE(m.put_counts(m->name(), number));
        s.put_count(name, number);
        const std::string key((*m->counts().begin()).key);
        EXPECT_TRUE(m.set_pick_name((*m->counts().begin()).key));
        EXPECT_TRUE(m.set_pick_name(m->pick_name()));
        text("pick_name", key);
        EXPECT_TRUE(m.erase_counts((*m->counts().begin()).key));
        EXPECT_TRUE(s.erase_count(key));
        return;
      }
      default: {
        if (children == 0) return;
        const std::size_t at = random_.below(children);
        p3::ChildEdit added = m.insert_children(at);
        Stock stock(s.reflection().AddMessage(&s.message(), s.field("children")));
        s.last_to("children", at);
        EXPECT_TRUE(added.set_id(number));
        Stock moved = s.child("children", at);
        return moved.reflection().SetInt32(&moved.message(), moved.field("id"), number);
      }
    }
  }

  // Chooses the message that the next edit may copy.
  void choose(const p3::Child& m, pb::Message* message) {
    some_ = &m;
    some_stock_ = message;
    Stock s(message);
    switch (random_.below(4)) {
      case 0:
        if (m.has_child()) choose(m.child(), &s.child("child").message());
        return;
      case 1:
        if (m.has_pick_child()) choose(m.pick_child(), &s.child("pick_child").message());
        return;
      case 2: {
        if (m.children().empty()) return;
        const std::size_t i = random_.below(m.children().size());
        return choose(m.children()[i], &s.child("children", i).message());
      }
      default: return;
    }
  }

 private:
  static std::unique_ptr<pb::Message> copy_of(const pb::Message& message) {
    std::unique_ptr<pb::Message> copy(message.New());
    copy->CopyFrom(message);
    return copy;
  }
  std::string some_text() {
    constexpr const char* kTexts[] = {"", "a", "b", "key", "a longer text that no small buffer holds, with \xc3\xa9"};
    return kTexts[random_.below(5)];
  }

  Random& random_;
  const p3::Child* some_ = nullptr;
  pb::Message* some_stock_ = nullptr;
};

std::string bytes_of(const pb::Message& message) {
  std::string bytes;
  pb::io::StringOutputStream stream(&bytes);
  pb::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  EXPECT_TRUE(message.SerializeToCodedStream(&out));
  out.Trim();
  return bytes;
}

// POL-16, POL-36, POL-59.
TEST(PoolEdit, a_builder_is_what_libprotobuf_has_after_the_same_edits) {
  std::string set;
  ASSERT_TRUE(read_file(repository("vectors/plans/vectors.fds"), set));
  pb::FileDescriptorSet files;
  ASSERT_TRUE(files.ParseFromString(set));
  pb::DescriptorPool pool;
  for (const pb::FileDescriptorProto& file : files.file()) {
    if (file.name() != "hotpb/vectors.proto") continue;
    ASSERT_NE(pool.BuildFile(file), nullptr);
  }
  pb::DynamicMessageFactory factory(&pool);
  const pb::Message* const prototype = factory.GetPrototype(pool.FindMessageTypeByName("hotpb.vectors.p3.Child"));
  Random random;
  std::size_t largest = 0;
  for (int round = 0; round < 200; ++round) {
    const std::unique_ptr<pb::Message> stock(prototype->New());
    p3::ChildBuilder builder;
    Edits edits(random);
    hotpb::EncodeBuffer buffer;
    for (int step = 0; step < 60; ++step) {
      edits.choose(builder.message(), stock.get());
      edits.edit(builder, Stock(stock.get()));
      const std::string wanted = bytes_of(*stock);
      ASSERT_EQ(builder.error(), hotpb::Code::Ok);
      ASSERT_TRUE(builder.encode(buffer).ok());
      ASSERT_EQ(to_hex(buffer.bytes().text()), to_hex(wanted)) << "round " << round << ", step " << step;
      largest = std::max(largest, wanted.size());
      if (wanted.size() > 3000) break;
      switch (random.below(12)) {
        case 0: {
          p3::ChildBuilder moved(std::move(builder));
          EXPECT_TRUE(builder.set_id(1));  // usable
          builder = std::move(moved);
          break;
        }
        case 1: builder = p3::ChildBuilder(builder); break;
        case 2: {
          p3::ChildBuilder read;
          ASSERT_TRUE(read.decode(wanted).ok());
          builder = read;
          break;
        }
        default: break;
      }
    }
  }
  EXPECT_GT(largest, 1000u);
}

}  // namespace
}  // namespace hotpb_test
