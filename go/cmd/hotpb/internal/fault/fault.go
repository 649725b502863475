// Package fault has the error that every command of hotpb reports: one line with file, offset or line, cause and mend.
package fault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// Error is one thing that is wrong.
type Error struct {
	File   string // or "" when no file is at fault
	Line   int    // from 1; 0 when there is none
	Column int    // from 1; 0 when there is none
	Offset int64  // of a byte of the file, decompressed; NoOffset when there is none
	Cause  string
	Mend   string // what to do; may be empty
	Usage  bool   // the command line is wrong, not the data
}

// NoOffset is the Offset of an error without one.
const NoOffset int64 = -1

// Error is like "a.bin: byte 17: the tag has field number 0; cut the file at a message".
func (e *Error) Error() string {
	var s strings.Builder
	if e.File != "" {
		s.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&s, ":%d", e.Line)
			if e.Column > 0 {
				fmt.Fprintf(&s, ":%d", e.Column)
			}
		}
		s.WriteString(": ")
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&s, "byte %d: ", e.Offset)
	}
	s.WriteString(oneLine(e.Cause))
	if e.Mend != "" {
		s.WriteString("; " + e.Mend)
	}
	return s.String()
}

// oneLine keeps control characters of names and texts from the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// Usage is an error of the command line.
func Usage(cause, mend string) error {
	return &Error{Offset: NoOffset, Cause: cause, Mend: mend, Usage: true}
}

// In is an error of a file as a whole.
func In(file, cause, mend string) error {
	return &Error{File: file, Offset: NoOffset, Cause: cause, Mend: mend}
}

// At is an error at a byte of a file.
func At(file string, offset int64, cause, mend string) error {
	return &Error{File: file, Offset: offset, Cause: cause, Mend: mend}
}

// IO is a failure of the system at a file. The mend names the place to look at.
func IO(file string, err error) error {
	return In(file, Cause(err), "check the name and its permissions")
}

// Cause is the reason of a failure of the system, without the call and the file, which the line begins with.
func Cause(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return "the input ends too early"
	case errors.Is(err, fs.ErrClosed):
		return "it is closed"
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return library.ReplaceAllString(err.Error(), "")
}

// library is how the libraries for compression begin their errors.
var library = regexp.MustCompile(`^(gzip|flate|zstd|snappy|s2): `)

// Causes explains a code of spec/errors.md to whoever looks at bytes.
func Causes(code wire.Code) (cause, mend string) {
	switch code {
	case wire.Truncated:
		return "Truncated: the bytes end inside a record", "the message was cut, or it is no protobuf message from its first byte on"
	case wire.VarintOverflow:
		return "VarintOverflow: a varint of more than 10 bytes", "the bytes before it are damaged, or this is no protobuf message"
	case wire.InvalidTag:
		return "InvalidTag: no field has this tag", "the bytes before it are damaged, or a length or another header stands before the message (--delimited)"
	case wire.InvalidWireType:
		return "InvalidWireType: wire types 6 and 7 do not exist", "the bytes are no protobuf message here, or are compressed or encrypted"
	case wire.GroupMismatch:
		return "GroupMismatch: an end tag without its start tag", "look at the length of the message around it"
	case wire.DepthExceeded:
		return "DepthExceeded: messages are nested too deep", "--depth raises the limit; readers refuse more than 100 by default"
	case wire.SizeExceeded:
		return "SizeExceeded: a length is above the limit", "the length is damaged, or the stream has no lengths (leave --delimited out)"
	case wire.InvalidUtf8:
		return "InvalidUtf8: a string is not UTF-8", "the writer has to clean it, or the field has to be bytes"
	case wire.MissingRequired:
		return "MissingRequired: a required field is absent", "the writer has to set it"
	}
	return code.String(), ""
}

// Wire adds file, cause and mend to an error of package wire, and base to its offset. Other errors get the file alone.
func Wire(file string, base int64, err error) error {
	var e *wire.Error
	if !errors.As(err, &e) {
		return In(file, err.Error(), "")
	}
	cause, mend := Causes(e.Code)
	if e.Path != "" {
		cause += " (" + e.Path + ")"
	}
	return At(file, base+e.Offset, cause, mend)
}

// Report writes a line for each error in err.
func Report(w io.Writer, err error) {
	for _, part := range Parts(err) {
		fmt.Fprintln(w, Line(part))
	}
}

// Line is the text of one error, with the name of the command when it is about no file.
func Line(err error) string {
	var e *Error
	if errors.As(err, &e) && e.File != "" {
		return err.Error()
	}
	return "hotpb: " + oneLine(err.Error())
}

// Parts are the errors that were joined to err, or err alone.
func Parts(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, part := range joined.Unwrap() {
		all = append(all, Parts(part)...)
	}
	return all
}

// IsUsage reports whether the command line is wrong.
func IsUsage(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Usage
}
