package connectcodec_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"
	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/connectcodec"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/writer"
	"google.golang.org/protobuf/proto"
)

// request returns a message with about size bytes of labels, as the stock struct.
func request(size int, name string) *stock.WriteRequest {
	m := new(stock.WriteRequest)
	for i := 0; proto.Size(m) < size; i++ {
		series := new(stock.TimeSeries)
		for j := range 1 + size/1000 {
			series.Labels = append(series.Labels, &stock.Label{Name: fmt.Sprintf("%s_%d", name, j), Value: strings.Repeat("v", 40)})
		}
		series.Samples = []*stock.Sample{{Value: float64(i), Timestamp: 1700000000000 + int64(i)}}
		m.Timeseries = append(m.Timeseries, series)
	}
	return m
}

func encoded(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// written writes the request with a writer.
func written(t testing.TB, out writer.Output, m *stock.WriteRequest) {
	t.Helper()
	w := hot.NewWriteRequestWriter(out)
	for _, series := range m.Timeseries {
		s := w.AddTimeseries()
		for _, label := range series.Labels {
			l := s.AddLabels()
			l.SetName(label.Name)
			l.SetValue(label.Value)
			l.End()
		}
		for _, sample := range series.Samples {
			p := s.AddSamples()
			p.SetValue(sample.Value)
			p.SetTimestamp(sample.Timestamp)
			p.End()
		}
		s.End()
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
}

// same compares encodings as messages, because a writer may leave lengths wider than needed.
func same(t testing.TB, got []byte, want *stock.WriteRequest) {
	t.Helper()
	decoded := new(stock.WriteRequest)
	if err := proto.Unmarshal(got, decoded); err != nil || !proto.Equal(decoded, want) {
		t.Fatalf("%d bytes came back as %d others (%v)", proto.Size(want), len(got), err)
	}
}

// kind is a way to hold the request: S is what is sent, R what is received.
type kind[S, R any] struct {
	make  func(t testing.TB, m *stock.WriteRequest) *S
	bytes func(t testing.TB, received *R) []byte // the received message, encoded
}

func reencoded[R any](t testing.TB, v *R) []byte {
	t.Helper()
	b, err := hotpb.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func rawBytes(_ testing.TB, v *hot.WriteRequestView) []byte { return v.RawBytes() }

var (
	fast   = kind[stock.WriteRequest, stock.WriteRequest]{func(_ testing.TB, m *stock.WriteRequest) *stock.WriteRequest { return m }, reencoded[stock.WriteRequest]}
	pooled = kind[hot.WriteRequest, hot.WriteRequest]{func(t testing.TB, m *stock.WriteRequest) *hot.WriteRequest {
		p := new(hot.WriteRequest)
		if err := p.Unmarshal(encoded(t, m)); err != nil {
			t.Fatal(err)
		}
		return p
	}, reencoded[hot.WriteRequest]}
	view = kind[hot.WriteRequestView, hot.WriteRequestView]{func(t testing.TB, m *stock.WriteRequest) *hot.WriteRequestView {
		v := new(hot.WriteRequestView)
		if err := v.Decode(encoded(t, m)); err != nil {
			t.Fatal(err)
		}
		return v
	}, rawBytes}
	flat = kind[writer.Buffer, hot.WriteRequestView]{func(t testing.TB, m *stock.WriteRequest) *writer.Buffer {
		out := new(writer.Buffer)
		written(t, out, m)
		return out
	}, rawBytes}
	chunked = kind[writer.HeapBuffer, hot.WriteRequestView]{func(t testing.TB, m *stock.WriteRequest) *writer.HeapBuffer {
		out := new(writer.HeapBuffer)
		written(t, out, m)
		return out
	}, rawBytes}
)

// runner is a kind of any types.
type runner interface {
	calls(t *testing.T, options ...connect.ClientOption)
	streams(t *testing.T, options ...connect.ClientOption)
	fresh() any
	sent(t testing.TB, m *stock.WriteRequest) any
	encoded(t testing.TB, received any) []byte
}

func kinds() map[string]runner {
	return map[string]runner{"fast methods": fast, "pool": pooled, "view": view, "writer": flat, "writer of chunks": chunked}
}

func (kind[S, R]) fresh() any                                     { return new(R) }
func (k kind[S, R]) sent(t testing.TB, m *stock.WriteRequest) any { return k.make(t, m) }
func (k kind[S, R]) encoded(t testing.TB, v any) []byte           { return k.bytes(t, v.(*R)) }

const (
	unaryMethod  = "/hotpb.test.Echo/Unary"
	streamMethod = "/hotpb.test.Echo/Stream"
)

// serve starts a service on loopback, over HTTP/2, which returns what it received.
func serve[R any](t testing.TB, options ...connect.HandlerOption) (client *http.Client, url string) {
	t.Helper()
	unary := func(_ context.Context, in *connect.Request[R]) (*connect.Response[R], error) {
		return connect.NewResponse(in.Msg), nil
	}
	stream := func(_ context.Context, s *connect.BidiStream[R, R]) error {
		for {
			in, err := s.Receive()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = s.Send(in)
			}
			if err != nil {
				return err
			}
		}
	}
	mux := http.NewServeMux()
	mux.Handle(unaryMethod, connect.NewUnaryHandler(unaryMethod, unary, append(options, connect.WithIdempotency(connect.IdempotencyNoSideEffects))...))
	mux.Handle(streamMethod, connect.NewBidiStreamHandler(streamMethod, stream, options...))
	server := httptest.NewUnstartedServer(mux)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.Client(), server.URL
}

func (k kind[S, R]) calls(t *testing.T, options ...connect.ClientOption) {
	t.Helper()
	client, url := serve[R](t, connectcodec.ForHandlers(connectcodec.JSON{}))
	c := connect.NewClient[S, R](client, url+unaryMethod, options...)
	for _, size := range []int{0, 100, 5000, 300_000} {
		m := request(size, "n")
		out, err := c.CallUnary(context.Background(), connect.NewRequest(k.make(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		same(t, k.bytes(t, out.Msg), m)
	}
}

func (k kind[S, R]) streams(t *testing.T, options ...connect.ClientOption) {
	t.Helper()
	client, url := serve[R](t, connectcodec.ForHandlers(connectcodec.JSON{}))
	stream := connect.NewClient[S, R](client, url+streamMethod, options...).CallBidiStream(context.Background())
	const n = 40
	failed := make(chan error, 1)
	go func() {
		for i := range n {
			msg := k.make(t, request(i*997, fmt.Sprintf("name%d", i)))
			if err := stream.Send(msg); err != nil {
				failed <- err
				return
			}
			if out, ok := any(msg).(*writer.Buffer); ok { // rewritten at once, in the same memory
				out.Reset()
				written(t, out, request(3000, "overwritten"))
			}
		}
		failed <- stream.CloseRequest()
	}()
	for i := range n {
		in, err := stream.Receive()
		if err != nil {
			t.Fatal(err)
		}
		same(t, k.bytes(t, in), request(i*997, fmt.Sprintf("name%d", i)))
	}
	if _, err := stream.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last message: %v", err)
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
	if err := stream.CloseResponse(); err != nil {
		t.Error(err)
	}
}
