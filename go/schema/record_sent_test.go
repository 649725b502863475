package schema_test

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Without Reset, a record whose columns keep their first values would send those of the message before. Each way to
// finish it refuses that, whatever has been set since.
func TestARecordThatKeepsFirstValuesEncodesAMessageOnce(t *testing.T) {
	s := schema.New("Flow")
	peer := s.NewMessage("Peer")
	name := peer.String("name", 1, schema.KeepFirst)
	port, size := s.Uint32("port", 1, schema.KeepFirst), s.Uint64("size", 2)
	country, labels := s.String("country", 3, schema.KeepFirst, schema.Deferred), s.Uint32s("labels", 4)
	as := s.Uint32("as", 5, schema.Deferred)
	a, b := s.Uint32("a", 6, schema.InOneof("o"), schema.KeepFirst), s.Bool("b", 7, schema.InOneof("o"), schema.KeepFirst)
	from := s.Nested("from", 8, peer)
	at, address := s.Timestamp("at", 9, schema.Seconds), s.IP("address", 10)
	plan := compile(t, s)
	type flow struct{ Port, Size uint32 }
	bound, err := schema.Bind[flow](plan)
	if err != nil {
		t.Fatal(err)
	}
	alone := plan.NewRecord()
	alone.Uint(size, 3)
	piece, err := alone.Fragment()
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]func(*schema.Record) ([]byte, error){
		"Encoded":         func(r *schema.Record) ([]byte, error) { return bytes.Clone(r.Encoded()), r.Err() },
		"Delimited":       func(r *schema.Record) ([]byte, error) { return bytes.Clone(r.Delimited()), r.Err() },
		"Append":          func(r *schema.Record) ([]byte, error) { return r.Append(nil) },
		"AppendDelimited": func(r *schema.Record) ([]byte, error) { return r.AppendDelimited(nil) },
	}
	sets := map[string]func(*schema.Record){
		"no time":         func(r *schema.Record) { r.Time(at, time.Time{}) },
		"no address":      func(r *schema.Record) { r.IP(address, netip.Addr{}) },
		"no text":         func(r *schema.Record) { r.String(country, "") },
		"a misfit":        func(r *schema.Record) { r.Uint(as, 1<<32) },
		"the same column": func(r *schema.Record) { r.Uint(port, 443) },
		"a zero":          func(r *schema.Record) { r.Uint(port, 0); r.Uint(size, 0) },
		"another column":  func(r *schema.Record) { r.Uint(size, 7) },
		"a list":          func(r *schema.Record) { r.AddUint(labels, 7) },
		"the first later": func(r *schema.Record) { r.String(country, "DE") },
		"the last later":  func(r *schema.Record) { r.Uint(as, 64496) },
		"a oneof":         func(r *schema.Record) { r.Bool(b, true) },
		"a message": func(r *schema.Record) {
			if r.Begin(from) {
				r.String(name, "b")
				r.End()
			}
		},
		"a struct":          func(r *schema.Record) { bound.AppendRecord(r, &flow{443, 7}) },
		"an empty struct":   func(r *schema.Record) { bound.AppendRecord(r, &flow{}) },
		"a fragment":        func(r *schema.Record) { r.Put(&piece) },
		"no fragment":       func(r *schema.Record) { r.Put(nil) },
		"an open message":   func(r *schema.Record) { r.Begin(from) },
		"a missing message": func(r *schema.Record) { r.End() },
	}
	first := func(r *schema.Record) {
		r.Uint(port, 80)
		r.Uint(size, 1000)
		r.String(country, "FR")
		r.Uint(as, 64511)
		r.Uint(a, 5)
	}
	for end, finish := range ends {
		for next, send := range ends {
			for state, set := range sets {
				r := plan.NewRecord()
				first(r)
				want, err := finish(r)
				if err != nil || len(want) == 0 {
					t.Fatalf("%s: %x, %v", end, want, err)
				}
				set(r)
				for range 2 {
					if got, err := send(r); !errors.Is(err, wire.HandleMisuse) || len(got) > 0 {
						t.Errorf("%s, %s, then %s: %x, %v", end, state, next, got, err)
					}
				}
				r.Reset()
				first(r)
				if got, err := finish(r); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s, %s, then %s, then Reset: %x instead of %x, %v", end, state, next, got, want, err)
				}
			}
		}
	}
}

