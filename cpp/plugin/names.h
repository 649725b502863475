// The names of generated C++ code.
//
//   package a.b, message Outer.Inner   ->  a::b::hot::Outer_InnerWriter, Outer_InnerView, Outer_InnerFields
//   enum Outer.Kind, value NONE        ->  a::b::hot::Outer_Kind::NONE
//   file a/b.proto                     ->  a/b.hot.h; well-known types: hotpb/wkt/timestamp.hot.h
//
// Keywords, and the macros of the standard headers, get a trailing underscore, and so does a generated name that is
// also a name of the user (FCE-14). A name depends only on its file and on the files that this one imports, never on
// other files of the same run.
#ifndef HOTPB_PLUGIN_NAMES_H_
#define HOTPB_PLUGIN_NAMES_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan.h"

namespace hotpb {
namespace plugin {

// `name`, or `name_` if C++ or its headers use it. For names without a suffix: namespaces, accessors, enumerators,
// variables.
std::string identifier(std::string_view name);

// The members of every pooled message, and the names that its code uses: no message and no accessor is called so.
const std::set<std::string>& pool_members();

std::string cpp_namespace(const File& file);  // "a::b::hot", or with namespace=fast "a::b::fast"
bool is_well_known(const File& file);         // in google/protobuf: the runtime has it in hotpb/wkt/*.hot.h
std::string header_name(const File& file);    // "a/b.hot.h"

// "Outer_Inner": the name without the package, with underscores instead of dots.
std::string flat_name(std::string_view full_name, const File& file);

class Names {
 public:
  explicit Names(const Plan& plan);

  // The name of a generated class: "Outer_InnerWriter" for the suffix "Writer". The suffixes are Writer, View, Fields,
  // Pool, Visitor, Edit, Builder, and none for the message in a pool.
  std::string type(const Message& message, std::string_view suffix) const;
  std::string type(const Enum& enumeration) const;

  // The same name for use in the code of `from`: with its namespace, unless both have the same.
  std::string type_in(const Message& message, std::string_view suffix, const File& from) const;
  std::string type_in(const Enum& enumeration, const File& from) const;

  // The same name from the root, "::a::b::hot::FooView": for classes whose members may have the name of a type.
  std::string qualified(const Message& message, std::string_view suffix) const;
  std::string qualified(const Enum& enumeration) const;

  // An enumerator, without its enum.
  std::string value(const EnumValue& value) const { return values_.at(&value); }

  // The constants of FooFields, one for each field.
  const std::vector<std::string>& constants(const Message& message) const { return constants_.at(&message); }

  // The part after set_, add_ and packed_ in the methods of FooWriter, one for each field: its name, and an underscore
  // if a method would have the name of the class.
  const std::vector<std::string>& setters(const Message& message) const { return setters_of_.at(&message); }

  // The part after set_, add_ and packed_ in the functions of an extension: its flat name, and an underscore if another
  // extension of the file, or a type of the user, has the name of one of the functions.
  std::string setter(const Field& extension) const { return setters_.at(&extension); }

  // The class that reads an extension, without its namespace.
  std::string extension_view(const Field& extension) const { return extension_class(extension, "View"); }
  // The same for another suffix: Extension, Pool, Edit and Builder.
  std::string extension_class(const Field& extension, const char* suffix) const {
    return extension_classes_.at({&extension, suffix});
  }

  // Whether type() adds an underscore because the user has the name.
  bool dodged(const Message& message, std::string_view suffix) const;

 private:
  void name_values(const Enum& enumeration);
  void name_fields(const Message& message);

  std::map<const Message*, std::string> messages_;         // flat names that are unique
  std::map<const Enum*, std::string> enums_;
  std::map<const EnumValue*, std::string> values_;
  std::map<const Message*, std::vector<std::string>> constants_;
  std::map<const Message*, std::vector<std::string>> setters_of_;
  std::map<const Field*, std::string> setters_;            // of extensions
  std::map<std::pair<const Field*, std::string>, std::string> extension_classes_;
  std::map<const Message*, std::string> pooled_;
  std::map<const File*, std::set<std::string>> visible_;   // the user's names in the package that the file can see
};

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_NAMES_H_
