package oracle

import (
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// encode is one of the legal encodings of a message, chosen by chance: fields in any order; singular fields that come
// more than once; messages in several records, which merge; other members of a oneof before the one that counts; runs of
// packed and unpacked elements; entries with their halves swapped, left out, repeated; varints, lengths and tags
// that are longer than they need be; unknown fields in between, groups among them.
func (r *maker) encode(m protoreflect.Message) []byte {
	return join(r.records(m))
}

func join(records [][]byte) []byte {
	b := []byte{}
	for _, record := range records {
		b = append(b, record...)
	}
	return b
}

// records are the records of a message in an order that keeps its meaning.
func (r *maker) records(m protoreflect.Message) [][]byte {
	if isMessageSet(m.Descriptor()) {
		b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m.Interface())
		if err != nil {
			panic(err)
		}
		return cut(b)
	}
	var streams [][][]byte // each in its order
	for _, f := range fieldsOf(m) {
		v := m.Get(f)
		var stream [][]byte
		switch {
		case f.IsMap():
			for _, key := range keysOf(v.Map()) {
				stream = append(stream, r.entries(f, key, v.Map().Get(key))...)
			}
		case f.IsList():
			stream = r.list(f, v.List())
		case f.Message() != nil:
			stream = append(r.before(f), r.parts(f, v.Message())...)
		default:
			stream = append(r.before(f), r.value(r.tag(nil, f.Number(), wireType(f)), f, v))
		}
		streams = append(streams, stream)
	}
	if r.IntN(3) == 0 {
		streams = append(streams, r.unknown(m.Descriptor(), 2))
	}
	return r.interleave(streams)
}

// fieldsOf are the fields that a message has, by number: the message of a seed must not depend on the order in Go's maps.
func fieldsOf(m protoreflect.Message) (fields []protoreflect.FieldDescriptor) {
	m.Range(func(f protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		fields = append(fields, f)
		return true
	})
	slices.SortFunc(fields, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number()) - int(b.Number()) })
	return fields
}

func keysOf(m protoreflect.Map) (keys []protoreflect.MapKey) {
	m.Range(func(key protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, key)
		return true
	})
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// cut returns the records of well-formed bytes.
func cut(b []byte) (records [][]byte) {
	for len(b) > 0 {
		_, _, n := protowire.ConsumeField(b)
		if n < 0 {
			panic(protowire.ParseError(n))
		}
		records, b = append(records, b[:n]), b[n:]
	}
	return records
}

// interleave takes the streams' records by chance, each stream's in their order; sometimes one stream after the other.
func (r *maker) interleave(streams [][][]byte) (records [][]byte) {
	ordered := r.IntN(3) == 0
	for {
		var left []int
		for i, stream := range streams {
			if len(stream) > 0 {
				left = append(left, i)
			}
		}
		if len(left) == 0 {
			return records
		}
		i := left[0]
		if !ordered {
			i = left[r.IntN(len(left))]
		}
		records, streams[i] = append(records, streams[i][0]), streams[i][1:]
	}
}

// before is what a later record of the same field, or of the same oneof, makes void; mostly nothing.
func (r *maker) before(f protoreflect.FieldDescriptor) [][]byte {
	if r.IntN(6) > 0 {
		return nil
	}
	member := f
	if oneof := f.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
		member = oneof.Fields().Get(r.IntN(oneof.Fields().Len()))
	}
	if member.Message() != nil {
		if member == f {
			return nil // it would merge, and is done in parts
		}
		child := dynamicpb.NewMessage(member.Message())
		r.fill(child, 0)
		return r.parts(member, child)
	}
	return [][]byte{r.value(r.tag(nil, member.Number(), wireType(member)), member, r.scalar(member))}
}

