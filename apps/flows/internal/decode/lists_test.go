package decode

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"

	flowmessage "github.com/netsampler/goflow2/v2/pb"
	"google.golang.org/protobuf/encoding/protodelim"
)

// The bounds of the lists of a record.
const mostDepth, mostValues, mostValue = 4, 1000, 64

// listed has the lists that packets fill.
const listed = `
message: Flow
columns:
  - {name: bytes, number: 1, type: uint64, from: 1}
  - {name: path, number: 2, type: repeated uint32, from: [4294967295/10, 9/7, 128]}
  - {name: communities, number: 3, type: repeated uint32, from: [485, 483]}
  - {name: back, number: 4, type: repeated uint32, from: 484}
  - {name: extended, number: 5, type: repeated uint64, from: 488}
  - {name: labels, number: 6, type: repeated uint32, from: [70, 71, 72, 73, 74, 75, 76, 77, 78, 79]}
  - {name: vlans, number: 7, type: repeated uint32, from: [243, 245]}
  - {name: large, number: 10, type: repeated bytes, from: [491, 489]}
  - {name: segments, number: 11, type: repeated ip, from: 494}
  - {name: next, number: 8, type: uint32, from: 128}
  - {name: frame_src, number: 9, type: ip, from: 8}
`

func listOf(element uint16) template.Field { return vendorless(element, template.VariableLength) }

// short is a value of variable length, after its length.
func short(parts ...[]byte) []byte {
	b := join(parts...)
	if len(b) < 255 {
		return append([]byte{byte(len(b))}, b...)
	}
	return join([]byte{255}, be16(len(b)), b)
}

// basic is a basicList (RFC 6313, 4.5.1).
func basic(semantic byte, element, length int, values ...[]byte) []byte {
	return join([]byte{semantic}, be16(element, length), join(values...))
}

// subList is a subTemplateList (4.5.2).
func subList(semantic byte, id int, records ...[]byte) []byte {
	return join([]byte{semantic}, be16(id), join(records...))
}

// piece is a part of a subTemplateMultiList (4.5.3), whose length includes the template and itself.
func piece(id int, records ...[]byte) []byte {
	b := join(records...)
	return join(be16(id, 4+len(b)), b)
}

