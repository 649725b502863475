// Lifetimes never depend on the sender. Views are opened, copied, moved, opened again and destroyed, as the first bytes
// choose, on the message in the other bytes. The test keeps every string, span, handle and iterator that the views
// return, with a copy of its value, and reads it again when all views are gone. Then views decode inputs of decreasing
// length, in memory of exactly that size, and have the same values as new views.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz.h"
#include "hotpb/vectors_proto2.hot.h"

namespace {

using namespace hotpb::vectors::p2::hot;
using hotpb::Bytes;

// The bytes of an input in memory of exactly their size, so that the address sanitizer finds a read past the end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(new std::uint8_t[size]), size_(size) {
    std::copy(data, data + size, bytes_.get());
  }
  Bytes bytes() const { return {bytes_.get(), size_}; }
  bool has(Bytes part) const {
    return part.empty() || (part.begin() >= bytes_.get() && part.end() <= bytes_.get() + size_);
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_;
};

// The first bytes of the fuzzer's input, one for each choice, and then zeros.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  std::size_t pick(std::size_t count) { return at_ == end_ ? 0 : *at_++ % count; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

constexpr std::size_t kMost = 64;  // how many values of a kind are kept: enough, and fast

// The values that views returned, and copies of them from that time.
class Kept {
 public:
  explicit Kept(const Input& input) : input_(input) {}

  void keep(std::string_view text) { keep(Bytes(text)); }
  void keep(Bytes bytes) {
    FUZZ_REQUIRE(input_.has(bytes));
    if (texts_.size() < 8 * kMost) texts_.emplace_back(bytes, std::string(bytes.text()));
  }
  template <class Numbers>
  void keep_numbers(const Numbers& numbers) {
    if (!numbers.empty() && numbers_.size() < kMost) numbers_.push_back(Lists{numbers.begin(), read(numbers)});
  }
  void keep_children(const hotpb::view::Messages<ChildView>& children) {
    if (!children.empty() && children_.size() < kMost) children_.emplace_back(children.begin(), ids(children.begin()));
  }
  void keep_counts(const decltype(std::declval<ChildView>().counts())& counts) {
    if (!counts.empty() && counts_.size() < kMost) counts_.emplace_back(counts.begin(), entries(counts.begin()));
  }
  void keep_child(const hotpb::view::Message<ChildView>& child) {
    if (handles_.size() < kMost) handles_.emplace_back(child, shown(child));
  }
  void keep_unknown(const hotpb::view::UnknownFields& fields) {
    if (unknown_.size() < kMost) unknown_.emplace_back(fields, records(fields));
  }
  void keep_pieces(const hotpb::view::Pieces& pieces) {
    for (const Bytes piece : pieces) FUZZ_REQUIRE(input_.has(piece));
    if (pieces_.size() < kMost) pieces_.emplace_back(pieces, joined(pieces));
  }

  // Checks that all of them still have the same values.
  void require() const {
    for (const auto& text : texts_) FUZZ_REQUIRE(text.first.text() == text.second);
    for (const Lists& list : numbers_) {
      std::vector<std::int32_t> values;
      for (auto at = list.at; at != hotpb::view::Repeated<hotpb::view::Int32>::Iterator(); ++at) values.push_back(*at);
      FUZZ_REQUIRE(values == list.values);
    }
    for (const auto& list : children_) FUZZ_REQUIRE(ids(list.first) == list.second);
    for (const auto& list : counts_) FUZZ_REQUIRE(entries(list.first) == list.second);
    for (const auto& child : handles_) FUZZ_REQUIRE(shown(child.first) == child.second);
    for (const auto& fields : unknown_) FUZZ_REQUIRE(records(fields.first) == fields.second);
    for (const auto& pieces : pieces_) FUZZ_REQUIRE(joined(pieces.first) == pieces.second);
  }

 private:
  using Counts = decltype(std::declval<ChildView>().counts());
  struct Lists {
    hotpb::view::Repeated<hotpb::view::Int32>::Iterator at;
    std::vector<std::int32_t> values;
  };

