package schema_test

import (
	"encoding/hex"
	"errors"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/wire"
)

// columns is a schema with one column of each kind; its number is the kind's.
type columns struct {
	*schema.Schema
	int32, sint32, sint64, sfixed32 schema.IntColumn
	uint32, fixed64                 schema.UintColumn
	float, double                   schema.FloatColumn
	bool                            schema.BoolColumn
	text                            schema.StringColumn
	bytes                           schema.BytesColumn
	enum, closed                    schema.EnumColumn
	ip                              schema.IPColumn
	mac                             schema.MACColumn
	time, wellKnown                 schema.TimeColumn
	span                            schema.DurationColumn
}

func newColumns(options ...schema.Option) *columns {
	s := schema.New("All")
	open := s.NewEnum("Open", schema.EnumValue{Name: "NONE"}, schema.EnumValue{Name: "SOME", Number: -1})
	closed := s.AddEnum(schema.Enum{Name: "Closed", Closed: true, Values: []schema.EnumValue{{Name: "TWO", Number: 2}}})
	return &columns{
		Schema: s,
		int32:  s.Int32("int32", 1, options...), sint32: s.Sint32("sint32", 2, options...),
		sint64: s.Sint64("sint64", 3, options...), sfixed32: s.Sfixed32("sfixed32", 4, options...),
		uint32: s.Uint32("uint32", 5, options...), fixed64: s.Fixed64("fixed64", 6, options...),
		float: s.Float("float", 7, options...), double: s.Double("double", 8, options...),
		bool: s.Bool("bool", 9, options...), text: s.String("text", 10, append(options, schema.CheckUTF8)...),
		bytes: s.Bytes("bytes", 11, options...), enum: s.Enum("enum", 12, open, options...),
		closed: s.Enum("closed", 13, closed, options...), ip: s.IP("ip", 14, options...),
		mac: s.MAC("mac", 15, options...), time: s.Timestamp("time", 16, schema.Millis, options...),
		wellKnown: s.Timestamp("well_known", 17, schema.WellKnown, options...),
		span:      s.Duration("span", 18, schema.Seconds, options...),
	}
}

func (c *columns) record(t testing.TB, options ...schema.CompileOption) *schema.Record {
	t.Helper()
	return compile(t, c.Schema, options...).NewRecord()
}

func compile(t testing.TB, s *schema.Schema, options ...schema.CompileOption) *schema.Plan {
	t.Helper()
	return schematest.Compile(t, s, options...)
}

// setAll sets every column, so that all that is written differs from zero.
func (c *columns) setAll(r *schema.Record) {
	r.Int(c.int32, -1)
	r.Int(c.sint32, -2)
	r.Int(c.sint64, math.MinInt64)
	r.Int(c.sfixed32, -3)
	r.Uint(c.uint32, math.MaxUint32)
	r.Uint(c.fixed64, math.MaxUint64)
	r.Float(c.float, 1.5)
	r.Float(c.double, math.Copysign(0, -1))
	r.Bool(c.bool, true)
	r.String(c.text, "é")
	r.Bytes(c.bytes, []byte{0xff})
	r.Enum(c.enum, -1)
	r.Enum(c.closed, 2)
	r.IP(c.ip, netip.MustParseAddr("::1"))
	r.MAC(c.mac, 1<<48-1)
	r.Time(c.time, time.UnixMilli(1500))
	r.Time(c.wellKnown, time.Unix(-1, 5))
	r.Duration(c.span, 3*time.Minute+time.Millisecond)
}

const allSet = "08ffffffffffffffffff01" + "1003" + "18ffffffffffffffffff01" + "25fdffffff" + "28ffffffff0f" +
	"31ffffffffffffffff" + "3d0000c03f" + "410000000000000080" + "4801" + "5202c3a9" + "5a01ff" +
	"60ffffffffffffffffff01" + "6802" + "721000000000000000000000000000000001" + "78ffffffffffff3f" +
	"8001dc0b" + "8a010d08ffffffffffffffffff011005" + "9001b401"

