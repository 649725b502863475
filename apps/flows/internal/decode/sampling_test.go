package decode

import (
	"fmt"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// rated is a schema with all columns of sampling.
const rated = `
message: Flow
columns:
  - {name: rate, number: 1, type: uint32, from: [34, 50]}
  - {name: known, number: 2, type: bool, from: 4294967295/4}
  - {name: bytes, number: 3, type: uint64, from: [1, 85]}
  - {name: packets, number: 4, type: uint64, from: [2, 86]}
  - {name: bytes_scaled, number: 5, type: uint64, from: 4294967295/5}
  - {name: packets_scaled, number: 6, type: uint64, from: 4294967295/6}
  - {name: in, number: 7, type: uint32, from: 10}
  - {name: out, number: 8, type: uint32, from: 14}
`

var (
	packets  = template.Field{Element: 2, Length: 4}
	in4      = template.Field{Element: 10, Length: 4}
	out4     = template.Field{Element: 14, Length: 4}
	way1     = template.Field{Element: 61, Length: 1}
	rate4    = template.Field{Element: 34, Length: 4}
	system9  = template.Field{Element: 1, Length: 4} // a scope of NetFlow v9
	process  = template.Field{Element: 143, Length: 4}
	sampler1 = template.Field{Element: 48, Length: 1}
)

// rateOf returns the text of the rate of a flow; "none" if it is flagged as unknown.
func rateOf(t *testing.T, text string) string {
	t.Helper()
	known, rate := strings.Contains(text+" ", "known=1 "), ""
	for _, column := range strings.Fields(text) {
		if v, ok := strings.CutPrefix(column, "rate="); ok {
			rate = v
		}
	}
	if known != (rate != "") {
		t.Errorf("%q: the flag contradicts the rate", text)
	}
	if !known {
		return "none"
	}
	return rate
}

func (r *rig) rates(payload []byte) (list []string) {
	r.t.Helper()
	for _, f := range r.send(payload) {
		list = append(list, rateOf(r.t.(*testing.T), f))
	}
	return list
}

// Options about interfaces, their directions, samplers, templates and selection sequences rate the records that are
// about the same.
func TestRatesAreThoseOfWhatTheRecordIsAbout(t *testing.T) {
	v9, ipfix := flow.NetFlow9, flow.IPFIX
	selector, sequence := vendorless(302, 1), vendorless(301, 1)
	type options struct {
		scopes int
		fields []template.Field
		data   []byte
	}
	for name, c := range map[string]struct {
		protocol flow.Protocol
		options  []options
		fields   []template.Field // of the data
		data     []byte
		want     string
	}{
		"interfaces of v9": {v9, []options{{1, []template.Field{vendorless(2, 4), rate4}, be32(1, 100, 2, 1000)}},
			[]template.Field{in4, out4}, be32(1, 2, 2, 1, 3, 1, 7, 8), "100 1000 100 none"},
		"interfaces of IPFIX": {ipfix, []options{{1, []template.Field{in4, rate4}, be32(1, 100, 2, 1000)}},
			[]template.Field{in4, out4}, be32(1, 2, 2, 1, 3, 1), "100 1000 none"},
		"interfaces that are no scope": {v9, []options{{1, []template.Field{system9, in4, rate4}, be32(0, 1, 100, 0, 2, 1000)}},
			[]template.Field{in4}, be32(2, 1), "1000 100"},
		"directions": {ipfix, []options{
			{1, []template.Field{in4, rate4}, be32(1, 100, 2, 200)}, {1, []template.Field{out4, rate4}, be32(1, 300, 2, 400)},
		}, []template.Field{in4, out4, way1}, join(be32(1, 2), []byte{0}, be32(1, 2), []byte{1}, be32(2, 1), []byte{1}), "100 400 300"},
		"direction of v9": {v9, []options{
			{1, []template.Field{vendorless(2, 4), way1, rate4}, join(be32(1), []byte{0}, be32(100), be32(1), []byte{1}, be32(300))},
		}, []template.Field{in4, out4, way1}, join(be32(1, 1), []byte{0}, be32(1, 1), []byte{1}), "100 300"},
		"samplers": {v9, []options{{1, []template.Field{system9, sampler1, vendorless(49, 1), vendorless(50, 4)},
			join(be32(0), []byte{1, 2}, be32(100), be32(0), []byte{2, 2}, be32(200))}},
			[]template.Field{sampler1}, []byte{1, 2, 3, 1}, "100 200 none 100"},
		"sampler of an interface": {v9, []options{
			{1, []template.Field{system9, sampler1, vendorless(50, 4)}, join(be32(0), []byte{1}, be32(100), be32(0), []byte{2}, be32(200))},
			{1, []template.Field{vendorless(2, 4), sampler1}, join(be32(5), []byte{2}, be32(6), []byte{1})},
		}, []template.Field{in4}, be32(5, 6, 7), "200 100 none"},
		"samplers of interfaces": {ipfix, []options{{2, []template.Field{in4, selector, rate4}, join(be32(1), []byte{1}, be32(100), be32(2), []byte{1}, be32(200))}},
			[]template.Field{in4, selector}, join(be32(1), []byte{1}, be32(2), []byte{1}, be32(2), []byte{2}), "100 200 none"},
		"templates": {v9, []options{{1, []template.Field{vendorless(5, 2), rate4}, join(be16(256), be32(100), be16(300), be32(5))}},
			nil, nil, "100"},
		"an interface before the whole": {ipfix, []options{{1, []template.Field{process, rate4}, be32(1, 7)}, {1, []template.Field{in4, rate4}, be32(1, 100)}},
			[]template.Field{in4}, be32(1, 2), "100 7"},
		"a line card is no record's": {v9, []options{{1, []template.Field{vendorless(3, 4), rate4}, be32(1, 100, 2, 200)}},
			[]template.Field{in4}, be32(1), "none"},
		"a selection sequence": {ipfix, []options{
			{1, []template.Field{selector, vendorless(304, 2), vendorless(305, 4), vendorless(306, 4)}, join([]byte{1}, be16(1), be32(1, 9), []byte{2}, be16(1), be32(1, 4))},
			{1, []template.Field{sequence, vendorless(138, 4), selector, selector}, join([]byte{9}, be32(1), []byte{1, 2})},
			{1, []template.Field{sequence, vendorless(138, 4), selector}, join([]byte{8}, be32(1), []byte{1})},
		}, []template.Field{sequence}, []byte{9, 8, 7}, "50 10 none"},
		"a sequence with a filter": {ipfix, []options{
			{1, []template.Field{selector, vendorless(304, 2)}, join([]byte{3}, be16(5))},
			{1, []template.Field{selector, vendorless(304, 2), vendorless(309, 4), vendorless(310, 4)}, join([]byte{4}, be16(3), be32(2, 100))},
			{1, []template.Field{sequence, selector, selector}, []byte{1, 3, 4}},
		}, []template.Field{sequence}, []byte{1}, "50"},
		"a sequence with an unknown sampler": {ipfix, []options{
			{1, []template.Field{selector, rate4}, join([]byte{1}, be32(10))},
			{1, []template.Field{sequence, selector, selector}, []byte{1, 1, 2}},
		}, []template.Field{sequence}, []byte{1}, "none"},
		"probability": {ipfix, []options{{1, []template.Field{process, vendorless(304, 2), vendorless(311, 8)},
			join(be32(1), be16(4), wide(math.Float64bits(0.005), 8))}}, nil, nil, "200"},
		"short probability": {ipfix, []options{{1, []template.Field{process, vendorless(311, 4)}, join(be32(1), be32(math.Float32bits(0.25)))}}, nil, nil, "4"},
		"time":              {ipfix, []options{{1, []template.Field{process, vendorless(307, 4), vendorless(308, 4)}, be32(1, 1000, 63000)}}, nil, nil, "64"},
		"hash": {ipfix, []options{{1, []template.Field{process, vendorless(329, 8), vendorless(330, 8), vendorless(331, 8), vendorless(332, 8)},
			join(be32(1), wide(0, 8), wide(math.MaxUint32, 8), wide(0, 8), wide(1<<24-1, 8))}}, nil, nil, "256"},
		"hash, two ranges": {ipfix, []options{{1, []template.Field{process, vendorless(329, 8), vendorless(330, 8), vendorless(331, 8), vendorless(332, 8), vendorless(331, 8), vendorless(332, 8)},
			join(be32(1), wide(0, 8), wide(99, 8), wide(0, 8), wide(4, 8), wide(50, 8), wide(54, 8))}}, nil, nil, "10"},
		"what records say of themselves": {ipfix, []options{{1, []template.Field{process, rate4}, be32(1, 7)}},
			[]template.Field{vendorless(305, 4), vendorless(306, 4)}, be32(1, 99, 0, 0), "100 7"},
	} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			for _, e := range []flow.Enricher{nil, nothing{}} {
				r := newRig(t, session.DefaultLimits(), parse(t, rated), e, o)
				b := build{protocol: c.protocol}
				fields, data := c.fields, c.data
				if fields == nil {
					fields, data = []template.Field{octets}, be32(5)
				}
				r.send(b.datagram(b.template(256, fields...)))
				for i, x := range c.options {
					r.send(b.datagram(b.options(400+i, x.scopes, x.fields...), set(400+i, x.data)))
				}
				got := strings.Join(r.rates(b.datagram(set(256, data))), " ")
				if got != c.want {
					t.Errorf("%s, %+v: %s instead of %s", name, o, got, c.want)
				}
				r.expect(name, nil)
				if want := uint64(strings.Count(c.want, "none")); r.counts.Unsampled.Load() != want || r.store.Exporters()[0].Unsampled != want {
					t.Errorf("%s: %d flows count as unsampled", name, r.counts.Unsampled.Load())
				}
			}
		}
	}
}

