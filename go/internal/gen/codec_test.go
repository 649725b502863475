package gen

import (
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	_ "google.golang.org/protobuf/types/gofeaturespb" // for the text of features
)

// COD-15
func TestAFieldCalledAsAMethodOfTheFaceIsRefusedByName(t *testing.T) {
	p := planText(t, `name: "a.proto" package: "p" syntax: "proto3" options { go_package: "example.com/p" }
		message_type { name: "Good" field { name: "size" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }
		message_type { name: "Bad" field { name: "size_hot" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }`)
	_, err := generateOne(t, p, "faces=codec")
	if err == nil || !strings.Contains(err.Error(), "size_hot") || !strings.Contains(err.Error(), "p.Bad") {
		t.Errorf("the error is %v", err)
	}
	for _, options := range []string{"faces=codec,messages=p.Good", "faces=codec,default_api_level=API_OPAQUE"} {
		if _, err := generateOne(t, p, options); err != nil {
			t.Errorf("%s: %v", options, err)
		}
	}
}

func TestTheCodecWritesBesideTheStockStructs(t *testing.T) {
	const file = `name: "dir/a_linux.proto" package: "p" syntax: "proto3" options { go_package: "example.com/p;other" } message_type { name: "M" }`
	for options, want := range map[string][]string{
		"faces=codec":                                  {"example.com/p/a_linux_.hot.go"},
		"faces=codec,paths=source_relative":            {"dir/a_linux_.hot.go"},
		"faces=codec+view,module=example.com":          {"p/otherhot/a_linux_.hot.go", "p/a_linux_.hot.go"},
		"faces=codec,Mdir/a_linux.proto=example.com/q": {"example.com/q/a_linux_.hot.go"},
		"faces=codec,default_api_level=API_HYBRID":     {"example.com/p/a_linux_.hot.go", "example.com/p/a_linux__protoopaque.hot.go"},
		"faces=codec,apilevelMdir/a_linux.proto=API_HYBRID,default_api_level=API_OPEN": {
			"example.com/p/a_linux_.hot.go", "example.com/p/a_linux__protoopaque.hot.go"},
	} {
		result, err := generateOne(t, planText(t, file), options)
		if err != nil {
			t.Errorf("%s: %v", options, err)
			continue
		}
		var names []string
		for _, output := range result.Outputs {
			names = append(names, output.Name)
			if pkg := "package other\n"; !strings.Contains(string(output.Content), pkg) && !strings.Contains(output.Name, "otherhot") {
				t.Errorf("%s: %s is not in %s", options, output.Name, pkg)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s writes %v, not %v", options, names, want)
		}
	}
}

func TestAPILevelsAreRefusedWhereNobodyLooksAtThem(t *testing.T) {
	for options, want := range map[string]string{
		"faces=view,default_api_level=API_OPEN": "codec",
		"faces=codec,default_api_level=OPAQUE":  "API_OPAQUE",
		"faces=codec,apilevelMa.proto=hybrid":   "API_HYBRID",
		"faces=codec,apilevelM=API_OPEN":        "no such option",
	} {
		if _, err := emit.ParseOptions(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", options, err)
		}
	}
}

// The feature (pb.go).api_level, of a file, a message and a nested message, as protoc hands it in.
func TestAPILevelsOfFeaturesAreInherited(t *testing.T) {
	level := func(level string) string { return `features { [pb.go] { api_level: ` + level + ` } }` }
	file := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(`name: "a.proto" syntax: "editions" edition: EDITION_2023 options { `+level("API_OPAQUE")+` }
		message_type { name: "A" }
		message_type { name: "B" options { `+level("API_OPEN")+` } nested_type { name: "C" } }`), file); err != nil {
		t.Fatal(err)
	}
	input, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.FromDescriptorSet(input, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]plan.GoAPI{}
	for _, m := range p.Messages {
		got[m.Name] = m.GoAPI
	}
	if got["A"] != plan.GoAPIOpaque || got["B"] != plan.GoAPIOpen || got["B.C"] != plan.GoAPIOpen {
		t.Errorf("the levels are %v", got)
	}
}