  static std::vector<std::int32_t> read(const hotpb::view::Repeated<hotpb::view::Int32>& numbers) {
    return {numbers.begin(), numbers.end()};
  }
  static std::string shown(const hotpb::view::Message<ChildView>& message) {
    ChildView child;
    if (!child.open(message).ok()) return "bad";
    std::string text(child.name());
    text += std::to_string(child.id()) + "," + std::to_string(child.numbers().size());
    message.append_to(text);
    return text;
  }
  static std::string ids(hotpb::view::Messages<ChildView>::Iterator at) {
    std::string text;
    for (; at != hotpb::view::Messages<ChildView>::Iterator(); ++at) text += shown(*at) + ";";
    return text;
  }
  static std::string entries(Counts::Iterator at) {
    std::string text;
    for (; at != Counts::Iterator(); ++at) text += std::string(at.key()) + "=" + std::to_string(at.value()) + ";";
    return text;
  }
  static std::string records(const hotpb::view::UnknownFields& fields) {
    std::string text;
    for (const auto& field : fields) field.append_to(text);
    return text;
  }
  static std::string joined(const hotpb::view::Pieces& pieces) {
    std::string text;
    pieces.append_to(text);
    return text;
  }

  const Input& input_;
  std::vector<std::pair<Bytes, std::string>> texts_;
  std::vector<Lists> numbers_;
  std::vector<std::pair<hotpb::view::Messages<ChildView>::Iterator, std::string>> children_;
  std::vector<std::pair<Counts::Iterator, std::string>> counts_;
  std::vector<std::pair<hotpb::view::Message<ChildView>, std::string>> handles_;
  std::vector<std::pair<hotpb::view::UnknownFields, std::string>> unknown_;
  std::vector<std::pair<hotpb::view::Pieces, std::string>> pieces_;
};

// The pieces of a split view, joined and decoded, are the same message.
void require_same_as_joined(const ChildView& child) {
  std::string joined;
  child.append_to(joined);
  ChildView merged;
  FUZZ_REQUIRE(merged.decode(Bytes(joined)).ok());
  FUZZ_REQUIRE(merged.id() == child.id() && merged.name() == child.name() && merged.which_pick() == child.which_pick());
  const auto a = merged.numbers();
  const auto b = child.numbers();
  FUZZ_REQUIRE(a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin()));
  FUZZ_REQUIRE(merged.counts().size() == child.counts().size());
  FUZZ_REQUIRE(merged.children().size() == child.children().size());
  std::string unknown;
  for (const auto& field : child.unknown_fields()) field.append_to(unknown);
  for (const auto& field : merged.unknown_fields()) {
    std::string record;
    field.append_to(record);
    FUZZ_REQUIRE(unknown.compare(0, record.size(), record) == 0);
    unknown.erase(0, record.size());
  }
  FUZZ_REQUIRE(unknown.empty());
  FUZZ_REQUIRE(merged.validate().code == child.validate().code);
}

void keep(Kept& kept, const ChildView& child) {
  kept.keep(child.name());
  kept.keep(child.pick_name());
  kept.keep_numbers(child.numbers());
  kept.keep_children(child.children());
  kept.keep_counts(child.counts());
  kept.keep_child(child.child());
  kept.keep_child(child.pick_child());
  kept.keep_unknown(child.unknown_fields());
  kept.keep_pieces(child.pieces());
  kept.keep_child(child.whole());
  for (const auto entry : child.counts()) kept.keep(entry.key);
  for (const auto& field : child.unknown_fields()) kept.keep(field.record());
}

