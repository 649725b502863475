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

func TestStructsWithMethodsByHandAreRefusedByTheNameOfTheOption(t *testing.T) {
	and := func(options ...[]byte) []byte { return slices.Concat(options...) }
	for _, c := range []struct {
		file, message []byte
		want          string // "" if it is not refused
	}{
		{nil, option(marshaler, false), "p.M: it has the option gogoproto.marshaler = false, which leaves Marshal, MarshalTo, MarshalToSizedBuffer to code by hand"},
		{nil, option(unmarshaler, false), "p.M: it has the option gogoproto.unmarshaler = false, which leaves Unmarshal to"},
		{nil, option(sizer, false), "p.M: it has the option gogoproto.sizer = false, which leaves Size to"},
		{option(marshaler+ofFile, false), nil, "p.M: it has the option gogoproto.marshaler_all = false"},
		{option(unmarshaler+ofFile, false), nil, "p.M: it has the option gogoproto.unmarshaler_all = false"},
		{option(sizer+ofFile, false), nil, "p.M: it has the option gogoproto.sizer_all = false"},
		{option(sizer+ofFile, true), option(sizer, false), "p.M: it has the option gogoproto.sizer = false"},
		{and(option(marshaler+ofFile, true), option(sizer+ofFile, true)), and(option(marshaler, false), option(sizer, false)), "gogoproto.marshaler = false"},
		{option(sizer+ofFile, false), option(sizer, true), "p.Outer: it has the option gogoproto.sizer_all = false"},
		{nil, and(option(protoSizer, false), option(sizer, false)), "gogoproto.sizer = false"},
		{nil, and(option(unsafeMarshaler, false), option(marshaler, false)), "gogoproto.marshaler = false"},
		// Another option turns the methods on.
		{nil, and(option(protoSizer, true), option(sizer, false)), ""},
		{and(option(protoSizer+ofFile, true), option(sizer+ofFile, false)), nil, ""},
		{nil, and(option(unsafeMarshaler, true), option(marshaler, false)), ""},
		{and(option(unsafeMarshaler+ofFile, true), option(marshaler+ofFile, false)), nil, ""},
		{nil, and(option(unsafeUnmarshaler, true), option(unmarshaler, false)), ""},
		{nil, and(option(marshaler, true), option(unmarshaler, true), option(sizer, true)), ""},
		{nil, nil, ""},
	} {
		for _, runtime := range []string{"", ",runtime=gogo", ",runtime=gogofast", ",runtime=gogofaster", ",runtime=gogoslick"} {
			_, err := generateOne(t, ownPlan(t, c.file, c.message), "faces=codec,structs=value"+runtime)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%x %x%s: %v", c.file, c.message, runtime, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "remove the option and such methods")):
				t.Errorf("%x %x%s: %v, want %s", c.file, c.message, runtime, err, c.want)
			}
			// Beside gogo's structs the compiler decides.
			if _, err := generateOne(t, ownPlan(t, c.file, c.message), "faces=codec,runtime=gogo"); err != nil {
				t.Error(err)
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
