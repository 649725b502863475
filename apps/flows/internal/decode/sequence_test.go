package decode

import (
	"net/netip"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

func TestGapsInSequenceNumbersAreWhatWasLost(t *testing.T) {
	records := func(n int) []byte { return make([]byte, n*message.RecordSize5) }
	type datagram struct {
		sequence, uptime uint32 // of IPFIX, the seconds of the export instead
		records          int
	}
	for name, c := range map[string]struct {
		protocol       flow.Protocol
		sent           []datagram
		lost, restarts uint64
	}{
		"v5":                     {flow.NetFlow5, []datagram{{100, 1e6, 10}, {110, 1e6, 20}, {130, 1e6, 1}}, 0, 0},
		"v5, flows lost":         {flow.NetFlow5, []datagram{{100, 1e6, 10}, {115, 1e6, 20}, {165, 1e6, 1}}, 35, 0},
		"v5, another order":      {flow.NetFlow5, []datagram{{100, 1e6, 10}, {130, 1e6, 10}, {120, 1e6, 10}, {110, 1e6, 10}, {140, 1e6, 1}}, 0, 0},
		"v5, over the end":       {flow.NetFlow5, []datagram{{1<<32 - 10, 1e6, 10}, {0, 1e6, 10}, {15, 1e6, 10}}, 5, 0},
		"v5, started again":      {flow.NetFlow5, []datagram{{100000, 1e6, 10}, {0, 1000, 10}, {10, 2000, 10}, {25, 3000, 1}}, 5, 1},
		"v5, again, not far":     {flow.NetFlow5, []datagram{{100, 1e6, 10}, {0, 1000, 10}, {10, 2000, 10}}, 0, 1},
		"v9":                     {flow.NetFlow9, []datagram{{1, 1e6, 3}, {2, 1e6, 0}, {5, 1e6, 9}, {6, 1e6, 1}}, 2, 0},
		"v9, started again":      {flow.NetFlow9, []datagram{{100000, 1e6, 3}, {1, 1e6, 0}, {2, 1e6, 0}}, 0, 1},
		"v9, again, far ahead":   {flow.NetFlow9, []datagram{{1, 1e6, 3}, {1 << 30, 1e6, 0}, {1<<30 + 1, 1e6, 0}}, 0, 1},
		"IPFIX":                  {flow.IPFIX, []datagram{{0, 0, 3}, {3, 0, 2}, {5, 0, 0}, {5, 0, 1}}, 0, 0},
		"IPFIX, records lost":    {flow.IPFIX, []datagram{{0, 0, 3}, {10, 0, 2}, {12, 0, 1}}, 7, 0},
		"IPFIX, numbered late":   {flow.IPFIX, []datagram{{3, 0, 3}, {5, 0, 2}, {9, 0, 4}, {10, 0, 1}}, 0, 0},
		"v5, twice":              {flow.NetFlow5, []datagram{{100, 1e6, 10}, {115, 1e6, 10}, {115, 1e6, 10}, {125, 1e6, 10}}, 5, 0},
		"v5, late and twice":     {flow.NetFlow5, []datagram{{100, 1e6, 10}, {130, 1e6, 10}, {120, 1e6, 5}, {120, 1e6, 5}, {140, 1e6, 1}}, 15, 0},
		"v5, late, over the end": {flow.NetFlow5, []datagram{{1<<32 - 20, 1e6, 10}, {10, 1e6, 10}, {1<<32 - 5, 1e6, 10}, {20, 1e6, 1}}, 10, 0},
		"v9, twice":              {flow.NetFlow9, []datagram{{1, 1e6, 3}, {4, 1e6, 1}, {4, 1e6, 1}, {5, 1e6, 1}, {3, 1e6, 1}}, 1, 0},
		"IPFIX, lost after a datagram without records": {flow.IPFIX, []datagram{{0, 0, 5}, {5, 0, 4}, {9, 0, 3}, {12, 0, 0}, {22, 0, 10}, {32, 0, 1}}, 10, 0},
		"IPFIX, numbered late and lost":                {flow.IPFIX, []datagram{{3, 0, 3}, {5, 0, 2}, {9, 0, 4}, {10, 0, 1}, {15, 0, 3}, {22, 0, 7}}, 2, 0},
		"IPFIX, again, not far":                        {flow.IPFIX, []datagram{{0, 0, 30}, {30, 1, 30}, {60, 2, 3}, {0, 3, 10}, {10, 3, 20}, {40, 4, 10}}, 10, 1},
		"IPFIX, again, in the same second":             {flow.IPFIX, []datagram{{0, 0, 30}, {30, 2, 30}, {60, 2, 3}, {0, 2, 10}, {10, 3, 20}, {40, 4, 10}}, 10, 1},
		"IPFIX, another order":                         {flow.IPFIX, []datagram{{0, 0, 3}, {7, 1, 2}, {3, 0, 4}, {9, 1, 1}}, 0, 0},
		"IPFIX, started again":                         {flow.IPFIX, []datagram{{1 << 20, 0, 3}, {0, 0, 2}, {2, 0, 1}}, 0, 1},
	} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
		b := build{protocol: c.protocol, uptime: 1e6}
		if c.protocol != flow.NetFlow5 {
			b.sequence = c.sent[0].sequence
			if c.protocol == flow.NetFlow9 {
				b.sequence--
			}
			r.send(b.datagram(b.template(256, vendorless(999, message.RecordSize5-4), octets)))
		}
		for _, s := range c.sent {
			b.sequence, b.uptime, b.export = s.sequence, s.uptime, 1_800_000_000
			if c.protocol == flow.IPFIX {
				b.uptime, b.export = 0, b.export+s.uptime
			}
			body := records(s.records)
			if c.protocol != flow.NetFlow5 {
				body = set(256, body)
			}
			if n := len(r.send(b.datagram(body))); n != s.records {
				t.Errorf("%s: %d flows of %d", name, n, s.records)
			}
		}
		if e := r.store.Exporters()[0]; e.Lost != c.lost || e.Restarts != c.restarts {
			t.Errorf("%s: %d lost, %d restarts", name, e.Lost, e.Restarts)
		}
	}
}

