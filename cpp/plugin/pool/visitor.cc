// The extra face visitor: a class FooVisitor for each message, whose functions visitors replace, and the function that
// reads a message and calls them (hotpb/pool/visit.h).
#include <set>

#include "pool/names.h"

namespace hotpb {
namespace plugin {
namespace {

class VisitorEmitter {
 public:
  VisitorEmitter(const PoolNames& names, const Message& message, Code& code)
      : names_(names), message_(message), code_(code), class_(names.visitor(message)),
        fields_(names.context().selection.fields(message)), members_(names.accessors(message).fields) {
    for (auto& member : members_) {
      if (member.second == class_) member.second += '_';
    }
  }

  void visitor() {
    code_.text(R"(

// Receives the fields of $message$, in the order of the input. Replace the functions of the fields that you need.
class $class$ {
 public:
)", {{"message", message_.name}, {"class", class_}});
    for (const Field* field : fields_) {
      code_.text("  // $declaration$", {{"declaration", declaration(*field)}});
      code_.indent();
      emit_comment(names_.context(), field->comment, code_);
      code_.dedent();
      // Not [[deprecated]]: the reader calls it whether or not a visitor has one of its own.
      code_.text("  void $name$($parameters$) {}", {{"name", members_.at(field)}, {"parameters", parameters(*field)}});
    }
    code_.text(R"(
  void unknown_fields(const ::hotpb::pool::UnknownField&) {}
};
)");
  }

  void reader() {
    code_.text(R"(

template <class V>
const ::std::uint8_t* visit_fields_(const $handle$*, V& v, ::hotpb::pool::detail::Visit& d, const ::std::uint8_t* p,
    const ::std::uint8_t* end, ::std::uint32_t end_tag, ::std::uint32_t left) {
  while (p != end) {
    const ::std::uint8_t* const start = p;
    ::std::uint32_t tag;
    p = ::hotpb::wire::read_tag(p, end, tag);
    if (p == nullptr) return d.fail();
    switch (tag) {
)", {{"handle", names_.qualified(message_)}});
    for (const Field* field : fields_) {
      record(*field, false);
      if (is_packable(*field)) record(*field, true);
    }
    code_.text(R"(
      default:
        if (tag == end_tag) return p;
        p = d.unknown($handle$::kTable, v, start, p, end, tag, left);
        if (p == nullptr) return d.fail();
    }
  }
  return end_tag == 0 ? p : d.fail();
}
)", {{"handle", names_.qualified(message_)}});
  }

 private:
  std::string records(const Field& field) const {
    return "::hotpb::Records<" + names_.qualified(*field.message) + ">";
  }
  std::string elements(const Field& field) const {
    return "::hotpb::Elements<::hotpb::FieldType::" + field_type(field) + ", " + names_.type(field) + ">";
  }
  std::string parameters(const Field& field) const {
    if (is_map(field)) {
      const Field& value = map_value(field);
      return names_.type(map_key(field)) + ", " +
             (value.message != nullptr ? records(value) + "&" : names_.type(value));
    }
    if (field.message != nullptr) return records(field) + "&";
    return is_packable(field) ? "const " + elements(field) + "&" : names_.type(field);
  }

