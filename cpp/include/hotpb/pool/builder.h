// Builders: messages that you own and edit, from scratch or from a pool, and encode.
//
//   #include "prometheus/types.builder.hot.h"              // faces=pool+builder
//   prometheus::hot::TimeSeriesBuilder series(*pool);      // a copy; or empty
//   series.add_labels().set_name("job");                   // setters
//   series.mutable_samples(0).set_value(1.5);
//   series.erase_labels(3);
//   use(series->labels());                                 // the accessors of a message in a pool
//   if (hotpb::Error error = series.encode(buffer); !error.ok()) return error;
//
// A field x has: set_x and clear_x; of messages also mutable_x, which creates the message and returns its setters. A
// repeated field has add_x, insert_x(index, ...), set_x(index, ...) or mutable_x(index), erase_x(index, count) and
// clear_x; a map has put_x(key, value) or mutable_x(key), erase_x(key) and clear_x; a oneof has clear_x. Setting a
// member of a oneof clears the others. Extensions have builders of their own.
//
// Promise: an edit does all that it says or nothing. It returns false, or setters that drop all edits, if it cannot;
// and the builder keeps the first error, which encode() returns: InvalidUtf8 for a string that a reader would refuse,
// TypeMismatch for a value that a closed enum does not define, HandleMisuse for an index out of range, SizeExceeded,
// DepthExceeded, and BufferExhausted without memory. Arguments may be parts of the message itself.
//
// The builder copies what it is passed and owns it. What it returns (setters, strings, spans) refers to it: setters of
// a message are valid until that message, or one that holds it, is replaced, erased or cleared; those of an element or
// of a map's value also only until elements are added to the list, inserted or erased. What accessors return is valid
// until the next edit. A move or the end of the builder ends all of them.
//
// A builder writes what the message in a pool writes with the deterministic option; it keeps maps by key.
#ifndef HOTPB_POOL_BUILDER_H_
#define HOTPB_POOL_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/edit.h"
#include "hotpb/pool/encoder.h"
#include "hotpb/pool/extension.h"
#include "hotpb/pool/heap.h"
#include "hotpb/pool/message.h"
#include "hotpb/pool/options.h"
#include "hotpb/wire.h"
#include "hotpb/wire/write.h"

HOTPB_NAMESPACE_BEGIN

// `E` is the generated class of the setters.
template <class E>
class Builder : public E {
 public:
  using M = typename E::Message;

  Builder() : E(&own_, &root_, 0) {}
  // Takes all memory from `allocator`, which is borrowed.
  explicit Builder(PoolAllocator& allocator) : E(&own_, &root_, 0), own_(&allocator) {}
  // A copy of a message. If it fails, error() says why, and the builder is empty.
  explicit Builder(const M& message) : Builder() { this->set(message); }
  Builder(const M& message, PoolAllocator& allocator) : Builder(allocator) { this->set(message); }
  // The copy has the same allocator.
  Builder(const Builder& source) : E(&own_, &root_, 0), own_(source.own_.allocator()) {
    this->set(source.message());
    if (own_.error() == Code::Ok) own_.set_error(source.error());
  }
  Builder& operator=(const Builder& source) {
    if (this == &source) return *this;
    this->set(source.message());
    if (own_.error() == Code::Ok) own_.set_error(source.error());
    return *this;
  }
  // The builder that is moved from is empty and can be used again.
  Builder(Builder&& source) noexcept : E(&own_, &root_, 0), own_(source.own_), root_(source.root_) { source.emptied(); }
  Builder& operator=(Builder&& source) noexcept {
    if (this == &source) return *this;
    this->clear();
    own_ = source.own_;
    root_ = source.root_;
    source.emptied();
    return *this;
  }
  ~Builder() { own_.free_parts(M::kType, &root_); }

