package decode

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// What options are about depends neither on the order of their fields nor on their lengths, and a report that cannot be
// interpreted is not replaced by a less exact one.
func TestARateIsThatOfItsPartOnly(t *testing.T) {
	v9, ipfix := flow.NetFlow9, flow.IPFIX
	name := func(text string) []byte { return append([]byte(text), make([]byte, 16-len(text))...) }
	selector, sequence, named, point := vendorless(302, 1), vendorless(301, 1), vendorless(82, 16), vendorless(138, 4)
	interval, probable := vendorless(305, 4), vendorless(311, 4)
	type options struct {
		scopes int
		fields []template.Field
		data   []byte
	}
	nine := []template.Field{sequence}
	for range 9 {
		nine = append(nine, selector)
	}
	for title, c := range map[string]struct {
		protocol flow.Protocol
		options  []options
		fields   []template.Field
		data     []byte
		want     string
		unclear  uint64
	}{
		"the direction before the interface": {ipfix, []options{{2, []template.Field{way1, in4, rate4}, join([]byte{1}, be32(1, 300), []byte{0}, be32(1, 100))}},
			[]template.Field{in4, out4, way1}, join(be32(1, 1), []byte{0}, be32(1, 1), []byte{1}), "100 300", 0},
		"two interfaces by name": {ipfix, []options{{1, []template.Field{named, rate4}, join(name("eth0"), be32(10), name("eth1"), be32(20))}},
			[]template.Field{octets}, be32(5), "none", 0},
		"one interface by name": {ipfix, []options{{1, []template.Field{named, rate4}, join(name("eth0"), be32(10))}},
			[]template.Field{octets}, be32(5), "10", 0},
		"two observation points": {ipfix, []options{{1, []template.Field{point, rate4}, be32(1, 10, 2, 20)}},
			[]template.Field{octets}, be32(5), "none", 0},
		"two observation points that agree": {ipfix, []options{{1, []template.Field{point, rate4}, be32(1, 10, 2, 10)}},
			[]template.Field{octets}, be32(5), "10", 0},
		"a sampler of 9 bytes": {v9, []options{{1, []template.Field{system9, vendorless(48, 9), rate4}, join(be32(0), make([]byte, 9), be32(10))}},
			[]template.Field{octets, sampler1}, join(be32(5), []byte{1}), "10", 0},
		"a sequence that is no scope": {ipfix, []options{
			{1, []template.Field{process, selector, rate4}, join(be32(0), []byte{1}, be32(10), be32(0), []byte{2}, be32(3))},
			{1, []template.Field{process, selector, sequence, selector}, join(be32(0), []byte{1, 9, 2})},
		}, []template.Field{sequence}, []byte{9}, "30", 0},
		"an unclear sampler, and the domain": {v9, []options{
			{1, []template.Field{system9, rate4}, be32(0, 7)},
			{1, []template.Field{system9, sampler1, interval}, join(be32(0), []byte{1}, be32(1), be32(0), []byte{2}, be32(50))},
		}, []template.Field{sampler1}, []byte{1, 2, 3, 3}, "none 50 7 7", 1},
		"an unclear interface, and the domain": {ipfix, []options{
			{1, []template.Field{process, rate4}, be32(0, 7)},
			{1, []template.Field{in4, interval}, be32(1, 1, 2, 50)},
		}, []template.Field{in4}, be32(1, 2, 3), "none 50 7", 1},
		"an unclear sampler beside another": {ipfix, []options{
			{1, []template.Field{selector, interval}, join([]byte{1}, be32(1), []byte{2}, be32(50))},
		}, []template.Field{octets}, be32(5), "none", 1},
		"a sequence with an unclear selector": {ipfix, []options{
			{1, []template.Field{process, rate4}, be32(0, 7)},
			{1, []template.Field{selector, interval}, join([]byte{1}, be32(1), []byte{2}, be32(50))},
			{1, []template.Field{sequence, selector, selector}, []byte{1, 1, 2, 3, 2, 2, 4, 5, 2}},
		}, []template.Field{sequence}, []byte{1, 3, 4, 9}, "none 2500 none 7", 1},
		"a sequence beyond all bounds": {ipfix, []options{
			{1, []template.Field{selector, rate4}, join([]byte{1}, be32(10_000), []byte{2}, be32(10_000))},
			{1, []template.Field{sequence, selector, selector}, []byte{1, 1, 2}},
		}, []template.Field{sequence}, []byte{1}, "none", 0},
		"a sequence of nine": {ipfix, []options{
			{1, []template.Field{selector, rate4}, join([]byte{1}, be32(2))},
			{1, nine, []byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		}, []template.Field{sequence}, []byte{1}, "none", 1},
		"a sequence of eight": {ipfix, []options{
			{1, []template.Field{selector, rate4}, join([]byte{1}, be32(2))},
			{1, nine[:9], []byte{1, 1, 1, 1, 1, 1, 1, 1, 1}},
		}, []template.Field{sequence}, []byte{1}, "256", 0},
		"zeros of other options": {v9, []options{
			{1, []template.Field{system9, vendorless(305, 4), vendorless(306, 4)}, be32(0, 1, 99)},
			{1, []template.Field{system9, rate4}, be32(0, 0)},
		}, []template.Field{octets}, be32(5), "100", 1},
		"a sampler of an interface, with a zero": {v9, []options{
			{1, []template.Field{system9, sampler1, rate4}, join(be32(0), []byte{1}, be32(100))},
			{1, []template.Field{vendorless(2, 4), sampler1, rate4}, join(be32(5), []byte{1}, be32(0))},
		}, []template.Field{in4}, be32(5, 6), "100 none", 0},
		"a probability of the wrong length": {ipfix, []options{{1, []template.Field{process, vendorless(311, 3)}, join(be32(1), []byte{1, 2, 3})}},
			[]template.Field{octets}, be32(5), "none", 1},
		"no probability": {ipfix, []options{{1, []template.Field{process, probable}, be32(1, 0x7fc00000)}},
			[]template.Field{octets}, be32(5), "none", 1},
		"a rate twice": {ipfix, []options{{1, []template.Field{process, rate4, rate4}, be32(1, 5, 5)}},
			[]template.Field{octets}, be32(5), "5", 0},
		"two rates": {ipfix, []options{{1, []template.Field{process, rate4, rate4}, be32(1, 5, 6)}},
			[]template.Field{octets}, be32(5), "none", 1},
	} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			r := newRig(t, session.DefaultLimits(), parse(t, rated), nil, o)
			b := build{protocol: c.protocol}
			r.send(b.datagram(b.template(256, c.fields...)))
			for i, x := range c.options {
				r.send(b.datagram(b.options(400+i, x.scopes, x.fields...), set(400+i, x.data)))
			}
			if got := strings.Join(r.rates(b.datagram(set(256, c.data))), " "); got != c.want {
				t.Errorf("%s, %+v: %s instead of %s", title, o, got, c.want)
			}
			if c.unclear > 0 {
				r.expect(title, map[string]uint64{"sampling_unclear": c.unclear})
			} else {
				r.expect(title, nil)
			}
		}
	}
}

