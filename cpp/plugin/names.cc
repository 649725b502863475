#include "names.h"

#include <algorithm>
#include <iterator>

namespace hotpb {
namespace plugin {
namespace {

// Sorted, for a binary search. C++20's keywords, alternative spellings, and lower- and upper-case macros that the C and
// C++ headers of common systems define and that are likely names; also the namespaces that generated code uses.
constexpr std::string_view kTaken[] = {
    "BUFSIZ", "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "DBL_MAX", "DBL_MIN", "DOMAIN", "EDOM", "EOF", "ERANGE", "ERROR",
    "EXIT_FAILURE", "EXIT_SUCCESS", "FALSE", "FLT_MAX", "FLT_MIN", "HUGE_VAL", "INFINITY", "INT16_MAX", "INT16_MIN",
    "INT32_MAX", "INT32_MIN", "INT64_MAX", "INT64_MIN", "INT8_MAX", "INT8_MIN", "INTMAX_MAX", "INTMAX_MIN",
    "INTPTR_MAX", "INTPTR_MIN", "INT_MAX", "INT_MIN", "LONG_MAX", "LONG_MIN", "NAN", "NDEBUG", "NULL", "OVERFLOW",
    "PTRDIFF_MAX", "PTRDIFF_MIN", "RAND_MAX", "SCHAR_MAX", "SCHAR_MIN", "SEEK_CUR", "SEEK_END", "SEEK_SET", "SHRT_MAX",
    "SHRT_MIN", "SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_ERR", "SIG_IGN",
    "SIZE_MAX", "TRUE", "UCHAR_MAX", "UINT16_MAX", "UINT32_MAX", "UINT64_MAX", "UINT8_MAX", "UINTMAX_MAX",
    "UINTPTR_MAX", "UINT_MAX", "ULONG_MAX", "UNDERFLOW", "USHRT_MAX", "WCHAR_MAX", "WCHAR_MIN", "alignas", "alignof",
    "and", "and_eq", "asm", "assert", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t",
    "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast",
    "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast",
    "else", "enum", "enum_is_defined", "enum_name", "errno", "explicit", "export", "extern", "false", "float", "for",
    "friend", "goto", "hot", "hotpb",
    "if", "inline", "int", "isinf", "isnan", "linux", "long", "major", "makedev", "minor", "mutable", "namespace",
    "new",
    "noexcept", "not", "not_eq", "nullptr", "offsetof", "operator", "or", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "return", "setjmp", "short", "signbit", "signed", "sizeof", "static",
    "static_assert", "static_cast", "std", "stderr", "stdin", "stdout", "struct", "switch", "template", "this",
    "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unix", "unsigned", "using",
    "va_arg", "va_copy", "va_end", "va_start", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq"};

constexpr std::string_view kWellKnown[] = {"any",   "api",  "compiler/plugin", "descriptor", "duration", "empty",
                                           "field_mask", "source_context", "struct", "timestamp", "type", "wrappers"};

std::string until_free(std::string name, const std::set<std::string>& taken) {
  while (taken.count(name) != 0) name += '_';
  return name;
}

std::string_view stem(const File& file) {
  std::string_view stem = file.name;
  constexpr std::string_view kProto = ".proto";
  if (stem.size() > kProto.size() && stem.substr(stem.size() - kProto.size()) == kProto) {
    stem.remove_suffix(kProto.size());
  }
  return stem;
}

}  // namespace

std::string identifier(std::string_view name) {
  std::string result(name);
  if (std::binary_search(std::begin(kTaken), std::end(kTaken), name)) result += '_';
  // Names with two underscores, or with one before a capital letter, belong to the compiler; those of a schema are let
  // through as they are, like protoc does.
  return result;
}

std::string cpp_namespace(const File& file) {
  std::string result;
  std::string_view rest = file.package;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    // Our own name is taken for anything else, but not for a package.
    result += part == "hotpb" && result.empty() ? std::string(part) : identifier(part);
    result += "::";
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  }
  return result + "hot";
}

bool is_well_known(const File& file) {
  constexpr std::string_view kGoogle = "google/protobuf/";
  const std::string_view name = stem(file);
  return name.substr(0, kGoogle.size()) == kGoogle && std::find(std::begin(kWellKnown), std::end(kWellKnown),
                                                                name.substr(kGoogle.size())) != std::end(kWellKnown);
}

std::string header_name(const File& file) {
  const std::string_view name = stem(file);
  if (is_well_known(file)) return "hotpb/wkt/" + std::string(name.substr(name.rfind('/') + 1)) + ".hot.h";
  return std::string(name) + ".hot.h";
}

std::string flat_name(std::string_view full_name, const File& file) {
  if (!file.package.empty()) full_name.remove_prefix(file.package.size() + 1);
  std::string flat(full_name);
  std::replace(flat.begin(), flat.end(), '.', '_');
  return flat;
}

Names::Names(const Plan& plan) {
  std::map<std::string_view, const File*> files;
  for (const auto& file : plan.files) files[file->name] = file.get();

  // What the user's own names become, file by file; two that become the same are told apart by order.
  std::map<const File*, std::set<std::string>> own;
  for (const auto& enumeration : plan.enums) {
    std::set<std::string>& taken = own[enumeration->file];
    const std::string name = until_free(identifier(flat_name(enumeration->name, *enumeration->file)), taken);
    taken.insert(name);
    enums_[enumeration.get()] = name;
  }
  for (const auto& message : plan.messages) {
    if (message->map_entry) continue;
    std::set<std::string>& taken = own[message->file];
    const std::string name = until_free(flat_name(message->name, *message->file), taken);
    taken.insert(name);
    messages_[message.get()] = name;
  }
  for (const auto& file : plan.files) {
    std::set<std::string>& visible = visible_[file.get()];
    std::set<const File*> seen;
    std::vector<const File*> open{file.get()};
    while (!open.empty()) {
      const File* const next = open.back();
      open.pop_back();
      if (!seen.insert(next).second) continue;
      if (next->package == file->package) visible.insert(own[next].begin(), own[next].end());
      for (const std::string& dependency : next->dependencies) {
        const auto found = files.find(dependency);
        if (found != files.end()) open.push_back(found->second);
      }
    }
  }

  std::map<const File*, std::set<std::string>> functions;
  for (const Extendee& extendee : plan.extensions) {
    for (const Field& field : extendee.fields) {
      std::set<std::string>& taken = functions[field.file];
      const std::set<std::string>& types = visible_.at(field.file);
      const auto is_free = [&](const std::string& name) {
        return taken.count(name) == 0 && types.count("set_" + name) == 0 && types.count("add_" + name) == 0 &&
               types.count("packed_" + name) == 0;
      };
      std::string name = flat_name(field.name, *field.file);
      while (!is_free(name)) name += '_';
      taken.insert(name);
      setters_[&field] = name;
    }
  }
}

bool Names::dodged(const Message& message, std::string_view suffix) const {
  return visible_.at(message.file).count(messages_.at(&message) + std::string(suffix)) != 0;
}

std::string Names::type(const Message& message, std::string_view suffix) const {
  return until_free(messages_.at(&message) + std::string(suffix), visible_.at(message.file));
}

std::string Names::type(const Enum& enumeration) const { return enums_.at(&enumeration); }

std::string Names::qualified(const Message& message, std::string_view suffix) const {
  return "::" + cpp_namespace(*message.file) + "::" + type(message, suffix);
}

std::string Names::qualified(const Enum& enumeration) const {
  return "::" + cpp_namespace(*enumeration.file) + "::" + type(enumeration);
}

std::string Names::type_in(const Message& message, std::string_view suffix, const File& from) const {
  return message.file->package == from.package ? type(message, suffix) : qualified(message, suffix);
}

std::string Names::type_in(const Enum& enumeration, const File& from) const {
  return enumeration.file->package == from.package ? type(enumeration) : qualified(enumeration);
}

}  // namespace plugin
}  // namespace hotpb
