package schema_test

import (
	"bytes"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// A fragment writes the bytes of the calls that it was made from, and a value that is set later wins.
// SCH-140
func TestAFragmentIsWrittenAsItsCalls(t *testing.T) {
	s := schema.New("M")
	name, number, list := s.String("name", 1, schema.CheckUTF8), s.Uint32("number", 2), s.Uint32s("list", 3)
	address, off := s.IP("address", 4), s.Uint32("off", 5, schema.Disabled)
	plan := compile(t, s)
	set := func(r *schema.Record) {
		r.String(name, strings.Repeat("long", 100))
		r.Uint(number, 7)
		r.AddUint(list, 1, 300)
		r.IP(address, netip.MustParseAddr("192.0.2.1"))
		r.Uint(off, 9)
	}
	source := plan.NewRecord()
	set(source)
	f, err := source.Fragment()
	if err != nil || f.IsEmpty() {
		t.Fatal(err)
	}
	source.Reset()
	source.Uint(number, 1) // the fragment has its own bytes

	put, called := plan.NewRecord(), plan.NewRecord()
	for range 3 {
		put.Uint(number, 5)
		put.AddUint(list, 4)
		called.Uint(number, 5)
		called.AddUint(list, 4)
		put.Put(&f)
		set(called)
		put.AddUint(list, 2)
		called.AddUint(list, 2)
		if !bytes.Equal(put.Encoded(), called.Encoded()) || put.Err() != nil {
			t.Errorf("%x, want %x, %v", put.Encoded(), called.Encoded(), put.Err())
		}
		row := plan.NewRow()
		if err := row.Unmarshal(put.Encoded()); err != nil || row.Uint(number) != 7 || len(row.Uints(list)) != 4 {
			t.Errorf("%v, %v", err, row)
		}
		put.Reset()
		called.Reset()
	}
	if n := testing.AllocsPerRun(100, func() { put.Put(&f); put.Reset() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	var none schema.Fragment
	put.Put(&none)
	if len(put.Encoded()) != 0 || !none.IsEmpty() || put.Err() != nil {
		t.Error("the zero fragment writes something")
	}
}

func TestWhatCannotBeAFragment(t *testing.T) {
	s := schema.New("M")
	later, first, plain := s.Uint32("later", 1, schema.Deferred), s.Uint32("first", 2, schema.KeepFirst), s.Uint32("plain", 3)
	inner := s.Nested("inner", 4, s.NewMessage("Inner"))
	plan := compile(t, s)
	for name, set := range map[string]func(*schema.Record){
		"deferred": func(r *schema.Record) { r.Uint(later, 1) }, "keep first": func(r *schema.Record) { r.Uint(first, 1) },
		"nested": func(r *schema.Record) { r.Begin(inner) }, "an error": func(r *schema.Record) { r.Uint(schema.UintColumn{}, 1) },
	} {
		r := plan.NewRecord()
		r.Uint(plain, 1)
		set(r)
		if f, err := r.Fragment(); err == nil || !f.IsEmpty() {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := new(schema.Record).Fragment(); err == nil {
		t.Error("a record of no plan")
	}
	r := plan.NewRecord()
	r.Uint(plain, 1)
	f, err := r.Fragment()
	if err != nil {
		t.Fatal(err)
	}
	for name, into := range map[string]*schema.Record{"another plan": compile(t, s).NewRecord(), "a nested message": plan.NewRecord()} {
		if name == "a nested message" {
			into.Begin(inner)
		}
		into.Put(&f)
		if !errors.Is(into.Err(), wire.HandleMisuse) {
			t.Errorf("%s: %v", name, into.Err())
		}
	}
}
