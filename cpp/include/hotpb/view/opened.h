// The elements of a repeated message field, opened one after the other:
//
//   hotpb::Error error;
//   for (const TestMsgView& nested : hotpb::view::opened(v.nested(), error)) use(nested.str_val());
//   if (!error.ok()) return error;
//
// An element that has an error ends the loop and sets `error`, as its open() would return it. Loops inside each other
// may share `error`: the first fault ends all of them, and no loop begins after it.
//
// Promise: a loop opens each element once, into one view that it uses again, and costs what a loop by hand costs.
#ifndef HOTPB_VIEW_OPENED_H_
#define HOTPB_VIEW_OPENED_H_

#include <cstddef>
#include <iterator>
#include <utility>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/view/message.h"

HOTPB_NAMESPACE_BEGIN
namespace view {

template <class V>
class Opened {
 public:
  // Reads once: the loop has one view, which the next step changes. Copy the view to keep it.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = V;
    using difference_type = std::ptrdiff_t;
    using pointer = const V*;
    using reference = const V&;

    Iterator() = default;
    HOTPB_INLINE Iterator(Opened* range, const typename Messages<V>::Iterator& at) : range_(range), at_(at) { open(); }

    reference operator*() const { return range_->view_; }
    pointer operator->() const { return &range_->view_; }
    HOTPB_INLINE Iterator& operator++() {
      ++at_;
      open();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.at_ != b.at_; }

   private:
    HOTPB_INLINE void open() {
      if (at_.is_end()) return;
      if (HOTPB_LIKELY(range_->error_->ok())) {
        Error error = at_.open(static_cast<View<V>&>(range_->view_));
        if (HOTPB_LIKELY(error.ok())) return;
        keep(error, *range_->error_);
      }
      at_.stop();
    }

    HOTPB_COLD static void keep(Error& error, Error& kept) { kept = std::move(error); }

    Opened* range_ = nullptr;
    typename Messages<V>::Iterator at_;
  };
  using iterator = Iterator;
  using value_type = V;

  HOTPB_INLINE Opened(const Messages<V>& messages, Error& error) : messages_(messages), error_(&error) {}

  HOTPB_INLINE Iterator begin() { return Iterator(this, messages_.begin()); }
  Iterator end() { return Iterator(); }

 private:
  Messages<V> messages_;
  Error* error_;
  V view_;
};

// `error` must be ok, else the range is empty.
template <class V>
[[nodiscard]] HOTPB_INLINE Opened<V> opened(const Messages<V>& messages, Error& error HOTPB_LIFETIMEBOUND) {
  return Opened<V>(messages, error);
}

}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_OPENED_H_