// Another collector, and another start of this one, know that a rate is unclear.
func TestUnclearRatesAreKeptInTheState(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	r := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
	r.send(b.datagram(b.options(300, 1, vendorless(302, 1), vendorless(305, 4)), set(300, []byte{1}, be32(1), []byte{2}, be32(50)),
		b.template(256, octets), b.template(257, vendorless(302, 1))))
	next := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
	next.Restore(nil, r.store.State(), next.now)
	for _, r := range []*rig{r, next} {
		if got := r.rates(b.datagram(set(256, be32(5)), set(257, []byte{1, 2}))); strings.Join(got, " ") != "none none 50" {
			t.Errorf("%v", got)
		}
	}
}

// A domain without rates has those of the exporter's other domains, unless one of them is unclear.
func TestUnclearRatesOfOtherDomains(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
	records := build{protocol: flow.IPFIX, domain: 7}
	r.send(records.datagram(records.template(256, octets)))
	for _, c := range []struct {
		domain, interval uint32
		want             string
	}{{1, 50, "50"}, {2, 1, "none"}, {1, 1, "none"}, {2, 50, "none"}, {1, 50, "50"}} {
		b := build{protocol: flow.IPFIX, domain: c.domain}
		r.send(b.datagram(b.options(300, 1, process, vendorless(305, 4)), set(300, be32(9, c.interval))))
		if got := r.rates(records.datagram(set(256, be32(5)))); got[0] != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What cannot be interpreted is counted for each record, once, also if the records are held, and no record waits for the
// rate that it has reported itself.
func TestUnclearRecordsAreCountedOnce(t *testing.T) {
	limits := session.DefaultLimits()
	limits.RateWait = 10 * time.Second
	for _, fields := range [][]template.Field{
		{vendorless(34, 4), vendorless(50, 4), octets}, {title, vendorless(34, 4), vendorless(50, 4), octets}, {vendorless(309, 4), vendorless(310, 4), octets},
	} {
		record := be32(7, 6, 5)
		if fields[0] == title {
			record = append([]byte{1, 'a'}, record...)
		}
		r := newRig(t, limits, parse(t, rated), nil, Options{})
		b := build{protocol: flow.IPFIX}
		flows := r.send(b.datagram(b.template(256, fields...), set(256, bytes.Repeat(record, 3))))
		if len(flows) != 3 || strings.Contains(strings.Join(flows, ""), "rate") {
			t.Errorf("%v: %q", fields, flows)
		}
		r.expect("unclear", map[string]uint64{"sampling_unclear": 3})
		absurd := vendorless(34, 4)
		if flows := r.send(b.datagram(b.template(257, absurd, octets), set(257, be32(1<<30, 5, 1<<30, 6)))); len(flows) != 0 {
			t.Errorf("%q are not held", flows)
		}
		if _, n := r.End(nil); n != 2 {
			t.Errorf("%d were held", n)
		}
		r.expect("absurd and held", map[string]uint64{"sampling_unclear": 3, "sampling_absurd": 2})
	}
}

// The log shows which fields could not be interpreted.
func TestExamplesOfUnclearRates(t *testing.T) {
	for _, c := range []struct {
		fields []template.Field
		data   []byte
		want   string
	}{
		{[]template.Field{vendorless(304, 2), vendorless(310, 4)}, join(be16(3), be32(256)), "304=3, 310=256"},
		{[]template.Field{vendorless(34, 4), vendorless(50, 4)}, be32(10, 20), "34=10, 50=20"},
		{[]template.Field{vendorless(34, 9)}, make([]byte, 9), "34 is no number, or two"},
	} {
		for _, own := range []bool{false, true} {
			r := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
			var examples []string
			r.store.Report(func(l session.Loss) { examples = append(examples, l.Reason.String()+" "+l.Detail) })
			b, want := build{protocol: flow.IPFIX}, "sampling_unclear "+c.want
			if own {
				r.send(b.datagram(b.template(256, append(c.fields, octets)...), set(256, c.data, be32(1))))
			} else {
				r.send(b.datagram(b.options(300, 1, append([]template.Field{process}, c.fields...)...), set(300, be32(1), c.data)))
				want = "sampling_unclear options: " + c.want
			}
			if own && c.fields[0].Length == 9 { // a field that no column can hold
				continue
			}
			if strings.Join(examples, "\n") != want {
				t.Errorf("%q instead of %q", examples, want)
			}
		}
	}
}