// sFlow numbers the datagrams of each agent's sub-agent, those without flows as well.
func TestGapsInSequenceNumbersOfSFlow(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	for _, n := range [][3]uint32{{1, 0, 7}, {1, 1, 100}, {1, 0, 8}, {1, 1, 101}, {2, 0, 50}, {1, 0, 11}, {2, 0, 51}, {1, 1, 102}} {
		r.send(be32(5, 1, n[0], n[1], n[2], 1e6, 0))
	}
	if e := r.store.Exporters()[0]; e.Lost != 2 || e.Restarts != 0 || e.Datagrams != 8 {
		t.Errorf("%+v", e)
	}
}

// What cannot be counted says nothing of what follows.
func TestRecordsWithoutTemplateAreNotTakenForLost(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	b := build{protocol: flow.IPFIX}
	r.send(b.datagram(b.template(256, octets)))
	for _, sets := range [][]byte{join(set(256, be32(1, 2)), set(257, be32(1, 2, 3))), set(256, be32(1)), set(256, be32(1))} {
		r.send(b.datagram(sets))
		b.sequence += uint32(len(sets)-4) / 4
		if len(sets) > 20 {
			b.sequence = 5
		}
	}
	b.sequence += 3
	r.send(b.datagram(set(256, be32(1))))
	if e := r.store.Exporters()[0]; e.Lost != 3 || e.Restarts != 0 {
		t.Errorf("%+v", e)
	}
}

// An exporter that is an address may change its port any number of times, as after each of its restarts.
func TestSequenceNumbersAreFollowedAfterManyPorts(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	r.store.ByAddress()
	const ports = 24
	for port := range uint16(ports) {
		r.from = netip.AddrPortFrom(r.from.Addr(), 40_000+port)
		for _, n := range []uint32{0, 5} {
			b := build{protocol: flow.NetFlow5, sequence: n}
			r.now = r.now.Add(time.Second)
			r.send(b.datagram(make([]byte, 2*message.RecordSize5)))
		}
	}
	if e := r.store.Exporters()[0]; e.Lost != 3*ports || e.Restarts != 0 {
		t.Errorf("%+v", e)
	}
}

func TestWhatComesLateIsFound(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	for _, n := range []uint32{0, 6, 2, 4, 10} { // the one at 8 is lost
		b := build{protocol: flow.NetFlow5, sequence: n}
		r.send(b.datagram(make([]byte, 2*message.RecordSize5)))
	}
	if e := r.store.Exporters()[0]; e.Lost != 2 || e.Found != 4 {
		t.Errorf("%+v", e)
	}
}
