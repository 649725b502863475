package pool_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"google.golang.org/protobuf/proto"

	cold "github.com/hotpb/hotpb/go/internal/testgen/cold/wide_oneof/wide_oneofhot"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/wide_oneof"
	hot "github.com/hotpb/hotpb/go/internal/testgen/wide_oneof/wide_oneofhot"
	"github.com/hotpb/hotpb/go/wire"
)

// payloads returns records of all members of the oneof, and of the fields around it.
func payloads() (records [][]byte) {
	a := wire.AppendString(wire.AppendTag(nil, 1, wire.BytesType), "name")
	a2 := wire.AppendVarint(wire.AppendTag(nil, 2, wire.VarintType), 7)
	a2 = wire.AppendString(wire.AppendTag(a2, 6, wire.BytesType), "more")
	b := wire.AppendVarint(wire.AppendTag(nil, 1, wire.VarintType), 5)
	records = append(records, wire.AppendVarint(wire.AppendTag(nil, 1, wire.VarintType), 99))
	for number := uint32(2); number <= 10; number++ {
		contents := [][]byte{a, a2, nil}
		if number%2 != 0 && number != 10 {
			contents = [][]byte{b, nil}
		}
		for _, content := range contents {
			records = append(records, wire.AppendBytes(wire.AppendTag(nil, number, wire.BytesType), content))
		}
	}
	records = append(records, []byte("\x5b\x08\x03\x5c"), []byte("\x5b\x5c")) // the group
	records = append(records, wire.AppendBytes(wire.AppendTag(nil, 12, wire.BytesType), []byte("\x12\x02\x0a\x00")))
	records = append(records, wire.AppendString(wire.AppendTag(nil, 13, wire.BytesType), "text"))
	return append(records, wire.AppendVarint(wire.AppendTag(nil, 14, wire.VarintType), 3))
}

// POL-2. In a oneof of many messages each member replaces the others, and records of one member merge, as in the
// stock runtime: decoded, set and cleared, in a message that is reused.
func TestAOneofOfManyMessagesHoldsOneOfThem(t *testing.T) {
	records := payloads()
	r := rand.New(rand.NewPCG(1, 2))
	var m hot.Event
	for range 20_000 {
		var input []byte
		for range r.IntN(5) {
			input = append(input, records[r.IntN(len(records))]...)
		}
		want := new(stock.Event)
		if err := proto.Unmarshal(input, want); err != nil {
			t.Fatal(err)
		}
		if err := m.Unmarshal(input); err != nil {
			t.Fatal(err)
		}
		change(r, &m, want)
		out, err := m.Marshal()
		got := new(stock.Event)
		if err == nil {
			err = proto.Unmarshal(out, got)
		}
		if err != nil || !proto.Equal(got, want) || len(out) != m.Size() {
			t.Fatalf("%x: %v (%v), want %v", input, got, err, want)
		}
		if clone := m.Clone(); !clone.Equal(&m) {
			t.Fatalf("%x: a clone differs", input)
		}
		set := 0
		for v, i := reflect.ValueOf(&m).Elem(), 0; i < v.NumField(); i++ {
			if v.Field(i).Kind() == reflect.Pointer && strings.HasPrefix(v.Type().Field(i).Name, "field") && !v.Field(i).IsNil() {
				set++
			}
		}
		if set > 1 || (set == 1) != (m.WhichPayload() >= 2 && m.WhichPayload() <= 12) {
			t.Fatalf("%x: %d messages are held, and %d is set", input, set, m.WhichPayload())
		}
	}
}

// change makes the same random change in both.
func change(r *rand.Rand, m *hot.Event, want *stock.Event) {
	switch r.IntN(8) {
	case 0:
		m.MutableC().SetV1(5)
		if _, is := want.Payload.(*stock.Event_C); !is {
			want.Payload = &stock.Event_C{C: new(stock.A)}
		}
		want.GetC().V1 = proto.Int64(5)
	case 1:
		m.MutableJ()
		if _, is := want.Payload.(*stock.Event_J_); !is {
			want.Payload = &stock.Event_J_{J: new(stock.Event_J)}
		}
	case 2:
		m.SetText("set")
		want.Payload = &stock.Event_Text{Text: "set"}
	case 3:
		m.SetNumber(-1)
		want.Payload = &stock.Event_Number{Number: -1}
	case 4:
		m.ClearPayload()
		want.Payload = nil
	case 5:
		m.ClearA()
		if _, is := want.Payload.(*stock.Event_A); is {
			want.Payload = nil
		}
	}
}

// Elements of a list have no room for members that are not set: a bundle of small events decodes within the default
// memory limit.
func TestSmallEventsWithAOneofOfManyMessagesAreDecoded(t *testing.T) {
	if size := unsafe.Sizeof(hot.Event{}); size > 300 {
		t.Errorf("an event takes %d bytes", size)
	}
	var b []byte
	for range 100_000 {
		b = append(b, "\x0a\x0e\x08\x01\x1a\x0a\x12\x08abcdefgh"...) // event { timestamp: 1 b { data: "abcdefgh" } }
	}
	var m hot.Bundle
	if err := m.Unmarshal(b); err != nil || len(m.Event) != 100_000 {
		t.Errorf("%d events, %v", len(m.Event), err)
	}
}

// POL-2. The elements that a failed decode by table has used are empty when the next decode uses them.
func TestAFailedDecodeByTableLeavesNothingInLists(t *testing.T) {
	records := payloads()
	r := rand.New(rand.NewPCG(3, 4))
	bundle := func() (b []byte) {
		for range 1 + r.IntN(6) {
			var event []byte
			for range r.IntN(4) {
				event = append(event, records[r.IntN(len(records))]...)
			}
			b = wire.AppendBytes(wire.AppendTag(b, 1, wire.BytesType), event)
		}
		return b
	}
	var m cold.Bundle
	for range 5_000 {
		failing := append(bundle(), 0x0a, 0x05) // a truncated event
		if err := m.Unmarshal(failing); err == nil {
			t.Fatalf("%x is accepted", failing)
		}
		input := bundle()
		var fresh cold.Bundle
		if err := fresh.Unmarshal(input); err != nil {
			t.Fatal(err)
		}
		if err := m.Unmarshal(input); err != nil || !m.Equal(&fresh) {
			t.Fatalf("%x after %x: %v", input, failing, err)
		}
	}
}
