package codec

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/wire"
)

// What a generated decoder says is wrong with a record that can be read as such: beside codes, these.
const (
	BadUtf8    = -int(wire.InvalidUtf8)
	TooDeep    = -int(wire.DepthExceeded)
	BadFixed   = -32 // a packed field whose length is no multiple of the elements', of four bytes; BadFixed64 of eight
	BadFixed64 = -33
	BadPacked  = -34 // a packed field with a bad varint
)

// Fail notes what is wrong with the record that starts at start. i is what the reader that failed gave; names are the
// fields of the message as " number name" pairs. It gives what the decoder has to give; an end tag is no failure.
func (d *Decoder) Fail(b []byte, start, i int, names string) int {
	if isGroupEnd(i) {
		return i
	}
	tag, value := ReadTag(b, start)
	if value < 0 {
		d.fail(wire.Failed(value), start, "")
		return failed
	}
	name := nameOf(tag.Number(), names)
	if tag.Type() == wire.BytesType {
		d.failBytes(b, start, value, i, name)
		return failed
	}
	code := wire.Failed(i)
	if i >= 0 {
		code = wire.Truncated
	}
	at := value
	switch {
	case code == wire.DepthExceeded:
		at = start
	case tag.Type() == wire.StartGroup:
		at = badInGroup(b, value, uint64(tag)>>3, DefaultRecursionLimit)
	}
	d.fail(code, at, name)
	return failed
}

func (d *Decoder) failBytes(b []byte, start, value, i int, name string) {
	from, end := ReadBytes(b, value)
	switch {
	case from < 0:
		d.fail(wire.Failed(from), value, name)
	case end < 0:
		d.fail(wire.Failed(end), from, name)
	case i == TooDeep:
		d.fail(wire.DepthExceeded, start, name)
	case i == BadUtf8:
		d.fail(wire.InvalidUtf8, from+validPrefix(b[from:end]), name)
	case i == BadFixed:
		d.fail(wire.Truncated, end-(end-from)%4, name)
	case i == BadFixed64:
		d.fail(wire.Truncated, end-(end-from)%8, name)
	case i == BadPacked:
		count, bad := CountVarints(b[from:end])
		d.fail(wire.Failed(count), from+bad, name)
	default:
		d.fail(wire.Truncated, from, name)
	}
}

func (d *Decoder) fail(code wire.Code, offset int, name string) {
	d.err = wire.Error{Code: code, Offset: int64(offset), Path: name}
}

// FailEntry is Fail for the record that starts at start in an entry of the map name.
func (d *Decoder) FailEntry(entry []byte, start, i int, name string) int {
	d.Fail(entry, start, i, " 1 key 2 value ")
	return d.In(name, -1)
}

// In notes that what is wrong is in the field name, in the element of that index unless it is negative.
func (d *Decoder) In(name string, index int) int {
	d.outOfPlace()
	d.err.Path = Within(name, index, d.err.Path)
	return failed
}

// Within is the path of what stands at path in the field name.
func Within(name string, index int, path string) string {
	if index >= 0 {
		name += "[" + strconv.Itoa(index) + "]"
	}
	if path == "" {
		return name
	}
	return name + "." + path
}

// nameOf finds the name of a field, or gives its number.
func nameOf(number uint32, names string) string {
	text := strconv.Itoa(int(number))
	if _, rest, found := strings.Cut(names, " "+text+" "); found {
		name, _, _ := strings.Cut(rest, " ")
		return name
	}
	return text
}

// badInGroup is the position of what is wrong in a group that skipGroup refuses.
func badInGroup(b []byte, i int, number uint64, levels int) int {
	for {
		tag, after := ReadVarint(b, i)
		if after < 0 || tag>>3 == 0 || tag>>3 > 1<<31-1 || wire.Type(tag&7) >= wire.EndGroup && wire.Type(tag&7) != wire.Fixed32Type {
			return i
		}
		next := skip(b, after, tag, levels-1)
		switch {
		case next >= 0:
			i = next
			continue
		case wire.Type(tag&7) == wire.StartGroup && wire.Failed(next) == wire.DepthExceeded && levels <= 0:
			return i
		case wire.Type(tag&7) == wire.StartGroup:
			return badInGroup(b, after, tag>>3, levels-1)
		case wire.Type(tag&7) == wire.BytesType:
			if from, _ := ReadBytes(b, after); from >= 0 {
				return from
			}
		}
		return after
	}
}

// validPrefix is the length of the longest well-formed prefix of b.
func validPrefix(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(b)
}
