package gogo_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/gogo/protobuf/gogoproto"
	gogo "github.com/gogo/protobuf/proto"
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
	"github.com/hotpb/hotpb/go/internal/typecheck"
)

// The effect of an option of gogo.proto in the places of a schema where it may stand.
type verdict int

const (
	silent  verdict = 0 // generated code does not depend on it: the guide says so
	changes verdict = 1 // generated code follows it
	refused verdict = 2 // the generator names it and stops
)

// verdicts are those with faces=codec on gogo's structs, and with structs=value. The option of a file for all its messages or enums,
// which ends in _all, has the same verdict.
var verdicts = []struct {
	keep, off verdict
	options   string
}{
	{changes, changes, "goproto_unrecognized stable_marshaler protosizer typedecl customname castkey castvalue stdtime stdduration wktpointer marshaler unmarshaler"},
	{changes, changes | refused, "nullable casttype"},
	{changes | refused, changes | refused, "embed customtype"},
	{changes, silent, "unsafe_marshaler goproto_sizecache goproto_unkeyed"},
	{refused, refused, "enum_customname"},
	{refused, silent, "goproto_extensions_map gogoproto_import"},
	{silent, changes, "goproto_enum_prefix goproto_enum_stringer enumdecl enumvalue_customname goproto_getters goproto_stringer equal jsontag moretags sizer"},
	{silent, silent, "unsafe_unmarshaler enum_stringer verbose_equal face gostring populate stringer onlyone description testgen benchgen compare goproto_registration messagename"},
}

func verdictOf(option string) (keep, off verdict, known bool) {
	for _, row := range verdicts {
		if slices.Contains(strings.Fields(row.options), strings.TrimSuffix(option, "_all")) {
			return row.keep, row.off, true
		}
	}
	return 0, 0, false
}

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
		field { name: "parent" number: 13 type: TYPE_MESSAGE type_name: ".p.M" label: LABEL_OPTIONAL options {} }
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
	file := parseSchema(t)
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
	reader, err := gzip.NewReader(bytes.NewReader(gogo.FileDescriptor("gogo.proto")))
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
	options := gogosOptions(t)
	if len(options) < 70 {
		t.Errorf("gogo.proto has only %d options", len(options))
	}
	for _, option := range options {
		keepVerdict, offVerdict, known := verdictOf(option.GetName())
		if !known {
			t.Errorf("gogo.proto has the option %s, of which nothing is known here", option.GetName())
		}
		for _, mode := range []struct {
			want       verdict
			section    string
			parameters []string
		}{
			{keepVerdict, keep, []string{"faces=codec,runtime=gogo", "faces=codec,runtime=gogofaster"}},
			{offVerdict, off, []string{"faces=codec,structs=value", "faces=codec,structs=value,runtime=gogofaster"}},
		} {
			got := silent
			for _, parameter := range mode.parameters {
				got |= effect(t, parameter, option)
			}
			if got != mode.want {
				t.Errorf("%s, %s: the verdict is %d, not %d", mode.parameters[0], option.GetName(), got, mode.want)
			}
			name := regexp.MustCompile("`[^`\n]*\\b" + strings.TrimSuffix(option.GetName(), "_all") + "\\b[^`\n]*`")
			if got != changes && !name.MatchString(mode.section) {
				t.Errorf("%s: the guide does not name %s there", mode.parameters[0], option.GetName())
			}
		}
	}
}

// effect tries an option with all its values in all its places.
func effect(t *testing.T, parameter string, option *descriptorpb.FieldDescriptorProto) (found verdict) {
	t.Helper()
	plain, err := withOption(t, parameter, "", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	tag := func(kind protowire.Type) []byte {
		return protowire.AppendTag(nil, protowire.Number(option.GetNumber()), kind)
	}
	var values [][]byte
	switch option.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_BOOL:
		values = append(values, protowire.AppendVarint(tag(protowire.VarintType), 0), protowire.AppendVarint(tag(protowire.VarintType), 1))
	case descriptorpb.FieldDescriptorProto_TYPE_STRING:
		values = append(values, protowire.AppendString(tag(protowire.BytesType), "Other"))
	default:
		t.Fatalf("%s is of the type %s", option.GetName(), option.GetType())
	}
	places := optionsOf(parseSchema(t), option.GetExtendee())
	if len(places) == 0 {
		t.Fatalf("%s is an option of %s", option.GetName(), option.GetExtendee())
	}
	for place := range places {
		for _, value := range values {
			code, err := withOption(t, parameter, option.GetExtendee(), place, value)
			switch {
			case err != nil && regexp.MustCompile(`gogoproto\.`+option.GetName()+`\b`).MatchString(err.Error()):
				found |= refused
			case err != nil:
				t.Errorf("%s: %s is refused without its name: %v", parameter, option.GetName(), err)
			case code != plain:
				found |= changes
			}
		}
	}
	return found
}

