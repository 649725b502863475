package value_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/rt/codec/value"
)

const misfitFile = `name: "misfit.proto" package: "misfit" syntax: "proto3"
	message_type { name: "Misfit"
		field { name: "name" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING json_name: "name" }
		field { name: "choice" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING oneof_index: 0 json_name: "choice" }
		oneof_decl { name: "one" } }
	message_type { name: "Holder"
		field { name: "one" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".misfit.Misfit" json_name: "one" }
		field { name: "text" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING json_name: "text" } }`

// misfit is a struct whose type is wrong; types has the type of the test that runs.
type misfit struct {
	Name string    `protobuf:"bytes,1,opt,name=name,proto3"`
	One  misfitOne `protobuf_oneof:"one"`
}

type misfitOne interface{ misfitOne() }

type misfitChoice struct {
	Choice string `protobuf:"bytes,2,opt,name=choice,proto3"`
}

func (*misfitChoice) misfitOne() {}

// holder has one.
type holder struct {
	One  *misfit `protobuf:"bytes,1,opt,name=one,proto3"`
	Text string  `protobuf:"bytes,2,opt,name=text,proto3"`
}

var misfitType, holderType *value.Type

var misfitWrappers func() []any

func (m *misfit) ProtoReflect() protoreflect.Message { return misfitType.Of(m) }
func (m *misfit) XXX_OneofWrappers() []any           { return misfitWrappers() }
func (m *holder) ProtoReflect() protoreflect.Message { return holderType.Of(m) }

// panicOf returns the text of f's panic, or "".
func panicOf(f func()) (text string) {
	defer func() {
		if why := recover(); why != nil {
			text = fmt.Sprint(why)
		}
	}()
	f()
	return ""
}

// reflections are the functions that need the reflection of a message.
var reflections = map[string]func(m proto.Message){
	"proto.Clone": func(m proto.Message) { proto.Clone(m) },
	"proto.Equal": func(m proto.Message) {
		copied := reflect.New(reflect.TypeOf(m).Elem()) // of the same message, all is equal without reflection
		copied.Elem().Set(reflect.ValueOf(m).Elem())
		proto.Equal(m, copied.Interface().(proto.Message))
	},
	"proto.Merge":    func(m proto.Message) { proto.Merge(m.ProtoReflect().New().Interface(), m) },
	"protojson":      func(m proto.Message) { _, _ = protojson.Marshal(m) },
	"from protojson": func(m proto.Message) { _ = protojson.Unmarshal([]byte(`{"one": {"name": "x"}, "name": "x"}`), m) },
	"prototext":      func(m proto.Message) { _, _ = prototext.Marshal(m) },
	"MarshalJSON":    func(m proto.Message) { _, _ = value.MarshalJSON(m) },
	"MarshalText":    func(m proto.Message) { _, _ = value.MarshalText(m) },
	"String":         func(m proto.Message) { _ = value.String(m) },
	"Range": func(m proto.Message) {
		m.ProtoReflect().Range(func(protoreflect.FieldDescriptor, protoreflect.Value) bool { return true })
	},
	"Get": func(m proto.Message) {
		r := m.ProtoReflect()
		_ = r.Get(r.Descriptor().Fields().Get(0)).Message().Descriptor()
	},
	"Mutable": func(m proto.Message) {
		r := m.ProtoReflect()
		r.Mutable(r.Descriptor().Fields().Get(0)).Message().Descriptor()
	},
}