func expect(t *testing.T, r *schema.Record, want string) {
	t.Helper()
	if got := hex.EncodeToString(r.Encoded()); got != want || r.Err() != nil {
		t.Errorf("got  %s (%v)\nwant %s", got, r.Err(), want)
	}
}

// SCH-10.
func TestEveryKindIsWrittenAsTheWireHasIt(t *testing.T) {
	c := newColumns()
	r := c.record(t)
	for range 3 { // a record may be used again
		c.setAll(r)
		expect(t, r, allSet)
		r.Reset()
	}
}

// SCH-7.
func TestDeferredColumnsAreWrittenAtTheEndByNumber(t *testing.T) {
	c := newColumns(schema.Deferred)
	plain := c.Bool("plain", 100)
	r := c.record(t)
	for range 2 {
		r.Int(c.int32, 7)
		r.String(c.text, "overridden")
		r.Bool(plain, true)
		c.setAll(r)
		if v, ok := r.GetString(c.text); v != "é" || !ok {
			t.Errorf("text reads back as %q, %t", v, ok)
		}
		if v, ok := r.GetInt(c.sint64); v != math.MinInt64 || !ok {
			t.Errorf("sint64 reads back as %d, %t", v, ok)
		}
		if v, ok := r.GetTime(c.time); !v.Equal(time.UnixMilli(1500)) || !ok {
			t.Errorf("time reads back as %v, %t", v, ok)
		}
		if v, ok := r.GetTime(c.wellKnown); !v.Equal(time.Unix(-1, 5)) || !ok {
			t.Errorf("well_known reads back as %v, %t", v, ok)
		}
		if v, ok := r.GetDuration(c.span); v != 3*time.Minute || !ok {
			t.Errorf("span reads back as %v, %t", v, ok)
		}
		if v, ok := r.GetFloat(c.float); v != 1.5 || !ok {
			t.Errorf("float reads back as %v, %t", v, ok)
		}
		if v, ok := r.GetIP(c.ip); v != netip.MustParseAddr("::1") || !ok {
			t.Errorf("ip reads back as %v, %t", v, ok)
		}
		expect(t, r, "a00601"+allSet)
		r.Reset()
		if _, ok := r.GetUint(c.uint32); ok {
			t.Error("a value outlives Reset")
		}
	}
}

func TestDeferredZeroTakesAValueBack(t *testing.T) {
	c := newColumns(schema.Deferred)
	r := c.record(t)
	r.Uint(c.uint32, 5)
	r.Uint(c.uint32, 0)
	expect(t, r, "")
}

// SCH-2.
func TestColumnsThatAreOffWriteNothing(t *testing.T) {
	c := newColumns(schema.InGroup("all"))
	for _, off := range []schema.CompileOption{schema.Off("*"), schema.OffGroup("all")} {
		r := c.record(t, off, schema.On("mac"))
		c.setAll(r)
		expect(t, r, "78ffffffffffff3f")
	}
	if _, err := c.Compile(schema.Off("nothing*")); !errors.Is(err, wire.InvalidSchema) {
		t.Errorf("a pattern that matches nothing: %v", err)
	}
}

