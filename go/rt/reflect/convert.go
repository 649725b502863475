package reflect

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/rt/pool"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// buffers hold the encodings that conversions go through.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer is the size limit for a buffer that is kept for the next conversion.
const maxBuffer = 1 << 20

func release(buffer *[]byte, used []byte) {
	if cap(used) <= maxBuffer {
		*buffer = used[:0]
	}
	buffers.Put(buffer)
}

// FromProto converts src into m and replaces the contents of m. src is a stock message, a dynamic message, or one of
// this package, of the same protobuf type. Nothing in m points into src. Unknown fields and extensions are copied;
// required fields may be absent. After an error m is empty.
func (t Pool[P]) FromProto(m P, src proto.Message) error {
	return t.FromProtoWith(m, src, pool.Options{AllowPartial: true})
}

// FromProtoWith is FromProto with limits and rules: the stock runtime's messages may be deeper than the default
// limit. Alias has the effect of Reuse.
func (t Pool[P]) FromProtoWith(m P, src proto.Message, o pool.Options) error {
	m.Reset()
	if err := t.sameType(src); err != nil {
		return err
	}
	buffer := buffers.Get().(*[]byte)
	var b []byte
	var err error
	if fast, is := src.(interface {
		MarshalHotOptions([]byte, codec.MarshalOptions) ([]byte, error)
	}); is {
		b, err = fast.MarshalHotOptions(*buffer, codec.MarshalOptions{AllowPartial: true})
	} else {
		b, err = proto.MarshalOptions{AllowPartial: true}.MarshalAppend(*buffer, src)
	}
	if err == nil {
		if o.Mode == pool.Alias {
			o.Mode = pool.Reuse // the buffer is reused
		}
		err = pool.Unmarshal(m, b, o)
	}
	release(buffer, b)
	return err
}

// ToProto converts m into dst and replaces the contents of dst. dst is a stock message or a dynamic one, of the same
// protobuf type. Nothing in dst points into m. Unknown fields and extensions are copied; required fields may be
// absent. After an error do not use dst.
func (t Pool[P]) ToProto(dst proto.Message, m P) error {
	if err := t.sameType(dst); err != nil {
		return err
	}
	writable, is := any(m).(interface {
		MarshalWith([]byte, pool.MarshalOptions) ([]byte, error)
	})
	if !is { // fields were left out
		return t.merge(dst, m)
	}
	buffer := buffers.Get().(*[]byte)
	b, err := writable.MarshalWith(*buffer, pool.MarshalOptions{AllowPartial: true})
	if err == nil && (keepsUndefined(t.Fields.Schema(), b) || unmarshal(b, dst) != nil) {
		err = t.merge(dst, m)
	}
	release(buffer, b)
	return err
}

// unmarshal may reject some unknown fields: tenth varint bytes, damaged extensions.
func unmarshal(b []byte, dst proto.Message) error {
	if fast, is := dst.(interface {
		UnmarshalHotOptions([]byte, codec.UnmarshalOptions) error
	}); is {
		return fast.UnmarshalHotOptions(b, codec.UnmarshalOptions{AllowPartial: true})
	}
	return proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(b, dst)
}

// merge sets the fields one by one.
func (t Pool[P]) merge(dst proto.Message, m P) error {
	src, err := t.Reflect(m)
	if err != nil {
		return err
	}
	proto.Reset(dst)
	proto.Merge(dst, src)
	return nil
}

func (t Pool[P]) sameType(m proto.Message) error {
	want := t.Fields.Schema().table().Name
	if m == nil || !m.ProtoReflect().IsValid() {
		return fmt.Errorf("hotpb: cannot convert a %s from or to nil (%w)", want, wire.TypeMismatch)
	}
	if got := m.ProtoReflect().Descriptor().FullName(); string(got) != want {
		return fmt.Errorf("hotpb: cannot convert a %s from or to a %s (%w)", want, got, wire.TypeMismatch)
	}
	return nil
}