func TestScaledColumnsAreMultiplied(t *testing.T) {
	for _, o := range []Options{{}, {Goflow2: true}} {
		for _, e := range []flow.Enricher{nil, nothing{}} {
			r := newRig(t, session.DefaultLimits(), parse(t, rated), e, o)
			b := build{protocol: flow.IPFIX}
			wideOctets := template.Field{Element: 1, Length: 8}
			r.send(b.datagram(b.template(256, wideOctets, packets)))
			r.expectFlows("unknown", r.send(b.datagram(set(256, wide(1000, 8), be32(2)))), "bytes=1000 packets=2")
			r.send(b.datagram(b.options(300, 1, process, vendorless(309, 4), vendorless(310, 4)), set(300, be32(1, 2, 3))))
			r.expectFlows("two of three", r.send(b.datagram(set(256, wide(1000, 8), be32(2), wide(math.MaxUint64, 8), be32(0)))),
				"rate=2 known=1 bytes=1000 packets=2 bytes_scaled=1500 packets_scaled=3",
				fmt.Sprintf("rate=2 known=1 bytes=%d bytes_scaled=%d", uint64(math.MaxUint64), uint64(math.MaxUint64)))
			r.send(b.datagram(set(300, be32(1, 1, 30000))))
			r.expectFlows("one of many", r.send(b.datagram(set(256, wide(1<<48+1, 8), be32(3)))),
				fmt.Sprintf("rate=30000 known=1 bytes=%d packets=3 bytes_scaled=%d packets_scaled=90000", 1<<48+1, (1<<48+1)*30000))
			five := (&build{protocol: flow.NetFlow5}).datagram(be32(1, 2, 0, 0, 7, 1500, 0, 0, 0, 0, 0, 0))
			five[22], five[23] = 0x40, 10
			r.expectFlows("v5", r.send(five), "rate=10 known=1 bytes=1500 packets=7 bytes_scaled=15000 packets_scaled=70")
		}
	}
}

