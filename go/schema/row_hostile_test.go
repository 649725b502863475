package schema_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Tags are as large as 2^32 − 1, which no int of 32 bits holds.
func TestRowsReadTheLargestNumbers(t *testing.T) {
	s := schema.New("M")
	s.KeepUnknown = true
	largest := s.Uint64("largest", wire.MaxNumber)
	for i := range uint32(20) {
		s.Uint64(fmt.Sprint("n", i), i+1)
	}
	row := compile(t, s).NewRow()
	input := []byte("\xf8\xff\xff\xff\x0f\x01\xf0\xff\xff\xff\x0f\x02") // the largest one, and the one below
	if err := row.Unmarshal(input); err != nil || row.Uint(largest) != 1 || !bytes.Equal(row.Append(nil), input) {
		t.Errorf("%v: %s", err, row.Debug())
	}
}

// Entries whose values are none of the enum take no memory of the map's, however it lies in memory.
func TestEntriesWithUnknownValuesAreReadInTime(t *testing.T) {
	s := schema.New("M")
	closed := s.AddEnum(schema.Enum{Name: "E", Closed: true, Values: []schema.EnumValue{{Name: "A", Number: 1}}})
	n := s.NewMessage("N")
	n.KeepUnknown = true
	values := n.Map("values", 1, func(e *schema.Message) { e.Uint32("key", 1); e.Enum("value", 2, closed) })
	x, _ := s.Nested("x", 1, n), s.Nested("y", 2, n)
	entries := func(from, to, value int) (b []byte) {
		for i := from; i < to; i++ {
			entry := wire.AppendVarint([]byte{0x08}, uint64(i))
			b = wire.AppendBytes(append(b, 0x0a), append(entry, 0x10, byte(value)))
		}
		return b
	}
	const good, unknown = 1024, 20000
	part := func(to, tag []byte, b []byte) []byte { return wire.AppendBytes(append(to, tag...), b) }
	// The second part of x finds its run in the way of y's: it is moved, and is as long as its room in the end.
	rest := append(entries(1, good, 1), entries(good, good+unknown, 9)...)
	input := part(part(part(nil, []byte{0x0a}, entries(0, 1, 1)), []byte{0x12}, entries(7, 8, 1)), []byte{0x0a}, rest)

	row := compile(t, s).NewRow()
	if err := row.Unmarshal(input); err != nil {
		t.Fatal(err)
	}
	if got := row.Message(x).Entries(values).Len(); got != good {
		t.Errorf("%d entries", got)
	}
	want := part(nil, []byte{0x0a}, append(entries(0, good, 1), entries(good, good+unknown, 9)...))
	want = part(want, []byte{0x12}, entries(7, 8, 1))
	if got := row.Append(nil); !bytes.Equal(got, want) {
		t.Errorf("%d bytes were written, want %d", len(got), len(want))
	}
}

// The cost of a switch between the members of a oneof does not grow with the columns.
func TestOneofsAreSwitchedInTime(t *testing.T) {
	took := map[int]time.Duration{}
	input := bytes.Repeat([]byte("\x08\x01\x10\x01"), 1<<14)
	for _, columns := range []int{2, 2000} {
		s := schema.New("M")
		for i := range columns {
			s.Uint64(fmt.Sprint("c", i), uint32(i+1), schema.InOneof("one"))
		}
		row := compile(t, s).NewRow()
		took[columns] = time.Hour
		for range 5 {
			start := time.Now()
			if err := row.Unmarshal(input); err != nil {
				t.Fatal(err)
			}
			took[columns] = min(took[columns], time.Since(start))
		}
	}
	if took[2000] > 50*took[2] {
		t.Errorf("with 2 columns it took %v, with 2000 %v", took[2], took[2000])
	}
}

// A row that is empty holds no input.
func TestAnEmptyRowLetsGoOfItsInput(t *testing.T) {
	s := schema.New("M")
	s.String("text", 1)
	row := compile(t, s).NewRow()
	for name, empty := range map[string]func(){
		"Reset":    row.Reset,
		"an error": func() { _ = row.UnmarshalAlias([]byte{0x0a}) },
	} {
		input := append([]byte{0x0a, 100}, strings.Repeat("a", 100)...)
		if err := row.UnmarshalAlias(input); err != nil {
			t.Fatal(err)
		}
		held := weak.Make(&input[0])
		empty()
		runtime.GC()
		if held.Value() != nil {
			t.Errorf("%s: the input is still held", name)
		}
	}
	runtime.KeepAlive(row)
}

// Records of a row that has shrunk meanwhile read as empty.
func TestUnknownFieldsOfARowThatGaveThemUp(t *testing.T) {
	s := schema.New("M")
	closed := s.AddEnum(schema.Enum{Name: "E", Closed: true, Values: []schema.EnumValue{{Name: "A", Number: 1}}})
	s.KeepUnknown = true
	s.Enum("a", 1, closed)
	s.Enum("b", 3, closed)
	row := compile(t, s).NewRow()
	// Made records with others between them, which therefore stay apart.
	input := []byte("\x08\x09\x10\x01\x18\x09\x10\x01\x08\x09")
	if err := row.Unmarshal(input); err != nil {
		t.Fatal(err)
	}
	records := 0
	for range row.Unknown() {
		if records++; records == 1 {
			row.Shrink()
		}
	}
	if records != 5 {
		t.Error(records)
	}
}

// The plan of rows takes a time in proportion to the schema: this has a required column at the end of a long chain,
// and many columns with large numbers.
func TestTheRowsOfALargeSchemaArePlannedInTime(t *testing.T) {
	const chain, columns = 40000, 20000
	s := schema.New("M")
	m, last := s.Message, schema.UintColumn{}
	for i := range chain {
		next := s.NewMessage(fmt.Sprint("M", i))
		m.Nested("next", 1, next)
		m = next
	}
	for i := range columns {
		last = s.Uint64(fmt.Sprint("c", i), uint32(i)+1_000_000)
		s.Uint64s(fmt.Sprint("l", i), uint32(i)+2_000_000)
	}
	m.Uint64("must", 1, func(c *schema.Column) { c.Presence = schema.LegacyRequired })
	plan := compile(t, s)
	start := time.Now()
	row := plan.NewRow()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	input := wire.AppendVarint(wire.AppendTag(nil, columns-1+1_000_000, wire.VarintType), 7)
	if err := row.Unmarshal(input); err != nil || row.Uint(last) != 7 {
		t.Errorf("%v: %s", err, row.Debug())
	}
	if err := row.Unmarshal([]byte("\x0a\x00")); err != nil {
		t.Error(err)
	}
}
