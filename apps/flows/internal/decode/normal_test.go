package decode

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// normal has the columns that normalisation fills.
const normal = `
message: Flow
columns:
  - {name: rate, number: 1, type: uint32, from: 34}
  - {name: bytes, number: 2, type: uint64, from: [1, 231]}
  - {name: packets, number: 3, type: uint64, from: [2, 298]}
  - {name: scaled, number: 4, type: uint64, from: 4294967295/5}
  - {name: src, number: 5, type: ip, from: [8, 27]}
  - {name: dst, number: 6, type: ip, from: [12, 28]}
  - {name: in, number: 7, type: uint32, from: 10}
  - {name: out, number: 8, type: uint32, from: 14}
  - {name: etype, number: 9, type: uint32, from: 256}
  - {name: proto, number: 10, type: uint32, from: 4}
  - {name: sport, number: 11, type: uint32, from: 7}
  - {name: dport, number: 12, type: uint32, from: 11}
  - {name: flags, number: 13, type: uint32, from: 6}
  - {name: smac, number: 14, type: uint64, from: 56}
  - {name: vlan, number: 15, type: uint32, from: 243}
  - {name: frame, number: 16, type: uint64, from: 352}
  - {name: label, number: 17, type: uint32, from: 70}
  - {name: inner, number: 18, type: ip, from: [4294967294/8, 4294967294/27]}
  - {name: tunnel, number: 19, type: uint32, from: 4294967295/9}
`

// NetFlow and IPFIX seldom report the EtherType; it is that of the addresses.
func TestTheEtherTypeIsThatOfTheAddresses(t *testing.T) {
	four, six, no4, no6 := be32(0x0a000001), append(be32(0x20010db8), make([]byte, 12)...), make([]byte, 4), make([]byte, 16)
	a4, a6 := vendorless(8, 4), vendorless(27, 16)
	for name, c := range map[string]struct {
		fields []template.Field
		data   []byte
		want   string
	}{
		"IPv4":            {[]template.Field{a4}, four, "2048"},
		"IPv6":            {[]template.Field{a6}, six, "34525"},
		"both":            {[]template.Field{a4, a6}, join(four, no6, no4, six, no4, no6, four, no6), "2048 34525 0 2048"},
		"the version":     {[]template.Field{vendorless(60, 1), octets}, join([]byte{4}, be32(1), []byte{6}, be32(1), []byte{9}, be32(1)), "2048 34525 0"},
		"neither":         {[]template.Field{octets}, be32(1), "0"},
		"the record's":    {[]template.Field{a4, vendorless(256, 2)}, join(four, be16(0x0806), four, be16(0)), "2054 0"},
		"variable length": {[]template.Field{title, a4, a6}, join([]byte{1, 'a'}, four, no6, []byte{0}, no4, six), "2048 34525"},
	} {
		for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
			for _, o := range []Options{{}, {Goflow2: true}} {
				for _, e := range []flow.Enricher{nil, nothing{}} {
					if name == "variable length" && p == flow.NetFlow9 {
						continue
					}
					r := newRig(t, session.DefaultLimits(), parse(t, normal), e, o)
					b := build{protocol: p}
					var got []string
					for _, f := range r.send(b.datagram(b.template(256, c.fields...), set(256, c.data))) {
						etype := "0"
						for _, column := range strings.Fields(f) {
							if v, ok := strings.CutPrefix(column, "etype="); ok {
								etype = v
							}
						}
						got = append(got, etype)
					}
					if text := strings.Join(got, " "); text != c.want {
						t.Errorf("%s, %v, %+v: %s instead of %s", name, p, o, text, c.want)
					}
				}
			}
		}
	}
	r := newRig(t, session.DefaultLimits(), parse(t, normal), nil, Options{})
	if f := r.send((&build{protocol: flow.NetFlow5}).datagram(make([]byte, message.RecordSize5))); !strings.Contains(f[0], "etype=2048") {
		t.Errorf("v5: %q", f)
	}
}

