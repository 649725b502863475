package decode

import (
	"fmt"
	"maps"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// A flood is what strangers send: what the source with a number sends as its n-th datagram.
var floods = map[string]func(source, n int) []byte{
	"templates of 300 fields": func(source, n int) []byte {
		b := build{protocol: flow.NetFlow9}
		return b.datagram(b.template(256+n%500, wideTemplate(n)...))
	},
	"small templates": func(source, n int) []byte {
		b := build{protocol: flow.IPFIX}
		return b.datagram(b.template(256+n%500, octets))
	},
	"large templates with a flow each": func(source, n int) []byte {
		b := build{protocol: flow.NetFlow9}
		return b.datagram(b.template(256+n%500, wideTemplate(n)...), set(256+n%500, make([]byte, 300)))
	},
	"options": func(source, n int) []byte {
		b := build{protocol: flow.IPFIX, domain: uint32(n % 5)}
		var records []byte
		for i := range uint32(100) {
			records = append(records, be32(uint32(n)*100+i, 5)...)
		}
		return b.datagram(b.options(300+n%10, 1, vendorless(302, 4), vendorless(34, 4)), set(300+n%10, records))
	},
	"data without template": func(source, n int) []byte {
		b := build{protocol: flow.IPFIX}
		return b.datagram(set(256+n%100, make([]byte, 1000)))
	},
	"tiny flows with valid templates": func(source, n int) []byte {
		b := build{protocol: flow.IPFIX}
		return b.datagram(b.template(256, octets), set(256, be32(1)))
	},
	"flows of NetFlow v5": func(source, n int) []byte {
		b := build{protocol: flow.NetFlow5}
		return b.datagram(make([]byte, message.RecordSize5))
	},
	"domains": func(source, n int) []byte {
		b := build{protocol: flow.IPFIX, domain: uint32(n)}
		return b.datagram()
	},
}

func wideTemplate(n int) (fields []template.Field) {
	for i := range 300 {
		fields = append(fields, vendorless(uint16(500+n%7+i), 1))
	}
	return fields
}

// siege is a flood, and the exporters that are to be heard through it.
type siege struct {
	*rig
	flood    func(source, n int) []byte
	source   func(i int) netip.AddrPort
	sources  int
	sent     int // of the flood
	byOne    map[int]int
	out      []byte
	most     int // bytes at any time
	longest  time.Duration
	waitMost int
}

func newSiege(t testing.TB, limits session.Limits, name string, sources int, oneAddress bool) *siege {
	s := &siege{rig: newRig(t, limits, standard(t), nil, Options{}), flood: floods[name], sources: sources, byOne: map[int]int{}}
	s.source = func(i int) netip.AddrPort {
		if oneAddress {
			return netip.AddrPortFrom(netip.MustParseAddr("203.0.113.1"), uint16(1024+i))
		}
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(be32(0x0a000000+uint32(i)))), 2055)
	}
	return s
}

func (s *siege) give(from netip.AddrPort, payload []byte) (flows int) {
	begin := time.Now()
	s.out, flows = s.Append(s.out[:0], &flow.Datagram{Received: s.now, From: from, Payload: payload})
	s.longest = max(s.longest, time.Since(begin))
	s.most, s.waitMost = max(s.most, s.store.Memory()), max(s.waitMost, s.store.Waiting())
	return flows
}

// strike sends datagrams of the flood, 10,000 in a second, from one source after the other.
func (s *siege) strike(n int) {
	for range n {
		s.now = s.now.Add(100 * time.Microsecond)
		i := s.sent % s.sources
		s.give(s.source(i), s.flood(i, s.byOne[i]))
		s.byOne[i]++
		s.sent++
	}
}

// honest is an exporter of usual templates; its templates and data come in one datagram or in two.
func honest(templates, data bool) []byte {
	b := build{protocol: flow.NetFlow9, uptime: 500000}
	var sets [][]byte
	if templates {
		for id := range 4 {
			sets = append(sets, b.template(256+id, routerFields...))
		}
	}
	if data {
		n := 0
		for _, f := range routerFields {
			n += int(f.Length)
		}
		sets = append(sets, set(257, make([]byte, n)))
	}
	return b.datagram(sets...)
}

