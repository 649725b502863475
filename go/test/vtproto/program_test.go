package vtproto

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"connectrpc.com/connect"
	hybrid "github.com/hotpb/hotpb/go/test/vtproto/internal/hybrid/prometheus"
	opaque3 "github.com/hotpb/hotpb/go/test/vtproto/internal/opaque/codec_proto3"
	opaque "github.com/hotpb/hotpb/go/test/vtproto/internal/opaque/prometheus"
	p2 "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/codec_proto2"
	p3 "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/codec_proto3"
	prom "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/prometheus"
	"github.com/hotpb/hotpb/go/test/vtproto/internal/ours/raft"
	"github.com/hotpb/hotpb/go/wire"
	vtgrpc "github.com/planetscale/vtprotobuf/codec/grpc"
	"google.golang.org/protobuf/proto"
)

func request(n int) *prom.WriteRequest {
	m := new(prom.WriteRequest)
	for i := range n {
		m.Timeseries = append(m.Timeseries, &prom.TimeSeries{
			Labels:  []*prom.Label{{Name: "job", Value: "api"}, {Name: "pod", Value: strings.Repeat("p", 40)}},
			Samples: []*prom.Sample{{Value: float64(i), Timestamp: 1700000000000 + int64(i)}},
		})
	}
	return m
}

// A typical program: buffers of its own, messages from the pool, one after the other. COD-90, COD-91, COD-93
func TestMessagesFromThePoolAreEmptyAndKeepTheirLists(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // sync.Pool keeps everything
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	want := request(20)
	buf := make([]byte, want.SizeVT())
	if n, err := want.MarshalToSizedBufferVT(buf); err != nil || n != len(buf) {
		t.Fatal(n, err)
	}
	m := prom.WriteRequestFromVTPool()
	if err := m.UnmarshalVT(buf); err != nil || !m.EqualVT(want) {
		t.Fatalf("%v, %v", m, err)
	}
	series, room := m.Timeseries[7], cap(m.Timeseries)
	m.ResetVT()
	if !m.EqualVT(new(prom.WriteRequest)) || cap(m.Timeseries) != room || m.Timeseries[:8][7] != series || m.SizeVT() != 0 {
		t.Errorf("after ResetVT: %v, room for %d", m, cap(m.Timeseries))
	}
	if err := m.UnmarshalVT(buf); err != nil || !m.EqualVT(want) || m.Timeseries[7] != series {
		t.Errorf("into what ResetVT left: %v, %v", m, err)
	}
	m.ReturnToVTPool()
	// Fewer series, without labels: nothing of the older message shows.
	less := &prom.WriteRequest{Timeseries: []*prom.TimeSeries{{Samples: []*prom.Sample{{Value: 1}}}, {}}}
	small, err := less.MarshalVT()
	if err != nil {
		t.Fatal(err)
	}
	reused := prom.WriteRequestFromVTPool()
	if err := reused.UnmarshalVT(small); err != nil || !reused.EqualVT(less) || !proto.Equal(reused, less) {
		t.Errorf("%v, %v", reused, err)
	}
	reused.ReturnToVTPool()
	(*prom.WriteRequest)(nil).ReturnToVTPool()
	(*prom.WriteRequest)(nil).ResetVT()
}

// COD-91
func TestDecodingIntoMessagesThatWereResetAllocatesLittle(t *testing.T) {
	b, err := request(100).MarshalVT()
	if err != nil {
		t.Fatal(err)
	}
	request := prom.WriteRequestFromVTPool()
	decode := func() {
		request.ResetVT() // and not ReturnToVTPool: with the race detector, sync.Pool loses messages on purpose
		if err := request.UnmarshalVT(b); err != nil || len(request.Timeseries) != 100 {
			t.Fatal(err)
		}
	}
	decode()
	if n := testing.AllocsPerRun(20, decode); n > 1 { // the copy of the text
		t.Errorf("%v allocations for 100 series", n)
	}
	sample := &prom.TimeSeries{Samples: []*prom.Sample{{Value: 1}, {Value: 2}}}
	if b, err = sample.MarshalVT(); err != nil {
		t.Fatal(err)
	}
	m := prom.TimeSeriesFromVTPool()
	if n := testing.AllocsPerRun(20, func() {
		m.ResetVT()
		if err := m.UnmarshalVT(b); err != nil || len(m.Samples) != 2 {
			t.Fatal(err)
		}
	}); n > 1 {
		t.Errorf("%v allocations for messages that are all there", n)
	}
}