  // Replaces the message by the one that the bytes are, of which it keeps nothing. After an error it is empty.
  [[nodiscard]] Error decode(Bytes input, const DecodeOptions& options = {}) {
    Pool<M> pool = own_.allocator() != nullptr ? Pool<M>(*own_.allocator()) : Pool<M>();
    return take(pool, pool.decode(input, options));
  }

  // Empties the message and forgets the error.
  void reset() {
    this->clear();
    own_.forget_error();
  }

  // Encodes the message. The errors are that of the first edit that failed, with offset 0, and those of
  // EncodeBuffer::encode().
  [[nodiscard]] Error encode(EncodeBuffer& buffer, EncodeOptions options = {}) const {
    options.deterministic = true;
    if (own_.error() != Code::Ok) return buffer.refuse(own_.error());
    return buffer.encode(this->message(), options);
  }

 protected:
  // Copies what a pool has decoded; it may borrow bytes of the message that is replaced.
  Error take(const Pool<M>& pool, Error error) {
    if (error.ok()) {
      own_.forget_error();
      if (this->set(*pool)) return error;
      error = Error{own_.error(), 0, {}};
    }
    reset();
    return error;
  }

 private:
  void emptied() {
    root_ = M();
    own_.forget_error();
  }

  pool::detail::Heap own_;
  M root_{};
};

namespace pool {

// An extension that is built: `E` has the setters of its value, `P` is the pool that reads it.
//
//   demo::hot::colorBuilder color;
//   color.set_value(7);
//   if (hotpb::Error error = color.store_in(message); !error.ok()) return error;   // replaces what is there
template <class E, class P, class Extendee>
class ExtensionBuilder : public Builder<E> {
 public:
  using Builder<E>::Builder;

  // Replaces the value by a copy of the message's. After an error it is empty.
  [[nodiscard]] Error open(const Extendee& message, const DecodeOptions& options = {}) {
    P pool;
    Error error = pool.open(message, options);
    return this->take(pool, std::move(error));
  }
  // Replaces the extension of a message; one without a value erases it. After an error the message has not changed.
  [[nodiscard]] Error store_in(detail::EditOf<Extendee>& message, const EncodeOptions& options = {}) const {
    EncodeBuffer buffer;
    Error error = this->encode(buffer, options);
    return error.ok() ? replace(message, buffer.bytes()) : std::move(error);
  }
  static void erase_from(detail::EditOf<Extendee>& message) {
    message.retain_unknown_fields([](const UnknownField& field) { return !P::takes(field); });
  }

 protected:
  static Error replace(detail::EditOf<Extendee>& message, Bytes records) {
    const Span<const Bytes> old = message->unknown_fields().ranges();
    const std::size_t before = old.empty() ? 0 : old[0].size();
    if (!message.add_unknown_fields(records)) return Error{message.error(), 0, {}};
    // The new records are the last ones.
    const std::uint8_t* const fresh =
        records.empty() ? nullptr : message->unknown_fields().ranges()[0].begin() + before;
    message.retain_unknown_fields([&](const UnknownField& field) {
      return !P::takes(field) || (fresh != nullptr && field.record().begin() >= fresh);
    });
    return {};
  }
};

// An extension of a message set: the message, which becomes an item.
template <class E, class P, class Extendee, std::uint32_t Number>
class SetItemBuilder : public ExtensionBuilder<E, P, Extendee> {
 public:
  using ExtensionBuilder<E, P, Extendee>::ExtensionBuilder;

  [[nodiscard]] Error store_in(detail::EditOf<Extendee>& message, const EncodeOptions& options = {}) const {
    EncodeBuffer buffer;
    Error error = this->encode(buffer, options);
    if (!error.ok()) return error;
    std::string item;
    wire::append_varint(item, detail::kItemTag);
    wire::append_varint(item, detail::kItemTypeTag);
    wire::append_varint(item, Number);
    wire::append_varint(item, detail::kItemMessageTag);
    wire::append_len(item, buffer.bytes());
    wire::append_tag(item, 1, wire::WireType::EndGroup);
    return this->replace(message, item);
  }
};

}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_BUILDER_H_
