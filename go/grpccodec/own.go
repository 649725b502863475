package grpccodec

import (
	"reflect"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/writer"
)

// View is a generated view of the view face: bytes in, and the same bytes out.
type View interface {
	Decode(b []byte) error
	RawBytes() []byte
}

// Written is an output of the writer face that holds a whole message, one whose End was called:
// *writer.Buffer, *writer.FixedBuffer and *writer.HeapBuffer. It can be sent, not received.
type Written interface {
	Size() int64
	AppendTo(b []byte) []byte
	Status() (validLen int64, err error)
}

// flat is an output whose bytes are in one piece.
type flat interface {
	writer.Output // only its own types are
	Bytes() []byte
	Status() (validLen int64, err error)
}

// isMessage tells the messages of all runtimes from what is hotpb's own, whatever other methods they have.
func isMessage(v any) bool { _, is := v.(interface{ ProtoMessage() }); return is }

// asView is v as a view.
func asView(v any) (View, bool) {
	view, is := v.(View)
	return view, is && !isMessage(v)
}

// encoded is what is known of a message before it is encoded.
type encoded struct {
	size   int    // in bytes
	exists bool   // it is encoded already
	bytes  []byte // that encoding
}

// notNil refuses pointers to views and outputs that are nil; package hotpb does so with messages.
func notNil(v any) error {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
		return &hotpb.Error{Type: r.Type(), Err: hotpb.ErrNil}
	}
	return nil
}

func encodingOf(v any) (encoded, error) {
	if isMessage(v) {
		return encoded{size: hotpb.Size(v)}, nil
	}
	if err := notNil(v); err != nil {
		return encoded{}, err
	}
	switch v := v.(type) {
	case View:
		b := v.RawBytes()
		return encoded{len(b), true, b}, nil
	case flat:
		_, err := v.Status()
		b := v.Bytes()
		return encoded{len(b), true, b}, err
	case Written:
		_, err := v.Status()
		return encoded{size: int(v.Size())}, err
	}
	return encoded{size: hotpb.Size(v)}, nil
}

// appendTo appends v's encoding to b, which has room for it. The message must not be changed meanwhile, as with grpc's
// own codec.
func (e encoded) appendTo(b []byte, v any) ([]byte, error) {
	if e.exists {
		return append(b, e.bytes...), nil
	}
	if w, ok := v.(Written); ok && !isMessage(v) {
		return w.AppendTo(b), nil
	}
	return hotpb.MarshalAppendSized(b, v)
}
