package connectcodec_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"connectrpc.com/connect"
	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/connectcodec"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3_opaque"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/writer"
	"google.golang.org/protobuf/proto"
)

var protocols = map[string][]connect.ClientOption{
	"connect":  {connectcodec.ForClients()},
	"grpc":     {connectcodec.ForClients(), connect.WithGRPC()},
	"grpc-web": {connectcodec.ForClients(), connect.WithGRPCWeb()},
	"gzip":     {connectcodec.ForClients(), connect.WithSendGzip()},
}

// Small and large messages of every kind, through a client and a server.
func TestUnaryCalls(t *testing.T) {
	for name, k := range kinds() {
		for protocol, options := range protocols {
			t.Run(name+"/"+protocol, func(t *testing.T) { k.calls(t, options...) })
		}
	}
}

// COD-5, COD-38. Each message of a stream is sent with the contents that it had at its Send.
func TestStreams(t *testing.T) {
	for name, k := range kinds() {
		for protocol, options := range protocols {
			t.Run(name+"/"+protocol, func(t *testing.T) { k.streams(t, options...) })
		}
	}
}

// Messages of Google's runtime without fast methods: with extensions, and with the opaque API.
func TestStockMessages(t *testing.T) {
	event := &p2.BaseEvent{
		EventId: proto.String("e"), SourceId: proto.String("s"), TimestampNs: proto.Uint64(1), Kind: new(p2.EventKind),
	}
	proto.SetExtension(event, p2.E_Note, strings.Repeat("note ", 1000))
	client, url := serve[p2.BaseEvent](t, connectcodec.ForHandlers(connectcodec.JSON{}))
	out, err := connect.NewClient[p2.BaseEvent, p2.BaseEvent](client, url+unaryMethod, connectcodec.ForClients()).CallUnary(context.Background(), connect.NewRequest(event))
	if err != nil || !proto.Equal(out.Msg, event) {
		t.Errorf("%v came back as %v (%v)", event, out, err)
	}
	batch := p3.Batch_builder{SourceId: "s", Attributes: map[string]string{"a": "b"}}.Build()
	client, url = serve[p3.Batch](t, connectcodec.ForHandlers(connectcodec.JSON{}))
	opaque, err := connect.NewClient[p3.Batch, p3.Batch](client, url+unaryMethod, connectcodec.ForClients()).CallUnary(context.Background(), connect.NewRequest(batch))
	if err != nil || !proto.Equal(opaque.Msg, batch) {
		t.Errorf("%v came back as %v (%v)", batch, opaque, err)
	}
}

