package oracle

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// The stock runtime of Go differs from spec/wire.md, and so from all faces but the codec, in these points:
//
//	VAR-2  a tenth byte above 1 is refused; its excess bits are to be dropped
//	TAG-1  tags of more than five bytes are accepted, and inside unknown groups field numbers up to 2^31 − 1
//	ENM-2  closed enums are open
//	UTF-1  strings of extensions in editions files are not checked
//	MAP-*  dynamicpb panics at some damaged map entries ("cannot convert nil to map key")
//	SET-3, SET-4, SET-6  damaged message sets are read in a way of its own
//
// The first two are got round by showing it other bytes than the face; the others are left out of account where they matter.

// translate returns the bytes by which the stock runtime understands what spec/wire.md makes of b: bits that are dropped are
// zero. refused reports whether b has a tag that is refused.
func (s *Schema) translate(desc protoreflect.MessageDescriptor, b []byte, resolver *protoregistry.Types) (_ []byte, refused bool) {
	t := &translator{b: append([]byte(nil), b...), resolver: resolver}
	t.message(desc, 0, len(b), 0, 0)
	return t.b, t.refused
}

type translator struct {
	b        []byte
	resolver *protoregistry.Types
	refused  bool
}

const maxLevels = 150 // both refuse what is deeper than this

// message goes through the records from i to end, or to the end tag of the group. It returns the place after it, or -1 where
// the bytes are damaged: what follows does not matter then.
func (t *translator) message(desc protoreflect.MessageDescriptor, i, end int, group protowire.Number, level int) int {
	if level > maxLevels {
		return -1
	}
	for i < end {
		tag, next := t.tag(i, end)
		if next < 0 {
			return -1
		}
		i = next
		number, kind := protowire.Number(tag>>3), protowire.Type(tag&7)
		if kind == protowire.EndGroupType {
			if number != group {
				return -1
			}
			return i
		}
		i = t.field(t.find(desc, number), kind, number, i, end, level)
		if i < 0 {
			return -1
		}
	}
	if group != 0 {
		return -1
	}
	return i
}

// find returns the field of a number, nil for none; inside a group that nobody knows there is no desc.
func (t *translator) find(desc protoreflect.MessageDescriptor, number protowire.Number) protoreflect.FieldDescriptor {
	if desc == nil {
		return nil
	}
	if f := desc.Fields().ByNumber(number); f != nil {
		return f
	}
	if x, err := t.resolver.FindExtensionByNumber(desc.FullName(), number); err == nil {
		return x.TypeDescriptor()
	}
	return nil
}

func (t *translator) field(f protoreflect.FieldDescriptor, kind protowire.Type, number protowire.Number, i, end, level int) int {
	switch kind {
	case protowire.VarintType:
		_, i = t.varint(i, end)
		return i
	case protowire.Fixed32Type:
		return within(i+4, end)
	case protowire.Fixed64Type:
		return within(i+8, end)
	case protowire.StartGroupType:
		if f != nil && f.Kind() == protoreflect.GroupKind {
			return t.message(f.Message(), i, end, number, level+1)
		}
		return t.message(nil, i, end, number, level+1)
	case protowire.BytesType:
		length, i := t.varint(i, end)
		if i < 0 || length > uint64(end-i) {
			return -1
		}
		end := i + int(length)
		switch {
		case f == nil:
		case f.Kind() == protoreflect.MessageKind:
			if t.message(f.Message(), i, end, 0, level+1) < 0 {
				return -1
			}
		case f.IsList() && wireType(f) == protowire.VarintType:
			for i < end {
				if _, i = t.varint(i, end); i < 0 {
					return -1
				}
			}
		}
		return end
	}
	return -1
}

func within(i, end int) int {
	if i > end {
		return -1
	}
	return i
}

// tag reads one. Longer than five bytes, or of 2^32 and above, it is refused by every face.
func (t *translator) tag(i, end int) (uint64, int) {
	tag, next := t.varint(i, end)
	if next < 0 {
		return 0, -1
	}
	if next-i > 5 || tag >= 1<<32 {
		t.refused = true
		return 0, -1
	}
	return tag, next
}

// varint reads one and takes the excess bits of its tenth byte off.
func (t *translator) varint(i, end int) (uint64, int) {
	var v uint64
	for n := range 10 {
		if i+n >= end {
			return 0, -1
		}
		c := t.b[i+n]
		if n == 9 && c > 1 {
			if c >= 0x80 {
				return 0, -1
			}
			c &= 1
			t.b[i+n] = c
		}
		v |= uint64(c&0x7f) << (7 * n)
		if c < 0x80 {
			return v, i + n + 1
		}
	}
	return 0, -1
}

// unchecked reports the strings that the stock runtime does not check, although their file may want it.
func unchecked(f protoreflect.FieldDescriptor) bool {
	return f.IsExtension() && f.Kind() == protoreflect.StringKind && f.Syntax() == protoreflect.Editions
}

// strip takes the values out of a message that their closed enums do not define, and reports whether there were any.
func strip(m protoreflect.Message) (had bool) {
	undefined := func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		return f.Enum() != nil && f.Enum().IsClosed() && f.Enum().Values().ByNumber(v.Enum()) == nil
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
			v.Map().Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
				if f.MapValue().Message() != nil {
					had = strip(value.Message()) || had
				} else if undefined(f.MapValue(), value) {
					had = true
					v.Map().Clear(key)
				}
				return true
			})
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				had = strip(v.List().Get(i).Message()) || had
			}
		case f.IsList():
			list, kept := v.List(), 0
			for i := range list.Len() {
				if !undefined(f, list.Get(i)) {
					list.Set(kept, list.Get(i))
					kept++
				}
			}
			had = had || kept < list.Len()
			list.Truncate(kept)
		case f.Message() != nil:
			had = strip(v.Message()) || had
		case undefined(f, v):
			had = true
			m.Clear(f)
		}
		return true
	})
	return had
}
