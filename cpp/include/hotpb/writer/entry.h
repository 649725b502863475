// Map entries, and the access to MessageWriter for generated functions outside of a class: extensions.
//
//   tag | length | 08 key | 10 value        an entry with a scalar value is written at once
//   tag | slot   | 08 key | 12 slot ...     an entry with a message value stays open around it, and has no handle
#ifndef HOTPB_WRITER_ENTRY_H_
#define HOTPB_WRITER_ENTRY_H_

#include <cstdint>
#include <cstring>
#include <string_view>

#include "hotpb/detail/abi.h"
#include "hotpb/writer/message.h"

HOTPB_NAMESPACE_BEGIN

namespace detail {

// Field 1 or 2 of an entry: tag and value, or tag, length and payload.
class EntryPart {
 public:
  static EntryPart varint(std::uint32_t number, std::uint64_t value) {
    EntryPart part(number, wire::WireType::Varint);
    part.size_ += static_cast<std::uint32_t>(detail::encode_varint(part.header_ + 1, value));
    return part;
  }
  template <class T>
  static EntryPart fixed(std::uint32_t number, T value) {
    EntryPart part(number, sizeof value == 8 ? wire::WireType::Fixed64 : wire::WireType::Fixed32);
    port::store(part.header_ + 1, value);
    part.size_ += static_cast<std::uint32_t>(sizeof value);
    return part;
  }
  static EntryPart bytes(std::uint32_t number, Bytes payload) {
    EntryPart part(number, wire::WireType::Len);
    part.size_ += static_cast<std::uint32_t>(detail::encode_varint(part.header_ + 1, payload.size()));
    part.payload_ = payload;
    return part;
  }

  Bytes header() const { return {header_, size_}; }
  Bytes payload() const { return payload_; }

 private:
  EntryPart(std::uint32_t number, wire::WireType type) : size_(1) {
    header_[0] = static_cast<std::uint8_t>(wire::make_tag(number, type));
  }

  Bytes payload_;
  std::uint8_t header_[1 + wire::kVarintRoom];
  std::uint32_t size_;
};

// For generated code only.
struct Access {
  // Setters for extensions, which are functions beside the class: Access::fields(writer).put_int32<100>(value).
  struct Fields : MessageWriter {
    using MessageWriter::fill_child;
    using MessageWriter::open;
    using MessageWriter::open_group;
    using MessageWriter::put_bool;
    using MessageWriter::put_bytes;
    using MessageWriter::put_enum;
    using MessageWriter::put_fixed;
    using MessageWriter::put_group;
    using MessageWriter::put_int32;
    using MessageWriter::put_int64;
    using MessageWriter::put_packed_fixed;
    using MessageWriter::put_packed_varint;
    using MessageWriter::put_ranges;
    using MessageWriter::put_sint32;
    using MessageWriter::put_sint64;
    using MessageWriter::put_string;
    using MessageWriter::put_uint32;
    using MessageWriter::put_uint64;

    // A second handle for the same level, for the time of one call. It does not end the message.
    explicit Fields(const MessageWriter& message) : MessageWriter(WriterKey(message.stream_, message.serial_)) {}
    ~Fields() { serial_ = WriteStream::kNoSerial; }
  };
  static Fields fields(const MessageWriter& message) noexcept { return Fields(message); }

  // Fails the message of a string that is not UTF-8 (checked.h).
  HOTPB_COLD static void refuse_text(const MessageWriter& message) noexcept {
    WriteStream& stream = *message.stream_;
    if (stream.settle(message.serial_)) stream.fail(Code::InvalidUtf8, stream.offset());
  }

  static void entry(MessageWriter& message, std::uint32_t number, const EntryPart& key,
                    const EntryPart& value) noexcept {
    const Bytes parts[] = {key.header(), key.payload(), value.header(), value.payload()};
    if (!message.stream_->settle_for_child(message.serial_, false)) return;  // an entry is a level
    std::uint64_t size = 0;
    for (const Bytes part : parts) size += part.size() <= kMaxMessageSize ? part.size() : kMaxMessageSize + 1;
    message.begin_bytes(wire::make_tag(number, wire::WireType::Len), size);
    if (!message.stream_->failed()) message.append_parts(parts, 4);
  }

  // An entry that stays open. The handle is that of its value.
  template <class Value>
  static Value open_entry(MessageWriter& message, std::uint32_t number, const EntryPart& key) noexcept {
    WriteStream& stream = *message.stream_;
    const std::uint32_t tag = wire::make_tag(number, wire::WireType::Len);
    const std::uint64_t entry = stream.open_slow(message.serial_, tag, 0, WriteStream::kOwnerless);
    const Bytes parts[] = {key.header(), key.payload()};
    stream.field(entry, parts, 2);
    return Value(WriterKey(&stream, stream.open_slow(entry, wire::make_tag(2, wire::WireType::Len), 0, 0)));
  }

  // An item of a message set (SET-5). The handle is that of its message.
  template <class Writer>
  static Writer open_item(MessageWriter& message, std::uint32_t type_id) noexcept {
    WriteStream& stream = *message.stream_;
    const std::uint64_t item = stream.open_slow(message.serial_, wire::make_tag(1, wire::WireType::StartGroup),
                                                wire::make_tag(1, wire::WireType::EndGroup), WriteStream::kOwnerless);
    const EntryPart id = EntryPart::varint(2, type_id);
    stream.field(item, id.header().data(), id.header().size());
    return Writer(WriterKey(&stream, stream.open_slow(item, wire::make_tag(3, wire::WireType::Len), 0, 0)));
  }
};

}  // namespace detail
HOTPB_NAMESPACE_END

#endif  // HOTPB_WRITER_ENTRY_H_
