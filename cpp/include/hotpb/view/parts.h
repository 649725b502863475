// Where the records of a message are that came in several. They merge when they are read one after the other. Nothing
// is copied, so every string and span that a view returns depends only on the bytes of the input.
//
//   input    1a 06 08 01 12 02 61 62  08 07  1a 02 08 02      field 3, another field, field 3 again
//   parts          [2, 8)                          [12, 14)   one message: 08 01 12 02 61 62 08 02
//
// This header is for generated code; users include view.h.
#ifndef HOTPB_VIEW_PARTS_H_
#define HOTPB_VIEW_PARTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/arrow.h"
#include "hotpb/detail/port.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace view {
namespace detail {

// Parts of one input by ascending address; no part is empty. A view shares its list with all handles and iterators that
// it returns: the last of them to be destroyed releases the list. Nearly every view has no list. A move is a copy, so a
// view or handle that was moved from does not change.
class Parts {
 public:
  Parts() = default;
  HOTPB_INLINE Parts(const Parts& source) noexcept : list_(source.list_) {
    if (HOTPB_UNLIKELY(list_ != nullptr)) retain(list_);
  }
  HOTPB_INLINE Parts& operator=(const Parts& source) noexcept {
    if (HOTPB_UNLIKELY(list_ != source.list_)) {
      if (source.list_ != nullptr) retain(source.list_);
      if (list_ != nullptr) release(list_);
      list_ = source.list_;
    }
    return *this;
  }
  HOTPB_INLINE ~Parts() {
    if (HOTPB_UNLIKELY(list_ != nullptr)) release(list_);
  }

  // A list with room for `count` parts, none of them before `base`.
  Parts(const std::uint8_t* base, std::size_t count) : list_(allocate(base, count)) {}
  void add(Bytes part) {
    Range& range = ranges(list_)[list_->count++];
    range.begin = static_cast<std::uint32_t>(part.data() - list_->base);
    range.size = static_cast<std::uint32_t>(part.size());
    list_->total += range.size;
  }

  bool any() const { return list_ != nullptr; }
  // The functions below need a list.
  const std::uint8_t* base() const { return list_->base; }
  std::size_t count() const { return list_->count; }
  Bytes operator[](std::size_t index) const { return at(ranges(list_)[index]); }
  std::uint32_t total() const { return list_->total; }  // the size of the merged message

  // The end of the part that `p` points into.
  const std::uint8_t* end_of(const std::uint8_t* p) const { return (*this)[first_from(p + 1) - 1].end(); }
  // Moves a walk from the end of a part to the next part. Returns false after the last part, and if there is no list.
  bool step(const std::uint8_t*& p, const std::uint8_t*& end) const {
    if (list_ == nullptr) return false;
    const std::size_t next = first_from(end);
    if (next == list_->count) return false;
    p = (*this)[next].begin();
    end = (*this)[next].end();
    return true;
  }

 private:
  struct Range {
    std::uint32_t begin;
    std::uint32_t size;
  };
  struct List {  // the ranges follow
    std::atomic<std::size_t> owners;
    const std::uint8_t* base;
    std::uint32_t count;
    std::uint32_t total;
  };

  static Range* ranges(List* list) { return reinterpret_cast<Range*>(list + 1); }
  Bytes at(Range range) const { return {list_->base + range.begin, range.size}; }

  // The index of the first part that begins at `p` or after it.
  std::size_t first_from(const std::uint8_t* p) const {
    const std::uint32_t position = static_cast<std::uint32_t>(p - list_->base);
    std::size_t low = 0;
    std::size_t high = list_->count;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (ranges(list_)[middle].begin < position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  static List* allocate(const std::uint8_t* base, std::size_t count) {
    static_assert(sizeof(List) % alignof(Range) == 0, "the ranges follow the list, so its size must keep them aligned");
    return new (::operator new(sizeof(List) + count * sizeof(Range))) List{{1}, base, 0, 0};
  }
  HOTPB_COLD static void retain(List* list) noexcept { list->owners.fetch_add(1, std::memory_order_relaxed); }
  HOTPB_COLD static void release(List* list) noexcept {
    if (list->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    list->~List();
    ::operator delete(list);
  }

  List* list_ = nullptr;
};

}  // namespace detail

// The bytes of a message in the input: most often one piece, and several pieces for a message that came in several
// records. One after the other, the pieces are the merged message. They borrow from the input.
//
//   for (const hotpb::Bytes piece : v.pieces()) hash.update(piece.data(), piece.size());
class Pieces {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Bytes;
    using difference_type = std::ptrdiff_t;
    using pointer = hotpb::detail::Arrow<Bytes>;
    using reference = Bytes;

    Iterator() = default;
    Iterator(const Pieces& pieces, std::size_t index) : bytes_(pieces.bytes_), parts_(pieces.parts_), index_(index) {}

    Bytes operator*() const { return parts_.any() ? parts_[index_] : bytes_; }
    pointer operator->() const { return pointer(**this); }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.index_ != b.index_; }

   private:
    Bytes bytes_;
    detail::Parts parts_;
    std::size_t index_ = 0;
  };
  using iterator = Iterator;
  using const_iterator = Iterator;
  using value_type = Bytes;

  Pieces() = default;
  Pieces(Bytes bytes, const detail::Parts& parts) : bytes_(bytes), parts_(parts) {}

  // The number of pieces. No piece is empty.
  std::size_t size() const { return parts_.any() ? parts_.count() : bytes_.empty() ? 0 : 1; }
  bool empty() const { return size() == 0; }
  Iterator begin() const { return Iterator(*this, 0); }
  Iterator end() const { return Iterator(*this, size()); }
  // The number of bytes in all pieces.
  std::size_t byte_size() const { return parts_.any() ? parts_.total() : bytes_.size(); }

  template <class Buffer>
  void append_to(Buffer& out) const {
    for (const Bytes piece : *this) hotpb::detail::append(out, piece);
  }

 private:
  Bytes bytes_;
  detail::Parts parts_;
};

}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_PARTS_H_
