package gogo_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gogo/protobuf/gogoproto"
	gogoproto1 "github.com/gogo/protobuf/proto"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	googleproto "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	_ "github.com/hotpb/hotpb/go/internal/gen"
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// What becomes of an option of gogo.proto in some place of some schema.
const (
	changes = 1 << iota // generated code follows it
	refused             // the generator names it and stops
	silent  = 0         // generated code does not depend on it: the guide says so
)

// verdicts are those with faces=codec on gogo's structs, and with structs=value. Options of a file for all of its messages have the
// verdict of the message's.
var verdicts = map[string]struct{ codec, value int }{}

// optionsSchema has every kind of element that options can stand at.
const optionsSchema = `name: "p.proto" package: "p" syntax: "proto2" options { go_package: "example.com/p" }
	dependency: ["google/protobuf/timestamp.proto", "google/protobuf/duration.proto", "google/protobuf/wrappers.proto"]
	enum_type { name: "E" options {} value { name: "ZERO" number: 0 options {} } value { name: "ONE" number: 1 } }
	message_type { name: "Part" field { name: "id" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }
	message_type { name: "M" options {} extension_range { start: 100 end: 200 }
		field { name: "number" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL options {} }
		field { name: "text" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL options {} }
		field { name: "raw" number: 3 type: TYPE_BYTES label: LABEL_OPTIONAL options {} }
		field { name: "part" number: 4 type: TYPE_MESSAGE type_name: ".p.Part" label: LABEL_OPTIONAL options {} }
		field { name: "parts" number: 5 type: TYPE_MESSAGE type_name: ".p.Part" label: LABEL_REPEATED options {} }
		field { name: "by_id" number: 6 type: TYPE_MESSAGE type_name: ".p.M.ByIdEntry" label: LABEL_REPEATED options {} }
		field { name: "at" number: 7 type: TYPE_MESSAGE type_name: ".google.protobuf.Timestamp" label: LABEL_OPTIONAL options {} }
		field { name: "during" number: 8 type: TYPE_MESSAGE type_name: ".google.protobuf.Duration" label: LABEL_OPTIONAL options {} }
		field { name: "wrapped" number: 9 type: TYPE_MESSAGE type_name: ".google.protobuf.Int64Value" label: LABEL_OPTIONAL options {} }
		field { name: "level" number: 10 type: TYPE_ENUM type_name: ".p.E" label: LABEL_OPTIONAL options {} }
		field { name: "size" number: 12 type: TYPE_INT32 label: LABEL_OPTIONAL options {} }
		field { name: "pick" number: 11 type: TYPE_MESSAGE type_name: ".p.Part" label: LABEL_OPTIONAL oneof_index: 0 options {} } oneof_decl { name: "choice" }
		nested_type { name: "ByIdEntry" options { map_entry: true }
			field { name: "key" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
			field { name: "value" number: 2 type: TYPE_MESSAGE type_name: ".p.Part" label: LABEL_OPTIONAL } } }`

// optionsOf are the elements of a file that can have options of a kind.
func optionsOf(file *descriptorpb.FileDescriptorProto, extendee string) (options []googleproto.Message) {
	m := file.MessageType[1]
	switch extendee {
	case ".google.protobuf.FileOptions":
		return []googleproto.Message{file.Options}
	case ".google.protobuf.MessageOptions":
		return []googleproto.Message{m.Options}
	case ".google.protobuf.FieldOptions":
		for _, field := range m.Field {
			options = append(options, field.Options)
		}
		return options
	case ".google.protobuf.EnumOptions":
		return []googleproto.Message{file.EnumType[0].Options}
	case ".google.protobuf.EnumValueOptions":
		return []googleproto.Message{file.EnumType[0].Value[0].Options}
	}
	return nil
}

// withOption generates the schema with the bytes of an option in one of the places for it.
func withOption(t *testing.T, parameter, extendee string, place int, option []byte) (code string, err error) {
	t.Helper()
	file := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(optionsSchema), file); err != nil {
		t.Fatal(err)
	}
	plain := googleproto.Clone(file).(*descriptorpb.FileDescriptorProto)
	if extendee != "" {
		optionsOf(file, extendee)[place].ProtoReflect().SetUnknown(option)
	}
	p, err := plan.Build([]*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(timestamppb.File_google_protobuf_timestamp_proto),
		protodesc.ToFileDescriptorProto(durationpb.File_google_protobuf_duration_proto), protodesc.ToFileDescriptorProto(wrapperspb.File_google_protobuf_wrappers_proto), file}, []string{"p.proto"})
	if err != nil {
		t.Fatal(err)
	}
	p.Files[0].Descriptor = plain // which code with structs=value has in it as it is
	options, err := emit.ParseOptions(parameter)
	if err != nil {
		t.Fatal(err)
	}
	result, err := emit.Generate(p, options)
	if err != nil {
		return "", err
	}
	return string(result.Outputs[0].Content), nil
}

