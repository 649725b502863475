package wire

import rt "github.com/hotpb/hotpb/go/rt/wire"

// Code says what is wrong with an input. The names and numbers are stable and the same in all languages. A Code is
// itself an error, so errors.Is(err, wire.Truncated) works on every error of hotpb.
// Its String is the name in spec/errors.md.
type Code = rt.Code

// The codes of spec/errors.md.
const (
	Truncated       Code = rt.Truncated       // the input ended inside a tag, varint, length, payload, packed element, group or stream
	VarintOverflow  Code = rt.VarintOverflow  // a varint of more than 10 bytes
	InvalidTag      Code = rt.InvalidTag      // field number 0; a tag of more than 5 bytes or of 2^32 and above
	InvalidWireType Code = rt.InvalidWireType // wire type 6 or 7
	GroupMismatch   Code = rt.GroupMismatch   // an end tag that does not match the innermost open group
	InvalidUtf8     Code = rt.InvalidUtf8     // a checked string is not UTF-8
	DepthExceeded   Code = rt.DepthExceeded   // deeper than the depth limit
	SizeExceeded    Code = rt.SizeExceeded    // a length or a message above its limit
	CountExceeded   Code = rt.CountExceeded   // more elements or more memory than the limit
	MissingRequired Code = rt.MissingRequired // a required field is absent
	BufferExhausted Code = rt.BufferExhausted // the output has no more room
	InvalidSchema   Code = rt.InvalidSchema   // a descriptor or schema that cannot be used
	TypeMismatch    Code = rt.TypeMismatch    // a value or field of a type other than the one asked for
	HandleMisuse    Code = rt.HandleMisuse    // a handle used out of turn
)

// Error is a failure to read an input: what is wrong (Code), at which byte from the first of the input (Offset), in which
// field (Path, like timeseries[3].labels[1].name; empty for the root). errors.Is matches it with its Code.
type Error = rt.Error

// Failed returns the code of a failed read: the meaning of a negative position.
func Failed(position int) Code { return rt.Failed(position) }

// Options are the limits and rules of one decode. The zero value has the defaults of spec/wire.md.
//
//	Strict    bool  check every string, including those that the schema leaves unchecked
//	MaxDepth  int   levels below the root; 0 means 100; at most 1000
//	MaxSize   int   bytes; 0 means 2^31 − 1, which is also the maximum
type Options = rt.Options

// DefaultDepth is the depth limit if the options set none.
const DefaultDepth = rt.DefaultDepth

// MaxSize is the largest size of a message: 2 GiB − 1.
const MaxSize = rt.MaxSize

// Kind is the declared type of a field.
// Type returns the wire type of one element of the kind.
type Kind = rt.Kind

// The kinds, in the order of the vector schemas. A group or DELIMITED field is Group.
const (
	Int32    Kind = rt.Int32
	Int64    Kind = rt.Int64
	Uint32   Kind = rt.Uint32
	Uint64   Kind = rt.Uint64
	Sint32   Kind = rt.Sint32
	Sint64   Kind = rt.Sint64
	Fixed32  Kind = rt.Fixed32
	Fixed64  Kind = rt.Fixed64
	Sfixed32 Kind = rt.Sfixed32
	Sfixed64 Kind = rt.Sfixed64
	Float    Kind = rt.Float
	Double   Kind = rt.Double
	Bool     Kind = rt.Bool
	String   Kind = rt.String
	Bytes    Kind = rt.Bytes
	Enum     Kind = rt.Enum
	Message  Kind = rt.Message
	Group    Kind = rt.Group
)

// Type is a wire type.
type Type = rt.Type

// The wire types.
const (
	VarintType  Type = rt.VarintType
	Fixed64Type Type = rt.Fixed64Type
	BytesType   Type = rt.BytesType
	StartGroup  Type = rt.StartGroup
	EndGroup    Type = rt.EndGroup
	Fixed32Type Type = rt.Fixed32Type
)

// Tag is a decoded field number and wire type, in the form they have on the wire: number<<3 | type.
// Number and Type return its parts.
type Tag = rt.Tag

// MaxNumber is the largest field number.
const MaxNumber = rt.MaxNumber

// MaxVarint is the largest number of bytes a varint can have.
const MaxVarint = rt.MaxVarint

// MakeTag returns the tag of a field number and a wire type.
func MakeTag(number uint32, t Type) Tag { return rt.MakeTag(number, t) }