// hold returns how many newcomers of two kinds were heard, and how many datagrams of those that were known before.
func (s *siege) hold(newcomers, fill, each int) (heard, heardLater, settled, recent int) {
	settler, newer := netip.MustParseAddrPort("192.0.2.1:9000"), netip.MustParseAddrPort("192.0.2.2:9000")
	s.give(settler, honest(true, true))
	for range 70 {
		s.now = s.now.Add(time.Second)
		s.give(settler, honest(false, true))
	}
	s.give(newer, honest(true, true))
	s.strike(fill)
	const later = 100
	from := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(be32(0xc6120000+uint32(i)))), 3000)
	}
	var unheard []netip.AddrPort
	for i := range newcomers + later {
		s.strike(each)
		if i < newcomers && i%2 == 0 {
			n := s.give(from(i), honest(true, true))
			if heard += n; n == 0 {
				unheard = append(unheard, from(i))
			}
		} else if i < newcomers {
			s.give(from(i), honest(true, false))
		}
		if i >= later && i%2 == 1 {
			n := s.give(from(i-later), honest(false, true))
			if heardLater += n; n == 0 {
				unheard = append(unheard, from(i-later))
			}
		}
		if i%50 == 0 {
			settled += s.give(settler, honest(false, true))
			recent += s.give(newer, honest(false, true))
		}
	}
	// If templates were too many to be bound at once, data waits.
	for i, x := range unheard {
		if i%1000 == 0 {
			s.now = s.now.Add(1100 * time.Millisecond)
		}
		heardLater += max(0, s.give(x, honest(false, true))-1)
	}
	return
}

// Whatever strangers send, from few or many addresses or from all ports of one: newcomers are heard, and so are exporters
// that were there before.
func TestNoFloodLocksOut(t *testing.T) {
	limits := anyClock()
	limits.Memory, limits.AllWaiting, limits.Exporters, limits.Sessions = 24<<20, 8<<20, 1024, 256
	for name := range floods {
		for _, sources := range []int{5, 100, 3000} {
			for _, oneAddress := range []bool{false, true}[:1+min(1, sources/1000)] {
				label := fmt.Sprintf("%s, %d sources, one address %v", name, sources, oneAddress)
				s := newSiege(t, limits, name, sources, oneAddress)
				const newcomers = 200
				heard, heardLater, settled, recent := s.hold(newcomers, 2000, 4)
				if strings.Contains(name, "flow") && sources > limits.Exporters/8 { // as good as newcomers: the last to send stay
					recent = 6
				}
				if heard != newcomers/2 || heardLater != newcomers/2 || settled != 6 || recent != 6 {
					t.Errorf("%s: of %d newcomers %d are heard, and %d whose data comes later; %d and %d datagrams of 6 of who was known; lost %v",
						label, newcomers/2, heard, heardLater, settled, recent, s.dropped())
				}
				if s.most > limits.Memory || s.waitMost > limits.AllWaiting {
					t.Errorf("%s: %d bytes, %d waiting", label, s.most, s.waitMost)
				}
				s.store.Close()
				if s.store.Memory() != 0 || s.store.Waiting() != 0 || s.store.Held() != 0 || s.store.Templates() != 0 {
					t.Errorf("%s: %d bytes are left, %d waiting", label, s.store.Memory(), s.store.Waiting())
				}
			}
		}
	}
}

// Several decoders at once, whose exporters share addresses, templates and the room: for the race detector.
func TestDecodersShareTheRoom(t *testing.T) {
	limits := anyClock()
	limits.Memory, limits.AllWaiting, limits.Exporters, limits.Sessions, limits.RateWait = 4<<20, 1<<20, 200, 50, time.Second
	r := newRig(t, limits, parse(t, rated), nil, Options{})
	var all sync.WaitGroup
	var kinds []func(source, n int) []byte
	for _, name := range slices.Sorted(maps.Keys(floods)) {
		kinds = append(kinds, floods[name])
	}
	flows := make([]int, 4)
	for w := range flows {
		d, err := New(r.store, r.layout, nil)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			var out []byte
			now, n := r.now, 0
			for i := range 3000 {
				now = now.Add(time.Millisecond)
				from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i % 7)}), uint16(1000+i%97))
				out, n = d.Append(out[:0], &flow.Datagram{Received: now, From: from, Payload: kinds[i%len(kinds)](i, i/len(kinds)+w)})
				flows[w] += n
				if i%100 == 0 {
					out, n = d.Due(out[:0], now)
					flows[w] += n
					r.store.Expire(now)
					r.store.State()
					r.store.Exporters()
				}
			}
			out, n = d.End(out[:0])
			flows[w] += n
		})
	}
	all.Wait()
	counted := 0
	for p := range r.counts.Flows {
		counted += int(r.counts.Flows[p].Load())
	}
	if sum := flows[0] + flows[1] + flows[2] + flows[3]; sum == 0 || sum != counted {
		t.Errorf("%d flows, %d are counted", sum, counted)
	}
	r.store.Close()
	if r.store.Memory() != 0 || r.store.Waiting() != 0 || r.store.Held() != 0 || r.store.Templates() != 0 {
		t.Errorf("%d bytes are left, %d waiting, %d templates", r.store.Memory(), r.store.Waiting(), r.store.Templates())
	}
}