func parseSchema(t *testing.T) *descriptorpb.FileDescriptorProto {
	t.Helper()
	file := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(optionsSchema), file); err != nil {
		t.Fatal(err)
	}
	return file
}

// gogo's method of a message calls the methods of the messages in it, also those by hand, which the fast ones do not. The compiler
// refuses it, by the name of a variable.
func TestMessagesInOthersHaveNoMethodsByHand(t *testing.T) {
	const structs = `package p

type Part struct{ Id *int32 }

func (m *Part) Reset()         { *m = Part{} }
func (m *Part) String() string { return "" }
func (m *Part) ProtoMessage()  {}

type M struct{ Parts []*Part }

func (m *M) Reset()         { *m = M{} }
func (m *M) String() string { return "" }
func (m *M) ProtoMessage()  {}
`
	const remedy = "ambiguous selector leave_out_M_with_messages_because_Part_has_its_own_method."
	byHand := func(method string) string {
		return "func (m Part) " + method + "(b []byte) (int, error) { return 0, nil }\n"
	}
	for name, c := range map[string]struct {
		option     int32 // of Part, or of the file, set to false
		code, want string
	}{
		"marshalto":        {64017, byHand("MarshalTo"), remedy + "MarshalTo"},
		"marshal":          {64017, byHand("Marshal"), remedy + "Marshal"},
		"file":             {63017, byHand("MarshalToSizedBuffer"), remedy + "MarshalToSizedBuffer"},
		"unmarshal":        {64018, byHand("Unmarshal"), remedy + "Unmarshal"},
		"unmarshal_file":   {63018, byHand("Unmarshal"), remedy + "Unmarshal"},
		"another_method":   {64017, byHand("Unmarshal") + byHand("Size") + byHand("Other"), ""},
		"none":             {64017, "", ""},
		"size":             {64020, byHand("Size"), ""},
		"of_the_generator": {0, byHand("MarshalTo") + byHand("Unmarshal"), ""}, // in place of what it writes: gogo's own would not compile with them
	} {
		file := new(descriptorpb.FileDescriptorProto)
		if err := prototext.Unmarshal([]byte(`name: "p.proto" package: "p" syntax: "proto2" options { go_package: "example.com/p" }
			message_type { name: "Part" options {} field { name: "id" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }
			message_type { name: "M" field { name: "parts" number: 1 type: TYPE_MESSAGE type_name: ".p.Part" label: LABEL_REPEATED } }`), file); err != nil {
			t.Fatal(err)
		}
		var element googleproto.Message = file.MessageType[0].Options
		if c.option < 64000 {
			element = file.Options
		}
		if c.option > 0 {
			element.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, protowire.Number(c.option), protowire.VarintType), 0))
		}
		file.MessageType[0].Field[0].Options = &descriptorpb.FieldOptions{}
		file.MessageType[0].Field[0].Options.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 65001, protowire.VarintType), 1))
		p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"p.proto"})
		if err != nil {
			t.Fatal(err)
		}
		options, err := emit.ParseOptions("faces=codec,runtime=gogofaster")
		if err != nil {
			t.Fatal(err)
		}
		result, err := emit.Generate(p, options)
		if err != nil {
			t.Fatal(err)
		}
		checker, folder := typecheck.New(), "example.com/"+name
		for _, code := range []string{structs + c.code, string(result.Outputs[0].Content)} {
			if err := checker.Add(folder, "p.go", code); err != nil {
				t.Fatal(err)
			}
		}
		problems, err := checker.Check(folder)
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(problems, "\n"); c.want == "" && all != "" || c.want != "" && !strings.Contains(all, c.want) {
			t.Errorf("%s: the compiler says %q, not %q", name, all, c.want)
		}
	}
}
