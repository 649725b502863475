package decode

import (
	"fmt"
	"maps"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

func TestATemplateThatChangesIsUsedFromThenOn(t *testing.T) {
	for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			b := build{protocol: p}
			r := newRig(t, session.DefaultLimits(), parse(t, small), nil, o)
			kind := fmt.Sprintf("type=%d ", p)
			data := set(256, be32(5, 0x01020304))
			// In one datagram, and from one to the next.
			r.expectFlows("changed in a datagram", r.send(b.datagram(b.template(256, octets, source), data, b.template(256, source, octets), data)),
				kind+"bytes=5 src=1.2.3.4", kind+"bytes=16909060 src=0.0.0.5")
			r.expectFlows("as it was left", r.send(b.datagram(data)), kind+"bytes=16909060 src=0.0.0.5")
			r.expectFlows("changed back", r.send(b.datagram(b.template(256, octets, source), data)), kind+"bytes=5 src=1.2.3.4")
			// Another domain and another session of the exporter have templates of their own.
			b.domain = 7
			r.expectFlows("another domain", r.send(b.datagram(data)))
			b.domain = 0
			r.from = netip.AddrPortFrom(r.from.Addr(), 4000)
			r.expectFlows("another port", r.send(b.datagram(data)))
			if r.store.Waiting() == 0 || r.counts.Templates.Load() != 3 {
				t.Errorf("%d bytes wait, %d templates learnt", r.store.Waiting(), r.counts.Templates.Load())
			}
			r.expect("nothing is wrong with it", nil)
		}
	}
}

