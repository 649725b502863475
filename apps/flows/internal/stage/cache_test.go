package stage

import (
	"net/netip"
	"sync"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

func TestACacheIsBoundedAndReturnsWhatWasPut(t *testing.T) {
	c := newCache[uint64](64)
	for i := range uint64(10_000) {
		k := key{high: i, low: i * 3}
		if got := c.put(k, i); *got != i {
			t.Fatalf("put returns %d", *got)
		}
		if got := c.get(k); got == nil || *got != i {
			t.Fatalf("%d is not found after it was put", i)
		}
	}
	used := 0
	for i := range c.slots {
		if e := c.slots[i].Load(); e != nil {
			used++
			if e.key != (key{high: e.value, low: e.value * 3}) {
				t.Errorf("the value of %v is %d", e.key, e.value)
			}
		}
	}
	if used != 64 {
		t.Errorf("%d of 64 entries are used", used)
	}
	if c.get(key{high: 10_000, low: 30_000}) != nil {
		t.Error("a key that was never put is found")
	}
	c.put(key{high: 1, low: 3}, 5)
	if got := c.put(key{high: 1, low: 3}, 6); *got != 6 || *c.get(key{high: 1, low: 3}) != 6 {
		t.Error("a value is not replaced")
	}
}

// Several goroutines use an enricher at once; what they find is what one finds alone.
func TestGoroutinesShareACache(t *testing.T) {
	l := schemaOf(t, geoColumns...)
	tables := must(Load(Files{Enrichment: geo(t, bothDatabases)}, nil))
	e := must(tables.Bind(l))
	addresses := []string{"192.0.2.1", "192.0.2.129", "198.51.100.9", "2001:db8::1", "203.0.113.1"}
	want := map[string]string{}
	for _, a := range addresses {
		want[a] = found(t, must(tables.Bind(l)), l.File.Schema, l.Plan, a)
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 500 {
				a := addresses[(i+n)%len(addresses)]
				if got := found(t, e, l.File.Schema, l.Plan, a); got != want[a] {
					t.Errorf("%s has %q, want %q", a, got, want[a])
				}
			}
		})
	}
	all.Wait()
}

// everything is a layout with columns for all that the databases have.
func everything(t testing.TB) (*layout.Layout, *Tables) {
	t.Helper()
	l := schemaOf(t, geoColumns...)
	return l, must(Load(Files{Enrichment: geo(t, bothDatabases)}, nil))
}

func TestNothingIsAllocatedForCachedAddresses(t *testing.T) {
	l, tables := everything(t)
	e := must(tables.Bind(l))
	from := must(schema.Lookup[schema.IPColumn](l.File.Schema.Message, "from"))
	a, r := netip.MustParseAddr("192.0.2.1"), l.Plan.NewRecord()
	run := func() {
		r.IP(from, a)
		e.Enrich(r, theExporter)
		r.Encoded()
		r.Reset()
	}
	if n := testing.AllocsPerRun(1000, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkDatabases is the two databases, of one address, when the cache has it and when it has not.
func BenchmarkDatabases(b *testing.B) {
	l, tables := everything(b)
	e := must(tables.Bind(l)).(*enricher)
	from := must(schema.Lookup[schema.IPColumn](l.File.Schema.Message, "from"))
	for name, next := range map[string]func(uint32) netip.Addr{
		"cached": func(uint32) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, 1}) },
		"missed": func(i uint32) netip.Addr {
			i *= 2654435769
			return netip.AddrFrom4([4]byte{byte(i >> 24), byte(i >> 16), byte(i >> 8), 1})
		},
	} {
		b.Run(name, func(b *testing.B) {
			r, i := l.Plan.NewRecord(), uint32(0)
			b.ReportAllocs()
			for b.Loop() {
				r.IP(from, next(i))
				i++
				e.Enrich(r, theExporter)
				r.Reset()
			}
		})
	}
}
