// Package staletest generates stock structs and their fast methods from two versions of a schema, as when somebody runs
// one of the two generators only, and compares the outcome with the promise: nothing is lost.
package staletest

import (
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

const schema = `syntax: "proto2"
	message_type { name: "M"
		field { name: "id" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
		field { name: "name" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING }
		field { name: "list" number: 3 label: LABEL_REPEATED type: TYPE_INT32 options { packed: true } }
		field { name: "children" number: 4 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: "Child" }
		field { name: "by_id" number: 5 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: "M.ByIdEntry" }
		field { name: "a" number: 6 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 }
		field { name: "b" number: 7 label: LABEL_OPTIONAL type: TYPE_STRING oneof_index: 0 }
		field { name: "c" number: 8 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: "Child" oneof_index: 0 }
		field { name: "d" number: 13 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 }
		field { name: "child" number: 9 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: "Child" }
		field { name: "color" number: 10 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: "Color" }
		oneof_decl { name: "pick" }
		extension_range { start: 100 end: 200 }
		nested_type { name: "ByIdEntry" options { map_entry: true }
			field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
			field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING } } }
	message_type { name: "Child" field { name: "x" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 } }
	enum_type { name: "Color" value { name: "RED" number: 0 } value { name: "BLUE" number: 1 } }
	extension { name: "more" number: 100 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: "Child" extendee: "M" }`

type (
	file    = descriptorpb.FileDescriptorProto
	message = descriptorpb.DescriptorProto
	field   = descriptorpb.FieldDescriptorProto
)

// outcome is the fate of fast methods that are from another version than the structs.
type outcome int

const (
	compiles     outcome = iota // and works
	failsToBuild                // with the guard's error among those of the compiler
	lacksAType                  // fails to build: the guard names a type that is gone
	failsAtOnce                 // at the first use of a method
)

// edit is a change of the schema.
type edit struct {
	name    string
	apply   func(*file)
	outcome outcome // when the structs are newer
	reverse outcome // when the methods are, if not the same
}

// expected is the outcome with newer structs, or newer methods.
func (e edit) expected(newer string) outcome {
	if newer == "methods" && e.reverse != compiles {
		return e.reverse
	}
	return e.outcome
}

func fields(index int, change func(m *message)) func(*file) {
	return func(f *file) { change(f.MessageType[index]) }
}

func at(number int32, change func(f *field)) func(*file) {
	return fields(0, func(m *message) {
		for _, f := range m.Field {
			if f.GetNumber() == number {
				change(f)
			}
		}
	})
}

func retyped(number int32, to descriptorpb.FieldDescriptorProto_Type) func(*file) {
	return at(number, func(f *field) { f.Type = to.Enum() })
}

func added(f *field) func(*file) {
	return fields(0, func(m *message) { m.Field = append(m.Field, f) })
}

func made(text string) *field {
	f := new(field)
	if err := prototext.Unmarshal([]byte(text), f); err != nil {
		panic(err)
	}
	return f
}

func without(numbers ...int32) func(*file) {
	return fields(0, func(m *message) {
		var kept []*field
		for _, f := range m.Field {
			gone := false
			for _, number := range numbers {
				gone = gone || f.GetNumber() == number
			}
			if !gone {
				kept = append(kept, f)
			}
		}
		m.Field = kept
	})
}

func entry(change func(key, value *field)) func(*file) {
	return fields(0, func(m *message) { change(m.NestedType[0].Field[0], m.NestedType[0].Field[1]) })
}

var edits = []edit{
	{"nothing", func(*file) {}, compiles, 0},

	{"field_added", added(made(`name: "late" number: 11 label: LABEL_OPTIONAL type: TYPE_BOOL`)), failsToBuild, 0},
	{"field_added_first", fields(0, func(m *message) {
		m.Field = append([]*field{made(`name: "early" number: 11 label: LABEL_OPTIONAL type: TYPE_STRING`)}, m.Field...)
	}), failsToBuild, 0},
	{"field_added_to_child", fields(1, func(m *message) {
		m.Field = append(m.Field, made(`name: "y" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING`))
	}), failsToBuild, 0},
	{"field_removed", without(2), failsToBuild, 0},
	{"int32_to_int64", retyped(1, descriptorpb.FieldDescriptorProto_TYPE_INT64), failsToBuild, 0},
	{"string_to_bytes", retyped(2, descriptorpb.FieldDescriptorProto_TYPE_BYTES), failsToBuild, 0},
	{"list_to_single", at(3, func(f *field) { f.Label = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(); f.Options = nil }), failsToBuild, 0},
	{"map_key_int64", entry(func(key, _ *field) { key.Type = descriptorpb.FieldDescriptorProto_TYPE_INT64.Enum() }), failsToBuild, 0},
	{"map_value_bytes", entry(func(_, value *field) { value.Type = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum() }), failsToBuild, 0},
	{"oneof_member_removed", without(6), lacksAType, failsAtOnce},
	{"oneof_member_retyped", retyped(7, descriptorpb.FieldDescriptorProto_TYPE_BYTES), failsToBuild, 0},
	{"oneof_removed", func(f *file) { without(6, 7, 8, 13)(f); f.MessageType[0].OneofDecl = nil }, failsToBuild, 0},
	{"out_of_the_oneof", fields(0, func(m *message) { m.Field[5].OneofIndex = nil }), failsToBuild, 0},
	{"extensions_removed", func(f *file) { f.MessageType[0].ExtensionRange, f.Extension = nil, nil }, failsToBuild, 0},
	{"message_of_another_type", at(9, func(f *field) { f.TypeName = proto.String("M") }), failsToBuild, 0},

	{"renumbered", at(1, func(f *field) { f.Number = proto.Int32(21) }), failsAtOnce, 0},
	{"numbers_swapped", fields(0, func(m *message) {
		m.Field[0].Number, m.Field[10].Number = proto.Int32(10), proto.Int32(1)
	}), failsAtOnce, 0},
	{"int32_to_sint32", retyped(1, descriptorpb.FieldDescriptorProto_TYPE_SINT32), failsAtOnce, 0},
	{"int32_to_sfixed32", retyped(1, descriptorpb.FieldDescriptorProto_TYPE_SFIXED32), failsAtOnce, 0},
	{"packed_to_not", at(3, func(f *field) { f.Options = nil }), failsAtOnce, 0},
	{"optional_to_required", at(2, func(f *field) { f.Label = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED.Enum() }), failsAtOnce, 0},
	{"map_key_sint32", entry(func(key, _ *field) { key.Type = descriptorpb.FieldDescriptorProto_TYPE_SINT32.Enum() }), failsAtOnce, 0},
	{"oneof_member_added", fields(0, func(m *message) {
		late := made(`name: "late" number: 12 label: LABEL_OPTIONAL type: TYPE_STRING oneof_index: 0`)
		m.Field = append(m.Field[:9:9], append([]*field{late}, m.Field[9:]...)...)
	}), failsAtOnce, lacksAType},
	{"oneof_member_renumbered", at(8, func(f *field) { f.Number = proto.Int32(22) }), failsAtOnce, 0},
	{"oneof_members_swapped", fields(0, func(m *message) { m.Field[5].Name, m.Field[8].Name = m.Field[8].Name, m.Field[5].Name }), failsAtOnce, 0},
	{"oneof_member_sint32", retyped(6, descriptorpb.FieldDescriptorProto_TYPE_SINT32), failsAtOnce, 0},
	{"child_renumbered", fields(1, func(m *message) { m.Field[0].Number = proto.Int32(5) }), failsAtOnce, 0},
	{"extensions_widened", fields(0, func(m *message) { m.ExtensionRange[0].End = proto.Int32(300) }), failsAtOnce, 0},

	{"default_added", at(1, func(f *field) { f.DefaultValue = proto.String("7") }), compiles, 0},
	{"enum_value_added", func(f *file) {
		f.EnumType[0].Value = append(f.EnumType[0].Value,
			&descriptorpb.EnumValueDescriptorProto{Name: proto.String("GREEN"), Number: proto.Int32(2)})
	}, compiles, 0},
	{"extension_added", func(f *file) {
		x := proto.Clone(f.Extension[0]).(*field)
		x.Name, x.Number = proto.String("most"), proto.Int32(101)
		f.Extension = append(f.Extension, x)
	}, compiles, 0},
	{"message_added", func(f *file) {
		f.MessageType = append(f.MessageType, &message{Name: proto.String("New")})
	}, compiles, 0},
}

// version is the schema under a name of its own, edited or not: a program has a name once.
func version(flavour string, e edit, edited bool, goPackage string) *file {
	f := new(file)
	if err := prototext.Unmarshal([]byte(schema), f); err != nil {
		panic(err)
	}
	if edited {
		e.apply(f)
	}
	f.Name = proto.String(flavour + "/" + e.name + ".proto")
	f.Package = proto.String("stale." + flavour + "." + e.name)
	f.Options = &descriptorpb.FileOptions{GoPackage: proto.String(goPackage + ";" + e.name)}
	resolve := func(list []*field) {
		for _, x := range list {
			for _, name := range []**string{&x.TypeName, &x.Extendee} {
				if *name != nil {
					*name = proto.String("." + f.GetPackage() + "." + **name)
				}
			}
		}
	}
	for _, m := range f.MessageType {
		resolve(m.Field)
	}
	resolve(f.Extension)
	return f
}