// Expectations are from RFC 6313 and 8549; for the stacks of labels and tags from RFC 7012's elements and RFC 3032.
func TestListsFillRepeatedColumns(t *testing.T) {
	const undefined, noneOf, oneOf, someOf, allOf, ordered = 255, 0, 1, 2, 3, 4
	hop := vendorless(128, 4)
	pair := []template.Field{vendorless(483, 4), hop}
	for name, c := range map[string]struct {
		fields []template.Field
		data   []byte
		want   string
		lost   map[string]uint64
	}{
		"communities": {[]template.Field{octets, listOf(485), listOf(484)}, join(be32(5), short(basic(undefined, 483, 4, be32(0xfde80001, 0xffffff01))), short(basic(allOf, 483, 4, be32(7)))),
			"bytes=5 communities=4259840001,4294967041 back=7", nil},
		"none": {
			[]template.Field{octets, listOf(485)}, join(be32(5), short(basic(undefined, 483, 4))),
			"bytes=5", nil,
		},
		"no bytes": {[]template.Field{octets, listOf(485)}, join(be32(5), []byte{0}), "bytes=5", nil},
		"before the rest": {
			[]template.Field{listOf(485), octets}, join(short(basic(undefined, 483, 4, be32(7))), be32(5)),
			"bytes=5 communities=7", nil,
		},
		"a long length": {
			[]template.Field{octets, listOf(485)}, join(be32(5), []byte{255}, be16(9), basic(undefined, 483, 4, be32(7))),
			"bytes=5 communities=7", nil,
		},
		"of fixed length": {
			[]template.Field{octets, vendorless(485, 13)}, join(be32(5), basic(undefined, 483, 4, be32(7, 8))),
			"bytes=5 communities=7,8", nil,
		},
		"extended": {
			[]template.Field{octets, listOf(488)}, join(be32(5), short(basic(undefined, 486, 8, be32(0x00020001, 9)))),
			"bytes=5 extended=562954248388617", nil,
		},
		"large": {
			[]template.Field{octets, listOf(485)}, join(be32(5), short(basic(undefined, 489, 12, be32(1, 2, 3)))),
			"bytes=5", map[string]uint64{"misfit": 1},
		},
		"large in bytes": {
			[]template.Field{octets, listOf(491)}, join(be32(5), short(basic(undefined, 489, 12, be32(64496, 1, 2, 64496, 3, 4)))),
			"bytes=5 large=0000fbf00000000100000002,0000fbf00000000300000004", nil,
		},
		"addresses": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(ordered, 494, 16, be32(0x20010db8, 0, 0, 1, 0x20010db8, 0, 0, 2)))),
			"bytes=5 segments=2001:db8::1,2001:db8::2", nil,
		},
		"as long as values are": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(ordered, 489, mostValue, make([]byte, mostValue)))),
			"bytes=5 large=" + strings.Repeat("00", mostValue), nil,
		},
		"a basicList": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(ordered, 128, 4, be32(64496, 4200000000, 64496)))),
			"bytes=5 path=64496,4200000000,64496", nil,
		},
		"of two bytes": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(ordered, 128, 2, be16(64496, 1)))),
			"bytes=5 path=64496,1", nil,
		},
		"of an enterprise": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short([]byte{ordered}, be16(0x8000|7, 4), be32(9), be32(3, 4))),
			"bytes=5 path=3,4", nil,
		},
		"of variable length": {[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(ordered, 128, 65535, []byte{2, 1, 0, 1, 7, 255, 0, 4}, be32(70000)))),
			"bytes=5 path=256,7,70000", nil},
		"the number, too": {
			[]template.Field{octets, hop, listOf(291)}, join(be32(5, 64500), short(basic(ordered, 128, 4, be32(1, 2)))),
			"bytes=5 path=1,2 next=64500", nil,
		},
		"the number alone": {
			[]template.Field{octets, hop, listOf(291)}, join(be32(5, 64500), short(basic(ordered, 128, 4))),
			"bytes=5 path=64500 next=64500", nil,
		},
		"two lists": {
			[]template.Field{octets, listOf(291), listOf(291)},
			join(be32(5), short(basic(ordered, 128, 4, be32(1, 2))), short(basic(ordered, 483, 4, be32(3)))),
			"bytes=5 path=1,2 communities=3", nil,
		},
		"of one each": {
			[]template.Field{octets, listOf(291), listOf(291)},
			join(be32(5), short(basic(ordered, 128, 4, be32(1, 2))), short(basic(ordered, 128, 4, be32(3)))),
			"bytes=5 path=1,2,3", nil,
		},
		"some of": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(someOf, 128, 4, be32(1, 2)))),
			"bytes=5 path=1,2", nil,
		},
		"none of": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(noneOf, 128, 4, be32(1, 2)))),
			"bytes=5", map[string]uint64{"unused": 1},
		},
		"one of": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(oneOf, 128, 4, be32(1, 2)))),
			"bytes=5", map[string]uint64{"unused": 1},
		},
		"of no column": {
			[]template.Field{octets, listOf(291), listOf(490)},
			join(be32(5), short(basic(allOf, 4, 1, []byte{6, 17})), short(basic(allOf, 489, 12, be32(1, 2, 3)))),
			"bytes=5", map[string]uint64{"unused": 2},
		},
		"records": {
			[]template.Field{octets, listOf(292)}, join(be32(5), short(subList(ordered, 257, be32(1, 11, 2, 12)))),
			"bytes=5 path=11,12 communities=1,2", nil,
		},
		"no records": {
			[]template.Field{octets, listOf(292)}, join(be32(5), short(subList(ordered, 257))),
			"bytes=5", nil,
		},
		"of another template": {
			[]template.Field{octets, listOf(292)}, join(be32(5), short(subList(ordered, 300, be32(1, 11)))),
			"bytes=5", map[string]uint64{"list_skipped": 1},
		},
		"of useless ones": {
			[]template.Field{octets, listOf(292)}, join(be32(5), short(subList(ordered, 258, be32(1, 11)))),
			"bytes=5", map[string]uint64{"unused": 1},
		},
		"several templates": {[]template.Field{octets, listOf(293)}, join(be32(5), short([]byte{allOf}, piece(257, be32(1, 11)), piece(258, be32(9)), piece(257, be32(2, 12)), piece(257))),
			"bytes=5 path=11,12 communities=1,2", map[string]uint64{"unused": 1}},
		"lists in a list": {[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(ordered, 291, 65535, short(basic(ordered, 128, 4, be32(1, 2))), short(basic(noneOf, 128, 4, be32(3))), short(basic(someOf, 128, 4, be32(4)))))),
			"bytes=5 path=1,2,4", map[string]uint64{"unused": 1}},
		"lists in records": {
			[]template.Field{octets, listOf(292)},
			join(be32(5), short(subList(allOf, 259, be32(1), short(basic(ordered, 128, 4, be32(11, 12))), be32(2), []byte{0}))),
			"bytes=5 path=11,12 communities=1,2", nil,
		},
		"labels in a list": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(ordered, 70, 3, []byte{0, 1, 16, 0, 2, 1}))),
			"bytes=5 labels=17,32", nil,
		},
		"a stack of labels": {
			[]template.Field{octets, vendorless(70, 3), vendorless(71, 3), vendorless(72, 3)},
			join(be32(5), []byte{0, 1, 16, 255, 255, 225, 0, 0, 0}),
			"bytes=5 labels=17,1048574", nil,
		},
		"a stack of tags": {
			[]template.Field{octets, vendorless(245, 2), vendorless(243, 2)}, join(be32(5), be16(200, 100)),
			"bytes=5 vlans=100,200", nil,
		},
		"one tag": {
			[]template.Field{octets, vendorless(243, 2), vendorless(245, 2)}, join(be32(5), be16(100, 0)),
			"bytes=5 vlans=100", nil,
		},
		"stacks and lists": {
			[]template.Field{octets, vendorless(243, 2), listOf(485), vendorless(70, 3)},
			join(be32(5), be16(100), short(basic(255, 483, 4, be32(7))), []byte{0, 1, 17}),
			"bytes=5 communities=7 labels=17 vlans=100", nil,
		},
		"no semantic known": {
			[]template.Field{octets, listOf(291)}, join(be32(5), short(basic(77, 128, 4, be32(1, 2)))),
			"bytes=5 path=1,2", nil,
		},
	} {
		for _, e := range []flow.Enricher{nil, nothing{}} {
			r := newRig(t, session.DefaultLimits(), parse(t, listed), e, Options{})
			b := build{protocol: flow.IPFIX}
			templates := join(b.template(257, pair...), b.template(258, vendorless(4, 4)), b.template(259, vendorless(483, 4), listOf(291)))
			first := r.send(b.datagram(templates, b.template(256, c.fields...), set(256, c.data)))
			repeated := r.send(b.datagram(set(256, c.data, c.data)))
			r.expectFlows(name, append(first, repeated...), c.want, c.want, c.want)
			lost := map[string]uint64{}
			for reason, n := range c.lost {
				lost[reason] = 3 * n
			}
			if n := r.counts.ListsUnused.Load(); n != lost["unused"] {
				t.Errorf("%s: %d lists are unused", name, n)
			}
			delete(lost, "unused")
			r.expect(name, lost)
			if r.store.Close(); r.store.Memory() != 0 {
				t.Errorf("%s: %d bytes are kept", name, r.store.Memory())
			}
		}
	}
}

