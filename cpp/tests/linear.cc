// The work of linear.sh: one case and a size, of which callgrind counts the instructions in work().
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "hotpb/wire/reader.h"
#include "hotpb/wire/write.h"
#include "peers.hot.h"

namespace {

using hotpb::Bytes;
using hotpb::wire::WireType;
using peers::hot::EveryPool;
using peers::hot::EveryView;

std::string varint(std::uint32_t number, std::uint64_t value) {
  std::string out;
  hotpb::wire::append_tag(out, number, WireType::Varint);
  hotpb::wire::append_varint(out, value);
  return out;
}
std::string len(std::uint32_t number, const std::string& payload) {
  std::string out;
  hotpb::wire::append_tag(out, number, WireType::Len);
  hotpb::wire::append_len(out, payload);
  return out;
}
std::string number_entry(std::uint64_t key) { return len(28, varint(1, key) + varint(2, 7)); }

// The i-th of the keys that a pool's table would all have in one place: pool/hash.h, backwards.
std::uint64_t colliding(std::uint64_t i) {
  constexpr std::uint64_t kInverse = 0xf1de83e19937733du;
  static_assert(kInverse * 0x9e3779b97f4a7c15u == 1);
  const std::uint64_t mixed = (i + 1) << 26;
  const std::uint64_t product = (mixed ^ mixed >> 29 ^ mixed >> 58) * kInverse;
  return product ^ product >> 32;
}

volatile std::uint64_t result = 0;  // so that nothing is left out
std::uint64_t sum = 0;

struct Case {
  const char* name;
  std::string (*record)(std::uint64_t i, std::uint64_t n);  // the i-th of the n records of the input
  void (*read)(Bytes input);
};

template <class Read>
void with_pool(Bytes input, Read read) {
  EveryPool pool;
  hotpb::DecodeOptions options;
  options.memory = std::uint64_t{64} << 20;
  if (!pool.decode(input, options).ok()) std::abort();
  read(*pool);
}
template <class Read>
void with_view(Bytes input, Read read) {
  EveryView view;
  if (!view.decode(input).ok() || !view.validate().ok()) std::abort();
  read(view);
}
void find_numbers(Bytes input) {
  with_pool(input, [](const peers::hot::Every& m) {
    for (const auto entry : m.by_number()) {
      const auto found = m.by_number().find(entry.key);
      if (found == m.by_number().end()) std::abort();
      sum += static_cast<std::uint64_t>(found->value);
    }
  });
}
void read_pool(Bytes input) {
  with_pool(input, [](const peers::hot::Every& m) {
    for (const auto entry : m.by_name()) sum += entry.key.size() + m.by_name().contains(entry.key);
    for (const peers::hot::Every& child : m.children()) sum += child.packed_int32().size();
    for (const auto& field : m.unknown_fields()) sum += field.number();
    sum += m.packed_int32().size() + m.child().packed_int32().size() + m.pick_text().size() + m.colors().size();
    sum += m.pick_child().packed_int32().size();
  });
}
void read_view(Bytes input) {
  with_view(input, [](const EveryView& m) {
    for (const auto entry : m.by_name()) sum += entry.key.size();
    for (const auto& entry : m.by_name().collect()) sum += entry.key.size();
    for (const auto entry : m.by_number()) sum += static_cast<std::uint64_t>(entry.key);
    hotpb::Error error;
    for (const EveryView& child : hotpb::view::opened(m.children(), error)) sum += child.packed_int32().size();
    for (const auto field : m.unknown_fields()) sum += field.number();
    for (const auto number : m.packed_int32()) sum += static_cast<std::uint64_t>(number);
    for (const auto color : m.colors()) sum += static_cast<std::uint64_t>(color);
    EveryView child;
    if (!child.open(m.child()).ok()) std::abort();
    for (const auto number : child.packed_int32()) sum += static_cast<std::uint64_t>(number);
    for (const auto piece : child.pieces()) sum += piece.size();
    if (!child.open(m.pick_child()).ok()) std::abort();
    sum += m.pick_text().size() + m.which_pick();
  });
}
void read_fields(Bytes input) {
  hotpb::wire::Reader fields(input);
  while (fields.next()) {
    sum += fields.number();
    if (fields.type() != WireType::Len) continue;
    hotpb::wire::Reader inside = fields.child();
    while (inside.next()) sum += inside.tag();
  }
  sum += hotpb::check(input).offset;
}

#define READ_BY_ALL(name, record) \
  {"pool:" name, record, read_pool}, {"view:" name, record, read_view}, { "wire:" name, record, read_fields }
const Case kCases[] = {
    {"pool:colliding keys", [](auto i, auto) { return number_entry(colliding(i)); }, find_numbers},
    {"pool:colliding keys, each twice", [](auto i, auto n) { return number_entry(colliding(i % (n / 2))); },
     find_numbers},
    {"pool:keys in any order", [](auto i, auto n) { return number_entry(i * 7919 % n); }, find_numbers},
    {"pool:falling keys", [](auto i, auto n) { return number_entry(n - i); }, find_numbers},
    {"pool:one key", [](auto, auto) { return number_entry(5); }, find_numbers},
    READ_BY_ALL("texts as keys", [](auto i, auto n) {
      return len(23, len(1, std::to_string(i * 7919 % n)) + len(2, ""));
    }),
    READ_BY_ALL("one text as key", [](auto, auto) { return len(23, len(1, "a") + len(2, varint(1, 1))); }),
    READ_BY_ALL("children between unknown fields", [](auto i, auto) { return len(18, varint(19, i)) + varint(99, i); }),
    READ_BY_ALL("records of one message", [](auto i, auto) { return len(17, varint(19, i)); }),
    READ_BY_ALL("records of one message, apart", [](auto i, auto) { return len(17, varint(19, i)) + varint(19, i); }),
    READ_BY_ALL("members of a oneof", [](auto i, auto) {
      return i % 3 == 0 ? len(25, "text") : i % 3 == 1 ? len(26, varint(19, 1)) : varint(27, i);
    }),
    READ_BY_ALL("records of one member", [](auto i, auto) { return len(26, varint(19, i)); }),
    READ_BY_ALL("packed and not, apart", [](auto i, auto) {
      return len(19, "\x01\x02") + varint(19, i) + varint(1, i);
    }),
    READ_BY_ALL("undefined enums", [](auto i, auto) { return varint(22, i % 2 == 0 ? 99 : 1); }),
    READ_BY_ALL("empty entries", [](auto, auto) { return len(23, ""); }),
};

}  // namespace

extern "C" __attribute__((noinline)) void work(const Case& test, Bytes input) { test.read(input); }

// Without arguments: the names of the cases.
int main(int argc, char** argv) {
  for (const Case& test : kCases) {
    if (argc < 3) {
      std::puts(test.name);
    } else if (std::strcmp(test.name, argv[1]) == 0) {
      const std::uint64_t n = std::strtoull(argv[2], nullptr, 10);
      std::string input;
      for (std::uint64_t i = 0; i < n; ++i) input += test.record(i, n);
      work(test, std::string_view(input));
    }
  }
  result = sum;
}