// gogosOptions are the extensions that gogo.proto itself declares.
func gogosOptions(t *testing.T) []*descriptorpb.FieldDescriptorProto {
	t.Helper()
	_ = gogoproto.E_Nullable
	reader, err := gzip.NewReader(bytes.NewReader(gogoproto1.FileDescriptor("gogo.proto")))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	file := new(descriptorpb.FileDescriptorProto)
	if err := googleproto.Unmarshal(raw, file); err != nil {
		t.Fatal(err)
	}
	return file.Extension
}

// Every option that gogo.proto has is followed, refused by its name, or without effect and in the guide as such.
func TestEveryOptionOfGogoIsFollowedOrRefusedOrInTheGuide(t *testing.T) {
	guide, err := os.ReadFile("../../docs/migrate-from-gogo.md")
	if err != nil {
		t.Fatal(err)
	}
	_, keep, _ := strings.Cut(string(guide), "\n## Keep gogo's structs\n")
	keep, off, _ := strings.Cut(keep, "\n## The way off gogo\n")
	modes := map[string][]string{
		keep: {"faces=codec,runtime=gogo", "faces=codec,runtime=gogofaster"},
		off:  {"faces=codec,structs=value", "faces=codec,structs=value,runtime=gogofaster"},
	}
	plain := map[string]string{}
	for _, mode := range slices.Concat(slices.Collect(maps.Values(modes))...) {
		plain[mode], err = withOption(t, mode, "", 0, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	options := gogosOptions(t)
	if len(options) < 80 {
		t.Errorf("gogo.proto has only %d options", len(options))
	}
	for _, option := range options {
		name := option.GetName()
		if false && len(optionsOf(&descriptorpb.FileDescriptorProto{MessageType: []*descriptorpb.DescriptorProto{nil, {}}, EnumType: []*descriptorpb.EnumDescriptorProto{{Value: []*descriptorpb.EnumValueDescriptorProto{{}}}}}, option.GetExtendee())) == 0 && option.GetExtendee() != ".google.protobuf.FieldOptions" {
			t.Errorf("%s is an option of %s, which is unknown here", name, option.GetExtendee())
		}
		var values [][]byte
		tag := func(kind protowire.Type) []byte {
			return protowire.AppendTag(nil, protowire.Number(option.GetNumber()), kind)
		}
		switch option.GetType() {
		case descriptorpb.FieldDescriptorProto_TYPE_BOOL:
			values = append(values, protowire.AppendVarint(tag(protowire.VarintType), 0), protowire.AppendVarint(tag(protowire.VarintType), 1))
		case descriptorpb.FieldDescriptorProto_TYPE_STRING:
			values = append(values, protowire.AppendString(tag(protowire.BytesType), "Other"))
		default:
			t.Fatalf("%s is of the type %s", name, option.GetType())
		}
		var found [2]int
		for i, section := range []string{keep, off} {
			for _, mode := range modes[section] {
				empty := new(descriptorpb.FileDescriptorProto)
				if err := prototext.Unmarshal([]byte(optionsSchema), empty); err != nil {
					t.Fatal(err)
				}
				for place := range optionsOf(empty, option.GetExtendee()) {
					for _, value := range values {
						code, err := withOption(t, mode, option.GetExtendee(), place, value)
						switch {
						case err != nil && strings.Contains(err.Error(), "gogoproto."+name):
							found[i] |= refused
						case err != nil:
							t.Errorf("%s: %s is refused without its name: %v", mode, name, err)
						case code != plain[mode]:
							found[i] |= changes
						}
					}
				}
			}
			base := strings.TrimSuffix(name, "_all")
			if found[i]&changes == 0 && !strings.Contains(section, "`"+base+"`") && !strings.Contains(section, "`"+base+"=") {
				t.Errorf("%s is not in the guide's section %d", name, i)
			}
		}
		fmt.Printf("%q: {%d, %d},\n", name, found[0], found[1])
	}
}
