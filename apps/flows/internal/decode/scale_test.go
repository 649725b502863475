//go:build unix

package decode

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
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
				d, err := New(r.store, r.layout, nil)
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

// BenchmarkStateFile writes the state of a thousand exporters with eight templates each, which the collector does every 30 seconds.
func BenchmarkStateFile(b *testing.B) {
	r := newRig(b, anyClock(), standard(b), nil, Options{})
	sender := build{protocol: flow.NetFlow9, uptime: 500000}
	var templates [][]byte
	for id := range 8 {
		templates = append(templates, sender.template(256+id, routerFields...))
	}
	datagram := sender.datagram(templates...)
	for i := range 1000 {
		r.Append(nil, &flow.Datagram{Received: r.now, From: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 9), Payload: datagram})
	}
	if got := r.store.Templates(); got != 8000 {
		b.Fatal(got, "templates")
	}
	file := filepath.Join(b.TempDir(), "state.json")
	before := processorTime(b)
	for b.Loop() {
		if err := r.store.State().WriteFile(file); err != nil {
			b.Fatal(err)
		}
	}
	spent := float64(processorTime(b)-before) / float64(b.N)
	b.ReportMetric(spent, "ns-CPU/op")
	b.ReportMetric(100*spent/30e9, "percent-of-a-core")
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size()), "bytes")
}

func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