// A list that the program has cut by itself, without ResetVT. COD-91
func TestOldElementsAreEmptiedBeforeTheyAreUsedAgain(t *testing.T) {
	m := request(3)
	m.Timeseries = m.Timeseries[:0]
	b, err := (&prom.WriteRequest{Timeseries: []*prom.TimeSeries{{}, {}, {}, {}}}).MarshalVT()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.UnmarshalVT(b); err != nil || m.SizeVT() != len(b) {
		t.Errorf("%v, %v", m, err)
	}
}

// After ResetVT nothing points into the input of UnmarshalVTUnsafe: what the program appends does not change it. COD-90
func TestResetVTForgetsTheInput(t *testing.T) {
	event, entry := &p3.Event{Name: "id", Labels: []string{"a", "b"}}, &raft.Entry{Data: []byte("attached")}
	b, err := event.MarshalVT()
	data, dataErr := entry.MarshalVT()
	if err != nil || dataErr != nil {
		t.Fatal(err, dataErr)
	}
	e, input := raft.EntryFromVTPool(), bytes.Clone(data)
	if err := e.UnmarshalVTUnsafe(input); err != nil || unsafe.SliceData(e.Data) != &input[len(input)-len("attached")] {
		t.Errorf("%v, or UnmarshalVTUnsafe copied the bytes", err)
	}
	e.ResetVT()
	if e.Data = append(e.Data, "changed!"...); !bytes.Equal(input, data) {
		t.Errorf("the input is %q", input)
	}
	m := p3.EventFromVTPool()
	if err := m.UnmarshalVTUnsafe(b); err != nil {
		t.Fatal(err)
	}
	m.ResetVT()
	if list := m.Labels[:cap(m.Labels)]; len(list) < 2 || list[0] != "" || list[1] != "" {
		t.Errorf("the list has %q", list)
	}
}

// COD-85
func TestBuffersThatAreTooSmallAreErrors(t *testing.T) {
	m := request(2)
	for name, write := range map[string]func([]byte) (int, error){
		"MarshalToVT": m.MarshalToVT, "MarshalToSizedBufferVT": m.MarshalToSizedBufferVT,
		"MarshalToVTStrict": m.MarshalToVTStrict, "MarshalToSizedBufferVTStrict": m.MarshalToSizedBufferVTStrict,
	} {
		for _, size := range []int{0, 1, m.SizeVT() - 1} {
			b := make([]byte, size)
			n, err := write(b)
			var e *wire.Error
			if n != 0 || !errors.Is(err, wire.BufferExhausted) || !errors.As(err, &e) || e.Offset != int64(size) || !strings.Contains(name, "Sized") && !bytes.Equal(b, make([]byte, size)) {
				t.Errorf("%s into %d bytes: %d, %v", name, size, n, err)
			}
		}
	}
}

