package decode

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

func TestGoflow2sPathGivesTheSameFlowsOfTheCaptures(t *testing.T) {
	for _, c := range captures {
		fused := newRig(t, anyClock(), standard(t), nil, Options{})
		record := newRig(t, anyClock(), standard(t), nothing{}, Options{})
		stock := newRig(t, anyClock(), standard(t), nil, Options{Goflow2: true})
		flows := 0
		for i, b := range capture(t, c.name) {
			want := stock.send(b)
			for _, r := range []*rig{fused, record} {
				if got := r.send(b); !slices.Equal(got, want) {
					t.Fatalf("%s, datagram %d:\n%q instead of\n%q", c.name, i, got, want)
				}
			}
			flows += len(want)
		}
		if flows != c.flows || len(stock.dropped()) > 0 {
			t.Errorf("%s: %d flows, lost %v", c.name, flows, stock.dropped())
		}
	}
}

// everyKind has a column for all that a template may fill, from the element of its number; 2000 more where IANA's element is
// of another type.
const everyKind = `
package: test
message: Flow
columns:
  - {name: small, number: 1, type: uint32, from: 1}
  - {name: large, number: 2, type: uint64, from: [2, 85]}
  - {name: fixed, number: 3, type: fixed64, from: 3}
  - {name: signed, number: 4, type: int32, from: 2004}
  - {name: zigzag, number: 5, type: sint64, from: 2005}
  - {name: flag, number: 6, type: bool, from: 2006}
  - {name: kind, number: 7, type: Kind, from: 7}
  - {name: address, number: 8, type: ip, from: [8, 27]}
  - {name: mac, number: 9, type: mac, from: 56}
  - {name: text, number: 10, type: string, utf8: true, from: 82}
  - {name: raw, number: 11, type: bytes, from: 9/11}
  - {name: single, number: 12, type: float, from: 2012}
  - {name: double, number: 13, type: double, from: 2013}
  - {name: millis, number: 14, type: timestamp(millis), from: [22, 150, 152, 154, 156, 158]}
  - {name: seconds, number: 15, type: timestamp(seconds), from: [21, 151, 153]}
  - {name: nanos, number: 16, type: timestamp(nanos), from: [157, 155]}
  - {name: well, number: 17, type: timestamp(wellknown), from: [325, 323]}
  - {name: span, number: 18, type: duration(micros), from: 161}
  - {name: spun, number: 19, type: duration(wellknown), from: 162}
  - {name: perhaps, number: 20, type: uint32, optional: true, from: [1, 20]}
  - {name: twice, number: 21, type: uint64, from: 1, deferred: true}
  - {name: late, number: 22, type: string, from: 82, deferred: true}
  - {name: drops, number: 23, type: uint32, misfit: drop, from: 2}
  - {name: rate, number: 24, type: uint32, from: 34}
  - {name: list, number: 25, type: repeated uint32, from: 25}
  - {name: pairs, number: 26, type: repeated sint64, from: [2025, 2020, 2004]}
  - {name: floats, number: 27, type: repeated double, from: [2012, 2013]}
  - {name: labels, number: 28, type: repeated uint32, from: [70, 71, 72]}
  - {name: communities, number: 29, type: repeated uint32, from: [485, 483]}
  - {name: path, number: 30, type: repeated uint32, from: 128}
enums:
  Kind:
    values: {NONE: 0, ONE: 1}
`

// randomTemplate makes fields, some of lengths that no column takes, and records of them, some cut off.
func randomTemplate(random *rand.Rand, p flow.Protocol) (fields []template.Field, data []byte) {
	elements := []uint16{1, 2, 85, 3, 2004, 2005, 2006, 7, 8, 27, 56, 82, 2012, 2013, 2020, 2025, 22, 150, 152, 154, 156, 158, 21, 151, 153, 157, 155, 325, 323, 161, 162, 20, 34, 25, 999, 48, 70, 71, 72}
	lengths := []uint16{1, 2, 3, 4, 4, 4, 6, 8, 8, 16, template.VariableLength, 0, 9}
	for range 1 + random.IntN(12) {
		f := template.Field{Element: elements[random.IntN(len(elements))], Length: lengths[random.IntN(len(lengths))]}
		if f.Element >= 70 && f.Element <= 72 && random.IntN(4) > 0 {
			f.Length = 3
		}
		if random.IntN(10) == 0 && p == flow.IPFIX {
			f.Enterprise, f.Element = 9, 11
		}
		fields = append(fields, f)
	}
	fields = append(fields, vendorless(999, 1)) // so that a record is never empty
	for range random.IntN(5) {
		for _, f := range fields {
			n := int(f.Length)
			if n == template.VariableLength {
				n = []int{0, 1, 4, 8, 16, 5, 300}[random.IntN(7)]
				if n < 255 && random.IntN(8) > 0 {
					data = append(data, byte(n))
				} else {
					data = append(data, 255, byte(n>>8), byte(n))
				}
			}
			value := make([]byte, n)
			switch random.IntN(4) {
			case 0: // zero
			case 1:
				for i := range value {
					value[i] = byte(random.Uint32())
				}
			default:
				if n > 0 {
					value[n-1] = byte(random.IntN(128))
				}
				if n > 2 && random.IntN(2) == 0 {
					value[0] = 'a'
				}
			}
			data = append(data, value...)
		}
	}
	if random.IntN(8) == 0 {
		data = data[:random.IntN(len(data)+1)]
	}
	return fields, data
}

// Random templates and records: bytes to bytes, by record, and by goflow2 and handles, the columns are the same.
func TestAllPathsGiveTheSameFlows(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	l := parse(t, everyKind)
	flows := 0
	for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
		rigs := []*rig{newRig(t, session.DefaultLimits(), l, nil, Options{}), newRig(t, session.DefaultLimits(), l, nothing{}, Options{}), newRig(t, session.DefaultLimits(), l, nil, Options{Goflow2: true})}
		b := build{protocol: p, uptime: 100_000}
		for range 3000 {
			fields, data := randomTemplate(random, p)
			datagrams := [][]byte{b.datagram(b.template(256, fields...)), b.datagram(set(256, data))}
			if random.IntN(2) == 0 {
				datagrams = [][]byte{b.datagram(set(256, data), b.template(256, fields...), set(256, data))}
			}
			for _, datagram := range datagrams {
				want := rigs[0].send(datagram)
				flows += len(want)
				for i, r := range rigs[1:] {
					if got := r.send(datagram); !slices.Equal(got, want) {
						t.Fatalf("path %d:\n%q instead of\n%q: %+v of %x", i+1, got, want, fields, data)
					}
				}
			}
			for _, r := range rigs[1:] {
				got, want := r.dropped(), rigs[0].dropped()
				delete(got, "misfit") // of an enum, say, are cut before the record sees them
				delete(want, "misfit")
				if !maps.Equal(got, want) {
					t.Fatalf("lost %v instead of %v: %+v of %x", got, want, fields, data)
				}
			}
		}
	}
	if flows < 5000 {
		t.Errorf("only %d flows", flows)
	}
}
