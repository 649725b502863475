package generate

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"
	"github.com/netsampler/goflow2/v2/decoders/sflow"
	"github.com/netsampler/goflow2/v2/producer"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// stock is goflow2, with a template system for each exporter, as it has itself.
type stock struct {
	t         *testing.T
	templates map[netip.AddrPort]netflow.NetFlowTemplateSystem
	producer  producer.ProducerInterface
	sums      map[netip.Addr]*Sums // by the exporter's address
	rates     map[netip.Addr]map[uint64]int
	sources   map[string]uint64 // bytes
}

func newStock(t *testing.T) *stock {
	config, err := (&protoproducer.ProducerConfig{}).Compile()
	if err != nil {
		t.Fatal(err)
	}
	p, err := protoproducer.CreateProtoProducer(config, protoproducer.CreateSamplingSystem)
	if err != nil {
		t.Fatal(err)
	}
	return &stock{
		t: t, templates: map[netip.AddrPort]netflow.NetFlowTemplateSystem{}, producer: p, sums: map[netip.Addr]*Sums{},
		rates: map[netip.Addr]map[uint64]int{}, sources: map[string]uint64{},
	}
}

func (s *stock) add(d flow.Datagram) {
	s.t.Helper()
	b := bytes.NewBuffer(d.Payload)
	var message any
	var err error
	switch flow.Detect(d.Payload) {
	case flow.SFlow5:
		p := &sflow.Packet{}
		message, err = p, sflow.DecodeMessageVersion(b, p)
	case flow.NetFlow5:
		p := &netflowlegacy.PacketNetFlowV5{}
		message, err = p, netflowlegacy.DecodeMessageVersion(b, p)
	default:
		templates := s.templates[d.From]
		if templates == nil {
			templates = netflow.CreateTemplateSystem()
			s.templates[d.From] = templates
		}
		v9, ipfix := &netflow.NFv9Packet{}, &netflow.IPFIXPacket{}
		err = netflow.DecodeMessageVersion(b, templates, v9, ipfix)
		if message = v9; ipfix.Version == 10 {
			message = ipfix
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if len(d.Payload) > 1472 {
		s.t.Errorf("a datagram of %d bytes", len(d.Payload))
	}
	args := producer.ProduceArgs{Src: d.From, SamplerAddress: d.From.Addr(), TimeReceived: d.Received}
	flows, err := s.producer.Produce(message, &args)
	if err != nil {
		s.t.Fatal(err)
	}
	exporter := d.From.Addr()
	if p, ok := message.(*sflow.Packet); ok {
		exporter, _ = netip.AddrFromSlice(p.AgentIP)
	}
	if s.sums[exporter] == nil {
		s.sums[exporter], s.rates[exporter] = &Sums{}, map[uint64]int{}
	}
	sums := s.sums[exporter]
	sums.Datagrams++
	for _, f := range flows {
		m := f.(*protoproducer.ProtoProducerMessage)
		sums.Flows++
		sums.Bytes += m.Bytes
		sums.Packets += m.Packets
		s.rates[exporter][m.SamplingRate]++
		s.sources[string(m.SrcAddr)] += m.Bytes
		if m.Proto == 0 || m.SrcAs == 0 && m.Type != 1 {
			s.t.Errorf("an empty flow: %+v", m)
		}
	}
	s.producer.Commit(flows)
}

func (s *stock) compare(exporters []Exporter) {
	s.t.Helper()
	if len(s.sums) != len(exporters) {
		s.t.Errorf("%d of %d exporters", len(s.sums), len(exporters))
	}
	for _, e := range exporters {
		if got := s.sums[e.Address]; got == nil || *got != e.Sums {
			s.t.Errorf("%v: %+v instead of %+v", e.Protocol, got, e.Sums)
			continue
		}
		// goflow2 knows the rate of a datagram's options only from the next one on.
		if e.Protocol != flow.NetFlow5 && s.rates[e.Address][uint64(e.Rate)] < int(e.Flows)*9/10 {
			s.t.Errorf("%v: rates %v, not %d", e.Protocol, s.rates[e.Address], e.Rate)
		}
	}
}

func TestAnotherDecoderSumsUpToTheSame(t *testing.T) {
	g := New(Options{Seed: 1, TemplateEvery: 20})
	s := newStock(t)
	for range 5000 {
		s.add(g.Next())
	}
	s.compare(g.Exporters())
	all := g.Sums()
	if all.Datagrams != 5000 || all.Flows < 15000 {
		t.Errorf("%+v", all)
	}
	largest := uint64(0)
	for _, n := range s.sources {
		largest = max(largest, n)
	}
	if len(s.sources) < 1000 || largest < all.Bytes/200 {
		t.Errorf("of %d sources, the largest has %d of %d bytes", len(s.sources), largest, all.Bytes)
	}
}

func TestTheSeedSettlesAll(t *testing.T) {
	make := func(seed uint64) (all [][]byte) {
		g := New(Options{Seed: seed, Exporters: 5})
		for range 300 {
			d := g.Next()
			all = append(all, fmt.Appendf(nil, "%v %v %x", d.From, d.Received, d.Payload))
		}
		return all
	}
	same := func(a, b [][]byte) bool { return bytes.Equal(bytes.Join(a, nil), bytes.Join(b, nil)) }
	if first := make(7); !same(first, make(7)) || same(first, make(8)) {
		t.Error("not as the seed has it")
	}
}

func TestOneExporterOrVeryManyHaveAddressesOfTheirOwn(t *testing.T) {
	for want, n := range map[int]int{1: 1, 3000: 3000, 1 << 15: 1 << 20} {
		g := New(Options{Exporters: n})
		for range 10 {
			g.Next()
		}
		all := map[netip.Addr]bool{}
		for _, e := range g.Exporters() {
			all[e.Address] = true
		}
		if len(all) != want || g.Sums().Datagrams != 10 {
			t.Errorf("%d addresses of %d exporters, %d datagrams", len(all), n, g.Sums().Datagrams)
		}
	}
}

func TestTimeGoesOnWithTheFlows(t *testing.T) {
	start := time.Unix(1800000000, 0)
	g := New(Options{FlowsPerSecond: 100, Start: start, Protocols: []flow.Protocol{flow.NetFlow5}})
	var last flow.Datagram
	for range 1000 {
		last = g.Next()
	}
	seconds := last.Received.Sub(start).Seconds()
	if want := float64(g.Sums().Flows) / 100; seconds < want-1 || seconds > want+1 {
		t.Errorf("%v seconds instead of %v", seconds, want)
	}
	for _, e := range g.Exporters() {
		if e.Protocol != flow.NetFlow5 {
			t.Errorf("an exporter of %v", e.Protocol)
		}
	}
}

func TestARingGoesRoundWithNewNumbers(t *testing.T) {
	r := NewRing(New(Options{Seed: 3}), 200)
	s := newStock(t)
	now := time.Unix(1900000000, 0)
	type stream struct{ sequence, step uint32 }
	seen := map[netip.AddrPort]stream{}
	for i := range 1000 {
		now = now.Add(time.Millisecond)
		d := r.Next(now)
		s.add(d)
		is := stream{sequence: sequence(d.Payload), step: r.made[i%200].step}
		was, ok := seen[d.From]
		if ok && is.sequence != was.sequence+was.step || !d.Received.Equal(now) {
			t.Errorf("datagram %d: %+v after %+v", i, is, was)
		}
		seen[d.From] = is
		at := map[byte]int{5: 8, 9: 8, 10: 4}[d.Payload[1]]
		if at != 0 && int64(big.Uint32(d.Payload[at:])) != now.Unix() {
			t.Errorf("datagram %d: exported at another time", i)
		}
	}
	s.compare(r.Exporters())
	if n := testing.AllocsPerRun(1000, func() { r.Next(now) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRing(b *testing.B) {
	r := NewRing(New(Options{Seed: 3}), 1024)
	now := time.Now()
	for b.Loop() {
		r.Next(now)
	}
	b.ReportMetric(float64(r.Sums().Flows)/b.Elapsed().Seconds(), "flows/s")
}

func BenchmarkGenerator(b *testing.B) {
	g := New(Options{Seed: 3})
	for b.Loop() {
		g.Next()
	}
	b.ReportMetric(float64(g.Sums().Flows)/b.Elapsed().Seconds(), "flows/s")
}
