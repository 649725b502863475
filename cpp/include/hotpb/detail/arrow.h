// The result of an iterator's operator-> if its element is stored in another form: it holds the element.
#ifndef HOTPB_DETAIL_ARROW_H_
#define HOTPB_DETAIL_ARROW_H_

#include "hotpb/detail/abi.h"

HOTPB_NAMESPACE_BEGIN
namespace detail {

template <class T>
class Arrow {
 public:
  explicit Arrow(const T& element) : element_(element) {}
  const T* operator->() const { return &element_; }

 private:
  T element_;
};

}  // namespace detail
HOTPB_NAMESPACE_END

#endif  // HOTPB_DETAIL_ARROW_H_
