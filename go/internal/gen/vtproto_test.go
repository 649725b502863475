package gen

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/internal/typecheck"
	"github.com/hotpb/hotpb/go/test/staletest"
	"google.golang.org/protobuf/types/descriptorpb"
)

const namesOfVtproto = `name: "a.proto" package: "p" options { go_package: "example.com/p" }
	message_type { name: "Plain" field { name: "child" number: 1 type: TYPE_MESSAGE type_name: ".p.Plain" label: LABEL_REPEATED } }
	message_type { name: "Field" field { name: "SizeVT" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
		field { name: "ResetVT" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL } }
	message_type { name: "Held" }
	message_type { name: "HeldFromVTPool" nested_type { name: "Inner" } }`

var vtMethod = regexp.MustCompile(`(?m)^func \(m \*(\w+)\) (\w*VT\w*)\(`)

// methodsOfVtproto returns the methods of vtprotobuf's that files declare for a message.
func methodsOfVtproto(outputs []emit.Output, message string) string {
	var found []string
	for _, output := range outputs {
		for _, match := range vtMethod.FindAllSubmatch(output.Content, -1) {
			if string(match[1]) == message {
				found = append(found, string(match[2]))
			}
		}
	}
	return strings.Join(found, " ")
}

// COD-84, COD-92
func TestMethodsOfVtprotobufGiveWayToFields(t *testing.T) {
	const rest = "MarshalVT MarshalToVT MarshalToSizedBufferVT MarshalVTStrict MarshalToVTStrict MarshalToSizedBufferVTStrict " +
		"UnmarshalVT UnmarshalVTUnsafe EqualVT EqualMessageVT CloneVT CloneMessageVT"
	for options, want := range map[string]map[string]string{
		"":                              {"Plain": "SizeVT " + rest, "Field": rest, "Held": "SizeVT " + rest},
		",pool=example.com/p.*":         {"Plain": "SizeVT " + rest + " ResetVT ReturnToVTPool", "Field": rest, "Held": "SizeVT " + rest, "HeldFromVTPool_Inner": "SizeVT " + rest + " ResetVT ReturnToVTPool"},
		",default_api_level=API_OPAQUE": {"Plain": "SizeVT " + rest, "Field": "SizeVT " + rest},
		",features=size+unmarshal":      {"Plain": "SizeVT UnmarshalVT", "Field": "UnmarshalVT"},
		",features=all":                 {"Plain": "SizeVT " + rest},
		",features=equal,pool=**":       {"Plain": "EqualVT EqualMessageVT"},
		",features=pool,pool=**":        {"Plain": "ResetVT ReturnToVTPool"},
	} {
		result, err := generateOne(t, planText(t, namesOfVtproto), "faces=codec,compat=vtproto"+options)
		if err != nil {
			t.Fatal(err)
		}
		for message, methods := range want {
			if got := methodsOfVtproto(result.Outputs, message); got != methods {
				t.Errorf("%s: %s has %q, not %q", options, message, got, methods)
			}
		}
		if strings.Contains(options, "p.*") && !strings.Contains(strings.Join(result.Warnings, "\n"), "message p.Held lacks vtprotobuf's pool: message p.HeldFromVTPool has the name HeldFromVTPool") {
			t.Errorf("%s: %q", options, result.Warnings)
		}
	}
	for _, options := range []string{"faces=codec", "faces=codec,compat=csproto"} {
		result, err := generateOne(t, planText(t, namesOfVtproto), options)
		if err != nil || methodsOfVtproto(result.Outputs, "Plain") != "" {
			t.Errorf("%s: %v, %q", options, err, methodsOfVtproto(result.Outputs, "Plain"))
		}
	}
}

// Whatever of them is generated, it compiles beside the structs of protoc-gen-go: no import is left over.
func TestCodeWithMethodsOfVtprotobufCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds protoc-gen-go")
	}
	stock := filepath.Join(t.TempDir(), "protoc-gen-go")
	staletest.Build(t, stock, "google.golang.org/protobuf/cmd/protoc-gen-go")
	c := typecheck.New()
	for i, options := range []string{
		"compat=csproto+vtproto,pool=**", "compat=vtproto,filepermessage=true,pool=**", "compat=vtproto,features=size",
		"compat=vtproto,features=marshal+pool,pool=**/*.Plain", "compat=vtproto,features=clone", "compat=vtproto,features=pool,pool=**",
	} {
		for _, level := range []string{"API_OPEN", "API_HYBRID", "API_OPAQUE"} {
			folder := fmt.Sprintf("example.com/vt%d/%s", i, level)
			file := planFile(t, strings.ReplaceAll(namesOfVtproto, "example.com/p", folder+";p"))
			for _, f := range staletest.Generate(t, stock, "default_api_level="+level, file) {
				if err := c.Add(folder, f.Name, f.Content); err != nil {
					t.Fatal(err)
				}
			}
			p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"a.proto"})
			if err != nil {
				t.Fatal(err)
			}
			result, err := generateOne(t, p, "faces=codec,default_api_level="+level+","+options)
			if err != nil {
				t.Fatal(err)
			}
			for _, output := range result.Outputs {
				if err := c.Add(folder, path.Base(output.Name), string(output.Content)); err != nil {
					t.Fatal(err)
				}
			}
			if problems, err := c.Check(folder); err != nil || len(problems) > 0 {
				t.Errorf("%s, %s: %v, %s", options, level, err, strings.Join(problems, "\n"))
			}
		}
	}
}