// A list that contradicts its lengths costs what comes after the contradiction, and nothing but that.
func TestListsThatLieAreCountedAndTheFlowsRead(t *testing.T) {
	malformed := map[string]uint64{"malformed": 1}
	skipped := map[string]uint64{"list_skipped": 1}
	deepest := basic(255, 128, 4, be32(1))
	for range mostDepth - 1 {
		deepest = basic(255, 291, 65535, short(deepest))
	}
	for name, c := range map[string]struct {
		element uint16
		list    []byte
		want    string
		lost    map[string]uint64
	}{
		"only a semantic":         {291, []byte{255}, "bytes=5", malformed},
		"half an element":         {291, []byte{255, 1, 227}, "bytes=5", malformed},
		"half an enterprise":      {291, append([]byte{255}, be16(0x8007, 4, 0)...), "bytes=5", malformed},
		"half a value":            {291, basic(255, 128, 4, be32(1), be16(2)), "bytes=5 path=1", malformed},
		"values of no bytes":      {291, basic(255, 128, 0, be32(1)), "bytes=5", malformed},
		"a value beyond the end":  {291, basic(255, 128, 65535, []byte{1, 7, 200, 1}), "bytes=5 path=7", malformed},
		"half a length":           {291, basic(255, 128, 65535, []byte{1, 7, 255, 1}), "bytes=5 path=7", malformed},
		"values of 65534 bytes":   {291, basic(255, 128, 65534, be32(1)), "bytes=5", malformed},
		"half a template":         {292, []byte{255, 1}, "bytes=5", malformed},
		"half a record":           {292, subList(255, 257, be32(1, 11, 2)), "bytes=5 path=11 communities=1", malformed},
		"a record beyond the end": {292, subList(255, 259, be32(1), []byte{100, 1}), "bytes=5", malformed},
		"half a part":             {293, []byte{255, 1, 1}, "bytes=5", malformed},
		"a part beyond the end": {
			293, join([]byte{255}, piece(257, be32(1, 11)), be16(257, 20), be32(2, 12)),
			"bytes=5 path=11 communities=1", malformed,
		},
		"a part without its head": {293, join([]byte{255}, be16(257, 3), be32(2, 12)), "bytes=5", malformed},
		"a value too long":        {291, basic(255, 489, mostValue+1, make([]byte, mostValue+1)), "bytes=5", skipped},
		"a list in itself": {
			292, subList(255, 260, short(subList(255, 260, short(subList(255, 260, short(subList(255, 260, short(subList(255, 260))))))))),
			"bytes=5", skipped,
		},
		"the deepest": {291, deepest, "bytes=5 path=1", nil},
		"too deep":    {291, basic(255, 291, 65535, short(deepest)), "bytes=5", skipped},
		"too many": {
			291, basic(255, 128, 2, bytes.Repeat([]byte{0, 9}, mostValues+1)),
			"bytes=5 path=" + strings.Repeat(",9", mostValues)[1:], skipped,
		},
		"too many in records": {
			292, subList(255, 257, bytes.Repeat(be32(1, 9), mostValues/2+1)),
			"bytes=5 path=" + strings.Repeat(",9", mostValues/2)[1:] + " communities=" + strings.Repeat(",1", mostValues/2)[1:], skipped,
		},
		"communities of half":      {485, basic(255, 483, 4, be32(1), be16(2)), "bytes=5 communities=1", malformed},
		"communities without head": {485, []byte{255, 1}, "bytes=5", malformed},
	} {
		for _, e := range []flow.Enricher{nil, nothing{}} {
			r := newRig(t, session.DefaultLimits(), parse(t, listed), e, Options{})
			b := build{protocol: flow.IPFIX}
			templates := join(b.template(257, vendorless(483, 4), vendorless(128, 4)), b.template(259, vendorless(483, 4), listOf(291)), b.template(260, listOf(292)))
			flows := r.send(b.datagram(templates, b.template(256, listOf(c.element), octets), set(256, short(c.list), be32(5))))
			r.expectFlows(name, flows, c.want)
			r.expect(name, c.lost)
		}
	}
}

