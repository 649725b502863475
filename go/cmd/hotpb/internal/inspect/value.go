package inspect

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/internal/kind"
	"github.com/hotpb/hotpb/go/wire"
)

// The most that is shown of a value.
const (
	mostText     = 60 // bytes
	mostHex      = 16 // bytes
	mostElements = 8
)

// value returns the meaning of the payload, and reports whether it holds records.
func (w *walker) value(r *Record, l *level, f protoreflect.FieldDescriptor, varint uint64) {
	payload := w.b[r.Payload:r.End]
	if f == nil {
		w.guess(r, payload, varint)
		return
	}
	r.Type = typeName(f)
	switch {
	case r.Wire == wire.StartGroup:
		r.Inside = true
	case f.Message() != nil:
		w.inside(r)
	case r.Wire == wire.BytesType && kind.Packable(f):
		w.packed(r, f, payload)
	case f.Kind() == protoreflect.StringKind:
		if !utf8.Valid(payload) {
			r.note("not-utf8", "not UTF-8: readers that check strings refuse the message")
		}
		r.Value = text(payload)
		if isAny(l.message) && f.Number() == 1 {
			l.url = string(payload)
		}
	case f.Kind() == protoreflect.BytesKind:
		r.Value = hex(payload)
		if isAny(l.message) && f.Number() == 2 && w.anyType(l) != nil {
			r.Type = string(w.anyType(l).FullName()) + " (in an Any)"
			w.inside(r)
		}
	case r.Wire == wire.VarintType:
		r.Value = integer(r, f, varint, r.End-r.Payload)
	default:
		r.Value = fixed(f.Kind(), payload)
	}
}

// inside opens a record, when that is not too deep.
func (w *walker) inside(r *Record) {
	if r.Depth+1 > w.maxDepth {
		r.note("too-deep", "deeper than %d levels: not opened", w.maxDepth)
		r.Value = hex(w.b[r.Payload:r.End])
		w.remember(&Damage{Offset: r.Offset, Code: wire.DepthExceeded, Path: w.where()})
		return
	}
	r.Value, r.Inside = "", true
}

// integer is a varint's value, with notes on anything unusual.
func integer(r *Record, f protoreflect.FieldDescriptor, v uint64, size int) string {
	odd := func(bits int) {
		r.note("does-not-fit", "%d does not fit %s: readers take the low %d bits", v, f.Kind(), bits)
	}
	switch f.Kind() {
	case protoreflect.BoolKind:
		if v > 1 {
			r.note("does-not-fit", "%d stands for true", v)
		}
		return strconv.FormatBool(v != 0)
	case protoreflect.Int32Kind:
		if int64(v) != int64(int32(v)) {
			odd(32)
		} else if int64(v) < 0 && size == wire.MaxVarint {
			r.note("negative", "a negative int32 takes 10 bytes; sint32 would take %d", wire.SizeVarint(wire.EncodeZigzag(int64(v))))
		}
		return strconv.FormatInt(int64(int32(v)), 10)
	case protoreflect.Int64Kind:
		return strconv.FormatInt(int64(v), 10)
	case protoreflect.Uint32Kind:
		if v > math.MaxUint32 {
			odd(32)
		}
		return strconv.FormatUint(uint64(uint32(v)), 10)
	case protoreflect.Sint32Kind:
		if v > math.MaxUint32 {
			odd(32)
		}
		return strconv.FormatInt(int64(wire.DecodeZigzag32(v)), 10)
	case protoreflect.Sint64Kind:
		return strconv.FormatInt(wire.DecodeZigzag(v), 10)
	case protoreflect.EnumKind:
		if int64(v) != int64(int32(v)) {
			odd(32)
		}
		if value := f.Enum().Values().ByNumber(protoreflect.EnumNumber(int32(v))); value != nil {
			return fmt.Sprintf("%s (%d)", value.Name(), value.Number())
		}
		r.note("unknown-enum", "%s has no value %d", f.Enum().FullName(), int32(v))
		return strconv.FormatInt(int64(int32(v)), 10)
	}
	return strconv.FormatUint(v, 10)
}

