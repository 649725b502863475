package decode

import (
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

const timed = `
message: Flow
columns:
  - {name: start, number: 1, type: timestamp(millis), from: [152, 22, 150]}
  - {name: end, number: 2, type: timestamp(millis), from: [153, 21, 151]}
  - {name: bytes, number: 3, type: uint64, from: 1}
  - {name: numbers, number: 4, type: repeated uint32, from: 483}
  - {name: rate, number: 5, type: uint32, from: [34, 50]}
`

// Times since a start that the exporter has not reported count from the export, so that a flow keeps its length.
func TestTimesOfIPFIXWithoutAStartCountFromTheExport(t *testing.T) {
	end, start, boot := vendorless(21, 4), vendorless(22, 4), vendorless(160, 8)
	end8, start8 := vendorless(21, 8), vendorless(22, 8)
	const last = 1<<32 - 1
	for name, c := range map[string]struct {
		fields []template.Field
		data   []byte
		want   string
		lost   uint64
	}{
		"both":                 {[]template.Field{octets, start, end}, be32(5, 1000, 10_000), "start=1799999991000 end=1800000000000 bytes=5", 1},
		"the end first":        {[]template.Field{end, start, octets}, be32(10_000, 1000, 5), "start=1799999991000 end=1800000000000 bytes=5", 1},
		"of 64 bits":           {[]template.Field{octets, start8, end8}, join(be32(5), wide(1000, 8), wide(10_000, 8)), "start=1799999991000 end=1800000000000 bytes=5", 1},
		"at once":              {[]template.Field{octets, start, end}, be32(5, 7, 7), "start=1800000000000 end=1800000000000 bytes=5", 1},
		"over the wrap":        {[]template.Field{octets, start, end}, be32(5, last-999, 500), "start=1799999998500 end=1800000000000 bytes=5", 1},
		"before the wrap":      {[]template.Field{octets, start, end}, be32(5, last-9000, last), "start=1799999991000 end=1800000000000 bytes=5", 1},
		"the end alone":        {[]template.Field{octets, end}, be32(5, 123_456_789), "end=1800000000000 bytes=5", 1},
		"the start alone":      {[]template.Field{octets, start}, be32(5, 123_456_789), "start=1800000000000 bytes=5", 1},
		"records of their own": {[]template.Field{octets, start, end}, be32(5, 1000, 10_000, 6, 1000, 10_000, 7, 8000, 10_500), "start=1799999991000 end=1800000000000 bytes=5; start=1799999991000 end=1800000000000 bytes=6; start=1799999997500 end=1800000000000 bytes=7", 3},
		"behind a string":      {[]template.Field{title, octets, start, end}, join([]byte{1, 'a'}, be32(5, 1000, 10_000), []byte{0}, be32(6, 1, 2)), "start=1799999991000 end=1800000000000 bytes=5; start=1799999999999 end=1800000000000 bytes=6", 2},
		"with lists":           {[]template.Field{octets, start, end, vendorless(483, 4)}, be32(5, 1000, 10_000, 9), "start=1799999991000 end=1800000000000 bytes=5 numbers=9", 1},
		"some have a start":    {[]template.Field{octets, start, end, boot}, join(be32(5, 1000, 2000), wide(1_799_999_990_000, 8), be32(6, 1000, 2000), wide(0, 8)), "start=1799999991000 end=1799999992000 bytes=5; start=1799999999000 end=1800000000000 bytes=6", 1},
		"other times":          {[]template.Field{octets, start, end, vendorless(152, 8), vendorless(153, 8)}, join(be32(5, 1000, 2000), wide(1_799_999_000_000, 8), wide(1_799_999_001_000, 8)), "start=1799999000000 end=1799999001000 bytes=5", 0},
		"one other time":       {[]template.Field{octets, start, end, vendorless(152, 8)}, join(be32(5, 1000, 2000), wide(1_799_999_000_000, 8)), "start=1799999000000 end=1800000000000 bytes=5", 1},
	} {
		for _, e := range []flow.Enricher{nil, nothing{}} {
			for _, o := range []Options{{}, {Goflow2: true}} {
				r := newRig(t, session.DefaultLimits(), parse(t, timed), e, o)
				b := build{protocol: flow.IPFIX}
				if got := strings.Join(r.send(b.datagram(b.template(256, c.fields...), set(256, c.data))), "; "); got != c.want {
					t.Errorf("%s, %+v: %s instead of %s", name, o, got, c.want)
				}
				want := map[string]uint64{"no_boot_time": c.lost}
				if c.lost == 0 {
					want = nil
				}
				r.expect(name, want)
			}
		}
	}
}

// The exporter's clock is checked as always, a biflow has the times of both directions, and the start may come later.
func TestTimesWithoutAStartInOtherWays(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	fields := []template.Field{octets, vendorless(22, 4), vendorless(21, 4)}
	r := newRig(t, session.DefaultLimits(), parse(t, timed), nil, Options{})
	b.export = 1_600_000_000
	r.expectFlows("another clock", r.send(b.datagram(b.template(256, fields...), set(256, be32(5, 1000, 10_000)))), "start=1799999991000 end=1800000000000 bytes=5")
	r.expect("another clock", map[string]uint64{"clock_jump": 1, "no_boot_time": 1})
	b.export = 0

	r = newRig(t, session.DefaultLimits(), parse(t, timed), nil, Options{})
	reverse := template.Field{Enterprise: ipfix.ReversePEN, Element: 1, Length: 4}
	r.expectFlows("a biflow", r.send(b.datagram(b.template(256, append(fields, reverse)...), set(256, be32(5, 1000, 10_000, 6)))),
		"start=1799999991000 end=1800000000000 bytes=5", "start=1799999991000 end=1800000000000 bytes=6")
	r.expect("a biflow", map[string]uint64{"no_boot_time": 2})

	limits := session.DefaultLimits()
	limits.RateWait = time.Minute
	r = newRig(t, limits, parse(t, timed), nil, Options{})
	r.expectFlows("held", r.send(b.datagram(b.template(256, fields...), set(256, be32(5, 1000, 10_000)))))
	r.now = r.now.Add(5 * time.Second)
	b.export = 1_800_000_005
	r.expectFlows("rated", r.send(b.datagram(b.options(300, 1, process, rate4), set(300, be32(1, 9)))), "start=1799999991000 end=1800000000000 bytes=5 rate=9")
	r.expect("held", map[string]uint64{"no_boot_time": 1})
	r.send(b.datagram(b.options(301, 1, process, vendorless(160, 8)), set(301, be32(1), wide(1_799_999_000_000, 8))))
	r.expectFlows("started", r.send(b.datagram(set(256, be32(5, 1000, 10_000)))), "start=1799999001000 end=1799999010000 bytes=5 rate=9")
	r.expect("started", map[string]uint64{"no_boot_time": 1})

	r = newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{}) // which has no column of time
	r.expectFlows("no column", r.send(b.datagram(b.template(256, fields...), set(256, be32(5, 1000, 10_000)))), "bytes=5")
	r.expect("no column", nil)

	r = newRig(t, session.DefaultLimits(), parse(t, timed), nil, Options{})
	v9 := build{protocol: flow.NetFlow9, uptime: 20_000}
	r.expectFlows("v9", r.send(v9.datagram(v9.template(256, fields...), set(256, be32(5, 1000, 10_000)))), "start=1799999981000 end=1799999990000 bytes=5")
	r.expect("v9", nil)
}

// An end that is no number of 32 bits is none: the start is the export then.
func TestAnEndThatIsNoTimeIsNoReference(t *testing.T) {
	for _, end := range [][]byte{append(make([]byte, 29), 1), wide(1<<32, 8), {}} {
		r := newRig(t, session.DefaultLimits(), parse(t, timed), nil, Options{})
		b := build{protocol: flow.IPFIX, export: 1_800_000_000}
		record := append(append([]byte{byte(len(end))}, end...), be32(7000)...)
		r.send(b.datagram(b.template(256, vendorless(21, template.VariableLength), vendorless(22, 4))))
		got := r.send(b.datagram(set(256, record)))
		if len(got) != 1 || !strings.Contains(got[0], "start=1800000000000") || strings.Contains(got[0], "end=") {
			t.Errorf("an end of %x: %v", end, got)
		}
	}
}