// Any prefix of lists of all kinds is read without harm, and the flow that follows it, too.
func TestListsCutAnywhere(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, listed), nil, Options{})
	b := build{protocol: flow.IPFIX}
	r.send(b.datagram(b.template(257, vendorless(483, 4), vendorless(128, 4)), b.template(259, vendorless(483, 4), listOf(291)),
		b.template(291, listOf(291), octets), b.template(292, listOf(292), octets), b.template(293, listOf(293), octets)))
	for element, list := range map[int][]byte{
		291: basic(4, 291, 65535, short(basic(4, 128, 4, be32(1, 2))), short(basic(4, 128, 65535, []byte{1, 7}))),
		292: subList(4, 259, be32(1), short(basic(4, 128, 4, be32(1, 2))), be32(2), short()),
		293: join([]byte{4}, piece(257, be32(1, 2)), piece(259, be32(1), short(basic(4, 128, 4, be32(1, 2))))),
	} {
		for n := range list {
			flows := r.send(b.datagram(set(element, short(list[:n]), be32(5), short(list), be32(6))))
			if len(flows) != 2 || !strings.HasPrefix(flows[0], "bytes=5") || !strings.HasPrefix(flows[1], "bytes=6 path=") {
				t.Errorf("%d, %d bytes: %q", element, n, flows)
			}
		}
	}
}

