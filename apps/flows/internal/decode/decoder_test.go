package decode

import (
	"encoding/binary"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

func TestNothingIsAllocatedForADatagram(t *testing.T) {
	l := standard(t)
	for name, datagrams := range benchmarks(t) {
		for _, e := range []flow.Enricher{nil, nothing{}} {
			r := newRig(t, anyClock(), l, e, Options{})
			for _, b := range datagrams {
				r.send(b)
			}
			dg := &flow.Datagram{Received: r.now, From: r.from, Payload: datagrams[len(datagrams)-1]}
			out, flows := r.Append(nil, dg)
			if n := testing.AllocsPerRun(100, func() { out, _ = r.Append(out[:0], dg) }); n > 0 || flows == 0 {
				t.Errorf("%s, enricher %v: %v allocations for %d flows", name, e, n, flows)
			}
		}
	}
}

// naming is an enricher that puts the exporter into a column.
type naming struct{ column schema.StringColumn }

func (n naming) Enrich(r *schema.Record, exporter netip.Addr) { r.String(n.column, exporter.String()) }

func TestTheEnricherSeesEachRecord(t *testing.T) {
	l := parse(t, small)
	column, err := schema.Lookup[schema.StringColumn](l.File.Schema.Message, "name")
	if err != nil {
		t.Fatal(err)
	}
	b := build{protocol: flow.NetFlow9}
	for _, o := range []Options{{}, {Goflow2: true}} {
		r := newRig(t, session.DefaultLimits(), l, naming{column}, o)
		r.expectFlows("named", r.send(b.datagram(b.template(256, octets), set(256, be32(1, 2)))),
			"type=2 bytes=1 name=192.0.2.1", "type=2 bytes=2 name=192.0.2.1")
	}
}

func TestColumnsThatKeepTheirFirstValueKeepTheCollectors(t *testing.T) {
	l := parse(t, "message: Flow\ncolumns:\n - {name: bytes, number: 1, type: uint64, from: 1}\n"+
		" - {name: type, number: 2, type: uint32, from: [4294967295/1, 34], keep: first}\n - {name: id, number: 3, type: uint32, constant: 7}\n")
	b := build{protocol: flow.IPFIX}
	for _, o := range []Options{{}, {Goflow2: true}} {
		r := newRig(t, session.DefaultLimits(), l, nil, o)
		r.expectFlows("first", r.send(b.datagram(b.template(256, octets, vendorless(34, 4)), set(256, be32(5, 9)))), "bytes=5 type=3 id=7")
	}
}

// Exporters of IPv4 and IPv6 with one template leave one address empty.
func TestTheAddressThatIsNotZeroIsTaken(t *testing.T) {
	l := parse(t, "message: Flow\ncolumns:\n - {name: src, number: 1, type: ip, from: [8, 27], deferred: true}\n"+
		" - {name: dst, number: 2, type: ip, from: [12, 28]}\n - {name: name, number: 3, type: string, from: 82}\n")
	six := append(be32(0x20010db8), make([]byte, 12)...)
	six[15] = 1
	four, no4, no6 := be32(0xc0000201), make([]byte, 4), make([]byte, 16)
	for _, e := range []flow.Enricher{nil, nothing{}} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			r := newRig(t, session.DefaultLimits(), l, e, o)
			b := build{protocol: flow.IPFIX}
			want := []string{"src=2001:db8::1 dst=2001:db8::1", "src=192.0.2.1 dst=192.0.2.1", "", "src=192.0.2.1 dst=192.0.2.1"}
			r.expectFlows("fixed", r.send(b.datagram(b.template(256, vendorless(27, 16), source, vendorless(12, 4), vendorless(28, 16)),
				set(256, six, no4, no4, six, no6, four, four, no6, no6, no4, no4, no6, six, four, four, six))), want...)
			text := []byte{3, 'a', 'b', 'c'}
			for i := range want {
				want[i] = strings.TrimSpace(want[i] + " name=abc")
			}
			r.expectFlows("a string between", r.send(b.datagram(b.template(257, vendorless(12, 4), source, title, vendorless(27, 16), vendorless(28, 16)),
				set(257, no4, no4, text, six, six, four, four, text, no6, no6, no4, no4, text, no6, no6, four, four, text, six, six))), want...)
			r.expect("addresses", nil)
		}
	}
}

func TestMisfitsAreCounted(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	for _, e := range []flow.Enricher{nil, nothing{}} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			r := newRig(t, session.DefaultLimits(), parse(t, small), e, o)
			wideVendor := template.Field{Enterprise: 9, Element: 1, Length: 8}
			data := set(256, wide(1<<33+5, 8), wide(6, 8), wide(1<<40, 8))
			for range 2 {
				r.expectFlows("nothing of them", r.send(b.datagram(b.template(256, wideVendor), data)), "type=3", "type=3 vendor=6", "type=3")
			}
			r.expect("two of three, twice", map[string]uint64{"misfit": 4})
		}
	}
}

// Decoders of one store may decode datagrams of one exporter, with different layouts, while another goroutine reads the exporters.
func TestDecodersShareAStore(t *testing.T) {
	limits := anyClock()
	limits.Exporters = 3
	r := newRig(t, limits, standard(t), nil, Options{})
	datagrams := append(capture(t, captures[1].name), capture(t, captures[2].name)...)
	var wait sync.WaitGroup
	for i := range 4 {
		layout := standard(t)
		if i%2 == 1 {
			layout = parse(t, small)
		}
		own, err := New(r.store, layout, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := appenderOf(own, Options{Goflow2: i == 3})
		wait.Go(func() {
			var out []byte
			for j, b := range datagrams {
				from := netip.AddrPortFrom(r.from.Addr(), uint16(j%5))
				out, _ = d.Append(out[:0], &flow.Datagram{Received: r.now, From: from, Payload: b})
				if j%10 == 0 {
					r.store.Exporters()
					r.store.Expire(r.now)
				}
				for at := 0; at < len(out); {
					n, size := binary.Uvarint(out[at:])
					if at += size + int(n); size <= 0 || at > len(out) {
						t.Error("no stream of messages")
						return
					}
				}
			}
		})
	}
	wait.Wait()
	r.store.Close()
	if r.store.Memory() != 0 || r.store.Waiting() != 0 || r.store.Templates() != 0 {
		t.Errorf("%d bytes are left, %d waiting, %d templates", r.store.Memory(), r.store.Waiting(), r.store.Templates())
	}
}
