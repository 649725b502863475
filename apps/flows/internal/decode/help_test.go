package decode

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// rig is a store with one decoder, and what they count.
type rig struct {
	t      testing.TB
	counts count.Counters
	store  *session.Store
	*Decoder
	way     appender
	from    netip.AddrPort
	now     time.Time
	columns []schema.Column // of layout
}

func anyClock() session.Limits {
	l := session.DefaultLimits()
	l.ClockSkew = 0
	return l
}

func newRig(t testing.TB, limits session.Limits, l *layout.Layout, e flow.Enricher, o Options) *rig {
	t.Helper()
	r := &rig{t: t, from: netip.MustParseAddrPort("192.0.2.1:2055"), now: time.Unix(1_800_000_000, 0)}
	r.store = session.NewStore(limits, &r.counts)
	var err error
	if r.Decoder, err = New(r.store, l, e); err != nil {
		t.Fatal(err)
	}
	r.way = appenderOf(r.Decoder, o)
	return r
}

// Append decodes in the way that the options chose.
func (r *rig) Append(dst []byte, dg *flow.Datagram) (out []byte, flows int) {
	return r.way.Append(dst, dg)
}

// send decodes a datagram and returns its flows as text.
func (r *rig) send(payload []byte) []string {
	r.t.Helper()
	b, n := r.Append(nil, &flow.Datagram{Received: r.now, From: r.from, Payload: payload})
	if r.columns == nil {
		r.columns = r.layout.Plan.Columns(r.layout.Plan.Root())
	}
	flows := texts(r.t, r.columns, b)
	if len(flows) != n {
		r.t.Fatalf("%d flows are said to be there, and %d are", n, len(flows))
	}
	return flows
}

// exporter is what the store has of a session.
func (r *rig) exporter(from netip.AddrPort) (found *session.Exporter) {
	r.store.Each(func(e *session.Exporter) {
		if e.From == from {
			found = e
		}
	})
	return found
}

// known is what it has of an observation domain.
func (r *rig) known(p flow.Protocol) *session.Domain {
	return maps.Collect(r.exporter(r.from).Domains())[session.DomainKey{Protocol: p}]
}

// sessions is how many there are.
func (r *rig) sessions() (n int) {
	r.store.Each(func(*session.Exporter) { n++ })
	return n
}

// dropped is what was lost, by reason.
func (r *rig) dropped() map[string]uint64 {
	all := map[string]uint64{}
	for reason := range count.Reasons {
		if n := r.counts.Dropped(reason); n > 0 {
			all[reason.String()] = n
		}
	}
	return all
}

func parse(t testing.TB, text string) *layout.Layout {
	t.Helper()
	l, err := layout.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func standard(t testing.TB) *layout.Layout {
	t.Helper()
	l, err := layout.Load("../../flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// texts are the messages of a stream, each with its columns by number. Of several values of a column the last one
// counts.
func texts(t testing.TB, columns []schema.Column, stream []byte) (list []string) {
	t.Helper()
	values := make([]string, len(columns))
	for at := 0; at < len(stream); {
		b, next, err := wire.CutDelimited(stream, at, wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		clear(values)
		for d := wire.NewDecoder(b); d.More(); {
			number, kind, err := d.DecodeTag()
			if err != nil {
				t.Fatalf("%x: %v", b, err)
			}
			i := 0
			for columns[i].Number != number {
				i++
			}
			value := text(t, d, &columns[i], kind)
			if columns[i].Repeated && values[i] != "" {
				values[i] += "," + value
			} else {
				values[i] = columns[i].Name + "=" + value
			}
		}
		list = append(list, strings.Join(slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" }), " "))
		at = next
	}
	return list
}

// text is a value.
func text(t testing.TB, d *wire.Decoder, c *schema.Column, kind wire.Type) string {
	t.Helper()
	if kind == wire.VarintType {
		v, err := d.DecodeUint64()
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatUint(v, 10)
	}
	if c.Repeated && c.Kind == wire.Bytes && c.Logical == schema.Plain {
		b, err := d.DecodeBytes()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x", b)
	}
	if c.Repeated && c.Kind != wire.Double && c.Kind != wire.Bytes {
		b, err := d.DecodeBytes()
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for d := wire.NewDecoder(b); d.More(); {
			v, err := d.DecodeUint64()
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, strconv.FormatUint(v, 10))
		}
		return strings.Join(list, ",")
	}
	if c.Logical == schema.Plain && (c.Kind == wire.String || c.Kind == wire.Bytes) {
		b, err := d.DecodeBytes()
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	raw, err := d.Skip()
	if err != nil {
		t.Fatal(err)
	}
	if c.Logical == schema.IP {
		address, ok := netip.AddrFromSlice(raw[len(raw)-16:])
		if !ok {
			t.Fatalf("%x is no address", raw)
		}
		return address.Unmap().String()
	}
	return fmt.Sprintf("%x", raw)
}

// capture reads the datagrams of a file.
func capture(t testing.TB, name string) (datagrams [][]byte) {
	t.Helper()
	b, err := os.ReadFile("../../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) > 0 {
		n := binary.BigEndian.Uint32(b)
		datagrams = append(datagrams, b[4:4+n])
		b = b[4+n:]
	}
	return datagrams
}
