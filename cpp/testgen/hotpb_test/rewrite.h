// Writes a view again with the generated writer: accessors in, setters out. For tests only: the face +rewrite of
// hotpb-cpp-testgen generates the functions, and nothing here is fast.
//
// If the writer has several ways to write the same, `Ways` chooses one: a handle that its destructor ends, one that is
// finished, a callable, an encoded message; a span, or element by element; one piece, or several.
//
// hotpb bench has a fast version of this header, go/cmd/hotpb/internal/bench/cpp_rewrite.txt, with the same functions.
#ifndef HOTPB_TESTGEN_HOTPB_TEST_REWRITE_H_
#define HOTPB_TESTGEN_HOTPB_TEST_REWRITE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/view.h"
#include "hotpb/writer.h"
#include "hotpb_test/reencode.h"

HOTPB_NAMESPACE_BEGIN
namespace rewrite {

// The state that all levels share.
class Ways {
 public:
  explicit Ways(std::uint64_t seed) : state_(seed * 2 + 1) {}

  // Returns one of `count` numbers, different from call to call, and the same for the same seed.
  std::size_t pick(std::size_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state_ >> 33) % count);
  }

  Error error;  // the error of a nested message or an extension that could not be opened

 private:
  std::uint64_t state_;
};

// A message type, for tests; each generated file has a list of them.
struct Rewriter {
  const char* message;  // full name
  // Decodes and validates the input, and writes it to `out` as one message. Checks required fields unless
  // `allow_partial`.
  Error (*rewrite)(Bytes input, const ReadOptions& options, bool allow_partial, WriteStream& out, Ways& ways,
                   WriteStatus& status);
  // Appends the message's own unknown fields.
  Error (*unknown_fields)(Bytes input, std::string& output);
};

// The functions below get the writer's setter as a callable `set`, because its overloads have no single name. Functions
// that can fail return false, with ways.error.

template <class V, class T>
using Get = T (V::*)() const;
template <class V>
using Has = bool (V::*)() const;

template <class V, class T, class Set>
void put_explicit(const V& view, Has<V> has, Get<V, T> get, Set set) {
  if ((view.*has)()) set((view.*get)());
}
template <class V, class T, class Set>
void put_implicit(const V& view, Get<V, T> get, Set set) {
  const T value = (view.*get)();
  if (!view::reencode::is_default(value)) set(value);
}

// In one piece, or in three pieces that are apart.
template <class T, class Set>
void put_text(Ways& ways, const T& text, Set set) {
  if (ways.pick(2) == 0) return set(text);
  const Bytes all(text);
  const std::size_t cut = all.size() / 3;
  const Bytes parts[] = {{all.data(), cut}, {all.data() + cut, cut}, {all.data() + 2 * cut, all.size() - 2 * cut}};
  set(ByteRanges(parts));
}
template <class V, class T, class Set>
void put_text_explicit(Ways& ways, const V& view, Has<V> has, Get<V, T> get, Set set) {
  if ((view.*has)()) put_text(ways, (view.*get)(), set);
}
template <class V, class T, class Set>
void put_text_implicit(Ways& ways, const V& view, Get<V, T> get, Set set) {
  const T value = (view.*get)();
  if (!view::reencode::is_default(value)) put_text(ways, value, set);
}

template <class V, class Range, class Set>
void put_each(const V& view, Get<V, Range> get, Set set) {
  for (const auto& value : (view.*get)()) set(value);
}
template <class V, class Range, class Set>
void put_each_text(Ways& ways, const V& view, Get<V, Range> get, Set set) {
  for (const auto& value : (view.*get)()) put_text(ways, value, set);
}

// `open` returns the handle for single elements.
template <class V, class Kind, class Set, class Open>
void put_packed(Ways& ways, const V& view, Get<V, view::Repeated<Kind>> get, Set set, Open open) {
  const view::Repeated<Kind> values = (view.*get)();
  if (values.empty()) return;
  if (ways.pick(2) == 0) {
    auto packed = open();
    for (const auto& value : values) packed.add(value);
    return;
  }
  using T = std::decay_t<decltype(*values.begin())>;
  const std::unique_ptr<T[]> all(new T[values.size()]);
  std::size_t count = 0;
  for (const auto& value : values) all[count++] = value;
  set(Span<const T>(all.get(), count));
}

