package plan

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/types/descriptorpb"
)

// buildText plans one file that is given as text.
func buildText(t *testing.T, text string) (*Plan, error) {
	t.Helper()
	if !strings.HasPrefix(text, "package:") {
		text = `package: "p" ` + text
	}
	var file descriptorpb.FileDescriptorProto
	if err := prototext.Unmarshal([]byte(`name: "x.proto" `+text), &file); err != nil {
		t.Fatal(err)
	}
	return Build([]*descriptorpb.FileDescriptorProto{&file}, []string{"x.proto"})
}

// Cases beside the vectors, which are about this reader more than the spec.
func TestWhatNoEmitterCouldUseIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"type without a name":      {`message_type { name: "" }`, `"" is not a name of a type`},
		"name that breaks out":     {`message_type { name: "M\n}" }`, `is not a name of a type`},
		"package that breaks out":  {`package: "a b"`, `package "a b" is not a name`},
		"field name with a dot":    {`message_type { name: "M" field { name: "a.b" number: 1 type: TYPE_BOOL } }`, `"a.b" is not a name of a field`},
		"value name with a space":  {`enum_type { name: "E" value { name: "A B" number: 0 } }`, `"A B" is not a name of an enum value`},
		"type declared twice":      {`message_type { name: "M" } enum_type { name: "M" value { name: "A" number: 0 } }`, "declared twice"},
		"field without a type":     {`message_type { name: "M" field { name: "f" number: 1 } }`, "it has no type"},
		"type name without a dot":  {`message_type { name: "M" field { name: "f" number: 1 type: TYPE_MESSAGE type_name: "p.M" } }`, `its type "p.M" is not a message`},
		"scalar with a type name":  {`message_type { name: "M" field { name: "f" number: 1 type: TYPE_BOOL type_name: ".p.M" } }`, "names the type"},
		"field with an extendee":   {`message_type { name: "M" field { name: "f" number: 1 type: TYPE_BOOL extendee: ".p.M" } }`, "names an extendee"},
		"extension out of range":   {`message_type { name: "M" } extension { name: "x" number: 1 type: TYPE_BOOL extendee: ".p.M" }`, "no extension range"},
		"extension range reversed": {`message_type { name: "M" extension_range { start: 9 end: 9 } }`, "is not within"},
		"extension in a oneof": {`message_type { name: "M" extension_range { start: 9 end: 19 } }
			extension { name: "x" number: 9 type: TYPE_BOOL extendee: ".p.M" oneof_index: 0 }`, "cannot be a member of a oneof"},
		"scalar in a message set": {`message_type { name: "M" extension_range { start: 9 end: 19 } options { message_set_wire_format: true } }
			extension { name: "x" number: 9 type: TYPE_BOOL extendee: ".p.M" }`, "must be an optional message"},
		"oneof without members": {`message_type { name: "M" oneof_decl { name: "o" } }`, "the oneof has no members"},
		"entry of another message": {`message_type { name: "A" nested_type { name: "E" options { map_entry: true }
				field { name: "key" number: 1 type: TYPE_BOOL } field { name: "value" number: 2 type: TYPE_BOOL } } }
			message_type { name: "B" field { name: "m" number: 1 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.A.E" } }`, "only its own repeated field"},
		"entry at the top": {`message_type { name: "E" options { map_entry: true }
			field { name: "key" number: 1 type: TYPE_BOOL } field { name: "value" number: 2 type: TYPE_BOOL } }`, "not nested"},
		"group as a map's value": {`message_type { name: "A" nested_type { name: "E" options { map_entry: true }
			field { name: "key" number: 1 type: TYPE_BOOL } field { name: "value" number: 2 type: TYPE_GROUP type_name: ".p.A" } } }`, "cannot be a group"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := buildText(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestLongChainOfMessagesIsPlanned(t *testing.T) {
	const length = 20000
	var text strings.Builder
	for i := range length {
		fmt.Fprintf(&text, `message_type { name: "M%d" field { name: "next" number: 1 type: TYPE_MESSAGE type_name: ".p.M%d" } }`, i, (i+1)%length)
	}
	p, err := buildText(t, text.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range p.Messages {
		if message.Recursion != 1 || message.MaxSize != Unbounded || message.Fields[0].ChildStorage != StoragePointer {
			t.Fatalf("%s: recursion %d, max_size %d, %s", message.Name, message.Recursion, message.MaxSize, message.Fields[0].ChildStorage)
		}
	}
}

func TestMaxSizeStopsAtFourByteLengths(t *testing.T) {
	// Each level holds two of the level below: sizes double until they count as unbounded.
	var text strings.Builder
	text.WriteString(`message_type { name: "M0" field { name: "f" number: 1 type: TYPE_FIXED64 } }`)
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&text, `message_type { name: "M%d"
			field { name: "a" number: 1 type: TYPE_MESSAGE type_name: ".p.M%d" }
			field { name: "b" number: 2 type: TYPE_MESSAGE type_name: ".p.M%d" } }`, i, i-1, i-1)
	}
	p, err := buildText(t, text.String())
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Messages[1].MaxSize; got != 2*(1+1+9) {
		t.Errorf("M1: max_size %d", got)
	}
	bounded := 0
	for _, message := range p.Messages {
		if message.MaxSize > maxBound {
			t.Errorf("%s: max_size %d", message.Name, message.MaxSize)
		}
		if message.MaxSize != Unbounded {
			bounded++
		}
	}
	if bounded != 25 { // 9 * 2^24 and its tags are below 2^28, twice that is not
		t.Errorf("%d messages are bounded", bounded)
	}
}

func TestDefaultsAreCanonical(t *testing.T) {
	for _, c := range []struct {
		kind       Type
		text, want string
	}{
		{TypeFloat, "1.5", "3fc00000"},
		{TypeFloat, "-nan", "7fc00000"},
		{TypeFloat, "1e40", "7f800000"},
		{TypeFloat, "-0", "80000000"},
		{TypeDouble, "inf", "7ff0000000000000"},
		{TypeDouble, "4.9406564584124654e-324", "0000000000000001"},
		{TypeInt64, "-9223372036854775808", "-9223372036854775808"},
		{TypeBytes, `\000\377\n\"\x41b`, "00ff0a224162"},
		{TypeString, "a\nb", "a\nb"},
	} {
		got, problem := defaultText(&Field{Type: c.kind}, c.text)
		if got != c.want || problem != "" {
			t.Errorf("%s %q: %q %s, want %q", c.kind, c.text, got, problem, c.want)
		}
	}
	for _, c := range []struct {
		kind Type
		text string
	}{
		{TypeFloat, "0x1p3"}, {TypeDouble, "1_0"}, {TypeDouble, "infinity"}, {TypeInt32, "+1"}, {TypeInt32, "0x10"},
		{TypeUint32, "-0x1"}, {TypeBytes, `\`}, {TypeBytes, `\400`}, {TypeBytes, `\x`}, {TypeMessage, ""},
	} {
		if got, problem := defaultText(&Field{Type: c.kind}, c.text); problem == "" {
			t.Errorf("%s %q is read as %q", c.kind, c.text, got)
		}
	}
}

func TestJSONEscapesOnlyWhatItMust(t *testing.T) {
	w := new(printer)
	w.string("a\"\\\n\x7f/<é\xff")
	if got, want := string(w.out), "\"a\\\"\\\\\\u000a\x7f/<é\xff\""; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
