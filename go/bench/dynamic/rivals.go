package dynamic

import (
	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// newHyperpb is hyperpb at its best documented setting: shared memory that is used again and strings that alias the
// input; with profiled, a parser recompiled with a profile of these very inputs.
func newHyperpb(profiled bool) func(w workload, inputs [][]byte) (rival, error) {
	return func(w workload, inputs [][]byte) (rival, error) {
		compiled := hyperpb.CompileMessageDescriptor(w.message.ProtoReflect().Descriptor())
		shared := new(hyperpb.Shared)
		note := "shared memory, aliased strings"
		if profiled {
			note += ", PGO"
			profile := compiled.NewProfile()
			for i := range max(8, len(inputs)) {
				err := shared.NewMessage(compiled).Unmarshal(inputs[i%len(inputs)], hyperpb.WithRecordProfile(profile, 1))
				if err != nil {
					return rival{}, err
				}
				shared.Free()
			}
			compiled = compiled.Recompile(profile)
		}
		fields := newReader(compiled.Descriptor())
		var m *hyperpb.Message
		return rival{
			decode: func(b []byte) error {
				if m != nil {
					shared.Free()
				}
				m = shared.NewMessage(compiled)
				return m.Unmarshal(b, hyperpb.WithAllowAlias(true))
			},
			read:    func() uint64 { return fields.sum(m) },
			encoded: func() ([]byte, error) { return proto.Marshal(m) },
			note:    note + "; UTF-8 checked; read by reflection",
		}, nil
	}
}

// newDynamicpb is the stock runtime with a type that is known only at run time.
func newDynamicpb(w workload, _ [][]byte) (rival, error) {
	md := w.message.ProtoReflect().Descriptor()
	return newStock(func() protoreflect.Message { return dynamicpb.NewMessage(md) }, md)
}

// newGenerated is the stock runtime with generated structs, whose decoding is faster; they are read as the others are.
func newGenerated(w workload, _ [][]byte) (rival, error) {
	return newStock(w.message.ProtoReflect().New, w.message.ProtoReflect().Descriptor())
}

func newStock(fresh func() protoreflect.Message, md protoreflect.MessageDescriptor) (rival, error) {
	fields := newReader(md)
	var m protoreflect.Message
	return rival{
		decode: func(b []byte) error {
			m = fresh()
			return proto.Unmarshal(b, m.Interface())
		},
		read:    func() uint64 { return fields.sum(m) },
		encoded: func() ([]byte, error) { return proto.Marshal(m.Interface()) },
		note:    "a fresh message each time; read by reflection",
	}, nil
}
