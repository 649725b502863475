// The pool face of one file: a class Foo for each message, an alias FooPool, and the same for extensions
// (hotpb/pool.h). The decoder of each is in decode.cc, its encoder in encode.cc.
#include <set>

#include "pool/names.h"

namespace hotpb {
namespace plugin {
namespace {

class PoolEmitter {
 public:
  PoolEmitter(const PoolNames& names, const Output& out)
      : names_(names), code_(out.header), source_(out.source), inlined_(names.context().inlined()) {}

  void message(const Message& message) {
    open(message);
    code_.text(R"(

// The message $message$, decoded into a pool.
)", {{"message", message.name}});
    emit_left_out(selection(), message,
                  {"as those of unknown fields are", "dropped.", " Required ones among them are not looked for."}, code_);
    emit_comment(names_.context(), message.comment, code_);
    class_of(&message);
    code_.text("using $pool$ = ::hotpb::Pool<$name$>;", {{"pool", names_.pool(message)}, {"name", message_.name}});
  }

  // Before all decoders, which inline it.
  void quick(const Message& message) {
    open(message);
    if (!is_quick_message(names_, message)) return;
    emit_pool_quick(names_, message_, code_);
    emit_pool_quick_encoder(names_, message_, code_);
  }

  // After all classes: what needs them whole.
  void definitions(const Message& message) {
    open(message);
    for (const Field* field : message_.fields) accessor_body(*field);
    tables();
    emit_pool_decoder(names_, message_, source_);
    if (message_.encodes) emit_pool_encoder(names_, message_, source_);
  }

  void extension(const ExtensionOf& extension) {
    const Field& field = *extension.field;
    const Values values{{"declaration", declaration(field)}, {"extendee", extension.extendee->name},
                        {"pool", names_.extension_pool(field)}, {"message", names_.extension(field)},
                        {"extendee_type", names_.qualified(*extension.extendee)}, {"number", field.number}};
    if (extension.extendee->message_set) {
      code_.text(R"(

// The extension $declaration$ of $extendee$.
using $pool$ =
    ::hotpb::pool::SetItemPool<$child$, $extendee_type$, $number$u>;
)", {{"declaration", declaration(field)}, {"extendee", extension.extendee->name},
     {"pool", names_.extension_pool(field)}, {"child", names_.qualified(*field.message)},
     {"extendee_type", names_.qualified(*extension.extendee)}, {"number", field.number}});
      return;
    }
    message_ = PoolClass();
    message_.name = names_.extension(field);
    message_.fields = {&field};
    message_.members[&field] = "value";
    message_.straight = message_.encodes_straight = false;
    message_.encodes = field.message == nullptr || !drops(*field.message);
    find_bits();
    code_.text(R"(

// The extension $declaration$ of $extendee$, as a message that has nothing else.
)", values);
    class_of(nullptr);
    code_.text("using $pool$ = ::hotpb::pool::ExtensionPool<$message$, $extendee_type$>;", values);
    accessor_body(field);
    tables();
    emit_pool_decoder(names_, message_, source_);
    if (message_.encodes) emit_pool_encoder(names_, message_, source_);
  }

 private:
  void open(const Message& message) {
    message_ = PoolClass();
    message_.name = names_.message(message);
    message_.select(selection(), message, names_.accessors(message));
    for (const Oneof& oneof : message.oneofs) message_.oneof_members.push_back(oneof.name + "_choice");
    message_.straight = message_.straight && !message_.fields.empty();
    message_.encodes_straight = selection().encodes_straight(message) && !message_.fields.empty();
    message_.encodes = !drops(message);
    find_bits();
  }

  // Are fields of the message dropped, or of one that it can hold?
  bool drops(const Message& message) const {
    std::set<const Message*> seen{&message};
    std::vector<const Message*> open{&message};
    while (!open.empty()) {
      const Message& next = *open.back();
      open.pop_back();
      if (!next.map_entry && !selection().dropped(next).empty()) return true;
      for (const Field* field : selection().fields(next)) {
        if (field->message != nullptr && seen.insert(field->message).second) open.push_back(field->message);
      }
    }
    return false;
  }

