// Pool<M>: the memory of one message of the generated type M.
#ifndef HOTPB_POOL_MESSAGE_H_
#define HOTPB_POOL_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/by_table.h"
#include "hotpb/pool/decoder.h"
#include "hotpb/pool/finish.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/options.h"
#include "hotpb/pool/table.h"
#include "hotpb/pool/unknown.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

// The value of an absent message.
template <class M>
inline const M kAbsent{};

// The parts of generated accessors.
HOTPB_INLINE std::string_view text(const std::uint8_t* data, std::uint32_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
HOTPB_INLINE Bytes bytes(const std::uint8_t* data, std::uint32_t size) { return {data, size}; }
HOTPB_INLINE std::string_view text(const Choice& choice) {
  return text(port::load<const std::uint8_t*>(&choice.word), choice.size);
}
HOTPB_INLINE Bytes bytes(const Choice& choice) {
  return {port::load<const std::uint8_t*>(&choice.word), choice.size};
}
template <class T>
HOTPB_INLINE T number(const Choice& choice) {
  return port::load<T>(&choice.word);
}
HOTPB_INLINE void set_text(Choice& choice, std::uint32_t number, Bytes text) {
  const std::uint8_t* const data = text.data();
  choice = Choice{0, static_cast<std::uint32_t>(text.size()), number};
  std::memcpy(&choice.word, &data, sizeof data);
}
template <class T>
HOTPB_INLINE void set_number(Choice& choice, std::uint32_t number, T value) {
  choice = Choice{0, 0, number};
  std::memcpy(&choice.word, &value, sizeof value);
}
template <class M>
HOTPB_INLINE const M& message(const void* slot) {
  return slot == nullptr ? kAbsent<M> : *static_cast<const M*>(slot);
}
template <class M>
HOTPB_INLINE const M& message(const Choice& choice, std::uint32_t number) {
  return choice.number == number ? *port::load<const M*>(&choice.word) : kAbsent<M>;
}
template <class T>
HOTPB_INLINE Span<const T> list(const Array& array) {
  return {reinterpret_cast<const T*>(array.data), array.size};
}

// Does the enum define this value? For generated enums, whose enum_is_defined() is found by their namespace.
template <class E>
HOTPB_INLINE bool is_defined(std::int32_t value) {
  return enum_is_defined(static_cast<E>(value));
}

// The part of a decode that is the same for all types.
class Decoding {
 public:
  Decoding(Memory& memory, const Type& type, const DecodeOptions& options)
      : memory_(memory), type_(type), options_(options), limits_(options.reading()) {}

  // Makes an empty message. `size` is that of all parts. Levels: those of messages, one for what the deepest holds, and
  // one for the value of a map's entry on the deepest.
  Code begin(std::uint64_t size, void*& message) {
    message = nullptr;
    const std::uint64_t usual = size > (1u << 20) / 32 ? 32 * size : 1u << 20;
    left_ = options_.memory != 0 ? options_.memory : usual;
    if (!memory_.reset(limits_.depth() + 3) || left_ < type_.size) return Code::CountExceeded;
    message = memory_.take(memory_.levels()[0], type_.size);
    if (message == nullptr) return Code::CountExceeded;
    port::clear(message, type_.size);
    return Code::Ok;
  }

  // Reads parts that merge, one after the other.
  template <class Parts>
  Error run(const std::uint8_t* base, std::uint64_t size, const Parts& parts, void*& message) {
    if (size > limits_.size()) return fail(Code::SizeExceeded, message);
    const Code code = begin(size, message);
    if (code != Code::Ok) return fail(code, message);
    Decoder decoder(memory_, limits_, left_);
    for (const Bytes part : parts) {
      if (HOTPB_UNLIKELY(options_.elements != DecodeOptions::kNoLimit)) {
        Error error = explain(base, part, kNowhere);
        if (!error.ok()) return fail(std::move(error), message);
      }
      if (HOTPB_UNLIKELY(part.empty())) continue;
      decoder.set_input(part);
      if (HOTPB_UNLIKELY(type_.decode(decoder, message, part.begin(), part.end(), 0, memory_.levels()) == nullptr)) {
        return refuse(base, size, parts, part, decoder.exhausted(), message);
      }
    }
    if (HOTPB_UNLIKELY(decoder.any_map() && type_.maps && !detail::make_maps_unique(memory_, type_, message))) {
      return fail(Code::CountExceeded, message);
    }
    if (type_.table->need_count != 0 && !options_.allow_partial) {
      Error error = detail::check_required(type_, message, size);
      if (!error.ok()) return fail(std::move(error), message);
    }
    return {};
  }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  Error fail(Code code, void*& message) { return fail(Error{code, 0, {}}, message); }
  HOTPB_COLD Error fail(Error error, void*& message) {
    message = nullptr;
    return error;
  }

  // The error in one part; `stop` is where memory ran out.
  HOTPB_COLD Error explain(const std::uint8_t* base, Bytes part, std::size_t stop) const {
    hotpb::detail::Checker checker(part, limits_);
    checker.count_to(options_.elements);
    checker.stop_at(stop);
    Error error = checker.run(*type_.table);
    if (!error.ok()) error.offset += static_cast<std::uint64_t>(part.begin() - base);
    return error;
  }

  template <class Parts>
  HOTPB_COLD Error refuse(const std::uint8_t* base, std::uint64_t size, const Parts& parts, Bytes bad, bool exhausted,
                          void*& message) {
    std::size_t stop = kNowhere;
    if (exhausted) {
      // Once more, with a decoder that knows its records.
      const Code code = begin(size, message);
      if (code != Code::Ok) return fail(code, message);
      Decoder decoder(memory_, limits_, left_);
      decoder.find_record();
      for (const Bytes part : parts) {
        if (part.empty()) continue;
        decoder.set_input(part);
        if (decoder.decode(type_, message, part.begin(), part.end(), 0, memory_.levels()) == nullptr) break;
      }
      if (decoder.record() == nullptr) return fail(Code::CountExceeded, message);
      stop = static_cast<std::size_t>(decoder.record() - bad.begin());
    }
    Error error = explain(base, bad, stop);
    // Not reached unless somebody changed the bytes meanwhile.
    if (error.ok()) error = Error{Code::HandleMisuse, 0, {}};
    return fail(std::move(error), message);
  }

  Memory& memory_;
  const Type& type_;
  const DecodeOptions& options_;
  const hotpb::detail::Limits limits_;
  std::uint64_t left_ = 0;
};

}  // namespace detail
}  // namespace pool

