package hotpb

import (
	"reflect"
	"unsafe"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/wire"
	"google.golang.org/protobuf/proto"
)

// Size is the number of bytes of the message's encoding, 0 for what is no
// message ([RuntimeOf] says why).
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

// Marshal encodes the message into memory of its own. A nil pointer to a message
// of google.golang.org/protobuf is what it is to proto.Marshal: the empty message,
// without required fields. Any other nil is [ErrNil].
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

// MarshalAppend appends the message's encoding to b, as append does: in b's spare
// capacity where it suffices, and nothing behind the result is touched. On an error
// what is returned ends where b did, or is nil. Nil is what it is to [Marshal].
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

// MarshalScratch is MarshalAppend for a b whose spare capacity nobody else has a
// part of: messages with fast code use all of it as scratch, and it holds anything
// afterwards. Large messages so need no scratch of the encoder's.
func MarshalScratch(b []byte, msg any) ([]byte, error) {
	m, ok := msg.(interface {
		MarshalScratchHot(b []byte) ([]byte, error)
	})
	if ok && !isNil(msg) {
		return m.MarshalScratchHot(b)
	}
	return MarshalAppend(b, msg)
}

// marshalNil is MarshalAppend of what is no message, for the reason err, which is right but for the nil pointers of
// Google's runtime.
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

// MarshalAppendSized is MarshalAppend for a message whose [Size] was taken just
// before, and that nobody has changed since: a runtime that remembers sizes does
// not compute them again. Had it been changed, the encoding is damaged.
func MarshalAppendSized(b []byte, msg any) ([]byte, error) {
	if e := hit(msg); e != nil && e.google {
		return proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(b, msg.(proto.Message))
	}
	return MarshalAppend(b, msg)
}

// MarshalTo encodes the message into the beginning of b, writes nothing after it, and returns the number of bytes. If b is
// shorter than the encoding, the error is wire.BufferExhausted, and the content of b is unspecified.
func MarshalTo(b []byte, msg any) (int, error) {
	out, err := MarshalAppend(b[:0:len(b)], msg)
	if err != nil {
		return 0, err
	}
	if len(out) > len(b) {
		return 0, &wire.Error{Code: wire.BufferExhausted, Offset: int64(len(b))}
	}
	if len(out) > 0 && &out[0] != &b[0] {
		copy(b, out) // an encoder that wanted more room than it needed in the end
	}
	return len(out), nil
}

// Unmarshal resets the message and decodes b into it. On an error the message
// holds what its runtime or its methods left of it. The message does not keep b, unless it is made by methods that do.
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

// Clone is a deep copy of the message, of the same Go type. A nil pointer gives
// itself; what has no runtime gives nil.
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

// Equal reports whether the messages have the same type and value, as their
// runtime compares them. Nil is equal to nil of the same type only. What has no runtime is not equal to anything.
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

// isNil looks for nil and for a nil pointer in an interface: the second word is
// nil in both. No other message has nil there, for anything but a pointer, map, channel or function is pointed to.
func isNil(msg any) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(&msg))[1] == nil }

func nilError(msg any) error { return &Error{Type: reflect.TypeOf(msg), Err: ErrNil} }
