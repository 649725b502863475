// Package gogotest sends messages of gogo through grpccodec. It is a module of its own, so that grpccodec needs no gogo.
package gogotest

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/gogo/protobuf/protoc-gen-gogo/descriptor"
	"github.com/gogo/protobuf/types"
	hotpb "github.com/hotpb/hotpb/go"
	_ "github.com/hotpb/hotpb/go/gogo"
	"github.com/hotpb/hotpb/go/grpccodec"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// echo returns the message that it receives, as a message of the type that fresh creates.
type echo struct{ fresh func() proto.Message }

var service = grpc.ServiceDesc{
	ServiceName: "hotpb.test.Gogo",
	HandlerType: (*any)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Unary", Handler: unary}},
	Streams:     []grpc.StreamDesc{{StreamName: "Stream", ServerStreams: true, ClientStreams: true, Handler: stream}},
}

func unary(e any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	in := e.(*echo).fresh()
	return in, decode(in)
}

func stream(e any, s grpc.ServerStream) error {
	for {
		in := e.(*echo).fresh()
		if err := s.RecvMsg(in); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := s.SendMsg(in); err != nil {
			return err
		}
	}
}

func serve(t *testing.T, e *echo) *grpc.ClientConn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.ForceServerCodecV2(grpccodec.Codec{}))
	s.RegisterService(&service, e)
	go s.Serve(listener)
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(grpccodec.Codec{})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		connection.Close()
		s.Stop()
	})
	return connection
}

// messages returns both sorts of gogo's messages: encoded by its runtime, with an extension, and by methods of their
// own.
func messages(t *testing.T) []proto.Message {
	file := &descriptor.FileDescriptorProto{Name: proto.String("a.proto"), Options: &descriptor.FileOptions{}}
	for range 300 {
		file.MessageType = append(file.MessageType, &descriptor.DescriptorProto{Name: proto.String(strings.Repeat("M", 50))})
	}
	extension := &proto.ExtensionDesc{
		ExtendedType: (*descriptor.FileOptions)(nil), ExtensionType: (*string)(nil),
		Field: 50000, Name: "hotpb.test.note", Tag: "bytes,50000,opt,name=note",
	}
	if err := proto.SetExtension(file.Options, extension, proto.String("kept")); err != nil {
		t.Fatal(err)
	}
	fields := map[string]*types.Value{
		"a": {Kind: &types.Value_StringValue{StringValue: strings.Repeat("v", 5000)}},
		"b": {Kind: &types.Value_BoolValue{BoolValue: true}},
	}
	return []proto.Message{file, &types.Struct{Fields: fields}, &types.Empty{}}
}

// COD-5
func TestMessagesOfGogoInCallsAndStreams(t *testing.T) {
	for _, m := range messages(t) {
		fresh := func() proto.Message { return hotpb.Clone(m).(proto.Message) } // receiving replaces all its contents
		connection := serve(t, &echo{func() proto.Message { empty := fresh(); empty.Reset(); return empty }})
		out := fresh()
		if err := connection.Invoke(context.Background(), "/hotpb.test.Gogo/Unary", m, out); err != nil || !same(t, m, out) {
			t.Errorf("%T: %v came back as %v (%v)", m, m, out, err)
		}
		stream, err := connection.NewStream(context.Background(), &service.Streams[0], "/hotpb.test.Gogo/Stream")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			out := fresh()
			if err := stream.SendMsg(m); err != nil {
				t.Fatal(err)
			}
			if err := stream.RecvMsg(out); err != nil || !same(t, m, out) {
				t.Errorf("%T: %v came back as %v (%v)", m, m, out, err)
			}
		}
		if err := stream.CloseSend(); err != nil {
			t.Error(err)
		}
		if err := stream.RecvMsg(fresh()); err != io.EOF {
			t.Errorf("the stream ends with %v", err)
		}
	}
}

// same compares by encoding: a received extension is still encoded, and so not equal for the runtime.
func same(t *testing.T, a, b proto.Message) bool {
	t.Helper()
	x, err := proto.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, is := a.(*types.Struct); is { // its maps have no order
		return proto.Equal(a, b)
	}
	y, err := proto.Marshal(b)
	return err == nil && string(x) == string(y)
}

func TestNilsAreEmptyAndDamageIsAnError(t *testing.T) {
	connection := serve(t, &echo{func() proto.Message { return new(types.Struct) }})
	call := func(in, out any) error {
		return connection.Invoke(context.Background(), "/hotpb.test.Gogo/Unary", in, out)
	}
	// A nil pointer is the empty message, as for grpc's own codec.
	if data, err := (grpccodec.Codec{}).Marshal((*types.Struct)(nil)); err != nil || data.Len() != 0 {
		t.Errorf("Marshal of nil: %d bytes, %v", data.Len(), err)
	}
	if err := call((*descriptor.FileDescriptorProto)(nil), new(types.Struct)); err != nil {
		t.Errorf("a call with nil: %v", err)
	}
	if err := call(&types.Value{Kind: &types.Value_NumberValue{NumberValue: 1}}, new(types.Struct)); err != nil {
		t.Errorf("an unknown field: %v", err)
	}
	if err := call(&types.BytesValue{Value: []byte("\xff")}, new(types.Struct)); status.Code(err) != codes.Internal {
		t.Errorf("a value that is not a Struct: %v", err)
	}
}
