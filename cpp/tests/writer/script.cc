#include "writer/script.h"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hotpb/vectors.hot.h"
#include "hotpb/vectors_2023.hot.h"
#include "hotpb/vectors_elsewhere.hot.h"
#include "hotpb/vectors_proto2.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

// A value of the JSON line: hex, a repeated byte, or decimal text.
std::string payload(const Json& json) {
  if (json.kind == Json::Kind::String) return from_hex(json.string);
  return std::string(static_cast<std::size_t>(json.at("count").integer), from_hex(json.at("repeat").string).at(0));
}

// Text outlives the call that gets it.
template <class T>
using Owned =
    std::conditional_t<std::is_same_v<T, std::string_view> || std::is_same_v<T, hotpb::Bytes>, std::string, T>;

template <class T>
Owned<T> value_of(const Json& json) {
  if constexpr (std::is_same_v<Owned<T>, std::string>) {
    return payload(json);
  } else if constexpr (std::is_floating_point_v<T>) {
    const std::string bytes = from_hex(json.string);
    T value;
    if (bytes.size() != sizeof value) throw std::runtime_error("not a value of that width: " + json.string);
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return json.string == "true";
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(std::stoull(json.string));
  } else {
    return static_cast<T>(std::stoll(json.string));
  }
}

// Converts the value for the setter of its type.
template <class T, class Value>
T argument(const Value& value) {
  if constexpr (std::is_same_v<T, hotpb::Bytes>) {
    return hotpb::Bytes(std::string_view(value));
  } else {
    return static_cast<T>(value);
  }
}

[[noreturn]] void no_such(const Json& call) { throw std::runtime_error("no such call: " + call.at("call").string); }

template <class T, class Set>
void scalar(const Json& call, Set set) {
  if (call.at("call").string != "put") no_such(call);
  set(value_of<T>(call.at("value")));
}

template <class T, class Set>
void text(const Json& call, Set set) {
  if (call.at("call").string == "put") return set(argument<T>(payload(call.at("value"))));
  if (call.at("call").string != "ranges") no_such(call);
  std::vector<std::string> parts;
  for (const Json& part : call.at("values").array) parts.push_back(payload(part));
  std::vector<hotpb::Bytes> ranges;
  for (const std::string& part : parts) ranges.emplace_back(std::string_view(part));
  set(hotpb::ByteRanges(ranges.data(), ranges.size()));
}

template <class T, class Set, class Open>
void packed(Script& script, const Json& call, Set set, Open open) {
  if (call.at("call").string == "packed") return script.hold(call, open());
  if (call.at("call").string != "span") no_such(call);
  const std::vector<Json>& values = call.at("values").array;
  const std::unique_ptr<T[]> all(new T[values.size()]);
  for (std::size_t i = 0; i < values.size(); ++i) all[i] = value_of<T>(values[i]);
  set(hotpb::Span<const T>(all.get(), values.size()));
}

template <class Key, class Value, class Set>
void entry(const Json& call, Set set) {
  if (call.at("call").string != "entry") no_such(call);
  const auto key = value_of<Key>(call.at("key"));
  const auto value = value_of<Value>(call.at("value"));
  set(argument<Key>(key), argument<Value>(value));
}

template <bool kRaw, class Set>
void message(Script& script, const Json& call, Set set) {
  const std::string& verb = call.at("call").string;
  if (verb == "open") return script.hold(call, set());
  if (verb == "with") return set([&](auto& child) { script.inside(call, child); });
  if constexpr (kRaw) {
    if (verb == "raw") {
      const std::string encoded = payload(call.at("value"));
      return set(hotpb::RawMessage(std::string_view(encoded)));
    }
  }
  no_such(call);
}

// The calls that every message has.
template <class Writer>
bool of_any_message(Writer& writer, const Json& call) {
  const std::string& verb = call.at("call").string;
  if (verb == "finish") {
    static_cast<void>(writer.finish());
  } else if (verb == "fields") {
    const std::string fields = payload(call.at("value"));
    writer.append_raw(std::string_view(fields));
  } else {
    return false;
  }
  return true;
}

}  // namespace

template <class Encode, class T>
void apply(Script&, hotpb::PackedWriter<Encode, T>& writer, const Json& call) {
  if (call.at("call").string == "finish") {
    static_cast<void>(writer.finish());
  } else if (call.at("call").string == "element") {
    writer.add(value_of<T>(call.at("value")));
  } else {
    no_such(call);
  }
}

#include "script_calls.inc"

namespace {

template <class Writer>
class Held final : public Handle {
 public:
  explicit Held(Writer writer) : writer_(std::move(writer)) {}
  void apply(Script& script, const Json& call) override { hotpb_test::apply(script, writer_, call); }

 private:
  Writer writer_;
};

template <class Writer>
class Lent final : public Handle {
 public:
  explicit Lent(Writer& writer) : writer_(writer) {}
  void apply(Script& script, const Json& call) override { hotpb_test::apply(script, writer_, call); }

 private:
  Writer& writer_;
};

}  // namespace

template <class Writer>
void Script::hold(const Json& call, Writer writer) {
  handles_[call.at("handle").integer] = std::make_unique<Held<Writer>>(std::move(writer));
}

template <class Writer>
void Script::inside(const Json& call, Writer& writer) {
  const std::int64_t number = call.at("handle").integer;
  handles_[number] = std::make_unique<Lent<Writer>>(writer);
  run(call.at("calls"));
  end_from(number);
}

template <class Writer>
void Script::root(const Json& call) {
  hold(call, call.at("call").string == "delimited" ? out_.delimited<Writer>() : out_.message<Writer>());
}

void Script::run(const Json& calls) {
  for (const Json& call : calls.array) {
    const std::string& verb = call.at("call").string;
    if (verb == "root" || verb == "delimited") {
      open_root(message_, call);
    } else if (verb == "flush") {
      static_cast<void>(out_.flush());
    } else if (verb == "end") {
      handles_.erase(call.at("on").integer);
    } else {
      handles_.at(call.at("on").integer)->apply(*this, call);
    }
  }
}

void Script::end_from(std::int64_t first) {
  while (!handles_.empty() && handles_.rbegin()->first >= first) handles_.erase(std::prev(handles_.end()));
}

}  // namespace hotpb_test
