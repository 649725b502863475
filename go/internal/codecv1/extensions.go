package codecv1

import (
	"sync"
	"sync/atomic"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// Extensions sizes, writes and reads all extensions of messages of type T: those that are messages with fast code by
// that, and others in one call of the runtime. Those that came encoded stay so until somebody asks for them. F is the runtime's XXX_InternalExtensions, R its ExtensionRange, and I
// what it keeps of a type of message.
//
// The caller must not open an extension that is a message (proto.GetExtension, the first time) while another goroutine
// encodes the message that has it. The runtime sizes and writes in two steps; if the extension is opened between them, the
// runtime writes a wrong length and returns no error. Its own Marshal does the same.
type Extensions[T any, F comparable, R, I any, P Info[I]] struct {
	info     I
	carriers sync.Pool
	layout   atomic.Int32 // whether fast code knows that of F
}

// Info is the runtime's proto.InternalMessageInfo, with messages as any.
type Info[I any] interface {
	*I
	Size(m any) int
	Marshal(b []byte, m any, deterministic bool) ([]byte, error)
	Unmarshal(m any, b []byte) error
	// SetRaw is proto.SetRawExtension.
	SetRaw(m any, number int32, raw []byte)
}

// carrier is a message that has nothing but the extensions of a T. The runtime keeps its record of extensions by the
// message's type, so there is one for each.
type carrier[T, F, R any] struct {
	XXX_InternalExtensions F
	XXX_unrecognized       []byte
	XXX_sizecache          int32
}

func (c *carrier[T, F, R]) Reset()         { *c = carrier[T, F, R]{} }
func (c *carrier[T, F, R]) String() string { return "extensions" }
func (*carrier[T, F, R]) ProtoMessage()    {}

// ExtensionRangeArray is where the runtime looks for the ranges.
func (*carrier[T, F, R]) ExtensionRangeArray() []R {
	return any((*T)(nil)).(interface{ ExtensionRangeArray() []R }).ExtensionRangeArray()
}

func (x *Extensions[T, F, R, I, P]) carry(fields F) *carrier[T, F, R] {
	c, _ := x.carriers.Get().(*carrier[T, F, R])
	if c == nil {
		c = new(carrier[T, F, R])
	}
	c.XXX_InternalExtensions = fields
	return c
}

func (x *Extensions[T, F, R, I, P]) release(c *carrier[T, F, R]) {
	c.Reset()
	x.carriers.Put(c)
}

// Size is the size of the extensions.
func (x *Extensions[T, F, R, I, P]) Size(fields F) int {
	if isKnown[F](&x.layout) {
		var room [mostFast]part
		if parts, all := partsOf(&fields, &room); all {
			return sizeParts(parts)
		}
	}
	c := x.carry(fields)
	n := P(&x.info).Size(c)
	x.release(c)
	return n
}

// Encode writes the extensions, by ascending number.
func (x *Extensions[T, F, R, I, P]) Encode(e *codec.Encoder, i int, fields F) int {
	if isKnown[F](&x.layout) {
		var room [mostFast]part
		if parts, all := partsOf(&fields, &room); all {
			return encodeParts(e, i, parts)
		}
	}
	c := x.carry(fields)
	info := P(&x.info)
	n := info.Size(c) // the runtime keeps it in the parts
	i = e.Reserve(i, n)
	out, err := info.Marshal(e.B[i:i:i+n], c, e.Deterministic)
	settle(e, len(out) == n, err)
	if len(out) != n { // what was reserved holds bytes of other messages
		clear(e.B[i : i+n])
	}
	x.release(c)
	return i
}

// Decode hands the records of message m over that may be extensions; the others among them are unknown fields. A single
// one that is whole after its length, as an extension that is a message, is kept without a look at it, as in the runtime.
func (x *Extensions[T, F, R, I, P]) Decode(d *codec.Decoder, m any, fields *F, unknown *[]byte, records *codec.Records) bool {
	var none F
	info := P(&x.info)
	if *fields == none {
		if tag, single := records.Single(); single && tag.Type() == wire.BytesType {
			raw := codec.Bytes(records.Bytes())
			if !d.Kept {
				raw = append([]byte(nil), raw...)
			}
			info.SetRaw(m, int32(tag.Number()), raw)
			return true
		}
	}
	c := x.carry(*fields)
	c.XXX_unrecognized = *unknown
	code := failure(d, info.Unmarshal(c, records.Bytes()))
	*fields, *unknown = c.XXX_InternalExtensions, c.XXX_unrecognized
	x.release(c)
	if code != 0 {
		d.Explained(records.Locate(wire.Error{Code: code}))
	}
	return code == 0
}
