package grpccodec_test

import (
	"context"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
)

// echo is a service whose messages its owner creates: Unary returns the message that it received, Stream every
// message of a stream.
type echo struct {
	fresh  func() any       // to receive into
	answer func(in any) any // what is sent for it
}

func (e *echo) unary(ctx context.Context, decode func(any) error) (any, error) {
	in := e.fresh()
	if err := decode(in); err != nil {
		return nil, err
	}
	return e.answer(in), nil
}

func (e *echo) stream(s grpc.ServerStream) error {
	in := e.fresh() // the same one for all messages of the stream
	for {
		if err := s.RecvMsg(in); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := s.SendMsg(e.answer(in)); err != nil {
			return err
		}
	}
}

var description = grpc.ServiceDesc{
	ServiceName: "hotpb.test.Echo",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{MethodName: "Unary", Handler: func(e any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		return e.(*echo).unary(ctx, decode)
	}}},
	Streams: []grpc.StreamDesc{{StreamName: "Stream", ServerStreams: true, ClientStreams: true, Handler: func(e any, s grpc.ServerStream) error {
		return e.(*echo).stream(s)
	}}},
}

const (
	unaryMethod  = "/hotpb.test.Echo/Unary"
	streamMethod = "/hotpb.test.Echo/Stream"
)

// serve starts the service on loopback and returns a connection to it. If codec is nil, it uses the registered one,
// which is grpc's own in these tests.
func serve(t testing.TB, e *echo, codec encoding.CodecV2, pool mem.BufferPool) *grpc.ClientConn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const limit = 16 << 20
	server := []grpc.ServerOption{grpc.MaxRecvMsgSize(limit), grpc.MaxSendMsgSize(limit)}
	client := []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(limit), grpc.MaxCallSendMsgSize(limit)),
	}
	if codec != nil {
		server = append(server, grpc.ForceServerCodecV2(codec))
		client = append(client, grpc.WithDefaultCallOptions(grpc.ForceCodecV2(codec)))
	}
	if pool != nil {
		server = append(server, experimental.BufferPool(pool))
		client = append(client, experimental.WithBufferPool(pool))
	}
	s := grpc.NewServer(server...)
	s.RegisterService(&description, e)
	go s.Serve(listener)
	connection, err := grpc.NewClient(listener.Addr().String(), client...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		connection.Close()
		s.Stop()
	})
	return connection
}

// poison is a pool that overwrites the memory that is returned to it, and never hands it out again.
type poison struct{}

func (poison) Get(length int) *[]byte { b := make([]byte, length); return &b }

func (poison) Put(b *[]byte) {
	spoiled := (*b)[:cap(*b)]
	for i := range spoiled {
		spoiled[i] = 0xff
	}
}
