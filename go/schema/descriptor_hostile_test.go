package schema_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// part encodes a length-delimited field of a descriptor.
func part(number uint32, parts ...string) string {
	return string(wire.AppendBytes(wire.AppendTag(nil, number, wire.BytesType), []byte(strings.Join(parts, ""))))
}

// each joins the schemas of the numbers below n.
func each(n int, part func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(part(i))
	}
	return b.String()
}

// numbered encodes a number of a descriptor.
func numbered(number uint32, v int) string {
	return string(wire.AppendVarint(wire.AppendTag(nil, number, wire.VarintType), uint64(v)))
}

// SCH-100.
// The memory that an import and its error take is in proportion to the descriptor set, whatever is in it.
func TestHostileDescriptorSetsTakeMemoryInProportion(t *testing.T) {
	name := func(i int) string { return part(1, fmt.Sprintf("a%x", i)) }
	long := strings.Repeat("a", 20_000)
	column := func(i int, more ...string) string {
		return part(2, name(i), numbered(3, i+20_000), numbered(4, 1), strings.Join(more, ""))
	}
	nested := func() string { return each(20_000, func(i int) string { return part(3, name(i)) }) }
	columns := func(more ...string) string {
		return each(10_000, func(i int) string { return column(i, more...) })
	}
	message := func(parts ...string) string { return part(4, part(1, "M"), strings.Join(parts, "")) }
	for title, c := range map[string]struct {
		file string
		bad  bool
	}{
		"empty messages":           {strings.Repeat("\x22\x00", 65_000), true},
		"empty enums":              {strings.Repeat("\x2a\x00", 65_000), true},
		"empty fields":             {message(strings.Repeat("\x12\x00", 65_000)), true},
		"empty oneofs":             {message(strings.Repeat("\x42\x00", 65_000)), true},
		"empty values":             {message(part(4, part(1, "E"), strings.Repeat("\x12\x00", 65_000))), true},
		"empty ranges":             {message(strings.Repeat("\x4a\x00", 65_000)), true},
		"empty reserved names":     {message(strings.Repeat("\x52\x00", 65_000)), false},
		"one name":                 {strings.Repeat(message(), 30_000), true},
		"messages":                 {message() + each(20_000, func(i int) string { return part(4, name(i)) }), false},
		"nested messages":          {message(nested()), false},
		"a long name":              {part(4, part(1, long), nested()), true},
		"a long name within":       {message(part(3, part(1, long), nested())), true},
		"a long package":           {part(2, long) + each(20_000, func(i int) string { return part(4, name(i)) }), true},
		"the longest name":         {message(part(3, part(1, long[:500]), nested())), false},
		"columns":                  {message(columns(numbered(5, 3))), false},
		"columns of no type":       {message(columns(part(6, "x"))), true},
		"columns of one long name": {message(strings.Repeat(part(2, part(1, long), numbered(3, 1)), 20)), true},
		"columns of one number":    {message(columns(numbered(3, 1), numbered(5, 3))), true},
		"reserved columns": {message(columns(numbered(5, 3)),
			strings.Repeat(part(9, numbered(1, 1), numbered(2, 1<<29)), 10_000)), true},
		"columns in no oneof": {message(columns(numbered(5, 3), numbered(9, 7))), true},
	} {
		fds := []byte(part(1, c.file))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := schema.FromDescriptorSet(fds, "M")
		text := 0
		if err != nil {
			text = len(err.Error())
		}
		runtime.ReadMemStats(&after)
		took := (after.TotalAlloc - before.TotalAlloc) / uint64(len(fds))
		if errors.Is(err, wire.InvalidSchema) != c.bad || (err != nil) != c.bad {
			t.Errorf("%s: %.200v", title, err)
		}
		if took > 125 || text > len(fds) {
			t.Errorf("%s: %d bytes for each one of %d, and %d of text", title, took, len(fds), text)
		}
	}
}

// Faults that protoc only warns of are left out: reserved names that are none.
func TestReservedNamesThatAreNoneAreNotImported(t *testing.T) {
	fds := part(1, part(4, part(1, "M"), part(10, "a"), part(10, "no name"), part(10), part(10, "b")))
	s, err := schema.FromDescriptorSet([]byte(fds), "M")
	if err != nil || strings.Join(s.ReservedNames, " ") != "a b" {
		t.Fatal(err)
	}
	compile(t, s)
}
