package wire

import (
	"errors"
	rt "github.com/hotpb/hotpb/go/rt/wire"
	"io"
	"math"
	"strings"
	"unsafe"
)

// Mode says where the strings and bytes that a Decoder returns are stored.
type Mode uint8

// The modes of a Decoder.
const (
	Safe Mode = iota // copies
	Fast             // the input's own bytes: do not change it while they are in use
)

// String returns "safe" or "fast".
func (m Mode) String() string {
	if m == Fast {
		return "fast"
	}
	return "safe"
}

// Decoder reads a message tag by tag, for handwritten code:
//
//	d := wire.NewDecoder(b)
//	for d.More() {
//		number, kind, err := d.DecodeTag()
//		if err != nil {
//			return err
//		}
//		switch {
//		case number == 1 && kind == wire.BytesType:
//			m.Name, err = d.DecodeString()
//		default: // unknown, or known with another wire type
//			raw, skipErr := d.Skip()
//			m.unknown, err = append(m.unknown, raw...), skipErr
//		}
//		if err != nil {
//			return err
//		}
//	}
//
// Errors are *Error values. Their offset counts from the first byte of the slice that NewDecoder received, also in
// decoders of nested messages. Their path is empty, because a Decoder knows no names. After an error the position is
// the same as before the call. No input and no order of calls causes a panic. In mode Fast a Decoder allocates only
// errors, and slices that have to grow.
//
// A Decoder is a value: a copy continues independently from the same position.
type Decoder struct {
	b      []byte
	i      int // of the next byte
	record int // where the last tag read starts
	value  int // where it ends
	base   int // of b, in the slice that NewDecoder received
	levels int // that may open below
	tag    Tag // the last one read, 0 if there is none
	mode   Mode
}

// NewDecoder returns a decoder of b in mode Safe, with the default depth limit.
func NewDecoder(b []byte) *Decoder { return &Decoder{b: b, levels: DefaultDepth} }

// SetMode changes the mode for the values that follow.
func (d *Decoder) SetMode(m Mode) { d.mode = m }

// Mode returns the current mode.
func (d *Decoder) Mode() Mode { return d.mode }

// SetMaxDepth changes how many levels of nested messages and groups may open below this one. 0 means the default; the
// maximum is 1000.
func (d *Decoder) SetMaxDepth(levels int) { d.levels = Options{MaxDepth: levels}.Depth() }

// More reports whether there is anything left to read.
func (d *Decoder) More() bool { return d.i < len(d.b) }

// Offset returns the position of the next byte within this decoder's bytes. A decoder of a nested message counts from
// the start of that message.
func (d *Decoder) Offset() int { return d.i }

// Tag returns the tag that DecodeTag read last, or 0 if it has read none here.
func (d *Decoder) Tag() Tag { return d.tag }

// Reset returns to the first byte.
func (d *Decoder) Reset() { d.i, d.tag = 0, 0 }

// Seek moves to a position, as io.Seeker does. It does not look at the bytes there: the caller must know what the
// next call finds. A position outside the bytes is HandleMisuse, and leaves the decoder where it is.
func (d *Decoder) Seek(offset int64, whence int) (int64, error) {
	from := int64(0)
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		from = int64(d.i)
	case io.SeekEnd:
		from = int64(len(d.b))
	default:
		return int64(d.i), d.fail(HandleMisuse, d.i)
	}
	// from is within the bytes, so neither bound overflows.
	if offset < -from || offset > int64(len(d.b))-from {
		return int64(d.i), d.fail(HandleMisuse, d.i)
	}
	d.i, d.tag = int(from+offset), 0
	return from + offset, nil
}

// DecodeTag reads a tag. It returns an end tag like any other tag; Skip fails if that tag ends no group.
func (d *Decoder) DecodeTag() (number uint32, t Type, err error) {
	// The usual case, without a call: one byte, number 1 to 15.
	if i := d.i; uint(i) < uint(len(d.b)) && len(d.b) <= MaxSize {
		if c := d.b[i]; c-8 < 0x78 && c&7 < 6 {
			d.record, d.value, d.i, d.tag = i, i+1, i+1, Tag(c)
			return uint32(c >> 3), Type(c & 7), nil
		}
	}
	return d.longTag()
}

func (d *Decoder) longTag() (number uint32, t Type, err error) {
	tag, next := rt.ReadTag(d.b, d.i)
	if next < 0 {
		return 0, 0, d.fail(rt.Failed(next), d.i)
	}
	if len(d.b) > MaxSize {
		return 0, 0, d.fail(SizeExceeded, 0)
	}
	d.record, d.value, d.i, d.tag = d.i, next, next, tag
	return tag.Number(), tag.Type(), nil
}

