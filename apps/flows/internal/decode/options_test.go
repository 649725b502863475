package decode

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

func TestSamplingRatesAreThoseOfOptions(t *testing.T) {
	sampler := vendorless(48, 1)
	for name, c := range map[string]struct {
		fields  []template.Field // the first is the scope
		records []byte
		want    [3]string // of a record without sampler, with sampler 1, with sampler 2
		lost    map[string]uint64
	}{
		"of the domain":       {[]template.Field{vendorless(143, 4), vendorless(34, 4)}, be32(7, 100), [3]string{"100", "100", "100"}, nil},
		"random":              {[]template.Field{vendorless(143, 4), vendorless(50, 4)}, be32(7, 100), [3]string{"100", "100", "100"}, nil},
		"interval and space":  {[]template.Field{vendorless(143, 4), vendorless(305, 4), vendorless(306, 4)}, be32(7, 1, 99), [3]string{"100", "100", "100"}, nil},
		"ten of thousand":     {[]template.Field{vendorless(143, 4), vendorless(305, 4), vendorless(306, 4)}, be32(7, 10, 990), [3]string{"100", "100", "100"}, nil},
		"interval alone":      {[]template.Field{vendorless(143, 4), vendorless(305, 4)}, be32(7, 100), [3]string{"100", "100", "100"}, nil},
		"size and population": {[]template.Field{vendorless(143, 4), vendorless(309, 4), vendorless(310, 4)}, be32(7, 5, 500), [3]string{"100", "100", "100"}, nil},
		"one sampler":         {[]template.Field{vendorless(143, 4), sampler, vendorless(34, 4)}, join(be32(7), []byte{1}, be32(100)), [3]string{"100", "100", ""}, nil},
		"two samplers": {[]template.Field{vendorless(143, 4), vendorless(302, 1), vendorless(34, 4)},
			join(be32(7), []byte{1}, be32(100), be32(7), []byte{2}, be32(200)), [3]string{"", "100", "200"}, nil},
		"the first zero, the second not":   {[]template.Field{vendorless(143, 4), vendorless(34, 4), vendorless(50, 4)}, be32(7, 0, 100), [3]string{"100", "100", "100"}, nil},
		"changed":                          {[]template.Field{vendorless(143, 4), vendorless(34, 4)}, be32(7, 50, 7, 100), [3]string{"100", "100", "100"}, nil},
		"zero":                             {[]template.Field{vendorless(143, 4), vendorless(34, 4)}, be32(7, 0), [3]string{}, map[string]uint64{"sampling_unclear": 1}},
		"absurd":                           {[]template.Field{vendorless(143, 4), vendorless(34, 4)}, be32(7, 1<<24+1), [3]string{}, map[string]uint64{"sampling_absurd": 1}},
		"absurd, after a sensible one":     {[]template.Field{vendorless(143, 4), vendorless(34, 4)}, be32(7, 100, 7, 1<<31), [3]string{}, map[string]uint64{"sampling_absurd": 1}},
		"none chosen":                      {[]template.Field{vendorless(143, 4), vendorless(305, 4), vendorless(306, 4)}, be32(7, 0, 99), [3]string{}, map[string]uint64{"sampling_unclear": 1}},
		"a rate of 64 bits":                {[]template.Field{vendorless(143, 4), vendorless(305, 8), vendorless(306, 8)}, join(be32(7), wide(1, 8), wide(1<<63, 8)), [3]string{}, map[string]uint64{"sampling_absurd": 1}},
		"more than a number":               {[]template.Field{vendorless(143, 4), vendorless(34, 9)}, make([]byte, 13), [3]string{}, map[string]uint64{"sampling_unclear": 1}},
		"zero, after a sensible one":       {[]template.Field{vendorless(143, 4), vendorless(34, 4)}, be32(7, 100, 7, 0), [3]string{}, map[string]uint64{"sampling_unclear": 1}},
		"one packet, after a sensible one": {[]template.Field{vendorless(143, 4), vendorless(305, 4)}, be32(7, 100, 7, 1), [3]string{}, map[string]uint64{"sampling_unclear": 1}},
		"sensible, after an unclear one":   {[]template.Field{vendorless(143, 4), vendorless(305, 4)}, be32(7, 1, 7, 100), [3]string{"100", "100", "100"}, map[string]uint64{"sampling_unclear": 1}},
		"unclear of one sampler": {[]template.Field{vendorless(143, 4), vendorless(302, 1), vendorless(305, 4)},
			join(be32(7), []byte{1}, be32(100), be32(7), []byte{2}, be32(1)), [3]string{"", "100", ""}, map[string]uint64{"sampling_unclear": 1}},
	} {
		for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
			for _, o := range []Options{{}, {Goflow2: true}} {
				for _, e := range []flow.Enricher{nil, nothing{}} {
					subject := fmt.Sprintf("%s, %v, %+v, enricher %v", name, p, o, e)
					r := newRig(t, session.DefaultLimits(), parse(t, small), e, o)
					b := build{protocol: p}
					templates := []template.Field{octets, sampler, title}
					if p == flow.NetFlow9 {
						templates[2] = vendorless(82, 1)
					}
					r.send(b.datagram(b.options(300, 1, c.fields...), set(300, c.records), b.template(256, octets), b.template(257, octets, sampler), b.template(258, templates...)))
					var got []string
					got = append(got, r.send(b.datagram(set(256, be32(5))))...)
					got = append(got, r.send(b.datagram(set(257, be32(5), []byte{1}, be32(5), []byte{1}, be32(5), []byte{2}, be32(5), []byte{1})))...)
					last := []byte{2, 0}
					got = append(got, r.send(b.datagram(set(258, be32(5), last)))...)
					var want []string
					for _, i := range []int{0, 1, 1, 2, 1, 2} {
						text := fmt.Sprintf("type=%d rate=%s bytes=5", p, c.want[i])
						if c.want[i] == "" {
							text = fmt.Sprintf("type=%d bytes=5", p)
						}
						want = append(want, text)
					}
					r.expectFlows(subject, got, want...)
					r.expect(subject, c.lost)
				}
			}
		}
	}
}

