package connectcodec_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/hotpb/hotpb/go/connectcodec"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
)

// BenchmarkUnaryEcho makes one call after the other, to a server in the same process that returns what it received. It
// alternates between connect's own codec and this one, with stock structs that have fast methods, and with messages of
// the pool.
func BenchmarkUnaryEcho(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			m := request(size, "n")
			own, ownURL := serve[stock.WriteRequest](b)
			client, url := serve[stock.WriteRequest](b, connectcodec.ForHandlers(connectcodec.JSON{}))
			pool, poolURL := serve[hot.WriteRequest](b, connectcodec.ForHandlers(connectcodec.JSON{}))
			inPool := pooled.make(b, m)
			ctx := context.Background()
			stockClients := [...]*connect.Client[stock.WriteRequest, stock.WriteRequest]{
				connect.NewClient[stock.WriteRequest, stock.WriteRequest](own, ownURL+unaryMethod),
				connect.NewClient[stock.WriteRequest, stock.WriteRequest](client, url+unaryMethod, connectcodec.ForClients()),
			}
			poolClient := connect.NewClient[hot.WriteRequest, hot.WriteRequest](pool, poolURL+unaryMethod, connectcodec.ForClients())
			calls := []func() error{
				func() error { _, err := stockClients[0].CallUnary(ctx, connect.NewRequest(m)); return err },
				func() error { _, err := stockClients[1].CallUnary(ctx, connect.NewRequest(m)); return err },
				func() error { _, err := poolClient.CallUnary(ctx, connect.NewRequest(inPool)); return err },
			}
			var times [3][]time.Duration
			for b.Loop() {
				for i, call := range calls {
					start := time.Now()
					if err := call(); err != nil {
						b.Fatal(err)
					}
					times[i] = append(times[i], time.Since(start))
				}
			}
			b.ReportMetric(0, "ns/op") // of all together: not meaningful
			median := func(i int) float64 {
				slices.Sort(times[i])
				return float64(times[i][len(times[i])/2])
			}
			b.ReportMetric(median(0), "connect-ns")
			b.ReportMetric(median(1)/median(0), "hotpb/connect")
			b.ReportMetric(median(2)/median(0), "pool/connect")
		})
	}
}