  void find_bits() {
    std::uint32_t bit = 0;
    for (const Field* field : message_.fields) {
      if (has_presence(*field) && is_number(*field) && !message_.in_oneof(*field)) message_.bits[field] = bit++;
    }
  }

  const Selection& selection() const { return names_.context().selection; }

  // The values for templates of a field of any kind.
  Values values_of(const Field& field) const {
    Values values{{"declaration", declaration(field)}, {"name", message_.members.at(&field)},
                  {"class", message_.name}, {"number", static_cast<std::uint32_t>(field.number)},
                  {"type", names_.type(field)}, {"inlined", inlined_}};
    values.add({{"at", "f_." + (message_.in_oneof(field) ? message_.choice(field) : message_.stored(field))},
                {"size", "f_." + message_.size(field)}, {"has", has(field)}});
    return values;
  }

  // The condition that a singular field is present.
  std::string has(const Field& field) const {
    if (field.repeated()) return "";
    const std::string at = "f_." + message_.stored(field);
    if (message_.in_oneof(field)) return "f_." + message_.choice(field) + ".number == " + std::to_string(field.number);
    const auto bit = message_.bits.find(&field);
    if (bit == message_.bits.end()) return at + " != nullptr";
    return "(f_.has_bits[" + std::to_string(bit->second / 32) + "] >> " + std::to_string(bit->second % 32) +
           " & 1) != 0";
  }

