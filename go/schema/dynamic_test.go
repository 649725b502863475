package schema_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// SCH-21, SCH-22. A row reads dynamicpb's output, value for value; dynamicpb reads that of a row and of a record.
func TestRandomMessagesOfRandomSchemasAreThoseOfDynamicpb(t *testing.T) {
	for _, syntax := range []string{"proto2", "proto3", "editions"} {
		for seed := range uint64(randomSchemas) {
			t.Run(fmt.Sprint(syntax, seed), func(t *testing.T) {
				r := maker{rand.New(rand.NewPCG(seed, 3)), syntax}
				fds, types := r.set(t, 8)
				for i := range types.Len() {
					compareMessages(t, r, fds, types.Get(i), 40)
				}
			})
		}
	}
}

func compareMessages(t *testing.T, r maker, fds []byte, desc protoreflect.MessageDescriptor, count int) {
	s, err := schema.FromDescriptorSet(fds, string(desc.FullName()))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	row, record := p.NewRow(), p.NewRecord()
	for n := range count {
		b := r.encoded(t, desc)
		want := dynamicpb.NewMessage(desc)
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, want); err != nil {
			t.Fatal(err)
		}
		if err := row.UnmarshalWith(b, schema.UnmarshalOptions{AllowPartial: true, Alias: n%2 == 0}); err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		if difference := differs(s.Message, row.Fields, want); difference != "" {
			t.Fatalf("%x: %s", b, difference)
		}
		got := dynamicpb.NewMessage(desc)
		out := row.Append(nil)
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(out, got); err != nil || !proto.Equal(got, want) {
			t.Fatalf("%x: written it is %x (%v):\n%v\nwant\n%v", b, out, err, got, want)
		}
		if err := row.Unmarshal(b); (err == nil) != (proto.CheckInitialized(want) == nil) {
			t.Fatalf("%x: %v, dynamicpb has %v", b, err, proto.CheckInitialized(want))
		}
		checkDamaged(t, r, row, b)

		want = r.filled(desc)
		record.Reset()
		write(record, s.Message, want)
		out, _ = record.Append(nil)
		got.Reset()
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(out, got); err != nil || !proto.Equal(got, want) || record.Err() != nil {
			t.Fatalf("recorded it is %x (%v, %v):\n%v\nwant\n%v", out, err, record.Err(), got, want)
		}
	}
}

// checkDamaged checks that a row reads its own encoding of damaged bytes that it has accepted.
func checkDamaged(t *testing.T, r maker, row *schema.Row, b []byte) {
	b = bytes.Clone(b)
	if len(b) == 0 {
		return
	}
	b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	if r.IntN(3) == 0 {
		b = b[:r.IntN(len(b))]
	}
	partial := schema.UnmarshalOptions{AllowPartial: true}
	if row.UnmarshalWith(b, partial) != nil {
		return
	}
	first := row.Append(nil)
	if err := row.UnmarshalWith(first, partial); err != nil {
		t.Fatalf("%x: written as %x: %v", b, first, err)
	}
	if second := row.Append(nil); !bytes.Equal(first, second) {
		t.Fatalf("%x: written as %x, then as %x", b, first, second)
	}
}

// differs says what in a decoded message is another value than in dynamicpb's.
func differs(m *schema.Message, f schema.Fields, want protoreflect.Message) string {
	for _, column := range m.Columns() {
		c, h, _ := m.Find(column.Name)
		fd := want.Descriptor().Fields().ByName(protoreflect.Name(c.Name))
		if f.Has(h) != want.Has(fd) {
			return fmt.Sprintf("%s.%s: Has is %v", m.Name, c.Name, f.Has(h))
		}
		difference := ""
		switch v := want.Get(fd); {
		case c.Map:
			difference = mapDiffers(c, f.Entries(schema.MapColumn{Handle: h}), fd, v.Map())
		case c.Repeated && c.Message != nil:
			list := f.Messages(schema.MessageList{Handle: h})
			if list.Len() != v.List().Len() {
				return fmt.Sprintf("%s.%s: has %d messages, want %d", m.Name, c.Name, list.Len(), v.List().Len())
			}
			for i, item := range list.All() {
				if difference == "" {
					difference = differs(c.Message, item, v.List().Get(i).Message())
				}
			}
		case c.Repeated:
			difference = listDiffers(c, f, h, v.List())
		case c.Message != nil:
			if want.Has(fd) {
				difference = differs(c.Message, f.Message(schema.MessageColumn{Handle: h}), v.Message())
			}
		default:
			difference = same(value(c, f, h), v)
		}
		if difference != "" {
			return fmt.Sprintf("%s.%s: %s", m.Name, c.Name, difference)
		}
	}
	return ""
}