func fixed(kind protoreflect.Kind, payload []byte) string {
	v32, v64 := uint32(0), uint64(0)
	if len(payload) == 4 {
		v32, _ = wire.ReadFixed32(payload, 0)
	} else {
		v64, _ = wire.ReadFixed64(payload, 0)
	}
	switch kind {
	case protoreflect.FloatKind:
		return strconv.FormatFloat(float64(math.Float32frombits(v32)), 'g', -1, 32)
	case protoreflect.DoubleKind:
		return strconv.FormatFloat(math.Float64frombits(v64), 'g', -1, 64)
	case protoreflect.Sfixed32Kind:
		return strconv.FormatInt(int64(int32(v32)), 10)
	case protoreflect.Sfixed64Kind:
		return strconv.FormatInt(int64(v64), 10)
	case protoreflect.Fixed32Kind:
		return strconv.FormatUint(uint64(v32), 10)
	}
	return strconv.FormatUint(v64, 10)
}

// packed shows the first elements of a packed record, and how many there are.
func (w *walker) packed(r *Record, f protoreflect.FieldDescriptor, payload []byte) {
	count, long, element := 0, 0, *r
	var values []string
	for i := 0; i < len(payload); count++ {
		start := i
		var v uint64
		switch kind.Type(f.Kind()) {
		case wire.VarintType:
			v, i = wire.ReadVarint(payload, i)
			if i >= 0 && i-start > wire.SizeVarint(v) {
				long++
			}
		case wire.Fixed32Type:
			_, i = wire.ReadFixed32(payload, i)
		default:
			_, i = wire.ReadFixed64(payload, i)
		}
		if i < 0 {
			r.bad, r.badAt = i, r.Payload+start
			break
		}
		if count >= mostElements {
			continue
		}
		element.Notes = nil
		if kind.Type(f.Kind()) == wire.VarintType {
			values = append(values, integer(&element, f, v, 0))
		} else {
			values = append(values, fixed(f.Kind(), payload[start:i]))
		}
	}
	more := ""
	if count > mostElements {
		more = ", …"
	}
	r.Value = fmt.Sprintf("[%s%s] (%d packed)", strings.Join(values, ", "), more, count)
	if long > 0 {
		r.note("long-varint", "%d of the varints inside over-long", long)
	}
}

// guess guesses the meaning of an unknown field's payload.
func (w *walker) guess(r *Record, payload []byte, varint uint64) {
	switch r.Wire {
	case wire.VarintType:
		r.Type, r.Value = "varint", strconv.FormatUint(varint, 10)
		if int64(varint) < 0 {
			r.Value += fmt.Sprintf(" (as int64: %d)", int64(varint))
		}
	case wire.Fixed32Type:
		r.Type, r.Value = "32 bits", fmt.Sprintf("%s (as float: %s)", fixed(protoreflect.Fixed32Kind, payload), fixed(protoreflect.FloatKind, payload))
	case wire.Fixed64Type:
		r.Type, r.Value = "64 bits", fmt.Sprintf("%s (as double: %s)", fixed(protoreflect.Fixed64Kind, payload), fixed(protoreflect.DoubleKind, payload))
	case wire.StartGroup:
		r.Type, r.Inside = "group", true
	default:
		message := len(payload) > 0 && r.Depth+1 <= w.maxDepth && w.looksLikeMessage(payload)
		switch printable := isPrintable(payload); {
		// Text that begins with a tab or the end of a line may be a message as well: the tags of field 1 are these.
		case printable && !(message && payload[0] < ' '):
			r.Type, r.Value = "text", text(payload)
		case message:
			r.Type, r.Inside = "message", true
		default:
			r.Type, r.Value = "bytes", hex(payload)
		}
	}
}

// looksLikeMessage reports whether bytes are records to their end. Messages inside are skipped, so that all levels together
// take no longer than the bytes times the depth.
func (w *walker) looksLikeMessage(b []byte) bool {
	for i := 0; i < len(b); {
		tag, after := wire.ReadTag(b, i)
		if after < 0 || tag.Type() == wire.EndGroup {
			return false
		}
		if i = wire.Skip(b, after, tag, w.maxDepth); i < 0 {
			return false
		}
	}
	return true
}

func isPrintable(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	for _, r := range string(b) {
		if !unicode.IsPrint(r) && r != '\n' && r != '\r' && r != '\t' {
			return false
		}
	}
	return true
}

func text(b []byte) string {
	if len(b) <= mostText {
		return strconv.Quote(string(b))
	}
	end := mostText
	for end > mostText-utf8.UTFMax && !utf8.RuneStart(b[end]) {
		end--
	}
	return fmt.Sprintf("%q… (%d bytes)", b[:end], len(b))
}

func hex(b []byte) string {
	if len(b) <= mostHex {
		return fmt.Sprintf("% x", b)
	}
	return fmt.Sprintf("% x … (%d bytes)", b[:mostHex], len(b))
}
