package grpccodec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/grpccodec"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3_opaque"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/writer"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
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

// kind is a way to hold the request.
type kind struct {
	name  string
	fresh func() any                                    // to receive into; nil: receive a view of it
	make  func(t testing.TB, m *stock.WriteRequest) any // to send
	bytes func(t testing.TB, received any) []byte       // the received message, encoded
}

func kinds() []kind {
	view := func() any { return new(hot.WriteRequestView) }
	rawBytes := func(_ testing.TB, v any) []byte { return v.(*hot.WriteRequestView).RawBytes() }
	encode := func(t testing.TB, v any) []byte {
		b, err := hotpb.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return []kind{
		{"fast methods", func() any { return new(stock.WriteRequest) }, func(_ testing.TB, m *stock.WriteRequest) any { return m }, encode},
		{"pool", func() any { return new(hot.WriteRequest) }, func(t testing.TB, m *stock.WriteRequest) any {
			p := new(hot.WriteRequest)
			if err := p.Unmarshal(encoded(t, m)); err != nil {
				t.Fatal(err)
			}
			return p
		}, encode},
		{"view", view, func(t testing.TB, m *stock.WriteRequest) any {
			v := new(hot.WriteRequestView)
			if err := v.Decode(encoded(t, m)); err != nil {
				t.Fatal(err)
			}
			return v
		}, rawBytes},
		{"writer", view, func(t testing.TB, m *stock.WriteRequest) any {
			out := new(writer.Buffer)
			written(t, out, m)
			return out
		}, rawBytes},
		{"writer of chunks", view, func(t testing.TB, m *stock.WriteRequest) any {
			out := new(writer.HeapBuffer)
			written(t, out, m)
			return out
		}, rawBytes},
	}
}

// Small and large messages of every kind, through a client and a server.
func TestUnaryCalls(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			connection := serve(t, &echo{k.fresh, func(in any) any { return in }}, grpccodec.Codec{}, poison{})
			for _, size := range []int{0, 100, 5000, 300_000} {
				m := request(size, "n")
				out := k.fresh()
				if err := connection.Invoke(context.Background(), unaryMethod, k.make(t, m), out); err != nil {
					t.Fatal(err)
				}
				same(t, k.bytes(t, out), m)
			}
		})
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

// COD-5. A stream reuses one message while grpc still holds the previous ones: each is sent with the contents that it
// had at its SendMsg.
func TestStreams(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			connection := serve(t, &echo{k.fresh, func(in any) any { return in }}, grpccodec.Codec{}, poison{})
			stream, err := connection.NewStream(context.Background(), &description.Streams[0], streamMethod)
			if err != nil {
				t.Fatal(err)
			}
			const n = 40
			failed := make(chan error, 1)
			go func() {
				for i := range n {
					m := request(i*997, fmt.Sprintf("name%d", i))
					msg := k.make(t, m)
					if err := stream.SendMsg(msg); err != nil {
						failed <- err
						return
					}
					if out, ok := msg.(*writer.Buffer); ok { // rewritten at once, in the same memory
						out.Reset()
						written(t, out, request(3000, "overwritten"))
					}
				}
				failed <- stream.CloseSend()
			}()
			in := k.fresh()
			for i := range n {
				if err := stream.RecvMsg(in); err != nil {
					t.Fatal(err)
				}
				same(t, k.bytes(t, in), request(i*997, fmt.Sprintf("name%d", i)))
			}
			if err := stream.RecvMsg(in); err != io.EOF {
				t.Errorf("after the last message: %v", err)
			}
			if err := <-failed; err != nil {
				t.Error(err)
			}
		})
	}
}

// Messages of Google's runtime without fast methods: with extensions, and with the opaque API.
func TestStockMessages(t *testing.T) {
	event := &p2.BaseEvent{
		EventId: proto.String("e"), SourceId: proto.String("s"), TimestampNs: proto.Uint64(1), Kind: new(p2.EventKind),
	}
	proto.SetExtension(event, p2.E_Note, strings.Repeat("note ", 1000))
	batch := p3.Batch_builder{SourceId: "s", Attributes: map[string]string{"a": "b"}}.Build()
	for _, m := range []proto.Message{event, batch} {
		fresh := func() any { return m.ProtoReflect().New().Interface() }
		connection := serve(t, &echo{fresh, func(in any) any { return in }}, grpccodec.Codec{}, poison{})
		out := fresh().(proto.Message)
		if err := connection.Invoke(context.Background(), unaryMethod, m, out); err != nil || !proto.Equal(m, out) {
			t.Errorf("%v came back as %v (%v)", m, out, err)
		}
	}
}