// A record that is longer than its set ends the set as it does without lists; a template without lists is read as before.
func TestRecordsWithListsThatAreCutOff(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	for _, e := range []flow.Enricher{nil, nothing{}} {
		r := newRig(t, session.DefaultLimits(), parse(t, listed), e, Options{})
		record := join(be32(5), short(basic(4, 128, 4, be32(1, 2))))
		r.expectFlows("cut", r.send(b.datagram(b.template(256, octets, listOf(291)), set(256, record, record[:len(record)-1]))), "bytes=5 path=1,2")
		r.expect("cut", map[string]uint64{"malformed": 1})
		many := slices.Repeat([][]byte{record}, 2000) // which are expanded in several parts
		if flows := r.send(b.datagram(set(256, many...))); len(flows) != 2000 || flows[1999] != "bytes=5 path=1,2" {
			t.Errorf("%d flows", len(flows))
		}
	}
}

// What the templates of a biflow's lists say of the other direction: communities change sides.
func TestListsOfBiflows(t *testing.T) {
	reverse := template.Field{Enterprise: ipfix.ReversePEN, Element: 1, Length: 4}
	b := build{protocol: flow.IPFIX}
	r := newRig(t, session.DefaultLimits(), parse(t, listed), nil, Options{})
	r.expectFlows("two", r.send(b.datagram(b.template(256, octets, reverse, listOf(484), listOf(485), vendorless(243, 2), vendorless(254, 2)),
		set(256, be32(5, 6), short(basic(4, 483, 4, be32(1))), short(basic(4, 483, 4, be32(2))), be16(10, 20)))),
		"bytes=5 communities=2 back=1 vlans=10", "bytes=6 communities=1 back=2 vlans=20")
	r.expect("biflow", nil)
}

// A layout without lists reads templates with lists as it did: without a look into them.
func TestLayoutsWithoutListsDoNotLookIntoThem(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	for _, e := range []flow.Enricher{nil, nothing{}} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), e, Options{})
		r.expectFlows("skipped", r.send(b.datagram(b.template(256, octets, listOf(291)), set(256, be32(5), short([]byte{9, 9})))), "type=3 bytes=5")
		r.expect("skipped", nil)
		if r.known(flow.IPFIX).Template(256).Bound.Arrays != nil {
			t.Error("records are expanded")
		}
	}
}

