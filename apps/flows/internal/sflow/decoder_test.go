package sflow

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	flowmessage "github.com/netsampler/goflow2/v2/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

func same(a, b []*flowmessage.FlowMessage) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !proto.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// rows decodes a stream by the layout's own plan.
func rows(t *testing.T, l *layout.Layout, stream []byte, each func(*schema.Row)) (n int) {
	t.Helper()
	row := l.Plan.NewRow()
	for at := 0; at < len(stream); {
		b, next, err := wire.CutDelimited(stream, at, wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := row.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
		at = next
		each(row)
		n++
	}
	return n
}

func layoutOf(t *testing.T, text string) *layout.Layout {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(path, []byte("package: x\nmessage: X\ncolumns:\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := layout.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTheAgentExportsAndTheSenderIsAnother(t *testing.T) {
	l := layoutOf(t, `
  - {name: agent, number: 1, type: ip, from: [130, 131]}
  - {name: sender, number: 2, type: ip, from: 4294967295/3}
  - {name: sequence, number: 3, type: uint64, from: 4294967295/2}
  - {name: received, number: 4, type: timestamp(millis), from: 258}
  - {name: collector, number: 5, type: string, constant: here}
`)
	agent, sender := must(schema.Lookup[schema.IPColumn](l.File.Schema.Message, "agent")), must(schema.Lookup[schema.IPColumn](l.File.Schema.Message, "sender"))
	received := must(schema.Lookup[schema.TimeColumn](l.File.Schema.Message, "received"))
	sequence, collector := must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "sequence")), must(schema.Lookup[schema.StringColumn](l.File.Schema.Message, "collector"))
	dg := sample()
	dg.From, dg.Received = netip.MustParseAddrPort("[2001:db8::9]:6343"), time.UnixMilli(1700000000123)
	for _, e := range []flow.Enricher{nil, idle{}} {
		d := must(New(l, e, &count.Counters{}))
		out, _ := d.Append(nil, dg)
		n := rows(t, l, out, func(r *schema.Row) {
			if r.IP(agent).Unmap().String() != "192.0.2.1" || r.IP(sender).String() != "2001:db8::9" || r.Uint(sequence) != 77 ||
				!r.Time(received).Equal(dg.Received) || r.String(collector) != "here" {
				t.Errorf("%v %v %v %v %v", r.IP(agent), r.IP(sender), r.Uint(sequence), r.Time(received), r.String(collector))
			}
		})
		if n != 1 {
			t.Errorf("%d flows", n)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestAnAgentOfIPv4InIPv6IsOneOfIPv4(t *testing.T) {
	l := layoutOf(t, "  - {name: in_if, number: 1, type: uint32, from: 10, deferred: true}\n")
	in := must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "in_if"))
	d := must(New(l, renamer{in}, &count.Counters{}))
	b := words(5, 2, 0, 0, 0xffff, 0xc0000201, 0, 77, 1000, 1)
	out, _ := d.Append(nil, &flow.Datagram{Payload: append(b, block(flowSample, flowHead(0))...)})
	if n := rows(t, l, out, func(r *schema.Row) {
		if r.Uint(in) != 107 {
			t.Errorf("interface %d", r.Uint(in))
		}
	}); n != 1 {
		t.Errorf("%d flows", n)
	}
}

// renamer puts another interface in, of exporters in 192.0.2.0/24.
type renamer struct{ in schema.UintColumn }

func (e renamer) Enrich(r *schema.Record, exporter netip.Addr) {
	if v, ok := r.GetUint(e.in); ok && netip.MustParsePrefix("192.0.2.0/24").Contains(exporter) {
		r.Uint(e.in, v+100)
	}
}

func TestStagesSeeTheRecordAndPutBetterValuesIn(t *testing.T) {
	l := layoutOf(t, "  - {name: in_if, number: 1, type: uint32, from: 10, deferred: true}\n")
	in := must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "in_if"))
	d := must(New(l, renamer{in}, &count.Counters{}))
	out, _ := d.Append(nil, sample())
	rows(t, l, out, func(r *schema.Row) {
		if r.Uint(in) != 107 {
			t.Errorf("interface %d", r.Uint(in))
		}
	})
}

func TestTheFirstValueOfAColumnStays(t *testing.T) {
	l := layoutOf(t, "  - {name: rate, number: 1, type: uint32, from: 34, constant: 5, keep: first}\n")
	rate := must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "rate"))
	d := must(New(l, nil, &count.Counters{}))
	out, _ := d.Append(nil, sample())
	rows(t, l, out, func(r *schema.Row) {
		if r.Uint(rate) != 5 {
			t.Errorf("rate %d", r.Uint(rate))
		}
	})
}

func TestColumnsThatCannotBeFilledAndValuesThatDoNotFitAreCounted(t *testing.T) {
	l := layoutOf(t, `
  - {name: port, number: 1, type: Port, from: 14, misfit: drop}
  - {name: own, number: 2, type: ip, from: 4294967295/7}
  - {name: out_if, number: 3, type: uint32, from: 14}
enums:
  Port: {closed: true, values: {NONE: 0}}
`)
	out := must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "out_if"))
	for _, e := range []flow.Enricher{nil, idle{}} {
		var c count.Counters
		d := must(New(l, e, &c))
		stream, _ := d.Append(nil, sample(raw(1, "020000000001 020000000002 0806")))
		rows(t, l, stream, func(r *schema.Row) {
			if r.Uint(out) != 9 {
				t.Errorf("interface %d", r.Uint(out))
			}
		})
		if c.Dropped(count.Misfit) != 1 || d.Refused == 0 {
			t.Errorf("%d misfits, %d fields refused", c.Dropped(count.Misfit), d.Refused)
		}
	}
}

func TestNothingIsAllocatedOnceWarm(t *testing.T) {
	ds := generated(9, 300)
	for name, e := range map[string]flow.Enricher{"direct": nil, "record": idle{}} {
		d := decoder(t, New, "../../flows.yaml", e, &count.Counters{})
		var out []byte
		run := func() {
			for i := range ds {
				out, _ = d.Append(out[:0], &ds[i])
			}
		}
		run()
		if n := testing.AllocsPerRun(3, run); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