  void class_of(const Message* message) {
    const Values values{{"name", message_.name}};
    code_.text(R"(
class $name$ {
 public:
)", values);
    if (message != nullptr) {
      code_.text("  static constexpr ::std::string_view kFullName = \"$message$\";\n", {{"message", message->name}});
    }
    for (const Field* field : message_.fields) accessor(*field);
    if (message != nullptr) {
      for (std::size_t i = 0; i < message->oneofs.size(); ++i) {
        if (message_.oneofs[i].empty()) continue;
        code_.text(R"(
  // The number of the member of oneof $oneof$ that is set, or 0.
  ::std::uint32_t which_$name$() const { return f_.$stored$.number; }

)", {{"oneof", message->oneofs[i].name}, {"name", message_.oneofs[i]}, {"stored", message_.oneof_members[i]}});
      }
    }
    const bool quick = message != nullptr && is_quick_message(names_, *message);
    const char* const encode =
        message_.encodes ? "  static void encode_(::hotpb::pool::detail::Encoder& e, const void* message);\n"
                           "  static constexpr bool kEncodes = true;"
                         : "  static constexpr bool kEncodes = false;  // fields were left out";
    code_.text(R"(
  ::hotpb::pool::UnknownFields unknown_fields() const { return ::hotpb::pool::UnknownFields(f_.unknown); }

  // For the runtime: where the fields are, and how they are decoded.
$quick$
  static const ::hotpb::MessageTable kTable;
  static const ::hotpb::pool::detail::Type kType;
  static const ::std::uint8_t* decode_(::hotpb::pool::detail::Decoder& d, void* message, const ::std::uint8_t* p,
      const ::std::uint8_t* end, ::std::uint32_t end_tag, ::hotpb::pool::detail::Level* level);
$encode$

 private:
  struct Stored_ {
    ::hotpb::pool::detail::UnknownList* unknown;
)", {{"encode", encode},
     {"quick", quick ? "  static bool quick_(::hotpb::pool::detail::Decoder& d, void* message, "
                       "const ::std::uint8_t* p, const ::std::uint8_t* end);\n"
                       "  static ::std::size_t room_(const void* message);\n"
                       "  static ::std::uint8_t* write_(const void* message, ::std::uint8_t* p);" : ""}});
    storage(message);
    code_.text(R"(
  };

)");
    const Values counts{{"fields", message_.fields.size()}, {"dropped", message_.dropped.size()},
                        {"needs", needs().size()}};
    if (!message_.fields.empty()) {
      code_.text(R"(
  static const ::hotpb::FieldEntry fields_[$fields$];
  static const ::hotpb::pool::detail::Place places_[$fields$];
)", counts);
    }
    if (!message_.dropped.empty()) code_.text("  static const ::std::uint32_t dropped_[$dropped$];", counts);
    if (!needs().empty()) code_.text("  static const ::hotpb::detail::NeedEntry needs_[$needs$];", counts);
    for (const Field* field : message_.fields) {
      if (!is_map(*field)) continue;
      code_.text(R"(
  static const ::hotpb::FieldEntry entry_$number$_fields_[2];
  static const ::hotpb::pool::detail::Place entry_$number$_places_[2];
  static const ::hotpb::MessageTable entry_$number$_table_;
  static const ::hotpb::pool::detail::Type entry_$number$_type_;
)", values_of(*field));
    }
    code_.text(R"(

  Stored_ f_{};
};
)");
  }

  // The stored fields: those of eight bytes first, then four, then one.
  void storage(const Message* message) {
    const auto line = [&](const std::string& type, const std::string& name) {
      code_.text("    $type$ $name$;", {{"type", type}, {"name", name}});
    };
    if (message != nullptr) {
      for (std::size_t i = 0; i < message_.oneofs.size(); ++i) {
        if (!message_.oneofs[i].empty()) line("::hotpb::pool::detail::Choice", message_.oneof_members[i]);
      }
    }
    const auto each = [&](unsigned width) {
      for (const Field* field : message_.fields) {
        if (message_.in_oneof(*field)) continue;
        const std::string name = message_.stored(*field);
        if (field->repeated()) {
          if (width == 8) line("::hotpb::pool::detail::Array", name);
        } else if (field->type == FieldType::Message) {
          if (width == 8) line("void*", name);
        } else if (is_text(*field)) {
          if (width == 8) line("const ::std::uint8_t*", name);
          if (width == 4) line("::std::uint32_t", message_.size(*field));
        } else if (number_width(*field) == width) {
          line(names_.type(*field), name);
        }
      }
    };
    each(8);
    if (!message_.bits.empty()) {
      line("::std::uint32_t", "has_bits[" + std::to_string((message_.bits.size() + 31) / 32) + "]");
    }
    each(4);
    each(1);
  }

  void accessor(const Field& field) {
    Values values = values_of(field);
    values.add({{"deprecated", deprecation(field.deprecated)}});
    code_.text("  // $declaration$", values);
    code_.indent();
    emit_comment(names_.context(), field.comment, code_);
    code_.dedent();
    if (field.repeated()) {
      values.add({{"list", list_type(field)}});
      code_.text("  $deprecated$$list$ $name$() const;", values);
      code_.line();
      return;
    }
    const bool is_message = field.type == FieldType::Message;
    if (has_presence(field) || is_message) {
      code_.text("  $deprecated$bool has_$name$() const { return $has$; }", values);
    }
    if (is_message) {
      code_.text("  $deprecated$const $type$& $name$() const;", values);
    } else {
      code_.text("  $deprecated$$type$ $name$() const { return $value$; }",
                 {{"deprecated", deprecation(field.deprecated)}, {"type", names_.type(field)},
                  {"name", message_.members.at(&field)}, {"value", value(field)}});
    }
    code_.line();
  }

  std::string list_type(const Field& field) const {
    if (is_map(field)) return "::hotpb::pool::Map<" + names_.entry(field) + ">";
    return "::hotpb::Span<const " + names_.type(field) + ">";
  }

  // The value of a singular field that is no message.
  std::string value(const Field& field) const {
    const std::string at = "f_." + message_.stored(field);
    std::string value = at;
    if (message_.in_oneof(field)) {
      const std::string choice = "f_." + message_.choice(field);
      value = "::hotpb::pool::detail::" + std::string(field.type == FieldType::String ? "text"
                                              : field.type == FieldType::Bytes
                                                  ? "bytes"
                                                  : "number<" + names_.type(field) + ">") + "(" + choice + ")";
      return has(field) + " ? " + value + " : " + names_.fallback(field);
    }
    if (is_text(field)) {
      value = "::hotpb::pool::detail::" + std::string(field.type == FieldType::String ? "text" : "bytes") + "(" + at +
              ", f_." + message_.size(field) + ")";
    }
    if (!has_presence(field) || !names_.has_fallback(field)) return value;
    return has(field) + " ? " + value + " : " + names_.fallback(field);
  }

  // Bodies that need the types of messages.
  void accessor_body(const Field& field) {
    const Values values = values_of(field);
    if (is_map(field)) {
      code_.text(R"(

inline ::hotpb::pool::Map<$entry$> $class$::$name$() const {
  return ::hotpb::pool::Map<$entry$>($at$);
}
)", {{"entry", names_.entry(field)}, {"class", message_.name}, {"name", message_.members.at(&field)},
     {"at", "f_." + message_.stored(field)}});
    } else if (field.repeated()) {
      code_.text(R"(

inline ::hotpb::Span<const $type$> $class$::$name$() const {
  return ::hotpb::pool::detail::list<$type$>($at$);
}
)", values);
    } else if (field.type == FieldType::Message) {
      code_.text(message_.in_oneof(field) ? R"(

inline const $type$& $class$::$name$() const {
  return ::hotpb::pool::detail::message<$type$>($at$, $number$);
}
)" : R"(

inline const $type$& $class$::$name$() const { return ::hotpb::pool::detail::message<$type$>($at$); }
)", values);
    }
  }

  void tables() {
    for (const Field* field : message_.fields) {
      if (is_map(*field)) entry_tables(*field);
    }
    emit_dropped(names_.context(), message_, source_);
    const std::vector<Need> needed = needs();
    emit_needs(names_.context(), message_, needed, source_);
    const std::string stem = message_.name + "::";
    if (!message_.fields.empty()) {
      entries(stem + "fields_", message_.fields);
      source_.text(R"(

$inlined$const ::hotpb::pool::detail::Place $class$::places_[$count$] = {
)", {{"inlined", inlined_}, {"class", message_.name}, {"count", message_.fields.size()}});
      for (const Field* field : message_.fields) place(*field);
      source_.line("};");
    }
    const bool none = message_.fields.empty();
    source_.text(R"(

$inlined$const ::hotpb::MessageTable $class$::kTable = {$fields$, $count$$rest$};

$inlined$const ::hotpb::pool::detail::Type $class$::kType = {
    &kTable, $places$, sizeof(Stored_), false, $maps$, 0, &$class$::decode_, $encode$};
)", {{"inlined", inlined_}, {"class", message_.name}, {"fields", none ? "nullptr" : "fields_"},
     {"places", none ? "nullptr" : "places_"}, {"count", message_.fields.size()}, {"rest", table_rest(message_, needed)},
     {"maps", flag(has_maps(message_.fields))},
     {"encode", message_.encodes ? "&" + message_.name + "::encode_" : "nullptr"}});
  }

  // Can one of the fields lead to a map?
  bool has_maps(const std::vector<const Field*>& fields) const {
    std::set<const Message*> seen;
    std::vector<const Field*> open = fields;
    while (!open.empty()) {
      const Field& field = *open.back();
      open.pop_back();
      if (is_map(field)) return true;
      if (field.message == nullptr || !seen.insert(field.message).second) continue;
      for (const Field* inner : selection().fields(*field.message)) open.push_back(inner);
    }
    return false;
  }

  void place(const Field& field) {
    std::string at = message_.stored(field);
    std::string more = "0";
    std::string shape = "Implicit";
    std::string child = "nullptr";
    if (is_map(field)) {
      shape = "Map";
      child = "&entry_" + std::to_string(field.number) + "_type_";
    } else if (field.repeated()) {
      shape = "Repeated";
    } else if (message_.in_oneof(field)) {
      shape = "Member";
      at = message_.choice(field);
    } else if (has_presence(field) || field.type == FieldType::Message) {
      shape = "Explicit";
      const auto bit = message_.bits.find(&field);
      if (bit != message_.bits.end()) more = "8 * offsetof(Stored_, has_bits) + " + std::to_string(bit->second);
    }
    if (is_text(field) && (shape == "Implicit" || shape == "Explicit")) {
      more = "offsetof(Stored_, " + message_.size(field) + ")";
    }
    if (field.message != nullptr && !is_map(field)) child = "&" + names_.qualified(*field.message) + "::kType";
    const bool packed = field.packed && field.repeated();
    std::string rest;
    if (packed) {
      rest = ", 0, nullptr, true";
    } else if (child != "nullptr") {
      rest = ", 0, " + child;
    } else if (more != "0") {
      rest = ", " + more;
    }
    source_.text("  {$tag$u, ::hotpb::FieldType::$type$, ::hotpb::pool::detail::Shape::$shape$, "
                 "offsetof(Stored_, $at$)$rest$},", {
        {"tag", packed ? packed_tag_of(field) : tag_of(field)},
        {"type", field_type(field)}, {"at", at}, {"shape", shape}, {"rest", rest}});
  }

  void entry_tables(const Field& field) {
    const Field& key = map_key(field);
    const Field& value = map_value(field);
    const std::string number = std::to_string(field.number);
    const std::string stem = message_.name + "::entry_" + number + "_";
    entries(stem + "fields_", {&key, &value});
    const std::string entry = "::hotpb::pool::detail::Entry<" + names_.entry(field) + ">";
    const bool message = value.type == FieldType::Message;
    source_.text(R"(

$inlined$const ::hotpb::pool::detail::Place $stem$places_[2] = {
  {$key_tag$u, ::hotpb::FieldType::$key_type$, ::hotpb::pool::detail::Shape::Implicit, $offsets$::kKey, $key_more$},
  {$value_tag$u, ::hotpb::FieldType::$value_type$, ::hotpb::pool::detail::Shape::$shape$, $offsets$::kValue,
      $value_more$$child$},
};

$inlined$const ::hotpb::MessageTable $stem$table_ = {entry_$number$_fields_, 2};

$inlined$const ::hotpb::pool::detail::Type $stem$type_ = {
    &entry_$number$_table_, entry_$number$_places_, sizeof($entry$), true, $maps$, $absent$, nullptr, nullptr};
)", {{"inlined", inlined_}, {"stem", stem}, {"offsets", "::hotpb::pool::detail::Offsets<" + names_.entry(field) + ">"},
     {"key_more", entry_more(key, field, "kKey")}, {"value_more", entry_more(value, field, "kValue")},
     {"shape", message ? "Inline" : "Implicit"}, {"key_tag", tag_of(key)}, {"value_tag", tag_of(value)},
     {"key_type", field_type(key)}, {"value_type", field_type(value)},
     {"child", message ? ", &" + names_.qualified(*value.message) + "::kType" : ""}, {"number", number},
     {"entry", entry}, {"maps", flag(has_maps({&value}))},
     {"absent", is_closed(value) ? "static_cast<::std::int32_t>(" + names_.fallback(value) + ")" : "0"}});
  }

  std::string entry_more(const Field& part, const Field& map, const char* member) const {
    const std::string at = "::hotpb::pool::detail::Offsets<" + names_.entry(map) + ">::" + member;
    if (is_text(part)) return at + " + offsetof(::hotpb::pool::detail::StoredText, size)";
    return is_closed(part) ? at + " + 4" : "0";
  }

  void entries(const std::string& array, const std::vector<const Field*>& fields) {
    const auto table = [&](const Field& field) {
      if (is_map(field)) return "entry_" + std::to_string(field.number) + "_table_";
      return names_.qualified(*field.message) + "::kTable";
    };
    emit_entries(names_, array, fields, table, source_);
  }

  std::vector<Need> needs() const {
    std::vector<Need> found;
    for (std::size_t i = 0; i < message_.fields.size(); ++i) {
      const Field& field = *message_.fields[i];
      if (can_lack(selection(), field)) found.push_back({i, i, field.presence == Presence::Required, is_map(field)});
    }
    return found;
  }

  const PoolNames& names_;
  Code& code_;    // the header
  Code& source_;  // what is compiled once
  const std::string inlined_;
  PoolClass message_;
};

}  // namespace

void emit_pool(const FileContext& context, const Output& out) {
  const PoolNames names(context);
  PoolEmitter emitter(names, out);
  for (const Message* const message : context.messages) emitter.message(*message);
  for (const Message* const message : context.messages) emitter.quick(*message);
  for (const Message* const message : context.messages) emitter.definitions(*message);
  for (const ExtensionOf& extension : context.extensions) emitter.extension(extension);
}

}  // namespace plugin
}  // namespace hotpb