func TestARecordsOwnRateWins(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	for _, e := range []flow.Enricher{nil, nothing{}} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), e, Options{})
		r.send(b.datagram(b.options(300, 1, vendorless(143, 4), vendorless(34, 4)), set(300, be32(1, 100))))
		r.expectFlows("own", r.send(b.datagram(b.template(256, octets, vendorless(50, 4)), set(256, be32(1, 7, 2, 0)))),
			"type=3 rate=7 bytes=1", "type=3 rate=100 bytes=2")
	}
}

// Absurd rates of records are no better than those of options, and cost nothing but themselves.
func TestARecordsAbsurdRateIsCounted(t *testing.T) {
	const absurd = 1<<32 - 1
	for _, e := range []flow.Enricher{nil, nothing{}} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			r := newRig(t, session.DefaultLimits(), parse(t, small), e, o)
			b := build{protocol: flow.IPFIX}
			r.send(b.datagram(b.options(300, 1, vendorless(143, 4), vendorless(34, 4)), set(300, be32(1, 100))))
			data := set(256, be32(1, absurd, 2, 50, 3, absurd))
			before := bytes.Clone(data)
			r.expectFlows("34", r.send(b.datagram(b.template(256, octets, vendorless(34, 4)), data)),
				"type=3 rate=100 bytes=1", "type=3 rate=50 bytes=2", "type=3 rate=100 bytes=3")
			if !bytes.Equal(data, before) {
				t.Error("the datagram was changed")
			}
			r.expectFlows("50, behind a string", r.send(b.datagram(b.template(257, title, vendorless(50, 4), octets), set(257, []byte{1, 'a'}, be32(absurd, 7), []byte{0}, be32(50, 8)))),
				"type=3 rate=100 bytes=7 name=a", "type=3 rate=50 bytes=8")
			r.expect("records", map[string]uint64{"sampling_absurd": 3})
		}
	}
	limits := session.DefaultLimits()
	limits.SamplingRate = 50
	five := (&build{protocol: flow.NetFlow5}).datagram(make([]byte, message.RecordSize5))
	five[23] = 100
	r := newRig(t, limits, parse(t, small), nil, Options{})
	r.expectFlows("v5", r.send(five), "type=1 start=1800000000000")
	r.expect("v5", map[string]uint64{"sampling_absurd": 1})
	sample := capture(t, "pmacctd_sflow5.dgrams")[0]
	limits.SamplingRate = 0
	for _, e := range []flow.Enricher{nil, nothing{}} {
		r = newRig(t, limits, parse(t, small), e, Options{})
		flows := r.send(sample)
		for _, f := range flows {
			if strings.Contains(f, "rate=") {
				t.Error(f)
			}
		}
		r.expect("sFlow", map[string]uint64{"sampling_absurd": uint64(len(flows))})
	}
}