  void record(const Field& field, bool packed) {
    Values values{{"declaration", declaration(field)}, {"packed", packed ? ", packed" : ""},
                  {"tag", packed ? packed_tag_of(field) : tag_of(field)},
                  {"name", members_.at(&field)}, {"type", names_.type(field)}, {"kind", field_type(field)},
                  {"number", static_cast<std::uint32_t>(field.number)},
                  {"verify", names_.verify(field) ? "true" : "false"}};
    code_.text("      case $tag$u: {  // $declaration$$packed$", values);
    if (is_map(field)) {
      map(field);
    } else if (field.message != nullptr) {
      values.add({{"records", records(field)}, {"repeated", field.repeated() ? "true" : "false"}});
      code_.text(R"(
        $records$ records(d, tag, $repeated$, p, end, left);
        if (!d.call([&] { return v.$name$(records); })) return d.fail();
        p = records.finish();
        if (p == nullptr) return d.fail();
)", values);
    } else if (is_packable(field)) {
      values.add({{"elements", elements(field)}, {"read", packed ? "packed" : "single"},
                  {"closed", is_closed(field) ? names_.closed(*field.enumeration) : ""}});
      code_.text(R"(
        ::hotpb::Bytes numbers;
        p = d.template $read$<::hotpb::FieldType::$kind$>(p, end, numbers);
        if (p == nullptr) return d.fail();
)", values);
      code_.text(is_closed(field) ? R"(
        if (!d.undefined(v, $number$u, numbers, &$closed$)) return d.fail();
        const $elements$ elements(numbers, &$closed$);
        if (elements.begin() != elements.end() && !d.call([&] { return v.$name$(elements); })) return d.fail();
)" : R"(
        if (!d.call([&] { return v.$name$($elements$(numbers)); })) return d.fail();
)", values);
    } else if (is_text(field)) {
      code_.text(R"(
        $type$ value;
        p = d.text(p, end, $verify$, value);
        if (p == nullptr || !d.call([&] { return v.$name$(value); })) return d.fail();
)", values);
    } else {
      code_.text(R"(
        $type$ value{};
        p = d.template number<::hotpb::FieldType::$kind$>(p, end, value);
        if (p == nullptr) return d.fail();
)", values);
      if (is_closed(field)) {
        code_.text(R"(
        if (!enum_is_defined(value)) {
          if (!d.undefined(v, $number$u, static_cast<::std::int32_t>(value))) return d.fail();
          break;
        }
)", values);
      }
      code_.text("        if (!d.call([&] { return v.$name$(value); })) return d.fail();", values);
    }
    code_.text("        break;\n      }");
  }

  void map(const Field& field) {
    const Field& key = map_key(field);
    const Field& value = map_value(field);
    const Values values{{"key", names_.type(key)}, {"key_kind", field_type(key)}, {"value_kind", field_type(value)},
                        {"name", members_.at(&field)}, {"verify_key", names_.verify(key) ? "true" : "false"},
                        {"verify_value", names_.verify(value) ? "true" : "false"},
                        {"value", value.message != nullptr ? "::hotpb::Bytes" : names_.type(value)},
                        {"first", is_closed(value) ? " = " + names_.fallback(value) : "{}"},
                        {"records", value.message != nullptr ? records(value) : ""}};
    if (is_closed(value)) code_.text("        const ::std::uint8_t* const from = p;");
    code_.text(R"(
        ::hotpb::Bytes entry;
        $key$ key{};
        $value$ value$first$;
        p = d.template entry<::hotpb::FieldType::$key_kind$, ::hotpb::FieldType::$value_kind$>(
            p, end, left, $verify_key$, $verify_value$, entry, key, value);
        if (p == nullptr) return d.fail();
)", values);
    if (value.message != nullptr) {
      code_.text(R"(
        $records$ records(d, entry, left - 1);
        if (!d.call([&] { return v.$name$(key, records); }) || records.finish() == nullptr) return d.fail();
)", values);
      return;
    }
    if (is_closed(value)) {
      code_.text(R"(
        if (!enum_is_defined(value)) {
          if (!d.record(v, tag, start, from, p)) return d.fail();
          break;
        }
)");
    }
    code_.text("        if (!d.call([&] { return v.$name$(key, value); })) return d.fail();", values);
  }

  const PoolNames& names_;
  const Message& message_;
  Code& code_;
  const std::string class_;
  const std::vector<const Field*> fields_;
  std::map<const Field*, std::string> members_;
};

}  // namespace

void emit_visitor(const FileContext& context, const Output& out) {
  const PoolNames names(context);
  for (const Message* const message : context.messages) VisitorEmitter(names, *message, out.header).visitor();
  for (const Message* const message : context.messages) VisitorEmitter(names, *message, out.header).reader();
}

}  // namespace plugin
}  // namespace hotpb