func mapDiffers(c *schema.Column, entries schema.Messages, fd protoreflect.FieldDescriptor, want protoreflect.Map) string {
	if entries.Len() != want.Len() {
		return fmt.Sprintf("%d entries, want %d", entries.Len(), want.Len())
	}
	key, keyHandle, _ := c.Message.Find("key")
	item, itemHandle, _ := c.Message.Find("value")
	for _, e := range entries.All() {
		k := value(key, e, keyHandle)
		if fd.MapKey().Kind() == protoreflect.BoolKind {
			k = k.(bool)
		}
		v := want.Get(narrow(k, fd.MapKey().Kind()).MapKey())
		if !v.IsValid() {
			return fmt.Sprintf("no entry has the key %v", k)
		}
		difference := ""
		if item.Message != nil {
			difference = differs(item.Message, e.Message(schema.MessageColumn{Handle: itemHandle}), v.Message())
		} else {
			difference = same(value(item, e, itemHandle), v)
		}
		if difference != "" {
			return fmt.Sprintf("[%v]: %s", k, difference)
		}
	}
	return ""
}

// narrow is a key as dynamicpb has it.
func narrow(k any, kind protoreflect.Kind) protoreflect.Value {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(k.(int64)))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(k.(uint64)))
	}
	return protoreflect.ValueOf(k)
}

// value reads a column by the handle of its kind.
func value(c *schema.Column, f schema.Fields, h schema.Handle) any {
	switch c.Kind {
	case wire.Uint32, wire.Uint64, wire.Fixed32, wire.Fixed64:
		return f.Uint(schema.UintColumn{Handle: h})
	case wire.Float, wire.Double:
		return f.Float(schema.FloatColumn{Handle: h})
	case wire.Bool:
		return f.Bool(schema.BoolColumn{Handle: h})
	case wire.Enum:
		return int64(f.Enum(schema.EnumColumn{Handle: h}))
	case wire.String:
		return f.String(schema.StringColumn{Handle: h})
	case wire.Bytes:
		return f.Bytes(schema.BytesColumn{Handle: h})
	}
	return f.Int(schema.IntColumn{Handle: h})
}

func listDiffers(c *schema.Column, f schema.Fields, h schema.Handle, want protoreflect.List) string {
	var got []any
	switch c.Kind {
	case wire.Uint32, wire.Uint64, wire.Fixed32, wire.Fixed64:
		for _, v := range f.Uints(schema.UintList{Handle: h}) {
			got = append(got, v)
		}
	case wire.Float, wire.Double:
		for _, v := range f.Floats(schema.FloatList{Handle: h}).All() {
			got = append(got, v)
		}
	case wire.Bool:
		for _, v := range f.Bools(schema.BoolList{Handle: h}).All() {
			got = append(got, v)
		}
	case wire.Enum:
		for _, v := range f.Enums(schema.EnumList{Handle: h}).All() {
			got = append(got, int64(v))
		}
	case wire.String:
		for _, v := range f.Strings(schema.StringList{Handle: h}).All() {
			got = append(got, v)
		}
	case wire.Bytes:
		for _, v := range f.BytesList(schema.BytesList{Handle: h}).All() {
			got = append(got, v)
		}
	default:
		for _, v := range f.Ints(schema.IntList{Handle: h}) {
			got = append(got, v)
		}
	}
	if len(got) != want.Len() {
		return fmt.Sprintf("%d elements, want %d", len(got), want.Len())
	}
	for i, v := range got {
		if difference := same(v, want.Get(i)); difference != "" {
			return fmt.Sprintf("[%d]: %s", i, difference)
		}
	}
	return ""
}

