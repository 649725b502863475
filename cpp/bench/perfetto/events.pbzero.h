// Messages of proto/bench/events.proto in the form that Perfetto's protoc plugin (protozero_plugin) writes, by hand,
// because the crate has no plugin. Setters use the same FieldWriter, AppendBytes and BeginNestedMessage as generated
// ones. A C string uses the overload for std::string, as in generated code and in ProtoZero's own benchmark, and is
// copied once more on the way.
#ifndef HOTPB_BENCH_PERFETTO_EVENTS_PBZERO_H_
#define HOTPB_BENCH_PERFETTO_EVENTS_PBZERO_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "protozero.h"

namespace bench {
namespace pbzero {

template <::protozero::proto_utils::ProtoSchemaType kType>
using Field = ::protozero::internal::FieldWriter<kType>;
using Type = ::protozero::proto_utils::ProtoSchemaType;

class Event : public ::protozero::Message {
 public:
  void set_field_int32(std::int32_t value) {
    static constexpr uint32_t field_id = 1;
    Field<Type::kInt32>::Append(*this, field_id, value);
  }
  void set_field_int64(std::int64_t value) {
    static constexpr uint32_t field_id = 2;
    Field<Type::kInt64>::Append(*this, field_id, value);
  }
  void set_field_uint32(std::uint32_t value) {
    static constexpr uint32_t field_id = 3;
    Field<Type::kUint32>::Append(*this, field_id, value);
  }
  void set_field_uint64(std::uint64_t value) {
    static constexpr uint32_t field_id = 4;
    Field<Type::kUint64>::Append(*this, field_id, value);
  }
  template <typename T = Event>
  T* add_field_nested() {
    return BeginNestedMessage<T>(14);
  }
  void set_field_string(const char* data, size_t size) { AppendBytes(500, data, size); }
  void set_field_string(::protozero::ConstChars chars) { AppendBytes(500, chars.data, chars.size); }
  void set_field_string(std::string value) {
    static constexpr uint32_t field_id = 500;
    Field<Type::kString>::Append(*this, field_id, value);
  }
};

// For a user who avoids that copy.
class SizedEvent : public Event {
 public:
  void set_field_string(const char* text) { Event::set_field_string(text, std::strlen(text)); }
  SizedEvent* add_field_nested() { return Event::add_field_nested<SizedEvent>(); }
};

class Varints : public ::protozero::Message {
 public:
  void set_a(uint64_t value) {
    static constexpr uint32_t field_id = 1;
    Field<Type::kUint64>::Append(*this, field_id, value);
  }
  void set_b(uint64_t value) {
    static constexpr uint32_t field_id = 2;
    Field<Type::kUint64>::Append(*this, field_id, value);
  }
  void set_c(uint64_t value) {
    static constexpr uint32_t field_id = 3;
    Field<Type::kUint64>::Append(*this, field_id, value);
  }
  void set_d(uint64_t value) {
    static constexpr uint32_t field_id = 4;
    Field<Type::kUint64>::Append(*this, field_id, value);
  }
  void set_e(uint64_t value) {
    static constexpr uint32_t field_id = 5;
    Field<Type::kUint64>::Append(*this, field_id, value);
  }
  void set_f(uint64_t value) {
    static constexpr uint32_t field_id = 6;
    Field<Type::kUint64>::Append(*this, field_id, value);
  }
  void set_g(uint64_t value) {
    static constexpr uint32_t field_id = 7;
    Field<Type::kUint64>::Append(*this, field_id, value);
  }
  void set_h(uint64_t value) {
    static constexpr uint32_t field_id = 8;
    Field<Type::kUint64>::Append(*this, field_id, value);
  }
};

}  // namespace pbzero
}  // namespace bench

#endif  // HOTPB_BENCH_PERFETTO_EVENTS_PBZERO_H_