// SCH-4.
func TestPolicies(t *testing.T) {
	set := func(r *schema.Record, c *columns, values ...uint64) {
		for _, v := range values {
			r.Uint(c.uint32, v)
		}
	}
	for _, test := range []struct {
		name   string
		option []schema.Option
		values []uint64
		want   string
	}{
		{"implicit", nil, []uint64{0}, ""},
		{"implicit, taken back", nil, []uint64{1, 0}, "28012800"},
		{"last", nil, []uint64{1, 2}, "28012802"},
		{"first", []schema.Option{schema.KeepFirst}, []uint64{1, 2, 0}, "2801"},
		{"first, implicit zero is no value", []schema.Option{schema.KeepFirst}, []uint64{0, 2}, "2802"},
		{"explicit", []schema.Option{schema.Optional}, []uint64{0}, "2800"},
		{"first, explicit", []schema.Option{schema.Optional, schema.KeepFirst}, []uint64{0, 2}, "2800"},
		{"first, deferred, implicit zero is no value", []schema.Option{schema.Deferred, schema.KeepFirst}, []uint64{0, 2}, "2802"},
		{"first, deferred", []schema.Option{schema.Deferred, schema.KeepFirst}, []uint64{3, 2}, "2803"},
		{"mask", []schema.Option{schema.OnMisfit(schema.Mask)}, []uint64{1<<32 + 7}, "2807"},
		{"mask to zero", []schema.Option{schema.OnMisfit(schema.Mask)}, []uint64{1 << 32}, ""},
		{"without a word nothing is written", nil, []uint64{1<<32 + 7}, ""},
		{"nor what was there before taken back", nil, []uint64{3, 1<<32 + 7}, "2803"},
		{"drop", []schema.Option{schema.OnMisfit(schema.Drop)}, []uint64{1 << 32}, ""},
	} {
		c := newColumns(test.option...)
		r := c.record(t)
		set(r, c, test.values...)
		if got := hex.EncodeToString(r.Encoded()); got != test.want || r.Err() != nil {
			t.Errorf("%s: got %s, want %s (%v)", test.name, got, test.want, r.Err())
		}
	}
}

// SCH-8.
func TestMisfitsCostTheirColumnAndAreCounted(t *testing.T) {
	c := newColumns(schema.OnMisfit(schema.Refuse))
	r := c.record(t)
	r.Int(c.int32, math.MaxInt32+1)
	r.Int(c.int32, math.MinInt32-1)
	r.String(c.text, "\xff")
	r.Enum(c.closed, 3)
	r.MAC(c.mac, 1<<48)
	r.Bool(c.bool, true)
	if got := hex.EncodeToString(r.Encoded()); got != "4801" {
		t.Errorf("got %s", got)
	}
	if err := r.Err(); !errors.Is(err, wire.TypeMismatch) || !strings.Contains(err.Error(), "int32") {
		t.Errorf("error %v", err)
	}
	for _, want := range []struct {
		schema.Handle
		n uint64
	}{{c.int32.Handle, 2}, {c.text.Handle, 1}, {c.closed.Handle, 1}, {c.mac.Handle, 1}, {c.bool.Handle, 0}} {
		if got := r.Misfits(want.Handle); got != want.n {
			t.Errorf("%d misfits, want %d", got, want.n)
		}
	}
	r.Reset()
	if r.Err() != nil {
		t.Error("an error outlives Reset")
	}
}

func TestNestedMessagesGroupsAndMaps(t *testing.T) {
	s := schema.New("Root")
	node := s.NewMessage("Node")
	name := node.String("name", 1)
	children := node.NestedList("children", 2, node)
	peer := s.Nested("peer", 3, node)
	group := s.Group("group", 4, node)
	var key schema.StringColumn
	var value schema.UintColumn
	counts := s.Map("counts", 5, func(e *schema.Message) { key, value = e.String("key", 1), e.Uint64("value", 2) })
	plan := compile(t, s)
	r := plan.NewRecord()
	for range 3 { // later rounds know how large lengths were
		long := strings.Repeat("x", 200)
		r.Begin(peer)
		r.String(name, "p")
		r.BeginItem(children)
		r.String(name, "c")
		r.End()
		r.BeginItem(children)
		r.String(name, long)
		r.End()
		r.BeginItem(children)
		r.End()
		r.End()
		r.Begin(group)
		r.String(name, "g")
		r.End()
		r.BeginEntry(counts)
		r.String(key, "")
		r.Uint(value, 0)
		r.End()
		expect(t, r, "1ad801"+"0a0170"+"12030a0163"+"12cb010ac801"+strings.Repeat("78", 200)+"1200"+
			"230a016724"+"2a040a001000")
		r.Reset()
	}
}

