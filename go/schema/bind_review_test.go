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
	other := schema.New("Other")
	for range 3 {
		other.Bool("a", 1)
	}
	if n := bound.Misfits(schema.Handle(other.Bool("b", 2).Handle)); n != 0 {
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
	one := uint32(1)
	bound.AppendRecord(r, &root{N: &one, A: &one})
	r.Uint(a, 5)
	r.Uint(b, 5)
	r.Uint(n, 0)
	expect(t, r, "0801"+"1001"+"0800")
}