// Descends from `child`, by the choices, with views that are created and destroyed.
void descend(Kept& kept, Choices& choices, ChildView child) {
  for (int level = 0; level < 30; ++level) {
    keep(kept, child);
    require_same_as_joined(child);
    const auto inner = std::make_unique<ChildView>();
    bool good = false;
    switch (choices.pick(6)) {
      case 0: good = inner->open(child.child()).ok(); break;
      case 1: good = inner->open(child.pick_child()).ok(); break;
      case 2: good = inner->open(child.children().nth(choices.pick(4))).ok(); break;
      case 3: good = inner->open(child.whole()).ok(); break;
      case 4: good = child.open(child.child()).ok(); break;  // it opens itself
      default: {
        const ChildView copy = child;
        child = std::move(*inner);
        good = inner->open(copy.child()).ok();
        break;
      }
    }
    if (!good) {
      keep(kept, *inner);
      keep(kept, child);
      return;
    }
    if (inner->pieces().size() != 0 && choices.pick(2) == 0) child = *inner;
    if (choices.pick(4) == 0) child = std::move(*inner);
  }
}

void read(Kept& kept, Choices& choices, const AllView& all, int levels) {
  kept.keep(all.single_string());
  kept.keep(all.single_bytes());
  kept.keep_unknown(all.unknown_fields());
  kept.keep_numbers(all.repeated_int32());
  kept.keep_numbers(all.packed_int32());
  for (const auto text : all.repeated_string()) kept.keep(text);
  for (const auto entry : all.key_string()) {
    kept.keep(entry.key);
    kept.keep(entry.value);
  }
  kept.keep_children(all.repeated_child());
  kept.keep_pieces(all.pieces());
  const hotpb::view::Message<ChildView> from[] = {all.single_child(), all.oneof_child(),
                                                  all.repeated_child().nth(choices.pick(3))};
  for (const auto& message : from) {
    kept.keep_child(message);
    ChildView child;
    if (child.open(message).ok()) descend(kept, choices, std::move(child));
  }
  ext_childView extension;
  if (extension.open(all).ok()) {
    kept.keep_child(extension.value());
    ChildView child;
    if (child.open(extension.value()).ok()) descend(kept, choices, child);
  }
  All_DataView data;
  if (data.open(all.data()).ok()) kept.keep_pieces(data.pieces());
  MessageSetView set;
  item_childView item;
  if (set.open(all.message_set()).ok() && item.open(set).ok()) {
    kept.keep_child(item.value());
    ChildView child;
    if (child.open(item.value()).ok()) descend(kept, choices, child);
  }
  AllView inner;
  if (levels > 0 && inner.open(all.single_all()).ok()) read(kept, choices, inner, levels - 1);
}

// A view that decoded other bytes before has the same values as a new one.
void require_same_when_reused(AllView& used, ChildView& used_child, Bytes bytes) {
  const Input input(bytes.data(), bytes.size());
  AllView fresh;
  const hotpb::Error error = fresh.decode(input.bytes());
  FUZZ_REQUIRE(used.decode(input.bytes()) == error);
  std::string a;
  std::string b;
  for (const auto& field : fresh.unknown_fields()) field.append_to(a);
  for (const auto& field : used.unknown_fields()) field.append_to(b);
  FUZZ_REQUIRE(a == b);
  ChildView child;
  FUZZ_REQUIRE(child.open(fresh.single_child()) == used_child.open(used.single_child()));
  a.clear();
  b.clear();
  for (const auto& field : child.unknown_fields()) field.append_to(a);
  for (const auto& field : used_child.unknown_fields()) field.append_to(b);
  FUZZ_REQUIRE(a == b && child.name() == used_child.name() && child.numbers().size() == used_child.numbers().size());
  FUZZ_REQUIRE(child.pieces().byte_size() == used_child.pieces().byte_size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::size_t chosen = std::min<std::size_t>(size, 8);
  Choices choices(data, chosen);
  const Input input(data + chosen, size - chosen);
  {
    Kept kept(input);
    {
      AllView all;
      if (all.decode(input.bytes()).ok()) read(kept, choices, all, 4);
      ChildView child;
      if (child.decode(input.bytes()).ok()) descend(kept, choices, child);
    }
    kept.require();
  }
  AllView used;
  ChildView used_child;
  for (std::size_t left = input.bytes().size();; left /= 2) {
    require_same_when_reused(used, used_child, Bytes(input.bytes().data(), left));
    require_same_when_reused(used, used_child, Bytes(input.bytes().end() - left, left));
    if (left == 0) break;
  }
  return 0;
}
