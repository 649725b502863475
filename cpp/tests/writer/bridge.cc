#include "writer/bridge.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/util/message_differencer.h>

namespace hotpb_test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string random_text(Random& random, bool utf8) {
  const std::size_t size = random.one_in(8) ? random.below(300) : random.below(24);
  if (!utf8) return random.bytes(size);
  std::string text;
  while (text.size() < size) {
    text += random.one_in(6) ? "\xc3\xa9" : std::string(1, static_cast<char>('a' + random.below(26)));
  }
  return text;
}

float random_float(Random& random) {
  const std::uint32_t bits = static_cast<std::uint32_t>(random.bits());
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
double random_double(Random& random) {
  const std::uint64_t bits = random.bits();
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void fill_field(Message& message, const FieldDescriptor* field, Random& random, std::size_t fields, int depth) {
  const auto* reflection = message.GetReflection();
  const bool repeated = field->is_repeated();
  switch (field->cpp_type()) {
#define HOTPB_FILL_FIELD(TYPE, Name, value)                                                         \
  case FieldDescriptor::CPPTYPE_##TYPE:                                                       \
    repeated ? reflection->Add##Name(&message, field, value) : reflection->Set##Name(&message, field, value); \
    break;
    HOTPB_FILL_FIELD(INT32, Int32, static_cast<std::int32_t>(random.one_in(4) ? -random.varied() : random.varied()))
    HOTPB_FILL_FIELD(INT64, Int64, static_cast<std::int64_t>(random.one_in(4) ? -random.varied() : random.varied()))
    HOTPB_FILL_FIELD(UINT32, UInt32, static_cast<std::uint32_t>(random.varied()))
    HOTPB_FILL_FIELD(UINT64, UInt64, random.varied())
    HOTPB_FILL_FIELD(FLOAT, Float, random_float(random))
    HOTPB_FILL_FIELD(DOUBLE, Double, random_double(random))
    HOTPB_FILL_FIELD(BOOL, Bool, random.one_in(2))
    HOTPB_FILL_FIELD(STRING, String, random_text(random, field->type() == FieldDescriptor::TYPE_STRING))
#undef HOTPB_FILL_FIELD
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* type = field->enum_type();
      const auto* value = type->value(static_cast<int>(random.below(static_cast<std::size_t>(type->value_count()))));
      repeated ? reflection->AddEnum(&message, field, value) : reflection->SetEnum(&message, field, value);
      break;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      if (depth == 0) break;
      Message* child = repeated ? reflection->AddMessage(&message, field) : reflection->MutableMessage(&message, field);
      fill(*child, random, fields / 2, depth - 1);
      break;
    }
  }
}

}  // namespace

void fill(Message& message, Random& random, std::size_t fields, int depth) {
  const Descriptor* type = message.GetDescriptor();
  std::vector<const FieldDescriptor*> all;
  type->file()->pool()->FindAllExtensions(type, &all);
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    all.push_back(field);
    // Always sets key and value of a map entry: an entry without them is written with its defaults.
    if (field->is_required() || type->options().map_entry()) {
      fill_field(message, field, random, fields, std::max(depth, 1));
    }
  }
  if (all.empty() || type->options().map_entry()) return;
  for (std::size_t i = random.below(fields + 1); i > 0; --i) {
    const FieldDescriptor* field = all[random.below(all.size())];
    const std::size_t times = field->is_repeated() ? random.below(6) : 1;
    for (std::size_t j = 0; j < times; ++j) fill_field(message, field, random, fields, depth);
  }
}

bool same_message(const Message& a, const Message& b, std::string& difference) {
  google::protobuf::util::MessageDifferencer differencer;
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  differencer.set_field_comparator(&comparator);
  differencer.ReportDifferencesToString(&difference);
  return differencer.Compare(a, b);
}

}  // namespace hotpb_test
