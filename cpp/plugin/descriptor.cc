#include "descriptor.h"

#include "hotpb/reader.h"

namespace hotpb {
namespace plugin {
namespace {

using wire::make_tag;
using wire::Reader;
using wire::WireType;

constexpr std::uint32_t varint(std::uint32_t number) { return make_tag(number, WireType::Varint); }
constexpr std::uint32_t len(std::uint32_t number) { return make_tag(number, WireType::Len); }

// One method per message of descriptor.proto. Each adds to what is there, as merging demands: a message that comes in
// two records is read like one. After the first error all methods return at once.
class Parser {
 public:
  explicit Parser(const std::uint8_t* base) : base_(base) {}

  const Status& status() const { return status_; }

  void read(Reader in, Request& out) {
    while (in.next()) {
      switch (in.tag()) {
        case len(1): out.files_to_generate.push_back(text(in)); break;
        case len(2): out.parameter = text(in); break;
        case len(15): read(in.child(), add(out.files)); break;
      }
    }
    finish(in);
  }

  void read_set(Reader in, std::vector<FileDesc>& out) {
    while (in.next()) {
      if (in.tag() == len(1)) read(in.child(), add(out));
    }
    finish(in);
  }

 private:
  void read(Reader in, FileDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case len(1): out.name = text(in); break;
        case len(2): out.package = text(in); break;
        case len(3): out.dependencies.push_back(text(in)); break;
        case len(4): read(in.child(), add(out.messages)); break;
        case len(5): read(in.child(), add(out.enums)); break;
        case len(7): read(in.child(), add(out.extensions)); break;
        case len(8): read_options(in.child(), 50, out.features); break;
        case len(9): out.source_info.push_back(in.as_bytes()); break;
        case len(12): out.syntax = text(in); break;
        case varint(14): out.edition = in.as_int32(); break;
        case len(15): out.option_dependencies.push_back(text(in)); break;
      }
    }
    finish(in);
  }

  void read(Reader in, MessageDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case len(1): out.name = text(in); break;
        case len(2): read(in.child(), add(out.fields)); break;
        case len(3): read(in.child(), add(out.messages)); break;
        case len(4): read(in.child(), add(out.enums)); break;
        case len(5): read(in.child(), add(out.extension_ranges)); break;
        case len(6): read(in.child(), add(out.extensions)); break;
        case len(7): read_message_options(in.child(), out); break;
        case len(8): read(in.child(), add(out.oneofs)); break;
      }
    }
    finish(in);
  }

  void read_message_options(Reader in, MessageDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case varint(1): out.message_set = in.as_bool(); break;
        case varint(7): out.map_entry = in.as_bool(); break;
        case len(12): read(in.child(), out.features); break;
      }
    }
    finish(in);
  }

  void read(Reader in, FieldDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case len(1): out.name = text(in); break;
        case len(2): out.extendee = text(in); break;
        case varint(3): out.number = in.as_int32(); break;
        case varint(4): out.label = in.as_int32(); break;
        case varint(5): out.type = in.as_int32(); break;
        case len(6): out.type_name = text(in); break;
        case len(7):
          out.default_value = text(in);
          out.has_default = true;
          break;
        case len(8): read_field_options(in.child(), out); break;
        case varint(9):
          out.oneof_index = in.as_int32();
          out.has_oneof_index = true;
          break;
        case varint(17): out.proto3_optional = in.as_bool(); break;
      }
    }
    finish(in);
  }

  void read_field_options(Reader in, FieldDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case varint(2):
          out.packed = in.as_bool();
          out.has_packed = true;
          break;
        case len(21): read(in.child(), out.features); break;
      }
    }
    finish(in);
  }

  void read(Reader in, OneofDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case len(1): out.name = text(in); break;
        case len(2): read_options(in.child(), 1, out.features); break;
      }
    }
    finish(in);
  }

  void read(Reader in, EnumDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case len(1): out.name = text(in); break;
        case len(2): read(in.child(), add(out.values)); break;
        case len(3): read_options(in.child(), 7, out.features); break;
      }
    }
    finish(in);
  }

  void read(Reader in, EnumValueDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case len(1): out.name = text(in); break;
        case varint(2): out.number = in.as_int32(); break;
      }
    }
    finish(in);
  }

  void read(Reader in, RangeDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case varint(1): out.start = in.as_int32(); break;
        case varint(2): out.end = in.as_int32(); break;
      }
    }
    finish(in);
  }

  // Options of which nothing but the features, field `number`, matters.
  void read_options(Reader in, std::uint32_t number, FeatureDesc& out) {
    while (in.next()) {
      if (in.tag() == len(number)) read(in.child(), out);
    }
    finish(in);
  }

  void read(Reader in, FeatureDesc& out) {
    while (in.next()) {
      switch (in.tag()) {
        case varint(1): out.field_presence = in.as_int32(); break;
        case varint(2): out.enum_type = in.as_int32(); break;
        case varint(3): out.repeated_field_encoding = in.as_int32(); break;
        case varint(4): out.utf8_validation = in.as_int32(); break;
        case varint(5): out.message_encoding = in.as_int32(); break;
      }
    }
    finish(in);
  }

  static std::string_view text(const Reader& in) { return in.as_bytes().text(); }

  template <class T>
  static T& add(std::vector<T>& to) {
    to.emplace_back();
    return to.back();
  }

  // The first error is the one that is kept.
  void finish(const Reader& in) {
    if (status_.ok() && !in.ok()) status_ = in.status(base_);
  }

  const std::uint8_t* base_;
  Status status_;
};

// A Location: path 1 and span 2, both packed by protoc;
// a descriptor may hold them unpacked too.
void read_location(Reader in, std::vector<std::int32_t>& path, std::vector<std::int32_t>& span) {
  while (in.next()) {
    std::vector<std::int32_t>& to = in.number() == 1 ? path : span;
    if (in.number() > 2) continue;
    if (in.type() == WireType::Varint) {
      to.push_back(in.as_int32());
    } else if (in.type() == WireType::Len) {
      const Bytes packed = in.as_bytes();
      for (const std::uint8_t* p = packed.begin(); p != nullptr && p != packed.end();) {
        std::uint64_t value;
        p = wire::read_varint(p, packed.end(), value);
        if (p != nullptr) to.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
      }
    }
  }
}

}  // namespace

bool read_descriptor_set(Bytes input, std::vector<FileDesc>& files, Status& status) {
  Parser parser(input.begin());
  parser.read_set(Reader(input), files);
  status = parser.status();
  return status.ok();
}

bool read_request(Bytes input, Request& request, Status& status) {
  Parser parser(input.begin());
  parser.read(Reader(input), request);
  status = parser.status();
  return status.ok();
}

int source_line(const FileDesc& file, const std::vector<std::int32_t>& path) {
  for (const Bytes& record : file.source_info) {
    Reader locations{record};
    while (locations.next()) {
      if (locations.tag() != len(1)) continue;
      std::vector<std::int32_t> at;
      std::vector<std::int32_t> span;
      read_location(locations.child(), at, span);
      if (at == path && !span.empty() && span[0] >= 0 && span[0] < INT32_MAX) return span[0] + 1;
    }
  }
  return 0;
}

}  // namespace plugin
}  // namespace hotpb
