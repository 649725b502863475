package connectcodec_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"connectrpc.com/connect"
	"github.com/hotpb/hotpb/go/connectcodec"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/writer"
)

// A handler that receives a view, and a client that sends the output of a writer: no struct on either side.
func Example() {
	const procedure = "/acme.Ingest/Write"
	count := func(_ context.Context, in *connect.Request[hot.WriteRequestView]) (*connect.Response[writer.Buffer], error) {
		var out writer.Buffer
		label := hot.NewLabelWriter(&out)
		label.SetValue(fmt.Sprint(in.Msg.TimeseriesLen(), " series"))
		return connect.NewResponse(&out), label.End()
	}
	mux := http.NewServeMux()
	mux.Handle(procedure, connect.NewUnaryHandler(procedure, count, connectcodec.ForHandlers(connectcodec.JSON{})))
	server := httptest.NewServer(mux)
	defer server.Close()

	var out writer.Buffer
	w := hot.NewWriteRequestWriter(&out)
	label := w.AddTimeseries().AddLabels()
	label.SetName("job")
	if err := w.End(); err != nil {
		fmt.Println(err)
		return
	}
	client := connect.NewClient[writer.Buffer, hot.LabelView](http.DefaultClient, server.URL+procedure, connectcodec.ForClients())
	answer, err := client.CallUnary(context.Background(), connect.NewRequest(&out))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Msg.Value())
	// Output: 1 series
}
