// Plan -> C++: what a generated header `x.hot.h` is made of, and the seam at which a face comes in.
//
//   guard, includes, version          emit.cc
//   namespace pkg::hot {
//     declarations of all classes     emit.cc, by Face::suffix
//     enums, FooFields                emit.cc
//     the faces, one after the other  view/, writer/: Face::emit
//   }
//
// With the option `sources` what is not a declaration or a short function goes to `x.hot.cc`, and `x.hot.fwd.h` has the
// declarations alone.
//
// A face is one entry in the list of emit.cc. Generated code names everything outside its own namespace from the root
// (::std::, ::hotpb::): a package may be called anything.
#ifndef HOTPB_PLUGIN_EMIT_H_
#define HOTPB_PLUGIN_EMIT_H_

#include <string>
#include <string_view>
#include <vector>

#include "code.h"
#include "generate.h"
#include "hotpb/span.h"
#include "names.h"
#include "plan.h"
#include "select.h"

namespace hotpb {
namespace plugin {

struct Face;

// What the user asks for, in the plugin's parameter or with --opt.
struct Options {
  std::vector<const Face*> faces;     // in the order of the table
  std::vector<std::string> messages;  // full names; empty selects all
  std::vector<std::string> only;      // full names of fields
  std::vector<std::string> skip;
  bool keep_skipped = false;
  std::vector<std::string> hot;       // full names of messages, or * alone
  std::vector<std::string> cold;
  bool strict = false;                // utf8=strict
  bool single_header = false;         // include hotpb.h, not hotpb/*.h
  bool sources = false;               // x.hot.cc beside x.hot.h
  std::string emit_plan;              // file name

  bool has(std::string_view face) const;
  // Is anything asked for that the plan does not depend on?
  bool depend_on_faces() const;
};

// An extension that is declared in the file.
struct ExtensionOf {
  const Message* extendee;
  const Field* field;
};

// One file, as far as it is to be generated.
struct FileContext {
  const Plan& plan;
  const Names& names;
  const Options& options;
  const Selection& selection;
  const File& file;
  std::vector<const Message*> messages;  // in the order of the plan, map entries left out
  std::vector<const Enum*> enums;
  std::vector<ExtensionOf> extensions;

  // What a definition outside of a class begins with.
  const char* inlined() const { return options.sources ? "" : "inline "; }
};

// Where a face writes to. Without the option `sources` the header is the source, too.
struct Output {
  Code& header;
  Code& source;
  Code& header_end;  // outside the namespace of the package; with `sources` only
  Code& source_end;
};

struct Face {
  std::string_view name;              // in faces=
  std::string_view of;                // an extra such as +reencode: the faces it goes with, joined by +, else ""
  std::string_view header;            // of the runtime, "hotpb/writer.h"
  std::string_view suffix;            // of the class of a message, to be declared ahead; "" for none
  bool strict;                        // follows utf8=strict
  bool selects_fields;                // follows only= and skip=
  bool encodes;                       // writes messages that were read
  void (*emit)(const FileContext&, const Output&);
};

const std::vector<Face>& all_faces();
// For programs that have the generator with faces of their own, before they read options.
void add_face(const Face& face);

// Reads them (options.cc). Nothing is ignored: false, with what cannot be followed and what is allowed.
bool parse_options(std::string_view parameter, Options& options, std::string& error);

// The generated code of the requested files. False with the error, as for messages= of something that is not there.
bool emit_files(const Plan& plan, const Options& options, std::vector<GeneratedFile>& files, std::string& error);

// What several faces need.
std::string flat_path(std::string_view path);  // "a/b.proto" -> "a_b_proto"
std::string cpp_type(const Field& field, const Names& names, const File& from);  // std::int32_t, an enum; not messages

void emit_writer(const FileContext& context, const Output& out);
void emit_view(const FileContext& context, const Output& out);
void emit_pool(const FileContext& context, const Output& out);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_EMIT_H_