// COD-84, COD-87, COD-88, COD-89, COD-94
func TestWhatVtprotobufLosesIsKept(t *testing.T) {
	m := &p2.BaseEvent{EventId: proto.String("e"), SourceId: proto.String("s"), TimestampNs: proto.Uint64(1), Kind: new(p2.EventKind)}
	bare := m.CloneVT()
	proto.SetExtension(m, p2.E_Note, "kept")
	b, err := m.MarshalVT()
	strict, strictErr := m.MarshalVTStrict()
	if err != nil || strictErr != nil || len(b) != m.SizeVT() || !bytes.HasSuffix(strict, []byte("kept")) {
		t.Errorf("%x, %v; strict %x, %v", b, err, strict, strictErr)
	}
	for _, b := range [][]byte{b, strict} {
		got := new(p2.BaseEvent)
		if err := got.UnmarshalVT(b); err != nil || !got.EqualVT(m) || got.EqualVT(bare) || !got.CloneVT().EqualVT(m) {
			t.Errorf("%v, %v", got, err)
		}
	}
	if _, err := new(p2.BaseEvent).MarshalVT(); !errors.Is(err, wire.MissingRequired) {
		t.Errorf("without required fields: %v", err)
	}
	bad := &p3.Event{Name: "\xff"}
	if _, err := bad.MarshalVT(); !errors.Is(err, wire.InvalidUtf8) {
		t.Errorf("MarshalVT of bad UTF-8: %v", err)
	}
	for _, read := range []func([]byte) error{new(p3.Event).UnmarshalVT, new(p3.Event).UnmarshalVTUnsafe} {
		if err := read([]byte("\x0a\x01\xff")); !errors.Is(err, wire.InvalidUtf8) {
			t.Errorf("bad UTF-8 is read with %v", err)
		}
	}
	if err := (*p3.Event)(nil).UnmarshalVT(nil); !errors.Is(err, wire.HandleMisuse) {
		t.Errorf("UnmarshalVT into nil: %v", err)
	}
}

// Hybrid and opaque structs have the same methods and pools.
func TestTheMethodsOfHybridAndOpaqueStructs(t *testing.T) {
	want := request(30)
	b, err := want.MarshalVT()
	if err != nil {
		t.Fatal(err)
	}
	h, o := hybrid.WriteRequestFromVTPool(), opaque.WriteRequestFromVTPool()
	for range 3 {
		for _, m := range []interface {
			message
			ResetVT()
		}{h, o} {
			m.ResetVT()
			if err := m.UnmarshalVT(b); err != nil {
				t.Fatalf("%T: %v", m, err)
			}
			got, err := m.MarshalVT()
			if err != nil || !bytes.Equal(got, b) || m.SizeVT() != len(b) || !m.EqualMessageVT(m.CloneMessageVT()) {
				t.Errorf("%T: %d bytes, %v", m, len(got), err)
			}
		}
	}
	h.ReturnToVTPool()
	o.ReturnToVTPool()
	event := opaque3.Event_builder{Name: "x", Labels: []string{"l"}}.Build()
	event.ResetVT()
	if event.SizeVT() != 0 || event.GetName() != "" || len(event.GetLabels()) != 0 {
		t.Errorf("after ResetVT: %v", event)
	}
}

// vtprotobuf's own codec, as it is: what grpc-go calls, and a call of connect.
func TestVtprotobufsGRPCCodec(t *testing.T) {
	codec, want, got := vtgrpc.Codec{}, request(5), new(prom.WriteRequest)
	b, err := codec.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if err := codec.Unmarshal(b, got); err != nil || !got.EqualVT(want) {
		t.Errorf("%v, %v", got, err)
	}

	const procedure = "/acme.Ingest/Write"
	answer := func(_ context.Context, in *connect.Request[prom.WriteRequest]) (*connect.Response[prom.WriteRequest], error) {
		return connect.NewResponse(in.Msg.CloneVT()), nil
	}
	server := httptest.NewServer(connect.NewUnaryHandler(procedure, answer, connect.WithCodec(codec)))
	defer server.Close()
	client := connect.NewClient[prom.WriteRequest, prom.WriteRequest](server.Client(), server.URL+procedure, connect.WithCodec(codec))
	out, err := client.CallUnary(context.Background(), connect.NewRequest(want))
	if err != nil || !out.Msg.EqualVT(want) {
		t.Errorf("%v, %v", out, err)
	}
}
