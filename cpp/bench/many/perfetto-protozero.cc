#include "many/rivals.h"
#include "perfetto/reused_root.h"
#include "protozero.h"

namespace bench {
namespace many {
namespace {

template <::protozero::proto_utils::ProtoSchemaType kType>
using Field = ::protozero::internal::FieldWriter<kType>;
using Type = ::protozero::proto_utils::ProtoSchemaType;
constexpr Type kint32 = Type::kInt32, kint64 = Type::kInt64, kuint32 = Type::kUint32, kuint64 = Type::kUint64,
               ksint32 = Type::kSint32, ksint64 = Type::kSint64, kbool = Type::kBool, kfixed32 = Type::kFixed32,
               kfixed64 = Type::kFixed64, kfloat = Type::kFloat, kdouble = Type::kDouble, kstring = Type::kString,
               kbytes = Type::kBytes;

// The code that Perfetto's plugin would write. Each type has code of its own.
template <int kType>
class Message : public ::protozero::Message {
 public:
#define BENCH_FIELD(type, name, number) \
  void set_##name(const Kept<std::string>::as_##type& value) { Field<k##type>::Append(*this, number, value); }
  BENCH_WIDE_FIELDS(BENCH_FIELD)
#undef BENCH_FIELD
};

template <int kType>
class Reused final : public Encoder {
  void keep(const Wide<std::string>& message) override { message_ = message; }
  std::size_t encode(std::uint8_t* out) override {
    write(root_.reset(out, kRoom), message_);
    return root_.finish();
  }

  Wide<std::string> message_;
  ReusedRoot<Message<kType>> root_;
};

#define BENCH_REUSED(nn) std::make_unique<Reused<1##nn>>(),

Encoders reused() { return {BENCH_WIDE_TYPES(BENCH_REUSED)}; }

}  // namespace

void add_perfetto_protozero(Grid& grid) {
  add_encoders(grid, "perfetto-protozero:reused", "1.4.0; from a plain struct, root message reset", reused);
}

}  // namespace many
}  // namespace bench
