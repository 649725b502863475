package decode

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

func TestDataSetsWaitForTheirTemplate(t *testing.T) {
	for _, o := range []Options{{}, {Goflow2: true}} {
		l := parse(t, small+"  - {name: received, number: 8, type: timestamp(seconds), from: 258}\n"+
			"  - {name: sequence, number: 9, type: uint32, from: 4294967295/2}\n")
		r := newRig(t, session.DefaultLimits(), l, nil, o)
		b := build{protocol: flow.NetFlow9, uptime: 60_000}
		data := func(v uint32) []byte { return set(256, be32(v, 30_000)) }
		r.expectFlows("without template", r.send(b.datagram(data(1), set(257, be32(9)))))
		r.now, b.export, b.sequence, b.uptime = r.now.Add(time.Second), 1_800_000_001, 1, 61_000
		r.expectFlows("without template", r.send(b.datagram(data(2))))
		if e := r.store.Exporters(); e[0].Waiting == 0 || e[0].Waiting != r.store.Waiting() {
			t.Errorf("%+v, %d bytes wait in all", e, r.store.Waiting())
		}
		// Each has the time of receipt, the sequence number and the clock of its own datagram.
		r.now, b.export, b.sequence, b.uptime = r.now.Add(time.Minute), 1_800_000_061, 2, 121_000
		r.expectFlows("the template comes", r.send(b.datagram(data(3), b.template(256, octets, started), data(4))),
			"type=2 bytes=1 start=1799999970000 received=1800000000",
			"type=2 bytes=2 start=1799999970000 received=1800000001 sequence=1",
			"type=2 bytes=3 start=1799999970000 received=1800000061 sequence=2",
			"type=2 bytes=4 start=1799999970000 received=1800000061 sequence=2")
		if n := r.counts.Released.Load(); n != 3 {
			t.Errorf("%d sets were released", n)
		}
		r.expect("one still waits", nil)
		r.now = r.now.Add(r.store.Limits().WaitingTime)
		r.send(b.datagram())
		r.expect("no longer", map[string]uint64{"waiting_expired": 1})
		if r.store.Waiting() != 0 {
			t.Errorf("%d bytes wait", r.store.Waiting())
		}
	}
}

func TestWhatWaitsIsBounded(t *testing.T) {
	limits := session.DefaultLimits()
	limits.Waiting, limits.AllWaiting = 10_000, 25_000
	r := newRig(t, limits, parse(t, small), nil, Options{})
	b := build{protocol: flow.IPFIX}
	for port := range uint16(4) {
		r.from = netip.AddrPortFrom(r.from.Addr(), 1000+port)
		for id := range 12 {
			r.send(b.datagram(set(256+id, make([]byte, 1000))))
			if n := r.store.Waiting(); n > limits.AllWaiting {
				t.Fatalf("%d bytes wait", n)
			}
		}
	}
	kept := 14 // of 1000 bytes and what belongs to them: whoever has the most yields to others
	r.expect("too much waits", map[string]uint64{"waiting_overflow": uint64(48 - kept)})
	r.store.Expire(r.now.Add(limits.WaitingTime + 1))
	r.expect("no template came", map[string]uint64{"waiting_overflow": uint64(48 - kept), "waiting_expired": uint64(kept)})
}

func TestWhatStillWaitsAtTheEndIsCounted(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	b := build{protocol: flow.IPFIX}
	r.send(b.datagram(set(256, be32(1)), set(257, be32(1))))
	r.store.Close()
	r.expect("closed", map[string]uint64{"waiting_expired": 2})
}

func TestSpoofedExportersDoNotPushOutThoseThatAreHeard(t *testing.T) {
	limits := session.DefaultLimits()
	limits.Exporters = 1000
	r := newRig(t, limits, parse(t, small), nil, Options{})
	b := build{protocol: flow.NetFlow9}
	known, start := r.from, r.now
	r.send(b.datagram(b.template(256, octets)))
	data, spoofed := b.datagram(set(256, be32(5))), b.datagram(b.template(256, octets))
	for i := range uint32(100_000) {
		r.now = start.Add(time.Duration(i) * time.Millisecond)
		r.from = netip.AddrPortFrom(netip.AddrFrom4([4]byte(be32(0x0a000000+i))), 2055)
		r.Append(nil, &flow.Datagram{Received: r.now, From: r.from, Payload: spoofed})
		if i%1000 == 0 {
			r.from = known
			r.expectFlows("who was there", r.send(data), "type=2 bytes=5")
		}
	}
	if n := r.sessions(); n != 1000 || r.store.Memory() > 3<<20 {
		t.Errorf("%d exporters, %d bytes", n, r.store.Memory())
	}
	r.expect("templates without flows give way", nil)
	// Exporters that were silent are evicted first.
	r.now, r.from = start.Add(time.Millisecond*100_000+limits.Silent-10*time.Second), netip.MustParseAddrPort("192.0.2.9:1")
	r.expectFlows("a new one", r.send(b.datagram(b.template(256, octets), set(256, be32(6)))), "type=2 bytes=6")
	r.from = known
	r.expectFlows("who was there", r.send(data), "type=2 bytes=5")
}

