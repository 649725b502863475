package grpccodec

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

// isMessage distinguishes the messages of all runtimes from hotpb's own types, whatever other methods they have.
func isMessage(v any) bool { _, is := v.(interface{ ProtoMessage() }); return is }

// asView returns v as a view.
func asView(v any) (View, bool) {
	view, is := v.(View)
	return view, is && !isMessage(v)
}

// encoded is what the codec knows about a message before encoding it.
type encoded struct {
	size   int    // in bytes
	exists bool   // it is already encoded
	bytes  []byte // that encoding
}

func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

// notNil returns an error for nil pointers to views and outputs.
func notNil(v any) error {
	if isNil(v) {
		return &hotpb.Error{Type: reflect.TypeOf(v), Err: hotpb.ErrNil}
	}
	return nil
}

// nothing returns the encoding of a nil message. For handlers that return one without an error, grpc-go's codec sends
// the empty message, unless it lacks required fields.
func nothing(v any) (encoded, error) {
	var b []byte
	var err error
	switch m := v.(type) {
	case proto.Message:
		b, err = proto.Marshal(m)
	case pool.Encodable:
		err = m.RefHot().Absent()
	}
	return encoded{len(b), true, b}, err
}

func encodingOf(v any) (encoded, error) {
	if _, own := v.(pool.Encodable); isNil(v) && (own || isMessage(v)) {
		return nothing(v)
	}
	if isMessage(v) {
		return encoded{size: hotpb.Size(v)}, nil
	}
	if err := notNil(v); err != nil {
		return encoded{}, err
	}
	if out, is := v.(writer.Output); is {
		if err := writer.Complete(out); err != nil {
			return encoded{}, &hotpb.Error{Type: reflect.TypeOf(v), Err: err}
		}
	}
	switch v := v.(type) {
	case View:
		b := v.RawBytes()
		return encoded{len(b), true, b}, nil
	case flat:
		b := v.Bytes()
		return encoded{len(b), true, b}, nil
	case Written:
		_, err := v.Status()
		return encoded{size: int(v.Size())}, err
	}
	return encoded{size: hotpb.Size(v)}, nil
}

// appendTo appends v's encoding to b, which has room for it. Do not change the message meanwhile, as with grpc's own
// codec.
func (e encoded) appendTo(b []byte, v any) ([]byte, error) {
	if e.exists {
		return append(b, e.bytes...), nil
	}
	if w, ok := v.(Written); ok && !isMessage(v) {
		return w.AppendTo(b), nil
	}
	if _, fast := v.(codec.Message); fast { // no one else uses b
		return hotpb.MarshalScratch(b, v)
	}
	return hotpb.MarshalAppendSized(b, v)
}
