package decode

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// pads are bytes of any sort, n of them.
func pads(n int) []byte { return bytes.Repeat([]byte{0x6b, 0xab, 0x01}, n)[:n] }

// What is too short to be read is padding, whatever it holds: in a set, after the sets, after the message. One byte
// more is a fault, unless it makes the padding a record or a set.
func TestPaddingMayHoldAnything(t *testing.T) {
	v5, v9, ten := build{protocol: flow.NetFlow5}, build{protocol: flow.NetFlow9}, build{protocol: flow.IPFIX}
	five := join(be32(0x01020304), make([]byte, 44))
	wideTitle := []template.Field{octets, title, source}
	for name, c := range map[string]struct {
		room     int // bytes of padding at most
		datagram func(pad []byte) []byte
		flows    int
		beyond   map[string]uint64 // what one byte more is; nil for a record
	}{
		"v5, behind its records": {47, func(pad []byte) []byte { return append(v5.datagram(five, five), pad...) }, 2, map[string]uint64{"malformed": 1}},
		"v9, in a data set": {7, func(pad []byte) []byte {
			return v9.datagram(v9.template(256, octets, source), set(256, be32(1, 2, 3, 4), pad))
		}, 2, nil},
		"v9, in a template set": {3, func(pad []byte) []byte {
			return v9.datagram(set(0, v9.templateRecord(256, octets, source), pad), set(256, be32(1, 2)))
		}, 1, map[string]uint64{"template_malformed": 1}},
		"v9, in a set of options templates": {3, func(pad []byte) []byte {
			return v9.datagram(set(1, be16(300, 4, 4, 1, 4, 34, 4), pad), v9.template(256, octets), set(256, be32(1)))
		}, 1, map[string]uint64{"template_malformed": 1}},
		"v9, in a set of options": {7, func(pad []byte) []byte {
			return v9.datagram(v9.options(300, 1, system9, rate4), set(300, be32(0, 5), pad), v9.template(256, octets), set(256, be32(1)))
		}, 1, nil},
		"v9, behind the sets": {3, func(pad []byte) []byte {
			return append(v9.datagram(v9.template(256, octets, source), set(256, be32(1, 2))), pad...)
		}, 1, map[string]uint64{"truncated": 1}},
		"IPFIX, in a data set": {7, func(pad []byte) []byte {
			return ten.datagram(ten.template(256, octets, source), set(256, be32(1, 2, 3, 4), pad))
		}, 2, nil},
		"IPFIX, in a data set of variable length": {8, func(pad []byte) []byte {
			return ten.datagram(ten.template(256, wideTitle...), set(256, be32(1), []byte{2, 'a', 'b'}, be32(9), pad))
		}, 1, map[string]uint64{"malformed": 1}},
		"IPFIX, in a template set": {3, func(pad []byte) []byte {
			return ten.datagram(set(2, ten.templateRecord(256, octets, source), pad), set(256, be32(1, 2)))
		}, 1, map[string]uint64{"template_malformed": 1}},
		"IPFIX, in a set of options": {7, func(pad []byte) []byte {
			return ten.datagram(ten.options(300, 1, process, rate4), set(300, be32(0, 5), pad), ten.template(256, octets), set(256, be32(1)))
		}, 1, nil},
		"IPFIX, behind the sets": {3, func(pad []byte) []byte {
			return ten.datagram(ten.template(256, octets, source), set(256, be32(1, 2)), pad)
		}, 1, map[string]uint64{"truncated": 1}},
		"IPFIX, behind the message": {15, func(pad []byte) []byte {
			return append(ten.datagram(ten.template(256, octets, source), set(256, be32(1, 2))), pad...)
		}, 1, map[string]uint64{"malformed": 1}},
		"IPFIX, in a set that waited": {7, func(pad []byte) []byte {
			return ten.datagram(set(256, be32(1, 2), pad), ten.template(256, octets, source))
		}, 1, nil},
		"IPFIX, in a set of biflows": {11, func(pad []byte) []byte {
			return ten.datagram(ten.template(256, octets, source, template.Field{Enterprise: ipfix.ReversePEN, Element: 1, Length: 4}), set(256, be32(1, 2, 3), pad))
		}, 2, nil},
	} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			for _, e := range []flow.Enricher{nil, nothing{}} {
				if o.Goflow2 && (name == "IPFIX, in a set of biflows" || name == "v9, in a set of options templates") { // which it does not read so
					continue
				}
				for n := range c.room + 2 {
					r := newRig(t, session.DefaultLimits(), parse(t, small), e, o)
					flows := r.send(c.datagram(pads(n)))
					switch {
					case n <= c.room:
						if len(flows) != c.flows {
							t.Errorf("%s, %d bytes, %+v: %q", name, n, o, flows)
						}
						r.expect(fmt.Sprint(name, n, o), nil)
					case c.beyond != nil && !o.Goflow2:
						if len(flows) < c.flows {
							t.Errorf("%s, %d bytes: %q", name, n, flows)
						}
						r.expect(fmt.Sprint(name, n), c.beyond)
					}
				}
			}
		}
	}
}

// Padding does not hide losses: exporters that lose the same records lose as many, whatever they pad with.
func TestLossesAreCountedBehindPadding(t *testing.T) {
	for _, p := range []flow.Protocol{flow.NetFlow5, flow.NetFlow9, flow.IPFIX} {
		var lost []uint64
		for _, pad := range [][]byte{nil, make([]byte, 3), pads(3)} {
			r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
			b := build{protocol: p}
			if p != flow.NetFlow5 {
				r.send(b.datagram(b.template(256, octets, source)))
			}
			if p == flow.NetFlow9 {
				b.sequence++
			}
			for i := range 400 {
				var datagram []byte
				if p == flow.NetFlow5 {
					datagram = append(b.datagram(make([]byte, 3*message.RecordSize5)), pad...)
				} else {
					datagram = b.datagram(set(256, be32(1, 2, 3, 4, 5, 6), pad), set(256, pad))
				}
				if p == flow.IPFIX {
					datagram = append(datagram, pad...)
				}
				if i < 200 || i >= 300 { // a third of them is lost on the way
					if n := len(r.send(datagram)); n != 3 {
						t.Fatalf("%v: %d flows", p, n)
					}
				}
				if p == flow.NetFlow9 {
					b.sequence++
				} else {
					b.sequence += 3
				}
			}
			r.expect(p.String(), nil)
			lost = append(lost, r.store.Exporters()[0].Lost)
		}
		want := uint64(300) // records
		if p == flow.NetFlow9 {
			want = 100 // datagrams
		}
		if !slices.Equal(lost, []uint64{want, want, want}) {
			t.Errorf("%v: %d lost", p, lost)
		}
	}
}