// RFC 5103: a biflow is two flows, of which the second has source and target exchanged and the reverse counters.
func TestABiflowIsTwoFlows(t *testing.T) {
	reverse := func(element uint16, length uint16) template.Field {
		return template.Field{Enterprise: ipfix.ReversePEN, Element: element, Length: length}
	}
	fields := []template.Field{vendorless(8, 4), vendorless(12, 4), vendorless(7, 2), vendorless(11, 2), in4, out4,
		vendorless(6, 1), octets, packets, reverse(1, 4), reverse(2, 4), reverse(6, 1)}
	record := func(octets, packets, backOctets, packetsBack uint32) []byte {
		return join(be32(0x0a000001, 0x0a000002), be16(443, 5000), be32(7, 9), []byte{2}, be32(octets, packets, backOctets, packetsBack), []byte{0x12})
	}
	const there, response = "src=10.0.0.1 dst=10.0.0.2 in=7 out=9 etype=2048 sport=443 dport=5000 flags=2",
		"src=10.0.0.2 dst=10.0.0.1 in=9 out=7 etype=2048 sport=5000 dport=443 flags=18"
	limits := session.DefaultLimits()
	limits.RateWait = time.Minute
	for _, e := range []flow.Enricher{nil, nothing{}} {
		b := build{protocol: flow.IPFIX}
		r := newRig(t, session.DefaultLimits(), parse(t, normal), e, Options{})
		r.expectFlows("two", r.send(b.datagram(b.template(256, fields...), set(256, record(100, 1, 3000, 4), record(200, 2, 0, 0)))),
			"bytes=100 packets=1 "+there, "bytes=200 packets=2 "+there, "bytes=3000 packets=4 "+response)
		if r.store.Exporters()[0].Flows != 3 {
			t.Error("the exporter's flows are not three")
		}
		b.sequence = 2 // records, not flows
		r.send(b.datagram(set(256, record(1, 1, 1, 1))))
		if lost := r.store.Exporters()[0].Lost; lost != 0 {
			t.Errorf("%d lost", lost)
		}
		r.expect("biflow", nil)

		// While they wait for their rate, both do.
		r = newRig(t, limits, parse(t, normal), e, Options{})
		b = build{protocol: flow.IPFIX}
		r.expectFlows("held", r.send(b.datagram(b.template(256, fields...), set(256, record(100, 1, 3000, 4)))))
		r.expectFlows("rated", r.send(b.datagram(b.options(300, 1, process, rate4), set(300, be32(1, 10)))),
			"rate=10 bytes=100 packets=1 scaled=1000 "+there, "rate=10 bytes=3000 packets=4 scaled=30000 "+response)
		r.expect("held", nil)
		if r.store.Close(); r.store.Memory() != 0 {
			t.Errorf("%d bytes are kept", r.store.Memory())
		}

		// Responders' counters, as firewalls send them, are the same.
		r = newRig(t, session.DefaultLimits(), parse(t, normal), e, Options{})
		b = build{protocol: flow.NetFlow9}
		r.expectFlows("responder", r.send(b.datagram(b.template(256, vendorless(8, 4), vendorless(12, 4), vendorless(231, 4), vendorless(232, 4)),
			set(256, be32(0x0a000001, 0x0a000002, 100, 3000)))),
			"bytes=100 src=10.0.0.1 dst=10.0.0.2 etype=2048", "bytes=3000 src=10.0.0.2 dst=10.0.0.1 etype=2048")
	}
}

