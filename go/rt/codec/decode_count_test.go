package codec

import (
	"strings"
	"testing"
	"unsafe"
)

var (
	leafFields = []SlabField{{Tag: 0x12, Kind: SlabOfList, List: (*[]int32)(nil)}}
	rootFields = []SlabField{
		{Tag: 0x0a, Kind: SlabOfOne, List: (*[]int16)(nil), Inside: leafFields},
		{Tag: 0x1a, Kind: SlabOfList, List: (*[]int8)(nil)},
		{Tag: 0x0182, Kind: SlabOfList, List: (*[]int64)(nil), Inside: leafFields}, // field 48: its tag has two bytes
		{Tag: 0x2a, Kind: SlabOfOne, List: (*[]int64)(nil)},
	}
)

// The count equals the number of messages that the decoder creates: for a singular field one per parent, however
// often it occurs. A count ends at the first error.
func TestMessagesAreCountedByField(t *testing.T) {
	const high, leaf = "\x82\x03", "\x12\x00"
	for _, c := range []struct {
		input                                             string
		single, singleLeaves, many, high, highLeaf, plain int
	}{
		{input: ""},
		{input: "\x1a\x00\x1a\x01\x08\x1a\x00", many: 3},
		{input: "\x1a\x00\x08\x05\x1a\x00", many: 2},
		{input: "\x9a\x00\x00\x1a\x00", many: 2}, // the first tag is over-long
		{input: "\x0a\x02" + leaf + "\x0a\x04" + leaf + leaf, single: 1, singleLeaves: 3},
		{input: "\x2a\x00\x2a\x00", plain: 1},
		{input: high + "\x02" + leaf + high + "\x00" + "\x1a\x00" + high + "\x04" + leaf + leaf, high: 3, highLeaf: 3, many: 1},
		{input: "\x1a\x00\x0b\x1a\x00\x0c\x1a\x00", many: 2}, // the contents of an unknown group are not fields
		{input: "\x1a\x80\x01" + strings.Repeat("x", 128) + "\x1a\x00", many: 2},
		{input: "\x1a\x00\x0a\x05" + leaf, many: 1}, // truncated
		{input: "\x1a\x00\x1a\x05", many: 2},
		{input: "\x1a\x00\x0c", many: 1},
		{input: "\x1a\x00\x0a\x02\x12\x09\x1a\x00", many: 2, single: 1, singleLeaves: 1}, // the decoder reports it
	} {
		s := newSlabs(rootFields)
		s.count([]byte(c.input))
		count := func(field int) int { return s.fields[field].count }
		leaves := func(field int) int {
			if in := s.Inside(field); in != nil {
				return in.fields[0].count
			}
			return 0
		}
		got := [...]int{count(0), leaves(0), count(1), count(2), leaves(2), count(3)}
		if want := [...]int{c.single, c.singleLeaves, c.many, c.high, c.highLeaf, c.plain}; got != want {
			t.Errorf("%q: counted %d, want %d", c.input, got, want)
		}
		s.reserve(len(c.input))
		if list := Open(s, 1, []*int8(nil)); len(list) != c.many {
			t.Errorf("%q: %d messages in the slab, want %d", c.input, len(list), c.many)
		}
		if in := s.Inside(2); in != nil {
			if list := Open(in, 0, []*int32(nil)); len(list) != c.highLeaf {
				t.Errorf("%q: the slab inside has %d messages, want %d", c.input, len(list), c.highLeaf)
			}
		}
	}
}

// A slab hands out as many messages as were counted, all different, and then none.
func TestSinglesOfASlabAreDifferent(t *testing.T) {
	for kind, most := range map[SlabKind]int{SlabOfOne: 3, SlabOfMap: 3} {
		s := newSlabs([]SlabField{{Tag: 0x0a, Kind: kind, List: (*[]int64)(nil)}})
		s.fields[0].count = most
		s.reserve(100)
		seen := map[unsafe.Pointer]bool{}
		for range most {
			message := s.Message(0)
			if message == nil || seen[message] || *(*int64)(message) != 0 {
				t.Fatal("a message is no new one")
			}
			*(*int64)(message), seen[message] = 7, true
		}
		if s.Message(0) != nil {
			t.Error("more messages than were counted")
		}
		s = newSlabs([]SlabField{{Tag: 0x0a, Kind: kind, List: (*[]int64)(nil)}})
		s.fields[0].count = 1000
		s.reserve(2)
		if n := s.fields[0].messages.cap; n != 8 {
			t.Errorf("memory for %d messages, want 32 times the input", n)
		}
	}
}

func TestOnlyLargeInputsAreCounted(t *testing.T) {
	small, large := []byte(strings.Repeat("\x1a\x00", CountFrom/2-1)), []byte(strings.Repeat("\x1a\x00", CountFrom/2))
	if s := Count(rootFields, small); s != nil {
		t.Error("a small input was counted")
	}
	if s := Count(rootFields, large); s == nil || s.fields[1].count != CountFrom/2 {
		t.Error("a large input was not counted")
	}
}