func TestATemplateThatIsSentAgainIsNotBoundAgain(t *testing.T) {
	b := build{protocol: flow.NetFlow9}
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	datagram := b.datagram(b.template(256, octets, source), set(256, be32(5, 6)))
	r.send(datagram)
	find := func() *session.Template {
		return r.known(flow.NetFlow9).Template(256)
	}
	first, bound, memory := find(), find().Bound.Template, r.store.Memory()
	for range 10 {
		r.send(datagram)
	}
	if find() != first || find().Bound.Template != bound || r.store.Memory() != memory || r.counts.Templates.Load() != 1 {
		t.Errorf("%p was bound as %p, and is %p as %p; %d bytes, then %d", first, bound, find(), find().Bound.Template, memory, r.store.Memory())
	}
	var out []byte
	dg := &flow.Datagram{Received: r.now, From: r.from, Payload: datagram}
	if n := testing.AllocsPerRun(50, func() { out, _ = r.Append(out[:0], dg) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestATemplateIsBoundToTheLayoutInUse(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	data := set(256, be32(5, 6))
	r.expectFlows("before", r.send(b.datagram(b.template(256, octets, vendor), data)), "type=3 bytes=5 vendor=6")
	r.columns = nil
	if err := r.Use(parse(t, "message: Flow\ncolumns:\n - {name: vendor, number: 1, type: uint32, from: 9/1}"), nil); err != nil {
		t.Fatal(err)
	}
	r.expectFlows("after the reload", r.send(b.datagram(data)), "vendor=6")
	r.expect("reload", nil)
}

func TestTemplatesAreWithdrawn(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	withdraw := func(set, id int) []byte { return be16(set, 8, id, 0) }
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	learn := func() {
		r.send(b.datagram(set(2, b.templateRecord(256, octets), b.templateRecord(257, octets)), b.options(258, 1, vendor, vendorless(34, 4))))
	}
	count := func(subject string, want int) {
		if got := r.store.Templates(); got != want {
			t.Errorf("%s: %d templates are left", subject, got)
		}
	}
	learn()
	memory := r.store.Memory()
	r.send(b.datagram(withdraw(2, 256)))
	count("one", 2)
	r.send(b.datagram(withdraw(2, 256), withdraw(3, 257), withdraw(2, 258)))
	count("what is not there, or of the other kind", 2)
	r.send(b.datagram(withdraw(2, 2)))
	count("all templates", 1)
	r.send(b.datagram(withdraw(3, 3)))
	count("all options templates", 0)
	learn()
	if r.store.Memory() != memory {
		t.Errorf("%d bytes are kept instead of %d", r.store.Memory(), memory)
	}
	r.expect("withdrawals", nil)
}

func TestATemplateFloodIsBounded(t *testing.T) {
	limits := session.DefaultLimits()
	limits.Templates, limits.Fields, limits.Domains = 100, 20, 4
	r := newRig(t, limits, parse(t, small), nil, Options{})
	var flood uint64
	for port := range uint16(5) {
		r.from = netip.AddrPortFrom(r.from.Addr(), 1000+port)
		for id := range 300 {
			b := build{protocol: flow.NetFlow9, domain: uint32(id % 3)}
			r.send(b.datagram(b.template(256+id, octets, source)))
		}
	}
	if flood = 5 * (300 - 100); r.store.Templates() != 500 || r.counts.Templates.Load() != 500 {
		t.Errorf("%d templates are kept", r.store.Templates())
	}
	r.expect("more templates than allowed", map[string]uint64{"template_flood": flood})

	tight := session.DefaultLimits()
	tight.PerExporter = 100_000
	r = newRig(t, tight, parse(t, small), nil, Options{})
	b := build{protocol: flow.NetFlow9}
	for id := range 300 {
		r.send(b.datagram(b.template(256+id, octets)))
	}
	if n := r.store.Templates(); n == 0 || n > 150 || r.store.Memory() > 100_000 || r.dropped()["template_flood"] != uint64(300-n) {
		t.Errorf("%d templates in %d bytes of one exporter, lost %v", n, r.store.Memory(), r.dropped())
	}

	r = newRig(t, limits, parse(t, small), nil, Options{})
	var fields []template.Field
	for i := range uint16(21) {
		fields = append(fields, vendorless(500+i, 4))
	}
	r.expectFlows("too many fields cost only their template", r.send(b.datagram(
		set(0, b.templateRecord(256, fields...), b.templateRecord(257, octets)), set(257, be32(5)))), "type=2 bytes=5")
	r.expect("too many fields", map[string]uint64{"template_large": 1})
	for domain := range uint32(10) {
		b.domain = domain
		r.send(b.datagram(b.template(256, octets), set(256, be32(5))))
	}
	for domain := range uint32(10) {
		b.domain = 100 + domain
		r.send(b.datagram(b.template(256, octets))) // those without flows give way
	}
	r.expect("too many domains", map[string]uint64{"template_large": 1, "exporter_limit": 6 + 10})
}

func TestTemplatesThatChangeAllTheTimeAreNotFollowed(t *testing.T) {
	limits := session.DefaultLimits()
	limits.TemplateRate = 100
	r := newRig(t, limits, parse(t, small), nil, Options{})
	b := build{protocol: flow.NetFlow9}
	change := func(n int) (flows int) {
		for i := range n {
			flows += len(r.send(b.datagram(b.template(256, octets, vendorless(uint16(i), 4)), set(256, be32(5, 6)))))
		}
		return flows
	}
	if n := change(25); n != 10 {
		t.Errorf("%d flows", n)
	}
	r.expect("of one exporter", map[string]uint64{"template_flood": 15})
}

// Binding a template to the columns takes long, so strangers may have only so many bound in a second. Their data waits.
func TestDataWaitsForItsTemplateToBeBound(t *testing.T) {
	limits := session.DefaultLimits()
	limits.TemplateRate = 100
	for _, next := range []string{"datagram", "due", "end"} {
		r := newRig(t, limits, parse(t, small), nil, Options{})
		b := build{protocol: flow.NetFlow9}
		settled := r.from
		r.send(b.datagram(b.template(256, octets), set(256, be32(5))))
		r.now = r.now.Add(time.Minute)
		r.send(b.datagram(set(256, be32(5))))
		flows := 0
		for i := range uint16(120) {
			r.from = netip.AddrPortFrom(r.from.Addr(), 3000+i)
			flows += len(r.send(b.datagram(b.template(256, octets), set(256, be32(5)))))
		}
		last := r.from
		if r.from = settled; flows != 100 || len(r.send(b.datagram(b.template(257, octets), set(257, be32(5))))) != 1 {
			t.Errorf("%d flows", flows)
		}
		r.now, r.from = r.now.Add(1100*time.Millisecond), last
		r.store.Tick(r.now)
		more, want := 0, 20
		switch next {
		case "datagram":
			more, want = len(r.send(b.datagram())), 1
		case "due":
			_, more = r.Due(nil, r.now)
		default:
			_, more = r.End(nil)
		}
		if more != want {
			t.Errorf("%s: %d flows a second later", next, more)
		}
		r.expect(next, nil)
	}
}

// What is estimated is about what is used: a flood of whatever a stranger may send stays within the limit.
func TestMemoryStaysWithinItsLimit(t *testing.T) {
	l := standard(t)
	limits := session.DefaultLimits()
	limits.Memory, limits.TemplateRate = 4<<20, 1<<30
	measure := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	many := make([]template.Field, 400)
	for i := range many {
		many[i] = vendorless(uint16(i), 4)
	}
	columns := append([]template.Field(nil), many[1:100]...)
	for name, datagrams := range map[string]func(i int) []byte{
		"templates of many columns": func(i int) []byte {
			b := build{protocol: flow.NetFlow9, domain: uint32(i / 125 % 10)}
			return b.datagram(b.template(256+i%125, columns...), set(256+i%125, make([]byte, 400)))
		},
		"templates of many fields": func(i int) []byte {
			b := build{protocol: flow.NetFlow9, domain: uint32(i / 125 % 10)}
			return b.datagram(b.template(256+i%125, many...))
		},
		"small templates": func(i int) []byte {
			b := build{protocol: flow.NetFlow9, domain: uint32(i / 125 % 10)}
			return b.datagram(b.template(256+i%125, octets), set(256+i%125, be32(1)))
		},
		"domains": func(i int) []byte {
			b := build{protocol: flow.IPFIX, domain: uint32(i)}
			return b.datagram()
		},
		"data without templates": func(i int) []byte {
			b := build{protocol: flow.IPFIX, domain: uint32(i % 10)}
			return b.datagram(set(256+i, be32(1)))
		},
		"samplers": func(i int) []byte {
			b := build{protocol: flow.IPFIX, domain: uint32(i % 10)}
			var records []byte
			for j := range uint32(200) {
				records = append(records, be32(uint32(i)*200+j, 5)...)
			}
			return b.datagram(b.options(256, 1, vendorless(302, 4), vendorless(34, 4)), set(256, records))
		},
	} {
		before := measure()
		r := newRig(t, limits, l, nil, Options{})
		var out []byte
		most := 0
		for i := range 10000 {
			from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i / 250), 1}), 2055)
			out, _ = r.Append(out[:0], &flow.Datagram{Received: r.now.Add(time.Duration(i)), From: from, Payload: datagrams(i)})
			most = max(most, r.store.Memory())
		}
		used := int(measure() - before)
		estimated := r.store.Memory()
		if most > limits.Memory || used > limits.Memory*5/4 || used > estimated*3/2 {
			t.Errorf("%s: %d bytes are used, estimated as %d, at most %d", name, used, estimated, most)
		}
		t.Logf("%s: %d bytes are used, estimated as %d; %v", name, used, estimated, r.dropped())
		r.store.Close()
		if r.store.Memory() != 0 || r.store.Waiting() != 0 || r.store.Templates() != 0 {
			t.Errorf("%s: %d bytes are left, %d waiting, %d templates", name, r.store.Memory(), r.store.Waiting(), r.store.Templates())
		}
	}
}

