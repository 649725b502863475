package google_test

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
)

func benchmarkEncode(b *testing.B, m interface {
	proto.Message
	codec.Message
}) {
	room := make([]byte, 0, proto.Size(m)+64)
	for _, c := range []struct {
		name   string
		encode func() ([]byte, error)
	}{
		{"hot", m.MarshalHot},
		{"append", func() ([]byte, error) { return m.MarshalAppendHot(room) }},
		{"stock", func() ([]byte, error) { return proto.Marshal(m) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(proto.Size(m)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEncodeRemoteWrite compares fast methods with the runtime, on the same structs:
//
//	go test -run '^$' -bench Encode -cpu 1 -count 6 ./codec/google
func BenchmarkEncodeRemoteWrite(b *testing.B) {
	for _, series := range []int{1, 100, 10_000} {
		m := new(prometheus.WriteRequest)
		if err := proto.Unmarshal(madeRequest(series), m); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(series), func(b *testing.B) { benchmarkEncode(b, m) })
	}
}

func BenchmarkEncodeExtension(b *testing.B) {
	m := &p2.All{SingleInt32: proto.Int32(5), SingleString: proto.String("text")}
	proto.SetExtension(m, p2.E_ExtInt32, int32(7))
	proto.SetExtension(m, p2.E_ExtChild, &p2.Child{Id: proto.Int32(3)})
	benchmarkEncode(b, m)
}