// A client with this codec talks to a server that has grpc's own, and the other way round.
func TestTheOtherSideMayHaveGrpcsOwnCodec(t *testing.T) {
	m := request(9000, "n")
	e := &echo{func() any { return new(stock.WriteRequest) }, func(in any) any { return in }}
	connection := serve(t, e, nil, nil)
	out := new(hot.WriteRequest)
	p := kinds()[1].make(t, m)
	if err := connection.Invoke(context.Background(), unaryMethod, p, out, grpc.ForceCodecV2(grpccodec.Codec{})); err != nil {
		t.Fatal(err)
	}
	if b, err := out.Marshal(); err != nil || !bytes.Equal(b, encoded(t, m)) {
		t.Errorf("%d bytes came back (%v)", len(b), err)
	}
}

// split puts bytes into buffers of a pool, in the form in which they come from the network.
func split(b []byte, size int) (data mem.BufferSlice) {
	for at := 0; at < len(b); at += size {
		data = append(data, mem.Copy(b[at:min(at+size, len(b))], poison{}))
	}
	return data
}

// COD-5. A decoded message does not point into memory that grpc has freed.
func TestNothingPointsIntoMemoryThatWasFreed(t *testing.T) {
	m := request(20_000, "n")
	want := encoded(t, m)
	for _, k := range kinds() {
		for _, size := range []int{1 << 20, 1500, 2} { // one buffer, several, and all below the size that is pooled
			data := split(want, size)
			in := k.fresh()
			if err := (grpccodec.Codec{}).Unmarshal(data, in); err != nil {
				t.Fatal(err)
			}
			data.Free()
			if got := k.bytes(t, in); !bytes.Equal(got, want) {
				t.Errorf("%s, from buffers of %d bytes: the decoded message changed", k.name, size)
			}
		}
	}
	b := bytes.Clone(want)
	for _, k := range kinds() {
		in := k.fresh()
		if err := (grpccodec.CodecV1{}).Unmarshal(b, in); err != nil {
			t.Fatal(err)
		}
		clear(b)
		if got := k.bytes(t, in); !bytes.Equal(got, want) {
			t.Errorf("%s, from a slice: the decoded message changed", k.name)
		}
		copy(b, want)
	}
}

