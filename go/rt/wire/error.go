package wire

import "strconv"

// Code is the fault of an input. The names and numbers are stable and the same in all languages. A Code is
// itself an error, so errors.Is(err, wire.Truncated) works on every error of hotpb.
type Code uint8

// The codes of spec/errors.md.
const (
	Truncated       Code = 1  // the input ended inside a tag, varint, length, payload, packed element, group or stream
	VarintOverflow  Code = 2  // a varint of more than 10 bytes
	InvalidTag      Code = 3  // field number 0; a tag of more than 5 bytes or of 2^32 and above
	InvalidWireType Code = 4  // wire type 6 or 7
	GroupMismatch   Code = 5  // an end tag that does not match the innermost open group
	InvalidUtf8     Code = 6  // a checked string is not UTF-8
	DepthExceeded   Code = 7  // deeper than the depth limit
	SizeExceeded    Code = 8  // a length or a message above its limit
	CountExceeded   Code = 9  // more elements or more memory than the limit
	MissingRequired Code = 10 // a required field is absent
	BufferExhausted Code = 11 // the output has no more room
	InvalidSchema   Code = 12 // a descriptor or schema that cannot be used
	TypeMismatch    Code = 13 // a value or field of a type other than the one asked for
	HandleMisuse    Code = 14 // a handle used out of turn
)

var codeNames = [...]string{
	Truncated:       "Truncated",
	VarintOverflow:  "VarintOverflow",
	InvalidTag:      "InvalidTag",
	InvalidWireType: "InvalidWireType",
	GroupMismatch:   "GroupMismatch",
	InvalidUtf8:     "InvalidUtf8",
	DepthExceeded:   "DepthExceeded",
	SizeExceeded:    "SizeExceeded",
	CountExceeded:   "CountExceeded",
	MissingRequired: "MissingRequired",
	BufferExhausted: "BufferExhausted",
	InvalidSchema:   "InvalidSchema",
	TypeMismatch:    "TypeMismatch",
	HandleMisuse:    "HandleMisuse",
}

// String returns the code's name in spec/errors.md.
func (c Code) String() string {
	if c == 0 || int(c) >= len(codeNames) {
		return "Code(" + strconv.Itoa(int(c)) + ")"
	}
	return codeNames[c]
}

// Error makes a Code usable as the target of errors.Is.
func (c Code) Error() string { return "hotpb: " + c.String() }

// Error is a failure to read an input: what is wrong, at which byte, in which field.
type Error struct {
	Code   Code
	Offset int64  // from the first byte of the input
	Path   string // like timeseries[3].labels[1].name; empty for the root
}

// Error returns a text like "hotpb: Truncated at byte 17: timeseries[3].labels[1].name".
func (e *Error) Error() string {
	s := "hotpb: " + e.Code.String() + " at byte " + strconv.FormatInt(e.Offset, 10)
	if e.Path != "" {
		s += ": " + e.Path
	}
	return s
}

// Is matches the error's code, and errors that are equal in all parts.
func (e *Error) Is(target error) bool {
	switch t := target.(type) {
	case Code:
		return e.Code == t
	case *Error:
		return t != nil && *e == *t
	}
	return false
}

// Unwrap returns the code, for errors.As.
func (e *Error) Unwrap() error { return e.Code }

// Within prepends the name of a field to the path of an error in the field's message; index is negative for a singular
// field.
func Within(name string, index int, path string) string {
	if index >= 0 {
		name += "[" + strconv.Itoa(index) + "]"
	}
	if path == "" {
		return name
	}
	return name + "." + path
}

// Failed returns the code of a failed read: the meaning of a negative position.
func Failed(position int) Code { return Code(-position) }

func fail(c Code) int { return -int(c) }