// DecodeUint64 reads a varint of 64 bits.
func (d *Decoder) DecodeUint64() (uint64, error) {
	if i := d.i; uint(i) < uint(len(d.b)) && d.b[i] < 0x80 {
		d.i = i + 1
		return uint64(d.b[i]), nil
	}
	return d.longVarint()
}

func (d *Decoder) longVarint() (uint64, error) {
	v, next := rt.ReadVarint(d.b, d.i)
	if next < 0 {
		return 0, d.fail(rt.Failed(next), d.i)
	}
	d.i = next
	return v, nil
}

// DecodeUint32 reads a varint and returns its low 32 bits, as for all 32-bit types.
func (d *Decoder) DecodeUint32() (uint32, error) {
	v, err := d.DecodeUint64()
	return uint32(v), err
}

// DecodeInt32 reads an int32 or an enum.
func (d *Decoder) DecodeInt32() (int32, error) {
	v, err := d.DecodeUint64()
	return int32(v), err
}

// DecodeInt64 reads an int64.
func (d *Decoder) DecodeInt64() (int64, error) {
	v, err := d.DecodeUint64()
	return int64(v), err
}

// DecodeSint32 reads a zigzag varint.
func (d *Decoder) DecodeSint32() (int32, error) {
	v, err := d.DecodeUint64()
	return rt.DecodeZigzag32(v), err
}

// DecodeSint64 reads a zigzag varint.
func (d *Decoder) DecodeSint64() (int64, error) {
	v, err := d.DecodeUint64()
	return rt.DecodeZigzag(v), err
}

// DecodeBool reads a varint of any length; every value but 0 is true.
func (d *Decoder) DecodeBool() (bool, error) {
	v, err := d.DecodeUint64()
	return v != 0, err
}

// DecodeFixed32 reads four bytes.
func (d *Decoder) DecodeFixed32() (uint32, error) {
	v, next := rt.ReadFixed32(d.b, d.i)
	if next < 0 {
		return 0, d.fail(rt.Failed(next), d.i)
	}
	d.i = next
	return v, nil
}

// DecodeFixed64 reads eight bytes.
func (d *Decoder) DecodeFixed64() (uint64, error) {
	v, next := rt.ReadFixed64(d.b, d.i)
	if next < 0 {
		return 0, d.fail(rt.Failed(next), d.i)
	}
	d.i = next
	return v, nil
}

// DecodeSfixed32 reads four bytes.
func (d *Decoder) DecodeSfixed32() (int32, error) {
	v, err := d.DecodeFixed32()
	return int32(v), err
}

// DecodeSfixed64 reads eight bytes.
func (d *Decoder) DecodeSfixed64() (int64, error) {
	v, err := d.DecodeFixed64()
	return int64(v), err
}

// DecodeFloat reads four bytes.
func (d *Decoder) DecodeFloat() (float32, error) {
	v, err := d.DecodeFixed32()
	return math.Float32frombits(v), err
}

// DecodeDouble reads eight bytes.
func (d *Decoder) DecodeDouble() (float64, error) {
	v, err := d.DecodeFixed64()
	return math.Float64frombits(v), err
}

// DecodeString reads a string. It returns InvalidUtf8 if the string is not UTF-8.
func (d *Decoder) DecodeString() (string, error) {
	start, end := d.short()
	if start == 0 {
		var err error
		if start, end, err = d.payload(); err != nil {
			return "", err
		}
	}
	if payload := d.b[start:end]; !rt.ValidUTF8(payload) {
		return "", d.fail(InvalidUtf8, start+rt.ValidPrefix(payload))
	}
	return d.text(start, end), nil
}

// DecodeStringUnchecked reads a string without checking that it is UTF-8. Use it for schemas that do not require
// UTF-8, such as those of proto2, and for trusted bytes.
func (d *Decoder) DecodeStringUnchecked() (string, error) {
	// The usual case, without a call: a length of one byte.
	if b, i := d.b, d.i; uint(i) < uint(len(b)) {
		if n := int(b[i]); n < 0x80 && n <= len(b)-i-1 {
			d.i = i + 1 + n
			if n == 0 {
				return "", nil
			}
			text := unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i+1)), n)
			if d.mode != Fast {
				text = strings.Clone(text)
			}
			return text, nil
		}
	}
	start, end, err := d.payload()
	if err != nil {
		return "", err
	}
	return d.text(start, end), nil
}

