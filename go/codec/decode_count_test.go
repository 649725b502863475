package codec

import (
	"strings"
	"testing"
)

type leafSlabs struct {
	Slabs
	ofLeaves Children[int32]
}

func (s *leafSlabs) Fields() { s.Each(0x12, &s.ofLeaves, nil) }

type rootSlabs struct {
	Slabs
	ofOne   Singles[int16]
	atOne   Inside[leafSlabs, *leafSlabs]
	ofMany  Children[int8]
	ofFar   Children[int64]
	atFar   Inside[leafSlabs, *leafSlabs]
	ofPlain Singles[int64]
}

func (s *rootSlabs) Fields() {
	s.One(0x0a, &s.ofOne, &s.atOne)
	s.Each(0x1a, &s.ofMany, nil)
	s.Each(0x0182, &s.ofFar, &s.atFar) // field 48: its tag has two bytes
	s.One(0x2a, &s.ofPlain, nil)
}

// The count equals the number of messages that the decoder creates: for a singular field one per parent, however
// often it occurs. A count ends at the first error.
func TestMessagesAreCountedByField(t *testing.T) {
	const far, leaf = "\x82\x03", "\x12\x00"
	for _, c := range []struct {
		input                                     string
		one, oneLeaves, many, far, farLeaf, plain int
	}{
		{input: ""},
		{input: "\x1a\x00\x1a\x01\x08\x1a\x00", many: 3},
		{input: "\x1a\x00\x08\x05\x1a\x00", many: 2},
		{input: "\x9a\x00\x00\x1a\x00", many: 2}, // the first tag is over-long
		{input: "\x0a\x02" + leaf + "\x0a\x04" + leaf + leaf, one: 1, oneLeaves: 3},
		{input: "\x2a\x00\x2a\x00", plain: 1},
		{input: far + "\x02" + leaf + far + "\x00" + "\x1a\x00" + far + "\x04" + leaf + leaf, far: 3, farLeaf: 3, many: 1},
		{input: "\x1a\x00\x0b\x1a\x00\x0c\x1a\x00", many: 2}, // the contents of an unknown group are not fields
		{input: "\x1a\x80\x01" + strings.Repeat("x", 128) + "\x1a\x00", many: 2},
		{input: "\x1a\x00\x0a\x05" + leaf, many: 1}, // truncated
		{input: "\x1a\x00\x1a\x05", many: 2},
		{input: "\x1a\x00\x0c", many: 1},
		{input: "\x1a\x00\x0a\x02\x12\x09\x1a\x00", many: 2, one: 1, oneLeaves: 1}, // the decoder reports it
	} {
		s := new(rootSlabs)
		s.Fields()
		s.count([]byte(c.input))
		leaves := func(in *leafSlabs) int {
			if in == nil {
				return 0
			}
			return in.ofLeaves.count
		}
		got := [...]int{s.ofOne.count, leaves(s.atOne.Slabs), s.ofMany.count, s.ofFar.count, leaves(s.atFar.Slabs), s.ofPlain.count}
		if want := [...]int{c.one, c.oneLeaves, c.many, c.far, c.farLeaf, c.plain}; got != want {
			t.Errorf("%q: counted %d, want %d", c.input, got, want)
		}
		s.reserve(len(c.input))
		if list := s.ofMany.Open(nil); len(list) != c.many {
			t.Errorf("%q: %d messages in the slab, want %d", c.input, len(list), c.many)
		}
		if in := s.atFar.Slabs; in != nil && len(in.ofLeaves.Open(nil)) != c.farLeaf {
			t.Errorf("%q: the slab inside has %d messages, want %d", c.input, len(in.ofLeaves.Open(nil)), c.farLeaf)
		}
	}
}

func TestOnlyLargeInputsAreCounted(t *testing.T) {
	small, large := []byte(strings.Repeat("\x1a\x00", CountFrom/2-1)), []byte(strings.Repeat("\x1a\x00", CountFrom/2))
	if s := Count[rootSlabs](small); s != nil {
		t.Error("a small input was counted")
	}
	if s := Count[rootSlabs](large); s == nil || s.ofMany.count != CountFrom/2 {
		t.Error("a large input was not counted")
	}
}
