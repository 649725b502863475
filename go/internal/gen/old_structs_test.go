package gen

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/internal/typecheck"
	"github.com/hotpb/hotpb/go/test/staletest"
	"google.golang.org/protobuf/types/descriptorpb"
)

var (
	hiddenField = regexp.MustCompile(`(?m)^\t(state|sizeCache|unknownFields|extensionFields) +(protoimpl\.\w+).*\n`)
	structType  = regexp.MustCompile(`(?ms)^type (\w+) struct \{\n(\tstate .*?)^\}\n`)
)

// before136 is code of protoc-gen-go as its versions before 1.36 wrote it: the hidden fields stood before the others, in
// another order.
func before136(code string) string {
	return structType.ReplaceAllStringFunc(code, func(declaration string) string {
		parts := structType.FindStringSubmatch(declaration)
		hidden := map[string]string{}
		for _, field := range hiddenField.FindAllStringSubmatch(parts[2], -1) {
			hidden[field[1]] = "\t" + field[1] + " " + field[2] + "\n"
		}
		return "type " + parts[1] + " struct {\n" + hidden["state"] + hidden["sizeCache"] + hidden["unknownFields"] +
			hidden["extensionFields"] + "\n" + hiddenField.ReplaceAllString(parts[2], "") + "}\n"
	})
}

// COD-27, COD-66. Fast methods compile beside the structs that they were generated for, and report an error beside others.
func TestFastMethodsCompileBesideTheStructsOfOlderGenerators(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds protoc-gen-go")
	}
	stock := filepath.Join(t.TempDir(), "protoc-gen-go")
	staletest.Build(t, stock, "google.golang.org/protobuf/cmd/protoc-gen-go")
	c := typecheck.New()
	const text = `name: "old.proto" package: "p" syntax: "proto2" options { go_package: "example.com/NAME;p" }
		message_type { name: "M" extension_range { start: 100 end: 200 }
			field { name: "id" number: 1 label: LABEL_REQUIRED type: TYPE_INT32 }
			field { name: "texts" number: 2 label: LABEL_REPEATED type: TYPE_STRING }
			field { name: "child" number: 3 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.Plain" }
			field { name: "pick" number: 4 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.Plain" oneof_index: 0 }
			field { name: "other" number: 5 label: LABEL_OPTIONAL type: TYPE_STRING oneof_index: 0 }
			oneof_decl { name: "o" } }
		message_type { name: "Plain" field { name: "x" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 } }
		message_type { name: "Empty" }`
	for name, pair := range map[string]struct {
		old      bool
		options  string
		compiles bool
	}{
		"new_new": {false, "", true},
		"old_old": {true, ",structs=before_1.36", true},
		"old_new": {true, "", false},
		"new_old": {false, ",structs=before_1.36", false},
	} {
		file := planFile(t, strings.ReplaceAll(text, "NAME", name))
		folder := "example.com/" + name
		for _, f := range staletest.Generate(t, stock, "", file) {
			code := f.Content
			if pair.old {
				if code = before136(code); !regexp.MustCompile(`\tstate protoimpl.MessageState\n\tsizeCache `).MatchString(code) {
					t.Fatal("protoc-gen-go has changed its structs")
				}
			}
			if err := c.Add(folder, f.Name, code); err != nil {
				t.Fatal(err)
			}
		}
		p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"old.proto"})
		if err != nil {
			t.Fatal(err)
		}
		result, err := generateOne(t, p, "faces=codec"+pair.options)
		if err != nil {
			t.Fatal(err)
		}
		code := ""
		for _, output := range result.Outputs {
			code += string(output.Content)
			if err := c.Add(folder, path.Base(output.Name), string(output.Content)); err != nil {
				t.Fatal(err)
			}
		}
		problems, err := c.Check(folder)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(problems, "\n")
		switch {
		case pair.compiles && all != "":
			t.Errorf("%s: %s", name, all)
		case !pair.compiles && !strings.Contains(all, "regenerate_M_with_protoc_gen_go_hotpb"):
			t.Errorf("%s: no guard among the errors of the compiler: %q", name, all)
		case pair.old && !pair.compiles && !strings.Contains(problems[0], "use_structs_before_1_36"):
			t.Errorf("%s: the first error does not name the option: %q", name, problems)
		case !pair.old && !pair.compiles && !strings.Contains(problems[0], "leave_out_structs_before_1_36"):
			t.Errorf("%s: the first error does not say to leave out the option: %q", name, problems)
		case pair.compiles && strings.Contains(code, "Use structs=before_1.36") != (pair.options == ""):
			t.Errorf("%s: the comment does not say what the other structs need", name)
		}
	}
}

// The structs of gogo's generators differ by options, and those of Google's have a check of their own.
func TestTheRemedyForStructsOfAnotherGeneratorNamesRuntime(t *testing.T) {
	p := planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/p" } message_type { name: "M" field { name: "f" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }`)
	for options, want := range map[string]string{
		"faces=codec": "which runtime= names.", "faces=codec,runtime=gogofast": "with the runtime= of its generator.", "faces=codec,runtime=v1": "with the runtime= of its generator.",
	} {
		if result, err := generateOne(t, p, options); err != nil || !strings.Contains(string(result.Outputs[0].Content), want) {
			t.Errorf("%s: no %q in the code, %v", options, want, err)
		}
	}
}
