package hotpb

import (
	"reflect"
	"unsafe"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/wire"
	"google.golang.org/protobuf/proto"
)

// Size returns the number of bytes of the message's encoding. It returns 0 for anything that is not a message;
// [RuntimeOf] reports why.
func Size(msg any) int {
	if m, ok := msg.(codec.Message); ok && !isNil(msg) {
		return m.SizeHot()
	}
	e := hit(msg)
	if e == nil {
		var err error
		if e, err = entryOf(msg); err != nil {
			return 0
		}
	}
	if e.google {
		return proto.Size(msg.(proto.Message))
	}
	if e.size != nil {
		return e.size(msg)
	}
	return e.runtime.Size(msg)
}

// Marshal encodes the message into new memory. It treats a nil pointer to a message of google.golang.org/protobuf as
// proto.Marshal does: as the empty message, without required fields. Any other nil is [ErrNil].
func Marshal(msg any) ([]byte, error) {
	if m, ok := msg.(codec.Message); ok && !isNil(msg) {
		return m.MarshalHot()
	}
	e := hit(msg)
	if e == nil {
		var err error
		if e, err = entryOf(msg); err != nil {
			return marshalNil(nil, msg, err)
		}
	}
	if e.google {
		return proto.Marshal(msg.(proto.Message))
	}
	if e.marshal != nil {
		return e.marshal(msg)
	}
	return e.runtime.Marshal(msg)
}

// MarshalAppend appends the message's encoding to b, as append does: it uses b's spare capacity if that suffices, and
// changes nothing after the result. On an error it returns b without additions, or nil. It treats nil as [Marshal]
// does.
func MarshalAppend(b []byte, msg any) ([]byte, error) {
	if m, ok := msg.(codec.Message); ok && !isNil(msg) {
		return m.MarshalAppendHot(b)
	}
	e := hit(msg)
	if e == nil {
		var err error
		if e, err = entryOf(msg); err != nil {
			return marshalNil(b, msg, err)
		}
	}
	if e.google {
		return proto.MarshalOptions{}.MarshalAppend(b, msg.(proto.Message))
	}
	if e.marshalAppend != nil {
		return e.marshalAppend(b, msg)
	}
	return e.runtime.MarshalAppend(b, msg)
}

// MarshalScratch is MarshalAppend for a b whose spare capacity nobody else uses. Messages with fast code use all of
// it as scratch memory, and leave it with undefined contents. Large messages therefore need no scratch memory from
// the encoder.
func MarshalScratch(b []byte, msg any) ([]byte, error) {
	m, ok := msg.(interface {
		MarshalScratchHot(b []byte) ([]byte, error)
	})
	if ok && !isNil(msg) {
		return m.MarshalScratchHot(b)
	}
	return MarshalAppend(b, msg)
}

// marshalNil is MarshalAppend for an argument that is not a message, for the reason err. That reason is right except
// for nil pointers of Google's runtime.
func marshalNil(b []byte, msg any, err error) ([]byte, error) {
	m, ok := msg.(proto.Message)
	if !ok || !isNil(msg) {
		return b, err
	}
	out, err := proto.MarshalOptions{}.MarshalAppend(b, m)
	if err != nil {
		return b, err
	}
	return out, nil
}

// MarshalAppendSized is MarshalAppend for a message whose [Size] was called just before, and that nobody has changed
// since. A runtime that remembers sizes does not compute them again. If the message has changed, the encoding is
// corrupt.
func MarshalAppendSized(b []byte, msg any) ([]byte, error) {
	if e := hit(msg); e != nil && e.google {
		return proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(b, msg.(proto.Message))
	}
	return MarshalAppend(b, msg)
}

// MarshalTo encodes the message into the beginning of b, writes nothing after it, and returns the number of bytes. If
// b is shorter than the encoding, the error is wire.BufferExhausted, and the contents of b are unspecified.
func MarshalTo(b []byte, msg any) (int, error) {
	out, err := MarshalAppend(b[:0:len(b)], msg)
	if err != nil {
		return 0, err
	}
	if len(out) > len(b) {
		return 0, &wire.Error{Code: wire.BufferExhausted, Offset: int64(len(b))}
	}
	if len(out) > 0 && &out[0] != &b[0] {
		copy(b, out) // the encoder asked for more room than the result needs
	}
	return len(out), nil
}

// Unmarshal resets the message and decodes b into it. On an error the message holds whatever its runtime or its
// methods left in it. The message does not keep b, unless its own methods do.
func Unmarshal(b []byte, msg any) error {
	if m, ok := msg.(codec.Unmarshaler); ok && !isNil(msg) {
		return m.UnmarshalHot(b)
	}
	e := hit(msg)
	if e == nil {
		var err error
		if e, err = entryOf(msg); err != nil {
			return err
		}
	}
	if e.google {
		return proto.Unmarshal(b, msg.(proto.Message))
	}
	if e.unmarshal != nil {
		return e.unmarshal(b, msg)
	}
	return e.runtime.Unmarshal(b, msg)
}

// Reset makes the message empty.
func Reset(msg any) error {
	if isNil(msg) {
		return nilError(msg)
	}
	if m, ok := msg.(interface{ Reset() }); ok {
		m.Reset()
		return nil
	}
	r, err := RuntimeOf(msg)
	if err == nil {
		r.Reset(msg)
	}
	return err
}

// Clone returns a deep copy of the message, of the same Go type. For a nil pointer it returns the argument; for
// anything without a runtime it returns nil.
func Clone(msg any) any {
	if isNil(msg) {
		return msg
	}
	r, err := RuntimeOf(msg)
	if err != nil {
		return nil
	}
	return r.Clone(msg)
}

// Equal reports whether the messages have the same type and value, as their runtime compares them. Nil is equal only
// to nil of the same type. Anything without a runtime is not equal to anything.
func Equal(a, b any) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	if isNil(a) || isNil(b) {
		return isNil(a) && isNil(b)
	}
	r, err := RuntimeOf(a)
	return err == nil && r.Equal(a, b)
}

// isNil reports whether the interface is nil or holds a nil pointer: the second word is nil in both cases. No other
// message has nil there, because an interface stores anything but a pointer, map, channel or function by address.
func isNil(msg any) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(&msg))[1] == nil }

func nilError(msg any) error { return &Error{Type: reflect.TypeOf(msg), Err: ErrNil} }
