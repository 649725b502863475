// Text of a program: an array of char that may have no NUL, a pointer that may be null, a string. Its bytes need not be
// UTF-8: the service repairs what is not (TRC-49), so that no event pays for it.
#ifndef TRACING_SDK_TEXT_H_
#define TRACING_SDK_TEXT_H_

#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace tracing::detail {

template <class T>
constexpr bool kIsText = std::is_convertible_v<const T&, std::string_view> || std::is_null_pointer_v<T>;

// A null pointer is the empty text.
template <class T>
std::string_view text_of(const T& text) {
  if constexpr (std::is_null_pointer_v<T>) {
    return {};
  } else if constexpr (std::is_array_v<T>) {
    const void* const end = std::memchr(text, 0, sizeof text);
    return {text, end == nullptr ? sizeof text : static_cast<std::size_t>(static_cast<const char*>(end) - text)};
  } else if constexpr (std::is_pointer_v<T>) {
    return text == nullptr ? std::string_view() : std::string_view(text);
  } else {
    return std::string_view(text);
  }
}

// Longer text is cut: a name in the registry, a value in an event. (The service repairs the character at the end.)
constexpr std::size_t kMostName = 16384;
constexpr std::size_t kMostValue = std::size_t{4} << 20;

}  // namespace tracing::detail

#endif  // TRACING_SDK_TEXT_H_