// parts are the records of a message field: its own records cut into pieces, which merge again.
func (r *maker) parts(f protoreflect.FieldDescriptor, m protoreflect.Message) (parts [][]byte) {
	records := r.records(m)
	for range r.IntN(6) / 4 * (1 + r.IntN(2)) {
		at := r.IntN(len(records) + 1)
		parts, records = append(parts, r.framed(f, join(records[:at]))), records[at:]
	}
	return append(parts, r.framed(f, join(records)))
}

// framed is the record of a message field, or group, with this content.
func (r *maker) framed(f protoreflect.FieldDescriptor, content []byte) []byte {
	if f.Kind() == protoreflect.GroupKind {
		b := append(r.tag(nil, f.Number(), protowire.StartGroupType), content...)
		return r.tag(b, f.Number(), protowire.EndGroupType)
	}
	return r.bytes(r.tag(nil, f.Number(), protowire.BytesType), content)
}

func (r *maker) list(f protoreflect.FieldDescriptor, list protoreflect.List) (records [][]byte) {
	packable := f.Message() == nil && wireType(f) != protowire.BytesType
	for i := 0; i < list.Len(); {
		switch {
		case f.Message() != nil:
			records = append(records, r.framed(f, r.encode(list.Get(i).Message())))
			i++
		case packable && r.IntN(4) > 0:
			var packed []byte
			for end := i + r.IntN(list.Len()-i+1); i < end; i++ {
				packed = r.value(packed, f, list.Get(i))
			}
			records = append(records, r.bytes(r.tag(nil, f.Number(), protowire.BytesType), packed))
		default:
			records = append(records, r.value(r.tag(nil, f.Number(), wireType(f)), f, list.Get(i)))
			i++
		}
	}
	return records
}

// entries are the record of an entry of a map, sometimes after one that it replaces.
func (r *maker) entries(f protoreflect.FieldDescriptor, key protoreflect.MapKey, value protoreflect.Value) (records [][]byte) {
	if r.IntN(6) == 0 {
		var held protoreflect.Value
		if f.MapValue().Message() == nil {
			held = r.scalar(f.MapValue())
		} else {
			child := dynamicpb.NewMessage(f.MapValue().Message())
			r.fill(child, 0)
			held = protoreflect.ValueOfMessage(child)
		}
		records = append(records, r.entry(f, key, held))
	}
	return append(records, r.entry(f, key, value))
}

func (r *maker) entry(f protoreflect.FieldDescriptor, key protoreflect.MapKey, value protoreflect.Value) []byte {
	var streams [][][]byte
	half := func(half protoreflect.FieldDescriptor, v protoreflect.Value) {
		switch {
		case half.Message() != nil:
			streams = append(streams, r.parts(half, v.Message()))
		case v.Equal(half.Default()) && r.IntN(2) == 0:
		default:
			var stream [][]byte
			if r.IntN(8) == 0 {
				stream = append(stream, r.value(r.tag(nil, half.Number(), wireType(half)), half, r.scalar(half)))
			}
			streams = append(streams, append(stream, r.value(r.tag(nil, half.Number(), wireType(half)), half, v)))
		}
	}
	half(f.MapKey(), key.Value())
	half(f.MapValue(), value)
	if r.IntN(8) == 0 {
		streams = append(streams, r.unknown(f.Message(), 1))
	}
	return r.bytes(r.tag(nil, f.Number(), protowire.BytesType), join(r.interleave(streams)))
}

// unknown are some records that a message does not know.
func (r *maker) unknown(desc protoreflect.MessageDescriptor, depth int) (records [][]byte) {
	for range 1 + r.IntN(3) {
		number := protowire.Number(1 + r.IntN(40))
		if r.IntN(3) == 0 {
			number = protowire.Number(1 + r.IntN(1<<29-1))
		}
		if desc.Fields().ByNumber(number) != nil || desc.ExtensionRanges().Has(number) || number >= 19000 && number < 20000 {
			continue
		}
		records = append(records, r.unknownRecord(number, depth))
	}
	return records
}

