// Package grpccodec is a codec for grpc-go that accepts the messages of all runtimes that package hotpb accepts, and
// hotpb's own: messages of the pool face, views, and the output of writers.
//
// It replaces grpc-go's codec for a whole program, by an import of its package register, or by a call of Register in
// an init function:
//
//	import _ "github.com/hotpb/hotpb/go/grpccodec/register"
//
// or for one connection and one server:
//
//	grpc.WithDefaultCallOptions(grpc.ForceCodecV2(grpccodec.Codec{}))
//	grpc.ForceServerCodecV2(grpccodec.Codec{})
//
// On the wire there is no difference: its name is "proto", and the other side may use any codec. A nil pointer to a
// message is the empty message, as for grpc-go's own codec; nil pointers to views and outputs are errors.
//
// # Who owns the memory
//
// A message is encoded into memory of grpc's pool, which grpc frees after sending: you may change the message as soon
// as SendMsg, or the call, has returned. For this reason the bytes of a view or a writer are copied, too.
//
// A received message never points into grpc's memory, which is reused when Unmarshal returns. A runtime's structs
// copy the parts that they keep; a pool message copies the input into its own block; a view gets its own copy of the
// bytes. The exception is a message with methods of its own that keep their input (vtprotobuf's UnmarshalVTUnsafe is
// not used).
package grpccodec

import (
	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/internal/rpc"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // registers itself first, so that Register comes after it
	"google.golang.org/grpc/mem"
)

// View is a generated view of the view face: bytes in, and the same bytes out.
type View = rpc.View

// Written is an output of the writer face that holds one whole message, whose End was called: *writer.Buffer,
// *writer.FixedBuffer or *writer.HeapBuffer. It can be sent, but not received. An output with an open message, with
// several messages or with delimited ones is rejected.
type Written = rpc.Written

// Name is the name of grpc-go's own codec, which this one replaces.
const Name = "proto"

// Register makes Codec the program's codec for Name. Call it from an init function, as encoding.RegisterCodecV2
// demands, or import package register.
func Register() { encoding.RegisterCodecV2(Codec{}) }

// Codec is an encoding.CodecV2. It has no state.
type Codec struct{}

var _ encoding.CodecV2 = Codec{}

// Name returns "proto".
func (Codec) Name() string { return Name }

// Marshal encodes v: a message, a view, or a writer's output.
func (Codec) Marshal(v any) (mem.BufferSlice, error) {
	e, err := rpc.EncodingOf(v)
	if err != nil {
		return nil, err
	}
	if mem.IsBelowBufferPoolingThreshold(e.Size) {
		b, err := e.AppendTo(make([]byte, 0, e.Size), v)
		if err != nil {
			return nil, err
		}
		return mem.BufferSlice{mem.SliceBuffer(b)}, nil
	}
	pool := mem.DefaultBufferPool()
	buffer := pool.Get(e.Size)
	b, err := e.AppendTo((*buffer)[:0], v)
	if err != nil {
		pool.Put(buffer)
		return nil, err
	}
	if cap(b) != cap(*buffer) { // it did not fit: the message grew after Size was called
		pool.Put(buffer)
		return mem.BufferSlice{mem.SliceBuffer(b)}, nil
	}
	*buffer = b
	return mem.BufferSlice{mem.NewBuffer(buffer, pool)}, nil
}

// Unmarshal decodes data into v: a message or a view.
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	if view, ok := rpc.AsView(v); ok {
		if err := rpc.NotNil(v); err != nil {
			return err
		}
		return view.Decode(data.Materialize()) // always a copy, which the view keeps
	}
	if len(data) == 1 {
		return hotpb.Unmarshal(data[0].ReadOnlyData(), v)
	}
	whole := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer whole.Free()
	return hotpb.Unmarshal(whole.ReadOnlyData(), v)
}

// CodecV1 is the same as an encoding.Codec, grpc-go's old interface, for code that still needs that. It uses no
// pooled memory.
type CodecV1 struct{}

var _ encoding.Codec = CodecV1{}

// Name returns "proto".
func (CodecV1) Name() string { return Name }

// Marshal encodes v: a message, a view, or a writer's output.
func (CodecV1) Marshal(v any) ([]byte, error) {
	e, err := rpc.EncodingOf(v)
	if err != nil {
		return nil, err
	}
	return e.AppendTo(make([]byte, 0, e.Size), v)
}

// Unmarshal decodes data into v: a message or a view. v does not keep data.
func (CodecV1) Unmarshal(data []byte, v any) error {
	if view, ok := rpc.AsView(v); ok {
		if err := rpc.NotNil(v); err != nil {
			return err
		}
		return view.Decode(append([]byte(nil), data...))
	}
	return hotpb.Unmarshal(data, v)
}
