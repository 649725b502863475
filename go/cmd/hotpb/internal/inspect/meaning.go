package inspect

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/internal/kind"
	"github.com/hotpb/hotpb/go/wire"
)

// field finds the record's field in the schema, and notes the effect of its place among the others.
func (w *walker) field(r *Record, l *level) protoreflect.FieldDescriptor {
	var f protoreflect.FieldDescriptor
	if l.message != nil {
		if f = w.lookUp(l.message, r.Number); f == nil {
			r.note("unknown", "unknown field: %s has no number %d", l.message.FullName(), r.Number)
		} else if !fits(f, r.Wire) {
			r.note("wire-type", "the schema has %s %s: readers keep this as an unknown field", typeName(f), f.Name())
			r.Name = string(f.Name())
			f = nil
		} else {
			r.Name = name(f)
		}
	}
	before := l.seen[r.Number]
	if before == nil {
		before = &seen{first: r.Offset}
		l.seen[r.Number] = before
	}
	repeated := before.count > 0
	if f != nil && f.IsList() || f != nil && f.IsMap() {
		if !kind.Packable(f) || r.Wire != wire.BytesType {
			r.Index = before.count
		}
		if repeated && l.last != r.Number {
			r.note("interleaved", "interleaved: the record before is at %d, others are between", before.last)
		}
		if packed := r.Wire == wire.BytesType; kind.Packable(f) {
			if repeated && packed != before.packed {
				r.note("packing", "packed and unpacked records are mixed")
			}
			before.packed = packed
		}
	} else if f != nil && repeated {
		switch {
		case f.Message() != nil:
			r.note("split", "split message: merged into the one at %d", before.first)
		default:
			r.note("again", "again: this value replaces the one at %d", before.last)
		}
	} else if f == nil && repeated && l.last != r.Number {
		r.note("interleaved", "interleaved: the record before is at %d, others are between", before.last)
	}
	if f != nil {
		if oneof := f.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
			if l.oneofs == nil {
				l.oneofs = map[protoreflect.Name]*Record{}
			}
			if previous := l.oneofs[oneof.Name()]; previous != nil && previous.Number != r.Number {
				r.note("oneof", "oneof %s: this replaces %s at %d", oneof.Name(), previous.Name, previous.Offset)
			}
			l.oneofs[oneof.Name()] = r
		}
	}
	before.count++
	before.last, l.last = r.Offset, r.Number
	return f
}

func (w *walker) lookUp(m protoreflect.MessageDescriptor, number uint32) protoreflect.FieldDescriptor {
	if f := m.Fields().ByNumber(protoreflect.FieldNumber(number)); f != nil {
		return f
	}
	if w.types != nil && m.ExtensionRanges().Has(protoreflect.FieldNumber(number)) {
		if x, err := w.types.FindExtensionByNumber(m.FullName(), protoreflect.FieldNumber(number)); err == nil {
			return x.TypeDescriptor()
		}
	}
	return nil
}

func (w *walker) nameOf(m protoreflect.MessageDescriptor, number uint32) string {
	if f := w.lookUp(m, number); f != nil {
		return name(f)
	}
	return strconv.Itoa(int(number))
}

func name(f protoreflect.FieldDescriptor) string {
	if f.IsExtension() {
		return "[" + string(f.FullName()) + "]"
	}
	return string(f.Name())
}

func fits(f protoreflect.FieldDescriptor, t wire.Type) bool {
	return kind.Type(f.Kind()) == t || kind.Packable(f) && t == wire.BytesType
}

func messageOf(f protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	if f == nil {
		return nil
	}
	return f.Message()
}

// inner is the type of the message in a length-delimited record; of an Any's value it is the one that the URL names.
func (w *walker) inner(l *level, f protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	if m := messageOf(f); m != nil || l.url == "" {
		return m
	}
	return w.anyType(l)
}

func (w *walker) anyType(l *level) protoreflect.MessageDescriptor {
	if w.types == nil || l.url == "" {
		return nil
	}
	t, err := w.types.FindMessageByName(protoreflect.FullName(l.url[strings.LastIndexByte(l.url, '/')+1:]))
	if err != nil {
		return nil
	}
	return t.Descriptor()
}

func isAny(m protoreflect.MessageDescriptor) bool {
	return m != nil && m.FullName() == "google.protobuf.Any"
}

// typeName is the type of one element.
func typeName(f protoreflect.FieldDescriptor) string {
	switch {
	case f.IsMap():
		return "map<" + typeName(f.MapKey()) + ", " + typeName(f.MapValue()) + ">"
	case f.Message() != nil:
		return string(f.Message().FullName())
	case f.Enum() != nil:
		return string(f.Enum().FullName())
	}
	return f.Kind().String()
}