// Sampled frames in IPFIX (element 315), NetFlow v9 (104) and sampled IP headers (313) are read as those of sFlow.
func TestSampledFramesAreRead(t *testing.T) {
	const eth, ip = "0200000000aa 0200000000bb ", "4500 03e8 1234 4000 3c06 0000 0a000001 0a000002 01bb d903 00000001 00000002 5012 ffff 0000 0000"
	const want = "src=10.0.0.1 dst=10.0.0.2 in=7 out=9 etype=2048 proto=6 sport=443 dport=55555 flags=18"
	unhex := func(text string) []byte {
		b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, c := range map[string]struct {
		protocol flow.Protocol
		element  uint16
		packet   string
		want     string
	}{
		"315":    {flow.IPFIX, 315, eth + "8100 a064 0800 " + ip, want + " smac=2199023255739 vlan=100 frame=1022"},
		"104":    {flow.NetFlow9, 104, eth + "8100 a064 0800 " + ip, want + " smac=2199023255739 vlan=100 frame=1022"},
		"313":    {flow.IPFIX, 313, ip, want + " frame=1022"},
		"MPLS":   {flow.IPFIX, 315, eth + "8847 00011140 " + ip, want + " smac=2199023255739 frame=1022 label=273"},
		"EoMPLS": {flow.IPFIX, 315, eth + "8847 00011140 00000000 " + eth + "0800 " + ip, want + " smac=2199023255739 frame=1022 label=273"},
		"PPPoE":  {flow.NetFlow9, 104, eth + "8864 1100 0001 03ea 0021 " + ip, want + " smac=2199023255739 frame=1022"},
		"GRE": {flow.IPFIX, 315, eth + "0800 4500 03e8 1234 4000 3c2f 0000 c0000201 c6336402 0000 0800 " + ip,
			"src=192.0.2.1 dst=198.51.100.2 in=7 out=9 etype=2048 proto=47 smac=2199023255739 frame=1022 inner=10.0.0.1 tunnel=47"},
	} {
		for _, e := range []flow.Enricher{nil, nothing{}} {
			packet := unhex(c.packet)
			for _, length := range []uint16{uint16(len(packet)), template.VariableLength} {
				if length == template.VariableLength {
					if c.protocol == flow.NetFlow9 {
						continue
					}
					packet = append([]byte{byte(len(packet))}, packet...)
				}
				r := newRig(t, session.DefaultLimits(), parse(t, normal), e, Options{})
				b := build{protocol: c.protocol}
				r.send(b.datagram(b.template(256, in4, out4, vendorless(312, 2), vendorless(c.element, length)), b.options(300, 1, process, rate4), set(300, be32(1, 100))))
				r.expectFlows(name, r.send(b.datagram(set(256, be32(7, 9), be16(1022), packet))), "rate=100 bytes=1000 packets=1 scaled=100000 "+c.want)
				for n := range packet { // cut anywhere
					cut := r.send(b.datagram(set(256, be32(7, 9), be16(1022), packet[:n])))
					if len(cut) > 0 {
						t.Errorf("%s, %d bytes: %q", name, n, cut)
					}
				}
			}
		}
	}
}

// A record may have counters of its flow beside a sampled packet: they are what the rate multiplies, as they are what the
// columns have. A counter of zero is none.
func TestCountersBesideASampledPacketAreThoseThatCount(t *testing.T) {
	packet := join(be32(0x45000040, 0, 0x40110000, 0x0a000001, 0x0a000002), be16(53, 55555))
	const there = "src=10.0.0.1 dst=10.0.0.2 etype=2048 proto=17 sport=53 dport=55555"
	for _, e := range []flow.Enricher{nil, nothing{}} {
		r := newRig(t, session.DefaultLimits(), parse(t, normal), e, Options{})
		b := build{protocol: flow.IPFIX}
		fields := []template.Field{vendorless(ipfix.IPHeaderSection, uint16(len(packet))), vendorless(1, 4), vendorless(2, 4), rate4}
		r.expectFlows("own counters", r.send(b.datagram(b.template(256, fields...), set(256, packet, be32(50_000, 40, 10), packet, be32(0, 0, 10)))),
			"rate=10 bytes=50000 packets=40 scaled=500000 "+there, "rate=10 bytes=64 packets=1 scaled=640 "+there)
	}
}