// A message may be read any number of times, and is sent once.
func TestAMessageIsSentOnce(t *testing.T) {
	s := schema.New("M")
	a, b := s.Uint32("a", 1, schema.KeepFirst), s.Uint32("b", 2, schema.Deferred)
	r := compile(t, s).NewRecord()
	for range 2 {
		r.Reset()
		r.Uint(a, 1)
		r.Uint(b, 2)
		for range 3 {
			expect(t, r, "08011002")
			if got := r.Delimited(); string(got) != "\x04\x08\x01\x10\x02" {
				t.Errorf("%x", got)
			}
		}
		if out, err := r.Append(nil); err != nil || string(out) != "\x08\x01\x10\x02" {
			t.Errorf("%x, %v", out, err)
		}
		expect(t, r, "08011002")
		for _, send := range []func([]byte) ([]byte, error){r.Append, r.AppendDelimited} {
			if out, err := send(nil); !errors.Is(err, wire.HandleMisuse) || out != nil {
				t.Errorf("sent twice: %x, %v", out, err)
			}
		}
	}
	var none schema.Record
	for range 2 {
		if out, err := none.AppendDelimited(nil); out != nil || err != nil {
			t.Errorf("the zero record: %x, %v", out, err)
		}
	}
}

// Fields before a refused message stay.
func TestARefusedMessageLeavesTheOutput(t *testing.T) {
	s := schema.New("M")
	a := s.Uint32("a", 1, schema.KeepFirst)
	r := compile(t, s).NewRecord()
	r.Uint(a, 1)
	out, err := r.AppendDelimited([]byte("before"))
	if err != nil {
		t.Fatal(err)
	}
	r.Uint(a, 2)
	later, err := r.AppendDelimited(out)
	if !errors.Is(err, wire.HandleMisuse) || !bytes.Equal(later, []byte("before\x02\x08\x01")) {
		t.Errorf("%x, %v", later, err)
	}
}

// Only columns that are on, and that keep their first value, need that.
func TestARecordWithoutFirstValuesMayGoOn(t *testing.T) {
	s := schema.New("M")
	a, b := s.Uint32("a", 1), s.Uint32("b", 2, schema.KeepFirst)
	r := compile(t, s, schema.Off("b")).NewRecord()
	r.Uint(a, 1)
	expect(t, r, "0801")
	r.Uint(b, 1)
	r.Uint(a, 2)
	expect(t, r, "0801"+"0802")
}

// A batch begins the next message by itself, also after somebody has looked at the one that is being written.
func TestABatchOfFirstValuesNeedsNoReset(t *testing.T) {
	for _, options := range [][]schema.Option{{schema.KeepFirst}, {schema.KeepFirst, schema.Deferred}} {
		s := schema.New("M")
		a := s.Uint32("a", 1, options...)
		plan := compile(t, s)
		b := plan.NewBatch()
		bound, err := schema.Bind[struct{ A uint32 }](plan)
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(6) {
			b.Record().Uint(a, i+1)
			b.Record().Uint(a, 99)
			if i%2 == 1 {
				b.Record().Encoded()
			}
			if i == 4 {
				b.Drop()
				continue
			}
			if err := b.Add(); err != nil {
				t.Fatal(err)
			}
		}
		b.Record().Encoded() // of nothing
		if err := bound.AddTo(b, &struct{ A uint32 }{7}); err != nil {
			t.Fatal(err)
		}
		b.Record().Uint(a, 8)
		if got, err := b.Record().Append(nil); err != nil || string(got) != "\x08\x08" {
			t.Errorf("%x, %v", got, err)
		}
		slab, spans := b.Take()
		var got []byte
		for _, at := range spans {
			got = append(got, slab[at.Start:at.End]...)
		}
		if want := "\x02\x08\x01\x02\x08\x02\x02\x08\x03\x02\x08\x04\x02\x08\x06\x02\x08\x07"; string(got) != want {
			t.Errorf("%x, want %x", got, want)
		}
	}
}
