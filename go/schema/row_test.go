package schema_test

import (
	"bytes"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// flow is a schema with something of everything that rows have a call for.
type flow struct {
	*schema.Schema
	bytes         schema.UintColumn
	src           schema.IPColumn
	mac           schema.MACColumn
	at, wellKnown schema.TimeColumn
	span          schema.DurationColumn
	kind          schema.EnumColumn
	path          schema.UintList
	hops          schema.IPList
	labels        schema.MessageList
	name          schema.StringColumn
	peer          schema.MessageColumn
	tags, counts  schema.MapColumn
	tag, value    schema.StringColumn
	country       schema.StringColumn
	count         schema.IntColumn
	countValue    schema.BoolColumn
	first         schema.EnumColumn
	word          schema.StringColumn
	number        schema.UintColumn
}

func newFlow() *flow {
	s := schema.New("Flow", schema.Package("flows"))
	kind := s.NewEnum("Kind", schema.EnumValue{Name: "UNSAID"}, schema.EnumValue{Name: "NETFLOW", Number: 5})
	closed := s.AddEnum(schema.Enum{Name: "flows.First", Closed: true, Values: []schema.EnumValue{{Name: "SEVEN", Number: 7}, {Name: "ONE", Number: 1}}})
	label := s.NewMessage("Label")
	f := &flow{Schema: s}
	f.name = label.String("name", 1, schema.CheckUTF8)
	f.bytes = s.Uint64("bytes", 1)
	f.src = s.IP("src", 2)
	f.mac = s.MAC("mac", 3)
	f.at = s.Timestamp("at", 4, schema.Millis)
	f.wellKnown = s.Timestamp("well_known", 5, schema.WellKnown)
	f.span = s.Duration("span", 6, schema.Seconds)
	f.kind = s.Enum("kind", 7, kind)
	f.path = s.Uint32s("path", 8)
	f.hops = s.IPs("hops", 9)
	f.labels = s.NestedList("labels", 10, label)
	f.peer = s.Nested("peer", 11, label)
	f.tags = s.Map("tags", 12, func(e *schema.Message) { f.tag, f.value = e.String("key", 1), e.String("value", 2) })
	f.counts = s.Map("counts", 13, func(e *schema.Message) { f.count, f.countValue = e.Sint32("key", 1), e.Bool("value", 2) })
	f.country = s.String("country", 14, schema.InGroup("geo"))
	f.first = s.Enum("first", 15, closed, schema.Optional)
	f.word = s.String("word", 16, schema.InOneof("pick"))
	f.number = s.Uint64("number", 100000, schema.InOneof("pick"))
	return f
}

func (f *flow) encoded(t testing.TB) []byte {
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	r := p.NewRecord()
	r.Uint(f.bytes, 1500)
	r.IP(f.src, netip.MustParseAddr("192.0.2.1"))
	r.MAC(f.mac, 0x0a0b0c0d0e0f)
	r.Time(f.at, time.UnixMilli(1700000000123))
	r.Time(f.wellKnown, time.Unix(1700000000, 5))
	r.Duration(f.span, 90*time.Second)
	r.Enum(f.kind, 5)
	r.AddUint(f.path, 1, 0, 300)
	r.AddIP(f.hops, netip.MustParseAddr("2001:db8::1"))
	r.AddIP(f.hops, netip.MustParseAddr("10.0.0.1"))
	for _, name := range []string{"a", "é"} {
		r.BeginItem(f.labels)
		r.String(f.name, name)
		r.End()
	}
	r.Begin(f.peer)
	r.String(f.name, "peer")
	r.End()
	for _, pair := range [][2]string{{"b", "2"}, {"a", "1"}, {"c", "3"}, {"a", "4"}} {
		r.BeginEntry(f.tags)
		r.String(f.tag, pair[0])
		r.String(f.value, pair[1])
		r.End()
	}
	for _, key := range []int64{5, -5, 0} {
		r.BeginEntry(f.counts)
		r.Int(f.count, key)
		r.Bool(f.countValue, key < 0)
		r.End()
	}
	r.String(f.country, "CH")
	r.Uint(f.number, 0)
	r.String(f.word, "word")
	r.Uint(f.number, 9)
	out, err := r.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const flowText = `bytes: 1500 src: 192.0.2.1 mac: 0a:0b:0c:0d:0e:0f at: 2023-11-14T22:13:20.123Z well_known: 2023-11-14T22:13:20.000000005Z ` +
	`span: 1m30s kind: NETFLOW path: 1 path: 0 path: 300 hops: 2001:db8::1 hops: 10.0.0.1 labels { name: "a" } labels { name: "é" } ` +
	`peer { name: "peer" } tags { key: "a" value: "4" } tags { key: "b" value: "2" } tags { key: "c" value: "3" } ` +
	`counts { key: -5 value: true } counts { key: 0 value: false } counts { key: 5 value: false } country: "CH" number: 9`

// SCH-20, SCH-24, SCH-90.
func TestARowGivesWhatARecordWrote(t *testing.T) {
	f := newFlow()
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	row := p.NewRow()
	if err := row.Unmarshal(f.encoded(t)); err != nil {
		t.Fatal(err)
	}
	if got := row.Debug(); got != flowText {
		t.Errorf("got  %s\nwant %s", got, flowText)
	}
	tag, found := schema.Entry(row.Fields, f.tags, "b")
	_, none := schema.Entry(row.Fields, f.tags, "bb")
	count, foundCount := schema.Entry(row.Fields, f.counts, int64(-5))
	_, wrongKey := schema.Entry(row.Fields, f.counts, uint64(5))
	item := row.Messages(f.labels).At(1)
	hops := row.IPs(f.hops)
	if !found || tag.String(f.value) != "2" || none || !foundCount || !count.Bool(f.countValue) || wrongKey ||
		row.IP(f.src) != netip.MustParseAddr("192.0.2.1") || row.MAC(f.mac) != 0x0a0b0c0d0e0f ||
		!row.Time(f.at).Equal(time.UnixMilli(1700000000123)) || !row.Time(f.wellKnown).Equal(time.Unix(1700000000, 5)) ||
		row.Duration(f.span) != 90*time.Second || item.String(f.name) != "é" || row.Message(f.peer).String(f.name) != "peer" ||
		hops.Len() != 2 || hops.At(0) != netip.MustParseAddr("2001:db8::1") ||
		row.Has(f.word.Handle) || !row.Has(f.number.Handle) || row.String(f.word) != "" {
		t.Error("an accessor gives something else")
	}
	if row.Has(f.first.Handle) || row.Enum(f.first) != 7 {
		t.Errorf("a closed enum that is absent is %d", row.Enum(f.first))
	}
}

// SCH-25.
func TestMisusedHandlesReadAsZero(t *testing.T) {
	f, second := newFlow(), newFlow()
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	later := f.Uint64("later", 17)
	row := p.NewRow()
	if err := row.Unmarshal(f.encoded(t)); err != nil {
		t.Fatal(err)
	}
	label := row.Messages(f.labels).At(0)
	if row.Uint(second.bytes) != 0 || row.Has(second.bytes.Handle) || row.String(f.name) != "" || row.Uint(later) != 0 ||
		row.Uint(schema.UintColumn{}) != 0 || label.Uint(f.bytes) != 0 || label.Messages(f.labels).Len() != 0 ||
		row.Entries(second.tags).Len() != 0 || row.Message(second.peer).String(f.name) != "" || len(label.Uints(f.path)) != 0 ||
		label.Floats(schema.FloatList{}).Len() != 0 || (schema.Fields{}).Uint(f.bytes) != 0 || (schema.Fields{}).Debug() != "" {
		t.Error("a handle that does not fit reads something")
	}
	if err := row.Unmarshal(nil); err != nil || row.Message(f.peer).String(f.name) != "" || row.Uint(f.bytes) != 0 || row.Debug() != "" {
		t.Errorf("an empty message has %s (%v)", row.Debug(), err)
	}
}

// SCH-26, SCH-94. Columns that are off are unknown fields, and kept where those are.
func TestColumnsThatAreOffAreUnknownFields(t *testing.T) {
	f := newFlow()
	input := f.encoded(t)
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	whole := p.NewRow()
	for _, keep := range []bool{false, true} {
		f.KeepUnknown = keep
		p, err := f.Compile(schema.Off("bytes", "labels", "tags"), schema.OffGroup("geo"))
		if err != nil {
			t.Fatal(err)
		}
		row := p.NewRow()
		if err := row.Unmarshal(input); err != nil {
			t.Fatal(err)
		}
		n := 0
		for records := range row.Unknown() {
			n += len(records)
		}
		if row.Uint(f.bytes) != 0 || row.Has(f.country.Handle) || row.Messages(f.labels).Len() != 0 || row.MAC(f.mac) == 0 || (n > 0) != keep {
			t.Errorf("keep %v: %s", keep, row.Debug())
		}
		if err := whole.Unmarshal(row.Append(nil)); err != nil || (whole.Debug() == flowText) != keep {
			t.Errorf("keep %v: what was written is %s (%v)", keep, whole.Debug(), err)
		}
	}
}

// SCH-27.
func TestAWarmRowAllocatesNothing(t *testing.T) {
	f := newFlow()
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	row, input := p.NewRow(), f.encoded(t)
	out := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() {
		if err := row.Unmarshal(input); err != nil {
			t.Fatal(err)
		}
		for _, l := range row.Messages(f.labels).All() {
			_ = l.String(f.name)
		}
		if _, ok := schema.Entry(row.Fields, f.tags, "b"); !ok {
			t.Fatal("no entry")
		}
		out = row.Append(out[:0])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestARowKeepsWithinItsMemory(t *testing.T) {
	f := newFlow()
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	row := p.NewRow()
	input := bytes.Repeat([]byte{10<<3 | 2, 0}, 1000)
	if err := row.UnmarshalWith(input, schema.UnmarshalOptions{MaxMemory: 8000}); err != nil {
		t.Errorf("a thousand rows of a word: %v", err)
	}
	err = row.UnmarshalWith(input, schema.UnmarshalOptions{MaxMemory: 7999})
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != wire.CountExceeded || e.Offset != 1998 || e.Path != "labels[999]" {
		t.Errorf("a byte less: %v", err)
	}
	if row.Debug() != "" {
		t.Error("after the error the row is not empty")
	}
	if row.Shrink(); row.Unmarshal(f.encoded(t)) != nil || !strings.HasPrefix(row.Debug(), "bytes: 1500") {
		t.Error("after Shrink a row decodes no more")
	}
}

// Rows that move to grow leave no copy: a map in such a copy would be sorted twice.
func TestAMapOfARowThatWasMovedIsSortedOnce(t *testing.T) {
	s := schema.New("Node")
	children := s.NestedList("children", 1, s.Message)
	var key, value schema.UintColumn
	entries := s.Map("entries", 2, func(e *schema.Message) { key, value = e.Uint64("key", 1), e.Uint64("value", 2) })
	p, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	node := "\x12\x04\x08\x05\x10\x01" + "\x12\x04\x08\x03\x10\x02" + "\x12\x04\x08\x05\x10\x03" + "\x0a\x00"
	input := strings.Repeat("\x0a"+string(rune(len(node)))+node, 5)
	row := p.NewRow()
	if err := row.Unmarshal([]byte(input)); err != nil {
		t.Fatal(err)
	}
	for i, child := range row.Messages(children).All() {
		all := child.Entries(entries)
		if all.Len() != 2 || all.At(0).Uint(key) != 3 || all.At(1).Uint(key) != 5 || all.At(1).Uint(value) != 3 {
			t.Errorf("child %d is %s", i, child.Debug())
		}
	}
	if n := row.Messages(children).Len(); n != 5 {
		t.Errorf("%d children", n)
	}
}

// A message of numbers and text whose tag is longer than it need be is not taken for the next record's.
func TestOverlongTagsOfLeavesAreReadWhole(t *testing.T) {
	f := newFlow()
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	row := p.NewRow()
	for input, want := range map[string]string{
		"\xd2\x80\x00\x03\x0a\x01a" + "\xd2\x80\x00\x03\x0a\x01b" + "\x52\x03\x0a\x01c": `labels { name: "a" } labels { name: "b" } labels { name: "c" }`,
		"\xd2\x80\x00\x03\x0a\x01a" + "\xd2\x80\x01\x03\x0a\x01b":                       `labels { name: "a" }`, // another field
		"\xd2\x00\x03\x0a\x01a" + "\xd2\x00\x00" + "\xd2\x01\x00":                       `labels { name: "a" } labels { }`,
	} {
		if err := row.Unmarshal([]byte(input)); err != nil || row.Debug() != want {
			t.Errorf("%x: %s (%v), want %s", input, row.Debug(), err, want)
		}
	}
}

// Any number of goroutines may use a plan, also while its first rows are created.
func TestRowsOfOnePlanDecodeAtTheSameTime(t *testing.T) {
	f := newFlow()
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	input, done := f.encoded(t), make(chan string)
	for range 4 {
		go func() {
			row := p.NewRow()
			for range 50 {
				if err := row.Unmarshal(input); err != nil {
					done <- err.Error()
					return
				}
			}
			done <- row.Debug()
		}()
	}
	for range 4 {
		if got := <-done; got != flowText {
			t.Error(got)
		}
	}
}