// Of how many packets so many were chosen takes two elements to tell, which no column has both of.
func TestARecordsPacketIntervalIsNoRate(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	r := newRig(t, session.DefaultLimits(), standard(t), nil, Options{})
	r.send(b.datagram(b.options(300, 1, vendorless(143, 4), vendorless(34, 4)), set(300, be32(1, 100))))
	flows := r.send(b.datagram(b.template(256, octets, vendorless(305, 4), vendorless(306, 4)), set(256, be32(1, 1, 99))))
	if len(flows) != 1 || !strings.Contains(flows[0], "sampling_rate=100 ") {
		t.Errorf("%q", flows)
	}
}

func TestNetFlow5HasItsRateInTheHeader(t *testing.T) {
	b := build{protocol: flow.NetFlow5}
	datagram := b.datagram(be32(0x01020304, 0, 0, 0, 0, 1500, 0, 0, 0, 0, 0, 0))
	datagram[22], datagram[23] = 0x40, 100 // chosen one after the other, one of 100
	for _, o := range []Options{{}, {Goflow2: true}} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, o)
		r.expectFlows("rate", r.send(datagram), "type=1 rate=100 bytes=1500 src=1.2.3.4 start=1800000000000")
	}
}

func TestSamplersAreBounded(t *testing.T) {
	limits := session.DefaultLimits()
	limits.Samplers = 10
	r := newRig(t, limits, parse(t, small), nil, Options{})
	b := build{protocol: flow.IPFIX}
	r.send(b.datagram(b.options(300, 1, vendorless(302, 4), vendorless(34, 4))))
	for i := range uint32(50) {
		r.send(b.datagram(set(300, be32(i%25, 100))))
	}
	r.expect("samplers", map[string]uint64{"sampler_limit": 30})
}

// The scope types of NetFlow v9 are no elements: 2 is an interface, not packets, and 34 and 48 would be no rate and no sampler.
func TestScopesOfNetFlow9AreNoElements(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	b := build{protocol: flow.NetFlow9}
	r.send(b.datagram(b.options(300, 3, vendorless(2, 4), vendorless(34, 4), vendorless(48, 1), vendorless(50, 2)),
		set(300, be32(1, 5), []byte{9}, be16(100)), b.template(256, octets, vendorless(48, 1))))
	r.expectFlows("rate of the domain", r.send(b.datagram(set(256, be32(5), []byte{3}, make([]byte, 3)))), "type=2 rate=100 bytes=5")
	r.expect("scopes", nil)
}

