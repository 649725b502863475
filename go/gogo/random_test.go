package gogo_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// COD-98. HOTPB_SCHEMAS is the number of schemas to try, in place of one for each generator.
func TestRandomSchemasWithOptionsOfGogo(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(os.Getenv("HOTPB_SCHEMAS"))
	if err != nil {
		n = 3
	}
	for seed := range n {
		generator := []string{"gogofaster", "gogofast", "gogo"}[seed%3]
		t.Run(fmt.Sprint(seed, " ", generator), func(t *testing.T) {
			schema := randomSchema(rand.New(rand.NewPCG(uint64(seed), 7)), []string{"proto3", "proto2"}[seed/3%2], generator)
			folder := t.TempDir()
			if err := os.WriteFile(folder+"/random.proto", []byte(schema), 0o666); err != nil {
				t.Fatal(err)
			}
			where, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gogo/protobuf").Output()
			if err != nil {
				t.Fatal(err)
			}
			protoc := root + "/build/tools/protoc"
			command := exec.Command(protoc+"/bin/protoc", "-I", folder, "-I", protoc+"/include", "-I", strings.TrimSpace(string(where)),
				"--include_imports", "--descriptor_set_out="+folder+"/set", "random.proto")
			if output, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s\n%s", err, output, schema)
			}
			set, err := os.ReadFile(folder + "/set")
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if t.Failed() {
					t.Log(schema)
				}
			}()
			compare(t, root, generator, set, regexp.MustCompile(`^random\.proto$`))
		})
	}
}

const customs = "github.com/hotpb/hotpb/go/gogo/internal/custom."

// casts are the types of package custom for casttype.
var casts = map[string]string{
	"int32": "Int32", "sint32": "Int32", "sfixed32": "Int32", "int64": "Count", "sint64": "Count", "sfixed64": "Count", "uint32": "Small", "fixed32": "Small",
	"uint64": "Total", "fixed64": "Total", "bool": "Flag", "float": "Single", "double": "Ratio", "string": "Word", "bytes": "Raw",
}

var kinds = strings.Fields("int32 sint32 sfixed32 int64 sint64 sfixed64 uint32 fixed32 uint64 fixed64 bool float double string bytes bytes string Kind Leaf Leaf M0 " +
	"google.protobuf.Timestamp google.protobuf.Duration google.protobuf.Int64Value google.protobuf.StringValue google.protobuf.BytesValue google.protobuf.DoubleValue")

func randomSchema(r *rand.Rand, syntax, generator string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "syntax = %q;\npackage random;\nimport \"gogoproto/gogo.proto\";\n", syntax)
	for _, name := range []string{"timestamp", "duration", "wrappers"} {
		fmt.Fprintf(&b, "import \"google/protobuf/%s.proto\";\n", name)
	}
	b.WriteString("option go_package = \"example.com/random\";\n")
	if generator != "gogo" { // whose oneofs do not compile with it
		b.WriteString("option (gogoproto.stable_marshaler_all) = true;\n")
	}
	optional := ""
	if syntax == "proto2" {
		optional = "optional "
	}
	b.WriteString("enum Kind { ZERO = 0; ONE = 1; TWO = 200; }\n")
	fmt.Fprintf(&b, "message Leaf { %sint32 id = 1; %sstring name = 2; }\n", optional, optional)
	for i := range 6 {
		fmt.Fprintf(&b, "message M%d {\n", i)
		for _, option := range []string{"unrecognized", "unkeyed", "sizecache"} {
			if r.IntN(4) == 0 {
				fmt.Fprintf(&b, "  option (gogoproto.goproto_%s) = %v;\n", option, r.IntN(2) == 0)
			}
		}
		number := 0
		for n := range 1 + r.IntN(24) {
			number += 1 + r.IntN(3)*r.IntN(2)*r.IntN(9)
			fmt.Fprintf(&b, "  %s\n", randomField(r, n, number, optional))
		}
		if optional == "" && r.IntN(2) == 0 {
			b.WriteString("  oneof choice {\n")
			for n := range 1 + r.IntN(4) {
				number++
				kind := kinds[r.IntN(len(kinds))]
				fmt.Fprintf(&b, "    %s o%d = %d%s;\n", kind, n, number, joined(elementOptions(r, kind, "casttype", false)))
			}
			b.WriteString("  }\n")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func joined(options []string) string {
	if len(options) == 0 {
		return ""
	}
	return " [" + strings.Join(options, ", ") + "]"
}

// elementOptions are options of a field that change its elements. In some places elements cannot be values.
func elementOptions(r *rand.Rand, kind, cast string, values bool) (options []string) {
	add := func(option, value string) { options = append(options, "(gogoproto."+option+") = "+value) }
	value := values && r.IntN(2) == 0
	name := strings.TrimPrefix(kind, "google.protobuf.")
	switch {
	case kind == "bytes" && r.IntN(2) == 0:
		add("customtype", strconv.Quote(customs+"ID"))
	case casts[kind] != "":
		if r.IntN(2) == 0 {
			add(cast, strconv.Quote(customs+casts[kind]))
		}
		value = false
	case kind == "Kind":
		value = false
	case name == kind:
		value = value && kind != "M0" // which may contain itself
	case r.IntN(3) == 0: // a message as any other
	case name == "Timestamp":
		add("stdtime", "true")
	case name == "Duration":
		add("stdduration", "true")
	default:
		add("wktpointer", "true")
		value = false
	}
	if value {
		add("nullable", "false")
	}
	return options
}

func randomField(r *rand.Rand, n, number int, optional string) string {
	kind := kinds[r.IntN(len(kinds))]
	label, name := optional, fmt.Sprint("f", n)
	var options []string
	switch r.IntN(4) {
	case 0:
		keys := []string{"int32", "string", "sint64", "fixed64", "uint32"}
		key := keys[r.IntN(len(keys))]
		options = elementOptions(r, kind, "castvalue", true)
		if r.IntN(3) == 0 {
			options = append(options, "(gogoproto.castkey) = "+strconv.Quote(customs+casts[key]))
		}
		kind, label = "map<"+key+", "+kind+">", ""
	case 1:
		label = "repeated "
		options = elementOptions(r, kind, "casttype", true)
		if !strings.Contains("string bytes Leaf M0", kind) && !strings.Contains(kind, ".") && r.IntN(3) == 0 {
			options = append(options, fmt.Sprintf("packed = %v", r.IntN(2) == 0))
		}
	default:
		options = elementOptions(r, kind, "casttype", true)
		if optional != "" {
			if _, native := casts[kind]; native && kind != "bytes" && r.IntN(2) == 0 {
				options = append(options, fmt.Sprint("(gogoproto.nullable) = ", r.IntN(2) == 0))
			}
			if r.IntN(8) == 0 && kind != "M0" {
				label = "required "
			}
		}
	}
	if r.IntN(5) == 0 {
		options = append(options, fmt.Sprintf("(gogoproto.customname) = \"Named%d\"", n))
	}
	return fmt.Sprintf("%s%s %s = %d%s;", label, kind, name, number, joined(options))
}