func TestPackedElementsShareALengthAsLongAsNothingElseIsWritten(t *testing.T) {
	s := schema.New("Root")
	numbers, loose := s.Sint32s("numbers", 1, schema.OnMisfit(schema.Mask)), s.Uint32s("loose", 2, schema.Unpacked)
	flag := s.Bool("flag", 3)
	r := compile(t, s).NewRecord()
	r.AddInt(numbers, 0)
	r.AddInt(numbers, -1)
	r.Bool(flag, true)
	r.AddInt(numbers, 1, math.MaxInt32+1)
	r.AddUint(loose, 0, 1)
	expect(t, r, "0a020001"+"1801"+"0a0602ffffffff0f"+"10001001")
	r.Reset()
	for range 200 {
		r.AddInt(numbers, 1)
	}
	expect(t, r, "0ac801"+strings.Repeat("02", 200))
}

func TestOneofMembersShareTheirFirstValue(t *testing.T) {
	s := schema.New("Root")
	a := s.Uint32("a", 1, schema.InOneof("which"), schema.KeepFirst)
	b := s.String("b", 2, schema.InOneof("which"), schema.KeepFirst)
	r := compile(t, s).NewRecord()
	r.String(b, "")
	r.Uint(a, 1)
	expect(t, r, "1200")
}

// SCH-9.
func TestHandlesUsedOutOfPlaceWriteNothing(t *testing.T) {
	s, second := schema.New("Root"), schema.New("Other")
	node := s.NewMessage("Node")
	id := s.Uint32("id", 1)
	peer := s.Nested("peer", 2, node)
	name := node.String("name", 1)
	foreign := second.Uint32("id", 1)
	plan := compile(t, s)
	added := s.Uint32("added", 9)
	for title, misuse := range map[string]func(*schema.Record){
		"of another message":   func(r *schema.Record) { r.String(name, "x") },
		"of the outer message": func(r *schema.Record) { r.Begin(peer); r.Uint(id, 1); r.End() },
		"of another schema":    func(r *schema.Record) { r.Uint(foreign, 1) },
		"added later":          func(r *schema.Record) { r.Uint(added, 1) },
		"zero":                 func(r *schema.Record) { r.Uint(schema.UintColumn{}, 1) },
		"End without Begin":    func(r *schema.Record) { r.End() },
		"Begin without End":    func(r *schema.Record) { r.Begin(peer); r.Encoded() },
	} {
		r := plan.NewRecord()
		misuse(r)
		if err := r.Err(); !errors.Is(err, wire.HandleMisuse) {
			t.Errorf("%s: error %v", title, err)
		}
		if got := hex.EncodeToString(r.Encoded()); got != "" && got != "1200" {
			t.Errorf("%s: wrote %s", title, got)
		}
		r.Reset()
		r.Uint(id, 1)
		expect(t, r, "0801")
	}
}

func TestHandlesMadeFromOthersWriteNothing(t *testing.T) {
	c := newColumns()
	node := c.NewMessage("Node")
	list, nested := c.Uint32s("list", 30), c.Nested("nested", 31, node)
	plan := compile(t, c.Schema)
	for name, misuse := range map[string]func(*schema.Record){
		"a string as a number":  func(r *schema.Record) { r.Uint(schema.UintColumn(c.text), 5) },
		"a number as a string":  func(r *schema.Record) { r.String(schema.StringColumn(c.uint32), "abc") },
		"a number as a float":   func(r *schema.Record) { r.Float(schema.FloatColumn(c.uint32), 1) },
		"a number as a message": func(r *schema.Record) { r.Begin(schema.MessageColumn(c.uint32)) },
		"a number as an IP":     func(r *schema.Record) { r.IP(schema.IPColumn(c.uint32), netip.MustParseAddr("::1")) },
		"a list as a number":    func(r *schema.Record) { r.Uint(schema.UintColumn(list), 5) },
		"a message as a time":   func(r *schema.Record) { r.Time(schema.TimeColumn(nested), time.Unix(1, 1)) },
		"a message as a number": func(r *schema.Record) { r.Uint(schema.UintColumn(nested), 5) },
	} {
		r := plan.NewRecord()
		if misuse(r); !errors.Is(r.Err(), wire.HandleMisuse) || len(r.Encoded()) > 0 {
			t.Errorf("%s: error %v, wrote %x", name, r.Err(), r.Encoded())
		}
	}
}

