package gen

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

const files = `name: "dir/a_linux.proto" package: "p" options { go_package: "example.com/p" }
	message_type { name: "Outer" nested_type { name: "Inner" nested_type { name: "Test" } }
		nested_type { name: "Other" }
		nested_type { name: "NamesEntry" options { map_entry: true }
			field { name: "key" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
			field { name: "value" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL } }
		field { name: "names" number: 1 type: TYPE_MESSAGE type_name: ".p.Outer.NamesEntry" label: LABEL_REPEATED }
		field { name: "inner" number: 2 type: TYPE_MESSAGE type_name: ".p.Outer.Inner" label: LABEL_OPTIONAL } }
	message_type { name: "windows" }`

// COD-26
func TestAFileForEachMessage(t *testing.T) {
	for options, want := range map[string][]string{
		"": {"a_linux_.outer.hot.go", "a_linux_.outer.inner.hot.go", "a_linux_.outer.inner.test.hot.go", "a_linux_.outer.other.hot.go", "a_linux_.windows.hot.go"},
		",default_api_level=API_HYBRID,messages=p.windows": {"a_linux_.windows.hot.go", "a_linux__protoopaque.windows.hot.go"},
		",runtime=v1,messages=p.Outer":                     {"a_linux_.outer.hot.go", "a_linux_.outer.inner.hot.go"},
		",runtime=gogo,messages=p.Outer.Inner":             {"a_linux_.outer.inner.hot.go"},
	} {
		result, err := generateOne(t, planText(t, files), "faces=codec,filepermessage=true,paths=source_relative"+options)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, output := range result.Outputs {
			names = append(names, strings.TrimPrefix(output.Name, "dir/"))
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("%s writes %v, not %v", options, names, want)
		}
	}
}

// COD-26
func TestOneFileForAllMessagesHasWhatTheFilesOfEachHave(t *testing.T) {
	funcs := func(options string) (all []string) {
		result, err := generateOne(t, planText(t, files), "faces=codec,protomethods=true"+options)
		if err != nil {
			t.Fatal(err)
		}
		for _, output := range result.Outputs {
			for _, line := range strings.Split(string(output.Content), "\n") {
				if strings.HasPrefix(line, "func (") || strings.HasPrefix(line, "type ") || strings.Contains(line, ".Hook[") {
					all = append(all, line)
				}
			}
		}
		slices.Sort(all)
		return all
	}
	single, each := funcs(",filepermessage=false"), funcs(",filepermessage=true")
	if !slices.Equal(single, each) || len(single) < 40 {
		t.Errorf("%d declarations, and %d in files of messages", len(single), len(each))
	}
}

// COD-64
func TestMessagesThatDifferInCaseOnlyCannotHaveAFileEach(t *testing.T) {
	p := planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/p" } message_type { name: "Foo" } message_type { name: "FOO" }`)
	if _, err := generateOne(t, p, "faces=codec"); err != nil {
		t.Error(err)
	}
	_, err := generateOne(t, p, "faces=codec,filepermessage=true")
	var problem *plan.Error
	if !errors.As(err, &problem) || problem.Element != "p.FOO" || !strings.Contains(problem.Problem, "example.com/p/a.foo.hot.go is also that of message p.Foo") {
		t.Errorf("the error is %v", err)
	}
}

// COD-26
func TestOtherFacesHaveTheirOneFile(t *testing.T) {
	result, err := generateOne(t, planText(t, files), "faces=codec+view,filepermessage=true,messages=p.windows")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, output := range result.Outputs {
		names = append(names, output.Name)
	}
	if want := []string{"example.com/p/phot/a_linux_.hot.go", "example.com/p/a_linux_.windows.hot.go"}; !slices.Equal(names, want) {
		t.Errorf("%v, not %v", names, want)
	}
}