// COD-93
func TestMessagesThatHaveAPool(t *testing.T) {
	mempool := func(on bool) *plan.Plan {
		p := &descriptorpb.FileDescriptorProto{Name: new(string), Options: &descriptorpb.FileOptions{GoPackage: new(string)}}
		*p.Name, *p.Options.GoPackage = "a.proto", "example.com/you/a"
		name := "M"
		p.MessageType = []*descriptorpb.DescriptorProto{{Name: &name, Options: &descriptorpb.MessageOptions{}}}
		p.MessageType[0].Options.ProtoReflect().SetUnknown(option(64101, on))
		built, err := plan.Build([]*descriptorpb.FileDescriptorProto{p}, []string{"a.proto"})
		if err != nil {
			t.Fatal(err)
		}
		return built
	}
	for options, want := range map[string]bool{
		"":                         false,
		"pool=example.com/you/a.M": true, "pool=example.com/you/a.N,pool=example.com/you/a.M": true,
		"pool=example.com/you/a.m": false, "pool=example.com/you/a": false, "pool=you/a.M": false,
		"pool=example.com/*/a.M": true, "pool=example.com/*": false, "pool=example.com/**": true, "pool=**/a.?": true, "pool=**/you/**/a.*": true,
		"pool=**/[b-z].M": false, "pool=**": true, "pool=**,pool-exclude=**/a.M": false, "pool=*": false,
		"pool=example.com/you/a.{B,M},pool-exclude=example.com/you/a.{B,C}": true, "pool=example.com/you/a.{B,C}": false, "pool=example.com/you/a.{M}": true,
		"pool=example.com/{me,you/{a,b}}.M": true, "pool=**,pool-exclude=**/{a,b}.{L,M}": false, "pool=**/a.[!L]": true, "pool=**/a.[!M]": false,
		"features=size,pool=**": false,
	} {
		for _, on := range []bool{false, true} {
			result, err := generateOne(t, mempool(on), "faces=codec,compat=vtproto,"+options)
			if err != nil {
				t.Fatal(err)
			}
			want := want || on && !strings.Contains(options, "exclude") && !strings.Contains(options, "features")
			if got := strings.Contains(methodsOfVtproto(result.Outputs, "M"), "ResetVT"); got != want {
				t.Errorf("%q, mempool %v: a pool %v", options, on, got)
			}
		}
	}
}

func TestOptionsOfVtprotobufAreRefusedByName(t *testing.T) {
	for options, want := range map[string]string{
		"faces=view,compat=vtproto":                                                                  "runtime=google",
		"faces=codec,compat=vtproto,runtime=gogo":                                                    "runtime=google",
		"faces=codec,pool=a.M":                                                                       "option pool=a.M: it works only with compat=vtproto",
		"faces=codec,compat=csproto,features=size":                                                   "option features=size: it works only with compat=vtproto",
		"faces=codec,compat=vtproto,features=size+grpc":                                              "protoc-gen-go-grpc",
		"faces=codec,compat=vtproto,features=sizes":                                                  "unmarshal_unsafe",
		"faces=codec,compat=vtproto,features=":                                                       "a value",
		"faces=codec,compat=vtproto,pool":                                                            "join the names of faces",
		"faces=codec,compat=vtproto,pool=a.[":                                                        "not a pattern",
		"faces=codec,compat=vtproto,pool-exclude=a.{B,C":                                             "option pool-exclude=a.{B,C: a brace has no counterpart",
		"faces=codec,compat=vtproto,pool=a.B},strange=1":                                             "option pool=a.B}: a brace has no counterpart",
		"faces=codec,compat=vtproto,pool=" + strings.Repeat("{a,b}", 10):                             "more than 1000",
		"faces=codec,compat=vtproto,pool=" + strings.Repeat("{", 99999) + strings.Repeat("}", 99999): "nested as deep",
		"faces=codec,compat=vtproto,buildTag=vt":                                                     "an option of vtprotobuf's generator",
		"faces=codec,ignoreUnknownFields=a.M":                                                        "option ignoreUnknownFields=a.M: it works only with compat=vtproto",
		"faces=codec,compat=vtproto,ignoreUnknownFields=a.{B":                                        "option ignoreUnknownFields=a.{B: a brace has no counterpart",
		"faces=codec,compat=vtproto,compat=csproto":                                                  "twice",
		"faces=codec,compat=vtproto+vtproto":                                                         "joined by +",
	} {
		if _, err := emit.ParseOptions(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", options, err)
		}
	}
}
