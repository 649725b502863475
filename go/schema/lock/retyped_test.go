package lock_test

import (
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/schema/lock"
	"github.com/hotpb/hotpb/go/wire"
)

// numberColumn makes a plan of one column, and what writes and reads 1 in it ("1" in text, a 1 in a message).
func numberColumn(t *testing.T, k wire.Kind) (p *schema.Plan, write func(*schema.Record), read func(*schema.Row) int64) {
	t.Helper()
	s := schema.New("M")
	e := s.NewEnum("E", schema.EnumValue{Name: "ZERO"}, schema.EnumValue{Name: "ONE", Number: 1})
	c := schema.Column{Name: "x", Number: 1, Kind: k}
	var inner schema.UintColumn
	switch k {
	case wire.Enum:
		c.Enum = e
	case wire.Message, wire.Group:
		c.Message = s.NewMessage("N")
		inner = c.Message.Uint64("n", 6)
		c.Presence = schema.Explicit
	}
	s.Add(c)
	length := func(n int) int64 {
		if n == 1 {
			return 1
		}
		return 0
	}
	found := 0
	try := func(err error, w func(*schema.Record), r func(*schema.Row) int64) {
		if err == nil {
			found++
			write, read = w, r
		}
	}
	uints, err := schema.Lookup[schema.UintColumn](s.Message, "x")
	try(err, func(r *schema.Record) { r.Uint(uints, 1) }, func(r *schema.Row) int64 { return int64(r.Uint(uints)) })
	ints, err := schema.Lookup[schema.IntColumn](s.Message, "x")
	try(err, func(r *schema.Record) { r.Int(ints, 1) }, func(r *schema.Row) int64 { return r.Int(ints) })
	floats, err := schema.Lookup[schema.FloatColumn](s.Message, "x")
	try(err, func(r *schema.Record) { r.Float(floats, 1) }, func(r *schema.Row) int64 { return int64(r.Float(floats)) })
	bools, err := schema.Lookup[schema.BoolColumn](s.Message, "x")
	try(err, func(r *schema.Record) { r.Bool(bools, true) }, func(r *schema.Row) int64 {
		if r.Bool(bools) {
			return 1
		}
		return 0
	})
	enums, err := schema.Lookup[schema.EnumColumn](s.Message, "x")
	try(err, func(r *schema.Record) { r.Enum(enums, 1) }, func(r *schema.Row) int64 { return int64(r.Enum(enums)) })
	// "0\x01" is text, and a message with the field 6.
	texts, err := schema.Lookup[schema.StringColumn](s.Message, "x")
	try(err, func(r *schema.Record) { r.String(texts, "0\x01") }, func(r *schema.Row) int64 { return length(len(r.String(texts)) - 1) })
	raw, err := schema.Lookup[schema.BytesColumn](s.Message, "x")
	try(err, func(r *schema.Record) { r.Bytes(raw, []byte("0\x01")) }, func(r *schema.Row) int64 { return length(len(r.Bytes(raw)) - 1) })
	message, err := schema.Lookup[schema.MessageColumn](s.Message, "x")
	try(err, func(r *schema.Record) { r.Begin(message); r.Uint(inner, 1); r.End() }, func(r *schema.Row) int64 { return int64(r.Message(message).Uint(inner)) })
	if found != 1 {
		t.Fatalf("%d types of handle for kind %d", found, k)
	}
	return schematest.Compile(t, s), write, read
}

// SCH-118. A change of kind that is called breaking loses 1, and any other keeps it.
func TestAKindThatMayTakeAnothersPlaceReadsItsValue(t *testing.T) {
	for from := wire.Int32; from <= wire.Group; from++ {
		old, write, _ := numberColumn(t, from)
		r := old.NewRecord()
		write(r)
		for to := wire.Int32; to <= wire.Group; to++ {
			now, _, read := numberColumn(t, to)
			row := now.NewRow()
			kept := row.Unmarshal(r.Encoded()) == nil && read(row) == 1
			level := lock.Compare(old, now).Level()
			// Text that happens to be a message, and that 1 in zigzag is true, are no reason to take the one for the other.
			lucky := from == wire.String && to == wire.Message || from == wire.Message && to == wire.String ||
				(from == wire.Sint32 || from == wire.Sint64) && to == wire.Bool
			if kept != (level < lock.Breaking) && !lucky {
				t.Errorf("kind %d as %d: %v, and 1 is read: %v", from, to, level, kept)
			}
		}
	}
}