func same(got any, want protoreflect.Value) string {
	equal := false
	switch v := want.Interface().(type) {
	case int32:
		equal = got == int64(v)
	case uint32:
		equal = got == uint64(v)
	case protoreflect.EnumNumber:
		equal = got == int64(v)
	case float32:
		equal = got == float64(v) || v != v && math.IsNaN(got.(float64))
	case float64:
		equal = math.Float64bits(got.(float64)) == math.Float64bits(v)
	case []byte:
		equal = bytes.Equal(got.([]byte), v)
	default:
		equal = got == v
	}
	if equal {
		return ""
	}
	return fmt.Sprintf("is %v, want %v", got, want)
}

// write writes a message of dynamicpb's with the calls of a record.
func write(r *schema.Record, m *schema.Message, from protoreflect.Message) {
	for _, column := range m.Columns() {
		c, h, _ := m.Find(column.Name)
		fd := from.Descriptor().Fields().ByName(protoreflect.Name(c.Name))
		if !from.Has(fd) {
			continue
		}
		switch v := from.Get(fd); {
		case c.Map:
			key, keyHandle, _ := c.Message.Find("key")
			item, itemHandle, _ := c.Message.Find("value")
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				r.BeginEntry(schema.MapColumn{Handle: h})
				writeValue(r, key, keyHandle, k.Value())
				writeValue(r, item, itemHandle, v)
				r.End()
				return true
			})
		case c.Repeated:
			for i := range v.List().Len() {
				writeElement(r, c, h, v.List().Get(i))
			}
		default:
			writeValue(r, c, h, v)
		}
	}
}

func writeValue(r *schema.Record, c *schema.Column, h schema.Handle, v protoreflect.Value) {
	switch c.Kind {
	case wire.Uint32, wire.Uint64, wire.Fixed32, wire.Fixed64:
		r.Uint(schema.UintColumn{Handle: h}, v.Uint())
	case wire.Float, wire.Double:
		r.Float(schema.FloatColumn{Handle: h}, v.Float())
	case wire.Bool:
		r.Bool(schema.BoolColumn{Handle: h}, v.Bool())
	case wire.Enum:
		r.Enum(schema.EnumColumn{Handle: h}, int32(v.Enum()))
	case wire.String:
		r.String(schema.StringColumn{Handle: h}, v.String())
	case wire.Bytes:
		r.Bytes(schema.BytesColumn{Handle: h}, v.Bytes())
	case wire.Message, wire.Group:
		r.Begin(schema.MessageColumn{Handle: h})
		write(r, c.Message, v.Message())
		r.End()
	default:
		r.Int(schema.IntColumn{Handle: h}, v.Int())
	}
}

func writeElement(r *schema.Record, c *schema.Column, h schema.Handle, v protoreflect.Value) {
	switch c.Kind {
	case wire.Uint32, wire.Uint64, wire.Fixed32, wire.Fixed64:
		r.AddUint(schema.UintList{Handle: h}, v.Uint())
	case wire.Float, wire.Double:
		r.AddFloat(schema.FloatList{Handle: h}, v.Float())
	case wire.Bool:
		r.AddBool(schema.BoolList{Handle: h}, v.Bool())
	case wire.Enum:
		r.AddEnum(schema.EnumList{Handle: h}, int32(v.Enum()))
	case wire.String:
		r.AddString(schema.StringList{Handle: h}, v.String())
	case wire.Bytes:
		r.AddBytes(schema.BytesList{Handle: h}, v.Bytes())
	case wire.Message, wire.Group:
		r.BeginItem(schema.MessageList{Handle: h})
		write(r, c.Message, v.Message())
		r.End()
	default:
		r.AddInt(schema.IntList{Handle: h}, v.Int())
	}
}