func TestAPlanDoesNotChangeWithItsSchema(t *testing.T) {
	s := schema.New("Root")
	e := s.AddEnum(schema.Enum{Name: "E", Closed: true, Values: []schema.EnumValue{{Name: "A", Number: 1}}})
	c := s.Enum("e", 1, e)
	r := compile(t, s).NewRecord()
	e.Values = append(e.Values, schema.EnumValue{Name: "B", Number: 2})
	r.Enum(c, 2)
	expect(t, r, "")
}

func TestTimesBeyondTheirUnitAreMisfits(t *testing.T) {
	s := schema.New("Root")
	c := s.Timestamp("t", 1, schema.Nanos, schema.OnMisfit(schema.Drop))
	r := compile(t, s).NewRecord()
	r.Time(c, time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC))
	r.Time(c, time.Time{})
	expect(t, r, "")
	if r.Misfits(c.Handle) != 1 {
		t.Errorf("%d misfits", r.Misfits(c.Handle))
	}
}

func TestMessagesNestNoDeeperThanReadersGo(t *testing.T) {
	s := schema.New("Root")
	self := s.Nested("self", 1, s.Message)
	r := compile(t, s).NewRecord()
	depth := 0
	for r.Begin(self) {
		depth++
	}
	for range depth {
		r.End()
	}
	if r.Encoded(); depth != wire.DefaultDepth || !errors.Is(r.Err(), wire.DepthExceeded) {
		t.Errorf("depth %d, error %v", depth, r.Err())
	}
}

// SCH-11.
func TestBatchHandsOverASlab(t *testing.T) {
	s := schema.New("Root")
	id, text := s.Uint32("id", 1), s.String("text", 2)
	b := compile(t, s).NewBatch()
	for range 3 {
		var want []string
		for i := range 50 {
			r := b.Record()
			r.Uint(id, uint64(i))
			if i%7 == 3 {
				r.String(text, "dropped")
				b.Drop()
				continue
			}
			if i%5 == 1 {
				r.String(text, "taken back")
				r.Reset()
				r.Uint(id, uint64(i))
			}
			r.String(text, strings.Repeat("y", 5*i))
			own := s // the record by itself, to compare
			alone := compile(t, own).NewRecord()
			alone.Uint(id, uint64(i))
			alone.String(text, strings.Repeat("y", 5*i))
			want = append(want, string(alone.Delimited()))
			if err := b.Add(); err != nil {
				t.Fatal(err)
			}
		}
		slab, spans := b.Take()
		if len(spans) != len(want) || b.Len() != 0 || b.Size() != 0 {
			t.Fatalf("%d records of %d, then %d in %d bytes", len(spans), len(want), b.Len(), b.Size())
		}
		b.Record().String(text, strings.Repeat("z", 2000)) // must not reach into the slab
		for i, at := range spans {
			if got := string(slab[at.Start:at.End]); got != want[i] {
				t.Errorf("record %d is %x, want %x", i, got, want[i])
			}
			if n := at.Body - at.Start; n != wire.SizeVarint(uint64(at.End-at.Body)) {
				t.Errorf("record %d has a length of %d bytes", i, n)
			}
		}
		b.Drop()
	}
}

func TestRecordsAllocateNothing(t *testing.T) {
	for _, c := range []*columns{newColumns(), newColumns(schema.Deferred)} {
		r := c.record(t)
		out := make([]byte, 0, 1024)
		step := func() {
			c.setAll(r)
			out, _ = r.AppendDelimited(out[:0])
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			r.Reset()
		}
		if n := testing.AllocsPerRun(100, step); n > 0 {
			t.Errorf("%v allocations", n)
		}
	}
}