// Rates of interfaces are no rate of the domain, unless all are the same.
func TestRatesOfInterfacesAreNotTheDomains(t *testing.T) {
	for p, scope := range map[flow.Protocol]uint16{flow.NetFlow9: 2, flow.IPFIX: 10} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
		b := build{protocol: p}
		r.send(b.datagram(b.options(300, 1, vendorless(scope, 4), vendorless(34, 4)), set(300, be32(1, 100, 2, 100)), b.template(256, octets)))
		r.expectFlows("the same", r.send(b.datagram(set(256, be32(5)))), fmt.Sprintf("type=%d rate=100 bytes=5", p))
		r.send(b.datagram(set(300, be32(2, 2000))))
		r.expectFlows("different", r.send(b.datagram(set(256, be32(5)))), fmt.Sprintf("type=%d bytes=5", p))
		r.send(b.datagram(b.options(301, 1, vendorless(1000, 4), vendorless(34, 4)), set(301, be32(1, 300))))
		r.expectFlows("and one of all", r.send(b.datagram(set(256, be32(5)))), fmt.Sprintf("type=%d rate=300 bytes=5", p))
		r.expect("interfaces", nil)
	}
}

// Some exporters tell the rate in another domain than that of the records.
func TestADomainWithoutRatesHasTheExportersOnlyOne(t *testing.T) {
	for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
		options, records := build{protocol: p}, build{protocol: p, domain: 7}
		r.send(options.datagram(options.options(300, 1, vendorless(143, 4), vendorless(34, 4)), set(300, be32(1, 100))))
		expect := func(subject, rate string) {
			t.Helper()
			r.expectFlows(subject, r.send(records.datagram(records.template(256, octets), set(256, be32(5)))), fmt.Sprintf("type=%d%s bytes=5", p, rate))
		}
		expect("the only one", " rate=100")
		options.domain = 1
		r.send(options.datagram(options.options(300, 1, vendorless(143, 4), vendorless(34, 4)), set(300, be32(1, 200))))
		expect("two", "")
		r.send(options.datagram(set(300, be32(1, 100))))
		expect("the same", " rate=100")
		options.domain = 7
		r.send(options.datagram(options.options(300, 1, vendorless(143, 4), vendorless(34, 4)), set(300, be32(1, 300))))
		expect("its own", " rate=300")
	}
}

// Samplers that are neither used nor told again make room.
func TestSamplersOfNoUseAreGivenUp(t *testing.T) {
	limits := anyClock()
	limits.Samplers, limits.Lifetime = 10, time.Hour
	r := newRig(t, limits, parse(t, small), nil, Options{})
	b := build{protocol: flow.IPFIX}
	r.send(b.datagram(b.options(300, 1, vendorless(302, 4), vendorless(34, 4)), b.template(256, octets, vendorless(302, 4)), set(256, be32(5, 0))))
	memory := r.store.Memory()
	for i := range uint32(10) {
		r.send(b.datagram(set(300, be32(i, 100+i))))
	}
	full := r.store.Memory()
	for range 20 {
		r.now = r.now.Add(10 * time.Minute)
		r.expectFlows("used", r.send(b.datagram(set(256, be32(5, 0)), set(300, be32(1, 101)))), "type=3 rate=100 bytes=5")
	}
	if d := r.known(flow.IPFIX); d.Rates.Len() != 2 || r.store.Memory() != memory+(full-memory)/5 {
		t.Errorf("%d rates, %d bytes more; ten took %d", d.Rates.Len(), r.store.Memory()-memory, full-memory)
	}
	r.expect("samplers", nil)
}

func TestOptionsWaitForTheirTemplateToo(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	b := build{protocol: flow.IPFIX}
	r.send(b.datagram(set(300, be32(1, 100)), b.options(300, 1, vendorless(143, 4), vendorless(34, 4)), b.template(256, octets)))
	r.expectFlows("rate", r.send(b.datagram(set(256, be32(5)))), "type=3 rate=100 bytes=5")
	if r.counts.Options.Load() != 1 || r.counts.Released.Load() != 1 {
		t.Errorf("%d options records, %d released", r.counts.Options.Load(), r.counts.Released.Load())
	}
}