// A client with these codecs talks to a handler that has connect's own, and the other way round.
func TestTheOtherSideMayHaveConnectsOwnCodecs(t *testing.T) {
	m := request(9000, "n")
	client, url := serve[stock.WriteRequest](t)
	out, err := connect.NewClient[hot.WriteRequest, hot.WriteRequest](client, url+unaryMethod, connectcodec.ForClients()).
		CallUnary(context.Background(), connect.NewRequest(pooled.make(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	same(t, reencoded(t, out.Msg), m)
	client, url = serve[hot.WriteRequestView](t, connectcodec.ForHandlers(connectcodec.JSON{}))
	own, err := connect.NewClient[stock.WriteRequest, stock.WriteRequest](client, url+unaryMethod).CallUnary(context.Background(), connect.NewRequest(m))
	if err != nil || !proto.Equal(own.Msg, m) {
		t.Errorf("%v", err)
	}
}

// COD-5. A decoded message does not point into memory that connect uses again.
func TestNothingPointsIntoMemoryThatIsUsedAgain(t *testing.T) {
	want := encoded(t, request(20_000, "n"))
	for name, k := range kinds() {
		b, in := bytes.Clone(want), k.fresh()
		if err := (connectcodec.Proto{}).Unmarshal(b, in); err != nil {
			t.Fatal(err)
		}
		clear(b)
		if got := k.encoded(t, in); !bytes.Equal(got, want) {
			t.Errorf("%s: the decoded message changed", name)
		}
	}
}

// COD-38. An encoding stays, whatever happens to the message, and what stood in the buffer stands in front of it.
func TestWhatWasEncodedStays(t *testing.T) {
	for _, k := range kinds() {
		for _, size := range []int{10, 50_000} {
			for _, into := range [][]byte{nil, []byte("front"), make([]byte, 5, 200_000)} {
				m := request(size, "n")
				msg := k.sent(t, m)
				front := bytes.Clone(into)
				b, err := connectcodec.Proto{}.MarshalAppend(into, msg)
				if err != nil || !bytes.HasPrefix(b, front) {
					t.Fatalf("%x, %v", b[:min(len(b), 10)], err)
				}
				switch msg := msg.(type) {
				case *writer.Buffer:
					clear(msg.Bytes())
				case *writer.HeapBuffer:
					for _, chunk := range msg.Chunks() {
						clear(chunk)
					}
				case *hot.WriteRequestView:
					clear(msg.RawBytes())
				}
				same(t, b[len(front):], m)
			}
		}
	}
}

// growing reports a size that is too small, like a message that another goroutine changes meanwhile.
type growing struct{ n int }

func (g *growing) Size() int { return g.n }
func (g *growing) MarshalAppend(b []byte) ([]byte, error) {
	return append(b, make([]byte, g.n+1<<16)...), nil
}

func TestMessagesThatGrowMeanwhile(t *testing.T) {
	if b, err := (connectcodec.Proto{}).Marshal(&growing{5000}); err != nil || len(b) != 5000+1<<16 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// lookalike is a message that also has the methods of a view and of a writer's output.
type lookalike struct{ *stock.Label }

func (lookalike) Decode([]byte) error      { return errors.New("a view's method") }
func (lookalike) RawBytes() []byte         { return []byte("a view's") }
func (lookalike) Bytes() []byte            { return []byte("a writer's") }
func (lookalike) Status() (int64, error)   { return 0, errors.New("a writer's method") }
func (lookalike) AppendTo(b []byte) []byte { return append(b, "a writer's"...) }

// Methods that happen to have the names of our methods do not turn a message into a view or an output.
func TestForeignTypesAreNotTakenForOurOwn(t *testing.T) {
	m := lookalike{&stock.Label{Name: "job"}}
	want := encoded(t, m)
	if b, err := (connectcodec.Proto{}).Marshal(m); err != nil || !bytes.Equal(b, want) {
		t.Errorf("%x, %v", b, err)
	}
	if b, err := (connectcodec.JSON{}).MarshalStable(m); err != nil || string(b) != `{"name":"job"}` {
		t.Errorf("%s, %v", b, err)
	}
	m = lookalike{new(stock.Label)}
	if err := (connectcodec.Proto{}).Unmarshal(want, m); err != nil || m.Name != "job" {
		t.Errorf("%v, %v", m.Label, err)
	}
}

// A value that cannot be sent or received is an error of the call.
func TestErrors(t *testing.T) {
	failing := writer.NewFixedBuffer(make([]byte, 8), chunk.Compact)
	w := hot.NewWriteRequestWriter(failing)
	w.AddTimeseries().AddLabels().SetName("no room")
	for _, v := range []any{nil, 3, failing, new(p2.BaseEvent)} {
		for _, c := range []interface {
			connect.Codec
			MarshalAppend(b []byte, v any) ([]byte, error)
			MarshalStable(v any) ([]byte, error)
		}{connectcodec.Proto{}, connectcodec.JSON{}} {
			if b, err := c.Marshal(v); err == nil {
				t.Errorf("%s: Marshal of a %T: %d bytes", c.Name(), v, len(b))
			}
			if b, err := c.MarshalAppend([]byte("a"), v); err == nil {
				t.Errorf("%s: MarshalAppend of a %T: %d bytes", c.Name(), v, len(b))
			}
			if b, err := c.MarshalStable(v); err == nil {
				t.Errorf("%s: MarshalStable of a %T: %d bytes", c.Name(), v, len(b))
			}
		}
	}
	if err := (connectcodec.Proto{}).Unmarshal(nil, new(writer.Buffer)); !errors.Is(err, hotpb.ErrNotMessage) {
		t.Errorf("Unmarshal into a writer: %v", err)
	}
	for name, k := range kinds() {
		if err := (connectcodec.Proto{}).Unmarshal([]byte{10, 9, 1}, k.fresh()); err == nil {
			t.Errorf("%s: a damaged message is no error", name)
		}
	}
	client, url := serve[stock.WriteRequest](t, connectcodec.ForHandlers(connectcodec.JSON{}))
	_, err := connect.NewClient[stock.Label, stock.WriteRequest](client, url+unaryMethod, connectcodec.ForClients()).
		CallUnary(context.Background(), connect.NewRequest(&stock.Label{Name: "\x07"}))
	if connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("a server that receives damaged bytes: %v", err)
	}
	_, err = connect.NewClient[int, stock.WriteRequest](client, url+unaryMethod, connectcodec.ForClients()).CallUnary(context.Background(), connect.NewRequest(new(int)))
	if connect.CodeOf(err) != connect.CodeInternal || !strings.Contains(err.Error(), "not a protobuf message") {
		t.Errorf("a client that sends a number: %v", err)
	}
}

// Nil pointers of every type that can be received.
func TestUnmarshalIntoNilIsAnError(t *testing.T) {
	values := []any{(*writer.FixedBuffer)(nil)}
	for _, k := range kinds() {
		values = append(values, reflect.Zero(reflect.TypeOf(k.sent(t, request(9, "n")))).Interface(), reflect.Zero(reflect.TypeOf(k.fresh())).Interface())
	}
	for _, v := range values {
		if err := (connectcodec.Proto{}).Unmarshal(encoded(t, request(9, "n")), v); !errors.Is(err, hotpb.ErrNil) {
			t.Errorf("Unmarshal into a nil %T: %v", v, err)
		}
	}
}