// The review's case: data comes before the options that rate it.
func TestFlowsWaitForTheirRate(t *testing.T) {
	limits := session.DefaultLimits()
	limits.RateWait = 10 * time.Second
	start := time.Unix(1_800_000_000, 0)
	for _, e := range []flow.Enricher{nil, nothing{}} {
		b := build{protocol: flow.NetFlow9}
		fresh := func() *rig {
			r := newRig(t, limits, parse(t, rated), e, Options{})
			r.expectFlows("held", r.send(b.datagram(b.template(260, octets, in4), set(260, be32(1, 1, 2, 2)))))
			r.now = start.Add(time.Second)
			r.expectFlows("held, too", r.send(b.datagram(set(260, be32(3, 1)))))
			if r.store.Waiting() == 0 || r.counts.Held.Load() != 3 {
				t.Errorf("%d bytes wait, %d flows are held", r.store.Waiting(), r.counts.Held.Load())
			}
			return r
		}
		options, rates := b.options(257, 1, vendorless(2, 4), rate4), set(257, be32(1, 30000, 2, 10))
		r := fresh()
		r.expectFlows("rates come", r.send(b.datagram(options, rates, set(260, be32(4, 2)))),
			"rate=30000 known=1 bytes=1 bytes_scaled=30000 in=1", "rate=10 known=1 bytes=2 bytes_scaled=20 in=2",
			"rate=30000 known=1 bytes=3 bytes_scaled=90000 in=1", "rate=10 known=1 bytes=4 bytes_scaled=40 in=2")
		r.settled()

		r = fresh()
		r.expectFlows("some come", r.send(b.datagram(options, set(257, be32(2, 10)))), "rate=10 known=1 bytes=2 bytes_scaled=20 in=2")
		r.now = start.Add(limits.RateWait)
		r.expectFlows("the time is over", r.send(b.datagram(set(260, be32(5, 3)))), "bytes=1 in=1", "bytes=3 in=1", "bytes=5 in=3")
		if n := r.counts.Unsampled.Load(); n != 3 {
			t.Errorf("%d flows have no rate", n)
		}
		r.settled()

		r = fresh()
		if _, n := r.Due(nil, r.now); n != 0 {
			t.Errorf("%d flows are due", n)
		}
		out, n := r.Due(nil, start.Add(limits.RateWait))
		if got := texts(t, r.layout.Plan.Columns(r.layout.Plan.Root()), out); n != 3 || len(got) != 3 || got[2] != "bytes=3 in=1" {
			t.Errorf("%q", got)
		}
		r.settled()

		r = fresh()
		if _, n := r.End(nil); n != 3 {
			t.Errorf("%d flows at the end", n)
		}
		r.settled()
	}
}

