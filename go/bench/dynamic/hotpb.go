package dynamic

import (
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// newRow is hotpb's schema face: the type is imported from a descriptor set.
func newRow(alias bool, note string) func(w workload, _ [][]byte) (rival, error) {
	return func(w workload, _ [][]byte) (rival, error) {
		md := w.message.ProtoReflect().Descriptor()
		fds, err := descriptorSet(md.ParentFile())
		if err != nil {
			return rival{}, err
		}
		s, err := schema.FromDescriptorSet(fds, string(md.FullName()))
		if err != nil {
			return rival{}, err
		}
		plan, err := s.Compile()
		if err != nil {
			return rival{}, err
		}
		row, fields := plan.NewRow(), rowReaderOf(s.Message, map[*schema.Message]*rowReader{})
		decode := row.Unmarshal
		if alias {
			decode = row.UnmarshalAlias
		}
		return rival{
			decode:  decode,
			read:    func() uint64 { return fields.sum(row.Fields) },
			encoded: func() ([]byte, error) { return row.Append(nil), nil },
			note:    note + "; UTF-8 checked; every value read by its handle",
		}, nil
	}
}

// descriptorSet is a file with all that it imports.
func descriptorSet(file protoreflect.FileDescriptor) ([]byte, error) {
	set, seen := new(descriptorpb.FileDescriptorSet), map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i))
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	add(file)
	return proto.Marshal(set)
}

// rowReader has the handles of a message's columns.
type rowReader struct {
	fields []rowField
}

type rowField struct {
	kind     wire.Kind
	repeated bool
	h        schema.Handle
	child    *rowReader
}

// rowReaderOf makes the reader of each type once, as types contain themselves.
func rowReaderOf(m *schema.Message, made map[*schema.Message]*rowReader) *rowReader {
	if r := made[m]; r != nil {
		return r
	}
	r := &rowReader{}
	made[m] = r
	for _, column := range m.Columns() {
		c, h, _ := m.Find(column.Name)
		f := rowField{kind: c.Kind, repeated: c.Repeated, h: h}
		if c.Message != nil {
			f.child = rowReaderOf(c.Message, made)
		}
		r.fields = append(r.fields, f)
	}
	return r
}

func (r *rowReader) sum(row schema.Fields) (sum uint64) {
	for i := range r.fields {
		f := &r.fields[i]
		switch {
		case f.repeated && f.child != nil:
			list := row.Messages(schema.MessageList{Handle: f.h})
			for i := range list.Len() {
				sum += f.child.sum(list.At(i))
			}
		case f.repeated:
			for _, v := range row.Uints(schema.UintList{Handle: f.h}) { // the only lists there are
				sum += v
			}
		default:
			sum += f.value(row)
		}
	}
	return sum
}

func (f *rowField) value(row schema.Fields) uint64 {
	switch f.kind {
	case wire.Message:
		if !row.Has(f.h) {
			return 0
		}
		return f.child.sum(row.Message(schema.MessageColumn{Handle: f.h}))
	case wire.String:
		return sumText(row.String(schema.StringColumn{Handle: f.h}))
	case wire.Bytes:
		return sumText(row.Bytes(schema.BytesColumn{Handle: f.h}))
	case wire.Enum:
		return uint64(row.Enum(schema.EnumColumn{Handle: f.h}))
	case wire.Bool:
		return sumBool(row.Bool(schema.BoolColumn{Handle: f.h}))
	case wire.Double, wire.Float:
		return math.Float64bits(row.Float(schema.FloatColumn{Handle: f.h}))
	case wire.Int64, wire.Int32:
		return uint64(row.Int(schema.IntColumn{Handle: f.h}))
	}
	return row.Uint(schema.UintColumn{Handle: f.h})
}