template <class M>
class Pool {
 public:
  Pool() = default;
  // Takes all memory from `allocator`, which is borrowed.
  explicit Pool(PoolAllocator& allocator) : memory_(&allocator) {}
  // The pool that is moved from is empty and can be used again.
  Pool(Pool&& source) noexcept
      : memory_(std::move(source.memory_)), message_(std::exchange(source.message_, nullptr)) {}
  Pool& operator=(Pool&& source) noexcept {
    memory_ = std::move(source.memory_);
    message_ = std::exchange(source.message_, nullptr);
    return *this;
  }

  // Replaces the message. Its strings borrow `input`.
  [[nodiscard]] Error decode(Bytes input, const DecodeOptions& options = {}) {
    const Bytes parts[] = {input};
    return decode_parts(input.begin(), input.size(), parts, options);
  }
  // A temporary cannot be borrowed.
  template <class Owner,
            std::enable_if_t<!std::is_lvalue_reference_v<Owner> && !std::is_trivially_destructible_v<Owner>, int> = 0>
  Error decode(Owner&& input, const DecodeOptions& options = {}) = delete;

  // The same for an input that does not stay: the pool copies it once, into memory that it uses again.
  [[nodiscard]] Error decode_copy(Bytes input, const DecodeOptions& options = {}) {
    if (input.size() > detail::Limits(options.reading()).size()) return decode(input, options);  // which refuses it
    const std::uint8_t* const copy = memory_.copy(input);
    if (copy == nullptr && !input.empty()) {
      message_ = nullptr;
      return Error{Code::CountExceeded, 0, {}};
    }
    return decode(Bytes(copy, input.size()), options);
  }

  // Replaces the message by the one that these parts merge to, as a split message does. Offsets of errors count from
  // `base`; `size` is that of all parts.
  template <class Parts>
  [[nodiscard]] Error decode_parts(const std::uint8_t* base, std::uint64_t size, const Parts& parts,
                                   const DecodeOptions& options = {}) {
    void* message = nullptr;
    Error error = pool::detail::Decoding(memory_, M::kType, options).run(base, size, parts, message);
    message_ = static_cast<const M*>(message);
    return error;
  }

  // The message that was decoded; an empty one before the first decode and after an error.
  const M& message() const HOTPB_LIFETIMEBOUND { return pool::detail::message<M>(message_); }
  const M& operator*() const HOTPB_LIFETIMEBOUND { return message(); }
  const M* operator->() const HOTPB_LIFETIMEBOUND { return &message(); }

  // Forgets the message and keeps the memory.
  void clear() { message_ = nullptr; }
  // Bytes that the pool keeps.
  std::size_t memory() const { return memory_.bytes(); }
  // Keeps at most `limit` bytes, and forgets the message if that frees any. Call it from time to time, so that the
  // memory of one large message is not kept forever.
  void shrink_to(std::size_t limit) {
    if (memory_.bytes() <= limit) return;
    message_ = nullptr;
    memory_.shrink_to(limit);
  }

 private:
  pool::detail::Memory memory_;
  const M* message_ = nullptr;
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_MESSAGE_H_