// settled checks that nothing is held, lost or counted twice.
func (r *rig) settled() {
	r.t.Helper()
	if r.store.Waiting() != 0 || r.store.Held() != 0 || r.counts.Held.Load() != 3 {
		r.t.Errorf("%d bytes wait, %d of them for a rate; %d flows were held", r.store.Waiting(), r.store.Held(), r.counts.Held.Load())
	}
	r.expect("settled", nil)
}

// What is held has bounds; without room, flows are flagged and not lost.
func TestFlowsThatWaitForTheirRateAreBounded(t *testing.T) {
	limits := session.DefaultLimits()
	limits.RateWait, limits.Waiting, limits.AllWaiting = time.Minute, 10_000, 10_000
	r := newRig(t, limits, parse(t, rated), nil, Options{})
	b := build{protocol: flow.IPFIX}
	r.send(b.datagram(b.template(256, octets)))
	out := 0
	for range 100 {
		out += len(r.send(b.datagram(set(256, be32(5)))))
		if n := r.store.Waiting(); n > limits.Waiting {
			t.Fatalf("%d bytes wait", n)
		}
	}
	_, rest := r.End(nil)
	if out == 0 || rest == 0 || out+rest != 100 {
		t.Errorf("%d flows went out, %d waited", out, rest)
	}
	r.expect("bounded", nil)
}

// Held records keep their template, although the exporter has replaced or withdrawn it.
func TestHeldFlowsKeepTheirTemplate(t *testing.T) {
	limits := session.DefaultLimits()
	limits.RateWait = time.Minute
	r := newRig(t, limits, parse(t, rated), nil, Options{})
	b := build{protocol: flow.IPFIX}
	r.send(b.datagram(b.template(256, octets), set(256, be32(5))))
	r.send(b.datagram(b.template(256, packets)))
	r.send(b.datagram(set(2, be16(256, 0))))
	r.expectFlows("rated", r.send(b.datagram(b.options(300, 1, process, rate4), set(300, be32(1, 9)))), "rate=9 known=1 bytes=5 bytes_scaled=45")
	if r.store.Close(); r.store.Memory() != 0 {
		t.Errorf("%d bytes are kept", r.store.Memory())
	}
}

func TestTheOperatorsRates(t *testing.T) {
	rules := &sampling.Rules{}
	for text, add := range map[string]func(netip.Prefix, float64){
		"192.0.2.0/24=10": rules.Default, "192.0.2.128/25=20": rules.Default, "192.0.2.7=30": rules.Override, "2001:db8::/32=40": rules.Override,
	} {
		prefix, rate, err := sampling.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		add(prefix, rate)
	}
	for from, want := range map[string][2]string{ // without and with a rate of the exporter
		"192.0.2.1": {"10", "5"}, "192.0.2.200": {"20", "5"}, "192.0.2.7": {"30", "30"}, "2001:db8::1": {"40", "40"}, "198.51.100.1": {"none", "5"},
	} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			for _, e := range []flow.Enricher{nil, nothing{}} {
				r := newRig(t, session.DefaultLimits(), parse(t, rated), e, o)
				r.store.SetRules(rules)
				if err := r.Use(r.layout, e); err != nil { // sFlow takes the rules from there
					t.Fatal(err)
				}
				r.from = netip.AddrPortFrom(netip.MustParseAddr(from), 2055)
				b := build{protocol: flow.IPFIX}
				got := r.rates(b.datagram(b.template(256, octets), set(256, be32(1))))
				got = append(got, r.rates(b.datagram(b.template(257, octets, rate4), set(257, be32(1, 5))))...)
				if got[0] != want[0] || got[1] != want[1] {
					t.Errorf("%s, %+v: %v", from, o, got)
				}
			}
		}
	}
}
