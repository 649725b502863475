package gen

import (
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
)

// VIW-13, POL-19. The bridge goes into a package below that of the faces, and refers to those of other files.
func TestReflectIsAPackageOfItsOwn(t *testing.T) {
	p := planText(t, `name: "x/a.proto" package: "a" options { go_package: "example.com/m/x/acme" } message_type { name: "A" }
		message_type { name: "Has" } message_type { name: "AView" }`,
		`name: "x/b.proto" package: "b" dependency: ["x/a.proto"] options { go_package: "example.com/m/other" } message_type { name: "B"
			field { name: "a" number: 1 type: TYPE_MESSAGE type_name: ".a.A" } }`)
	for options, names := range map[string][]string{
		"faces=view+reflect": {
			"example.com/m/x/acme/acmehot/a.hot.go", "example.com/m/x/acme/acmehot/acmehotreflect/a_reflect.hot.go",
			"example.com/m/other/otherhot/b.hot.go", "example.com/m/other/otherhot/otherhotreflect/b_reflect.hot.go"},
		"faces=reflect+pool,module=example.com/m": {
			"x/acme/acmehot/a.hot.go", "x/acme/acmehot/acmehotreflect/a_reflect.hot.go",
			"other/otherhot/b.hot.go", "other/otherhot/otherhotreflect/b_reflect.hot.go"},
		"faces=view+pool+reflect,paths=source_relative": {
			"x/acmehot/a.hot.go", "x/acmehot/acmehotreflect/a_reflect.hot.go",
			"x/otherhot/b.hot.go", "x/otherhot/otherhotreflect/b_reflect.hot.go"},
	} {
		result, err := generateOne(t, p, options)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, output := range result.Outputs {
			got = append(got, output.Name)
			text := string(output.Content)
			if linked := strings.Contains(text, "google.golang.org/protobuf"); linked != strings.Contains(output.Name, "reflect") {
				t.Errorf("%s: %s links the stock runtime: %v", options, output.Name, linked)
			}
			if strings.HasSuffix(output.Name, "b_reflect.hot.go") &&
				!strings.Contains(text, `"example.com/m/x/acme/acmehot/acmehotreflect"`) {
				t.Errorf("%s: %s does not use the bridge of a.proto:\n%s", options, output.Name, text)
			}
		}
		slices.Sort(got)
		slices.Sort(names)
		if !slices.Equal(got, names) {
			t.Errorf("%s gives %q, want %q", options, got, names)
		}
	}
	if _, err := emit.ParseOptions("faces=writer+reflect"); err == nil ||
		!strings.Contains(err.Error(), "reflect goes with pool or view: faces=pool+reflect or faces=view+reflect is allowed") {
		t.Error(err)
	}
}