func (r *maker) unknownRecord(number protowire.Number, depth int) []byte {
	switch r.IntN(5) {
	case 0:
		return r.varint(r.tag(nil, number, protowire.VarintType), r.number())
	case 1:
		return protowire.AppendFixed32(r.tag(nil, number, protowire.Fixed32Type), r.Uint32())
	case 2:
		return protowire.AppendFixed64(r.tag(nil, number, protowire.Fixed64Type), r.Uint64())
	case 3:
		b := r.tag(nil, number, protowire.StartGroupType)
		if depth > 0 {
			for range r.IntN(3) {
				b = append(b, r.unknownRecord(protowire.Number(1+r.IntN(100)), depth-1)...)
			}
		}
		return r.tag(b, number, protowire.EndGroupType)
	}
	return r.bytes(r.tag(nil, number, protowire.BytesType), []byte(texts[r.IntN(len(texts))]))
}

// tag appends a tag, sometimes longer than it need be, but of at most five bytes (TAG-2).
func (r *maker) tag(b []byte, number protowire.Number, kind protowire.Type) []byte {
	return r.longer(protowire.AppendTag(b, number, kind), len(b), 5)
}

func (r *maker) varint(b []byte, v uint64) []byte {
	return r.longer(protowire.AppendVarint(b, v), len(b), 10)
}

func (r *maker) bytes(b, content []byte) []byte {
	return append(r.varint(b, uint64(len(content))), content...)
}

// longer makes the varint that begins at start longer, now and then.
func (r *maker) longer(b []byte, start, limit int) []byte {
	if r.IntN(24) > 0 {
		return b
	}
	for range min(1+r.IntN(3), limit-(len(b)-start)) {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

func wireType(f protoreflect.FieldDescriptor) protowire.Type {
	switch f.Kind() {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}

// value appends a scalar without its tag. Readers of 32-bit values take the low 32 bits (VAR-4), so that the others are
// sometimes left out or set by chance.
func (r *maker) value(b []byte, f protoreflect.FieldDescriptor, v protoreflect.Value) []byte {
	narrow := func(low uint64) []byte {
		if r.IntN(24) == 0 {
			return r.varint(b, low&math.MaxUint32|uint64(r.Uint32()>>r.IntN(32))<<32)
		}
		return r.varint(b, low)
	}
	switch f.Kind() {
	case protoreflect.BoolKind:
		if v.Bool() && r.IntN(10) == 0 {
			return r.varint(b, r.number()|1<<r.IntN(64)) // any value but zero (VAR-5)
		}
		return r.varint(b, protowire.EncodeBool(v.Bool()))
	case protoreflect.EnumKind:
		return narrow(uint64(int64(v.Enum())))
	case protoreflect.Int32Kind:
		return narrow(uint64(v.Int()))
	case protoreflect.Uint32Kind:
		return narrow(v.Uint())
	case protoreflect.Sint32Kind:
		return narrow(protowire.EncodeZigZag(v.Int()) & math.MaxUint32)
	case protoreflect.Int64Kind:
		return r.varint(b, uint64(v.Int()))
	case protoreflect.Uint64Kind:
		return r.varint(b, v.Uint())
	case protoreflect.Sint64Kind:
		return r.varint(b, protowire.EncodeZigZag(v.Int()))
	case protoreflect.Fixed32Kind:
		return protowire.AppendFixed32(b, uint32(v.Uint()))
	case protoreflect.Sfixed32Kind:
		return protowire.AppendFixed32(b, uint32(v.Int()))
	case protoreflect.FloatKind:
		return protowire.AppendFixed32(b, math.Float32bits(float32(v.Float())))
	case protoreflect.Fixed64Kind:
		return protowire.AppendFixed64(b, v.Uint())
	case protoreflect.Sfixed64Kind:
		return protowire.AppendFixed64(b, uint64(v.Int()))
	case protoreflect.DoubleKind:
		return protowire.AppendFixed64(b, math.Float64bits(v.Float()))
	case protoreflect.StringKind:
		return r.bytes(b, []byte(v.String()))
	}
	return r.bytes(b, v.Bytes())
}
