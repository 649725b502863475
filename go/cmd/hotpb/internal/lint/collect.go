// Package lint looks in schemas, and in samples of messages when there are any, for fields that cost time or bytes on hot paths.
package lint

import (
	"errors"
	"hash/maphash"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/internal/kind"
	"github.com/hotpb/hotpb/go/wire"
)

// sample has the counts of messages.
type sample struct {
	messages int
	bytes    int64
	types    map[protoreflect.FullName]*messageCount
	fields   map[protoreflect.FullName]*fieldCount
	seed     maphash.Seed
}

type messageCount struct {
	messages int
	unknown  int
}

// fieldCount has the counts of a field.
type fieldCount struct {
	records  int
	holders  int // messages that have the field
	elements int
	bytes    int64 // of the values
	// The sizes of an integer's values in each form; fixed forms take 4 or 8 bytes for each.
	varint, zigzag int64
	negative       int
	values         map[uint64]int32 // hashes of strings
	distinct       int64            // bytes of strings that are not in values already
	many           bool             // there are more distinct strings than values holds
	last           int              // the message it was in
}

// mostDistinct bounds the memory for the strings of a field.
const mostDistinct = 1 << 16

func newSample() *sample {
	return &sample{types: map[protoreflect.FullName]*messageCount{}, fields: map[protoreflect.FullName]*fieldCount{}, seed: maphash.MakeSeed()}
}

func (s *sample) counts(f protoreflect.FieldDescriptor) *fieldCount {
	c := s.fields[f.FullName()]
	if c == nil {
		c = new(fieldCount)
		s.fields[f.FullName()] = c
	}
	return c
}

func (s *sample) typeOf(m protoreflect.MessageDescriptor) *messageCount {
	c := s.types[m.FullName()]
	if c == nil {
		c = new(messageCount)
		s.types[m.FullName()] = c
	}
	return c
}

// message counts b[i:end], or up to the end tag of a group. The error is one of package wire.
func (s *sample) message(m protoreflect.MessageDescriptor, b []byte, i, end int, group uint32, depth int) (int, error) {
	count := s.typeOf(m)
	count.messages++
	serial := count.messages
	fail := func(code wire.Code, at int) (int, error) { return 0, &wire.Error{Code: code, Offset: int64(at)} }
	if depth > wire.DefaultDepth {
		return fail(wire.DepthExceeded, i)
	}
	for i < end {
		tag, after := wire.ReadTag(b[:end], i)
		if after < 0 {
			return fail(wire.Failed(after), i)
		}
		if tag.Type() == wire.EndGroup {
			if group == 0 || tag.Number() != group {
				return fail(wire.GroupMismatch, i)
			}
			return after, nil
		}
		f := m.Fields().ByNumber(protoreflect.FieldNumber(tag.Number()))
		next := wire.Skip(b[:end], after, tag, wire.DefaultDepth)
		if next < 0 {
			return 0, locate(b, i, end)
		}
		if f == nil {
			count.unknown++
			i = next
			continue
		}
		c := s.counts(f)
		c.records++
		if c.last != serial {
			c.last = serial
			c.holders++
		}
		start := after
		if tag.Type() == wire.BytesType {
			start, _ = wire.ReadBytes(b[:end], after)
		}
		var err error
		switch {
		case f.Kind() == protoreflect.MessageKind && tag.Type() == wire.BytesType:
			c.elements++
			_, err = s.message(f.Message(), b, start, next, 0, depth+1)
		case f.Kind() == protoreflect.GroupKind && tag.Type() == wire.StartGroup:
			c.elements++
			_, err = s.message(f.Message(), b, after, next, tag.Number(), depth+1)
		default:
			s.value(c, f, tag.Type(), b[start:next])
		}
		if err != nil {
			return 0, err
		}
		i = next
	}
	return i, nil
}

// locate is the error of the record at b[i:end], with its place.
func locate(b []byte, i, end int) error {
	d := wire.NewDecoder(b[i:end])
	_, _, err := d.DecodeTag()
	if err == nil {
		_, err = d.Skip()
	}
	var place *wire.Error
	if errors.As(err, &place) {
		place.Offset += int64(i)
	}
	return err
}

// value counts a scalar, or the elements of a packed record.
func (s *sample) value(c *fieldCount, f protoreflect.FieldDescriptor, t wire.Type, payload []byte) {
	switch {
	case f.Kind() == protoreflect.StringKind || f.Kind() == protoreflect.BytesKind:
		if t == wire.BytesType {
			s.text(c, payload)
		}
	case t == wire.BytesType && f.IsList():
		t = kind.Type(f.Kind())
		for i := 0; i < len(payload); {
			next := wire.Skip(payload, i, wire.MakeTag(1, t), 1)
			if next < 0 {
				return
			}
			c.number(f.Kind(), t, payload[i:next])
			i = next
		}
	case t == kind.Type(f.Kind()):
		c.number(f.Kind(), t, payload)
	}
}

func (s *sample) text(c *fieldCount, b []byte) {
	c.elements++
	c.bytes += int64(len(b))
	if c.many {
		return
	}
	if c.values == nil {
		c.values = map[uint64]int32{}
	}
	hash := maphash.Bytes(s.seed, b)
	if c.values[hash] == 0 {
		c.distinct += int64(len(b))
	}
	c.values[hash]++
	if len(c.values) > mostDistinct {
		c.many, c.values = true, nil
	}
}

// number counts the bytes of a value as a varint and in zigzag form.
func (c *fieldCount) number(kind protoreflect.Kind, t wire.Type, b []byte) {
	c.elements++
	c.bytes += int64(len(b))
	var v uint64
	switch t {
	case wire.VarintType:
		v, _ = wire.ReadVarint(b, 0)
	case wire.Fixed32Type:
		v32, _ := wire.ReadFixed32(b, 0)
		v = uint64(v32)
		if kind == protoreflect.Sfixed32Kind {
			v = uint64(int64(int32(v32)))
		}
	default:
		v, _ = wire.ReadFixed64(b, 0)
	}
	switch kind {
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		v = uint64(wire.DecodeZigzag(v))
	}
	c.varint += int64(wire.SizeVarint(v))
	c.zigzag += int64(wire.SizeVarint(wire.EncodeZigzag(int64(v))))
	if int64(v) < 0 {
		c.negative++
	}
}
