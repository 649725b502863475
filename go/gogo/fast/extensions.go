package fast

import (
	"sync"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/wire"
)

// Extensions sizes, writes and reads all extensions of messages of type T in one call of the runtime. Those that came
// encoded stay so until somebody asks for them.
//
// The caller must not open an extension that is a message (proto.GetExtension, the first time) while another goroutine
// encodes the message that has it. The runtime sizes and writes in two steps; if the extension is opened between them, the
// runtime writes a wrong length and returns no error. Its own Marshal does the same.
type Extensions[T any] struct {
	info     proto.InternalMessageInfo
	carriers sync.Pool
}

// carrier is a message that has nothing but the extensions of a T. The runtime keeps what it knows of extensions by the
// message's type, so there is one for each.
type carrier[T any] struct {
	XXX_InternalExtensions proto.XXX_InternalExtensions
	XXX_unrecognized       []byte
	XXX_sizecache          int32
}

func (c *carrier[T]) Reset()         { *c = carrier[T]{} }
func (c *carrier[T]) String() string { return "extensions" }
func (*carrier[T]) ProtoMessage()    {}

// ExtensionRangeArray is where the runtime looks for the ranges.
func (*carrier[T]) ExtensionRangeArray() []proto.ExtensionRange {
	return any((*T)(nil)).(interface{ ExtensionRangeArray() []proto.ExtensionRange }).ExtensionRangeArray()
}

func (x *Extensions[T]) carry(fields proto.XXX_InternalExtensions) *carrier[T] {
	c, _ := x.carriers.Get().(*carrier[T])
	if c == nil {
		c = new(carrier[T])
	}
	c.XXX_InternalExtensions = fields
	return c
}

func (x *Extensions[T]) release(c *carrier[T]) {
	c.Reset()
	x.carriers.Put(c)
}

// Size is the size of the extensions.
func (x *Extensions[T]) Size(fields proto.XXX_InternalExtensions) int {
	c := x.carry(fields)
	n := x.info.Size(c)
	x.release(c)
	return n
}

// Encode writes the extensions, by ascending number.
func (x *Extensions[T]) Encode(e *codec.Encoder, i int, fields proto.XXX_InternalExtensions) int {
	c := x.carry(fields)
	n := x.info.Size(c) // the runtime keeps it in the parts
	i = e.Reserve(i, n)
	out, err := x.info.Marshal(e.B[i:i:i+n], c, e.Deterministic)
	settle(e, len(out) == n, err)
	if len(out) != n { // what was reserved holds bytes of other messages
		clear(e.B[i : i+n])
	}
	x.release(c)
	return i
}

// Decode hands the records of message m over that may be extensions; the others among them are unknown fields. A single
// one that is whole behind its length, as an extension that is a message, is kept without a look at it, as in the runtime.
func (x *Extensions[T]) Decode(
	d *codec.Decoder, m proto.Message, fields *proto.XXX_InternalExtensions, unknown *[]byte, records *codec.Records,
) bool {
	if *fields == (proto.XXX_InternalExtensions{}) {
		if tag, single := records.Single(); single && tag.Type() == wire.BytesType {
			raw := codec.Bytes(records.Bytes())
			if !d.Kept {
				raw = append([]byte(nil), raw...)
			}
			proto.SetRawExtension(m, int32(tag.Number()), raw)
			return true
		}
	}
	c := x.carry(*fields)
	c.XXX_unrecognized = *unknown
	code := failure(d, x.info.Unmarshal(c, records.Bytes()))
	*fields, *unknown = c.XXX_InternalExtensions, c.XXX_unrecognized
	x.release(c)
	if code != 0 {
		d.Explained(records.Locate(wire.Error{Code: code}))
	}
	return code == 0
}
