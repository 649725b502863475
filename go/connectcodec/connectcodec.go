// Package connectcodec has codecs for connect-go that accept the messages of all runtimes that package hotpb accepts, and
// hotpb's own: messages of the pool face, views, and the output of writers.
//
// They replace connect's codecs for a client, and for a handler:
//
//	connect.NewClient[acme.Event, acme.Result](http.DefaultClient, url, connectcodec.ForClients())
//	connect.NewUnaryHandler(procedure, handle, connectcodec.ForHandlers(connectcodec.JSON{}))
//
// The constructors that protoc-gen-connect-go generates take the same options. On the wire there is no difference: the names are
// "proto" and "json", and the other side may use any codec, with the protocols Connect, gRPC and gRPC-Web. A type parameter of
// connect may be any type that the codecs accept, such as a generated view.
//
// A nil pointer to a message is the empty message, as for connect's own codecs; nil pointers to views and outputs are
// errors.
//
// # Who owns the memory
//
// A message is encoded into memory of connect's pool: you may change the message as soon as Send, or the call, has
// returned. For this reason the bytes of a view or a writer are copied, too.
//
// A received message never points into connect's memory, which is reused when Unmarshal returns. A runtime's structs
// copy the parts that they keep; a pool message copies the input into its own block; a view gets its own copy of the
// bytes. The exception is a message with methods of its own that keep their input (vtprotobuf's UnmarshalVTUnsafe is
// not used).
package connectcodec

import (
	"slices"

	"connectrpc.com/connect"
	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/rpc"
	"github.com/hotpb/hotpb/go/pool"
	"google.golang.org/protobuf/proto"
)

// View is a generated view of the view face: bytes in, and the same bytes out.
type View = rpc.View

// Written is an output of the writer face that holds one whole message, whose End was called: *writer.Buffer,
// *writer.FixedBuffer or *writer.HeapBuffer. It can be sent, but not received. An output with an open message, with
// several messages or with delimited ones is rejected.
type Written = rpc.Written

// ForClients makes Proto a client's codec. For JSON, use connect.WithCodec(JSON{}) instead.
func ForClients() connect.ClientOption { return connect.WithClientOptions(connect.WithCodec(Proto{})) }

// ForHandlers makes Proto and j a handler's codecs, in place of connect's own.
func ForHandlers(j JSON) connect.HandlerOption {
	return connect.WithHandlerOptions(connect.WithCodec(Proto{}), connect.WithCodec(j), connect.WithCodec(jsonWithCharset{j}))
}

// Proto is a connect.Codec for the binary encoding. It has no state.
type Proto struct{}

var _ connect.Codec = Proto{}

// Name returns "proto".
func (Proto) Name() string { return "proto" }

// Marshal encodes v: a message, a view, or a writer's output.
func (c Proto) Marshal(v any) ([]byte, error) { return c.MarshalAppend(nil, v) }

// MarshalAppend appends the encoding of v to b, and uses all the spare capacity of b, as connect allows.
func (Proto) MarshalAppend(b []byte, v any) ([]byte, error) {
	e, err := rpc.EncodingOf(v)
	if err != nil {
		return nil, err
	}
	return e.AppendTo(slices.Grow(b, e.Size), v)
}

// MarshalStable encodes v as Marshal does, with maps by key. connect calls it for requests in URLs. A view or an output
// has its bytes as they are, and a message of gogo or the v1 API what its runtime writes.
func (c Proto) MarshalStable(v any) ([]byte, error) {
	if !rpc.IsNil(v) {
		switch m := v.(type) {
		case codec.Message:
			return m.MarshalHotOptions(nil, codec.MarshalOptions{Deterministic: true})
		case pool.Encodable:
			return m.MarshalWith(nil, pool.MarshalOptions{Deterministic: true})
		case proto.Message:
			return proto.MarshalOptions{Deterministic: true}.Marshal(m)
		}
	}
	return c.Marshal(v)
}

// IsBinary returns true.
func (Proto) IsBinary() bool { return true }

// Unmarshal decodes b into v: a message or a view. v does not keep b.
func (Proto) Unmarshal(b []byte, v any) error {
	if view, is := rpc.AsView(v); is {
		if err := rpc.NotNil(v); err != nil {
			return err
		}
		return view.Decode(append([]byte(nil), b...))
	}
	return hotpb.Unmarshal(b, v)
}