// ReadTag reads the tag at position i. It accepts at most five bytes, values below 2^32, and field numbers and wire
// types that exist. The caller checks whether an end tag fits.
func ReadTag(b []byte, i int) (tag Tag, next int) { return rt.ReadTag(b, i) }

// ReadVarint reads the varint at position i. It accepts over-long forms, and drops bits above the 64th.
//
// It first tests for one byte, because most varints have one, then for two. From three to eight bytes there is no
// branch on the length: one load, the position of the first byte without a continuation bit, three folds. That costs
// about as much as one mispredicted branch, but is independent of the data.
func ReadVarint(b []byte, i int) (v uint64, next int) { return rt.ReadVarint(b, i) }

// ReadFixed32 reads four bytes.
func ReadFixed32(b []byte, i int) (v uint32, next int) { return rt.ReadFixed32(b, i) }

// ReadFixed64 reads eight bytes.
func ReadFixed64(b []byte, i int) (v uint64, next int) { return rt.ReadFixed64(b, i) }

// ReadBytes reads the length at position i and returns the range of the payload after it. On failure end is negative:
// SizeExceeded for a length above MaxSize, Truncated for one that goes past the end.
func ReadBytes(b []byte, i int) (start, end int) { return rt.ReadBytes(b, i) }

// Skip skips the value of tag; i is the position after the tag. It checks the wire form of groups, which may open up
// to levels levels, this group included. An end tag is GroupMismatch.
func Skip(b []byte, i int, tag Tag, levels int) (next int) { return rt.Skip(b, i, tag, levels) }

// SkipGroup skips the rest of a group whose start tag ends at position i. end is where its end tag starts, next the
// position after that tag.
func SkipGroup(b []byte, i int, number uint32, levels int) (end, next int) {
	return rt.SkipGroup(b, i, number, levels)
}

// EncodeZigzag maps small magnitudes to small numbers, as sint32 and sint64 do.
func EncodeZigzag(v int64) uint64 { return rt.EncodeZigzag(v) }

// DecodeZigzag undoes EncodeZigzag.
func DecodeZigzag(v uint64) int64 { return rt.DecodeZigzag(v) }

// DecodeZigzag32 undoes the zigzag of a sint32; only its low 32 bits count.
func DecodeZigzag32(v uint64) int32 { return rt.DecodeZigzag32(v) }

// ValidUTF8 reports whether b is well-formed UTF-8. Text on hot paths is nearly always ASCII, so it tests blocks of
// 32 bytes, then words, for that. From the first other byte on it leaves the rest to the standard library.
func ValidUTF8(b []byte) bool { return rt.ValidUTF8(b) }

// AppendTag appends a tag in its shortest form.
func AppendTag(dst []byte, number uint32, t Type) []byte { return rt.AppendTag(dst, number, t) }

// AppendVarint appends v in its shortest form.
func AppendVarint(dst []byte, v uint64) []byte { return rt.AppendVarint(dst, v) }

// AppendInt32 appends an int32 or an enum; negative values take ten bytes.
func AppendInt32(dst []byte, v int32) []byte { return rt.AppendInt32(dst, v) }

// AppendSint32 appends a zigzag varint.
func AppendSint32(dst []byte, v int32) []byte { return rt.AppendSint32(dst, v) }

// AppendSint64 appends a zigzag varint.
func AppendSint64(dst []byte, v int64) []byte { return rt.AppendSint64(dst, v) }

// AppendBool appends 0 or 1.
func AppendBool(dst []byte, v bool) []byte { return rt.AppendBool(dst, v) }

// AppendFixed32 appends four bytes.
func AppendFixed32(dst []byte, v uint32) []byte { return rt.AppendFixed32(dst, v) }

// AppendFixed64 appends eight bytes.
func AppendFixed64(dst []byte, v uint64) []byte { return rt.AppendFixed64(dst, v) }

// AppendFloat appends the bits of v.
func AppendFloat(dst []byte, v float32) []byte { return rt.AppendFloat(dst, v) }

// AppendDouble appends the bits of v.
func AppendDouble(dst []byte, v float64) []byte { return rt.AppendDouble(dst, v) }

// AppendString appends a length and the bytes of v.
func AppendString(dst []byte, v string) []byte { return rt.AppendString(dst, v) }

// AppendBytes appends a length and v.
func AppendBytes(dst []byte, v []byte) []byte { return rt.AppendBytes(dst, v) }

// SizeVarint returns the number of bytes that AppendVarint appends.
func SizeVarint(v uint64) int { return rt.SizeVarint(v) }
