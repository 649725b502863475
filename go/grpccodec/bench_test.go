package grpccodec_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hotpb/hotpb/go/grpccodec"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
)

// BenchmarkUnaryEcho is one call after the other, to a server in the same
// process that sends back what it received. "grpc" is grpc-go's own codec with the same structs.
func BenchmarkUnaryEcho(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		m := request(size, "n")
		for _, c := range []struct {
			name  string
			codec encoding.CodecV2
			msg   any
			fresh func() any
		}{
			{"grpc", nil, m, func() any { return new(stock.WriteRequest) }},
			{"hotpb-codec", grpccodec.Codec{}, m, func() any { return new(stock.WriteRequest) }},
			{"hotpb-pool", grpccodec.Codec{}, kinds()[1].make(b, m), func() any { return new(hot.WriteRequest) }},
		} {
			b.Run(fmt.Sprintf("%d/%s", size, c.name), func(b *testing.B) {
				connection := serve(b, &echo{c.fresh, func(in any) any { return in }}, c.codec, nil)
				call := func() any {
					out := c.fresh()
					if err := connection.Invoke(context.Background(), unaryMethod, c.msg, out, grpc.WaitForReady(true)); err != nil {
						b.Fatal(err)
					}
					return out
				}
				same(b, kinds()[0].bytes(b, call()), m)
				b.SetBytes(2 * int64(len(encoded(b, m))))
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
			})
		}
	}
}

// BenchmarkCodec is the codec alone: a message to buffers, and buffers to a message.
func BenchmarkCodec(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		m := request(size, "n")
		for _, c := range []struct {
			name  string
			codec encoding.CodecV2
		}{{"grpc", encoding.GetCodecV2("proto")}, {"hotpb-codec", grpccodec.Codec{}}} {
			data, err := c.codec.Marshal(m)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%d/Marshal/%s", size, c.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					data, err := c.codec.Marshal(m)
					if err != nil {
						b.Fatal(err)
					}
					data.Free()
				}
			})
			b.Run(fmt.Sprintf("%d/Unmarshal/%s", size, c.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := c.codec.Unmarshal(data, new(stock.WriteRequest)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
