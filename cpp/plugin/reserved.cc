// The words that C++ and its headers reserve.
#include "reserved.h"

#include <algorithm>
#include <iterator>

namespace hotpb {
namespace plugin {
namespace {

// All lists are sorted, for a binary search.

// The keywords of C++20, and alternative spellings.
constexpr std::string_view kKeywords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
    "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
    "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
    "wchar_t", "while", "xor", "xor_eq"};

// The names that generated code uses in the namespaces of a schema.
constexpr std::string_view kOwn[] = {"enum_is_defined", "enum_name", "enum_parse", "hot", "hotpb", "std"};

// Macros: kRenamed and kGuarded.
#include "macros.inc"

template <std::size_t size>
bool contains(const std::string_view (&list)[size], std::string_view name) {
  return std::binary_search(std::begin(list), std::end(list), name);
}

// Whether a table of macros.inc has the name.
template <std::size_t size>
bool has_macro(const std::string_view (&table)[size], std::string_view name) {
  for (const std::string_view names : table) {
    if (name.empty() || names[1] != name[0]) continue;
    std::size_t low = 0;  // blanks before and after the names that are left
    std::size_t high = names.size() - 1;
    while (low < high) {
      const std::size_t start = names.rfind(' ', low + (high - low) / 2);
      const std::size_t end = names.find(' ', start + 1);
      const std::string_view candidate = names.substr(start + 1, end - start - 1);
      if (candidate == name) return true;
      (candidate < name ? low : high) = candidate < name ? end : start;
    }
  }
  return false;
}

}  // namespace

bool is_reserved(std::string_view name) {
  return contains(kKeywords, name) || contains(kOwn, name) || has_macro(kRenamed, name);
}

bool is_guarded(std::string_view name) { return has_macro(kGuarded, name); }

}  // namespace plugin
}  // namespace hotpb
