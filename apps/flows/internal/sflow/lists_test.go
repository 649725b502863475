package sflow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema"
)

const listed = `
  - {name: path, number: 1, type: repeated uint32, from: 4294967295/10}
  - {name: sets, number: 2, type: repeated uint32, from: 4294967295/11}
  - {name: communities, number: 3, type: repeated uint32, from: 485}
  - {name: labels, number: 4, type: repeated uint32, from: [70, 71, 72, 73, 74, 75, 76, 77, 78, 79]}
  - {name: out, number: 5, type: repeated uint32, from: 4294967295/12}
  - {name: vlans, number: 6, type: repeated uint32, from: [243, 245]}
  - {name: next, number: 7, type: uint32, from: 128}
  - {name: last, number: 8, type: uint32, from: 17}
  - {name: src, number: 9, type: ip, from: [8, 27]}
`

// pathAndCommunities is a record of BGP: next hop; AS of the router, the source and its neighbour; a path of a sequence, a set
// and a sequence; two communities; the local preference.
var pathAndCommunities = block(extendedGateway, words(1, 0x01020304, 64500, 64501, 64502, 3,
	asSequence, 2, 64503, 4200000000, asSet, 2, 64505, 64506, asSequence, 1, 64507, 2, 0xfde80001, 0xffffff01, 100))

// told is what samples say in lists, in each way of decoding.
func told[D appender](t *testing.T, make maker[D], e flow.Enricher, c *count.Counters, dg *flow.Datagram) (flows []string) {
	t.Helper()
	l := layoutOf(t, listed)
	d, err := make(l, e, c)
	if err != nil {
		t.Fatal(err)
	}
	stream, _ := d.Append(nil, dg)
	rows(t, l, stream, func(r *schema.Row) {
		var text []string
		for _, name := range []string{"path", "sets", "communities", "labels", "out", "vlans"} {
			if list := r.Uints(must(schema.Lookup[schema.UintList](l.File.Schema.Message, name))); len(list) > 0 {
				text = append(text, name+"="+strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ","))
			}
		}
		for _, name := range []string{"next", "last"} {
			if v := r.Uint(must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, name))); v > 0 {
				text = append(text, fmt.Sprintf("%s=%d", name, v))
			}
		}
		flows = append(flows, strings.Join(text, " "))
	})
	return flows
}

