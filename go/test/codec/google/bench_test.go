package google_test

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/raft"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
)

// madeRequest returns a remote-write request of the shape that Prometheus sends.
func madeRequest(series int) []byte {
	m := &prometheus.WriteRequest{}
	for i := range series {
		m.Timeseries = append(m.Timeseries, &prometheus.TimeSeries{
			Labels: []*prometheus.Label{
				{Name: "__name__", Value: fmt.Sprintf("http_requests_total_%d", i%50)},
				{Name: "cluster", Value: "eu-central-1a"},
				{Name: "container", Value: "api-server"},
				{Name: "instance", Value: fmt.Sprintf("10.0.%d.%d:9100", i/250, i%250)},
				{Name: "job", Value: "kubernetes-pods"},
				{Name: "method", Value: "GET"},
				{Name: "namespace", Value: "production"},
				{Name: "pod", Value: fmt.Sprintf("api-server-5d8f7b9c6-%05d", i)},
				{Name: "status", Value: "200"},
				{Name: "zone", Value: "b"},
			},
			Samples: []*prometheus.Sample{{Value: float64(i) * 1.5, Timestamp: 1_700_000_000_000 + int64(i)}},
		})
	}
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

type hot interface {
	proto.Message
	codec.Unmarshaler
}

func benchmarkDecode(b *testing.B, fresh func() hot, input []byte) {
	for _, c := range []struct {
		name   string
		decode func(m hot) error
	}{
		{"hot", func(m hot) error { return m.UnmarshalHot(input) }},
		{"alias", func(m hot) error { return m.UnmarshalHotOptions(input, codec.UnmarshalOptions{Alias: true}) }},
		{"stock", func(m hot) error { return proto.Unmarshal(input, m) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.decode(fresh()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecodeRemoteWrite compares fast methods with the runtime, on the same structs:
//
//	go test -run '^$' -bench Decode -cpu 1 -count 6 ./codec/google
func BenchmarkDecodeRemoteWrite(b *testing.B) {
	for _, series := range []int{1, 10, 100, 10_000} {
		b.Run(fmt.Sprint(series), func(b *testing.B) {
			benchmarkDecode(b, func() hot { return new(prometheus.WriteRequest) }, madeRequest(series))
		})
	}
}

func BenchmarkDecodeProto2(b *testing.B) {
	m := &raft.Message{
		Type: raft.MessageType_MESSAGE_APPEND.Enum(), To: proto.Uint64(2), From: proto.Uint64(1), Term: proto.Uint64(7),
		LogTerm: proto.Uint64(7), Index: proto.Uint64(123456), Commit: proto.Uint64(123450),
	}
	for i := range 4 {
		m.Entries = append(m.Entries, &raft.Entry{
			Term: proto.Uint64(7), Index: proto.Uint64(uint64(123457 + i)), Data: make([]byte, 100),
		})
	}
	input, err := proto.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkDecode(b, func() hot { return new(raft.Message) }, input)
}

func BenchmarkDecodeExtension(b *testing.B) {
	m := &p2.All{SingleInt32: proto.Int32(5), SingleString: proto.String("text")}
	proto.SetExtension(m, p2.E_ExtInt32, int32(7))
	proto.SetExtension(m, p2.E_ExtChild, &p2.Child{Id: proto.Int32(3)})
	input, err := proto.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkDecode(b, func() hot { return new(p2.All) }, input)
}
