// Package rpc says how the codecs of RPC frameworks encode what a program sends: messages of all runtimes, messages of the
// pool, views, and the output of writers.
package rpc

import (
	"reflect"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/writer"
	"google.golang.org/protobuf/proto"
)

// View is a generated view of the view face: bytes in, and the same bytes out.
type View interface {
	Decode(b []byte) error
	RawBytes() []byte
}

// Written is an output of the writer face that holds one whole message, whose End was called: *writer.Buffer,
// *writer.FixedBuffer or *writer.HeapBuffer. It can be sent, but not received. An output with an open message, with
// several messages or with delimited ones is rejected.
type Written interface {
	Size() int64
	AppendTo(b []byte) []byte
	Status() (validLen int64, err error)
}

// flat is an output whose bytes are in one piece.
type flat interface {
	writer.Output // only its own types are
	Bytes() []byte
}

// IsMessage distinguishes the messages of all runtimes from hotpb's own types, whatever other methods they have.
func IsMessage(v any) bool { _, is := v.(interface{ ProtoMessage() }); return is }

// AsView returns v as a view.
func AsView(v any) (View, bool) {
	view, is := v.(View)
	return view, is && !IsMessage(v)
}

// Encoded describes a message before it is encoded.
type Encoded struct {
	Size   int    // in bytes
	exists bool   // it is already encoded
	bytes  []byte // that encoding
}

// IsNil reports whether v is a nil pointer.
func IsNil(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

// NotNil returns an error for nil pointers to views and outputs.
func NotNil(v any) error {
	if IsNil(v) {
		return &hotpb.Error{Type: reflect.TypeOf(v), Err: hotpb.ErrNil}
	}
	return nil
}

// nothing returns the encoding of a nil message. For handlers that return one without an error, the frameworks'
// own codecs send the empty message, unless it lacks required fields.
func nothing(v any) (Encoded, error) {
	var b []byte
	var err error
	switch m := v.(type) {
	case proto.Message:
		b, err = proto.Marshal(m)
	case pool.Encodable:
		err = m.RefHot().Absent()
	}
	return Encoded{len(b), true, b}, err
}

// EncodingOf describes the encoding of v: a message, a view, or an output that holds one whole message.
func EncodingOf(v any) (Encoded, error) {
	if _, own := v.(pool.Encodable); IsNil(v) && (own || IsMessage(v)) {
		return nothing(v)
	}
	if IsMessage(v) {
		return Encoded{Size: hotpb.Size(v)}, nil
	}
	if err := NotNil(v); err != nil {
		return Encoded{}, err
	}
	if out, is := v.(writer.Output); is {
		if err := writer.Complete(out); err != nil {
			return Encoded{}, &hotpb.Error{Type: reflect.TypeOf(v), Err: err}
		}
	}
	switch v := v.(type) {
	case View:
		b := v.RawBytes()
		return Encoded{len(b), true, b}, nil
	case flat:
		b := v.Bytes()
		return Encoded{len(b), true, b}, nil
	case Written:
		_, err := v.Status()
		return Encoded{Size: int(v.Size())}, err
	}
	return Encoded{Size: hotpb.Size(v)}, nil
}

// AppendTo appends v's encoding to b, whose spare capacity nobody else uses. Nobody changes the message meanwhile.
func (e Encoded) AppendTo(b []byte, v any) ([]byte, error) {
	if e.exists {
		return append(b, e.bytes...), nil
	}
	if w, ok := v.(Written); ok && !IsMessage(v) {
		return w.AppendTo(b), nil
	}
	if _, fast := v.(codec.Message); fast { // no one else uses b
		return hotpb.MarshalScratch(b, v)
	}
	return hotpb.MarshalAppendSized(b, v)
}
