package grpccodec_test

import (
	"fmt"

	"github.com/hotpb/hotpb/go/grpccodec"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/writer"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Use the codec for one server and one connection. Import package register to use it for a whole program.
func Example() {
	server := grpc.NewServer(grpc.ForceServerCodecV2(grpccodec.Codec{}))
	defer server.Stop()

	connection, err := grpc.NewClient("localhost:8080",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(grpccodec.Codec{})))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer connection.Close()
	// connection.Invoke(ctx, method, in, out) accepts messages of every runtime, and hotpb's own.
}

// Send the output of a writer as it is, and receive it as a view: no struct on either side.
func ExampleCodec() {
	var out writer.Buffer
	w := hot.NewWriteRequestWriter(&out)
	label := w.AddTimeseries().AddLabels()
	label.SetName("job")
	if err := w.End(); err != nil {
		fmt.Println(err)
		return
	}
	data, err := grpccodec.Codec{}.Marshal(&out) // as grpc calls it
	if err != nil {
		fmt.Println(err)
		return
	}
	var view hot.WriteRequestView
	err = grpccodec.Codec{}.Unmarshal(data, &view)
	data.Free()
	fmt.Println(view.TimeseriesLen(), err)
	// Output: 1 <nil>
}
