//go:build unix

package decode

import (
	"fmt"
	"net/netip"
	"sync"
	"syscall"
	"testing"

	"github.com/hotpb/hotpb/flows/internal/flow"
)

// BenchmarkWorkers has decoders share a store, each with fifty exporters of its own. As long as a flow costs as much
// processor time with many decoders as with one, they do not get in each other's way.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 2, 4} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			r := newRig(b, anyClock(), standard(b), nil, Options{})
			const exporters = 50
			datagrams := router(flow.NetFlow9, 24)
			var all sync.WaitGroup
			before := processorTime(b)
			flows := 0
			for w := range workers {
				d, err := r.store.NewDecoder(r.layout, nil)
				if err != nil {
					b.Fatal(err)
				}
				all.Go(func() {
					var out []byte
					n, sum := 0, 0
					for i := range b.N {
						from := netip.AddrFrom4([4]byte{10, 0, byte(w), byte(i % exporters)})
						dg := flow.Datagram{Received: r.now, From: netip.AddrPortFrom(from, 9), Payload: datagrams[min(1, i/exporters)]}
						out, n = d.Append(out[:0], &dg)
						sum += n
					}
					if w == 0 {
						flows = sum
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(processorTime(b)-before)/float64(max(1, flows*workers)), "ns-CPU/flow")
		})
	}
}

func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
