package decode

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// fuzz reads each input as datagrams after their lengths (two bytes), from two exporters: the highest bit of a length
// says of which. However they are decoded, flows are the same, and what is kept stays bounded.
func fuzz(f *testing.F, version byte, seeds ...[][]byte) {
	pack := func(datagrams [][]byte) (b []byte) {
		for _, d := range datagrams {
			b = append(binary.BigEndian.AppendUint16(b, uint16(len(d))), d...)
		}
		return b
	}
	for _, s := range seeds {
		f.Add(pack(s))
	}
	plain, full := parse(f, everyKind), standard(f)
	limits := session.DefaultLimits()
	limits.Memory, limits.Templates, limits.Fields, limits.Waiting, limits.Domains = 1<<20, 20, 64, 16<<10, 4
	rigs := []*rig{
		newRig(f, limits, plain, nil, Options{}), newRig(f, limits, plain, nothing{}, Options{}),
		newRig(f, limits, plain, nil, Options{Goflow2: true}), newRig(f, limits, full, nil, Options{}),
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, r := range rigs { // with nothing known
			r.t, r.counts, r.now = t, count.Counters{}, time.Unix(1_800_000_000, 0)
			r.store = session.NewStore(limits, &r.counts)
			r.Decoder.store, r.Decoder.last = r.store, nil
		}
		same := true
		for len(input) >= 2 {
			n := int(input[0]&0x7f)<<8 | int(input[1])
			port := 1 + uint16(input[0]>>7)
			datagram := input[2:min(len(input), 2+n)]
			input = input[2+len(datagram):]
			datagram = slices.Clone(datagram)
			if len(datagram) >= 2 {
				datagram[0], datagram[1] = 0, version
			}
			var flows [4][]string
			for i, r := range rigs {
				r.from = netip.AddrPortFrom(r.from.Addr(), port)
				r.now = r.now.Add(time.Second)
				flows[i] = r.send(slices.Clip(datagram))
				if r.store.Memory() > limits.Memory || r.store.Memory() < r.store.Waiting() {
					t.Fatalf("%d bytes are kept", r.store.Memory())
				}
			}
			if !slices.Equal(flows[0], flows[1]) {
				t.Fatalf("%q, by record %q", flows[0], flows[1])
			}
			flood := rigs[0].dropped()["template_flood"] + rigs[3].dropped()["template_flood"] // a schema of more columns takes more memory
			if len(flows[0]) != len(flows[3]) && flood == 0 {
				t.Fatalf("%d flows, with another schema %d: %q; lost %v, and %v with the other", len(flows[0]), len(flows[3]), flows[0], rigs[0].dropped(), rigs[3].dropped())
			}
			// The templates that goflow2 decodes are those of flows: frames, lists, and counters of the way back, are ours only.
			// What goflow2 takes for a template is not always one; from then on, there may be others.
			lost, stock := rigs[0].dropped(), rigs[2].dropped()
			same = same && !readsFrames(datagram) && !readsLists(datagram)
			for _, reason := range []string{"template_malformed", "template_flood", "template_large"} {
				same = same && lost[reason]+stock[reason] == 0
			}
			if same && !slices.Equal(flows[0], flows[2]) {
				t.Fatalf("%q, by goflow2 %q; lost %v and %v", flows[0], flows[2], lost, stock)
			}
		}
		for _, r := range rigs {
			r.store.Close()
			if r.store.Memory() != 0 || r.store.Waiting() != 0 || r.store.Templates() != 0 {
				t.Fatalf("%d bytes are left, %d waiting, %d templates", r.store.Memory(), r.store.Waiting(), r.store.Templates())
			}
		}
	})
}

func FuzzNetFlow5(f *testing.F) {
	b := build{protocol: flow.NetFlow5}
	fuzz(f, 5, capture(f, captures[0].name)[:1], [][]byte{b.datagram(make([]byte, 96)), b.datagram()})
}

func FuzzNetFlow9(f *testing.F) {
	b := build{protocol: flow.NetFlow9}
	options := b.options(300, 1, vendorless(1, 4), vendorless(48, 1), vendorless(34, 4))
	fuzz(f, 9, capture(f, captures[1].name)[:1], router(flow.NetFlow9, 3), [][]byte{
		b.datagram(set(256, be32(5, 6))),
		b.datagram(options, set(300, be32(1), []byte{1}, be32(100)), b.template(256, octets, source), set(256, be32(5, 6))),
		b.datagram(b.template(256, source, vendorless(48, 4)), set(256, be32(5, 1, 6, 2))),
	})
}

func FuzzIPFIX(f *testing.F) {
	b := build{protocol: flow.IPFIX}
	options := b.options(300, 1, vendorless(302, 1), vendorless(305, 4), vendorless(306, 4), vendorless(160, 8))
	fuzz(f, 10, capture(f, captures[2].name)[:1], router(flow.IPFIX, 3), [][]byte{
		b.datagram(set(256, be32(5, 6))),
		b.datagram(options, set(300, []byte{1}, be32(1, 99), make([]byte, 8)), b.template(256, octets, vendor, title), set(256, be32(5, 6), []byte("\x02ab"))),
		b.datagram(be16(2, 8, 256, 0), be16(3, 8, 3, 0), set(256, be32(1))),
		b.datagram(b.template(256, octets, listOf(485), listOf(291), vendorless(70, 3), vendorless(71, 3)),
			set(256, be32(5), short(basic(255, 483, 4, be32(1, 2))), short(basic(4, 128, 2, be16(7, 8))), []byte{0, 1, 16, 0, 2, 1})),
		b.datagram(b.template(256, octets, listOf(292), listOf(293)), b.template(257, vendorless(128, 4)),
			set(256, be32(5), short(subList(4, 257, be32(1, 2))), short([]byte{4}, piece(257, be32(3)), piece(257, be32(4))))),
	})
}

// readsFrames reports whether a datagram may have a template with the bytes of a frame, or with counters of the way back.
func readsFrames(datagram []byte) bool {
	for _, element := range []uint16{104, 232, 299, ipfix.IPHeaderSection, ipfix.FrameSection, ipfix.ReversePEN} {
		if bytes.Contains(datagram, binary.BigEndian.AppendUint16(nil, element)) {
			return true
		}
	}
	return false
}

// readsLists reports whether a datagram may have a template with lists.
func readsLists(datagram []byte) bool {
	for _, element := range []uint16{291, 292, 293, 484, 485, 487, 488, 490, 491} {
		if bytes.Contains(datagram, binary.BigEndian.AppendUint16(nil, element)) {
			return true
		}
	}
	return false
}