// COD-38. An encoding stays until grpc frees it, whatever happens to the message.
func TestWhatWasEncodedStays(t *testing.T) {
	for _, k := range kinds() {
		for _, size := range []int{10, 50_000} {
			m := request(size, "n")
			msg := k.make(t, m)
			data, err := grpccodec.Codec{}.Marshal(msg)
			if err != nil {
				t.Fatal(err)
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
			buffer, err := grpccodec.Codec{}.Marshal(request(size, "other")) // takes memory from the pool
			if err != nil {
				t.Fatal(err)
			}
			same(t, data.Materialize(), m)
			data.Free()
			buffer.Free()
			b, err := grpccodec.CodecV1{}.Marshal(k.make(t, m))
			if err != nil {
				t.Fatal(err)
			}
			same(t, b, m)
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
	data, err := grpccodec.Codec{}.Marshal(&growing{5000})
	if err != nil || data.Len() != 5000+1<<16 {
		t.Errorf("%d bytes, %v", data.Len(), err)
	}
	data.Free()
}

// lookalike is a message that also has the methods of a view and of a writer's output.
type lookalike struct{ *stock.Label }

func (lookalike) Decode([]byte) error      { return errors.New("a view's method") }
func (lookalike) RawBytes() []byte         { return []byte("a view's") }
func (lookalike) Bytes() []byte            { return []byte("a writer's") }
func (lookalike) Status() (int64, error)   { return 0, errors.New("a writer's method") }
func (lookalike) AppendTo(b []byte) []byte { return append(b, "a writer's"...) }

// buffer is neither a message nor one of our outputs.
type buffer struct{ b []byte }

func (b *buffer) Bytes() []byte            { return nil }
func (b *buffer) Status() (int64, error)   { return 0, nil }
func (b *buffer) Size() int                { return len(b.b) }
func (b *buffer) Marshal() ([]byte, error) { return b.b, nil }

// Methods that happen to have the names of our methods do not turn a message into a view or an output.
func TestForeignTypesAreNotTakenForOurOwn(t *testing.T) {
	m := lookalike{&stock.Label{Name: "job"}}
	want, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{m, &buffer{want}} {
		data, err := grpccodec.Codec{}.Marshal(v)
		if err != nil || !bytes.Equal(data.Materialize(), want) {
			t.Errorf("%T: %x, %v", v, data.Materialize(), err)
		}
		if b, err := (grpccodec.CodecV1{}).Marshal(v); err != nil || !bytes.Equal(b, want) {
			t.Errorf("%T: %x, %v", v, b, err)
		}
	}
	m = lookalike{new(stock.Label)}
	if err := (grpccodec.CodecV1{}).Unmarshal(want, m); err != nil || m.Name != "job" {
		t.Errorf("%v, %v", m.Label, err)
	}
	if err := (grpccodec.Codec{}).Unmarshal(mem.BufferSlice{mem.SliceBuffer(want)}, m); err != nil || m.Name != "job" {
		t.Errorf("%v, %v", m.Label, err)
	}
}

// A value that cannot be sent or received is an error of the call.
func TestErrors(t *testing.T) {
	failing := writer.NewFixedBuffer(make([]byte, 8), chunk.Compact)
	w := hot.NewWriteRequestWriter(failing)
	w.AddTimeseries().AddLabels().SetName("no room")
	for _, v := range []any{nil, 3, failing, new(p2.BaseEvent)} {
		if data, err := (grpccodec.Codec{}).Marshal(v); err == nil {
			t.Errorf("Marshal of a %T: %d bytes", v, data.Len())
		}
		if b, err := (grpccodec.CodecV1{}).Marshal(v); err == nil {
			t.Errorf("Marshal of a %T: %d bytes", v, len(b))
		}
	}
	if err := (grpccodec.Codec{}).Unmarshal(nil, new(writer.Buffer)); !errors.Is(err, hotpb.ErrNotMessage) {
		t.Errorf("Unmarshal into a writer: %v", err)
	}
	damaged := split([]byte{10, 9, 1}, 2)
	for _, k := range kinds() {
		if err := (grpccodec.Codec{}).Unmarshal(damaged, k.fresh()); err == nil {
			t.Errorf("%s: a damaged message is no error", k.name)
		}
	}
	e := &echo{func() any { return new(stock.WriteRequest) }, func(any) any { return 3 }}
	err := serve(t, e, grpccodec.Codec{}, nil).Invoke(context.Background(), unaryMethod, request(9, "n"), new(stock.WriteRequest))
	if status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "not a protobuf message") {
		t.Errorf("a server that answers with a number: %v", err)
	}
}

// Nil pointers of every type that can be received.
func TestUnmarshalIntoNilIsAnError(t *testing.T) {
	values := []any{(*writer.FixedBuffer)(nil)}
	for _, k := range kinds() {
		sent := k.make(t, request(9, "n"))
		values = append(values, reflect.Zero(reflect.TypeOf(sent)).Interface(), reflect.Zero(reflect.TypeOf(k.fresh())).Interface())
	}
	data := split(encoded(t, request(9, "n")), 5)
	for _, v := range values {
		err, errV1 := grpccodec.Codec{}.Unmarshal(data, v), grpccodec.CodecV1{}.Unmarshal(data.Materialize(), v)
		if !errors.Is(err, hotpb.ErrNil) || !errors.Is(errV1, hotpb.ErrNil) {
			t.Errorf("Unmarshal into a nil %T: %v, %v", v, err, errV1)
		}
	}
}

func TestRegister(t *testing.T) {
	before := encoding.GetCodecV2(grpccodec.Name)
	defer encoding.RegisterCodecV2(before)
	if _, is := before.(grpccodec.Codec); is {
		t.Error("it is registered without being asked")
	}
	grpccodec.Register()
	if _, is := encoding.GetCodecV2("proto").(grpccodec.Codec); !is {
		t.Error("it is not registered")
	}
}
