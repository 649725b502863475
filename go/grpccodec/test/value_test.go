package grpccodec_test

import (
	"context"
	"testing"

	"github.com/hotpb/hotpb/go/grpccodec"
	values "github.com/hotpb/hotpb/go/internal/testgen/values/vectors"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// COD-104: structs that our generator writes (structs=value), with grpc's own codec and with ours.
func TestValueStructs(t *testing.T) {
	for name, codec := range map[string]encoding.CodecV2{"grpc's codec": nil, "ours": grpccodec.Codec{}} {
		t.Run(name, func(t *testing.T) {
			service := &echo{fresh: func() any { return new(values.All) }, answer: func(in any) any { return in }}
			connection := serve(t, service, codec, poison{})
			sent := &values.All{SingleString: "text", SingleChild: &values.Child{Id: 5}, KeyString: map[string]string{"a": "b"}, PackedInt32: []int32{1, 2}}
			got := &values.All{SingleInt32: 7} // which a call replaces
			if err := connection.Invoke(context.Background(), unaryMethod, sent, got); err != nil || !proto.Equal(sent, got) {
				t.Fatalf("%v, %v", got, err)
			}
			stream, err := connection.NewStream(context.Background(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, streamMethod)
			if err != nil {
				t.Fatal(err)
			}
			for i := range int32(3) {
				sent.SingleInt32 = i
				if err := stream.SendMsg(sent); err != nil {
					t.Fatal(err)
				}
				if err := stream.RecvMsg(got); err != nil || !proto.Equal(sent, got) {
					t.Fatalf("%v, %v", got, err)
				}
			}
			// A value that cannot be encoded is an error of the call.
			bad := &values.All{SingleString: "\xff"}
			if err := connection.Invoke(context.Background(), unaryMethod, bad, got); status.Code(err) != codes.Internal {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
