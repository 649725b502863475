package connectcodec_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/connectcodec"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/writer"
	"google.golang.org/protobuf/proto"
)

var withStock = connectcodec.JSON{Stock: func(v any) proto.Message {
	switch v.(type) {
	case *hot.WriteRequest, *hot.WriteRequestView, *writer.Buffer:
		return new(stock.WriteRequest)
	}
	return nil
}}

// JSON of every kind that Stock names a message for, to a handler that has views, and to one with connect's own codec.
func TestCallsInJSON(t *testing.T) {
	m := request(3000, "n")
	own, ownURL := serve[stock.WriteRequest](t)
	views, viewsURL := serve[hot.WriteRequestView](t, connectcodec.ForHandlers(withStock))
	for _, side := range []struct {
		client *http.Client
		url    string
	}{{own, ownURL}, {views, viewsURL}} {
		json := connect.WithCodec(withStock)
		a, err := connect.NewClient[stock.WriteRequest, stock.WriteRequest](side.client, side.url+unaryMethod, json).CallUnary(context.Background(), connect.NewRequest(m))
		if err != nil || !proto.Equal(a.Msg, m) {
			t.Fatalf("stock: %v", err)
		}
		b, err := connect.NewClient[hot.WriteRequest, hot.WriteRequestView](side.client, side.url+unaryMethod, json).CallUnary(context.Background(), connect.NewRequest(pooled.make(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		same(t, b.Msg.RawBytes(), m)
		c, err := connect.NewClient[writer.Buffer, hot.WriteRequest](side.client, side.url+unaryMethod, json).CallUnary(context.Background(), connect.NewRequest(flat.make(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		same(t, reencoded(t, c.Msg), m)
	}
	// A browser's request, with a charset and a field that the handler does not know.
	answer, err := views.Post(viewsURL+unaryMethod, "application/json; charset=utf-8", strings.NewReader(`{"unheard": 1, "timeseries": [{"samples": [{"timestamp": "7"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if got := strings.ReplaceAll(string(body), " ", ""); err != nil || got != `{"timeseries":[{"samples":[{"timestamp":"7"}]}]}` {
		t.Errorf("%s: %s, %v", answer.Status, body, err)
	}
}

func TestJSONWithoutStock(t *testing.T) {
	for _, v := range []any{new(hot.WriteRequest), new(hot.WriteRequestView), new(writer.HeapBuffer)} {
		for _, c := range []connectcodec.JSON{{}, {Stock: func(any) proto.Message { return nil }}} {
			if b, err := c.Marshal(v); !errors.Is(err, hotpb.ErrNoRuntime) || !strings.Contains(err.Error(), "Stock") {
				t.Errorf("%T: %s, %v", v, b, err)
			}
			if err := c.Unmarshal([]byte("{}"), v); !errors.Is(err, hotpb.ErrNoRuntime) {
				t.Errorf("%T: %v", v, err)
			}
		}
	}
	for _, text := range []string{"", "{", `{"timeseries": 3}`} {
		for _, v := range []any{new(stock.WriteRequest), new(hot.WriteRequestView)} {
			if err := withStock.Unmarshal([]byte(text), v); err == nil {
				t.Errorf("%T from %q", v, text)
			}
		}
	}
	if err := (connectcodec.JSON{}).Unmarshal([]byte("{}"), 3); !errors.Is(err, hotpb.ErrNotMessage) {
		t.Errorf("into a number: %v", err)
	}
}

// Requests in URLs: equal messages have equal bytes.
func TestStableEncodings(t *testing.T) {
	attributes := map[string]string{}
	for _, key := range strings.Split("abcdefghijklmnopq", "") {
		attributes[key] = key
	}
	m := &p3.Batch{SourceId: "s", Attributes: attributes}
	want, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if b, err := (connectcodec.Proto{}).MarshalStable(m); err != nil || !bytes.Equal(b, want) {
			t.Fatalf("%x, %v", b, err)
		}
	}
	if b, err := (connectcodec.JSON{}).MarshalStable(&p3.Actor{Id: 1, User: "u"}); err != nil || string(b) != `{"id":1,"user":"u"}` {
		t.Errorf("%s, %v", b, err)
	}
	client, url := serve[hot.WriteRequest](t, connectcodec.ForHandlers(withStock))
	for _, codec := range []connect.Codec{connectcodec.Proto{}, withStock} {
		m := request(500, "n")
		c := connect.NewClient[hot.WriteRequest, hot.WriteRequest](client, url+unaryMethod, connect.WithCodec(codec), connect.WithHTTPGet(), connect.WithIdempotency(connect.IdempotencyNoSideEffects))
		in := connect.NewRequest(pooled.make(t, m))
		out, err := c.CallUnary(context.Background(), in)
		if err != nil || in.HTTPMethod() != http.MethodGet {
			t.Fatal(err, in.HTTPMethod())
		}
		same(t, reencoded(t, out.Msg), m)
	}
}