// A sender that sends no flow and no template keeps nobody out, whatever it sends and from wherever.
func TestExportersThatGiveNothingMakeRoom(t *testing.T) {
	v5, ipfix := build{protocol: flow.NetFlow5}, build{protocol: flow.IPFIX}
	sample := capture(t, "pmacctd_sflow5.dgrams")[0]
	for name, payload := range map[string][]byte{
		"v5, no records": v5.datagram(), "IPFIX, no sets": ipfix.datagram(), "sets that wait": ipfix.datagram(set(256, be32(5))),
		"no options": ipfix.datagram(set(3, be16(256, 0, 0))), "sFlow": sample,
	} {
		for _, port := range []bool{true, false} {
			limits := session.DefaultLimits()
			limits.Exporters, limits.Sessions = 1000, 500
			r := newRig(t, limits, parse(t, small), nil, Options{})
			b := build{protocol: flow.NetFlow9}
			r.send(b.datagram(b.template(256, octets)))
			first := r.from
			for i := range uint32(20_000) {
				from := netip.AddrPortFrom(first.Addr(), uint16(i+3000))
				if !port {
					from = netip.AddrPortFrom(netip.AddrFrom4([4]byte(be32(0x0a000000+i))), 2055)
				}
				r.Append(nil, &flow.Datagram{Received: r.now, From: from, Payload: payload})
			}
			r.from = netip.AddrPortFrom(first.Addr(), 2056)
			r.expectFlows(name, r.send(b.datagram(b.template(256, octets), set(256, be32(6)))), "type=2 bytes=6")
			r.from = first
			r.expectFlows(name, r.send(b.datagram(set(256, be32(5)))), "type=2 bytes=5")
			if n := r.sessions(); n > 1000 || port && n > 500 || payload[1] == 5 && payload[0] == 0 && len(payload) == 24 && n != 2 {
				t.Errorf("%s: %d exporters", name, n)
			}
		}
	}
}

// One address that does give flows has not all places.
func TestAnAddressHasSoManyPorts(t *testing.T) {
	limits := session.DefaultLimits()
	limits.Sessions = 100
	r := newRig(t, limits, parse(t, small), nil, Options{})
	b := build{protocol: flow.NetFlow5}
	record := make([]byte, message.RecordSize5)
	for i := range 1000 {
		r.from = netip.AddrPortFrom(r.from.Addr(), uint16(3000+i))
		r.send(b.datagram(record))
	}
	r.expect("ports", nil)
	if n := r.sessions(); n != 100 || r.counts.Evictions[count.Recent][count.Ports].Exporters.Load() != 900 {
		t.Errorf("%d sessions", n)
	}
}

func TestExportersAreToldByAddress(t *testing.T) {
	r := newRig(t, anyClock(), standard(t), nil, Options{})
	for i, c := range captures {
		r.now = r.now.Add(time.Second)
		r.from = netip.AddrPortFrom(netip.MustParseAddr("2001:db8::1"), uint16(i))
		for _, b := range capture(t, c.name) {
			r.send(b)
		}
	}
	r.from = netip.MustParseAddrPort("192.0.2.7:1")
	r.send(capture(t, captures[0].name)[0])
	samples := len(r.send(capture(t, "pmacctd_sflow5.dgrams")[0]))
	var text []string
	for _, e := range r.store.Exporters() {
		text = append(text, fmt.Sprint(e.Address, e.Protocols, e.Sessions, e.Datagrams, e.Flows, e.Lost, e.Restarts, e.Templates, e.Last.Sub(e.First)))
	}
	if got := strings.Join(text, "\n"); got != fmt.Sprint("192.0.2.7 [netflow5 sflow5] 1 2 ", 29+samples, " 0 0 0 0s")+"\n2001:db8::1 [netflow5 netflow9 ipfix] 3 121 2970 0 0 10 2s" {
		t.Error(got)
	}
}

// Values that do not fit are counted with the flows that have them, also when these come out of waiting.
func TestMisfitsOfFlowsThatHaveWaitedAreCounted(t *testing.T) {
	limits := session.DefaultLimits()
	limits.RateWait = 10 * time.Second
	for _, e := range []flow.Enricher{nil, nothing{}} {
		for name, release := range map[string]func(r *rig) int{
			"due": func(r *rig) int { _, n := r.Due(nil, r.now.Add(limits.RateWait)); return n },
			"end": func(r *rig) int { _, n := r.End(nil); return n },
		} {
			r := newRig(t, limits, parse(t, small), e, Options{})
			b := build{protocol: flow.IPFIX}
			r.send(b.datagram(b.template(256, octets, template.Field{Enterprise: 9, Element: 1, Length: 8}), set(256, be32(5, 1, 0))))
			r.expect(name, nil)
			if n := release(r); n != 1 {
				t.Errorf("%s: %d flows", name, n)
			}
			r.expect(name, map[string]uint64{"misfit": 1})
			if x := r.store.Exporters()[0]; x.Losses[count.Misfit] != 1 {
				t.Errorf("%s: %+v", name, x)
			}
		}
	}
}
