// Package generate simulates exporters and their datagrams: NetFlow v5 and v9, IPFIX and sFlow v5. The same seed
// yields the same datagrams. It keeps account of what it sends, so that the output of a collector can be compared.
//
// Hosts have addresses of the ranges for documentation and benchmarks (192.0.2.0/24, 198.51.100.0/24,
// 203.0.113.0/24, 198.18.0.0/15, 2001:db8::/32). AS numbers are those for documentation, and so is the enterprise
// number (32473). A few hosts send most of the traffic, and a few exporters see most of it.
package generate

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Enterprise is the enterprise number of the IPFIX fields Tenant, 32 bits, and Application, a string of variable
// length.
const (
	Enterprise  = 32473
	Tenant      = 1
	Application = 2
)

// Options configure a generator. Zero values have defaults.
type Options struct {
	Seed           uint64
	Exporters      int             // how many: 8, at most 32768
	Protocols      []flow.Protocol // protocols in turn; default: all
	FlowsPerSecond int             // of all exporters together, by the datagrams' own time; default: 1000
	Start          time.Time       // when the first datagram is sent; default: 1 January 2026
	TemplateEvery  int             // datagrams between two sendings of templates and options; default: 64
}

// Exporter is a simulated exporter, and what it has sent so far.
type Exporter struct {
	From     netip.AddrPort // who sends
	Address  netip.Addr     // the exporter's address: for sFlow the agent, else the sender
	Protocol flow.Protocol
	Rate     uint32 // one packet of this many was sampled
	Sums
}

// Sums are totals of what was sent. Bytes and packets are as exported, not multiplied by sampling rates.
type Sums struct{ Datagrams, Flows, Bytes, Packets uint64 }

func (s *Sums) add(o Sums) {
	s.Datagrams += o.Datagrams
	s.Flows += o.Flows
	s.Bytes += o.Bytes
	s.Packets += o.Packets
}

// account has what exporters have sent.
type account struct{ exporters []Exporter }

// Exporters returns what each exporter has sent so far.
func (t *account) Exporters() []Exporter { return append([]Exporter(nil), t.exporters...) }

// Sums returns what all exporters have sent so far.
func (t *account) Sums() (s Sums) {
	for i := range t.exporters {
		s.add(t.exporters[i].Sums)
	}
	return s
}

// Generator generates datagrams without end. One goroutine may use it.
type Generator struct {
	account
	r       *rand.Rand
	world   *world
	which   *rand.Zipf // index of the exporter that sends next
	senders []sender
	now     time.Time
	perFlow float64 // nanoseconds
	every   int
	buffer  []byte
	last    int // exporter
}

// sender is an exporter's own state.
type sender struct {
	id        uint32 // of the observation domain, the engine, the sub-agent
	boot      time.Time
	sequence  uint32
	datagrams int
	samples   uint32
	write     func(g *Generator, s *sender, e *Exporter, b []byte) ([]byte, Sums)
}

// New creates a generator. It ignores unknown protocols.
func New(o Options) *Generator {
	if o.Exporters <= 0 {
		o.Exporters = 8
	}
	o.Exporters = min(o.Exporters, 1<<15) // for which there are addresses
	if o.FlowsPerSecond <= 0 {
		o.FlowsPerSecond = 1000
	}
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if o.TemplateEvery <= 0 {
		o.TemplateEvery = 64
	}
	writers := map[flow.Protocol]func(*Generator, *sender, *Exporter, []byte) ([]byte, Sums){
		flow.NetFlow5: writeV5, flow.NetFlow9: writeV9, flow.IPFIX: writeIPFIX, flow.SFlow5: writeSFlow,
	}
	var protocols []flow.Protocol
	for _, p := range o.Protocols {
		if writers[p] != nil {
			protocols = append(protocols, p)
		}
	}
	if len(protocols) == 0 {
		protocols = []flow.Protocol{flow.NetFlow9, flow.IPFIX, flow.SFlow5, flow.NetFlow5}
	}
	r := rand.New(rand.NewPCG(o.Seed, 0x666c6f7773))
	g := &Generator{
		r: r, world: newWorld(r), which: rand.NewZipf(r, 1.2, 2, uint64(o.Exporters-1)), now: o.Start,
		perFlow: 1e9 / float64(o.FlowsPerSecond), every: o.TemplateEvery, buffer: make([]byte, 0, 2048),
	}
	for i := range o.Exporters {
		from := netip.AddrFrom4([4]byte{198, 19, byte(i >> 8 & 127), byte(i)})
		e := Exporter{
			From: netip.AddrPortFrom(from, uint16(40000+i%20000)), Address: from,
			Protocol: protocols[i%len(protocols)], Rate: []uint32{1, 100, 512, 1000, 4096}[r.IntN(5)],
		}
		if e.Protocol == flow.SFlow5 {
			e.Address = netip.AddrFrom4([4]byte{198, 19, byte(128 | i>>8&127), byte(i)})
		}
		g.exporters = append(g.exporters, e)
		g.senders = append(g.senders, sender{
			id: uint32(i + 1), boot: o.Start.Add(-time.Duration(1+r.IntN(20*86400)) * time.Second),
			write: writers[e.Protocol],
		})
	}
	return g
}

// Next returns the next datagram. Its payload is valid until the next call.
func (g *Generator) Next() flow.Datagram {
	i := int(g.which.Uint64())
	g.last = i
	s, e := &g.senders[i], &g.exporters[i]
	payload, sums := s.write(g, s, e, g.buffer[:0])
	s.datagrams++
	sums.Datagrams = 1
	e.add(sums)
	d := flow.Datagram{Received: g.now, From: e.From, Payload: payload}
	g.now = g.now.Add(time.Duration(g.perFlow * float64(sums.Flows)))
	return d
}

// repeats reports whether templates and options must be sent.
func (g *Generator) repeats(s *sender) bool { return s.datagrams%g.every == 0 }

// uptime is in milliseconds.
func (s *sender) uptime(at time.Time) uint32 { return uint32(at.Sub(s.boot).Milliseconds()) }
