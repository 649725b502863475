package gen

import (
	"path"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/internal/typecheck"
)

// ownPlan is a message M in a message Outer, with options of gogo in M and in the file.
func ownPlan(t *testing.T, file, message []byte) *plan.Plan {
	t.Helper()
	f := planFile(t, `name: "d/a.proto" package: "p" syntax: "proto3" options { go_package: "example.com/own/p" }
		message_type { name: "M" options {} field { name: "s" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL } }
		message_type { name: "Outer" field { name: "m" number: 1 type: TYPE_MESSAGE type_name: ".p.M" label: LABEL_REPEATED } }`)
	f.Options.ProtoReflect().SetUnknown(file)
	f.MessageType[0].Options.ProtoReflect().SetUnknown(message)
	p, err := plan.Build([]*descriptorpb.FileDescriptorProto{f}, []string{"d/a.proto"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	marshaler, unmarshaler, sizer        = 64017, 64018, 64020
	unsafeMarshaler, unsafeUnmarshaler   = 64023, 64024
	protoSizer, typeDecl, isUnrecognized = 64028, 64030, 64026
	ofFile                               = -1000
)

// structs=value leaves out the methods that gogo leaves out.
func TestMethodsThatOptionsTurnOffAreLeftToCodeByHand(t *testing.T) {
	and := func(options ...[]byte) []byte { return slices.Concat(options...) }
	const marshal, unmarshal = "Marshal MarshalTo MarshalToSizedBuffer ", "Unmarshal "
	for _, c := range []struct {
		file, message []byte
		m, outer      string
	}{
		{nil, nil, "Size " + marshal + unmarshal, "Size " + marshal + unmarshal},
		{nil, option(marshaler, false), "Size " + unmarshal, "Size " + marshal + unmarshal},
		{nil, option(unmarshaler, false), "Size " + marshal, "Size " + marshal + unmarshal},
		{nil, option(sizer, false), marshal + unmarshal, "Size " + marshal + unmarshal},
		{option(marshaler+ofFile, false), nil, "Size " + unmarshal, "Size " + unmarshal},
		{option(unmarshaler+ofFile, false), option(unmarshaler, true), "Size " + marshal + unmarshal, "Size " + marshal},
		{and(option(marshaler+ofFile, true), option(sizer+ofFile, true)), and(option(marshaler, false), option(sizer, false)), unmarshal, "Size " + marshal + unmarshal},
		{and(option(sizer+ofFile, false), option(marshaler+ofFile, false), option(unmarshaler+ofFile, false)), nil, "", ""},
		{nil, and(option(protoSizer, false), option(sizer, false)), marshal + unmarshal, "Size " + marshal + unmarshal},
		{nil, and(option(unsafeMarshaler, false), option(marshaler, false)), "Size " + unmarshal, "Size " + marshal + unmarshal},
		// Another option turns the methods on.
		{nil, and(option(protoSizer, true), option(sizer, false)), "ProtoSize " + marshal + unmarshal, "Size " + marshal + unmarshal},
		{and(option(protoSizer+ofFile, true), option(sizer+ofFile, false)), nil, "ProtoSize " + marshal + unmarshal, "ProtoSize " + marshal + unmarshal},
		{nil, and(option(unsafeMarshaler, true), option(marshaler, false)), "Size " + marshal + unmarshal, "Size " + marshal + unmarshal},
		{and(option(unsafeUnmarshaler+ofFile, true), option(unmarshaler+ofFile, false)), nil, "Size " + marshal + unmarshal, "Size " + marshal + unmarshal},
	} {
		for _, runtime := range []string{"", ",runtime=gogo", ",runtime=gogofast", ",runtime=gogofaster", ",runtime=gogoslick"} {
			result, err := generateOne(t, ownPlan(t, c.file, c.message), "faces=codec,structs=value"+runtime)
			if err != nil {
				t.Fatal(err)
			}
			for message, want := range map[string]string{"M": c.m, "Outer": c.outer} {
				got := ""
				for _, method := range strings.Fields("ProtoSize Size Marshal MarshalTo MarshalToSizedBuffer Unmarshal") {
					if strings.Contains(string(result.Outputs[0].Content), "func (m *"+message+") "+method+"(") {
						got += method + " "
					}
				}
				if got != want {
					t.Errorf("%x %x%s: %s has %q, not %q", c.file, c.message, runtime, message, got, want)
				}
			}
		}
	}
}

// Methods by hand that gogo's code calls, and this code does not, are errors that name the remedy; others are left alone.
func TestMethodsByHandThatNothingCallsDoNotCompile(t *testing.T) {
	byHand := func(names ...string) string {
		code := "package p\n"
		for _, name := range names {
			code += "\nfunc (m *M) " + name + "(b []byte) (int, error) { return 0, nil }\n"
		}
		return code
	}
	const own, held = "proto_Marshal_and_Unmarshal_do_not_call_the_method_by_hand_of_M.", "make_M_a_customtype_because_Outer_does_not_call_its_method_by_hand."
	all := slices.Concat(option(marshaler, false), option(unmarshaler, false), option(sizer, false))
	for name, c := range map[string]struct {
		file, message []byte
		code          string
		want          []string
	}{
		"none":       {nil, all, byHand(), nil},
		"size":       {nil, all, byHand("Size", "ProtoSize", "Drop"), nil},
		"file":       {option(marshaler+ofFile, false), nil, byHand("Marshal"), []string{own + "Marshal", held + "Marshal"}},
		"marshal":    {nil, all, byHand("Marshal"), []string{own + "Marshal", held + "Marshal"}},
		"marshal_to": {nil, all, byHand("Size", "MarshalTo"), []string{held + "MarshalTo"}},
		"sized":      {nil, all, byHand("MarshalToSizedBuffer"), []string{held + "MarshalToSizedBuffer"}},
		"unmarshal":  {nil, option(unmarshaler, false), byHand("Unmarshal"), []string{own + "Unmarshal", held + "Unmarshal"}},
	} {
		result, err := generateOne(t, ownPlan(t, c.file, c.message), "faces=codec,structs=value")
		if err != nil {
			t.Fatal(err)
		}
		checker, folder := typecheck.New(), "example.com/own/hand_"+name
		for _, code := range []string{c.code, string(result.Outputs[0].Content)} {
			if err := checker.Add(folder, "a.go", code); err != nil {
				t.Fatal(err)
			}
		}
		problems, err := checker.Check(folder)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(problems, "\n")
		if len(problems) != len(c.want) {
			t.Errorf("%s: %s", name, all)
		}
		for _, want := range c.want {
			if !strings.Contains(all+"\n", "ambiguous selector "+want+"\n") {
				t.Errorf("%s: no error at %s among %s", name, want, all)
			}
		}
	}
}

// A struct by hand that lacks the place for unknown fields has an error that names the remedy, and compiles with it.
func TestOwnStructsCompileOrTheErrorNamesTheRemedy(t *testing.T) {
	const remedy = "add_XXX_unrecognized_to_M_or_set_goproto_unrecognized_to_false.XXX_unrecognized undefined"
	plain := "package p\n\ntype M struct{ S string }\n"
	full := "package p\n\ntype M struct { S string; XXX_unrecognized []byte }\n"
	off := slices.Concat(option(typeDecl, false), option(isUnrecognized, false))
	for name, c := range map[string]struct {
		options, code string
		message       []byte
		refused       bool
	}{
		"lacks":              {"", plain, option(typeDecl, false), true},
		"lacks_gogo":         {",runtime=gogo", plain, option(typeDecl, false), true},
		"lacks_faster":       {",runtime=gogofaster", plain, option(typeDecl, false), false},
		"lacks_on":           {",runtime=gogofaster", plain, slices.Concat(option(typeDecl, false), option(isUnrecognized, true)), true},
		"has":                {"", full, option(typeDecl, false), false},
		"has_faster":         {",runtime=gogofaster", full, option(typeDecl, false), false},
		"turned_off":         {"", plain, off, false},
		"turned_off_gogo":    {",runtime=gogo", plain, off, false},
		"declared":           {"", "package p\n", nil, false},
		"declared_but_drops": {"", "package p\n", option(isUnrecognized, false), false},
	} {
		result, err := generateOne(t, ownPlan(t, nil, c.message), "faces=codec,structs=value"+c.options)
		if err != nil {
			t.Fatal(err)
		}
		checker, folder := typecheck.New(), "example.com/own/"+name
		if err := checker.Add(folder, "own.go", c.code); err != nil {
			t.Fatal(err)
		}
		if err := checker.Add(folder, path.Base(result.Outputs[0].Name), string(result.Outputs[0].Content)); err != nil {
			t.Fatal(err)
		}
		problems, err := checker.Check(folder)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case !c.refused && len(problems) > 0:
			t.Errorf("%s: %s", name, strings.Join(problems, "\n"))
		case c.refused && (len(problems) == 0 || !strings.Contains(problems[0], remedy)):
			t.Errorf("%s: the first error is not %s: %q", name, remedy, problems)
		}
	}
}
