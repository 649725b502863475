package pool_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hotpb/hotpb/go/internal/testgen/dropped_p3/dropped_p3hot"
	"github.com/hotpb/hotpb/go/internal/testgen/kept_p2/kept_p2hot"
	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/wire"
)

func record(number uint32, payload []byte) []byte {
	return wire.AppendBytes(wire.AppendTag(nil, number, wire.BytesType), payload)
}

func varint(number uint32, value uint64) []byte {
	return wire.AppendVarint(wire.AppendTag(nil, number, wire.VarintType), value)
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// POL-3, POL-42: which strings you may keep, and which are overwritten.
func TestStringsAreWhereTheCallSays(t *testing.T) {
	input := join(record(14, []byte("one")), record(314, []byte("two")), record(15, []byte("raw")))
	damaged := func(decode func(m *p3.All, b []byte) error) string {
		var m p3.All
		b := bytes.Clone(input)
		if err := decode(&m, b); err != nil {
			t.Fatal(err)
		}
		for i := range b {
			b[i] = '!'
		}
		return m.SingleString + m.RepeatedString[0] + string(m.SingleBytes)
	}
	if got := damaged((*p3.All).Unmarshal); got != "onetworaw" {
		t.Errorf("Unmarshal: %q", got)
	}
	if got := damaged((*p3.All).UnmarshalOwned); got != "onetworaw" {
		t.Errorf("UnmarshalOwned: %q", got)
	}
	if got := damaged((*p3.All).UnmarshalAlias); got != "!!!!!!!!!" {
		t.Errorf("UnmarshalAlias made a copy: %q", got)
	}

	var m p3.All
	if err := m.UnmarshalOwned(input); err != nil {
		t.Fatal(err)
	}
	kept, list := m.SingleString, m.RepeatedString
	if err := m.Unmarshal(record(14, []byte("xxx"))); err != nil || kept != "one" || list[0] != "two" {
		t.Error("the result of UnmarshalOwned was overwritten", err)
	}
}

func TestACopyOfTheStructDecodesIntoMemoryOfItsOwn(t *testing.T) {
	var m p3.All
	if err := m.Unmarshal(record(314, []byte("first"))); err != nil {
		t.Fatal(err)
	}
	c := m
	if err := c.Unmarshal(record(314, []byte("other"))); err != nil {
		t.Fatal(err)
	}
	if m.RepeatedString[0] != "first" || c.RepeatedString[0] != "other" {
		t.Errorf("%q and %q", m.RepeatedString, c.RepeatedString)
	}
}

// Lists of a message inside a recursive message that comes in parts: other lists lie between their parts.
func TestListsOfMergedMessagesKeepTheirElements(t *testing.T) {
	numbers := func(n uint64) []byte { return record(925, varint(262143, n)) }
	input := join(numbers(1), record(19, join(numbers(2), record(19, numbers(7)), numbers(4))), numbers(3), record(19, numbers(5)), numbers(6))
	var m p2.All
	for range 3 {
		if err := m.Unmarshal(input); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(m.GetNumbers().N262143, m.GetSingleAll().GetNumbers().N262143, m.GetSingleAll().GetSingleAll().GetNumbers().N262143)
		if want := "[1 3 6] [2 4 5] [7]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// LIM-9: whether a message exceeds the memory limit does not depend on earlier allocations.
func TestTheMemoryLimitIsTheSameColdAndWarm(t *testing.T) {
	input := bytes.Repeat(record(318, varint(1, 5)), 1000)
	o := pool.Options{MaxMemory: 20_000}
	var cold, warm p3.All
	if err := warm.Unmarshal(input); err != nil {
		t.Fatal(err)
	}
	first, second := cold.UnmarshalWith(input, o), warm.UnmarshalWith(input, o)
	if !errors.Is(first, wire.CountExceeded) || first.Error() != second.Error() {
		t.Errorf("%v and %v", first, second)
	}
	if len(warm.RepeatedChild) != 0 {
		t.Error("after the error the message is not empty")
	}
	if cold.KeptMemory() > 10*o.MaxMemory {
		t.Errorf("%d bytes were kept", cold.KeptMemory())
	}
}

// POL-9, POL-14
func TestKeptMemoryIsBoundedAndGivenBack(t *testing.T) {
	var m prometheushot.WriteRequest
	large, small := madeRequest(1000), madeRequest(10)
	for range 4 {
		for _, input := range [][]byte{large, small} {
			if err := m.Unmarshal(input); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := m.KeptMemory()
	for range 20 {
		if err := m.Unmarshal(large); err != nil {
			t.Fatal(err)
		}
	}
	if m.KeptMemory() != kept || kept > 50*len(large) {
		t.Errorf("%d bytes, then %d, for a message of %d", kept, m.KeptMemory(), len(large))
	}
	m.Shrink(kept)
	if m.KeptMemory() != kept {
		t.Error("memory within the limit was freed")
	}
	m.Shrink(kept - 1)
	if m.KeptMemory() != 0 || len(m.Timeseries) != 1000 {
		t.Errorf("%d bytes are kept, %d series left", m.KeptMemory(), len(m.Timeseries))
	}
	if err := m.Unmarshal(small); err != nil || len(m.Timeseries) != 10 {
		t.Error(err)
	}
}

// OUT-9, POL-33, POL-47, REQ-6
func TestEncodingRefusesWhatReadingWould(t *testing.T) {
	m := &p3.All{SingleInt32: 5, RepeatedString: []string{"good", "bad\xff"}}
	wantErr := &wire.Error{Code: wire.InvalidUtf8, Offset: 2 + 7 + 3 + 3, Path: "repeated_string[1]"}
	if out, err := m.Marshal(); out != nil || !errors.Is(err, wantErr) {
		t.Errorf("%q, %v, want %v", out, err, wantErr)
	}
	if out, err := m.MarshalAppend([]byte("x")); string(out) != "x" || !errors.Is(err, wantErr) {
		t.Errorf("%q, %v", out, err)
	}
	labels := &prometheushot.TimeSeries{Labels: []prometheushot.Label{{Name: "a", Value: "é"}, {Name: "\x80"}}}
	if _, err := labels.Marshal(); !errors.Is(err, wire.InvalidUtf8) {
		t.Error("a label that is not UTF-8 is written:", err)
	}

	var unchecked p2.All
	unchecked.SetSingleString("\xff")
	if _, err := unchecked.Marshal(); err != nil {
		t.Error(err)
	}
	if _, err := unchecked.MarshalWith(nil, pool.MarshalOptions{Strict: true}); !errors.Is(err, wire.InvalidUtf8) {
		t.Error("strict:", err)
	}

	var needs p2.Needs
	needs.ById = map[int32]*p2.Must{7: {}, 3: {}}
	needs.ById[3].SetId(1)
	if _, err := needs.Marshal(); !errors.Is(err, &wire.Error{Code: wire.MissingRequired, Path: "by_id[0].value.name"}) {
		t.Error(err)
	}
	if _, err := needs.MarshalWith(nil, pool.MarshalOptions{AllowPartial: true}); err != nil {
		t.Error(err)
	}
}

// FLD-10, FLD-11, FLD-6
func TestPresenceDefaultsAndOneofs(t *testing.T) {
	var m p2.All
	if m.HasSingleInt32() || m.GetDefaultInt32() != math.MinInt32 || !m.GetDefaultBool() || string(m.GetDefaultBytes()) != "\x00\x01\x7f\xff\"\\\n" {
		t.Error("absent fields do not read as their defaults")
	}
	m.SetDefaultInt32(0)
	if !m.HasDefaultInt32() || m.GetDefaultInt32() != 0 {
		t.Error("a value that was set is not there")
	}
	m.ClearDefaultInt32()
	if m.HasDefaultInt32() || m.GetDefaultInt32() != math.MinInt32 || m.GetSingleChild() != nil {
		t.Error("a field that was cleared is there")
	}
	m.MutableSingleChild().SetId(5)
	if m.GetSingleChild().GetId() != 5 {
		t.Error("a message that was made is not there")
	}

	m.MutableOneofChild().SetName("old")
	m.SetOneofDouble(-1.5)
	if m.WhichKind() != 812 || m.GetOneofDouble() != -1.5 || m.GetOneofChild() != nil || m.GetOneofBool() {
		t.Error("the last member set is not the only one")
	}
	m.SetOneofBool(true)
	m.SetOneofBool(false)
	m.SetOneofFloat(2.5)
	if m.GetOneofFloat() != 2.5 || m.MutableOneofChild().HasName() {
		t.Error("a member has what another one left behind")
	}
	m.ClearKind()
	if out, err := m.Marshal(); err != nil || !bytes.Equal(out, record(18, varint(1, 5))) {
		t.Errorf("%x, %v", out, err)
	}
}

func TestEqualTellsMessagesApart(t *testing.T) {
	full := func() *p3.All {
		m := &p3.All{SingleDouble: math.NaN(), RepeatedInt32: []int32{1, 2}, KeyString: map[string]string{"a": "b"}, ValueChild: map[int32]*p3.Child{1: {}}}
		m.MutableSingleAll().SingleString = "x"
		m.SetOneofString("s")
		return m
	}
	if a := full(); !a.Equal(full()) || !a.Equal(a.Clone()) || a.Equal(nil) {
		t.Error("equal messages are not")
	}
	for name, change := range map[string]func(m *p3.All){
		"number":  func(m *p3.All) { m.SingleDouble = 1 },
		"list":    func(m *p3.All) { m.RepeatedInt32[1] = 3 },
		"longer":  func(m *p3.All) { m.RepeatedInt32 = append(m.RepeatedInt32, 3) },
		"map":     func(m *p3.All) { m.KeyString["a"] = "c" },
		"key":     func(m *p3.All) { m.KeyString = map[string]string{"z": "b"} },
		"message": func(m *p3.All) { m.ValueChild[1].Id = 5 },
		"pointer": func(m *p3.All) { m.GetSingleAll().SingleString = "" },
		"absent":  func(m *p3.All) { m.ClearSingleAll() },
		"oneof":   func(m *p3.All) { m.SetOneofString("t") },
		"member":  func(m *p3.All) { m.SetOneofInt32(0) },
		"unknown": func(m *p3.All) {
			if err := m.SetUnknownFields(varint(100_000, 1)); err != nil {
				t.Error(err)
			}
		},
	} {
		if a, b := full(), full(); true {
			if change(b); a.Equal(b) || b.Equal(a) {
				t.Error(name, "makes no difference")
			}
		}
	}
	if new(p3.All).SetUnknownFields([]byte{0x80}) == nil {
		t.Error("damaged unknown fields are accepted")
	}
}

// POL-32: equal messages encode to equal bytes, whatever the order in their maps.
func TestDeterministicEncodingIsTheSameEveryTime(t *testing.T) {
	m := &p3.All{KeyString: map[string]string{}, KeyBool: map[bool]bool{true: false, false: true}, KeyInt32: map[int32]int32{}}
	for n := range 50 {
		m.KeyString[fmt.Sprint(n)] = "x"
		m.KeyInt32[int32(n-25)] = 1
	}
	first, err := m.MarshalWith(nil, pool.MarshalOptions{Deterministic: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if second, _ := m.Clone().MarshalWith(nil, pool.MarshalOptions{Deterministic: true}); !bytes.Equal(first, second) {
			t.Fatal("the bytes differ")
		}
	}
}

// EXT-1, REQ-4, SET-5, EXT-3
func TestExtensionsAreReadPutAndRemoved(t *testing.T) {
	var m p2.All
	if err := m.Unmarshal(join(varint(1, 7), record(1014, []byte("old")), varint(99_999, 1))); err != nil {
		t.Fatal(err)
	}
	if text, has, err := p2.E_ExtString.Read(&m); text != "old" || !has || err != nil {
		t.Error(text, has, err)
	}
	child := new(p2.Child)
	child.SetId(9)
	if err := errors.Join(p2.E_ExtString.Put(&m, "new"), p2.E_ExtRepeatedInt32.Put(&m, []int32{1, 2}), p2.E_ExtChild.Put(&m, child)); err != nil {
		t.Fatal(err)
	}
	copied := m.Clone()
	text, _, _ := p2.E_ExtString.Read(copied)
	list, _ := p2.E_ExtRepeatedInt32.Read(copied)
	read, err := p2.E_ExtChild.Read(copied)
	if text != "new" || !slices.Equal(list, []int32{1, 2}) || err != nil || read.GetId() != 9 {
		t.Error(text, list, read, err)
	}
	p2.E_ExtString.Remove(&m)
	if text, has, err := p2.E_ExtDefaultString.Read(&m); text != "none" || has || err != nil {
		t.Error(text, has, err)
	}
	if _, has, _ := p2.E_ExtString.Read(&m); has || m.GetSingleInt32() != 7 {
		t.Error("the extension is still there")
	}
	if _, err := p2.E_ExtMust.Read(withUnknown(t, record(1021, varint(1, 1)))); !errors.Is(err, wire.MissingRequired) {
		t.Error("a missing required field inside an extension is not reported:", err)
	}
	if _, _, err := p2.E_ExtInt32.Read(withUnknown(t, join(varint(1001, 1)))); err != nil {
		t.Error(err)
	}

	item := new(p2.ItemA)
	item.SetId(3)
	set := m.MutableMessageSet()
	if err := errors.Join(p2.E_ItemAItemA.Put(set, item), p2.E_ItemAItemA.Put(set, item)); err != nil {
		t.Fatal(err)
	}
	out, err := set.Marshal()
	if want := []byte("\x0b\x10\xe8\x07\x1a\x02\x08\x03\x0c"); err != nil || !bytes.Equal(out, want) {
		t.Errorf("%x, %v", out, err)
	}
	if got, err := p2.E_ItemAItemA.Read(set); err != nil || got.GetId() != 3 {
		t.Error(got, err)
	}
}

// A program may put nil into a map. It is written as an empty message, and so it is one.
func TestANilMessageInAMapIsAnEmptyOne(t *testing.T) {
	m := &p3.All{ValueChild: map[int32]*p3.Child{1: nil, 2: {}}}
	out, err := m.Marshal()
	if err != nil || len(out) != m.Size() {
		t.Fatalf("%x, size %d, %v", out, m.Size(), err)
	}
	var decoded p3.All
	if err := decoded.Unmarshal(out); err != nil {
		t.Fatal(err)
	}
	for name, same := range map[string]*p3.All{"clone": m.Clone(), "decoded": &decoded} {
		if !same.Equal(m) || !m.Equal(same) {
			t.Errorf("%s: not equal", name)
		}
	}
	if filled := (&p3.All{ValueChild: map[int32]*p3.Child{1: {Id: 1}, 2: {}}}); filled.Equal(m) || m.Equal(filled) {
		t.Error("equal to a message with a field")
	}
}

// EXT-8: options of a decode do not apply to extensions, which are unknown fields until the user reads them.
func TestExtensionsAreReadByTheSchemaAlone(t *testing.T) {
	var m p2.All
	if err := pool.Unmarshal(&m, record(1314, []byte("\xff")), pool.Options{Strict: true}); err != nil {
		t.Fatal(err)
	}
	if texts, err := p2.E_ExtRepeatedString.Read(&m); err != nil || len(texts) != 1 || texts[0] != "\xff" {
		t.Errorf("%q, %v", texts, err)
	}
}

func withUnknown(t *testing.T, records []byte) *p2.All {
	m := new(p2.All)
	if err := m.SetUnknownFields(records); err != nil {
		t.Fatal(err)
	}
	return m
}

// FCE-19, FCE-20
func TestFieldsThatAreLeftOutAreDroppedOrKept(t *testing.T) {
	var dropped dropped_p3hot.All
	input := join(varint(1, 5), record(14, []byte("text")), varint(99_999, 1))
	if err := dropped.Unmarshal(input); err != nil || dropped.SingleString != "text" {
		t.Error(err)
	}
	var unknown []byte
	for unknowns := dropped.UnknownFields(); unknowns.Next(); {
		unknown = unknowns.Field().Append(unknown)
	}
	if !bytes.Equal(unknown, varint(99_999, 1)) {
		t.Errorf("unknown fields %x", unknown)
	}
	if _, writes := any(&dropped).(interface{ Marshal() ([]byte, error) }); writes {
		t.Error("a message with dropped fields can be encoded")
	}
	if err := dropped.Unmarshal([]byte("\x08\x80")); !errors.Is(err, &wire.Error{Code: wire.Truncated, Offset: 1, Path: "1"}) {
		t.Error(err)
	}

	var kept kept_p2hot.Child
	records := join(varint(1, 5), record(2, []byte("n")), varint(4, 6))
	if err := kept.Unmarshal(records); err != nil {
		t.Fatal(err)
	}
	if out, err := kept.Marshal(); err != nil || !bytes.Equal(out, join(varint(1, 5), record(2, []byte("n")), varint(4, 6))) {
		t.Errorf("%x, %v", out, err)
	}
}

// Several goroutines may read and encode one message at once (with -race).
func TestReadersOfOneMessageDoNotDisturbEachOther(t *testing.T) {
	var m prometheushot.WriteRequest
	if err := m.Unmarshal(madeRequest(20)); err != nil {
		t.Fatal(err)
	}
	want, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 20 {
				got, err := m.Marshal()
				if err != nil || !bytes.Equal(got, want) || m.Size() != len(want) || !m.Equal(m.Clone()) {
					t.Error("a reader sees something else", err)
				}
			}
		}()
	}
	all.Wait()
}

func madeRequest(series int) (out []byte) {
	for n := range series {
		var ts []byte
		for k, name := range []string{"__name__", "instance", "job", "le", "handler", "series"} {
			value := fmt.Sprintf("value_%d_of_label_%d", n%(k*100+1), k)
			if n%7 == 3 && k == 2 {
				value += strings.Repeat("é", n%80)
			}
			ts = append(ts, record(1, join(record(1, []byte(name)), record(2, []byte(value))))...)
		}
		sample := wire.AppendDouble([]byte{0x09}, float64(n))
		ts = append(ts, record(2, append(sample, varint(2, 1_700_000_000_000+uint64(n))...))...)
		out = append(out, record(1, ts)...)
	}
	return out
}