// text returns the string of a payload and moves to the position after it.
func (d *Decoder) text(start, end int) string {
	d.i = end
	payload := d.b[start:end]
	if d.mode == Fast {
		return unsafe.String(unsafe.SliceData(payload), len(payload))
	}
	return string(payload)
}

// DecodeBytes reads bytes. Without an error the result is never nil, so a field with presence can distinguish empty
// from absent.
func (d *Decoder) DecodeBytes() ([]byte, error) {
	start, end := d.short()
	if start == 0 {
		var err error
		if start, end, err = d.payload(); err != nil {
			return nil, err
		}
	}
	d.i = end
	if d.mode == Fast {
		return d.b[start:end:end], nil
	}
	return append(make([]byte, 0, end-start), d.b[start:end]...), nil
}

// Skip skips the value of the tag read last, including a whole group. It returns the record unchanged, with its tag,
// in the form in which unknown fields are kept. In both modes the result points into the input: append it to your own
// slice to keep it. Skip fails with HandleMisuse if the value has been read already.
func (d *Decoder) Skip() ([]byte, error) {
	if d.tag == 0 || d.i != d.value {
		return nil, d.fail(HandleMisuse, d.i)
	}
	next := rt.Skip(d.b, d.i, d.tag, d.levels)
	if next < 0 {
		return nil, d.failInRecord(rt.Failed(next))
	}
	d.i = next
	return d.b[d.record:next:next], nil
}

// Nested reads the length of a nested message or map entry and returns a decoder of its contents, in the same mode. d
// continues after it.
func (d *Decoder) Nested() (Decoder, error) {
	start, end := d.short()
	if start == 0 {
		var err error
		if start, end, err = d.payload(); err != nil {
			return Decoder{}, err
		}
	}
	if d.levels <= 0 {
		return Decoder{}, d.fail(DepthExceeded, d.record)
	}
	d.i = end
	return d.below(start, end), nil
}

// Group is Nested for a group whose start tag was read last. It checks the wire form of the group's contents.
func (d *Decoder) Group() (Decoder, error) {
	if d.tag.Type() != StartGroup || d.i != d.value {
		return Decoder{}, d.fail(HandleMisuse, d.i)
	}
	start := d.i
	end, next := rt.SkipGroup(d.b, start, d.tag.Number(), d.levels)
	if next < 0 {
		return Decoder{}, d.failInRecord(rt.Failed(next))
	}
	d.i = next
	return d.below(start, end), nil
}

func (d *Decoder) below(start, end int) Decoder {
	return Decoder{b: d.b[start:end:end], base: d.base + start, levels: d.levels - 1, mode: d.mode}
}

// DecodeNested reads a nested message with the message's own method. That method receives the input's own bytes, in
// both modes.
func (d *Decoder) DecodeNested(m interface{ Unmarshal(b []byte) error }) error {
	before := d.i
	nested, err := d.Nested()
	if err != nil {
		return err
	}
	if err = m.Unmarshal(nested.b); err != nil {
		d.i = before
		return moved(err, nested.base)
	}
	return nil
}

// moved turns an error in a part that starts at base into an error in the whole.
func moved(err error, base int) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return &Error{Code: e.Code, Offset: e.Offset + int64(base), Path: e.Path}
}

// short is payload where the length has one byte. It returns 0 if there is no such payload.
func (d *Decoder) short() (start, end int) {
	if i := d.i; uint(i) < uint(len(d.b)) && d.b[i] < 0x80 {
		if end = i + 1 + int(d.b[i]); end <= len(d.b) {
			return i + 1, end
		}
	}
	return 0, 0
}

// payload returns the range of the payload that follows the length at the current position.
func (d *Decoder) payload() (start, end int, err error) {
	start, end = rt.ReadBytes(d.b, d.i)
	if end >= 0 {
		return start, end, nil
	}
	code, at := rt.Failed(end), start
	switch {
	case start < 0:
		at = d.i
	case code == SizeExceeded:
		at = d.record
	}
	return 0, 0, d.fail(code, at)
}

func (d *Decoder) fail(code Code, at int) error {
	return &Error{Code: code, Offset: int64(d.base + at)}
}

// failInRecord uses the plain reader to find where in the last record a group is wrong; the fast reader only detects
// that it is.
func (d *Decoder) failInRecord(code Code) error {
	o := Options{MaxDepth: d.levels}
	if d.levels == 0 {
		o.MaxDepth = -1 // zero would mean the default
	}
	if err := rt.Check([]rt.MessageTable{{}}, 0, d.b[d.record:], o); err != nil {
		return &Error{Code: err.Code, Offset: err.Offset + int64(d.base+d.record)}
	}
	return d.fail(code, d.record)
}