// Expectations are from sFlow v5's specification (extended_gateway, extended_mpls), RFC 3032 and 802.1Q.
func TestListsOfSamples(t *testing.T) {
	const macs = "020000000001 020000000002 "
	many := append(words(1, 1, 64500, 64501, 64502, 1, asSequence, mostNumbers+1), make([]byte, 4*(mostNumbers+1))...)
	for name, c := range map[string]struct {
		records [][]byte
		want    string
		lost    map[count.Reason]uint64
	}{
		"a path": {
			[][]byte{pathAndCommunities},
			"path=64503,4200000000,64507 sets=64505,64506 communities=4259840001,4294967041 next=64503 last=64507", nil,
		},
		"a set alone": {
			[][]byte{block(extendedGateway, words(1, 1, 64500, 0, 0, 1, asSet, 2, 1, 2, 0, 100))},
			"sets=1,2 next=1 last=2", nil,
		},
		"a confederation": {
			[][]byte{block(extendedGateway, words(1, 1, 64500, 0, 0, 2, 3, 1, 65001, asSequence, 1, 7, 0, 100))},
			"path=7 next=65001 last=7", nil,
		},
		"no path": {
			[][]byte{block(extendedGateway, words(1, 1, 64500, 0, 0, 0, 1, 5, 100))},
			"communities=5 last=64500", nil,
		},
		"no communities": {
			[][]byte{block(extendedGateway, words(1, 1, 64500, 0, 0, 1, asSequence, 1, 9))},
			"path=9 next=9 last=9", nil,
		},
		"the last record": {
			[][]byte{pathAndCommunities, block(extendedGateway, words(1, 1, 64500, 0, 0, 1, asSequence, 1, 9, 0, 0))},
			"path=9 next=9 last=9", nil,
		},
		"a path that lies": {
			[][]byte{block(extendedGateway, words(1, 1, 64500, 0, 0, 2, asSequence, 1, 9, asSequence, 1<<30, 9))}, "", map[count.Reason]uint64{count.Malformed: 1},
		},
		"communities that do": {
			[][]byte{block(extendedGateway, words(1, 1, 64500, 0, 0, 1, asSequence, 1, 9, 3, 1, 2))},
			"path=9 next=9 last=9", map[count.Reason]uint64{count.Malformed: 1},
		},
		"too long": {[][]byte{block(extendedGateway, many)}, "path=" + strings.Repeat(",0", mostNumbers)[1:] + " last=64500",
			map[count.Reason]uint64{count.ListSkipped: 1}},
		"stacks of MPLS": {
			[][]byte{block(extendedMPLS, words(1, 1, 2, 17<<12|64, 1048575<<12|1<<8|64, 2, 16<<12|64, 0<<12|1<<8|64))},
			"labels=17,1048575 out=16,0", nil,
		},
		"the header's first": {
			[][]byte{raw(1, macs+"8847 00012140 00000000"), block(extendedMPLS, words(1, 1, 2, 17<<12, 18<<12|1<<8, 0))},
			"labels=18", nil,
		},
		"or then": {
			[][]byte{block(extendedMPLS, words(1, 1, 2, 17<<12, 18<<12|1<<8, 0)), raw(1, macs+"8847 00012140 00000000")},
			"labels=18", nil,
		},
		"or the other": {
			[][]byte{raw(1, macs+"0800"), block(extendedMPLS, words(1, 1, 2, 17<<12, 18<<12|1<<8, 0))},
			"labels=17,18", nil,
		},
		"a header cut in its first label": {
			[][]byte{block(extendedMPLS, words(1, 1, 2, 17<<12, 18<<12|1<<8, 0)), raw(1, macs+"8847 000121")},
			"labels=17,18", nil,
		},
		"and before": {
			[][]byte{raw(1, macs+"8847 000121"), block(extendedMPLS, words(1, 1, 2, 17<<12, 18<<12|1<<8, 0))},
			"labels=17,18", nil,
		},
		"twelve labels": {
			[][]byte{raw(1, macs+"8847"+strings.Repeat("00011040", 11)+"00012140")},
			"labels=" + strings.Repeat(",17", 10)[1:], nil,
		},
		"explicit null": {[][]byte{raw(1, macs+"8847 00011040 00000140 45000014")}, "labels=17,0", nil},
		"two tags":      {[][]byte{raw(1, macs+"88a8 a064 8100 00c8 0806")}, "vlans=100,200", nil},
		"tags that were removed, the second one zero": {
			[][]byte{block(vlanTunnel, words(2, 0x810009b2, 0x81001000)), raw(1, macs+"88a8 0054 8100 07e9 0806")}, "vlans=2482", nil,
		},
		"tags and labels": {
			[][]byte{raw(1, macs+"8100 0064 8847 00011140 45000014"), pathAndCommunities},
			"path=64503,4200000000,64507 sets=64505,64506 communities=4259840001,4294967041 labels=17 vlans=100 next=64503 last=64507", nil,
		},
		"none": {[][]byte{raw(1, macs+"0800")}, "", nil},
	} {
		for _, e := range []flow.Enricher{nil, idle{}} {
			var counts count.Counters
			// The sample after it has none of its lists.
			dg := datagram(block(flowSample, flowHead(uint32(len(c.records))), c.records...), block(flowSample, flowHead(0)))
			if got := told(t, New, e, &counts, dg); !slices.Equal(got, []string{c.want, ""}) {
				t.Errorf("%s: %q instead of %q", name, got, c.want)
			}
			for r := range count.Reasons {
				if counts.Dropped(r) != c.lost[r] {
					t.Errorf("%s: %d %v", name, counts.Dropped(r), r)
				}
			}
		}
	}
}

// Through goflow2's decoder they are the same, as far as that reads them.
func TestListsOfGoflow2(t *testing.T) {
	gateway := block(extendedGateway, words(1, 1, 64500, 64501, 64502, 1, asSequence, 2, 64503, 64504, 2, 5, 6, 100))
	set := block(extendedGateway, words(1, 1, 64500, 64501, 64502, 1, asSet, 2, 64503, 64504, 0, 100))
	for _, dg := range []*flow.Datagram{sample(gateway), sample(set), sample(raw(1, "020000000001 020000000002 8847 00011040 00012140 00000000"), gateway)} {
		var counts count.Counters
		want := told(t, New, nil, &counts, dg)
		for _, e := range []flow.Enricher{nil, idle{}} {
			if got := told(t, NewGoflow2, e, &counts, dg); !slices.Equal(got, want) || want[0] == "" {
				t.Errorf("%q instead of %q", got, want)
			}
		}
	}
}

func TestListsAllocateNothing(t *testing.T) {
	d, err := New(layoutOf(t, listed), nil, &count.Counters{})
	if err != nil {
		t.Fatal(err)
	}
	dg := sample(pathAndCommunities, block(extendedMPLS, words(1, 1, 1, 17<<12, 1, 18<<12)), raw(1, "020000000001 020000000002 88a8 0064 8100 00c8 0806"))
	out := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(50, func() { out, _ = d.Append(out[:0], dg) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Samples without lists are encoded as they are in layouts without lists.
func TestSamplesWithoutListsAreNotExtended(t *testing.T) {
	d, err := New(layoutOf(t, listed), nil, &count.Counters{})
	if err != nil {
		t.Fatal(err)
	}
	d.Append(nil, sample(raw(1, "020000000001 020000000002 0800")))
	if d.record.variant.listed {
		t.Error("the record has lists")
	}
	if d = decoder(t, New, "../../flows.yaml", nil, &count.Counters{}); d.record.lists != nil {
		t.Error("the standard layout has lists of samples")
	}
}
