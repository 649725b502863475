package schema_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

type boundTree struct{ M map[string]*boundTree }

func treeOf(depth int) *boundTree {
	t := &boundTree{}
	for range depth {
		t = &boundTree{map[string]*boundTree{"": t}}
	}
	return t
}

func TestEntriesOfBoundMapsAreLevels(t *testing.T) {
	s := schema.New("Tree")
	s.Map("m", 1, func(e *schema.Message) { e.String("key", 1); e.Nested("value", 2, s.Message) })
	plan := compile(t, s)
	tree, err := schema.Bind[boundTree](plan)
	if err != nil {
		t.Fatal(err)
	}
	for depth, want := range map[int]error{50: nil, 51: wire.DepthExceeded} {
		b, err := tree.Append(nil, treeOf(depth))
		if !errors.Is(err, want) && (want != nil || err != nil) {
			t.Errorf("%d deep: %v", depth, err)
		}
		if err == nil {
			if err := plan.NewRow().Unmarshal(b); err != nil {
				t.Errorf("%d deep, read: %v", depth, err)
			}
		}
	}
}

func TestEntriesOfBoundMapsWithoutAKeyAreLeftOut(t *testing.T) {
	s := schema.New("Root")
	var key schema.StringColumn
	s.Map("m", 1, func(e *schema.Message) {
		key = e.String("key", 1, schema.CheckUTF8, schema.OnMisfit(schema.Drop))
		e.Uint32("value", 2)
	})
	type root struct{ M map[string]uint32 }
	bound, err := schema.Bind[root](compile(t, s))
	if err != nil {
		t.Fatal(err)
	}
	b, err := bound.Append(nil, &root{map[string]uint32{"\xff": 7}})
	if len(b) > 0 || err != nil || bound.Misfits(key.Handle) != 1 {
		t.Errorf("wrote %x, %v, %d misfits", b, err, bound.Misfits(key.Handle))
	}
	foreign := schema.New("Other")
	for range 3 {
		foreign.Bool("a", 1)
	}
	if n := bound.Misfits(schema.Handle(foreign.Bool("b", 2).Handle)); n != 0 {
		t.Errorf("another schema's column has %d misfits", n)
	}
}

func TestEmbeddedFieldsAreBoundOrRefused(t *testing.T) {
	type inner struct{ A uint32 }
	s := schema.New("Root")
	s.Uint32("a", 1)
	s.Timestamp("time", 2, schema.Seconds)
	s.IP("addr", 3)
	plan := compile(t, s)
	type root struct {
		time.Time
		netip.Addr
		inner
	}
	bound, err := schema.Bind[root](plan)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bound.Append(nil, &root{time.Unix(5, 0), netip.MustParseAddr("::1"), inner{7}})
	if want := "\x08\x07\x10\x05\x1a\x10" + strings.Repeat("\x00", 15) + "\x01"; string(b) != want || err != nil {
		t.Errorf("wrote %x, %v", b, err)
	}
	type pointer struct{ *inner }
	if _, err := schema.Bind[pointer](plan); !errors.Is(err, wire.TypeMismatch) {
		t.Errorf("an embedded pointer: %v", err)
	}
}

func TestABindingSetsWhatItWritesAndNothingElse(t *testing.T) {
	s := schema.New("Root")
	n := s.Uint32("n", 1)
	a := s.Uint32("a", 2, schema.InOneof("o"), schema.KeepFirst)
	b := s.Uint32("b", 3, schema.InOneof("o"), schema.KeepFirst)
	plan := compile(t, s)
	type root struct{ N, A *uint32 }
	bound, err := schema.Bind[root](plan)
	if err != nil {
		t.Fatal(err)
	}
	r := plan.NewRecord()
	bound.AppendRecord(r, &root{})
	r.Uint(n, 0)
	r.Uint(b, 5)
	expect(t, r, "1805")
	r.Reset()
	number := uint32(1)
	bound.AppendRecord(r, &root{N: &number, A: &number})
	r.Uint(a, 5)
	r.Uint(b, 5)
	r.Uint(n, 0)
	expect(t, r, "0801"+"1001"+"0800")
}

func TestBoundStructsInABatch(t *testing.T) {
	type root struct {
		A uint32
		S string
	}
	for _, deferred := range []bool{false, true} {
		s := schema.New("Root")
		var options []schema.Option
		if deferred {
			options = append(options, schema.Deferred)
		}
		a, text := s.Uint32("a", 1, options...), s.String("s", 2)
		plan := compile(t, s)
		bound, err := schema.Bind[root](plan)
		if err != nil {
			t.Fatal(err)
		}
		b, r := plan.NewBatch(), plan.NewRecord()
		for round := range 3 {
			var want []string
			for i := range 40 {
				v := &root{uint32(i * 100), strings.Repeat("x", i*10)}
				if i%9 == 4 { // a record that has been begun takes the struct's columns, too
					b.Record().Uint(a, 7)
					r.Uint(a, 7)
				}
				if err := bound.AddTo(b, v); err != nil {
					t.Fatal(err)
				}
				bound.AppendRecord(r, v)
				want = append(want, string(r.Delimited()))
				r.Reset()
				if i%9 == 5 { // and one that is written by handles may follow
					b.Record().String(text, "y")
					r.String(text, "y")
					want = append(want, string(r.Delimited()))
					r.Reset()
					if err := b.Add(); err != nil {
						t.Fatal(err)
					}
				}
			}
			slab, spans := b.Take()
			if len(spans) != len(want) {
				t.Fatalf("%d records, want %d", len(spans), len(want))
			}
			for i, at := range spans {
				if got := string(slab[at.Start:at.End]); got != want[i] {
					t.Errorf("deferred %t, round %d: record %d is %x, want %x", deferred, round, i, got, want[i])
				}
			}
		}
		if err := bound.AddTo(compile(t, s).NewBatch(), &root{}); !errors.Is(err, wire.HandleMisuse) {
			t.Errorf("a batch of another plan: %v", err)
		}
	}
}
