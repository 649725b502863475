package google

import (
	"errors"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// encoder is a message with fast code.
type encoder interface {
	EncodeHot(e *codec.Encoder, i int) int
}

// Encode writes a message whose type is in another package: with the message's fast code if it has any, else with the
// runtime. m may be a nil of its type.
func Encode(e *codec.Encoder, i int, m proto.Message) int {
	if hot, is := m.(encoder); is {
		return hot.EncodeHot(e, i)
	}
	return EncodeByRuntime(e, i, m)
}

// Size returns the size of a message whose type is in another package.
func Size(m proto.Message) int {
	if hot, is := m.(interface{ SizeHot() int }); is {
		return hot.SizeHot()
	}
	return SizeByRuntime(m)
}

// SizeByRuntime returns the size that the runtime computes.
func SizeByRuntime(m proto.Message) int { return proto.Size(m) }

// EncodeByRuntime writes a message with the runtime.
func EncodeByRuntime(e *codec.Encoder, i int, m proto.Message) int {
	o := proto.MarshalOptions{AllowPartial: true, Deterministic: e.Deterministic}
	n := o.Size(m)
	o.UseCachedSize = true
	i = e.Reserve(i, n)
	out, err := o.MarshalAppend(e.B[i:i:i+n], m)
	settle(e, out, n, err)
	if !e.AllowPartial && err == nil {
		checkInitialized(e, m)
	}
	return i
}

// settle checks the runtime's output in n reserved bytes.
func settle(e *codec.Encoder, out []byte, n int, err error) {
	var notText interface{ InvalidUTF8() bool }
	switch {
	case errors.As(err, &notText):
		e.Fail(&wire.Error{Code: wire.InvalidUtf8})
	case err != nil:
		e.Fail(err)
	case len(out) != n:
		e.Fail(errors.New("hotpb: a message was changed while it was encoded"))
	}
}

// checkInitialized checks required fields that only the runtime knows.
func checkInitialized(e *codec.Encoder, m proto.Message) {
	if proto.CheckInitialized(m) != nil {
		e.Missing()
	}
}

// Lazy writes a lazy field that has not been decoded yet: it copies the field's bytes unchanged, and sets written.
// Deterministic encoding needs the decoded field: then Lazy decodes it and leaves the writing to the caller.
func Lazy(
	e *codec.Encoder, i int, m proto.Message, info protoimpl.LazyUnmarshalInfo, number int32,
) (next int, written bool) {
	if e.Deterministic || info == nil {
		protoimpl.X.UnmarshalField(m, number)
		return i, false
	}
	n := info.SizeField(uint32(number))
	i = e.Reserve(i, n)
	out, _ := info.AppendField(e.B[i:i:i+n], uint32(number))
	settle(e, out, n, nil)
	return i, true
}