// As an encoded message.
template <class Writer, class Child, class Set>
HOTPB_NOINLINE bool put_raw(Ways& ways, const Child& child, Set set) {
  const std::unique_ptr<HeapBuffer> encoded(new HeapBuffer);
  bool good;
  {
    auto root = encoded->message<Writer>();
    good = rewrite_fields(child, root, ways);
  }
  set(RawMessage(encoded->bytes()));
  return good;
}

// A nested message; rewrite_fields() is the generated function of its view. `set` takes the arguments of a setter for
// messages: nothing, a callable, or a RawMessage, except for message sets.
template <bool kRaw, class Child, class Set>
bool put_one(Ways& ways, const view::Message<Child>& message, Set set) {
  const std::unique_ptr<Child> child(new Child);
  ways.error = child->open(message);
  if (!ways.error.ok()) return false;
  bool good = true;
  switch (ways.pick(kRaw ? 4 : 3)) {
    case 0: {
      auto handle = set();
      return rewrite_fields(*child, handle, ways);
    }
    case 1: {
      auto handle = set();
      good = rewrite_fields(*child, handle, ways);
      static_cast<void>(handle.finish());  // the root reports the status
      return good;
    }
    case 2: set([&](auto& handle) { good = rewrite_fields(*child, handle, ways); }); return good;
    default:
      if constexpr (kRaw) return put_raw<decltype(set())>(ways, *child, set);
      return good;
  }
}

template <class V, class Child, class Set>
bool put_message(Ways& ways, const V& view, Has<V> has, Get<V, view::Message<Child>> get, Set set) {
  return !(view.*has)() || put_one<true>(ways, (view.*get)(), set);
}
template <class V, class Child, class Set>
bool put_messages(Ways& ways, const V& view, Get<V, view::Messages<Child>> get, Set set) {
  for (const auto& message : (view.*get)()) {
    if (!put_one<true>(ways, message, set)) return false;
  }
  return true;
}

// `set` takes the key first.
template <class V, class Map, class Set>
void put_map(const V& view, Get<V, Map> get, Set set) {
  for (const auto& entry : (view.*get)().collect()) set(entry.key, entry.value);
}
template <class V, class Map, class Set>
bool put_message_map(Ways& ways, const V& view, Get<V, Map> get, Set set) {
  for (const auto& entry : (view.*get)().collect()) {
    const auto with_key = [&](auto&&... value) { return set(entry.key, static_cast<decltype(value)&&>(value)...); };
    if (!put_one<true>(ways, entry.value, with_key)) return false;
  }
  return true;
}

// Opens an extension, and passes it to `put`.
template <class Extension, class V, class Put>
bool put_extension(Ways& ways, const V& view, Put put) {
  Extension extension;
  ways.error = extension.open(view);
  return ways.error.ok() && put(extension);
}
template <class Extension, class V, class Set>
bool put_item(Ways& ways, const V& view, Set set) {
  return put_extension<Extension>(ways, view, [&](const Extension& extension) {
    return !extension.has_value() || put_one<false>(ways, extension.value(), set);
  });
}

template <class V, class Writer>
void put_unknown(const V& view, Writer& writer, const view::ExtensionEntry* extensions = nullptr,
                 std::size_t count = 0) {
  std::string record;
  for (const view::UnknownField& field : view.unknown_fields().without(extensions, count)) {
    record.clear();
    field.append_to(record);
    writer.append_raw(std::string_view(record));
  }
}

template <class V, class Writer>
Error rewrite(Bytes input, const ReadOptions& options, bool allow_partial, WriteStream& out, Ways& ways,
              WriteStatus& status) {
  const std::unique_ptr<V> view(new V);
  ways.error = view->decode(input, options);
  if (ways.error.ok()) ways.error = view->validate();
  if (ways.error.ok() && !allow_partial) ways.error = view->check_initialized();
  if (!ways.error.ok()) return ways.error;
  auto writer = out.template message<Writer>();
  rewrite_fields(*view, writer, ways);
  status = writer.finish();
  return ways.error;
}

}  // namespace rewrite
HOTPB_NAMESPACE_END

#endif  // HOTPB_TESTGEN_HOTPB_TEST_REWRITE_H_
