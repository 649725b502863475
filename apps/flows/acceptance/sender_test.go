//go:build acceptance && linux

package acceptance

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
	"github.com/hotpb/hotpb/apps/flows/internal/load"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// newSender sends what generated exporters do, of all protocols if none is named.
func newSender(t *testing.T, to netip.AddrPort, protocols ...flow.Protocol) *load.Sender {
	t.Helper()
	s, err := load.NewSender(generate.NewRing(generate.New(generate.Options{Seed: 8, Protocols: protocols}), 2048), to)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// send sends so many datagrams a second, for some time, while something else is done; that is over when this returns.
func send(t *testing.T, s *load.Sender, perSecond float64, during time.Duration, meanwhile func()) {
	t.Helper()
	failed := make(chan error, 1)
	go func() {
		_, err := s.Send(context.Background(), perSecond, during)
		failed <- err
	}()
	if meanwhile != nil {
		meanwhile()
	}
	must(t, <-failed)
}

// sent is what each exporter has sent, as the ends are compared.
func sent(s *load.Sender) map[netip.Addr]truth.Sum {
	all := map[netip.Addr]truth.Sum{}
	for address, sums := range s.Exporters() {
		if sums.Flows > 0 {
			all[address] = truth.Sum{Flows: sums.Flows, Bytes: sums.Bytes, Packets: sums.Packets}
		}
	}
	return all
}
