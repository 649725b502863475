package plan

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// protobuf-go resolves features too. Where it reads a set, it must agree.
func TestPlanAgreesWithProtobufGo(t *testing.T) {
	compared := 0
	for _, row := range rows(t, "list.txt") {
		// Made by hand: protobuf-go holds some of each to be invalid.
		if row[0] == "features" || row[0] == "defaults" {
			continue
		}
		t.Run(row[0], func(t *testing.T) {
			encoded := readSet(t, row[0])
			p, err := FromDescriptorSet(encoded, nil)
			if err != nil {
				t.Fatal(err)
			}
			var set descriptorpb.FileDescriptorSet
			if err := proto.Unmarshal(encoded, &set); err != nil {
				t.Fatal(err)
			}
			for _, file := range set.File {
				file.Extension = neutralise(file.MessageType, file.Extension)
			}
			files, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(&set)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range p.AllFiles {
				for _, message := range file.Messages {
					compared += compareMessage(t, files, message)
				}
				for _, enum := range file.Enums {
					d := find[protoreflect.EnumDescriptor](t, files, enum.Name)
					if d.IsClosed() != enum.Closed {
						t.Errorf("%s: closed %v, protobuf-go has %v", enum.Name, enum.Closed, d.IsClosed())
					}
				}
				for _, extension := range file.Extensions {
					if !extension.Extendee.MessageSet {
						compareField(t, extension, find[protoreflect.FieldDescriptor](t, files, extension.Name))
						compared++
					}
				}
			}
		})
	}
	if compared < 1000 {
		t.Errorf("only %d fields compared", compared)
	}
}

// neutralise makes ordinary messages of message sets, which protobuf-go
// refuses, and drops the extensions that only a message set can have.
func neutralise(messages []*descriptorpb.DescriptorProto, extensions []*descriptorpb.FieldDescriptorProto) []*descriptorpb.FieldDescriptorProto {
	for _, message := range messages {
		if message.GetOptions().GetMessageSetWireFormat() {
			message.Options.MessageSetWireFormat = nil
		}
		for _, r := range message.ExtensionRange {
			if r.GetEnd() > maxNumber+1 {
				r.End = proto.Int32(maxNumber + 1)
			}
		}
		message.Extension = neutralise(message.NestedType, message.Extension)
	}
	return slices.DeleteFunc(extensions, func(x *descriptorpb.FieldDescriptorProto) bool { return x.GetNumber() > maxNumber })
}

func find[D protoreflect.Descriptor](t *testing.T, files *protoregistry.Files, name string) D {
	t.Helper()
	d, err := files.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		t.Fatal(err)
	}
	return d.(D)
}

func compareMessage(t *testing.T, files *protoregistry.Files, message *Message) int {
	d := find[protoreflect.MessageDescriptor](t, files, message.Name)
	if d.IsMapEntry() != message.MapEntry {
		t.Errorf("%s: map entry %v", message.Name, message.MapEntry)
	}
	if d.Fields().Len() != len(message.Fields) {
		t.Fatalf("%s: %d fields, protobuf-go has %d", message.Name, len(message.Fields), d.Fields().Len())
	}
	for _, field := range message.Fields {
		compareField(t, field, d.Fields().ByNumber(protoreflect.FieldNumber(field.Number)))
	}
	return len(message.Fields)
}

func compareField(t *testing.T, f *Field, d protoreflect.FieldDescriptor) {
	presence := Implicit
	switch {
	case d.Cardinality() == protoreflect.Repeated:
		presence = Repeated
	case d.Cardinality() == protoreflect.Required:
		presence = Required
	case d.HasPresence():
		presence = Explicit
	}
	kind := d.Kind().String()
	delimited := d.Kind() == protoreflect.GroupKind
	if delimited {
		kind = "message"
	}
	utf8 := UTF8NotString
	if d.Kind() == protoreflect.StringKind {
		utf8 = UTF8None
		if field, known := d.(interface{ EnforceUTF8() bool }); !known {
			utf8 = f.UTF8 // protobuf-go does not say it of extensions
		} else if field.EnforceUTF8() {
			utf8 = UTF8Verify
		}
	}
	oneof := ""
	if d.ContainingOneof() != nil && !d.ContainingOneof().IsSynthetic() {
		oneof = string(d.ContainingOneof().Name())
	}
	planned := ""
	if f.Oneof != nil {
		planned = f.Oneof.Name
	}
	got := fmt.Sprint(f.Presence, f.Type, f.Delimited, f.Packed, f.UTF8, f.Map != nil, planned)
	want := fmt.Sprint(presence, kind, delimited, d.IsPacked(), utf8, d.IsMap(), oneof)
	if got != want {
		t.Errorf("%s: %s, protobuf-go has %s", d.FullName(), got, want)
	}
	if (f.Default != nil) != d.HasDefault() {
		t.Errorf("%s: default %v, protobuf-go has %v", d.FullName(), f.Default, d.HasDefault())
	} else if f.Default != nil {
		if want := oracleDefault(d); *f.Default != want {
			t.Errorf("%s: default %q, protobuf-go has %q", d.FullName(), *f.Default, want)
		}
	}
}

func oracleDefault(d protoreflect.FieldDescriptor) string {
	switch value := d.Default(); d.Kind() {
	case protoreflect.FloatKind:
		if math.IsNaN(value.Float()) {
			return "7fc00000"
		}
		return fmt.Sprintf("%08x", math.Float32bits(float32(value.Float())))
	case protoreflect.DoubleKind:
		if math.IsNaN(value.Float()) {
			return "7ff8000000000000"
		}
		return fmt.Sprintf("%016x", math.Float64bits(value.Float()))
	case protoreflect.BytesKind:
		return hex.EncodeToString(value.Bytes())
	case protoreflect.EnumKind:
		return string(d.DefaultEnumValue().Name())
	default:
		return value.String()
	}
}
