// The list of errors (spec/errors.md), with the same names and numbers in every language.
//
// Promise: to create a Code or a Status allocates nothing; only Error, which has a field path, and to_string()
// allocate. Hot paths detect an error and stop; hotpb::check() (check.h) then reports which error it is and where.
#ifndef HOTPB_ERROR_H_
#define HOTPB_ERROR_H_

#include <cstdint>
#include <string>

#include "hotpb/detail/abi.h"

HOTPB_NAMESPACE_BEGIN

enum class Code : std::uint8_t {
  Ok = 0,
  Truncated = 1,         // the input ended inside a tag, varint, length, payload, packed element, group or stream
  VarintOverflow = 2,    // a varint of more than 10 bytes
  InvalidTag = 3,        // field number 0; a tag of more than 5 bytes or of 2^32 and above
  InvalidWireType = 4,   // wire type 6 or 7
  GroupMismatch = 5,     // an end tag that does not match the innermost open group
  InvalidUtf8 = 6,       // a checked string is not UTF-8
  DepthExceeded = 7,     // deeper than the depth limit
  SizeExceeded = 8,      // a length or a message is above its limit
  CountExceeded = 9,     // more elements or more memory than the limit allows
  MissingRequired = 10,  // a required field is absent
  BufferExhausted = 11,  // the output has no more room
  InvalidSchema = 12,    // a descriptor or schema that cannot be used
  TypeMismatch = 13,     // a value or field has another type than the caller asked for
  HandleMisuse = 14,     // a handle was used when it was not valid
};

// "Truncated" and so on; "Ok" for no error, "?" for a number that is not in the list.
constexpr const char* code_name(Code code) {
  switch (code) {
    case Code::Ok: return "Ok";
    case Code::Truncated: return "Truncated";
    case Code::VarintOverflow: return "VarintOverflow";
    case Code::InvalidTag: return "InvalidTag";
    case Code::InvalidWireType: return "InvalidWireType";
    case Code::GroupMismatch: return "GroupMismatch";
    case Code::InvalidUtf8: return "InvalidUtf8";
    case Code::DepthExceeded: return "DepthExceeded";
    case Code::SizeExceeded: return "SizeExceeded";
    case Code::CountExceeded: return "CountExceeded";
    case Code::MissingRequired: return "MissingRequired";
    case Code::BufferExhausted: return "BufferExhausted";
    case Code::InvalidSchema: return "InvalidSchema";
    case Code::TypeMismatch: return "TypeMismatch";
    case Code::HandleMisuse: return "HandleMisuse";
  }
  return "?";
}

// Which error occurred and where: `offset` counts from the start of the caller's input.
struct Status {
  Code code = Code::Ok;
  std::uint64_t offset = 0;

  constexpr bool ok() const { return code == Code::Ok; }
};

// A Status with the path of the field whose value is wrong: "timeseries[3].labels[1].name", or "" for the root message.
struct Error {
  Code code = Code::Ok;
  std::uint64_t offset = 0;
  std::string path;

  bool ok() const { return code == Code::Ok; }
  Status status() const { return Status{code, offset}; }
};

constexpr bool operator==(Status a, Status b) { return a.code == b.code && a.offset == b.offset; }
constexpr bool operator!=(Status a, Status b) { return !(a == b); }
inline bool operator==(const Error& a, const Error& b) { return a.status() == b.status() && a.path == b.path; }
inline bool operator!=(const Error& a, const Error& b) { return !(a == b); }

// "Truncated at byte 17".
inline std::string to_string(Status status) {
  if (status.ok()) return code_name(status.code);
  return std::string(code_name(status.code)) + " at byte " + std::to_string(status.offset);
}

// "InvalidUtf8 at byte 17: timeseries[3].labels[1].name".
inline std::string to_string(const Error& error) {
  std::string text = to_string(error.status());
  if (!error.ok() && !error.path.empty()) text += ": " + error.path;
  return text;
}

HOTPB_NAMESPACE_END

#endif  // HOTPB_ERROR_H_
