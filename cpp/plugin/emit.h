// Plan -> C++: the parts of a generated header `x.hot.h`, and the interface of a face.
//
//   guard, includes, version          emit.cc
//   namespace pkg::hot {
//     declarations of all classes     emit.cc, by Face::suffix
//     enums, FooFields                emit.cc
//     the faces, one after the other  view/, writer/: Face::emit
//   }
//
// With the option `sources`, `x.hot.h` has only declarations and short functions, `x.hot.cc` has the rest, and
// `x.hot.fwd.h` has only the declarations of classes and enums.
//
// With the option `split`, each face has a header of its own, `x.view.hot.h`, and `x.fields.hot.h` their shared part.
// The well-known types of the runtime come so: generated code includes the headers of its own faces.
// The extras builder and visitor are always in headers of their own, `x.builder.hot.h` and `x.visitor.hot.h`.
//
// A face is one entry in the list of emit.cc. Generated code names everything outside its own namespace from the root
// (::std::, ::hotpb::), because a package may have any name.
#ifndef HOTPB_PLUGIN_EMIT_H_
#define HOTPB_PLUGIN_EMIT_H_

#include <string>
#include <string_view>
#include <vector>

#include "code.h"
#include "generate.h"
#include "hotpb/wire/span.h"
#include "names.h"
#include "plan.h"
#include "select.h"

namespace hotpb {
namespace plugin {

struct Face;

// The user's options, from the plugin's parameter or from --opt.
struct Options {
  std::vector<const Face*> faces;     // in the order of the table
  std::vector<std::string> messages;  // full names; empty selects all
  std::vector<std::string> only;      // full names of fields
  std::vector<std::string> skip;
  bool keep_skipped = false;
  std::vector<std::string> hot;       // full names of messages, or *
  std::vector<std::string> cold;
  bool strict = false;                // utf8=strict
  bool check = false;                 // utf8=check or strict: writers check strings
  bool comments = true;               // comments=
  std::string last_namespace;         // namespace=; empty for hot
  bool single_header = false;         // include hotpb.h, not hotpb/*.h
  bool sources = false;               // write x.hot.cc beside x.hot.h
  bool split = false;                 // write a header for each face, and x.hot.h, which includes them
  bool quiet = false;                 // no note about files of many messages
  std::string emit_plan;              // file name

  bool has(std::string_view face) const;
  // Whether an option is set that has no effect on the plan.
  bool depend_on_faces() const;
};

// An extension that is declared in the file.
struct ExtensionOf {
  const Message* extendee;
  const Field* field;
};

// One file, with the messages, enums and extensions to generate.
struct FileContext {
  const Plan& plan;
  const Names& names;
  const Options& options;
  const Selection& selection;
  const File& file;
  std::vector<const Message*> messages;  // in the order of the plan, map entries left out
  std::vector<const Enum*> enums;
  std::vector<ExtensionOf> extensions;

  // How a definition outside of a class starts.
  const char* inlined() const { return options.sources ? "" : "inline "; }
};

// The output of a face. Without the option `sources`, the header and the source are the same.
struct Output {
  Code& header;
  Code& source;
  Code& header_end;  // outside of the package's namespace; only with `sources`
  Code& source_end;
};

struct Face {
  std::string_view name;              // in faces=
  std::string_view base;                // for an extra such as +reencode: the faces that it needs, joined by +; else ""
  std::string_view header;            // the header of the runtime, "hotpb/writer.h"
  std::string_view suffix;            // of the classes of messages, which are declared first; "" if there are none
  bool strict;                        // supports utf8=strict
  bool selects_fields;                // supports only= and skip=
  bool encodes;                       // writes messages that were read
  void (*emit)(const FileContext&, const Output&);
  bool beside = false;                // in a header of its own, x.builder.hot.h, for the programs that include it
};

const std::vector<Face>& all_faces();
// For programs that add faces of their own to the generator. They call it before they parse options.
void add_face(const Face& face);

// Parses the options (options.cc). Ignores nothing: returns false with the option, the problem, and the fix.
bool parse_options(std::string_view parameter, Options& options, std::string& error);

// Generates the code of the requested files. Returns false with the error, such as a message in messages= that does not
// exist.
bool emit_files(const Plan& plan, const Options& options, std::vector<GeneratedFile>& files, std::string& error);

// For several faces.
std::string number_text(std::int64_t number);    // a literal; C++ has none for INT32_MIN
void emit_comment(const FileContext& context, std::string_view comment, Code& code);  // of the schema, as ///
inline const char* deprecation(bool deprecated) { return deprecated ? "[[deprecated]] " : ""; }
std::string flat_path(std::string_view path);  // "a/b.proto" -> "a_b_proto"
std::string cpp_type(const Field& field, const Names& names, const File& from);  // std::int32_t, an enum; not messages

void emit_writer(const FileContext& context, const Output& out);
void emit_view(const FileContext& context, const Output& out);
void emit_pool(const FileContext& context, const Output& out);
void emit_visitor(const FileContext& context, const Output& out);
void emit_builder(const FileContext& context, const Output& out);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_EMIT_H_
