// The reads of view-one and view-all, once for all libraries, because their accessors have the same names. `Access` has
// the functions for nested messages: each(list, f), at(list, index, f) for repeated ones, one(message, f) for a
// singular one.
#ifndef HOTPB_BENCH_VIEW_WALK_H_
#define HOTPB_BENCH_VIEW_WALK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bench {

// Adds up numbers, and of strings the length and the first and last byte: the same sum as in Rust and Go, whose terms
// do not wait for one another.
class Sum {
 public:
  template <class T>
  void number(T value) {
    static_assert(sizeof value <= 8, "a scalar");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    sum_ += bits;
  }
  void text(std::string_view value) {
    if (value.empty()) return;
    sum_ += value.size() + (std::uint64_t{static_cast<unsigned char>(value.front())} << 8) +
            (std::uint64_t{static_cast<unsigned char>(value.back())} << 16);
  }
  void bytes(std::string_view value) { text(value); }
  template <class Bytes>
  auto bytes(const Bytes& value) -> decltype(value.text(), void()) { text(value.text()); }

  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

// ---- hotpb.bench.Event ----

struct EventWalk {
  // The number in the innermost event.
  template <class Access, class Event>
  static void first(Access& access, const Event& event, Sum& sum) {
    if (event.field_nested().size() == 0) return sum.number(event.field_uint64());
    access.at(event.field_nested(), 0, [&](const auto& nested) { first(access, nested, sum); });
  }
  template <class Access, class Event>
  static void all(Access& access, const Event& event, Sum& sum) {
    sum.number(event.field_int32());
    sum.number(event.field_int64());
    sum.number(event.field_uint32());
    sum.number(event.field_uint64());
    sum.number(event.field_sint32());
    sum.number(event.field_sint64());
    sum.number(event.field_fixed32());
    sum.number(event.field_fixed64());
    sum.number(event.field_sfixed32());
    sum.number(event.field_sfixed64());
    sum.number(event.field_float());
    sum.number(event.field_double());
    sum.number(event.field_bool());
    access.each(event.field_nested(), [&](const auto& nested) { all(access, nested, sum); });
    sum.number(event.size());
    sum.number(event.sign());
    sum.text(event.field_string());
    sum.bytes(event.field_bytes());
    for (const auto& text : event.repeated_string()) sum.text(text);
    for (const auto number : event.repeated_fixed64()) sum.number(number);
    for (const auto number : event.repeated_sfixed32()) sum.number(number);
    for (const auto number : event.repeated_int32()) sum.number(number);
  }
};

// ---- prometheus.WriteRequest ----

struct RequestWalk {
  // The first label of the series in the middle.
  template <class Access, class Request>
  static void first(Access& access, const Request& request, Sum& sum) {
    const auto& series = request.timeseries();
    access.at(series, static_cast<std::size_t>(series.size()) / 2, [&](const auto& some) {
      access.at(some.labels(), 0, [&](const auto& label) { sum.text(label.value()); });
    });
  }
  template <class Access, class Request>
  static void all(Access& access, const Request& request, Sum& sum) {
    access.each(request.timeseries(), [&](const auto& series) {
      access.each(series.labels(), [&](const auto& pair) { label(pair, sum); });
      access.each(series.samples(), [&](const auto& sample) {
        sum.number(sample.value());
        sum.number(sample.timestamp());
      });
      access.each(series.exemplars(), [&](const auto& exemplar) {
        access.each(exemplar.labels(), [&](const auto& pair) { label(pair, sum); });
        sum.number(exemplar.value());
        sum.number(exemplar.timestamp());
      });
      sum.number(static_cast<std::uint64_t>(series.histograms().size()));  // the inputs have none
    });
    access.each(request.metadata(), [&](const auto& metadata) {
      sum.number(metadata.type());
      sum.text(metadata.metric_family_name());
      sum.text(metadata.help());
      sum.text(metadata.unit());
    });
  }

 private:
  template <class Label>
  static void label(const Label& label, Sum& sum) {
    sum.text(label.name());
    sum.text(label.value());
  }
};

// ---- google.protobuf.FileDescriptorProto: the fields that describe messages and enums ----

struct FileWalk {
  // The name of the message in the middle.
  template <class Access, class File>
  static void first(Access& access, const File& file, Sum& sum) {
    const auto& messages = file.message_type();
    access.at(messages, static_cast<std::size_t>(messages.size()) / 2, [&](const auto& m) { sum.text(m.name()); });
  }
  template <class Access, class File>
  static void all(Access& access, const File& file, Sum& sum) {
    sum.text(file.name());
    sum.text(file.package());
    for (const auto& name : file.dependency()) sum.text(name);
    access.each(file.message_type(), [&](const auto& nested) { message(access, nested, sum); });
    access.each(file.enum_type(), [&](const auto& values) { enumeration(access, values, sum); });
    access.each(file.extension(), [&](const auto& member) { field(access, member, sum); });
    if (file.has_options()) {
      access.child(file.options(), [&](const auto& options) {
        sum.text(options.java_package());
        sum.text(options.java_outer_classname());
        sum.number(options.optimize_for());
        sum.text(options.go_package());
        sum.number(options.cc_enable_arenas());
        sum.text(options.objc_class_prefix());
        sum.text(options.csharp_namespace());
      });
    }
    sum.text(file.syntax());
  }

 private:
  template <class Access, class Message>
  static void message(Access& access, const Message& message_type, Sum& sum) {
    sum.text(message_type.name());
    access.each(message_type.field(), [&](const auto& member) { field(access, member, sum); });
    access.each(message_type.nested_type(), [&](const auto& nested) { message(access, nested, sum); });
    access.each(message_type.enum_type(), [&](const auto& values) { enumeration(access, values, sum); });
    access.each(message_type.extension_range(), [&](const auto& range) { bounds(range, sum); });
    access.each(message_type.extension(), [&](const auto& member) { field(access, member, sum); });
    if (message_type.has_options()) {
      access.child(message_type.options(), [&](const auto& options) { sum.number(options.deprecated()); });
    }
    access.each(message_type.oneof_decl(), [&](const auto& oneof) { sum.text(oneof.name()); });
    access.each(message_type.reserved_range(), [&](const auto& range) { bounds(range, sum); });
    for (const auto& name : message_type.reserved_name()) sum.text(name);
  }
  template <class Access, class Field>
  static void field(Access& access, const Field& field, Sum& sum) {
    sum.text(field.name());
    sum.text(field.extendee());
    sum.number(field.number());
    sum.number(field.label());
    sum.number(field.type());
    sum.text(field.type_name());
    sum.text(field.default_value());
    if (field.has_options()) {
      access.child(field.options(), [&](const auto& options) {
        sum.number(options.packed());
        sum.number(options.lazy());
        sum.number(options.deprecated());
      });
    }
    sum.number(field.oneof_index());
    sum.text(field.json_name());
    sum.number(field.proto3_optional());
  }
  template <class Access, class Enum>
  static void enumeration(Access& access, const Enum& enum_type, Sum& sum) {
    sum.text(enum_type.name());
    access.each(enum_type.value(), [&](const auto& value) {
      sum.text(value.name());
      sum.number(value.number());
    });
    access.each(enum_type.reserved_range(), [&](const auto& range) { bounds(range, sum); });
  }
  template <class Range>
  static void bounds(const Range& range, Sum& sum) {
    sum.number(range.start());
    sum.number(range.end());
  }
};

}  // namespace bench

#endif  // HOTPB_BENCH_VIEW_WALK_H_