func TestListsAllocateNothing(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, listed), nil, Options{})
	b := build{protocol: flow.IPFIX}
	r.send(b.datagram(b.template(257, vendorless(483, 4), listOf(291)), b.template(256, octets, listOf(485), listOf(291), listOf(292), vendorless(70, 3), vendorless(71, 3))))
	datagram := &flow.Datagram{From: r.from, Received: r.now, Payload: b.datagram(set(256, be32(5), short(basic(255, 483, 4, be32(1, 2))), short(basic(4, 128, 2, be16(7, 8))),
		short(subList(4, 257, be32(1), short(basic(4, 128, 4, be32(9))))), []byte{0, 1, 16, 0, 2, 1}))}
	out := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(50, func() { out, _ = r.Append(out[:0], datagram) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A template may have records that just fit into the largest message. Its lists must not be the reason to refuse it.
func TestTheLargestTemplatesMayHaveLists(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	largest := b.datagram(b.template(256, vendorless(999, 65534), listOf(291)), set(256, be32(1)))
	for _, e := range []flow.Enricher{nil, nothing{}} {
		for _, text := range []string{small, listed} {
			r := newRig(t, session.DefaultLimits(), parse(t, text), e, Options{})
			r.expectFlows("too short for a record", r.send(largest))
			r.expect("too short for a record", nil)
		}
	}
}

// Stacks in sampled frames fill the same columns; what a frame has, the record's own fields do not add to.
func TestListsOfSampledFrames(t *testing.T) {
	frame, err := hex.DecodeString(strings.ReplaceAll("0200000000aa 0200000000bb 88a8 a064 8100 00c8 8847 00011040 00012140 45000014 0000 0000 40 11 0000 0a000001 0a000002", " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []flow.Enricher{nil, nothing{}} {
		r := newRig(t, session.DefaultLimits(), parse(t, listed), e, Options{})
		b := build{protocol: flow.IPFIX}
		fields := []template.Field{vendorless(ipfix.FrameSection, uint16(len(frame))), vendorless(243, 2), listOf(485)}
		r.expectFlows("frame", r.send(b.datagram(b.template(256, fields...),
			set(256, frame, be16(100), short(basic(255, 483, 4, be32(7))), frame[:12], []byte{8, 6}, make([]byte, len(frame)-14), be16(300), []byte{0}))),
			"bytes=20 communities=7 labels=17,18 vlans=100,200 frame_src=10.0.0.1", "vlans=300")
		r.expect("frame", nil)
	}
}

// Of stacks of labels, goflow2's producer reads the first three entries.
func TestLabelsAreThoseOfGoflow2(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		r, g := newRig(t, anyClock(), parse(t, listed), nil, Options{}), newGoflow2(t)
		b := build{protocol: []flow.Protocol{flow.NetFlow9, flow.IPFIX}[random.IntN(2)]}
		var stack []byte
		n := 1 + random.IntN(3)
		for i := range 3 {
			entry := uint32(1+random.IntN(1<<20-1))<<4 | uint32(random.IntN(8))<<1
			if i == n-1 {
				entry |= 1
			} else if i >= n {
				entry = 0
			}
			stack = append(stack, byte(entry>>16), byte(entry>>8), byte(entry))
		}
		datagram := b.datagram(b.template(256, octets, vendorless(70, 3), vendorless(71, 3), vendorless(72, 3)), set(256, be32(5), stack))
		g.encode(t, datagram)
		var m flowmessage.FlowMessage
		if err := protodelim.UnmarshalFrom(bufio.NewReader(bytes.NewReader(g.out.Bytes())), &m); err != nil {
			t.Fatal(err)
		}
		want := "bytes=5 labels=" + strings.ReplaceAll(strings.Trim(fmt.Sprint(m.MplsLabel[:n]), "[]"), " ", ",")
		r.expectFlows("labels", r.send(datagram), want)
	}
}

// A reload may add lists and remove them; flows that wait for their sampling rate have theirs.
func TestListsAfterAReloadAndAWait(t *testing.T) {
	limits := session.DefaultLimits()
	limits.RateWait = time.Minute
	for _, e := range []flow.Enricher{nil, nothing{}} {
		r := newRig(t, limits, parse(t, small), e, Options{})
		b := build{protocol: flow.IPFIX}
		data := set(256, be32(5), short(basic(4, 128, 4, be32(1, 2))), be32(6), short(basic(4, 483, 4, be32(3))))
		use := func(text string) {
			r.columns = nil
			if err := r.Use(parse(t, text), e); err != nil {
				t.Fatal(err)
			}
		}
		r.expectFlows("held", r.send(b.datagram(b.template(256, octets, listOf(291)), data)))
		use(listed)
		r.expectFlows("rated", r.send(b.datagram(b.options(300, 1, process, rate4), set(300, be32(1, 10)))),
			"bytes=5 path=1,2", "bytes=6 communities=3")
		use(small)
		r.expectFlows("without", r.send(b.datagram(data)), "type=3 rate=10 bytes=5", "type=3 rate=10 bytes=6")
		use(strings.Replace(listed, "[485, 483]", "[483, 485]", 1))
		r.expectFlows("with", r.send(b.datagram(data)), "bytes=5 path=1,2", "bytes=6 communities=3")
		r.expect("reload", nil)
	}
}

// BenchmarkLists encodes 20 records with a list of three communities, with a column for it and without one.
func BenchmarkLists(b *testing.B) {
	x := build{protocol: flow.IPFIX}
	record := join(be32(5), short(basic(4, 483, 4, be32(1, 2, 3))))
	for name, text := range map[string]string{"with": listed, "without": small} {
		b.Run(name, func(b *testing.B) {
			r := newRig(b, anyClock(), parse(b, text), nil, Options{})
			r.send(x.datagram(x.template(256, octets, listOf(485))))
			datagram := &flow.Datagram{From: r.from, Received: r.now, Payload: x.datagram(set(256, bytes.Repeat(record, 20)))}
			out, flows := []byte(nil), 0
			b.ReportAllocs()
			for b.Loop() {
				var n int
				out, n = r.Append(out[:0], datagram)
				flows += n
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(flows), "ns/flow")
		})
	}
}
