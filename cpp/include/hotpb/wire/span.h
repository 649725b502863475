// Span is a pointer and a count, and owns nothing: std::span for C++17.
#ifndef HOTPB_WIRE_SPAN_H_
#define HOTPB_WIRE_SPAN_H_

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"

HOTPB_NAMESPACE_BEGIN

template <class T>
class Span {
 public:
  using value_type = std::remove_cv_t<T>;

  constexpr Span() = default;
  constexpr Span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr Span(T (&array)[N]) : data_(array), size_(N) {}
  // From {1, 2, 3}, which lives until the end of the call that has it as an argument.
  template <class U = T, std::enable_if_t<std::is_const_v<U> && !std::is_same_v<U, const bool>, int> = 0>
  constexpr Span(std::initializer_list<value_type> list HOTPB_LIFETIMEBOUND) : Span(list.begin(), list.size()) {}
  // From a list of bools. {pointer, size} is no such list, although a pointer converts to bool.
  template <class Bool, std::enable_if_t<std::is_same_v<const Bool, T> && std::is_same_v<Bool, bool>, int> = 0>
  constexpr Span(std::initializer_list<Bool> list HOTPB_LIFETIMEBOUND) : Span(list.begin(), list.size()) {}
  // From std::vector, std::array, std::span and similar containers of exactly this type.
  template <class Container,
            class = std::enable_if_t<std::is_convertible_v<
                std::remove_pointer_t<decltype(std::declval<Container&>().data())> (*)[], T (*)[]>>>
  constexpr Span(Container&& container) : data_(container.data()), size_(container.size()) {}

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](std::size_t index) const { return data_[index]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_WIRE_SPAN_H_