// COD-104: a reflection that cannot be built fails in the same way at each call, also inside another message.
func TestAMisfitFailsAgain(t *testing.T) {
	file := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(misfitFile), file); err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	twice := proto.CloneOf(file)
	twice.MessageType = append(twice.MessageType, file.MessageType[0])
	double, err := proto.Marshal(twice)
	if err != nil {
		t.Fatal(err)
	}
	known := func() []any { return []any{(*misfitChoice)(nil)} }
	for name, c := range map[string]struct {
		file     *value.File
		message  protoreflect.FullName
		members  map[string]string
		wrappers func() []any
		want     string
	}{
		"no member":           {&value.File{Raw: string(raw)}, "misfit.Misfit", map[string]string{"one": "One"}, known, "misfit.Misfit.name"},
		"no wrapper":          {&value.File{Raw: string(raw)}, "misfit.Misfit", nil, func() []any { return nil }, "misfit.Misfit.choice"},
		"wrappers that panic": {&value.File{Raw: string(raw)}, "misfit.Misfit", nil, func() []any { panic("of the user") }, "of the user"},
		"damaged descriptor":  {&value.File{Raw: string(raw[:len(raw)-1])}, "misfit.Misfit", nil, known, "the descriptor in generated code"},
		"refused descriptor":  {&value.File{Raw: string(double)}, "misfit.Misfit", nil, known, "the descriptor in generated code"},
		"damaged other file":  {&value.File{Raw: string(raw), Others: []string{"\xff"}}, "misfit.Misfit", nil, known, "the descriptor in generated code"},
		"no such message":     {&value.File{Raw: string(raw)}, "misfit.Other", nil, known, "misfit.Other"},
		"import that panics": {&value.File{Raw: string(raw), Imports: []func() protoreflect.MessageDescriptor{
			func() protoreflect.MessageDescriptor { panic("of an import") }}}, "misfit.Misfit", nil, known, "of an import"},
	} {
		for inside, fresh := range map[string]func() proto.Message{
			"alone":  func() proto.Message { return &misfit{Name: "x"} },
			"inside": func() proto.Message { return &holder{One: &misfit{Name: "x"}, Text: "y"} },
		} {
			for first := range reflections { // whatever comes first
				misfitType = &value.Type{File: c.file, Name: c.message, Members: c.members}
				holderType = &value.Type{File: &value.File{Raw: string(raw)}, Name: "misfit.Holder"}
				misfitWrappers = c.wrappers
				want := panicOf(func() { reflections[first](fresh()) })
				if !strings.Contains(want, c.want) {
					t.Fatalf("%s %s: %s: the panic is %q", name, inside, first, want)
				}
				for second, call := range reflections {
					for range 2 {
						if got := panicOf(func() { call(fresh()) }); got != want {
							t.Fatalf("%s %s: %s after %s: the panic is %q, want %q", name, inside, second, first, got, want)
						}
					}
				}
			}
		}
	}
	// After it is put right, everything is there.
	misfitWrappers = known
	misfitType = &value.Type{File: &value.File{Raw: string(raw)}, Name: "misfit.Misfit"}
	m := &holder{One: &misfit{Name: "x", One: &misfitChoice{"z"}}, Text: "y"}
	if copied := proto.Clone(m).(*holder); copied.One == nil || copied.One.Name != "x" || copied.One.One.(*misfitChoice).Choice != "z" {
		t.Errorf("the copy is %v", copied)
	}
	if d := protodesc.ToFileDescriptorProto(m.ProtoReflect().Descriptor().ParentFile()); !proto.Equal(d, file) {
		t.Errorf("the descriptor is %v", d)
	}
}

// Goroutines that ask first at the same time have the same descriptors.
func TestGoroutinesShareOneReflection(t *testing.T) {
	file := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(misfitFile), file); err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	misfitWrappers = func() []any { return []any{(*misfitChoice)(nil)} }
	for range 50 {
		joint := &value.File{Raw: string(raw)}
		misfitType = &value.Type{File: joint, Name: "misfit.Misfit"}
		holderType = &value.Type{File: joint, Name: "misfit.Holder"}
		found := make([]protoreflect.MessageDescriptor, 8)
		var group sync.WaitGroup
		for i := range found {
			group.Add(1)
			go func() {
				defer group.Done()
				if i%2 == 0 {
					found[i] = (&misfit{}).ProtoReflect().Descriptor()
				} else {
					found[i] = (&holder{}).ProtoReflect().Descriptor().Fields().Get(0).Message()
				}
			}()
		}
		group.Wait()
		for _, d := range found {
			if d != found[0] {
				t.Fatal("two descriptors")
			}
		}
	}
}
