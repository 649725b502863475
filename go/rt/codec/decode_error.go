package codec

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// The errors of a generated decoder in records that are well-formed as such: codes, and BadFixed for a packed field
// whose length is not a multiple of four, BadFixed64 for one whose length is not a multiple of eight, and BadPacked
// for one with a malformed varint.
const (
	BadUtf8    = -int(wire.InvalidUtf8)
	TooDeep    = -int(wire.DepthExceeded)
	BadFixed   = -32
	BadFixed64 = -33
	BadPacked  = -34
)

// Fail notes the error in the record that starts at start. i is the result of the reader that failed. names lists the
// fields of the message: each tag as a number, then the name, with spaces around everything. Fail returns the value
// that the decoder must return; an end tag is not a failure.
func (d *Decoder) Fail(b []byte, start, i int, names string) int {
	if isGroupEnd(i) {
		return i
	}
	tag, value := ReadTag(b, start)
	if value < 0 {
		d.fail(wire.Failed(value), start, "")
		return failed
	}
	name := nameOf(tag, names)
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
	case tag.Type() == wire.EndGroup:
		at, name = start, ""
	case code == wire.DepthExceeded:
		at = start
	case tag.Type() == wire.StartGroup:
		at, name = badInGroup(b, value, DefaultRecursionLimit, name)
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
		if length, _ := ReadVarint(b, value); length > wire.MaxSize {
			d.fail(wire.SizeExceeded, start, name)
			return
		}
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
func (d *Decoder) FailEntry(entry []byte, start, i int, names, name string) int {
	d.Fail(entry, start, i, names)
	return d.In(name, -1)
}

// In notes that the error is in the field name, and in the element with that index unless index is negative.
func (d *Decoder) In(name string, index int) int {
	d.outOfPlace()
	d.err.Path = Within(name, index, d.err.Path)
	return failed
}

// longestPath is the approximate maximum length of a path in bytes: the outer part of a longer one is left out.
const longestPath = 1 << 10

// Within is wire.Within for a path of limited length.
func Within(name string, index int, path string) string {
	switch {
	case strings.HasPrefix(path, "…"):
		return path
	case len(path) > longestPath:
		return "…." + path
	}
	return wire.Within(name, index, path)
}

// nameOf returns the name of the field that a record belongs to; for an unknown field, its number.
func nameOf(tag wire.Tag, names string) string {
	if _, rest, found := strings.Cut(names, " "+strconv.Itoa(int(tag))+" "); found {
		name, _, _ := strings.Cut(rest, " ")
		return name
	}
	return strconv.Itoa(int(tag.Number()))
}

// badInGroup finds the error in a group that Skip rejects, and the field that it is in: path is the group's.
func badInGroup(b []byte, i int, levels int, path string) (int, string) {
	var open []uint64 // the numbers of the groups in it that are still open
	within := func(inner string) string {
		for _, number := range slices.Backward(open) {
			if inner = Within(strconv.FormatUint(number, 10), -1, inner); strings.HasPrefix(inner, "…") {
				return inner
			}
		}
		return Within(path, -1, inner)
	}
	for {
		tag, after := ReadVarint(b, i)
		kind, number := wire.Type(tag&7), tag>>3
		if after < 0 || number == 0 || number > 1<<31-1 || kind > wire.Fixed32Type {
			return i, within("")
		}
		switch kind {
		case wire.EndGroup:
			if len(open) == 0 || open[len(open)-1] != number {
				return i, within("")
			}
			open = open[:len(open)-1]
			i = after
			continue
		case wire.StartGroup:
			if len(open) >= levels {
				return i, within(strconv.FormatUint(number, 10))
			}
			open = append(open, number)
			i = after
			continue
		}
		next := skip(b, after, tag, 0)
		if next >= 0 {
			i = next
			continue
		}
		if kind == wire.BytesType {
			if from, _ := ReadBytes(b, after); from >= 0 {
				after = from
			}
		}
		return after, within(strconv.FormatUint(number, 10))
	}
}

// validPrefix returns the length of the longest well-formed prefix of b.
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