// A domain without templates and nothing that waits makes room, and goes by itself when it is not heard of for long.
func TestDomainsOfNoUseAreGivenUp(t *testing.T) {
	limits := anyClock()
	limits.Domains, limits.Lifetime = 10, 24*time.Hour
	r := newRig(t, limits, parse(t, small), nil, Options{})
	keeps := build{protocol: flow.NetFlow9, domain: 1_000_000}
	r.send(keeps.datagram(keeps.template(256, octets)))
	for i := range uint32(300) {
		b := build{protocol: flow.NetFlow9, domain: i}
		r.send(b.datagram())
	}
	b := build{protocol: flow.NetFlow9, domain: 400}
	r.expectFlows("a new domain", r.send(b.datagram(b.template(256, octets), set(256, be32(7)))), "type=2 bytes=7")
	r.expectFlows("the one with a template", r.send(keeps.datagram(set(256, be32(5)))), "type=2 bytes=5")
	r.expect("domains", nil)
	for range 10 {
		r.now = r.now.Add(6 * time.Hour)
		r.send(keeps.datagram(set(256, be32(5))))
	}
	if n := len(maps.Collect(r.exporter(r.from).Domains())); n != 1 {
		t.Errorf("%d domains", n)
	}
	r.store.Close()
	if r.store.Memory() != 0 {
		t.Errorf("%d bytes are left", r.store.Memory())
	}
}

func TestTemplatesOfNoUseAreGivenUp(t *testing.T) {
	b := build{protocol: flow.NetFlow9}
	limits := anyClock()
	limits.Lifetime = time.Hour
	r := newRig(t, limits, parse(t, small), nil, Options{})
	r.send(b.datagram(set(0, b.templateRecord(256, octets), b.templateRecord(257, octets), b.templateRecord(258, octets))))
	for range 20 {
		r.now = r.now.Add(10 * time.Minute)
		r.send(b.datagram(set(256, be32(5)), b.template(257, octets))) // used, sent again, neither
	}
	if n := r.store.Templates(); n != 2 {
		t.Errorf("%d templates are left", n)
	}
	r.expectFlows("the one that is used", r.send(b.datagram(set(256, be32(5)))), "type=2 bytes=5")
}