// An exporter is settled after a minute of flows, and no longer when it has been silent for ten.
func TestExportersSettleAndAreForgotten(t *testing.T) {
	r := newRig(t, anyClock(), parse(t, small), nil, Options{})
	b := build{protocol: flow.NetFlow9}
	first := r.from
	expect := func(from netip.AddrPort, want count.Rank) {
		t.Helper()
		if got := r.exporter(from).Rank(); got != want {
			t.Errorf("%v is %v, not %v", from, got, want)
		}
	}
	r.send(b.datagram())
	expect(first, count.Idle)
	r.send(b.datagram(set(256, be32(1))))
	expect(first, count.Unread)
	r.send(b.datagram(b.template(257, octets)))
	expect(first, count.Flowless)
	r.send(b.datagram(set(257, be32(1))))
	expect(first, count.Recent)
	r.now = r.now.Add(time.Minute)
	r.send(b.datagram(b.template(257, octets)))
	expect(first, count.Recent) // a template is no flow
	r.send(b.datagram(set(257, be32(1))))
	expect(first, count.Settled)
	r.now = r.now.Add(r.store.Limits().Silent)
	r.store.Expire(r.now)
	expect(first, count.Recent)
	r.send(b.datagram(set(257, be32(1))))
	expect(first, count.Settled)

	// It is known after a restart, too.
	next := newRig(t, anyClock(), parse(t, small), nil, Options{})
	next.Restore(nil, r.store.State(), r.now)
	if got := next.exporter(first).Rank(); got != count.Settled {
		t.Errorf("after a restart it is %v", got)
	}
}

// Records that are held for a sampling rate are not lost with their exporter.
func TestHeldFlowsOfExportersThatGiveWayGoOut(t *testing.T) {
	limits := anyClock()
	limits.Exporters, limits.RateWait = 8, time.Minute
	r := newRig(t, limits, parse(t, rated), nil, Options{})
	b := build{protocol: flow.IPFIX}
	flows := 0
	for i := range uint16(100) {
		r.from = netip.AddrPortFrom(r.from.Addr(), 3000+i)
		flows += len(r.send(b.datagram(b.template(256, octets), set(256, be32(7)))))
	}
	if flows != 92 {
		t.Errorf("%d flows", flows)
	}
	if _, n := r.End(nil); n != 8 {
		t.Errorf("%d flows in the end", n)
	}
	r.expect("held", nil)
}

// BenchmarkFlood is the whole form: 10,000 newcomers with the limits that the program has, and the memory of the process.
func BenchmarkFlood(b *testing.B) {
	names := []string{}
	for name := range floods {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, sources := range []int{34, 1000, 60000} {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(name, " ", "-"), sources), func(b *testing.B) {
				for range b.N {
					s := newSiege(b, anyClock(), name, sources, false)
					begin := time.Now()
					heard, heardLater, settled, recent := s.hold(10_000, 17_000, 2)
					b.ReportMetric(float64(heard+heardLater), "newcomers")
					b.ReportMetric(float64(settled+recent), "known")
					b.ReportMetric(float64(s.most)/(1<<20), "MiB")
					b.ReportMetric(float64(time.Since(begin).Microseconds())/float64(s.sent+20_000), "us/datagram")
					b.ReportMetric(float64(s.longest.Microseconds()), "us-longest")
					runtime.GC()
					b.ReportMetric(resident(b)/(1<<20), "MiB-RSS")
				}
			})
		}
	}
}

// resident is the memory of the process, in bytes.
func resident(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		b.Fatal(err)
	}
	return float64(pages * os.Getpagesize())
}
