package collect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/bpf"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// witness notes which decoder, that is which worker, decodes the datagrams of an address, and in what order.
type witness struct {
	mu      sync.Mutex
	workers map[Decoder]bool
	by      map[netip.Addr]map[Decoder][]uint64
	count   int
}

type witnessing struct {
	*counting
	witness *witness
}

func (w *witness) newDecoder(l *layout.Layout, e flow.Enricher) (Decoder, error) {
	d, err := newCounting(l, e)
	return &witnessing{d.(*counting), w}, err
}

func (d *witnessing) Append(dst []byte, dg *flow.Datagram) ([]byte, int) {
	d.witness.mu.Lock()
	defer d.witness.mu.Unlock()
	by := d.witness.by[dg.From.Addr()]
	if by == nil {
		by = map[Decoder][]uint64{}
		d.witness.by[dg.From.Addr()] = by
	}
	by[d] = append(by[d], binary.BigEndian.Uint64(dg.Payload))
	d.witness.workers[d] = true
	d.witness.count++
	return d.counting.Append(dst, dg)
}

func newWitness() *witness {
	return &witness{workers: map[Decoder]bool{}, by: map[netip.Addr]map[Decoder][]uint64{}}
}

// until waits for a number of datagrams, so that the sender never fills the kernel's buffers.
func (w *witness) until(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Microsecond) {
		w.mu.Lock()
		count := w.count
		w.mu.Unlock()
		if count >= n {
			return
		}
		if elapsed(end) {
			t.Fatalf("%d datagrams of %d have arrived", count, n)
		}
	}
}

// sendFrom sends values from an address, in rounds; for each round the address has another port.
func sendFrom(t *testing.T, w *witness, to string, from []net.IP, rounds, each int) {
	t.Helper()
	sent, addr := 0, net.UDPAddrFromAddrPort(netip.MustParseAddrPort(to))
	for round := range rounds {
		for i, ip := range from {
			c, err := net.DialUDP("udp", &net.UDPAddr{IP: ip}, addr)
			if err != nil {
				t.Fatal(err)
			}
			for n := range each {
				if _, err := c.Write(payload(uint64(i)<<32 | uint64(round*each+n))); err != nil {
					t.Fatal(err)
				}
				if sent++; sent%64 == 0 {
					w.until(t, sent-64)
				}
			}
			c.Close()
		}
	}
	w.until(t, sent)
}

// A thousand exporters, each of which changes its port for every few datagrams, send to four workers. Each exporter has one
// worker, and its flows come out of the collector in the order in which it sent them.
func TestAnExporterThatChangesItsPortStaysInOrder(t *testing.T) {
	const exporters, rounds, each, workers = 1000, 4, 3, 4
	w, k := newWitness(), &kept{t: t}
	o := options(k.Put)
	o.NewDecoder, o.ChunkBytes = w.newDecoder, 1<<10
	s := sockets()
	s.Workers = workers
	_, address, stop := run(t, o, s)
	var from []net.IP
	for i := range exporters {
		from = append(from, net.IPv4(127, 2, byte(i>>8), byte(i)))
	}
	sendFrom(t, w, address, from, rounds, each)
	stop()
	if len(w.workers) != workers {
		t.Errorf("%d workers had something to do", len(w.workers))
	}
	share := map[Decoder]int{}
	for a, by := range w.by {
		if len(by) != 1 {
			t.Fatalf("%v had %d workers", a, len(by))
		}
		for d := range by {
			share[d]++
		}
	}
	for _, n := range share {
		if n < exporters/workers*3/4 || n > exporters/workers*5/4 {
			t.Errorf("a worker has %d exporters of %d", n, exporters)
		}
	}
	next := [exporters]uint64{}
	for _, v := range k.values {
		if i := v >> 32; v&0xffffffff != next[i] {
			t.Fatalf("exporter %d: flow %d comes where %d is due", i, v&0xffffffff, next[i])
		} else {
			next[i]++
		}
	}
	if len(k.values) != exporters*rounds*each {
		t.Errorf("%d flows of %d", len(k.values), exporters*rounds*each)
	}
}

func TestPortsOfOneAddressAreSpreadOnRequest(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "::1"} {
		for _, bySession := range []bool{false, true} {
			t.Run(fmt.Sprint(address, bySession), func(t *testing.T) {
				w := newWitness()
				o := options((&kept{t: t}).Put)
				o.NewDecoder = w.newDecoder
				s := sockets()
				s.Addresses, s.Workers, s.BySession = []string{net.JoinHostPort(address, "0")}, 4, bySession
				e, err := New(o, &Setup{Layout: mustLayout(t, small)})
				if err != nil {
					t.Fatal(err)
				}
				if l, err := e.Listen(s); errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) {
					t.Skipf("this machine has no address %s: %v", address, err)
				} else if err == nil {
					l.close()
				}
				_, to, stop := run(t, o, s)
				sendFrom(t, w, to, []net.IP{net.ParseIP(address)}, 40, 2)
				stop()
				if spread := len(w.workers) > 1; spread != bySession {
					t.Errorf("%d workers", len(w.workers))
				}
			})
		}
	}
}

// The kernel's program spreads the addresses of any network evenly, and reads nothing but the address.
func TestWorkersGetEqualSharesOfTheAddresses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, workers := range []int{2, 3, 4, 7, 16, 64} {
		vm, err := bpf.NewVM(byAddress(0, workers))
		if err != nil {
			t.Fatal(err)
		}
		for name, address := range map[string]func(i int) netip.Addr{
			"IPv4, one network":   func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)}) },
			"IPv4, first address": func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 1}) },
			"IPv6, one network": func(i int) netip.Addr {
				return netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 14: byte(i >> 8), 15: byte(i)})
			},
			"IPv6, first address": func(i int) netip.Addr {
				return netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 6: byte(i >> 8), 7: byte(i), 15: 1})
			},
		} {
			counts := make([]int, workers)
			const addresses = 4096
			for i := range addresses {
				a := address(i)
				first, err := vm.Run(header(a, random))
				if err != nil {
					t.Fatal(err)
				}
				if repeated, _ := vm.Run(header(a, random)); repeated != first || first >= workers {
					t.Fatalf("%v: worker %d, then %d, of %d", a, first, repeated, workers)
				}
				counts[first]++
			}
			for i, n := range counts {
				if fair := addresses / workers; n < fair/2 || n > fair*2 {
					t.Errorf("%s: worker %d of %d has %d addresses of %d", name, i, workers, n, addresses)
				}
			}
		}
	}
}

// header is the header of a packet, at random except for version and source.
func header(a netip.Addr, random *rand.Rand) []byte {
	b := make([]byte, 40)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	if a.Is4() {
		b[0] = 4<<4 | b[0]&15
		copy(b[12:], a.AsSlice())
	} else {
		b[0] = 6<<4 | b[0]&15
		copy(b[8:], a.AsSlice())
	}
	return b
}
