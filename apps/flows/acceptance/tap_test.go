//go:build acceptance && linux

package acceptance

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// tap is between one exporter and the collector: it keeps every datagram and hands it on from an address of its own,
// which is the exporter's as the collector has it.
type tap struct {
	address netip.Addr
	in, out *net.UDPConn

	mu   sync.Mutex
	kept []flow.Datagram
	done chan struct{}
}

func newTap(t *testing.T, address string, to netip.AddrPort) *tap {
	t.Helper()
	p := &tap{address: netip.MustParseAddr(address), done: make(chan struct{})}
	var err error
	p.in, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	must(t, p.in.SetReadBuffer(4<<20))
	p.out, err = net.DialUDP("udp4", &net.UDPAddr{IP: p.address.AsSlice()}, net.UDPAddrFromAddrPort(to))
	must(t, err)
	go p.forward(t)
	t.Cleanup(func() {
		_ = p.in.Close()
		<-p.done
		_ = p.out.Close()
	})
	return p
}

// receiver is where the exporter sends to.
func (p *tap) receiver() netip.AddrPort { return p.in.LocalAddr().(*net.UDPAddr).AddrPort() }

func (p *tap) forward(t *testing.T) {
	defer close(p.done)
	buffer := make([]byte, 65536)
	for {
		n, err := p.in.Read(buffer)
		if err != nil {
			return // closed
		}
		p.mu.Lock()
		p.kept = append(p.kept, flow.Datagram{
			Received: time.Now(), From: p.out.LocalAddr().(*net.UDPAddr).AddrPort(), Payload: slices.Clone(buffer[:n]),
		})
		p.mu.Unlock()
		if _, err := p.out.Write(buffer[:n]); err != nil {
			t.Errorf("tap of %v: %v", p.address, err)
		}
	}
}

// datagrams is how many have come.
func (p *tap) datagrams() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.kept)
}

// truth is what goflow2 makes of the datagrams.
func (p *tap) truth(t *testing.T) (sum truth.Sum) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := truth.NewExporter()
	must(t, err)
	for i := range p.kept {
		exported, err := e.Of(&p.kept[i])
		must(t, err)
		sum.Add(exported)
	}
	return sum
}