func TestTimesOfIPFIXCountFromTheStartThatOptionsTell(t *testing.T) {
	for _, o := range []Options{{}, {Goflow2: true}} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, o)
		b := build{protocol: flow.IPFIX}
		r.expectFlows("not told", r.send(b.datagram(b.template(256, octets, started), set(256, be32(5, 1000)))), "type=3 bytes=5 start=1800000000000")
		r.expect("not told", map[string]uint64{"no_boot_time": 1})
		r.send(b.datagram(b.options(300, 1, vendorless(143, 4), vendorless(160, 8)), set(300, be32(1), wide(1_799_999_000_000, 8))))
		r.expectFlows("told", r.send(b.datagram(set(256, be32(5, 1000)))), "type=3 bytes=5 start=1799999001000")
	}
}

func TestTimesOfIPFIXCountFromTheStartThatRecordsTell(t *testing.T) {
	init, sampler := vendorless(160, 8), vendorless(48, 1)
	for _, e := range []flow.Enricher{nil, nothing{}} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			r := newRig(t, session.DefaultLimits(), parse(t, small), e, o)
			b := build{protocol: flow.IPFIX}
			const boot = 1_799_999_000_000
			r.expectFlows("each its own", r.send(b.datagram(b.template(256, octets, started, init),
				set(256, be32(5, 1000), wide(boot, 8), be32(6, 1000), wide(boot+500, 8)))),
				"type=3 bytes=5 start=1799999001000", "type=3 bytes=6 start=1799999001500")
			r.send(b.datagram(b.options(300, 1, sampler, vendorless(34, 4)), set(300, []byte{7}, be32(100))))
			r.expectFlows("with a sampler, behind a string", r.send(b.datagram(b.template(257, octets, started, title, init, sampler),
				set(257, be32(5, 1000), []byte{1, 'a'}, wide(boot, 8), []byte{7}, be32(6, 1000), []byte{0}, wide(boot, 8), []byte{8}))),
				"type=3 rate=100 bytes=5 name=a start=1799999001000", "type=3 bytes=6 start=1799999001000")
			r.expect("told", nil)
			r.expectFlows("not told", r.send(b.datagram(set(256, be32(5, 1000), wide(0, 8)))), "type=3 rate=100 bytes=5 start=1800000000000")
			r.expect("not told", map[string]uint64{"no_boot_time": 1})
		}
	}
}

func TestClocksThatCannotBeRightAreNotBelieved(t *testing.T) {
	for _, o := range []Options{{}, {Goflow2: true}} {
		for _, skew := range []time.Duration{-25 * time.Hour, -23 * time.Hour, 0, 23 * time.Hour, 25 * time.Hour, 20000 * time.Hour} {
			r := newRig(t, session.DefaultLimits(), parse(t, small), nil, o)
			b := build{protocol: flow.NetFlow9, uptime: 10_000, export: uint32(1_800_000_000 + skew/time.Second)}
			want, lost := 1_800_000_000_000+skew.Milliseconds()-4000, map[string]uint64(nil)
			if skew.Abs() > 24*time.Hour {
				want, lost = 1_800_000_000_000-4000, map[string]uint64{"clock_jump": 1}
			}
			r.expectFlows(fmt.Sprint(skew), r.send(b.datagram(b.template(256, octets, started), set(256, be32(5, 6000)))),
				fmt.Sprintf("type=2 bytes=5 start=%d", want))
			r.expect(fmt.Sprint(skew), lost)
		}
	}
	r := newRig(t, anyClock(), parse(t, small), nil, Options{})
	b := build{protocol: flow.NetFlow9, uptime: 10_000, export: 1}
	r.expectFlows("any clock", r.send(b.datagram(b.template(256, octets, vendorless(150, 4)), set(256, be32(5, 6000)))), "type=2 bytes=5 start=6000000")
	r.expect("any clock", nil)
}
