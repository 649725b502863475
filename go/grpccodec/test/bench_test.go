package grpccodec_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/grpccodec"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3_opaque"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/protobuf/proto"
)

// BenchmarkUnaryEcho makes one call after the other, to a server in the same process that returns what it received.
// It alternates between grpc-go's own codec and this one, with the same structs with fast methods.
func BenchmarkUnaryEcho(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		for _, k := range kinds()[:2] {
			b.Run(fmt.Sprintf("%d/%s", size, k.name), func(b *testing.B) {
				m := request(size, "n")
				reference := &echo{kinds()[0].fresh, func(in any) any { return in }}
				sides := []struct {
					connection *grpc.ClientConn
					msg        any
					fresh      func() any
				}{
					{serve(b, reference, nil, nil), m, reference.fresh},
					{serve(b, &echo{k.fresh, reference.answer}, grpccodec.Codec{}, nil), k.make(b, m), k.fresh},
				}
				call := func(i int) (any, error) {
					out := sides[i].fresh()
					return out, sides[i].connection.Invoke(context.Background(), unaryMethod, sides[i].msg, out)
				}
				for i := range sides {
					out, err := call(i)
					if err != nil {
						b.Fatal(err)
					}
					same(b, kinds()[0].bytes(b, out), m)
				}
				inTurns(b, func(i int) error {
					_, err := call(i)
					return err
				})
			})
		}
	}
}

// BenchmarkCodec measures the codec alone: a message to buffers, and buffers to a message, with and without fast
// methods.
func BenchmarkCodec(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		plain := new(p3.Batch)
		for i := 0; proto.Size(plain) < size; i++ {
			plain.SetEvents(append(plain.GetEvents(), p3.Event_builder{Name: "name", Labels: []string{"a", "b"}, TimestampNs: uint64(i)}.Build()))
		}
		for name, m := range map[string]proto.Message{"fast": request(size, "n"), "plain": plain} {
			codecs := []encoding.CodecV2{encoding.GetCodecV2("proto"), grpccodec.Codec{}}
			into := m.ProtoReflect().New().Interface()
			data, err := codecs[0].Marshal(m)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%d/%s/Marshal", size, name), func(b *testing.B) {
				inTurns(b, func(i int) error {
					data, err := codecs[i].Marshal(m)
					data.Free()
					return err
				})
			})
			b.Run(fmt.Sprintf("%d/%s/Unmarshal", size, name), func(b *testing.B) {
				inTurns(b, func(i int) error { return codecs[i].Unmarshal(data, into) })
			})
		}
	}
}

// inTurns calls f alternately for grpc's own codec, 0, and this one, 1, and reports the median time and the
// allocations of each.
func inTurns(b *testing.B, f func(codec int) error) {
	var times [2][]time.Duration
	var allocations [2]uint64
	var before, after runtime.MemStats
	for b.Loop() {
		for i := range times {
			runtime.ReadMemStats(&before)
			start := time.Now()
			if err := f(i); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start))
			runtime.ReadMemStats(&after)
			allocations[i] += after.Mallocs - before.Mallocs
		}
	}
	b.ReportMetric(0, "ns/op") // of both together: not meaningful
	median := func(i int) float64 {
		slices.Sort(times[i])
		return float64(times[i][len(times[i])/2])
	}
	b.ReportMetric(median(0), "grpc-ns")
	b.ReportMetric(median(1), "hotpb-ns")
	b.ReportMetric(median(1)/median(0), "hotpb/grpc")
	b.ReportMetric(float64(allocations[0])/float64(b.N), "grpc-allocs")
	b.ReportMetric(float64(allocations[1])/float64(b.N), "hotpb-allocs")
}
